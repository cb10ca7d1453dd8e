"""Standing checks: each looks at all partitions, names samples by id, and never shows a text.

A check without a partition would hide all partitions but the last if it looked at one; so none does. They run by
schedule and by hand, and those of group help after people's decisions too.
"""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from thermite_pipelines.assets import synthesis_checks
from thermite_pipelines.assets.standing import Findings, standing_check
from thermite_pipelines.assets.targets import PLACED_EVENTS
from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.intake.overview import forks, old_gaps, rejected_shares, skewed_clocks
from thermite_pipelines.knowledge import inspection
from thermite_pipelines.knowledge.catalog import catalog
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.state import unplaced_runs
from thermite_pipelines.times import format_rfc3339, now_micros

REJECTED_SHARE = 0.05
UNVERIFIED_SHARE = 0.2


@standing_check(["intake", "raw_reports"], dg.AssetCheckSeverity.ERROR)
def no_forks(home: Home) -> Findings:
    """No rig signed two payloads for one place of its chain."""
    with home.control.read() as connection:
        return [
            {"rig": row.rig, "ledger": row.ledger, "seq": row.seq, "receipt": row.receipt} for row in forks(connection)
        ]


@standing_check(["intake", "raw_reports"], dg.AssetCheckSeverity.WARN)
def no_old_gaps(home: Home) -> Findings:
    """No report waits for a missing one for more than a day."""
    with home.control.read() as connection:
        return [
            {
                "rig": row.rig,
                "ledger": row.ledger,
                "first_waiting": row.first_waiting,
                "waiting": row.waiting,
                "since": format_rfc3339(row.since),
            }
            for row in old_gaps(connection, now_micros())
        ]


@standing_check(["intake", "raw_reports"], dg.AssetCheckSeverity.WARN)
def clocks_agree(home: Home) -> Findings:
    """No rig's clock runs more than five minutes ahead of control's."""
    with home.control.read() as connection:
        return skewed_clocks(connection)


@standing_check(["intake", "rejected_events"], dg.AssetCheckSeverity.WARN, threshold=REJECTED_SHARE)
def few_rejected(home: Home) -> Findings:
    """At most one in twenty events of a rig is rejected."""
    with home.control.read() as connection:
        return [row for row in rejected_shares(connection) if row["share"] > REJECTED_SHARE]


@standing_check(list(PLACED_EVENTS.path), dg.AssetCheckSeverity.WARN)
def all_runs_placed(home: Home) -> Findings:
    """Every run belongs in a campaign's folder."""
    with home.control.read() as connection:
        return [
            {"rig": run.rig, "ledger": run.ledger, "run": run.run, "why": run.why} for run in unplaced_runs(connection)
        ]


@standing_check(["knowledge", "campaign_folder"], dg.AssetCheckSeverity.WARN, threshold=UNVERIFIED_SHARE)
def quotes_verified(home: Home) -> Findings:
    """At most one in five quotes of a campaign does not stand in its source."""
    return [row for row in inspection.unverified_quotes(home) if row["share"] > UNVERIFIED_SHARE]


@standing_check(["knowledge", "campaign_folder"], dg.AssetCheckSeverity.ERROR)
def folder_equals_events(home: Home) -> Findings:
    """Each folder that is not behind holds what its runs' verified events give, no item more or less."""
    return inspection.folders_unlike_events(home)


@standing_check(["knowledge", "campaign_folder"], dg.AssetCheckSeverity.ERROR)
def files_as_written(home: Home) -> Findings:
    """Every file of the folders is what the pipeline wrote, and every item names rig, run, writer and time."""
    return [*inspection.changed_files(home), *inspection.incomplete_items(home)]


@standing_check(["knowledge", "campaign_folder"], dg.AssetCheckSeverity.WARN)
def notes_follow_their_round(home: Home) -> Findings:
    """No note is about a round that had not ended when it was written."""
    return inspection.notes_before_round_end(home)


@standing_check(["knowledge", "campaign_folder"], dg.AssetCheckSeverity.WARN)
def briefing_as_assigned(home: Home) -> Findings:
    """Each run was created with the briefing that its signed command gave."""
    return inspection.other_briefings(home)


@standing_check(["knowledge", "folder_catalog"], dg.AssetCheckSeverity.ERROR)
def no_campaign_behind(home: Home) -> Findings:
    """No campaign's folder is behind for longer than THERMITE_LAG_WARN_SECONDS."""
    return [
        {"campaign": row["campaign"], "events_behind": row["behind"], "lag_seconds": row["lag_seconds"]}
        for row in catalog(home.control)
        if row["behind"] and row["lag_seconds"] > home.settings.lag_warn_seconds
    ]


@standing_check(["knowledge", "knowledge_index"], dg.AssetCheckSeverity.ERROR)
def index_matches_folders(home: Home) -> Findings:
    """Every file of the search index is what was written, and it holds each text of the folders once and no other."""
    # Loaded here: every run and every sensor loads this module.
    from thermite_pipelines.knowledge.index.numbers import damaged_indexes, indexes_unlike_folders

    broken = [
        {"campaign": row["campaign"], "file": row["file"], "wrong": row["wrong"]}
        for row in damaged_indexes(home, thorough=True)
    ]
    unlike = [
        {
            "campaign": row["campaign"],
            "file": row["file"],
            "wrong": f"{row['missing']} texts missing, {row['foreign']} too many",
        }
        for row in indexes_unlike_folders(home)
    ]
    return [*broken, *unlike]


@standing_check(["sync", "knowledge_sync"], dg.AssetCheckSeverity.ERROR)
def sync_as_written(home: Home) -> Findings:
    """Every file of each running run's `knowledge/` is what its manifest says."""
    return inspection.changed_sync_files(home)


@standing_check(["sync", "run_briefs"], dg.AssetCheckSeverity.ERROR)
def briefs_as_written(home: Home) -> Findings:
    """Every file of each running run's `briefs/` is as it was written, and no others lie there."""
    return inspection.changed_briefs(home)


def _decisions(home: Home) -> Mapping[str, Any]:
    """People's newest decisions: a result that rests on others is shown no longer than need be."""
    from thermite_pipelines.learnings.overview import newest_decisions

    return newest_decisions(home, now_micros())


@standing_check(["help", "help_requests"], dg.AssetCheckSeverity.ERROR, _decisions)
def fatal_requests_answered(home: Home) -> Findings:
    """No request that stopped an agent's work is open for longer than THERMITE_FATAL_HELP_WARN_SECONDS."""
    from thermite_pipelines.learnings.overview import waiting_fatal

    return waiting_fatal(home, now_micros())


@standing_check(["help", "learnings"], dg.AssetCheckSeverity.WARN, _decisions)
def learnings_are_kept(home: Home) -> Findings:
    """People drop less than half of an agent's learnings that they decide about, or fewer than three."""
    from thermite_pipelines.learnings.overview import mostly_dropped

    return mostly_dropped(home)


@standing_check(["atoms", "session_transcripts"], dg.AssetCheckSeverity.WARN)
def sessions_read_and_asked(home: Home) -> Findings:
    """Every transcript folder can be read, and every session was read whole and asked about."""
    from thermite_pipelines.atoms.overview import folder_findings

    return [
        *({"campaign": name, **row} for name in _campaigns(home) for row in _atoms().session_findings(home, name)),
        *folder_findings(home),
    ]


@standing_check(["atoms", "atoms"], dg.AssetCheckSeverity.ERROR)
def quotes_are_their_words(home: Home) -> Findings:
    """Every quote of an extracted atom stands in the cited message, character for character."""
    return [{"campaign": name, **row} for name in _campaigns(home) for row in _atoms().quote_findings(home, name)]


@standing_check(["atoms", "atoms"], dg.AssetCheckSeverity.ERROR)
def days_are_their_sessions(home: Home) -> Findings:
    """Every atom has a day, and it is the day of its session."""
    return [{"campaign": name, **row} for name in _campaigns(home) for row in _atoms().day_findings(home, name)]


@standing_check(["atoms", "atoms"], dg.AssetCheckSeverity.ERROR)
def stores_in_step(home: Home) -> Findings:
    """The table of atoms and the flat log beside it hold the same atoms."""
    return [{"campaign": name, **row} for name in _campaigns(home) for row in _atoms().step_findings(home, name)]


@standing_check(["atoms", "atoms"], dg.AssetCheckSeverity.WARN)
def weights_were_calibrated(home: Home) -> Findings:
    """Weights other than the documented ones were calibrated with known corrections since they were changed."""
    from thermite_pipelines.atoms.calibration import weights_calibrated

    return weights_calibrated(home)


@standing_check(
    ["atoms", "checkpoints"],
    dg.AssetCheckSeverity.WARN,
)
def checkpoints_are_steady(home: Home) -> Findings:
    """The newest ten sessions gave as much signal, and as few duplicates, as those before them."""
    return [{"campaign": name, **row} for name in _campaigns(home) for row in _atoms().decay_findings(home, name)]


def _atoms() -> Any:
    """What looks at atoms: not loaded with the definitions, which every run and every sensor loads."""
    from thermite_pipelines.atoms import inspection

    return inspection


def _campaigns(home: Home) -> list[str]:
    with home.control.read() as connection:
        return campaign_names(connection)


CHEAP = [
    no_forks,
    no_old_gaps,
    clocks_agree,
    few_rejected,
    all_runs_placed,
    no_campaign_behind,
    fatal_requests_answered,
    *synthesis_checks.CHEAP,
]
THOROUGH = [
    quotes_verified,
    folder_equals_events,
    files_as_written,
    notes_follow_their_round,
    briefing_as_assigned,
    index_matches_folders,
    sync_as_written,
    briefs_as_written,
    learnings_are_kept,
    sessions_read_and_asked,
    quotes_are_their_words,
    days_are_their_sessions,
    stores_in_step,
    weights_were_calibrated,
    checkpoints_are_steady,
    *synthesis_checks.THOROUGH,
]
CHECKS = [*CHEAP, *THOROUGH]
HELP = [fatal_requests_answered, learnings_are_kept]
