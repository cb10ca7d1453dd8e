"""Taking files from an inbox: each gets a receipt with exactly one outcome, and accepted reports extend their chain.

Bytes are kept first, then one transaction writes the receipts, verdicts and chain heads, then the files leave the inbox. A
kill at any point leaves what the next intake completes.
"""

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, insert, select, text, update

from thermite_pipelines.control.db import Control, chunks, upsert
from thermite_pipelines.control.models import Head, Receipt, Rig, RigKey
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import inbox
from thermite_pipelines.intake.chain import ChainResult, Link, Verdict, extend
from thermite_pipelines.intake.judge import Key, SignedReport, judge_envelope
from thermite_pipelines.intake.receipt_rows import (
    accepted_hashes,
    candidates,
    columns,
    empty_row,
    heads_of,
    is_revoked,
    link,
    overfull,
    quarantined,
    storable,
)
from thermite_pipelines.intake.vault import UNKNOWN, Vault
from thermite_pipelines.ledger.payload import Report
from thermite_pipelines.settings import Settings
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.times import now_micros

_CACHE_BYTES = 128 * 2**20
Progress = Callable[[int, int], None]


@dataclass
class Taken:
    """What one intake did: outcomes of files that arrived now, and of those that waited."""

    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    accepted_events: int = 0
    removed_again: int = 0


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
        self.cache = ReportCache()

    def take(self, rig: str, progress: Progress | None = None) -> Taken:
        """Take all settled files of a rig that control knows. Raises `ThermiteError` where the disk is nearly full."""
        self._check_disk()
        keys = self._keys(rig)
        taken = Taken()
        with inbox.open_folder(self._settings.inbox / rig) as folder:
            found = [] if folder is None else inbox.settled(folder, self._settings.settle_seconds)
            rows, links = self._judge_all(rig, keys, folder, found, taken, progress)
            self._settle(rig, keys, rows, links, taken)
            self._clear(folder, rows)
        self._bound_quarantine(f"reports/rig={rig}/%")
        return taken

    def take_unknown(self) -> Taken:
        """Take the files of inboxes whose rig control does not know: all are quarantined."""
        self._check_disk()
        taken = Taken()
        with self._control.read() as connection:
            known = set(connection.execute(select(Rig.rig)).scalars())
        for rig in inbox.inbox_folders(self._settings.inbox):
            if rig in known:
                continue
            with inbox.open_folder(self._settings.inbox / rig) as folder:
                found = [] if folder is None else inbox.settled(folder, self._settings.settle_seconds)
                rows, _ = self._judge_all(rig, None, folder, found, taken, None)
                with self._control.write() as connection:
                    self._insert(connection, rows, taken)
                self._clear(folder, rows)
        self._bound_quarantine("reports/\\_unknown/%")
        return taken

    def retry(self, receipt: int) -> bool:
        """Judge a quarantined file again; return whether its outcome or reason changed.

        Raises `ThermiteError` for a receipt that is unknown, not quarantined, or whose bytes are gone.
        """
        with self._control.read() as connection:
            row = connection.execute(select(Receipt).where(Receipt.receipt == receipt)).first()
        if row is None:
            raise ThermiteError(f"there is no receipt {receipt}", do="look at `thermite reports`")
        if row.outcome != "quarantined":
            raise ThermiteError(f"receipt {receipt} is {row.outcome}, not quarantined", do="nothing needs to be done")
        if row.kept is None:
            raise ThermiteError(f"the bytes of receipt {receipt} are not kept", do="let the rig send the report again")
        with self._control.read() as connection:
            known = connection.execute(select(Rig.rig).where(Rig.rig == row.rig)).first() is not None
        keys = self._keys(row.rig) if known else None
        values = self._judged_again(row, keys)
        links = [] if "outcome" in values else [link(receipt, {**row._mapping, **values})]
        taken = Taken()
        with self._control.write() as connection:
            connection.execute(update(Receipt).where(Receipt.receipt == receipt).values(**values))
        self._settle(row.rig, keys or {}, [], links, taken)
        with self._control.read() as connection:
            now = connection.execute(select(Receipt).where(Receipt.receipt == receipt)).one()
        return (now.outcome, now.reason) != (row.outcome, row.reason)

    def _judged_again(self, row: Any, keys: dict[str, Key] | None) -> dict[str, Any]:
        """Columns of a receipt judged anew from the kept bytes; without an outcome where the chain decides."""
        name = "kept.dsse.json" if row.kept.endswith(".dsse.json.zst") else row.name
        content = inbox.unpack([self._vault.envelope(row.kept)], name, self._settings.max_report_bytes)
        if content.envelope is None:
            return quarantined(content.reason or "", content.detail or "")
        judged = judge_envelope(content.envelope, row.rig, keys, lambda sha: self._is_accepted(row.rig, sha))
        values = columns(judged)
        return values if values["outcome"] else {key: value for key, value in values.items() if key != "outcome"}

    def _check_disk(self) -> None:
        free = shutil.disk_usage(self._settings.home).free
        if free < self._settings.min_free_bytes:
            raise ThermiteError(
                f"only {free // 2**20} MiB are free, fewer than THERMITE_MIN_FREE_BYTES",
                where=str(self._settings.home),
                do="free some space; reports stay in the inbox until then",
            )

    def _keys(self, rig: str) -> dict[str, Key]:
        with self._control.read() as connection:
            rows = connection.execute(select(RigKey).where(RigKey.rig == rig))
            return {row.keyid: Key(bytes.fromhex(row.public_key), row.revoked_at) for row in rows}

    def _is_accepted(self, rig: str, payload_sha256: str) -> bool:
        with self._control.read() as connection:
            query = select(Receipt.receipt).where(
                Receipt.rig == rig, Receipt.outcome == "accepted", Receipt.payload_sha256 == payload_sha256
            )
            return connection.execute(query).first() is not None

    def _judge_all(
        self,
        rig: str,
        keys: dict[str, Key] | None,
        folder: int | None,
        found: list[inbox.Arrival],
        taken: Taken,
        progress: Progress | None,
    ) -> tuple[list[dict[str, Any]], list[Link]]:
        """Rows for new receipts, and the links of those that may extend a chain; a row's token is -1 - its index."""
        rows: list[dict[str, Any]] = []
        links: list[Link] = []
        seen = self._seen(rig, found)
        for done, arrival in enumerate(found, 1):
            assert folder is not None
            row = self._row(rig, keys, folder, arrival, seen, taken)
            if row is not None:
                rows.append(row)
                if row["outcome"] == "":
                    links.append(link(-len(rows), row))
            if progress is not None:
                progress(done, len(found))
        return rows, links

    def _seen(self, rig: str, found: list[inbox.Arrival]) -> set[tuple[str, int, int, str | None]]:
        with self._control.read() as connection:
            return {
                (row.name, row.inode, row.mtime_ns, row.sha256)
                for names in chunks(storable(arrival.name) for arrival in found)
                for row in connection.execute(
                    select(Receipt.name, Receipt.inode, Receipt.mtime_ns, Receipt.sha256).where(
                        Receipt.rig == storable(rig), Receipt.name.in_(names)
                    )
                )
            }

    def _row(
        self,
        rig: str,
        keys: dict[str, Key] | None,
        folder: int,
        arrival: inbox.Arrival,
        seen: set[tuple[str, int, int, str | None]],
        taken: Taken,
    ) -> dict[str, Any] | None:
        """The receipt of one file, with outcome '' where the chain decides; None where there is nothing to receipt."""
        identity = (storable(arrival.name), arrival.inode, arrival.mtime_ns)
        row = empty_row(storable(rig), *identity)
        if not arrival.regular:
            return None if (*identity, None) in seen else row | quarantined("unsafe-file", "not a plain file")
        try:
            content = inbox.read(folder, arrival, self._settings.max_report_bytes)
            if (*identity, content.sha256) in seen:
                taken.removed_again += 1
                inbox.remove(folder, arrival)
                return None
            owner = UNKNOWN if keys is None else f"rig={rig}"
            kept, kept_bytes = self._vault.keep(owner, folder, arrival, content)
        except inbox.FileChanged:
            return None
        row |= {"sha256": content.sha256, "kept": kept, "kept_bytes": kept_bytes, "arrival": arrival}
        if content.envelope is None:
            return row | quarantined(content.reason or "", content.detail or "")
        judged = judge_envelope(content.envelope, rig, keys, lambda sha: self._is_accepted(rig, sha))
        if isinstance(judged, SignedReport):
            self.cache.add(judged)
        return row | columns(judged)

    def _settle(
        self, rig: str, keys: dict[str, Key], rows: list[dict[str, Any]], links: list[Link], taken: Taken
    ) -> None:
        """Extend the rig's chains with new and waiting reports, and write all receipts, in one transaction."""
        with self._control.write() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(7365)"))  # acceptance numbers have no holes
            earlier = candidates(connection, rig)
            revoked = [row for row in earlier if is_revoked(row, keys)]
            tokens = {item.token for item in links}
            links = links + [
                link(row.receipt, row._mapping) for row in earlier if row not in revoked and row.receipt not in tokens
            ]
            heads = heads_of(connection, rig, {item.ledger for item in links})
            result = extend(links, heads, accepted_hashes(connection, rig, links, heads))
            for row in revoked:
                result.verdicts[row.receipt] = Verdict(
                    "quarantined", "revoked-key", f"key {row.keyid[:16]}… is revoked"
                )
            self._write(connection, rig, rows, result, taken)
            taken.accepted_events = sum(item.events for item in result.accepted)

    def _write(
        self, connection: Connection, rig: str, rows: list[dict[str, Any]], result: ChainResult, taken: Taken
    ) -> None:
        number = connection.execute(select(func.max(Receipt.accepted_number))).scalar() or 0
        now = now_micros()
        numbers: dict[int, int] = {item.token: number + place for place, item in enumerate(result.accepted, 1)}
        for token, verdict in result.verdicts.items():
            values = {
                "outcome": verdict.outcome,
                "reason": verdict.reason,
                "detail": verdict.detail,
                "conflicts_with": verdict.conflicts_with,
                "accepted_number": numbers.get(token),
                "accepted_at": now if token in numbers else None,
            }
            if token < 0:
                rows[-token - 1] |= values
            else:
                connection.execute(update(Receipt).where(Receipt.receipt == token).values(**values))
        self._insert(connection, rows, taken)
        touched = {item.ledger for item in result.accepted}
        upsert(
            connection,
            Head,
            [
                {"rig": rig, "ledger": name, "seq": head.seq, "n": head.n, "payload_sha256": head.payload_sha256}
                | {"first_sent_at": head.first_sent_at}
                for name, head in sorted(result.heads.items())
                if name in touched
            ],
        )

    def _insert(self, connection: Connection, rows: list[dict[str, Any]], taken: Taken) -> None:
        if rows:
            connection.execute(insert(Receipt), [{k: v for k, v in row.items() if k != "arrival"} for row in rows])
        taken.outcomes.update(row["outcome"] for row in rows)
        taken.reasons.update(row["reason"] for row in rows if row["reason"])

    def _clear(self, folder: int | None, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if folder is not None and row.get("arrival") is not None:
                inbox.remove(folder, row["arrival"])

    def _bound_quarantine(self, like: str) -> None:
        """Let the oldest junk lose its bytes (never its row) where quarantine is past its bounds."""
        with self._control.write() as connection:
            lost = overfull(connection, like)
            if lost:
                for batch in chunks(lost):
                    connection.execute(update(Receipt).where(Receipt.kept.in_(batch)).values(kept=None, kept_bytes=0))
        for path in lost:
            self._vault.forget(path)
