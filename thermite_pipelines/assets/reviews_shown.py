"""What the UI shows of a review and of hypothesize: counts, versions and pictures; never a text.

Loaded by the steps that show it alone.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import dagster as dg

from thermite_pipelines.assets.metadata import bar_chart, picture, small_table
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.resources.llm import usage_shown
from thermite_pipelines.synthesis.lane_runs import LaneDone, LaneRun
from thermite_pipelines.synthesis.synthesis_tables import SynthesisNumbers
from thermite_pipelines.synthesis.totals import ItemNumbers, item_numbers

if TYPE_CHECKING:
    from thermite_pipelines.llm.questions import Usage

_STEPS = {
    "pruned_facts": lambda one: one.step == "prune",
    "distilled": lambda one: one.step == "discover" or (one.step == "distill" and one.depth == 0),
    "raptor": lambda one: one.step == "distill" and one.depth > 0,
    "methodologies": lambda one: one.step == "reflect",
    "hypotheses": lambda one: one.step in ("hypothesize", "discover"),
}
_TABLES = {"pruned_facts": "facts", "distilled": "syntheses", "raptor": "syntheses"}
_ITEM_COLUMNS = ["step", "depth", "items", "answered", "given_up", "failing"]


def shown(
    home: Home,
    campaign: str,
    name: str,
    numbers: SynthesisNumbers,
    run: LaneRun,
    done: LaneDone,
    usage: "Usage | None",
    page: str,
) -> dg.MaterializeResult:
    """The result of one asset. Its data version is a hash of its table."""
    table = _TABLES.get(name, name)
    with home.control.read() as connection:
        items = [one for one in item_numbers(connection, run.session.session) if _STEPS[name](one)]
    return dg.MaterializeResult(
        asset_key=["synthesis", name],
        data_version=dg.DataVersion(numbers.contents[table]),
        metadata={
            "dagster/uri": home.lake.address(f"derived/{table}/campaign={campaign}"),
            **_own(home, campaign, name, numbers, done),
            "page": dg.MetadataValue.path(str(home.settings.home / page)),
            "items": small_table(map(_row, items), _ITEM_COLUMNS),
            "session": run.session.session,
            "effort": run.session.effort,
            "items_answered_now": done.drained.answered,
            "items_failed_now": len(done.drained.failures),
            "parts_left_out_now": len(done.drained.warnings),
            "stopped": "the budget is spent" if run.is_budget_spent else "no",
            "session_completed": run.is_done,
            "decisions_that_no_longer_apply": numbers.stale,
            **usage_shown(usage),
        },
    )


def _row(one: ItemNumbers) -> dict[str, Any]:
    return {column: getattr(one, column) for column in _ITEM_COLUMNS}


def _own(home: Home, campaign: str, name: str, numbers: SynthesisNumbers, done: LaneDone) -> dict[str, Any]:
    if name == "pruned_facts":
        return _pruned(campaign, numbers, done)
    if name in ("distilled", "raptor"):
        return _syntheses(home, campaign, numbers, done, is_deep=name == "raptor")
    if name == "methodologies":
        return {
            "dagster/row_count": numbers.methodologies + numbers.methodologies_retracted,
            "retracted": numbers.methodologies_retracted,
            "proposed_now": done.totals.methodologies,
            "reinforced_now": done.totals.reinforced,
        }
    states = numbers.hypotheses
    return {
        "dagster/row_count": sum(states.values()),
        "hypotheses": small_table(
            [{"state": state, "count": count} for state, count in states.items()], ["state", "count"]
        ),
        "picture": bar_chart(states, f"hypotheses of {campaign} by what became of them"),
        "walked_now": done.walked,
        "skipped_now": done.skipped,
        "hypotheses_now": done.totals.hypotheses,
        "methodologies_now": done.totals.methodologies,
    }


def _pruned(campaign: str, numbers: SynthesisNumbers, done: LaneDone) -> dict[str, Any]:
    live, gone = numbers.facts, numbers.facts_retracted
    types = [
        {"type": name, "live": live.get(name, 0), "retracted": gone.get(name, 0)} for name in sorted({*live, *gone})
    ]
    return {
        "dagster/row_count": sum(live.values()) + sum(gone.values()),
        "live": sum(live.values()),
        "retracted_or_merged": sum(gone.values()),
        "facts": small_table(types, ["type", "live", "retracted"]),
        "picture": bar_chart(live, f"facts of {campaign} that hold, by type"),
        "retracted_now": done.totals.pruned,
        "merged_now": done.totals.merged,
        "near_duplicates_now": done.totals.near_duplicates,
        "updated_now": done.totals.updated,
    }


def _syntheses(
    home: Home, campaign: str, numbers: SynthesisNumbers, done: LaneDone, *, is_deep: bool
) -> dict[str, Any]:
    depths = sorted(depth for depth in {*numbers.syntheses, *numbers.syntheses_retracted} if (depth > 0) == is_deep)
    rows = [
        {
            "depth": depth,
            "live": numbers.syntheses.get(depth, 0),
            "retracted": numbers.syntheses_retracted.get(depth, 0),
            "written_now": done.totals.synthesized.get(depth, 0),
        }
        for depth in depths
    ]
    found: dict[str, Any] = {
        "dagster/row_count": sum(row["live"] + row["retracted"] for row in rows),
        "syntheses": small_table(rows, ["depth", "live", "retracted", "written_now"]),
        "synthesized_now": sum(count for depth, count in done.totals.synthesized.items() if (depth > 0) == is_deep),
    }
    return found | (_tree(home, campaign) if is_deep else {"discovered_now": done.totals.discovered})


def _tree(home: Home, campaign: str) -> dict[str, Any]:
    """The tree as a picture, and where its page lies."""
    from thermite_pipelines.synthesis.tree import Forest
    from thermite_pipelines.synthesis.tree_picture import IN_PLACE_BYTES, tree_svg

    forest = Forest(_rows(home, campaign, "syntheses"), _rows(home, campaign, "facts"))
    return {"picture": picture(tree_svg(forest, IN_PLACE_BYTES), f"tree of {campaign}")}


def _rows(home: Home, campaign: str, table: str) -> Iterable[dict[str, Any]]:
    from thermite_pipelines.knowledge.derived import DerivedReader

    columns = ["fact", "item", "atom", "refs", "depth", "evidence_weight", "retracted_by", "superseded_by"]
    return DerivedReader(home).rows(campaign, table, columns)
