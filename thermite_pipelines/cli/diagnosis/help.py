"""What agents asked people for and told their later runs: open requests, files of the help folder, dropped learnings.

Every check reads the same files as the lists do. A file that can't be read is one finding, of the check of files.
"""

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy import select

from thermite_pipelines.cli.diagnosis.finding import Finding, Level, count, some
from thermite_pipelines.cli.output import cut
from thermite_pipelines.control.channel_models import HelpFiles
from thermite_pipelines.control.leases import holders
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.events import rigs_judged_by_others
from thermite_pipelines.knowledge.help_reading import (
    LEARNINGS_FILE,
    REFUSED_FILE,
    Row,
    day_of_file,
    help_requests,
    is_open,
    learnings,
    refusals,
)
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.sync_files import file_version
from thermite_pipelines.learnings.folding import LEASE
from thermite_pipelines.learnings.overview import mostly_dropped
from thermite_pipelines.learnings.replies import needs_flags
from thermite_pipelines.tables.lake import TEMPORARY_PREFIX

SUMMARY = 120

_READERS: tuple[Callable[[Home], list[Row]], ...] = (help_requests, learnings, refusals)


def asked(home: Home) -> Iterator[Finding]:
    """Help requests that nobody has dealt with: of equal ones of an agent one finding, which names all its runs."""
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in _read(home, help_requests):
        if is_open(row):
            same = " ".join(row["summary"].casefold().split())
            groups[row["campaign"], row["agent"], row["blocker"], same, str(row["fatal"])].append(row)
    for rows in groups.values():
        first = rows[0]
        runs = list(dict.fromkeys((row["rig"], row["run"]) for row in rows))
        stops = "stopped" if first["fatal"] else "limited"
        what = (
            f"{stops} by {first['blocker']}: {cut(first['summary'], SUMMARY)} "
            f"({first['agent']} of {first['campaign']}, in {_places(runs)})"
        )
        why = f"asked {count(sum(row['count'] for row in rows), 'time')}, first at {first['at']}"
        level: Level = "warning" if first["fatal"] else "note"
        yield Finding(level, what, why, _answer(home, first, runs))


def asked_again(home: Home) -> Iterator[Finding]:
    """Requests that a run made again after a person had dealt with them: the answer did not help."""
    for row in _read(home, help_requests):
        if not is_open(row) and row["asked_again"]:
            what = (
                f"asked again after it was dealt with: {row['blocker']}: {cut(row['summary'], SUMMARY)} "
                f"({row['agent']} of {row['campaign']}, in {row['rig']}/{row['run']})"
            )
            dealt = f"answered by {row['reply']}" if row["reply"] else "marked as dealt with"
            why = f"it was {dealt} at {row['resolved_at']}, and the run asked once more since"
            yield Finding("warning", what, why, _answer(home, row, [(row["rig"], row["run"])]))


def help_files(home: Home) -> Iterator[Finding]:
    """The files of the help folder can be read, and are what was written."""
    broken = False
    for read in _READERS:
        with warnings.catch_warnings(record=True) as torn:
            warnings.simplefilter("always")
            try:
                read(home)
            except ThermiteError as error:
                broken = True
                yield Finding("error", f"{error.where}: {error.what}", "no list shows what it holds", error.do)
        for warning in torn:
            broken = True
            what, _, do = str(warning.message).partition(" — ")
            yield Finding("error", what, "what stood there is in no list", do)
    changed, foreign = _odd_files(home)
    if changed and not broken:
        what = f"{count(len(changed), 'file')} of help/ changed or gone: {some(changed)}"
        yield Finding("error", what, "they are not what the pipeline wrote; it makes them again", "`thermite refresh`")
    if foreign:
        what = f"{count(len(foreign), 'file')} in help/ not written by the pipeline: {some(foreign)}"
        is_read = any(day_of_file(name) is not None for name in foreign)
        why = "requests in those named as a day's file are listed too" if is_read else "nothing reads or backs them up"
        yield Finding("warning", what, why, "remove them, or keep them elsewhere")


def _odd_files(home: Home) -> tuple[list[str], list[str]]:
    """Names of files that are not as they were written, and of all else in the folder that the pipeline did not write.

    A file of learnings or refusals that control's record does not name is the pipeline's, of a restored backup.
    """
    with home.control.read() as connection:
        if LEASE in holders(connection):
            return [], []  # they are being written right now
        versions = {row.name: row.version for row in connection.execute(select(HelpFiles).order_by(HelpFiles.name))}
    folder = home.settings.help
    changed = [name for name, version in versions.items() if _version(folder / name) != version]
    ours = {*versions, LEARNINGS_FILE, REFUSED_FILE}
    there = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return changed, sorted(name for name in there if name not in ours and not name.startswith(TEMPORARY_PREFIX))


def _version(path: Path) -> str:
    try:
        return file_version(path.stat())
    except OSError:
        return ""


def dropped(home: Home) -> Iterator[Finding]:
    """Agents whose learnings people drop again and again."""
    for row in mostly_dropped(home):
        campaign, agent = row["campaign"], row["agent"]
        what = f"people dropped {row['dropped']} of the {row['judged']} learnings of {agent} in {campaign} they judged"
        why = "what this agent takes for a finding is mostly of no use to its later runs"
        do = f"look at `thermite learnings list --campaign {campaign} --agent {agent}`, and at what it is told"
        yield Finding("note", what, why, do)


def older_rules(home: Home) -> Iterator[Finding]:
    """Rigs whose events were judged by rules of another version than this program's."""
    with home.control.read() as connection:
        rigs = sorted(rigs_judged_by_others(connection))
    if rigs:
        what = f"the events of {count(len(rigs), 'rig')} were judged by rules of another version: {some(rigs)}"
        why = "what those let pass or refused may be wrong by today's"
        yield Finding("warning", what, why, "`thermite refresh` judges them again")


def _read(home: Home, read: Callable[[Home], list[Row]]) -> list[Row]:
    """What a reader gives; nothing where a file is broken, which the check of files tells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read(home)
        except ThermiteError:
            return []


def _places(runs: list[tuple[str, str]]) -> str:
    return ", ".join(f"{rig}/{run}" for rig, run in runs)


def _answer(home: Home, first: Row, runs: list[tuple[str, str]]) -> str:
    """What to do about a request that these runs made, spelt out for the run of the first one."""
    words = f"thermite requests reply {first['run']} --rig {first['rig']} --text T --by NAME"
    each = "" if len(runs) == 1 else ", and so for each run"
    return f"`{words}{_flag(home, first)}`, or `thermite requests resolve` it{each}"


def _flag(home: Home, request: Row) -> str:
    try:
        return " --flag F" if needs_flags(home, request) else ""
    except ThermiteError:
        return ""  # the folder is damaged, which another check tells
