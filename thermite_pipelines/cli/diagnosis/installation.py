"""The installation and the home: packages, disk, control's key, signed commands, leases, the results repository."""

import contextlib
import errno
import importlib.metadata
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, select

from thermite_pipelines.cli.diagnosis.finding import Finding, count, some
from thermite_pipelines.control.commands import read_control_key, wrong_commands
from thermite_pipelines.control.leases import holders
from thermite_pipelines.control.models import Assignment, Lease
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.results_repository import ResultsRepository

_ONE_RELEASE = ("dagster", "dagster-webserver", "dagster-graphql")


def packages(_: Home) -> Iterator[Finding]:
    """Dagster's packages must be of one release."""
    versions = {name: importlib.metadata.version(name) for name in _ONE_RELEASE}
    if len(set(versions.values())) > 1:
        listed = ", ".join(f"{name} {version}" for name, version in versions.items())
        why = "mixed releases of Dagster fail in ways that are hard to understand"
        yield Finding("error", f"Dagster's packages differ: {listed}", why, "install again from requirements.lock")


def disk(home: Home) -> Iterator[Finding]:
    """There is room, and the home can be written."""
    settings = home.settings
    free = shutil.disk_usage(settings.home).free
    if free < settings.min_free_bytes:
        what = f"only {free // 2**20} MiB are free where the home lies"
        why = (
            f"below THERMITE_MIN_FREE_BYTES ({settings.min_free_bytes // 2**20} MiB) no report is taken from the inbox"
        )
        yield Finding("error", what, why, "free some space")
    folders = [settings.home, settings.inbox, settings.commands, settings.sync, settings.exports, settings.dagster_home]
    lake = [home.lake.local("")] if home.lake.is_local else []
    missing = [_name_of(home, folder) for folder in [*folders, *lake] if not folder.is_dir()]
    if missing:
        yield Finding(
            "warning", f"folders of the home are missing: {some(missing)}", "init makes them", "run `thermite init`"
        )
    folders += [inner for folder in lake for inner in _with_inner(folder)]
    locked = [_name_of(home, folder) for folder in folders if folder.is_dir() and not _takes_files(folder)]
    if locked:
        do = "give the user who runs thermite the right to write there, and mount no disk of theirs read-only"
        yield Finding("error", f"folders of the home can't be written: {some(locked)}", "nothing new can be kept", do)
    if settings.dagster_home.is_dir() and not (settings.dagster_home / "dagster.yaml").exists():
        why = "without it Dagster's own defaults hold: telemetry, no limit for runs"
        yield Finding("warning", "dagster/dagster.yaml is missing", why, "run `thermite init`")


def _with_inner(lake: Path) -> list[Path]:
    """The lake and what lies directly in it: each may be a disk of its own."""
    with contextlib.suppress(OSError):
        return [lake, *sorted(folder for folder in lake.iterdir() if not folder.name.startswith("."))]
    return [lake]


def _takes_files(folder: Path) -> bool:
    """Whether a file can be written there: rights say nothing to root, nor of a file system that is read-only."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
            file.flush()
    except OSError as error:
        return error.errno == errno.ENOSPC  # a full disk is the finding before
    return True


def _name_of(home: Home, folder: Path) -> str:
    """The folder as seen from the home; one that lies elsewhere whole."""
    with contextlib.suppress(ValueError):
        inside = folder.relative_to(home.settings.home.absolute()).as_posix()
        return folder.name if inside == "." else inside
    return str(folder)


def control_key(home: Home) -> Iterator[Finding]:
    """Control's key is there, whole, and nobody else's to read."""
    path = home.settings.control_key
    try:
        read_control_key(home.settings)
    except ThermiteError as error:
        yield Finding("error", f"control.key: {error.what}", "commands for rigs can't be signed", error.do)
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        why = "whoever reads it can sign commands for rigs"
        yield Finding("warning", f"control.key has mode {mode:04o}", why, "run `chmod 600` on it")


def commands(home: Home) -> Iterator[Finding]:
    """Each assignment's signed command lies where the rig fetches it, as the record has it."""
    with home.control.read() as connection:
        wrong = wrong_commands(connection, home.settings)
        answers = _answering(connection)
    # The commands of answers to help requests are written by answering again, all others by assigning again.
    for is_answer, do in ((False, "give the same `thermite assign` again"), (True, _ANSWER_DO)):
        lost, other = ([place for place in places if (place in answers) == is_answer] for places in wrong)
        if lost:
            what = f"{count(len(lost), 'signed command')} missing: {some(_runs(lost, answers))}"
            why = "the rig never starts the run" if is_answer else "the rig can't learn which campaign it belongs to"
            yield Finding("warning", what, why, do)
        if other:
            what = f"{count(len(other), 'command file')} not as control's record has it: {some(_runs(other, answers))}"
            why = "the rig would refuse it, or start with other words"
            yield Finding("warning", what, why, f"remove the file, then {do}")


_ANSWER_DO = "give `thermite requests reply` for the run that asked again: it writes the same file"


def _answering(connection: Connection) -> dict[tuple[str, str], str]:
    """The runs that answer help requests, by rig and run, each with the run that asked."""
    query = select(Assignment.rig, Assignment.run, Assignment.command).order_by(Assignment.rig, Assignment.run)
    return {
        (row.rig, row.run): str(row.command.get("reply_to") or "?")
        for row in connection.execute(query)
        if row.command.get("command") == "start_run"
    }


def _runs(places: list[tuple[str, str]], answers: dict[tuple[str, str], str]) -> list[str]:
    return [f"{rig}/{run}" + (f" (to {answers[rig, run]})" if (rig, run) in answers else "") for rig, run in places]


def leases(home: Home) -> Iterator[Finding]:
    """Leases whose holder is gone: the next piece of work takes them over."""
    with home.control.read() as connection:
        alive = holders(connection)
        dead = [
            scope
            for scope in connection.execute(select(Lease.scope).order_by(Lease.scope)).scalars()
            if scope not in alive
        ]
    if dead:
        why = "a process was killed while it worked; whatever it began is completed by the next one"
        yield Finding("note", f"{count(len(dead), 'lease')} of ended work: {some(dead)}", why, "nothing")


def results_repository(home: Home) -> Iterator[Finding]:
    """Where a results repository is set, exports can be committed there."""
    if home.settings.results_repo is None:
        return
    try:
        ResultsRepository(home.settings.results_repo).check_clean()
    except ThermiteError as error:
        why = "each export is to be a commit there; until that works, exports stay in the home alone"
        yield Finding("warning", f"the results repository is not fit: {error.what}", why, error.do)


def dagster_runs(home: Home) -> Iterator[Finding]:
    """Rigs and campaigns for which Dagster has failed again and again."""
    if not (home.settings.dagster_home / "history").is_dir() and not os.environ.get("DAGSTER_HOME"):
        return  # nothing ran yet
    from thermite_pipelines.cli.dagster_runs import failed_attempts

    for row in failed_attempts(home):
        what = f"{row['job']} of {row['partition']} failed {count(row['attempts'], 'time')} in a row"
        yield Finding("error", what, "it is tried again, with growing waits", "look at its runs: `thermite up`")
