"""Starting Dagster runs from the command line, in this process, so that they stand in the UI like all others."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg

from thermite_pipelines.assets.intake import add_partitions
from thermite_pipelines.assets.partitions import REBUILD_TAG
from thermite_pipelines.assets.targets import report_targets
from thermite_pipelines.cli.dagster_home import dagster_instance
from thermite_pipelines.cli.serving import serve
from thermite_pipelines.control.campaigns import campaign_names, require_campaign
from thermite_pipelines.control.leases import holders
from thermite_pipelines.control.rigs import require_rig, rig_names
from thermite_pipelines.definitions import build_defs
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import inbox
from thermite_pipelines.intake.events import events_agree
from thermite_pipelines.intake.pending import pending_rigs, pending_unknown
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.exports import Exported, newest_export
from thermite_pipelines.knowledge.home import Home, open_home
from thermite_pipelines.knowledge.state import campaign_lags
from thermite_pipelines.knowledge.sync import Syncer
from thermite_pipelines.sensors.runs import end_dead_runs, failing

# How long a command waits for another process that works on the same rig or campaign.
BUSY_SECONDS = 600.0
_POLL_SECONDS = 0.2
_ROUNDS = 5

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RunResult:
    """One Dagster run that a command started."""

    job: str
    partition: str | None
    dagster_run: str
    status: str
    seconds: float


class Runner:
    """Runs jobs one after another in this process, on the home's Dagster instance."""

    def __init__(self, home: Home, progress: Progress | None = None) -> None:
        self._home = home
        self._progress = progress
        self._instance: dg.DagsterInstance | None = None
        self._repository = build_defs().get_repository_def()
        self.results: list[RunResult] = []
        self.left = 0  # runs known to be due, for the progress shown

    @contextmanager
    def opened(self) -> Iterator["Runner"]:
        """Open the instance; first end dead runs and make the partitions that are missing."""
        with dagster_instance(self._home) as instance:
            self._instance = instance
            end_dead_runs(self._home, instance, time.time())
            with self._home.control.read() as connection:
                rigs, campaigns = rig_names(connection), campaign_names(connection)
            add_partitions(instance, rigs, campaigns)
            yield self

    @property
    def instance(self) -> dg.DagsterInstance:
        """The opened Dagster instance."""
        assert self._instance is not None
        return self._instance

    def run(self, job: str, partition: str | None = None, *, scopes: tuple[str, ...] = (), **tags: str) -> RunResult:
        """Run a job once nobody else works on the scopes. A failed run is a result, not an error."""
        self._wait_for(scopes)
        begun = time.perf_counter()
        result = self._repository.get_job(job).execute_in_process(
            instance=self.instance,
            partition_key=partition,
            raise_on_error=False,
            tags=tags,
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
        status = "SUCCESS" if result.success else "FAILURE"
        done = RunResult(job, partition, result.run_id, status, round(time.perf_counter() - begun, 3))
        self.results.append(done)
        self.left = max(0, self.left - 1)
        if self._progress is not None:
            self._progress(len(self.results), len(self.results) + self.left)
        return done

    def _wait_for(self, scopes: tuple[str, ...]) -> None:
        deadline = time.monotonic() + BUSY_SECONDS
        while scopes and time.monotonic() < deadline:
            with self._home.control.read() as connection:
                held = holders(connection)
            if not any(scope in held for scope in scopes):
                return
            time.sleep(_POLL_SECONDS)


def refresh(
    home: Home, rigs: list[str], campaigns: list[str], with_llm: bool = True, progress: Progress | None = None
) -> list[RunResult]:
    """Do all that is behind, of the named rigs and campaigns or of all: intake, folders, syncs.

    `with_llm` is for the model-backed groups, which this version does not have. Raises `ThermiteError` for a rig or
    campaign that control does not know.
    """
    del with_llm
    with home.control.read() as connection:
        for rig in rigs:
            require_rig(connection, rig)
        for campaign in campaigns:
            require_campaign(connection, campaign)
    _wait_for_young_files(home)
    with Runner(home, progress).opened() as runner:
        if rigs or not campaigns:
            _take_reports(home, runner, rigs)
        if campaigns or not rigs:
            _refresh_campaigns(home, runner, campaigns)
        else:
            _refresh_campaigns(home, runner, _campaigns_of(home, rigs))
    return runner.results


def _take_reports(home: Home, runner: Runner, rigs: list[str]) -> None:
    settings = home.settings
    failed: set[str] = set()
    for _ in range(_ROUNDS):
        with home.control.read() as connection:
            pending = pending_rigs(connection, settings.inbox, settings.settle_seconds)
            unknown = None if rigs else pending_unknown(connection, settings.inbox, settings.settle_seconds)
        due = [rig for rig in pending if (not rigs or rig in rigs) and rig not in failed]
        runner.left = len(due)
        for rig in due:
            if runner.run("take_reports", rig, scopes=(f"rig:{rig}",)).status != "SUCCESS":
                failed.add(rig)
        if unknown is not None:
            runner.run("take_unknown_reports", scopes=("rig:_unknown",))
        if not due:
            break
    report_targets(home.control, runner.instance)


def _campaigns_of(home: Home, rigs: list[str]) -> list[str]:
    with home.control.read() as connection:
        lags = campaign_lags(connection)
    return [name for name, lag in lags.items() if any(run.rig in rigs for run in lag.runs)] or [""]


def _refresh_campaigns(home: Home, runner: Runner, campaigns: list[str]) -> None:
    """Refresh folders that are behind or damaged, then the syncs that are; others may be at it too, so look again."""
    failed: set[str] = set()
    for _ in range(_ROUNDS):
        with home.control.read() as connection:
            names = [name for name in campaign_names(connection) if not campaigns or name in campaigns]
        for name in names:
            FolderWriter(home.control, home.lake, name).repair()
        report_targets(home.control, runner.instance)
        with home.control.read() as connection:
            lags = campaign_lags(connection)
        due = [name for name in names if lags[name].is_behind and name not in failed]
        runner.left = len(due)
        for name in due:
            if runner.run("refresh_campaign", name, scopes=(f"campaign:{name}",)).status != "SUCCESS":
                failed.add(name)
        behind = [name for name in Syncer(home).behind() if (not campaigns or name in names) and name not in failed]
        for name in behind:
            if runner.run("sync_campaign", name, scopes=(f"sync:{name}",)).status != "SUCCESS":
                failed.add(name)
        if not due and not behind:
            return


def rebuild(home: Home, campaigns: list[str] | None, progress: Progress | None = None) -> list[RunResult]:
    """Rebuild folders from verified events, checked against the kept reports; with None, events of all rigs too."""
    with home.control.read() as connection:
        for campaign in campaigns or []:
            require_campaign(connection, campaign)
        lags = campaign_lags(connection)
        rigs = rig_names(connection)
    names = list(lags) if campaigns is None else campaigns
    if campaigns is not None:
        placed = {run.rig for name in names for run in lags[name].runs}
        rigs = [rig for rig in rigs if rig in placed and not events_agree(home.control, home.lake, rig)]
    tags = {REBUILD_TAG: "true"}
    with Runner(home, progress).opened() as runner:
        runner.left = len(rigs) + len(names)
        for rig in rigs:
            runner.run("take_reports", rig, scopes=(f"rig:{rig}",), **tags)
        for name in names:
            runner.run("refresh_campaign", name, scopes=(f"campaign:{name}",), **tags)
    return runner.results


def run_job(home: Home, job: str, partition: str | None, *scopes: str) -> RunResult:
    """Run one job; raises `ThermiteError` with the reason where it fails."""
    with home.control.read() as connection:
        if partition is not None and job == "export_rig":
            require_rig(connection, partition)
    with Runner(home).opened() as runner:
        result = runner.run(job, partition, scopes=scopes)
        if result.status != "SUCCESS":
            raise ThermiteError(_failure(runner.instance, result.dagster_run), where=f"{job} {partition or ''}".strip())
    return result


def export(home: Home, rig: str) -> Exported:
    """Write a rig's next export through Dagster, and commit it where a results repository is set.

    Raises `ThermiteError` with the reason where it fails; an export that could not be committed stays.
    """
    run_job(home, "export_rig", rig, f"rig:{rig}")
    return newest_export(home, rig)


def up(path: Path, host: str, port: int) -> int:
    """Run the UI and the daemon of a home until they end or a signal comes; return the exit code."""
    return serve(open_home(home=path), host, port)


def _failure(instance: dg.DagsterInstance, run_id: str) -> str:
    """The first failure's own line."""
    for record in instance.all_logs(run_id):
        event = record.dagster_event
        if event is not None and event.is_step_failure:
            data: Any = event.event_specific_data
            if data.user_failure_data is not None and data.user_failure_data.description:
                return str(data.user_failure_data.description)
            if data.error is not None:
                return str(data.error.message).strip().splitlines()[0]
    return f"the Dagster run {run_id} failed"


def failed_attempts(home: Home) -> list[dict[str, Any]]:
    """Rigs and campaigns whose last five runs or more all failed: a person must look."""
    with home.control.read() as connection:
        rigs, campaigns = rig_names(connection), campaign_names(connection)
    with dagster_instance(home) as instance:
        return [*failing(instance, "take_reports", rigs), *failing(instance, "refresh_campaign", campaigns)]


def _wait_for_young_files(home: Home) -> None:
    """Wait, at most the settle time, until no report in an inbox is too young to be taken."""
    settings = home.settings
    deadline = time.monotonic() + settings.settle_seconds
    while time.monotonic() < deadline and _has_young(settings.inbox, settings.settle_seconds):
        time.sleep(min(_POLL_SECONDS, settings.settle_seconds))


def _has_young(folder: Path, settle_seconds: float) -> bool:
    for name in inbox.inbox_folders(folder):
        with inbox.open_folder(folder / name) as descriptor:
            if descriptor is not None and inbox.has_young(descriptor, settle_seconds):
                return True
    return False
