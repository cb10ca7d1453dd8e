"""Reviews and walks for hypotheses that a command starts: one Dagster run, like those of the sensor and of the UI."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from thermite_pipelines.cli.dagster_runs import Runner
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.resources.progress import listening
from thermite_pipelines.synthesis import decision_log
from thermite_pipelines.synthesis.totals import Totals, decided_after
from thermite_pipelines.synthesis.work import Tool

Progress = Callable[[int, int], None]
_JOBS: dict[Tool, str] = {"review": "review_campaign", "hypothesize": "hypothesize_campaign"}
_OPS: dict[Tool, str] = {"review": "review_facts", "hypothesize": "synthesis__hypotheses"}
_LAST: dict[Tool, str] = {"review": "methodologies", "hypothesize": "hypotheses"}
"""The asset that each tool ends with."""


@dataclass
class Asked:
    """What one run decided and what it took; `failure` is the reason why something has no answer."""

    campaign: str
    totals: Totals
    counts: Counter[str] = field(default_factory=Counter)
    usd: float | None = 0.0
    is_stopped: bool = False
    failure: str | None = None

    @property
    def _paid(self) -> dict[str, Any]:
        usd = None if self.usd is None else round(self.usd, 6)
        return {"calls": self.counts["calls"], "cached": self.counts["cache_hits"], "usd": usd}

    def review(self) -> dict[str, Any]:
        """As `review --json` prints it."""
        found = self.totals
        return {
            "campaign": self.campaign,
            "pruned": found.pruned,
            "merged": found.merged,
            "updated": found.updated,
            "synthesized": {str(depth): count for depth, count in found.synthesized.items()},
            "reinforced": found.reinforced,
            "methodologies": found.methodologies,
            **self._paid,
        }

    def hypothesize(self) -> dict[str, Any]:
        """As `hypothesize --json` prints it."""
        walked, skipped = self.counts["walked_now"], self.counts["skipped_now"]
        shown = {"campaign": self.campaign, "walked": walked, "skipped": skipped}
        return shown | {"hypotheses": self.totals.hypotheses, **self._paid}


def ask(home: Home, campaign: str, tool: Tool, *, effort: str | None, progress: Progress | None = None) -> Asked:
    """Run a tool over a campaign now, through Dagster, once nobody else works on its facts.

    Raises `ThermiteError` where the run came to nothing, with the reason.
    """
    with listening(progress), Runner(home).opened() as runner:
        with home.control.read() as connection:
            before = decision_log.newest(connection, campaign)
        ops = {_OPS[tool]: {"config": {"effort": effort}}}
        result = runner.run(_JOBS[tool], campaign, scope=f"synthesis:{campaign}", ops=ops)
        with home.control.read() as connection:
            done = Asked(campaign, decided_after(connection, campaign, before))
        shown = _shown(runner.instance, result.dagster_run)
    if _LAST[tool] not in shown:
        what = result.reason or "somebody else works on the campaign's facts"
        raise ThermiteError(what, where=campaign, do="put that right, or wait until he is done, and run this again")
    done.failure = result.reason
    for metadata in shown.values():
        _note(done, metadata)
    return done


def _shown(instance: dg.DagsterInstance, run: str) -> dict[str, dict[str, Any]]:
    """The metadata of what a run materialized, by asset; a run that failed may have done most of its work."""
    found = {}
    for record in instance.all_logs(run, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION):
        made = record.asset_materialization
        if made is not None and "session" in made.metadata:
            found[made.asset_key.path[-1]] = {name: value.value for name, value in made.metadata.items()}
    return found


def _note(done: Asked, metadata: dict[str, Any]) -> None:
    for name in ("calls", "cache_hits", "walked_now", "skipped_now", "parts_left_out_now"):
        done.counts[name] += int(metadata.get(name) or 0)
    usd = metadata.get("usd", 0.0)
    done.usd = None if done.usd is None or usd == "unknown" else done.usd + float(usd)
    done.is_stopped |= metadata["stopped"] != "no"
