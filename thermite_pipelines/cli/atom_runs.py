"""Extractions that a command starts: one Dagster run a campaign, like those of the sensor."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import dagster as dg

from thermite_pipelines.assets.targets import report_said
from thermite_pipelines.atoms.newest import campaigns_with, share_newest
from thermite_pipelines.cli.dagster_runs import Runner, RunResult
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.resources.progress import listening

Progress = Callable[[int, int], None]
_ATOMS = dg.AssetKey(["atoms", "atoms"])
_READ = "atoms__session_transcripts"
_EXTRACT = "extract_atoms_of_sessions"
_COUNTS = {
    "sessions": "sessions_now",
    "unchanged": "unchanged",
    "atoms": "atoms_now",
    "duplicates": "duplicates_now",
    "intents": "intents_now",
}


@dataclass
class Extracted:
    """What the runs of one command did, added up; `failure` is the first reason why something has no answer."""

    counts: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    failure: str | None = None

    def document(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {name: self.counts[name] for name in _COUNTS} | {"refused": dict(sorted(self.refused.items()))}


def extract(
    home: Home,
    campaigns: list[str],
    *,
    recent: int | None = None,
    session: str | None = None,
    force: bool = False,
    plain: bool = False,
    progress: Progress | None = None,
) -> Extracted:
    """Extract from the newest sessions of these campaigns together, or from one session.

    Raises `ThermiteError` for a session that no campaign has.
    """
    done = Extracted()
    with listening(progress), Runner(home).opened() as runner:
        report_said(home, runner.instance)
        asked: dict[str, int | None] = dict.fromkeys(campaigns, recent)
        if len(campaigns) > 1:
            for campaign in campaigns:
                _note(done, runner, runner.run("read_transcripts", campaign, scope=f"atoms:{campaign}"))
            if session is not None:
                asked = dict.fromkeys(campaigns_with(home, campaigns, session))
            else:
                asked = dict(share_newest(home, campaigns, recent or 0))
        for campaign, count in asked.items():
            ops = {
                _READ: {"config": {"plain": plain}},
                _EXTRACT: {"config": {"recent": count, "session": session, "force": force}},
            }
            result = runner.run("extract_atoms", campaign, scope=f"atoms:{campaign}", ops=ops)
            _note(done, runner, result)
    return done


def _note(done: Extracted, runner: Runner, result: RunResult) -> None:
    """Take in what a run materialized; a run that failed may have done most of its work."""
    if result.status != "SUCCESS" and done.failure is None:
        done.failure = result.reason
    for record in runner.instance.all_logs(result.dagster_run, of_type=dg.DagsterEventType.ASSET_MATERIALIZATION):
        materialized = record.asset_materialization
        if materialized is None or materialized.asset_key != _ATOMS:
            continue
        metadata: dict[str, Any] = {name: value.value for name, value in materialized.metadata.items()}
        for name, key in _COUNTS.items():
            done.counts[name] += int(metadata[key] or 0)
        if metadata["stopped"] != "no":
            done.warnings.append(f"{materialized.partition}: stopped, {metadata['stopped']}; what was answered is kept")
        table = materialized.metadata["refused"]
        if isinstance(table, dg.TableMetadataValue):
            rows: list[dict[str, Any]] = [dict(row.data) for row in table.records]
            done.refused.update({row["rule"]: row["candidates"] for row in rows})
