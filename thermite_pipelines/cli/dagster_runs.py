"""Starting Dagster runs from the command line, in this process, so that they stand in the UI like all others."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg

from thermite_pipelines.assets.help import help_behind
from thermite_pipelines.assets.intake import add_partitions
from thermite_pipelines.assets.targets import report_said, report_targets
from thermite_pipelines.atoms.newest import campaigns_with_words
from thermite_pipelines.cli.answered_runs import (
    extract_atoms,
    require_answerers,
    review_all,
    review_campaigns,
    with_facts,
)
from thermite_pipelines.cli.dagster_home import dagster_instance
from thermite_pipelines.control.campaigns import campaign_names, require_campaign
from thermite_pipelines.control.leases import LeaseTaken, holders, lease, process_mark, release
from thermite_pipelines.control.rigs import require_rig, rig_names
from thermite_pipelines.definitions import build_defs
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import inbox
from thermite_pipelines.intake.agreement import events_agree
from thermite_pipelines.intake.pending import pending_rigs, pending_unknown
from thermite_pipelines.knowledge.briefs import Briefer
from thermite_pipelines.knowledge.exports import Exported, newest_export
from thermite_pipelines.knowledge.folders import FolderWriter, remove_strangers
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.index_targets import index_scope, indexes_behind
from thermite_pipelines.knowledge.state import campaign_lags
from thermite_pipelines.knowledge.sync import Syncer
from thermite_pipelines.learnings.folding import channels_behind
from thermite_pipelines.resources.rebuilds import REBUILD_TAG
from thermite_pipelines.sensors.runs import PROCESS_TAG, end_dead_runs, failing

# How long a command waits for another process that works on the same rig or campaign.
BUSY_SECONDS = 600.0
_POLL_SECONDS = 0.2
_ROUNDS = 5
# What is pending is asked for again when others may have done it meanwhile; with very many rigs that is much to ask.
_LOOK_AGAIN_SECONDS = 2.0
_UNKNOWN = "_unknown"  # no rig can have this name

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RunResult:
    """One Dagster run that a command started."""

    job: str
    partition: str | None
    dagster_run: str
    status: str
    seconds: float
    reason: str | None = None  # of a failure, in one line


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
            report_targets(self._home.control, instance)
            yield self

    @property
    def instance(self) -> dg.DagsterInstance:
        """The opened Dagster instance."""
        assert self._instance is not None
        return self._instance

    def run(
        self,
        job: str,
        partition: str | None = None,
        *,
        scope: str = "",
        ops: Mapping[str, Any] | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> RunResult:
        """Run a job once nobody else works on the scope; `ops` is config. A failed run is a result, not an error."""
        self.wait_for(scope)
        begun = time.perf_counter()
        result = self._repository.get_job(job).execute_in_process(
            instance=self.instance,
            partition_key=partition,
            raise_on_error=False,
            tags=dict(tags or {}) | {PROCESS_TAG: process_mark()},
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}, "ops": dict(ops or {})},
        )
        release(self._home.control, f"run:{result.run_id}", result.run_id)
        seconds = round(time.perf_counter() - begun, 3)
        if result.success:
            done = RunResult(job, partition, result.run_id, "SUCCESS", seconds)
        else:
            done = RunResult(job, partition, result.run_id, "FAILURE", seconds, _failure(self.instance, result.run_id))
        self.results.append(done)
        self.left = max(0, self.left - 1)
        if self._progress is not None:
            self._progress(len(self.results), len(self.results) + self.left)
        return done

    def wait_for(self, scope: str) -> bool:
        """Wait until nobody holds a scope, at most ten minutes; return whether somebody did."""
        waited = False
        deadline = time.monotonic() + BUSY_SECONDS
        while scope and time.monotonic() < deadline:
            with self._home.control.read() as connection:
                if scope not in holders(connection):
                    break
            waited = True
            time.sleep(_POLL_SECONDS)
        return waited


def refresh(
    home: Home, rigs: list[str], campaigns: list[str], with_llm: bool = True, progress: Progress | None = None
) -> list[RunResult]:
    """Do all that is behind, of the named rigs and campaigns or of all: intake, folders, help, syncs and briefs.

    With `with_llm` also what asks the configured answerer, the built-in rules too: atoms and reviews, each campaign
    once; never hypotheses. Raises `ThermiteError` for a rig or campaign that control does not know.
    """
    with home.control.read() as connection:
        for rig in rigs:
            require_rig(connection, rig)
        for campaign in campaigns:
            require_campaign(connection, campaign)
    if with_llm:
        require_answerers(home)
    _wait_for_young_files(home)
    with Runner(home, progress).opened() as runner:
        if rigs or not campaigns:
            _take_reports(home, runner, set(rigs))
        chosen = set(campaigns)
        if rigs and not campaigns:
            chosen = _campaigns_of(home, rigs)
        if chosen or not rigs:
            failed = _refresh_campaigns(home, runner, chosen)
            if with_llm:
                spoke = extract_atoms(home, runner, chosen)
                if review_campaigns(home, runner, chosen) or spoke:
                    _sync_campaigns(home, runner, chosen, failed)
            _index_campaigns(home, runner, chosen, failed)
    return runner.results


def _take_reports(home: Home, runner: Runner, rigs: set[str]) -> None:
    """Take the reports of some rigs, or of all and of unknown ones; others may be at it too, so look again."""
    settings = home.settings

    def pending() -> dict[str, str]:
        with home.control.read() as connection:
            found = pending_rigs(connection, settings.inbox, settings.settle_seconds)
            unknown = None if rigs else pending_unknown(connection, settings.inbox, settings.settle_seconds)
        wanted = {rig: target for rig, target in found.items() if not rigs or rig in rigs}
        return wanted if unknown is None else wanted | {_UNKNOWN: unknown}

    def take(rig: str) -> RunResult:
        if rig == _UNKNOWN:
            return runner.run("take_unknown_reports")
        return runner.run("take_reports", rig)

    _until_done(runner, pending, take, lambda rig: f"rig:{rig}")
    report_targets(home.control, runner.instance)


def _campaigns_of(home: Home, rigs: list[str]) -> set[str]:
    with home.control.read() as connection:
        lags = campaign_lags(connection)
    return {name for name, lag in lags.items() if any(run.rig in rigs for run in lag.runs)}


def _refresh_campaigns(home: Home, runner: Runner, campaigns: set[str]) -> set[str]:
    """Refresh folders that are behind or damaged, then help, syncs and briefs that are; of some campaigns, or of all.

    Returns the campaigns whose refresh failed.
    """

    def chosen(targets: dict[str, str]) -> dict[str, str]:
        return {name: target for name, target in targets.items() if not campaigns or name in campaigns}

    def behind() -> dict[str, str]:
        with home.control.read() as connection:
            lags = campaign_lags(connection)
        return chosen({name: lag.target for name, lag in lags.items() if lag.is_behind})

    def late_help() -> dict[str, str]:
        # One of them is enough: each refresh folds the help requests and learnings of all campaigns.
        return dict(sorted(chosen(channels_behind(home)).items())[:1])

    with home.control.read() as connection:
        names = [name for name in campaign_names(connection) if not campaigns or name in campaigns]
    for name in names:
        _repair(home, name)
    if not campaigns:
        remove_strangers(home.control, home.lake)
    report_targets(home.control, runner.instance)
    failed: set[str] = set()
    for pending in (behind, late_help):
        failed = _until_done(
            runner, pending, lambda name: runner.run("refresh_campaign", name), lambda name: f"campaign:{name}", failed
        )
    if not campaigns:
        _refresh_help(home, runner)
    _sync_campaigns(home, runner, campaigns, failed)
    return failed


def _refresh_help(home: Home, runner: Runner) -> None:
    """Show people's decisions, and put the help files right, where no refresh of a campaign did."""

    def pending() -> dict[str, str]:
        target = help_behind(home, runner.instance)
        return {} if target is None else {"help": target}

    _until_done(runner, pending, lambda _: runner.run("refresh_help"), lambda scope: scope)


def _sync_campaigns(home: Home, runner: Runner, campaigns: set[str], failed: set[str]) -> None:
    """Sync and brief what is behind, of some campaigns or of all, but for those whose refresh failed."""
    syncer, briefer = Syncer(home), Briefer(home)

    def behind() -> dict[str, str]:
        targets = syncer.behind() | briefer.behind()
        return {name: target for name, target in targets.items() if not campaigns or name in campaigns}

    _until_done(runner, behind, lambda name: runner.run("sync_campaign", name), None, failed)


def _index_campaigns(home: Home, runner: Runner, campaigns: set[str], failed: set[str]) -> None:
    """Bring the search indexes of some campaigns, or of all, to what their folders hold now.

    Once: vectors of very many texts come with several runs, and nobody has to wait for those.
    """
    from thermite_pipelines.knowledge.index.numbers import damaged_indexes  # here, since it needs numpy

    damaged_indexes(home, thorough=True)  # those that are count as behind from now on

    def behind() -> dict[str, str]:
        return {name: one for name, one in indexes_behind(home).items() if not campaigns or name in campaigns}

    _until_done(runner, behind, lambda name: runner.run("index_campaign", name), index_scope, failed, rounds=1)


def _repair(home: Home, campaign: str) -> None:
    """Look for damaged and foreign files, unless somebody works there: files that do not count yet look foreign."""
    try:
        with lease(home.control, f"campaign:{campaign}"):
            FolderWriter(home.control, home.lake, campaign).repair()
    except LeaseTaken:
        return


def _until_done(
    runner: Runner,
    pending: Callable[[], dict[str, str]],
    run: Callable[[str], RunResult],
    scope: Callable[[str], str] | None,
    leave_out: Iterable[str] = (),
    rounds: int = _ROUNDS,
) -> set[str]:
    """Run what is pending until nothing is; return what failed, which is not tried again.

    What another process has done by the time its scope is free is left alone. A target that none of our runs reaches is
    given up after some rounds: it is the sensors' to come back to.
    """
    failed = set(leave_out)
    for _ in range(rounds):
        known, looked_at = set(pending()), time.monotonic()
        names = sorted(known - failed)
        runner.left = len(names)
        for name in names:
            waited = scope is not None and runner.wait_for(scope(name))
            if waited or time.monotonic() - looked_at > _LOOK_AGAIN_SECONDS:
                known, looked_at = set(pending()), time.monotonic()
            if name not in known:
                runner.left = max(0, runner.left - 1)
                continue
            if run(name).status != "SUCCESS":
                failed.add(name)
        if not names:
            break
    return failed


def rebuild(home: Home, campaigns: list[str] | None, progress: Progress | None = None) -> list[RunResult]:
    """Rebuild folders, help, facts, syncs and briefs from verified events, checked against the kept reports.

    Decisions about facts are kept, and replayed; answerers are asked about what is new alone. With None as campaigns,
    of all, and the events of all rigs from the kept reports too.
    """
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
        runner.left = len(rigs) + 3 * len(names)
        for rig in rigs:
            runner.run("take_reports", rig, scope=f"rig:{rig}", tags=tags)
        for name in names:
            runner.run("refresh_campaign", name, scope=f"campaign:{name}", tags=tags)
        report_said(home, runner.instance)
        with home.control.read() as connection:
            spoken = campaigns_with_words(connection)
        for name in names:
            if name in spoken:
                runner.run("extract_atoms", name, scope=f"atoms:{name}", tags=tags)
        review_all(runner, with_facts(home, names), tags)
    return runner.results


def run_job(home: Home, job: str, partition: str | None, scope: str = "") -> RunResult:
    """Run one job; raises `ThermiteError` with the reason where it fails."""
    with home.control.read() as connection:
        if partition is not None and job == "export_rig":
            require_rig(connection, partition)
    with Runner(home).opened() as runner:
        result = runner.run(job, partition, scope=scope)
        if result.status != "SUCCESS":
            raise ThermiteError(result.reason or "it failed", where=f"{job} {partition or ''}".strip())
    return result


def export(home: Home, rig: str) -> Exported:
    """Write a rig's next export through Dagster, and commit it where a results repository is set.

    Raises `ThermiteError` with the reason where it fails; an export that could not be committed stays.
    """
    run_job(home, "export_rig", rig, f"rig:{rig}")
    return newest_export(home, rig)


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
        jobs = (("take_reports", rigs), ("refresh_campaign", campaigns), ("extract_atoms", campaigns))
        jobs += (("review_campaign", campaigns), ("hypothesize_campaign", campaigns))
        return [found for job, names in jobs for found in failing(instance, job, names)]


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
