"""Reports and events for the tests, made from plain words."""

import hashlib
import json
from typing import Any

from thermite_pipelines.ledger.event_checks import Rejection, RunRecords, judge
from thermite_pipelines.ledger.payload import Event

AT = "2026-11-29T10:14:58.120Z"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def wire_event(n: int, type: str = "journal_note", **fields: Any) -> dict[str, Any]:
    event: dict[str, Any] = {"n": n, "id": f"e{n}", "at": AT, "run": "run-7", "campaign": "speed-up", "type": type}
    return event | {"by": "lane-1", "data": {"note": f"note-{n}", "kind": "note", "text": "warm cache"}} | fields


def wire_report(*events: dict[str, Any], **fields: Any) -> dict[str, Any]:
    report = {"schema": "thermite.report/1", "rig": "rig-a", "ledger": "01JD", "seq": 1, "prev": None, "sent_at": AT}
    return report | {"events": list(events)} | fields


def raw(value: Any) -> bytes:
    return json.dumps(value).encode()


SOURCE = {
    "source": "src-1",
    "url": "https://example.org",
    "text": "page",
    "fetched_at": AT,
    "text_sha256": sha256("page"),
}
DOCUMENT = {"document": "lane-1/notes.md", "lane": "lane-1", "text": "# Notes", "text_sha256": sha256("# Notes")}
SESSION = {
    "session": "0b6f3a52-8c3e-4f1a-9d55-2f2f9c1b7a10",
    "started_at": AT,
    "messages": [{"role": "human", "text": "go"}],
}

# One good `data` for each type, in an order in which each finds the records that it needs; second, who writes it.
SCRIPT: list[tuple[str, str, dict[str, Any]]] = [
    ("run_created", "harness", {"mode": "research", "agents": True, "briefing": []}),
    ("run_started", "harness", {}),
    ("experiment_queued", "planner", {"experiment": "exp-1", "title": "Fuse kernels"}),
    (
        "trial_started",
        "harness",
        {"trial": "t-1", "lane": "lane-1", "kind": "code", "runtime": "codex", "experiment": "exp-1"},
    ),
    (
        "brief_given",
        "harness",
        {"agent": "worker", "trial": "t-1", "learnings": ["rig-b/r/l"], "items": ["note:a/b/c"]},
    ),
    ("experiment_started", "lane-1", {"experiment": "exp-1", "trial": "t-1"}),
    ("attempt_submitted", "lane-1", {"attempt": "a-1", "trial": "t-1", "experiment": "exp-1"}),
    ("attempt_judged", "harness", {"attempt": "a-1", "verdict": "accepted", "value": 3}),
    ("experiment_finished", "lane-1", {"experiment": "exp-1", "status": "improved", "value": 1.5, "baseline": 1}),
    ("trial_ended", "harness", {"trial": "t-1", "outcome": "submitted"}),
    ("source_archived", "lane-1", SOURCE),
    (
        "claim_recorded",
        "lane-1",
        {"claim": "c-1", "text": "It is so.", "quotes": [{"source": "src-1", "quote": "page"}]},
    ),
    ("research_note", "lane-1", {"note": "rn-1", "text": "Sources agree.", "sources": ["src-1"]}),
    ("hypothesis_recorded", "planner", {"hypothesis": "h-1", "text": "It is the cache."}),
    ("hypothesis_resolved", "planner", {"hypothesis": "h-1", "outcome": "confirmed"}),
    ("finding_recorded", "planner", {"finding": "f-1", "text": "It is.", "claims": ["c-1"], "confidence": 1}),
    ("report_written", "combiner:x", {"report": "rep-1", "title": "All", "text": "# All"}),
    ("document_written", "lane-1", DOCUMENT),
    ("round_started", "harness", {"round": "r-1", "kind": "review"}),
    ("round_ended", "harness", {"round": "r-1"}),
    ("owner_message", "owner", {"message": "m-1", "text": "Go on."}),
    ("help_requested", "lane-1", {"request": "q-1", "agent": "worker", "summary": "no key", "fatal": False}),
    ("learning_proposed", "lane-1", {"learning": "l-1", "agent": "worker", "text": "", "impact": "low"}),
    (
        "journal_note",
        "auditor:b",
        {"note": "n-1", "kind": "lesson", "text": "x", "about": {"kind": "round", "id": "r-1"}},
    ),
    ("session_recorded", "harness", SESSION),
    ("run_finished", "harness", {"outcome": "completed"}),
]
GOOD = {type: data for type, _, data in SCRIPT}
WRITER = {type: by for type, by, _ in SCRIPT}


class Ledger:
    """Judges events one after the other, as they would stand in one ledger."""

    def __init__(self) -> None:
        self.runs: dict[str, RunRecords] = {}
        self.n = 0

    def add(
        self, type: str, data: Any = ..., *, run: str | None = "run-7", by: str = "", campaign: Any = None, **more: Any
    ):
        """Judge one event; `data` is the good sample unless given, `more` is laid over it."""
        data = GOOD[type] if data is ... else data
        if more:
            data = data | more
        self.n += 1
        return judge(Event(self.n, f"e{self.n}", 0, run, campaign, type, by or WRITER[type], data), self.runs)

    def play(self, until: str | None = None, *, mode: str = "research", run: str = "run-7") -> "Ledger":
        """Add the good script up to `until` (not included), which must all hold."""
        for type, _, data in SCRIPT:
            if type == until:
                break
            assert self.add(type, data | {"mode": mode} if type == "run_created" else data, run=run) is None, type
        return self


def reason(rejection: Rejection | None) -> str | None:
    if rejection is None:
        return None
    assert "\n" not in rejection.detail
    return rejection.reason
