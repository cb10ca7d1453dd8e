"""Group atoms: sessions, then what was taken from them, a campaign a partition.

Sessions are read in one step; atoms, intents and checkpoints come out of another, since each message is asked about
once for all three.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import dagster as dg

from thermite_pipelines.assets.intake import OWNERS
from thermite_pipelines.assets.metadata import bar_chart, column_schema, line_chart, small_table
from thermite_pipelines.assets.partitions import campaigns
from thermite_pipelines.assets.targets import PLACED_EVENTS, SAID_EVENTS
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.resources.llm import LanguageModelResource, usage_shown
from thermite_pipelines.resources.progress import told
from thermite_pipelines.resources.rebuilds import wants_rebuild
from thermite_pipelines.tables.derived import ATOMS, CHECKPOINTS, INTENTS, SESSIONS

if TYPE_CHECKING:
    from thermite_pipelines.atoms.extraction import ExtractionResult
    from thermite_pipelines.atoms.overview import AtomNumbers
    from thermite_pipelines.atoms.reading import SessionsRead
    from thermite_pipelines.llm.questions import Usage

# What extraction needs (rules in six languages, the client of models) is imported by the steps that need it: every run
# and every sensor loads this module.

SESSION_TRANSCRIPTS = dg.AssetKey(["atoms", "session_transcripts"])
CHECKPOINT_COLUMNS = [
    "checkpoint",
    "sessions",
    "oldest_day",
    "newest_day",
    "human_messages",
    "atoms",
    "duplicates",
    "signal_to_noise",
    "duplicate_rate",
]
_SHOWN = 20


class ReadConfig(dg.Config):
    """`plain`: the transcript folders that name no campaign are this campaign's too."""

    plain: bool = False


class ExtractConfig(dg.Config):
    """What to take atoms from: everything that is new, the newest sessions, or one; `force` asks again."""

    recent: int | None = None
    session: str | None = None
    force: bool = False


said_events = dg.AssetSpec(
    SAID_EVENTS,
    deps=[PLACED_EVENTS],
    description=(
        "What people said in a campaign's runs, and files of transcripts. Reported when that changes; its data version "
        "is what the campaign's atoms should be made from."
    ),
    group_name="atoms",
    owners=OWNERS,
    kinds={"sql"},
    partitions_def=campaigns,
)


@dg.asset(
    key=SESSION_TRANSCRIPTS,
    deps=[SAID_EVENTS],
    partitions_def=campaigns,
    group_name="atoms",
    owners=OWNERS,
    kinds={"parquet"},
    code_version="1",
    output_required=False,
    metadata={"dagster/column_schema": column_schema(SESSIONS)},
)
def session_transcripts(
    context: dg.AssetExecutionContext, config: ReadConfig, home: HomeResource
) -> Iterator[dg.MaterializeResult]:
    """Conversations of people with agents: recorded sessions, owners' messages, and transcripts of other tools.

    Only what is new is read; a backfill reads all events and all kept transcripts again.
    """
    from thermite_pipelines.atoms import overview
    from thermite_pipelines.atoms.reading import read_sessions

    campaign = context.partition_key
    opened = home.opened
    with explained(opened, context.run.run_id):
        if not home.take(context, f"atoms:{campaign}"):
            return
        read = read_sessions(opened, campaign, plain=config.plain, anew=wants_rebuild(context))
        with opened.control.read() as connection:
            shown = overview.sessions(connection, campaign)
    yield dg.MaterializeResult(
        data_version=dg.DataVersion(shown.content),
        metadata={
            "dagster/row_count": shown.sessions,
            "dagster/uri": opened.lake.address(f"derived/messages/campaign={campaign}"),
            "human_messages": shown.human_messages,
            "sessions": small_table(shown.newest[:_SHOWN], ["session", "tool", "day", "human_messages", "skipped"]),
            "picture": bar_chart(shown.tools, f"sessions of {campaign} by tool"),
            **_read_shown(read),
        },
    )


def _read_shown(read: "SessionsRead") -> dict[str, Any]:
    problems = [{"kind": kind, "count": count} for kind, count in read.problem_counts.items()]
    return {
        "sessions_written_now": read.written,
        "sessions_that_left": read.removed,
        "problems": small_table(problems, ["kind", "count"]),
    }


def _spec(name: str, description: str, columns: Any) -> dg.AssetSpec:
    return dg.AssetSpec(
        dg.AssetKey(["atoms", name]),
        description=description,
        deps=[SESSION_TRANSCRIPTS],
        group_name="atoms",
        owners=OWNERS,
        kinds={"parquet"},
        code_version="1",
        partitions_def=campaigns,
        skippable=True,
        metadata={"dagster/column_schema": column_schema(columns)},
    )


@dg.multi_asset(
    name="extract_atoms_of_sessions",
    specs=[
        _spec("atoms", "Self-contained assertions of people, each with their exact words.", ATOMS),
        _spec("intents", "What people wanted done: one line, and the message that says it.", INTENTS),
        _spec("checkpoints", "Figures of every ten sessions: signal, duplicates, types, domains, ages.", CHECKPOINTS),
    ],
    can_subset=False,
)
def atoms(
    context: dg.AssetExecutionContext,
    config: ExtractConfig,
    home: HomeResource,
    language_model: LanguageModelResource,
) -> Iterator[dg.MaterializeResult]:
    """Ask the configured answerer about messages that nothing was taken from yet, and fold what passes the gate.

    A backfill asks about all of them again; answers of a model are cached, so that costs nothing twice.
    """
    from thermite_pipelines.atoms import overview
    from thermite_pipelines.atoms.answering import answerer_of
    from thermite_pipelines.atoms.budget_stops import note_stop
    from thermite_pipelines.atoms.extraction import extract

    campaign = context.partition_key
    opened = home.opened
    with explained(opened, context.run.run_id):
        if not home.take(context, f"atoms:{campaign}"):
            return
        with language_model.asking(context, opened, campaign, "atoms/atoms", small=True) as model:
            done = extract(
                opened,
                campaign,
                answerer_of(model),
                recent=config.recent,
                session=config.session,
                again="all" if config.force else "own" if wants_rebuild(context) else "no",
                read=False,
                progress=told(context, "messages asked about"),
            )
            usage = None if model is None else model.usage
        note_stop(opened, campaign, done.stopped)
        shown = overview.atoms(opened, campaign)
    yield from _results(opened.lake.address, campaign, done, shown, usage)
    if done.failed:
        raise dg.Failure(_failed(done), allow_retries=False)


def _failed(done: "ExtractionResult") -> str:
    """What is left and why, in one line; the sensor comes back to it, later each time."""
    reasons = sorted({reason for _, reason in done.failed})
    more = f" and {len(reasons) - 3} other reasons" if len(reasons) > 3 else ""
    count = len({session for session, _ in done.failed})
    what = "1 session has" if count == 1 else f"{count} sessions have"
    return f"{what} no answer yet ({'; '.join(reasons[:3])}{more}); what was answered is kept"


def _results(
    address: Any, campaign: str, done: "ExtractionResult", shown: "AtomNumbers", usage: "Usage | None"
) -> Iterator[dg.MaterializeResult]:
    now = {
        "sessions_now": done.sessions,
        "unchanged": done.unchanged,
        "atoms_now": done.atoms,
        "duplicates_now": done.duplicates,
        "intents_now": done.intents,
        "messages_left": done.left,
        "stopped": done.stopped or "no",
        "refused": small_table(
            [{"rule": rule, "candidates": count} for rule, count in sorted(done.refused.items())],
            ["rule", "candidates"],
        ),
        **usage_shown(usage),
    }
    own = {
        "atoms": {
            "newest": small_table(shown.newest[:_SHOWN], ["atom", "type", "session", "day"]),
            "picture": bar_chart(shown.types, f"atoms of {campaign} by type"),
            **now,
        },
        "intents": {"picture": bar_chart(shown.intent_days, f"intents of {campaign} by day")},
        "checkpoints": {
            "checkpoints": small_table(shown.checkpoints, CHECKPOINT_COLUMNS),
            "picture": line_chart(shown.signal, f"signal to noise of {campaign} over checkpoints"),
        },
    }
    rows = {"atoms": shown.atoms, "intents": shown.intents, "checkpoints": len(shown.checkpoints)}
    for name, metadata in own.items():
        yield dg.MaterializeResult(
            asset_key=["atoms", name],
            data_version=dg.DataVersion(shown.content),
            metadata={
                "dagster/row_count": rows[name],
                "dagster/uri": address(f"derived/{name}/campaign={campaign}"),
                **metadata,
            },
        )
