"""What an import has sent: one small file a ledger, so that a grown log sends only what is new.

New reports are first written into this file as *pending*, then put into the inbox, then marked as sent. A kill at any
point leaves a file from which the next import delivers the very same bytes, even if the log has grown meanwhile: two
different payloads for one `seq` would be a fork.
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.rig.files import write_atomic
from thermite_pipelines.rig.reports import build_report, deliver, latest, payload_hash

MAX_EVENTS = 100
"""Most events of one report of an import."""

_VERSION = 1


class SentState(msgspec.Struct, forbid_unknown_fields=True):
    """The file's content: the head of the ledger, a fingerprint for each row sent, and payloads not delivered yet."""

    ledger: str
    version: int = _VERSION
    seq: int = 0
    n: int = 0
    prev: str | None = None
    rows: list[str] = []
    pending: list[str] = []


def import_ledger(importer: str, rig: str, run: str) -> str:
    """The ledger of an import: its own for each importer, rig and run, and the same on every machine."""
    digest = hashlib.sha256(f"{importer}\n{rig}\n{run}".encode()).hexdigest()
    return f"import-{digest[:16]}"


class SentLedger:
    """An import's ledger as far as it was sent. The caller holds a lock on it."""

    def __init__(self, path: Path, rig: str, ledger: str) -> None:
        """Read the state at `path`, or begin a new one. Raises `ThermiteError` if it is damaged or another ledger's."""
        self.path = path
        self.rig = rig
        self.state = SentState(ledger)
        try:
            self.state = msgspec.json.decode(path.read_bytes(), type=SentState)
        except FileNotFoundError:
            return
        except (msgspec.MsgspecError, UnicodeError, OSError) as error:
            raise ThermiteError(
                f"the record of what was sent cannot be read ({str(error)[:80]})",
                where=str(path),
                do="restore it from a backup; without it, a log that has grown would begin its chain anew",
            ) from None
        if self.state.ledger != ledger or self.state.version != _VERSION:
            raise ThermiteError("this is the record of another import", where=str(path), do=f"expected {ledger}")

    def deliver_pending(self, inbox: Path, seed: bytes) -> list[Path]:
        """Put pending reports into the inbox and mark them as sent; gives their paths."""
        state = self.state
        if not state.pending:
            return []
        payloads = [text.encode() for text in state.pending]
        paths = [
            deliver(inbox, state.ledger, state.seq + place, raw, seed) for place, raw in enumerate(payloads, start=1)
        ]
        state.n += sum(len(msgspec.json.decode(raw)["events"]) for raw in payloads)
        state.seq += len(payloads)
        state.prev = payload_hash(payloads[-1])
        state.pending = []
        self._save()
        return paths

    def plan(self, events: Sequence[Mapping[str, Any]], rows: Sequence[str]) -> None:
        """Make reports of new events and keep them as pending; `rows` are the fingerprints of the rows they tell of."""
        seq, prev = self.state.seq, self.state.prev
        for start in range(0, len(events), MAX_EVENTS):
            chunk = events[start : start + MAX_EVENTS]
            seq += 1
            raw = build_report(self.rig, self.state.ledger, seq, prev, latest(chunk), chunk)
            prev = payload_hash(raw)
            self.state.pending.append(raw.decode())
        self.state.rows.extend(rows)
        self._save()

    def _save(self) -> None:
        write_atomic(self.path, msgspec.json.encode(self.state), mode=0o600)
