"""A made-up ledger of one research run that makes an item of every kind, and the rows that must come of it."""

import hashlib
from typing import Any

from thermite_pipelines.knowledge.fold import FoldEvent, RunId
from thermite_pipelines.times import parse_rfc3339

RUN = RunId(rig="rig-a", ledger="LEDGER1", run="run-7", label="run-7")
START = 1_764_500_000_000_000
SECOND = 1_000_000

PAGE = "Warm caches\n  cut the first\u00a0query from 41 ms to 9 ms.\tCafe\u0301 menus stay cold."
PLAN = "# Plan\n\nMeasure first."
PLAN_2 = "# Plan\n\nMeasure first, then cut."
LONG = "The parser spends most of its time in a loop over tokens, " * 4


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def at(n: int) -> int:
    """When the event number `n` happened."""
    return START + n * SECOND


BRIEFED = {
    "item": "finding:rig-b/run-1/f1",
    "kind": "finding",
    "campaign": "speed-up",
    "rig": "rig-b",
    "run": "run-1",
    "by": "planner",
    "at": "2026-11-01T00:00:00Z",
    "text": "Batching pays from eight on.",
}

_RECORDED: list[tuple[str, str, dict[str, Any]]] = [
    # 1
    (
        "harness",
        "run_created",
        {
            "mode": "research",
            "title": "Faster start",
            "kit": "kit-2",
            "contract": "start-time",
            "flags": ["--quick"],
            "routes": ["big", "small"],
            "planner_runtime": "claude_code",
            "agents": True,
            "briefing": [BRIEFED],
        },
    ),
    ("harness", "run_started", {}),  # 2
    ("planner", "round_started", {"round": "r1", "kind": "plan"}),
    ("planner", "experiment_queued", {"experiment": "e1", "title": "Warm the cache", "description": "Fill it first."}),
    (
        "harness",
        "trial_started",
        {"trial": "t1", "lane": "lane-1", "kind": "code", "runtime": "codex", "experiment": "e1"},
    ),
    ("harness", "experiment_started", {"experiment": "e1", "trial": "t1"}),  # 6
    ("lane-1", "journal_note", {"note": "n1", "kind": "surprise", "text": "It was warm already.", "about": None}),
    (
        "teachers:ada",
        "journal_note",
        {"note": "n2", "kind": "lesson", "text": "Look before you leap.", "about": {"kind": "experiment", "id": "e1"}},
    ),
    (
        "lane-1",
        "attempt_submitted",
        {"attempt": "a1", "trial": "t1", "experiment": "e1", "summary": "Prefill.", "commit": "abc123"},
    ),
    # 10
    (
        "harness",
        "attempt_judged",
        {
            "attempt": "a1",
            "verdict": "accepted",
            "metric": "ms",
            "value": 9,
            "champion_value": 41.5,
            "reason": "Faster.",
        },
    ),
    ("harness", "trial_ended", {"trial": "t1", "outcome": "submitted", "reason": "It handed in a1."}),
    # 12
    (
        "planner",
        "experiment_finished",
        {
            "experiment": "e1",
            "trial": None,
            "status": "improved",
            "metric": "ms",
            "value": 9,
            "unit": "ms",
            "baseline": 41,
            "summary": "Four times as fast.",
        },
    ),
    # 13
    (
        "lane-1",
        "source_archived",
        {
            "source": "s1",
            "url": "https://example.org/caches",
            "media_type": "text/html",
            "text": PAGE,
            "text_sha256": sha256(PAGE),
            "fetched_at": "2026-11-29T12:00:00.5+02:00",
        },
    ),
    ("lane-1", "research_note", {"note": "r1", "text": "Caches help.\nBut not on cold paths.", "sources": ["s1"]}),
    # 15
    (
        "lane-1",
        "claim_recorded",
        {
            "claim": "c1",
            "text": LONG,
            "quotes": [
                {"source": "s1", "quote": "cut the first query from 41 ms to 9 ms."},
                {"source": "s1", "quote": "cut the first query from 42 ms to 9 ms."},
            ],
        },
    ),
    (
        "planner",
        "hypothesis_recorded",
        {"hypothesis": "h1", "text": "Reading is the cost.", "falsifier": "A RAM disk is as slow."},
    ),
    (
        "planner",
        "hypothesis_resolved",
        {"hypothesis": "h1", "outcome": "confirmed", "evidence": "The RAM disk was fast."},
    ),
    (
        "planner",
        "finding_recorded",
        {"finding": "f1", "text": "Warm starts are four times as fast.", "claims": ["c1"], "confidence": 1},
    ),
    (
        "lane-2",
        "document_written",
        {"document": "lane-1/plan.md", "lane": "lane-2", "text": PLAN, "text_sha256": sha256(PLAN)},
    ),
    (
        "lane-1",
        "document_written",
        {"document": "lane-1/plan.md", "lane": "lane-1", "text": PLAN_2, "text_sha256": sha256(PLAN_2)},
    ),
    ("planner", "report_written", {"report": "p1", "title": "On starts", "text": "# On starts\n\nWarm them."}),  # 21
    ("owner", "owner_message", {"message": "m1", "text": "Well done."}),
    ("lane-1", "help_requested", {"request": "q1", "agent": "worker", "summary": "No network.", "fatal": False}),
    ("lane-1", "learning_proposed", {"learning": "l1", "agent": "worker", "text": "Warm first.", "impact": "low"}),
    ("harness", "brief_given", {"agent": "worker", "learnings": [], "items": []}),
    ("planner", "round_ended", {"round": "r1"}),
    ("harness", "run_finished", {"outcome": "completed", "summary": "Start is four times as fast."}),  # 27
]

EVENTS: list[FoldEvent] = [
    FoldEvent(n=n, at=at(n), by=by, type=kind, data=data) for n, (by, kind, data) in enumerate(_RECORDED, start=1)
]


def _row(
    kind: str, record: str, by: str, first: int, last: int, title: str, text: str | None, **own: Any
) -> dict[str, Any]:
    about = {"about_kind": own.pop("about_kind", None), "about": own.pop("about", None)}
    return {
        "item": f"{kind}:rig-a/run-7/{record}",
        "rig": "rig-a",
        "ledger": "LEDGER1",
        "run": "run-7",
        "written_by": by,
        "created_at": at(first),
        "updated_at": at(last),
        "n": first,
        "updated_n": last,
        "title": title,
        "text": text,
        **about,
        **own,
    }


ROWS: dict[tuple[str, str], dict[str, Any]] = {
    ("run", "run-7"): _row(
        "run",
        "run-7",
        "harness",
        1,
        27,
        "Faster start",
        "Start is four times as fast.",
        mode="research",
        kit="kit-2",
        contract="start-time",
        flags=["--quick"],
        routes=["big", "small"],
        planner_runtime="claude_code",
        teachers_open_fetch=True,
        agents=True,
        briefing=[
            {
                "item": "finding:rig-b/run-1/f1",
                "kind": "finding",
                "campaign": "speed-up",
                "rig": "rig-b",
                "run": "run-1",
                "written_by": "planner",
                "written_at": "2026-11-01T00:00:00Z",
                "text": "Batching pays from eight on.",
            }
        ],
        outcome="completed",
        summary="Start is four times as fast.",
        started_at=at(2),
        finished_at=at(27),
    ),
    ("experiment", "e1"): _row(
        "experiment",
        "e1",
        "planner",
        4,
        12,
        "Warm the cache",
        "Fill it first.\n\nFour times as fast.",
        description="Fill it first.",
        from_item=None,
        trial="t1",
        status="improved",
        metric="ms",
        value=9.0,
        unit="ms",
        baseline=41.0,
        summary="Four times as fast.",
    ),
    ("trial", "t1"): _row(
        "trial",
        "t1",
        "harness",
        5,
        11,
        "lane-1 code trial",
        "It handed in a1.",
        lane="lane-1",
        trial_kind="code",
        runtime="codex",
        experiment="e1",
        agent="worker",
        outcome="submitted",
        reason="It handed in a1.",
    ),
    ("note", "n1"): _row(
        "note",
        "n1",
        "lane-1",
        7,
        7,
        "surprise",
        "It was warm already.",
        about_kind="run",
        about="run-7",
        note_kind="surprise",
    ),
    ("note", "n2"): _row(
        "note",
        "n2",
        "teachers:ada",
        8,
        8,
        "lesson",
        "Look before you leap.",
        about_kind="experiment",
        about="e1",
        note_kind="lesson",
    ),
    ("attempt", "a1"): _row(
        "attempt",
        "a1",
        "lane-1",
        9,
        10,
        "a1",
        "Prefill.\n\nFaster.",
        trial="t1",
        experiment="e1",
        summary="Prefill.",
        commit="abc123",
        verdict="accepted",
        metric="ms",
        value=9.0,
        champion_value=41.5,
        reason="Faster.",
    ),
    ("source", "s1"): _row(
        "source",
        "s1",
        "lane-1",
        13,
        13,
        "https://example.org/caches",
        PAGE,
        url="https://example.org/caches",
        media_type="text/html",
        text_sha256=sha256(PAGE),
        fetched_at=parse_rfc3339("2026-11-29T10:00:00.5Z"),
    ),
    ("research_note", "r1"): _row(
        "research_note",
        "r1",
        "lane-1",
        14,
        14,
        "Caches help.",
        "Caches help.\nBut not on cold paths.",
        sources=["s1"],
    ),
    ("claim", "c1"): _row(
        "claim",
        "c1",
        "lane-1",
        15,
        15,
        LONG[:120],
        LONG,
        quotes=[
            {"source": "s1", "quote": "cut the first query from 41 ms to 9 ms.", "verified": True},
            {"source": "s1", "quote": "cut the first query from 42 ms to 9 ms.", "verified": False},
        ],
    ),
    ("hypothesis", "h1"): _row(
        "hypothesis",
        "h1",
        "planner",
        16,
        17,
        "Reading is the cost.",
        "Reading is the cost.\n\nA RAM disk is as slow.\n\nThe RAM disk was fast.",
        statement="Reading is the cost.",
        prediction=None,
        falsifier="A RAM disk is as slow.",
        outcome="confirmed",
        evidence="The RAM disk was fast.",
    ),
    ("finding", "f1"): _row(
        "finding",
        "f1",
        "planner",
        18,
        18,
        "Warm starts are four times as fast.",
        "Warm starts are four times as fast.",
        claims=["c1"],
        confidence=1.0,
    ),
    ("document", "lane-1/plan.md"): _row(
        "document",
        "lane-1/plan.md",
        "lane-2",
        19,
        20,
        "lane-1/plan.md",
        PLAN_2,
        lane="lane-1",
        version=2,
        text_sha256=sha256(PLAN_2),
    ),
    ("report", "p1"): _row("report", "p1", "planner", 21, 21, "On starts", "# On starts\n\nWarm them."),
}
