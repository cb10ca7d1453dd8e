"""Small logs in the forms that autoresearch-style loops write, and a look at what an import put into an inbox."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thermite_pipelines.ledger.envelope import REPORT_TYPE, pae, parse_envelope, public_key_of, verify
from thermite_pipelines.ledger.event_checks import RunRecords, judge
from thermite_pipelines.ledger.payload import Event, parse_payload
from thermite_pipelines.rig.importers.imports import ImportResult, import_log

SEED = bytes(range(32))

CLASSIC = (
    "commit\tval_bpb\tmemory_gb\tstatus\tdescription\n"
    "aa11bb2\t1.2100\t40.1\tkeep\tbaseline\n"
    "bb22cc3\t1.1900\t40.3\tkeep\twider feed-forward layer\n"
    "cc33dd4\t1.2300\t40.3\tdiscard\tno weight decay\n"
    "dd44ee5\t0.000000\t0.0\tcrash\tbatch of 512 (out of memory)\n"
)

FLAT_JSON = (
    '{"iteration": 1, "timestamp": "2026-02-01T10:00:00+01:00", "commit": "abc1234", "score": 71.5, "delta": 0,'
    ' "status": "baseline", "description": "first prompt", "model": "claude-small"}\n'
    '{"iteration": 2, "timestamp": "2026-02-01T11:00:00Z", "commit": "abd2345", "score": 74, "delta": 2.5,'
    ' "status": "keep", "description": "shorter prompt", "model": "gpt-codex", "metrics": {"recall": 0.8}}\n'
    '{"iteration": 3, "timestamp": "2026-02-01T12:00:00Z", "commit": null, "score": null, "delta": null,'
    ' "status": "no-op", "description": "same words in another order", "model": "other"}\n'
)

NESTED_JSON = (
    '{"experiment_name": "cold cache", "status": "completed", "config": {"threads": 4},'
    ' "results": {"read": {"latency_us": 12.5}}, "meta": {"timestamp": "2026-02-01T10:00:00Z"}}\n'
)

PI_JSON = (
    '{"type": "config", "name": "Faster parser", "metricName": "parse_µs", "metricUnit": "µs",'
    ' "bestDirection": "lower"}\n'
    '{"run": 1, "commit": "a0a0a0a", "metric": 900, "metrics": {"allocs": 10}, "status": "keep",'
    ' "description": "start", "timestamp": 1769940000000}\n'
    '{"run": 2, "commit": "b0b0b0b", "metric": 950, "status": "discard", "description": "cache the keys",'
    ' "timestamp": 1769943600000}\n'
)

KEPT_JSON = (
    '{"iteration": 1, "kept": true, "reason": "improvement", "score_ns": 900, "baseline_ns": 1000,'
    ' "agent_idea": "unroll the loop", "diff": "--- a", "agent_thinking": "The loop is short."}\n'
    '{"iteration": 2, "kept": false, "reason": "regression", "score_ns": 950, "baseline_ns": 900,'
    ' "agent_idea": "prefetch"}\n'
    '{"iteration": 3, "kept": false, "reason": "tests_failed", "score_ns": null, "baseline_ns": 900,'
    ' "agent_idea": "skip the check"}\n'
    '{"iteration": 4, "kept": false, "reason": "no_changes", "score_ns": null, "baseline_ns": 900,'
    ' "agent_idea": "none"}\n'
)

PROSE = """# Field log of the parser work

Goal: a faster parser.

## Setup

One machine, one thread.

## Phase 1

| Experiment | Idea | Latency_ms | Decision |
|---|---|---|---|
| T01 | table lookup | 12.5 | **KEEP** |
| T02 | two passes | 14.0 | REVERT |

## Lessons

Memory traffic costs more than branches.

## Run 3: larger table

It did not fit the cache.
"""


@dataclass
class Inbox:
    """What lies in an inbox, read as the pipeline reads it."""

    events: list[Event] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    payloads: list[bytes] = field(default_factory=list)

    def data(self, event_type: str) -> list[dict[str, Any]]:
        return [event.data for event in self.events if event.type == event_type]


def read_inbox(folder: Path, rig: str = "rig-a") -> Inbox:
    """Check signatures and the chain, and judge every event by the project's own rules."""
    inbox = Inbox()
    runs: dict[str, RunRecords] = {}
    prev = None
    for seq, path in enumerate(sorted(folder.glob("*.dsse.json")), start=1):
        envelope = parse_envelope(path.read_bytes(), REPORT_TYPE)
        assert verify(public_key_of(SEED), pae(REPORT_TYPE, envelope.payload), envelope.signatures[0].sig)
        report = parse_payload(envelope.payload)
        assert (report.rig, report.seq, report.prev) == (rig, seq, prev)
        assert path.name == f"{report.ledger}-{seq:08d}.dsse.json"
        prev = hashlib.sha256(envelope.payload).hexdigest()
        inbox.payloads.append(envelope.payload)
        for event in report.events:
            inbox.events.append(event)
            assert event.n == len(inbox.events)
            if rejection := judge(event, runs):
                inbox.rejected.append(f"{event.type}: {rejection}")
    return inbox


@dataclass
class Importing:
    """An import that can be done again and again."""

    folder: Path
    run: str = "run-1"

    @property
    def inbox(self) -> Path:
        return self.folder / "inbox" / "rig-a"

    @property
    def state(self) -> Path:
        return self.folder / "imports" / "state.json"

    def __call__(self, log: Path) -> ImportResult:
        return import_log(
            "autoresearch",
            log,
            rig="rig-a",
            run=self.run,
            campaign="speed-up",
            seed=SEED,
            inbox_dir=self.inbox,
            state_path=self.state,
        )
