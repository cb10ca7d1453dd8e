"""The transaction that gives files their outcome: receipts, chains and heads change together or not at all.

What a file is by itself was judged before (`judge.py`), from what was known then. Here, under the write lock, the rest
is decided: whether its receipt exists already, whether its key was revoked meanwhile, and its place in the chain.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, RowMapping, func, insert, select, update

from thermite_pipelines.control.db import Control, chunks, upsert
from thermite_pipelines.control.models import Head, Receipt
from thermite_pipelines.intake.chain import ChainResult, Verdict, extend
from thermite_pipelines.intake.inbox import Arrival, unpack
from thermite_pipelines.intake.judge import Key, judge_envelope
from thermite_pipelines.intake.receipt_rows import (
    accepted_hashes,
    candidates,
    columns,
    heads_of,
    is_accepted,
    keys_of,
    link,
    overfull,
    quarantined,
    receipted,
)
from thermite_pipelines.intake.vault import Vault, is_envelope
from thermite_pipelines.times import now_micros

Row = Mapping[str, Any] | RowMapping


@dataclass
class Taken:
    """What one intake did: outcomes and reasons of the files that arrived, events of all reports accepted now.

    `removed_again`: files that only had to leave the inbox, since a kill came after their receipt. `left`: files that
    changed while they were read, or can't be read, and stay for the next intake.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    accepted_events: int = 0
    removed_again: int = 0
    left: int = 0


@dataclass
class New:
    """A file of an inbox with its receipt to be, whose outcome is '' where the chain decides."""

    arrival: Arrival
    row: dict[str, Any]


class Settling:
    """Writes receipts. The caller holds the lease of the rig (`rig:<rig>`)."""

    def __init__(self, control: Control, vault: Vault, max_bytes: int) -> None:
        self._control = control
        self._vault = vault
        self._max_bytes = max_bytes

    def settle(self, rig: str, new: list[New], taken: Taken) -> None:
        """Write the receipts of new files, and extend the rig's chains with them and with all that waits."""
        if not new:
            with self._control.read() as connection:
                if not candidates(connection, rig):
                    return
        with self._control.write() as connection:
            self.apply(connection, rig, new, taken)

    def insert(self, new: list[New], taken: Taken) -> None:
        """Write the receipts of files whose outcome the chain has no say in."""
        if new:
            with self._control.write() as connection:
                self._insert(connection, self._fresh(connection, new, taken), taken)

    def apply(
        self,
        connection: Connection,
        rig: str,
        new: list[New],
        taken: Taken,
        retried: Mapping[int, Row] | None = None,
    ) -> None:
        """The same as `settle` in a transaction of the caller.

        `retried` are receipts judged again, with the columns they have now.
        """
        new = self._fresh(connection, new, taken)
        earlier: dict[int, Row] = {row.receipt: row._mapping for row in candidates(connection, rig)}
        earlier |= retried or {}
        rows = {-1 - place: item.row for place, item in enumerate(new) if item.row["outcome"] == ""} | earlier
        stopped, changes = self._revoked(connection, rig, rows)
        links = [link(token, row) for token, row in rows.items() if token not in stopped]
        heads = heads_of(connection, rig, {item.ledger for item in links})
        result = extend(links, heads, accepted_hashes(connection, rig, links, heads))
        result.verdicts.update(stopped)
        self._write_verdicts(connection, new, earlier, result, changes)
        self._write_heads(connection, rig, result)
        self._insert(connection, new, taken)
        taken.accepted_events += sum(item.events for item in result.accepted)

    def judge_kept(self, row: Row, keys: dict[str, Key] | None) -> tuple[dict[str, Any], bytes | None]:
        """The envelope that is kept and the columns of a receipt judged anew; outcome '' where the chain decides."""
        name = "kept.dsse.json" if is_envelope(row["kept"]) else row["name"]
        content = unpack(self._vault.pieces(row["kept"]), name, self._max_bytes)
        if content.envelope is None:
            return quarantined(content.reason or "", content.detail or ""), None
        judged = judge_envelope(content.envelope, row["rig"], keys, lambda sha: self.is_accepted(row["rig"], sha))
        return columns(judged), content.envelope

    def is_accepted(self, rig: str, payload_sha256: str) -> bool:
        """Whether a payload is accepted for the rig."""
        with self._control.read() as connection:
            return is_accepted(connection, rig, payload_sha256)

    def bound_quarantine(self, rig: str | None) -> None:
        """Let the oldest junk of a rig (None: of all unknown rigs) lose its bytes, never its row, past the bounds."""
        with self._control.write() as connection:
            lost = overfull(connection, rig)
            for batch in chunks(lost):
                connection.execute(update(Receipt).where(Receipt.kept.in_(batch)).values(kept=None, kept_bytes=0))
        for path in lost:
            self._vault.forget(path)

    def _fresh(self, connection: Connection, new: list[New], taken: Taken) -> list[New]:
        """The files without those whose receipt exists already: a kill, or a second intake, came between."""
        seen = receipted(connection, [item.row for item in new])
        fresh = [item for place, item in enumerate(new) if place not in seen]
        taken.removed_again += sum(item.arrival.regular for item in new) - sum(item.arrival.regular for item in fresh)
        return fresh

    def _revoked(
        self, connection: Connection, rig: str, rows: dict[int, Any]
    ) -> tuple[dict[int, Verdict], dict[int, dict[str, Any]]]:
        """Verdicts on reports whose key is revoked by now, and new columns of those that another key signed too."""
        keys = keys_of(connection, rig)
        stopped: dict[int, Verdict] = {}
        changes: dict[int, dict[str, Any]] = {}
        for token, row in rows.items():
            key = keys.get(row["keyid"])
            if key is not None and key.revoked_at is None:
                continue
            if is_accepted(connection, rig, row["payload_sha256"]):
                continue
            values, _ = self.judge_kept(row, keys)
            if values["outcome"]:
                stopped[token] = Verdict(values["outcome"], values["reason"], values["detail"])
            else:
                changes[token] = {"keyid": values["keyid"]}
        return stopped, changes

    def _write_verdicts(
        self,
        connection: Connection,
        new: list[New],
        earlier: dict[int, Row],
        result: ChainResult,
        changes: dict[int, dict[str, Any]],
    ) -> None:
        number = connection.execute(select(func.max(Receipt.accepted_number))).scalar() or 0
        now = now_micros()
        numbers: dict[int, int] = {item.token: number + place for place, item in enumerate(result.accepted, 1)}
        for token, verdict in result.verdicts.items():
            values = changes.get(token, {}) | {
                "outcome": verdict.outcome,
                "reason": verdict.reason,
                "detail": verdict.detail,
                "conflicts_with": verdict.conflicts_with,
                "accepted_number": numbers.get(token),
                "accepted_at": now if token in numbers else None,
            }
            if token < 0:
                new[-1 - token].row |= values
            elif any(earlier[token][name] != value for name, value in values.items()):
                connection.execute(update(Receipt).where(Receipt.receipt == token).values(**values))

    def _write_heads(self, connection: Connection, rig: str, result: ChainResult) -> None:
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

    def _insert(self, connection: Connection, new: list[New], taken: Taken) -> None:
        if new:
            connection.execute(insert(Receipt), [item.row for item in new])
        taken.outcomes.update(item.row["outcome"] for item in new)
        taken.reasons.update(item.row["reason"] for item in new if item.row["reason"])
