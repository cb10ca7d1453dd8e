"""An import: read a log, find what is new in it, and send that as signed reports of a ledger of its own."""

from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

from thermite_pipelines import names
from thermite_pipelines.errors import UsageError
from thermite_pipelines.rig.files import locked
from thermite_pipelines.rig.importers.autoresearch import read_autoresearch
from thermite_pipelines.rig.importers.events import EventWriter, Target, add_row, open_run, row_times
from thermite_pipelines.rig.importers.rows import ImportedLog, Skipped
from thermite_pipelines.rig.importers.sent import SentLedger, import_ledger

READERS = {"autoresearch": read_autoresearch}
"""Importers of logs by name: each reads a path and gives rows."""


@dataclass
class ImportResult:
    """What an import did: files put into the inbox, events in them, rows not taken, and what else one should know."""

    ledger: str
    reports: list[Path] = field(default_factory=list)
    events: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def state_file(folder: Path, importer: str, rig: str, run: str) -> Path:
    """The file under `folder` (`<home>/imports`) that remembers what an import has sent."""
    return folder / f"{import_ledger(importer, rig, run)}.json"


def import_log(
    importer: str,
    path: Path,
    *,
    rig: str,
    run: str,
    campaign: str | None,
    seed: bytes,
    inbox_dir: Path,
    state_path: Path,
) -> ImportResult:
    """Import the log at `path` as `run` of `rig`: reports of at most 100 events go into `inbox_dir` (`inbox/<rig>`).

    The same log again sends nothing; a grown one only its new rows. A row that was changed after it was sent is named
    in `skipped` and not sent again: events are facts about what the log said. `state_path` remembers what was sent.
    Raises `UsageError` for a wrong name, `ThermiteError` for a log without usable rows or files that cannot be written.
    """
    reader = READERS.get(importer)
    if reader is None:
        raise UsageError(f"there is no importer {importer!r}", do=f"use one of: {', '.join(READERS)}")
    names.check_name("rig", rig)
    names.check_run(run)
    if campaign is not None:
        names.check_name("campaign", campaign)
    ledger = import_ledger(importer, rig, run)
    with locked(state_path.with_suffix(".lock"), f"the import of {run}"):
        sent = SentLedger(state_path, rig, ledger)
        result = ImportResult(ledger)
        # What an import that was killed had planned goes first, whatever the log says now.
        _deliver(sent, result, inbox_dir, seed)
        log = reader(path)
        result.skipped += log.skipped
        result.notices += log.notices
        _plan_new(sent, log, result, Target(run, campaign))
        _deliver(sent, result, inbox_dir, seed)
    result.skipped.sort(key=lambda entry: entry["line"])
    return result


def _deliver(sent: SentLedger, result: ImportResult, inbox: Path, seed: bytes) -> None:
    before = sent.state.n
    result.reports += sent.deliver_pending(inbox, seed)
    result.events += sent.state.n - before


def _plan_new(sent: SentLedger, log: ImportedLog, result: ImportResult, target: Target) -> None:
    known = sent.state.rows
    fresh, changed = compare(known, [row.fingerprint for row in log.rows])
    for place, earlier in changed:
        record = f"n{earlier + 1:04d}" if not log.rows[place].is_experiment else f"e{earlier + 1:04d}"
        result.skipped.append(
            {"line": log.rows[place].line, "reason": f"changed since it was sent (as {record}): it is not sent again"}
        )
    if not fresh:
        return
    times = row_times(log)
    writer = EventWriter(target, sent.state.n)
    if not known:
        open_run(writer, log, min(times[place] for place in fresh))
    for index, place in enumerate(fresh, start=len(known) + 1):
        add_row(writer, log.rows[place], index, times[place])
    sent.plan(writer.events, [log.rows[place].fingerprint for place in fresh])


def compare(sent: list[str], now: list[str]) -> tuple[list[int], list[tuple[int, int]]]:
    """(places of new rows, places of changed rows with the place of the row that was sent), by fingerprints in order.

    Rows may have been taken out or put in anywhere; a row that stands where another one was sent counts as changed.
    """
    start = 0
    while start < min(len(sent), len(now)) and sent[start] == now[start]:
        start += 1
    if start == len(sent):
        return list(range(start, len(now))), []
    fresh: list[int] = []
    changed: list[tuple[int, int]] = []
    matcher = SequenceMatcher(None, sent[start:], now[start:], autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if tag not in ("replace", "insert"):
            continue
        pairs = min(old_end - old_start, new_end - new_start)
        changed += [(start + new_start + step, start + old_start + step) for step in range(pairs)]
        fresh += range(start + new_start + pairs, start + new_end)
    return fresh, changed
