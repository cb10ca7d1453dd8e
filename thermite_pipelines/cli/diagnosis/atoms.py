"""What people said: folders of transcripts, kept copies, messages without an answer, and the tables of atoms.

Quick: the look is at names, sizes, times, control's record and one table a campaign. Files of messages are read for
small homes alone; the nightly checks read all.
"""

import contextlib
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sqlalchemy import Connection, func, select

from thermite_pipelines.atoms import inspection
from thermite_pipelines.atoms.calibration import weights_calibrated
from thermite_pipelines.atoms.session_store import scope_of
from thermite_pipelines.atoms.sources import folders_of, scan
from thermite_pipelines.atoms.store import LOG, AtomTables, log_path, state_of, table_path
from thermite_pipelines.cli.diagnosis.finding import Finding, Level, count, some
from thermite_pipelines.control.atom_models import Session, TranscriptFile
from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.lake_files import DamagedFile, LakeFiles
from thermite_pipelines.control.leases import holders
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.settings import parse_transcripts
from thermite_pipelines.tables.derived import ATOMS

QUOTED_SESSIONS = 200
"""So many sessions at most have their messages read, since each is a file; the nightly check reads all."""

_PROBLEMS: dict[str, tuple[Level, str, str, str]] = {
    "folder-missing": (
        "warning",
        "folders of transcripts are missing",
        "nothing new is read from there; sessions that were read stay",
        "make or mount them, or correct THERMITE_TRANSCRIPTS",
    ),
    "not-a-folder": (
        "warning",
        "THERMITE_TRANSCRIPTS names what is no folder",
        "nothing is read from there",
        "name the folder with the files, or correct THERMITE_TRANSCRIPTS",
    ),
    "folder-unreadable": (
        "warning",
        "folders of transcripts can't be read",
        "nothing new is read from there; sessions that were read stay",
        "correct their rights",
    ),
    "file-unreadable": (
        "warning",
        "transcript files can't be read",
        "their sessions are missing, or older than the files",
        "correct their rights",
    ),
    "odd-name": (
        "warning",
        "transcript files have a name that is no text",
        "they are left out",
        "rename them",
    ),
    "unread": (
        "warning",
        "transcript files are not read yet",
        "they lie there for longer than THERMITE_LAG_WARN_SECONDS",
        "`thermite refresh` reads them, or says why not; see that `thermite up` runs",
    ),
    "no-transcript": (
        "note",
        "files in folders of transcripts are no transcript that is known",
        "they are left out; other files end in .jsonl or .md too",
        "nothing, unless one should be a session: then look at how it begins",
    ),
}


def transcripts(home: Home) -> Iterator[Finding]:
    """Folders of THERMITE_TRANSCRIPTS that lead nowhere, and files in them that give no session."""
    named = parse_transcripts(home.settings.transcripts)
    with home.control.read() as connection:
        known = campaign_names(connection)
    unknown = sorted({name for name, _ in named if name is not None and name not in known})
    if unknown:
        why = "nothing is read from their folders"
        do = "add them with `thermite campaign add`, or correct THERMITE_TRANSCRIPTS"
        yield Finding(
            "warning", f"THERMITE_TRANSCRIPTS names campaigns that control does not know: {some(unknown)}", why, do
        )
    kinds = {_shown(folder): kind for _, folder in named if (kind := _wrong_with(folder))}
    for campaign in sorted({name for name, _ in named if name in known and name is not None}):
        for kind, path in inspection.unreadable_files(home, campaign):
            kinds.setdefault(path, kind if kind in _PROBLEMS else "file-unreadable")
        for kind, path in _unread(home, campaign):
            kinds.setdefault(path, kind)
    paths: dict[str, list[str]] = defaultdict(list)
    for path, kind in sorted(kinds.items()):
        paths[kind].append(path)
    for kind, found in sorted(paths.items()):
        level, what, why, do = _PROBLEMS[kind]
        yield Finding(level, f"{what}: {some(found)}", why, do)


def _wrong_with(folder: Path) -> str:
    """What is wrong with a folder itself; '' for nothing."""
    try:
        next(folder.iterdir(), None)
    except FileNotFoundError:
        return "folder-missing"
    except NotADirectoryError:
        return "not-a-folder"
    except OSError:
        return "folder-unreadable"
    return ""


def _unread(home: Home, campaign: str) -> Iterator[tuple[str, str]]:
    """Files that were never read as they are now: those that nobody may open, and those that lie there for long."""
    found, _ = scan(folders_of(home.settings, campaign, plain=False))
    with home.control.read() as connection:
        query = select(TranscriptFile.path, TranscriptFile.stat).where(TranscriptFile.campaign == campaign)
        stats = {row.path: row.stat for row in connection.execute(query)}
    for path, file in found.items():
        if stats.get(path) != file.stat:
            with contextlib.suppress(FileNotFoundError):
                # The time of arrival here, not that of writing, which a copy may keep.
                age = time.time() - Path(path).lstat().st_ctime
                if not os.access(path, os.R_OK):
                    yield "file-unreadable", path
                elif age > home.settings.lag_warn_seconds:
                    yield "unread", path


def _shown(folder: Path) -> str:
    """The path as problems with files name it."""
    return str(folder.absolute()).encode("ascii", "backslashreplace").decode()


def copies(home: Home) -> Iterator[Finding]:
    """Every transcript that was read is kept whole."""
    gone = [path for campaign in _campaigns(home) for path in inspection.missing_copies(home, campaign)]
    if gone:
        what = f"{count(len(gone), 'kept transcript')} gone or cut: {some(gone)}"
        why = "a tool may delete its file at any time; then its sessions can't be read again, nor atoms followed back"
        do = "`thermite refresh` copies them again while the tool's files are there"
        yield Finding("error", what, why, f"{do}; else restore lake/transcripts from a backup")


def answers(home: Home) -> Iterator[Finding]:
    """Messages that nothing was taken from yet, and lines of sessions that could not be read."""
    unasked: dict[str, int] = {}
    skipped: dict[str, int] = {}
    for campaign in _campaigns(home):
        rows = inspection.session_findings(home, campaign)
        unasked[campaign] = sum(max(row["unasked"], 0) for row in rows)
        skipped[campaign] = sum(row["skipped_lines"] for row in rows)
    busy = _busy(home)
    waiting: dict[Level, dict[str, int]] = {
        "warning": {name: number for name, number in unasked.items() if name not in busy},
        "note": {name: number for name, number in unasked.items() if name in busy},
    }
    for level, numbers in waiting.items():
        if any(numbers.values()):
            what = f"{count(sum(numbers.values()), 'message')} without an answer yet ({_listed(numbers)})"
            why = "nobody was asked about them, or a question failed: atoms of theirs are missing"
            do = "`thermite refresh`; if they stay, the newest run of extract_atoms says why: `thermite up`"
            yield Finding(level, what, why, "nothing: they are asked about right now" if level == "note" else do)
    if any(skipped.values()):
        what = f"{count(sum(skipped.values()), 'line')} of sessions could not be read ({_listed(skipped)})"
        do = "nothing, unless they are many: then look at the files"
        yield Finding("note", what, "torn or damaged lines are left out, all others are taken", do)


def _listed(numbers: Mapping[str, int]) -> str:
    return some([f"{name} {number}" for name, number in sorted(numbers.items()) if number])


def atom_log(home: Home) -> Iterator[Finding]:
    """The flat log of each campaign's atoms is what was written, and holds the atoms of the table."""
    for campaign in sorted(set(_campaigns(home)) - _busy(home)):
        path = log_path(campaign)
        if not _is_written(home, campaign):
            continue  # the next refresh writes both
        if path in AtomTables(home, campaign).problems():
            why = "it is not what the pipeline wrote; it makes it again"
            yield Finding("error", f"the flat log of atoms changed or gone: {path}", why, "`thermite refresh`")
        else:
            yield from _guarded(home, campaign, _out_of_step)


def _is_written(home: Home, campaign: str) -> bool:
    with home.control.read() as connection:
        tables, log = state_of(connection, campaign), state_of(connection, campaign, LOG)
    return log is not None and tables is not None and bool(tables.signature)


def _out_of_step(home: Home, campaign: str) -> Iterator[Finding]:
    rows = LakeFiles(home.control, home.lake, scope_of(campaign)).load(table_path(ATOMS.name, campaign), ATOMS)
    names = ("atom", "statement_sha256")  # all columns of many atoms would take long
    table = set() if rows is None else set(zip(*(rows[name].to_pylist() for name in names), strict=True))
    differ = sorted({atom for atom, _ in table ^ set(inspection.log_ids(home, campaign))})
    if differ:
        what = f"the table and the flat log of {campaign} differ in {count(len(differ), 'atom')}: {some(differ)}"
        paths = f"{table_path(ATOMS.name, campaign)} and {log_path(campaign)}"
        do = f"remove {paths} from the lake, then `thermite refresh`"
        yield Finding("error", what, "readers of the log and of the table see other atoms", do)


def atom_words(home: Home) -> Iterator[Finding]:
    """Each atom has its session's day, and its quote stands in its message."""
    left = QUOTED_SESSIONS
    with home.control.read() as connection:
        sessions = _sessions(connection)
    for campaign in sorted(set(_campaigns(home)) - _busy(home)):
        yield from _guarded(home, campaign, _other_days)
        number = sessions.get(campaign, 0)
        if number <= left:
            left -= number
            yield from _guarded(home, campaign, _unsaid)


def _sessions(connection: Connection) -> dict[str, int]:
    query = select(Session.campaign, func.count().label("number")).group_by(Session.campaign)
    return {row.campaign: row.number for row in connection.execute(query)}


def _other_days(home: Home, campaign: str) -> Iterator[Finding]:
    found = [row["atom"] for row in inspection.day_findings(home, campaign)]
    if found:
        what = f"{count(len(found), 'atom')} of another day than the session's: {some(found)}"
        yield Finding("error", what, "how old an atom is tells how far it is to be trusted", _again(campaign))


def _unsaid(home: Home, campaign: str) -> Iterator[Finding]:
    found = [row["atom"] for row in inspection.quote_findings(home, campaign)]
    if found:
        what = f"{count(len(found), 'atom')} whose quote is not in the message: {some(found)}"
        yield Finding("error", what, "every atom gives the person's exact words", _again(campaign))


def _again(campaign: str) -> str:
    return f"`thermite rebuild --campaign {campaign}`; if it stays, report a bug"


def weights(home: Home) -> Iterator[Finding]:
    """Weights of atoms that were changed, and not tried since."""
    for row in weights_calibrated(home):
        why = "corrections that matter may no longer be among the first that agents find"
        how = "did not pass with them" if row["calibrated"] else "was not done since"
        what = f"the weights of atoms are not the documented ones, and a calibration {how}"
        yield Finding("warning", what, why, "`thermite atoms calibrate FILE` with corrections that you know")


def checkpoints(home: Home) -> Iterator[Finding]:
    """The newest ten sessions gave as much as those before them."""
    for campaign in _campaigns(home):
        yield from _guarded(home, campaign, _departing)


def _departing(home: Home, campaign: str) -> Iterator[Finding]:
    for row in inspection.decay_findings(home, campaign):
        figure = row["figure"].replace("_", " ")
        value, before = f"{row['value']:.2f}", f"{row['mean_before']:.2f}"
        what = f"checkpoint {row['checkpoint']} of {campaign}: {figure} {value}, before it {before}"
        why = "the newest ten sessions gave much less, or much the same again"
        yield Finding("warning", what, why, "read some of them; another prompt or model may be at work")


def _guarded(home: Home, campaign: str, look: Callable[[Home, str], Iterator[Finding]]) -> Iterator[Finding]:
    """The findings of a look at tables; a file that is not what was written is one, unless the check of files tells."""
    try:
        yield from look(home, campaign)
    except DamagedFile as error:
        if error.where not in LakeFiles(home.control, home.lake, scope_of(campaign)).damaged():
            why = "size and time are as they were written, but the rows are others"
            yield Finding("error", f"{error.where}: {error.what}", why, "remove the file, then `thermite refresh`")


def _campaigns(home: Home) -> list[str]:
    with home.control.read() as connection:
        return campaign_names(connection)


def _busy(home: Home) -> set[str]:
    """Campaigns whose atoms are being written right now."""
    with home.control.read() as connection:
        alive = holders(connection)
        return {name for name in campaign_names(connection) if scope_of(name) in alive}
