"""Group synthesis, the part that asks: what a review makes of a campaign's facts, and what hypothesize does.

A review is one step: its lanes (prune, distill, RAPTOR, reflect) are drained one after the other from one queue, so
that an item without an answer holds up no other one. Any of its assets can be materialized alone: what comes before it
is drained first. Hypothesize is a step of its own that nothing here starts.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import dagster as dg

from thermite_pipelines.assets.intake import OWNERS
from thermite_pipelines.assets.metadata import column_schema
from thermite_pipelines.assets.partitions import campaigns
from thermite_pipelines.assets.synthesis import BASE_FACTS_KEY
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.resources.llm import LanguageModelResource
from thermite_pipelines.resources.progress import told
from thermite_pipelines.resources.rebuilds import wants_rebuild
from thermite_pipelines.tables.derived import FACTS, HYPOTHESES, METHODOLOGIES, SYNTHESES

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.home import Home
    from thermite_pipelines.llm.questions import Usage
    from thermite_pipelines.synthesis.lane_runs import LaneDone, LaneRun
    from thermite_pipelines.synthesis.work import Lane, Tool

# What answers items, the engine and the client of models are imported by the steps that need them: every run and every
# sensor loads this module.

LANES: "dict[str, Lane | None]" = {
    "pruned_facts": "prune",
    "distilled": "distill",
    "raptor": "raptor",
    "methodologies": None,
}
"""The assets of a review in the order in which their lanes are drained; the last one takes what is left."""
PRUNED_FACTS, DISTILLED, RAPTOR, METHODOLOGIES_KEY, HYPOTHESES_KEY = (
    dg.AssetKey(["synthesis", name]) for name in (*LANES, "hypotheses")
)
_NAMED = 5


class SynthesisConfig(dg.Config):
    """`effort`: normal, medium or high; by default what the settings say. Higher effort also looks for what nobody
    wrote down.
    """

    effort: str | None = None


def _spec(key: dg.AssetKey, description: str, deps: Sequence[dg.AssetKey], table: Any) -> dg.AssetSpec:
    return dg.AssetSpec(
        key,
        description=description,
        deps=deps,
        group_name="synthesis",
        owners=OWNERS,
        kinds={"parquet"},
        code_version="1",
        partitions_def=campaigns,
        skippable=True,
        metadata={"dagster/column_schema": column_schema(table)},
    )


@dg.multi_asset(
    name="review_facts",
    specs=[
        _spec(
            PRUNED_FACTS,
            "A campaign's facts after decisions: near-duplicates merged, what does not hold retracted.",
            [BASE_FACTS_KEY],
            FACTS,
        ),
        _spec(
            DISTILLED,
            "Syntheses of related facts, each citing those it rests on (depth 0).",
            [PRUNED_FACTS],
            SYNTHESES,
        ),
        _spec(RAPTOR, "Syntheses of syntheses, up to three levels higher.", [DISTILLED], SYNTHESES),
        _spec(
            METHODOLOGIES_KEY,
            "Ways of reasoning that held, from hypotheses that got an outcome since the last review.",
            [PRUNED_FACTS],
            METHODOLOGIES,
        ),
    ],
    can_subset=True,
)
def reviews(
    context: dg.AssetExecutionContext,
    config: SynthesisConfig,
    home: HomeResource,
    language_model: LanguageModelResource,
) -> Iterator[dg.MaterializeResult]:
    """Review a campaign's facts: go on with its session, or open one on what is new, and answer item by item.

    A killed one is taken up by the next. A backfill makes the tables anew from facts and decisions, and asks nobody
    twice. Leaves a session alone that somebody answers over MCP or HTTP.
    """
    names = list(LANES)
    selected = [name for name in names if dg.AssetKey(["synthesis", name]) in context.selected_asset_keys]
    wanted = names[: names.index(selected[-1]) + 1]
    lanes: dict[str, Lane | None] = {name: LANES[name] for name in wanted}
    yield from _made(context, config, home, language_model, "review", lanes, selected)


@dg.asset(
    key=HYPOTHESES_KEY,
    deps=[DISTILLED, RAPTOR],
    partitions_def=campaigns,
    group_name="synthesis",
    owners=OWNERS,
    kinds={"parquet"},
    code_version="1",
    output_required=False,
    metadata={"dagster/column_schema": column_schema(HYPOTHESES)},
)
def hypotheses(
    context: dg.AssetExecutionContext,
    config: SynthesisConfig,
    home: HomeResource,
    language_model: LanguageModelResource,
) -> Iterator[dg.MaterializeResult]:
    """Guesses that can be proved false, from syntheses that no such walk has seen yet. Most syntheses give none.

    Nothing starts it but a person. Leaves a session alone that somebody answers over MCP or HTTP.
    """
    lanes: dict[str, Lane | None] = {"hypotheses": None}
    yield from _made(context, config, home, language_model, "hypothesize", lanes, ["hypotheses"])


class _Done:
    """What the lanes of a run came to, by asset, and who was asked."""

    def __init__(self, run: "LaneRun") -> None:
        self.run = run
        self.lanes: dict[str, LaneDone] = {}
        self.usage: dict[str, Usage | None] = {}
        self.page = ""


def _made(
    context: dg.AssetExecutionContext,
    config: SynthesisConfig,
    home: HomeResource,
    language_model: LanguageModelResource,
    tool: "Tool",
    lanes: "dict[str, Lane | None]",
    selected: Sequence[str],
) -> Iterator[dg.MaterializeResult]:
    """What is shown of the selected assets; nothing where the campaign is left to somebody else.

    Raises `dg.Failure` at the end where an item has no answer yet.
    """
    with explained(home.opened, context.run.run_id):
        done = _drained(context, config, home, language_model, tool, lanes)
        found = [] if done is None else _results(home.opened, context.partition_key, done, selected)
    yield from found
    if done is not None and done.run.failures:
        raise dg.Failure(_failed(done.run), allow_retries=False)


def _drained(
    context: dg.AssetExecutionContext,
    config: SynthesisConfig,
    resource: HomeResource,
    language_model: LanguageModelResource,
    tool: "Tool",
    lanes: "dict[str, Lane | None]",
) -> _Done | None:
    """Drain lanes and bring the tables up to date; None where the campaign is left to somebody else."""
    from thermite_pipelines.synthesis.lane_runs import LaneRun
    from thermite_pipelines.synthesis.outputs import refresh_outputs
    from thermite_pipelines.synthesis.review_stops import note_stop
    from thermite_pipelines.synthesis.work import SessionTaken

    campaign, home = context.partition_key, resource.opened
    if not resource.take(context, f"synthesis:{campaign}"):
        return None
    effort: Any = config.effort
    try:
        run = LaneRun(home, campaign, tool, effort=effort, progress=told(context, "items"))
    except SessionTaken as taken:
        context.log.info(f"leaves the campaign alone: {taken.what}")
        return None
    done = _Done(run)
    for name, lane in lanes.items():
        with language_model.asking(context, home, campaign, f"synthesis/{name}") as model:
            done.lanes[name] = run.drain(lane, run.synthesis.answerer(model))
            done.usage[name] = None if model is None else model.usage
    if tool == "review":
        note_stop(home, campaign, run.is_budget_spent)
    done.page = refresh_outputs(home, campaign, anew=wants_rebuild(context))
    return done


def _results(home: "Home", campaign: str, done: _Done, selected: Sequence[str]) -> list[dg.MaterializeResult]:
    from thermite_pipelines.assets.reviews_shown import shown
    from thermite_pipelines.synthesis.synthesis_tables import synthesis_numbers

    numbers = synthesis_numbers(home, campaign)
    return [
        shown(home, campaign, name, numbers, done.run, done.lanes[name], done.usage[name], done.page)
        for name in selected
    ]


def _failed(run: "LaneRun") -> str:
    """What is left and why, in one line. What the gate refused may quote facts, so of that there is no reason here."""
    keys = sorted({failure.key for failure in run.failures})
    named = ", ".join(keys[:_NAMED]) + (f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else "")
    reasons = [*run.reasons[:3], *([] if run.reasons else ["their answers were refused"])]
    number, given_up = len(run.failures), sum(failure.is_given_up for failure in run.failures)
    what = "1 item has" if number == 1 else f"{number} items have"
    more = f", {given_up} of them given up" if given_up else ""
    return f"{what} no answer that counts{more}: {named} ({'; '.join(reasons)}); what was answered is kept"
