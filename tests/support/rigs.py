"""A simulated rig: it keeps a ledger, seals reports with its own key and drops them in an inbox."""

import gzip
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from thermite_pipelines.ledger.envelope import REPORT_TYPE, keyid_of, public_key_of, seal

AT = "2026-11-29T10:14:58.120Z"
_HARNESS_TYPES = ("run_", "trial_", "attempt_judged", "brief_given", "session_recorded")


@dataclass(frozen=True)
class Sealed:
    """One signed report: its place in the chain, the payload and the envelope's bytes."""

    seq: int
    payload: bytes
    envelope: bytes
    events: tuple[dict[str, Any], ...]

    @property
    def sha256(self) -> str:
        """The payload's hash."""
        return hashlib.sha256(self.payload).hexdigest()


def seed_of(name: str) -> bytes:
    """A key seed for tests, always the same for a name."""
    return hashlib.sha256(f"test seed of {name}".encode()).digest()


def drop(inbox: Path, name: str, data: bytes, *, mtime: float | None = None) -> Path:
    """Put a file into an inbox folder as a rig does: under another name first, then renamed."""
    inbox.mkdir(parents=True, exist_ok=True)
    path = inbox / name
    part = inbox / f".{name}.part"
    part.write_bytes(data)
    if mtime is not None:
        os.utime(part, (mtime, mtime))
    part.rename(path)
    return path


@dataclass
class RigSimulator:
    """A rig with one ledger (see `reset`). `say` adds an event, `report` seals what was said, `send` drops it too.

    `report` never needs a pipeline, so tests can make any number of reports first and deliver them in any order with
    `drop`. Two simulators with the same name share the key; `fork` gives one that goes on from here on its own.
    """

    name: str
    inbox: Path
    ledger: str = "L1"
    seed: bytes = b""
    seq: int = 0
    n: int = 0
    prev: str | None = None
    sent_at: str = "2026-11-29T10:15:00.000Z"
    said: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seed = self.seed or seed_of(self.name)

    @property
    def public_key(self) -> str:
        """The public key as control takes it: 64 hex digits."""
        return public_key_of(self.seed).hex()

    @property
    def keyid(self) -> str:
        """The id of the key."""
        return keyid_of(public_key_of(self.seed))

    def fork(self, **changes: Any) -> "RigSimulator":
        """A rig that goes on from this one's state, independent of it; `changes` are fields to set otherwise."""
        return RigSimulator(**({**vars(self), "said": list(self.said)} | changes))

    def reset(self, ledger: str, sent_at: str | None = None) -> None:
        """Start a new ledger, as a full reset does."""
        self.ledger, self.seq, self.n, self.prev, self.said = ledger, 0, 0, None, []
        self.sent_at = sent_at or self.sent_at

    def say(self, type: str, data: Any = None, *, run: str | None = "run-1", **fields: Any) -> dict[str, Any]:
        """Add an event to what the next report holds; `fields` replace those of the event (`by`, `at` ...)."""
        self.n += 1
        by = "harness" if type.startswith(_HARNESS_TYPES) else "owner" if type == "owner_message" else "lane-1"
        event = {"n": self.n, "id": f"e{self.n}", "at": AT, "run": run, "campaign": "speed-up", "type": type, "by": by}
        event |= {"data": {} if data is None else data} | fields
        self.said.append(event)
        return event

    def say_run(self, run: str = "run-1", mode: str = "research", **fields: Any) -> dict[str, Any]:
        """Add the event that creates a run."""
        data = {"mode": mode, "agents": True, "briefing": []} | fields.pop("data", {})
        return self.say("run_created", data, run=run, **fields)

    def say_note(self, text: str = "warm the cache first", *, run: str = "run-1", **fields: Any) -> dict[str, Any]:
        """Add a field note with an id of its own."""
        return self.say("journal_note", {"note": f"note-{self.n + 1}", "kind": "note", "text": text}, run=run, **fields)

    def report(self, **fields: Any) -> Sealed:
        """Seal what was said as the next report; `fields` replace those of the payload."""
        self.seq += 1
        events = tuple(self.said)
        self.said = []
        payload = {"schema": "thermite.report/1", "rig": self.name, "ledger": self.ledger, "seq": self.seq}
        payload |= {"prev": self.prev, "sent_at": self.sent_at, "events": events} | fields
        raw = json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()
        self.prev = hashlib.sha256(raw).hexdigest()
        return Sealed(self.seq, raw, seal(REPORT_TYPE, raw, self.seed), events)

    def drop(self, sealed: Sealed | bytes, name: str | None = None, *, packing: str = "") -> Path:
        """Put a report (or any bytes) into this rig's inbox; `packing` is '', 'gz' or 'zst'."""
        data = sealed if isinstance(sealed, bytes) else sealed.envelope
        if name is None:
            name = f"{self.ledger}-{hashlib.sha256(data).hexdigest()[:16]}.dsse.json"
        if packing:
            data = gzip.compress(data, mtime=0) if packing == "gz" else zstandard.compress(data)
            name = f"{name}.{packing}"
        return drop(self.inbox, name, data)

    def send(self, name: str | None = None) -> Sealed:
        """Seal what was said and drop it in the inbox."""
        sealed = self.report()
        self.drop(sealed, name)
        return sealed
