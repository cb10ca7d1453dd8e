"""What tests of the fold share: folding a list of events, and strategies that make ledgers of one run."""

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from tests.knowledge.golden import RUN, at, sha256
from thermite_pipelines.knowledge.fold import FoldEvent, RunId, change_item, open_item, opens, target
from thermite_pipelines.knowledge.items import Row
from thermite_pipelines.knowledge.quotes import Archive

Rows = dict[tuple[str, str], Row]


def fold(events: Iterable[FoldEvent], rows: Rows | None = None, run: RunId = RUN) -> Rows:
    """The rows after these events; sources are read from the rows, as a folder's writer does."""
    rows = {} if rows is None else rows

    def text_of(source: str) -> str | None:
        row = rows.get(("source", source))
        return None if row is None else row["text"]

    archive = Archive(text_of)
    for event in events:
        key = target(run, event)
        if key is None:
            continue
        row = rows.get(key)
        if row is None:
            assert opens(event)
            rows[key] = open_item(run, event, archive)
        else:
            change_item(row, event)
    return rows


def fold_one(kind: str, *events: tuple[str, str, dict[str, Any]]) -> Row:
    """The only row of a kind that events (writer, type, data) make."""
    recorded = [FoldEvent(n=n, at=at(n), by=by, type=name, data=data) for n, (by, name, data) in enumerate(events, 1)]
    (row,) = [row for key, row in fold(recorded).items() if key[0] == kind]
    return row


_words = st.text(alphabet="ab é\n\t1", max_size=8)
_maybe = st.none() | _words
_number = st.none() | st.integers(-5, 5) | st.floats(-2, 2)


def _fields(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Data with these fields; those that are null may be absent too."""
    return st.fixed_dictionaries(fields).flatmap(
        lambda data: st.sets(st.sampled_from([key for key, value in data.items() if value is None] or ["-"])).map(
            lambda absent: {key: value for key, value in data.items() if key not in absent}
        )
    )


def _id(kind: str) -> st.SearchStrategy[str]:
    return st.sampled_from([f"{kind}-1", f"{kind}-2"])


def _written(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return _fields(text=_words, **fields).map(lambda data: {**data, "text_sha256": sha256(data["text"])})


_quote = st.fixed_dictionaries({"source": _id("s"), "quote": _words})
_about = st.none() | st.fixed_dictionaries({"kind": st.just("trial"), "id": _id("t")})
_SHAPES: dict[str, tuple[str, str, st.SearchStrategy[dict[str, Any]]]] = {
    # type: the field of its id, '+' opens or '=' changes, the data
    "run_started": ("", "=", st.just({})),
    "run_finished": ("", "=", _fields(outcome=st.sampled_from(["completed", "failed"]), summary=_maybe)),
    "trial_started": (
        "trial",
        "+",
        _fields(trial=_id("t"), lane=st.just("lane-1"), kind=st.just("code"), runtime=st.just("pi"), agent=st.none()),
    ),
    "trial_ended": ("trial", "=", _fields(trial=_id("t"), outcome=st.just("gave_up"), reason=_maybe)),
    "experiment_queued": (
        "experiment",
        "+",
        _fields(experiment=_id("e"), title=_words, description=_maybe, from_item=_maybe),
    ),
    "experiment_started": ("experiment", "=", _fields(experiment=_id("e"), trial=_id("t"))),
    "experiment_finished": (
        "experiment",
        "=",
        _fields(
            experiment=_id("e"),
            trial=st.none() | _id("t"),
            status=st.sampled_from(["worse", "failed"]),
            metric=_maybe,
            value=_number,
            unit=_maybe,
            baseline=_number,
            summary=_maybe,
        ),
    ),
    "attempt_submitted": (
        "attempt",
        "+",
        _fields(attempt=_id("a"), trial=_id("t"), title=_maybe, summary=_maybe, commit=_maybe),
    ),
    "attempt_judged": (
        "attempt",
        "=",
        _fields(
            attempt=_id("a"),
            verdict=st.just("invalid"),
            metric=_maybe,
            value=_number,
            champion_value=_number,
            reason=_maybe,
        ),
    ),
    "journal_note": ("note", "+", _fields(note=_id("n"), kind=st.just("lesson"), text=_words, about=_about)),
    "research_note": (
        "note",
        "+",
        _fields(note=_id("r"), text=_words, sources=st.lists(_id("s"), min_size=1, max_size=2)),
    ),
    "document_written": (
        "document",
        "+",
        _written(document=st.sampled_from(["a.md", "x/y.md"]), lane=st.sampled_from(["lane-1", "lane-2"])),
    ),
    "source_archived": (
        "source",
        "+",
        _written(
            source=_id("s"), url=_words, title=_maybe, media_type=_maybe, fetched_at=st.just("2026-11-29T10:00:00Z")
        ),
    ),
    "claim_recorded": (
        "claim",
        "+",
        _fields(claim=_id("c"), text=_words, quotes=st.lists(_quote, min_size=1, max_size=2)),
    ),
    "hypothesis_recorded": (
        "hypothesis",
        "+",
        _fields(hypothesis=_id("h"), text=_words, prediction=_maybe, falsifier=_maybe),
    ),
    "hypothesis_resolved": (
        "hypothesis",
        "=",
        _fields(hypothesis=_id("h"), outcome=st.just("refuted"), evidence=_maybe),
    ),
    "finding_recorded": (
        "finding",
        "+",
        _fields(finding=_id("f"), text=_words, claims=st.lists(_id("c"), max_size=2), confidence=_number),
    ),
    "report_written": ("report", "+", _fields(report=_id("p"), title=_words, text=_words)),
    "owner_message": ("message", "+", st.just({"message": "m-1", "text": "Hello."})),
}
_CREATED = {"mode": "research", "agents": True, "briefing": []}


@st.composite
def ledgers(draw: st.DrawFn) -> list[FoldEvent]:
    """Verified events of one run: records are opened once (documents again and again) and changed after that."""
    events = [FoldEvent(n=3, at=at(3), by="harness", type="run_created", data=_CREATED)]
    seen: set[tuple[str, str]] = {("run", RUN.run)}
    for name in draw(st.lists(st.sampled_from(list(_SHAPES)), max_size=25)):
        id_field, mark, shape = _SHAPES[name]
        n = events[-1].n + draw(st.integers(1, 3))
        event = FoldEvent(n=n, at=at(draw(st.integers(0, 50))), by="lane-1", type=name, data=draw(shape))
        key = target(RUN, event) or (name, event.data.get(id_field, ""))
        legal = name == "document_written" or (key in seen) == (mark == "=")
        if legal:
            seen.add(key)
            events.append(event)
    return events
