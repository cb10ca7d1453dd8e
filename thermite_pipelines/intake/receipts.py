"""Taking files from an inbox: each gets a receipt with exactly one outcome, and accepted reports extend their chain.

Bytes are kept first, then one transaction writes the receipts, verdicts and chain heads, then the files leave the
inbox. A kill at any point leaves what the next intake completes.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from thermite_pipelines.control import audit
from thermite_pipelines.control.db import Control
from thermite_pipelines.control.models import Receipt, Rig
from thermite_pipelines.control.rigs import require_rig
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import inbox
from thermite_pipelines.intake.judge import Key, SignedReport, judge_envelope
from thermite_pipelines.intake.receipt_rows import UNSAFE, columns, empty_row, keys_of, quarantined, storable
from thermite_pipelines.intake.settling import New, Settling, Taken
from thermite_pipelines.intake.vault import UNKNOWN, Vault
from thermite_pipelines.ledger.payload import Report
from thermite_pipelines.settings import Settings
from thermite_pipelines.tables.lake import Lake

_CACHE_BYTES = 32 * 2**20
_HELD_BYTES = 32 * 2**20
_FLUSH = 1_000
Progress = Callable[[int, int], None]


class ReportCache:
    """Reports parsed in this intake, by payload hash, up to a bound: what does not fit is read again from the lake."""

    def __init__(self, room: int = _CACHE_BYTES) -> None:
        self._room = room
        self._reports: dict[str, Report] = {}

    def add(self, signed: SignedReport) -> None:
        """Remember a report while there is room."""
        if signed.payload_sha256 not in self._reports and len(signed.payload) <= self._room:
            self._room -= len(signed.payload)
            self._reports[signed.payload_sha256] = signed.report

    def pop(self, payload_sha256: str) -> Report | None:
        """The report, which is then forgotten."""
        return self._reports.pop(payload_sha256, None)


class Intake:
    """Takes the files of inboxes. The caller holds the lease of the rig (`rig:<rig>`)."""

    def __init__(self, control: Control, lake: Lake, settings: Settings) -> None:
        self._control = control
        self._vault = Vault(lake)
        self._settings = settings
        self._settling = Settling(control, self._vault, settings.max_report_bytes)
        self._disks = [settings.home, *([lake.local("")] if lake.is_local else [])]
        self.cache = ReportCache()

    def take(self, rig: str, progress: Progress | None = None) -> Taken:
        """Take all settled files of a rig that control knows.

        Raises `ThermiteError` for another rig, and where the disk is nearly full: what lies in the inbox stays there.
        """
        with self._control.read() as connection:
            require_rig(connection, rig)
            keys = keys_of(connection, rig)
        self._check_disk()
        taken = Taken()
        self._take(rig, keys, taken, progress)
        if taken.reasons:
            self._settling.bound_quarantine(rig)
        self._check_disk()
        return taken

    def take_unknown(self) -> Taken:
        """Take the files of inboxes whose rig control does not know: all are quarantined."""
        self._check_disk()
        taken = Taken()
        with self._control.read() as connection:
            known = set(connection.execute(select(Rig.rig)).scalars())
        for rig in inbox.inbox_folders(self._settings.inbox):
            if rig not in known:
                self._take(rig, None, taken, None)
        if taken.reasons:
            self._settling.bound_quarantine(None)
        self._check_disk()
        return taken

    def retry(self, receipt: int, by: str | None = None) -> bool:
        """Judge a quarantined file again; return whether its outcome or reason changed.

        With `by` (a person's name) the change stands in the audit log too. The caller holds the lease of the receipt's
        rig. Raises `ThermiteError` for a receipt that is unknown, not quarantined, or whose bytes are gone.
        """
        with self._control.read() as connection:
            row = connection.execute(select(Receipt).where(Receipt.receipt == receipt)).first()
            if row is None:
                raise ThermiteError(f"there is no receipt {receipt}", do="look at `thermite reports`")
            known = connection.execute(select(Rig.rig).where(Rig.rig == row.rig)).first() is not None
            keys = keys_of(connection, row.rig) if known else None
        if row.outcome != "quarantined":
            raise ThermiteError(f"receipt {receipt} is {row.outcome}, not quarantined", do="nothing needs to be done")
        if row.kept is None:
            raise ThermiteError(f"the bytes of receipt {receipt} are not kept", do="let the rig send the report again")
        values, envelope = self._settling.judge_kept(row._mapping, keys)
        if envelope is not None:
            owner = _owner(row.rig, keys)
            values["kept"], values["kept_bytes"] = self._vault.keep_envelope(owner, envelope)
            self._vault.sync()
        chain_decides = values["outcome"] == ""
        if chain_decides:
            del values["outcome"]
        with self._control.write() as connection:
            connection.execute(update(Receipt).where(Receipt.receipt == receipt).values(**values))
            if chain_decides:
                retried = {receipt: {**row._mapping, **values}}
                self._settling.apply(connection, row.rig, [], Taken(), retried)
            now = connection.execute(select(Receipt).where(Receipt.receipt == receipt)).one()
            changed = (now.outcome, now.reason) != (row.outcome, row.reason)
            if changed and by is not None:
                detail = {"rig": row.rig, "from_reason": row.reason, "outcome": now.outcome, "reason": now.reason}
                audit.record(connection, by, "retry", str(receipt), **detail)
        return changed

    def _take(self, rig: str, keys: dict[str, Key] | None, taken: Taken, progress: Progress | None) -> None:
        """Take one inbox; `keys` is None where control does not know its rig."""
        with inbox.open_folder(self._settings.inbox / rig) as folder:
            new: list[New] = []
            if folder is not None:
                new = self._judge_all(rig, keys, folder, taken, progress)
                self._vault.sync()
            if keys is None:
                self._settling.insert(new, taken)
            else:
                self._settling.settle(rig, new, taken)
            if folder is not None:
                _clear(folder, new)

    def _judge_all(
        self, rig: str, keys: dict[str, Key] | None, folder: int, taken: Taken, progress: Progress | None
    ) -> list[New]:
        """Judge all settled files by themselves; return those that the chain decides on, and the last of the others.

        Receipts of the others are written as they come: any number of junk files takes no more memory than a few.
        """
        found = inbox.settled(folder, self._settings.settle_seconds)
        chained: list[New] = []
        others: list[New] = []
        held = _Held(self._vault, _owner(rig, keys))
        for done, arrival in enumerate(found, 1):
            if not self._has_room():
                break  # what was judged is settled, the rest stays in the inbox
            try:
                item, content = self._judge(rig, keys, folder, arrival)
            except inbox.FileChanged:
                taken.left += 1
                continue
            if content is None:
                others.append(item)
            else:
                chained.append(item)
                held.add(item, content)
            if len(others) >= _FLUSH:
                self._vault.sync()
                self._settling.insert(others, taken)
                _clear(folder, others)
                others = []
            if progress is not None:
                progress(done, len(found))
        held.keep()
        return chained + others

    def _judge(
        self, rig: str, keys: dict[str, Key] | None, folder: int, arrival: inbox.Arrival
    ) -> tuple[New, inbox.Content | None]:
        """The receipt of one file, whose bytes are kept; of one that the chain decides on they are still to be kept.

        Its content comes with it then, and its outcome is ''. Raises `FileChanged`.
        """
        row = empty_row(storable(rig), storable(arrival.name), arrival.inode, arrival.mtime_ns)
        if not arrival.regular:
            return New(arrival, row | quarantined(UNSAFE, "not a plain file")), None
        with inbox.opened(folder, arrival) as descriptor:
            content = inbox.read(descriptor, arrival, self._settings.max_report_bytes)
            row["sha256"] = content.sha256
            row |= self._columns(rig, keys, content)
            if row["outcome"] == "":
                return New(arrival, row), content
            owner = _owner(rig, keys)
            row["kept"], row["kept_bytes"] = self._vault.keep(owner, folder, descriptor, arrival, content)
            return New(arrival, row), None

    def _columns(self, rig: str, keys: dict[str, Key] | None, content: inbox.Content) -> dict[str, Any]:
        """What a file is by itself, as columns of its receipt."""
        if content.envelope is None:
            return quarantined(content.reason or "", content.detail or "")
        judged = judge_envelope(content.envelope, rig, keys, lambda sha: self._settling.is_accepted(rig, sha))
        if isinstance(judged, SignedReport):
            self.cache.add(judged)
        return columns(judged)

    def _has_room(self) -> bool:
        return all(_free(disk) >= self._settings.min_free_bytes for disk in self._disks)

    def _check_disk(self) -> None:
        for disk in self._disks:
            free = _free(disk)
            if free < self._settings.min_free_bytes:
                raise ThermiteError(
                    f"only {free // 2**20} MiB are free, fewer than THERMITE_MIN_FREE_BYTES",
                    where=str(disk),
                    do="free some space; reports stay in the inbox until then",
                )


class _Held:
    """Reports that are judged and whose bytes are not kept yet: many at once go into one file."""

    def __init__(self, vault: Vault, owner: str) -> None:
        self._vault = vault
        self._owner = owner
        self._items: list[tuple[New, str, bytes]] = []
        self._bytes = 0

    def add(self, item: New, content: inbox.Content) -> None:
        """Hold a report, and keep what is held once it is too much for memory."""
        assert content.envelope is not None and content.envelope_sha256 is not None
        packed = self._vault.packed(content.envelope)
        self._items.append((item, content.envelope_sha256, packed))
        self._bytes += len(packed)
        if self._bytes > _HELD_BYTES:
            self.keep()

    def keep(self) -> None:
        """Keep all that is held; each receipt gets its place."""
        places = self._vault.keep_together(self._owner, [(sha256, packed) for _, sha256, packed in self._items])
        for (item, *_), (kept, size) in zip(self._items, places, strict=True):
            item.row["kept"], item.row["kept_bytes"] = kept, size
        self._items.clear()
        self._bytes = 0


def _owner(rig: str, keys: dict[str, Key] | None) -> str:
    return UNKNOWN if keys is None else f"rig={rig}"


def _clear(folder: int, new: list[New]) -> None:
    for item in new:
        if item.arrival.regular:
            inbox.remove(folder, item.arrival)


def _free(disk: Path) -> int:
    """Free bytes of the file system that a folder lies on, or will lie on."""
    while not disk.exists() and disk != disk.parent:
        disk = disk.parent
    return shutil.disk_usage(disk).free
