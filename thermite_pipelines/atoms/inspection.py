"""Looks whether what is stored of atoms holds: for checks in the UI. Rows hold ids, counts and days, never a text."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from sqlalchemy import select

from thermite_pipelines.atoms.copies import kept_copies, lacks_copy
from thermite_pipelines.atoms.session_store import scope_of
from thermite_pipelines.atoms.sessions import message_path
from thermite_pipelines.atoms.sources import folders_of, scan
from thermite_pipelines.atoms.store import AtomTables, log_path, state_of, stored_sessions, table_path
from thermite_pipelines.control.atom_models import Session, TranscriptFile
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.model_calls import damaged_calls
from thermite_pipelines.tables.derived import ATOMS, CHECKPOINTS, MESSAGES
from thermite_pipelines.tables.lake import LakeMissing
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.tables.schemas import Table

LEAST_SIGNAL = 0.5
"""A checkpoint whose signal-to-noise is below this part of the mean of those before it departs from them."""
MOST_DUPLICATES = 0.25
"""So does one whose duplicate rate is above that mean by more than this."""

Row = dict[str, Any]


def table_rows(home: Home, table: Table, campaign: str) -> list[Row]:
    """The rows of a derived table of one file, as control vouches for it. Raises `DamagedFile`."""
    files = LakeFiles(home.control, home.lake, scope_of(campaign))
    rows = files.load(table_path(table.name, campaign), table)
    return [] if rows is None else to_rows(rows)


def quote_findings(home: Home, campaign: str) -> list[Row]:
    """Atoms whose quote does not stand in the cited message, and extracted ones without a quote: `atom`, `finding`."""
    by_session: dict[str, list[Row]] = defaultdict(list)
    found = []
    for atom in table_rows(home, ATOMS, campaign):
        if atom["origin"] == "extracted" and not (atom["verbatim_quote"] and atom["quote_checked"]):
            found.append({"atom": atom["atom"], "finding": "no-quote"})
        elif atom["quote_checked"]:
            by_session[atom["session"]].append(atom)
    files = LakeFiles(home.control, home.lake, scope_of(campaign))
    for session, atoms in sorted(by_session.items()):
        rows = files.load(message_path(campaign, session), MESSAGES)
        texts = {} if rows is None else dict(zip(rows["message"].to_pylist(), rows["text"].to_pylist(), strict=True))
        for atom in atoms:
            if atom["message"] not in texts:
                found.append({"atom": atom["atom"], "finding": "no-message"})
            elif atom["verbatim_quote"] not in texts[atom["message"]]:
                found.append({"atom": atom["atom"], "finding": "quote-not-there"})
    return found


def day_findings(home: Home, campaign: str) -> list[Row]:
    """Atoms without a day, or of another day than their session's: `atom`, `established`, `session_day`."""
    with home.control.read() as connection:
        query = select(Session.session, Session.established).where(Session.campaign == campaign)
        days = {row.session: row.established for row in connection.execute(query)}
    found = []
    for atom in table_rows(home, ATOMS, campaign):
        day = days.get(atom["session"] or "", atom["established"])
        if not atom["established"] or atom["established"] != day:
            found.append({"atom": atom["atom"], "established": atom["established"], "session_day": day})
    return found


def step_findings(home: Home, campaign: str) -> list[Row]:
    """Where the table of atoms and the flat log differ, and files that are not what was written: `subject`, `finding`.

    Reads every file.
    """
    tables = AtomTables(home, campaign)
    with home.control.read() as connection:
        if not stored_sessions(connection, campaign) and home.lake.stat(log_path(campaign)) is None:
            return []
    broken = [*tables.problems(thorough=True), *damaged_calls(home, campaign)]
    found: list[Row] = [{"subject": path, "finding": "damaged"} for path in broken]
    if found:
        return found
    table = {(row["atom"], row["statement_sha256"]) for row in table_rows(home, ATOMS, campaign)}
    log = set(log_ids(home, campaign))
    found += [{"subject": atom, "finding": "not-in-log"} for atom, _ in sorted(table - log)]
    found += [{"subject": atom, "finding": "not-in-table"} for atom, _ in sorted(log - table)]
    return found


def damaged_files(home: Home, campaign: str) -> list[str]:
    """Files derived of a campaign that are changed or gone, told by size and time: an extraction makes them anew."""
    files = set(LakeFiles(home.control, home.lake, scope_of(campaign)).damaged())
    with home.control.read() as connection:
        has_state = state_of(connection, campaign) is not None
    if has_state:
        files.update(AtomTables(home, campaign).problems())
    return sorted(files | set(damaged_calls(home, campaign)))


def missing_copies(home: Home, campaign: str) -> list[str]:
    """Kept transcripts that are gone from the lake, or of another size than they were read with.

    The next extraction copies them again where the tool's own file is there still, and is the same.
    """
    return sorted({row["kept"] for row in _without_copy(home, campaign)})


def can_copy_again(home: Home, campaign: str) -> bool:
    """Whether a kept transcript that is gone lies still where its tool wrote it."""
    return any(Path(row["path"]).is_file() for row in _without_copy(home, campaign))


def _without_copy(home: Home, campaign: str) -> list[Row]:
    with home.control.read() as connection:
        query = select(TranscriptFile).where(TranscriptFile.campaign == campaign)
        rows = [dict(row._mapping) for row in connection.execute(query)]
    copies = kept_copies(home.lake, campaign)
    return [row for row in rows if lacks_copy(row, copies)]


def unreadable_files(home: Home, campaign: str) -> list[tuple[str, str]]:
    """What of a campaign's transcript folders gives no session, as pairs of kind and path; opens no file.

    Folders: `folder-missing`, `not-a-folder`, `folder-unreadable`; files: `no-transcript` (as they were last read, and
    lie there still), `file-unreadable`, `odd-name`.
    """
    found, problems = scan(folders_of(home.settings, campaign, plain=False))
    with home.control.read() as connection:
        query = select(TranscriptFile.path, TranscriptFile.stat).where(TranscriptFile.tool == "")
        rows = list(connection.execute(query.where(TranscriptFile.campaign == campaign)))
    none = {("no-transcript", row.path) for row in rows if row.path in found and found[row.path].stat == row.stat}
    return sorted(none | {(problem.kind, problem.where) for problem in problems})


def log_ids(home: Home, campaign: str) -> list[tuple[str, str]]:
    """Ids and statement hashes of the flat log. Raises `ThermiteError` where a line can't be read."""
    try:
        lines = home.lake.get(log_path(campaign)).decode().split("\n")
        rows = [json.loads(line) for line in lines if line]
        return [(row["atom"], row["statement_sha256"]) for row in rows]
    except LakeMissing:
        return []
    except (ValueError, KeyError, TypeError):
        raise ThermiteError(
            "a line can't be read", where=log_path(campaign), do="run `thermite atoms extract`"
        ) from None


def decay(checkpoints: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Checkpoints that depart from the mean of those before: `checkpoint`, `figure`, `value`, `mean_before`.

    The remainder is not judged: it is of few sessions still.
    """
    whole = [row for row in checkpoints if not row["is_final"]]
    found = []
    for place, row in enumerate(whole):
        for figure in ("signal_to_noise", "duplicate_rate"):
            before = [old[figure] for old in whole[:place] if old[figure] is not None]
            value = row[figure]
            if value is None or not before:
                continue
            mean = fmean(before)
            if value < LEAST_SIGNAL * mean if figure == "signal_to_noise" else value > mean + MOST_DUPLICATES:
                found.append({"checkpoint": row["checkpoint"], "figure": figure, "value": value, "mean_before": mean})
    return found


def decay_findings(home: Home, campaign: str) -> list[Row]:
    """What departs at the newest whole checkpoint; see `decay`. An old departure is history."""
    checkpoints = table_rows(home, CHECKPOINTS, campaign)
    newest = max((row["checkpoint"] for row in checkpoints if not row["is_final"]), default=0)
    return [row for row in decay(checkpoints) if row["checkpoint"] == newest]


def session_findings(home: Home, campaign: str) -> list[Row]:
    """Sessions with messages that nothing was taken from, or lines that could not be read.

    Columns: `session`, `unasked`, `skipped_lines`. Of sessions of plain folders nobody has to ask: none is unasked.
    """
    with home.control.read() as connection:
        rows = stored_sessions(connection, campaign)
        query = select(Session.session).where(Session.campaign == campaign, Session.plain.is_(True))
        plain = set(connection.execute(query).scalars())
    found = []
    for row in rows:
        unasked = 0 if row["session"] in plain else row["human_messages"] - row["extracted_messages"]
        if unasked or row["skipped_lines"]:
            found.append({"session": row["session"], "unasked": unasked, "skipped_lines": row["skipped_lines"]})
    return found
