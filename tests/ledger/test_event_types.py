from typing import Any

import pytest

from tests.ledger.samples import AT, GOOD, SCRIPT, sha256
from thermite_pipelines.ledger.event_types import EVENT_TYPES, RECORD_KINDS, DataError

NAME = ["", "-a", "a b", "a\n", "a/b", "a" * 129, 1, None, ["a"]]
AGENT = ["", "-a", "a b", "worker\n", "a" * 65, 1, None]
TIME = ["", "yesterday", "2026-11-29T10:14:58", 1, None]
HASH = ["", sha256("other"), sha256("page").upper(), 1, None]
BRIEF = {
    "item": "note:a/b/c",
    "kind": "note",
    "campaign": "c",
    "rig": "a",
    "run": "b",
    "by": "lane-1",
    "at": AT,
    "text": "x",
}

BAD: dict[str, dict[str, list[Any]]] = {
    "run_created": {
        "mode": ["Research", "", None, 1],
        "agents": [None, 0, "true"],
        "briefing": [None, {}, ["x"], [BRIEF | {"text": 1}], [{"item": "x"}], [BRIEF | {"at": "now"}]],
        "flags": ["x", [1], {}],
        "routes": [[None]],
        "title": [1],
        "teachers_open_fetch": ["yes", 1],
    },
    "run_finished": {"outcome": ["done", None], "summary": [1]},
    "trial_started": {
        "trial": NAME,
        "lane": ["", "lane-0", "lane-x", "1", 1, None, "lane-1\n", "../x"],
        "kind": ["review", None],
        "runtime": ["Codex", None],
        "agent": AGENT[:-1],
        "experiment": NAME[:-3],
    },
    "trial_ended": {"trial": NAME, "outcome": ["ok"], "reason": [[]]},
    "experiment_queued": {"experiment": NAME, "title": [None, 1], "from_item": [1]},
    "experiment_started": {"experiment": NAME, "trial": NAME},
    "experiment_finished": {"status": ["better", None], "value": ["1", True, [1]], "baseline": [False]},
    "attempt_submitted": {"attempt": NAME, "trial": NAME, "commit": [1]},
    "attempt_judged": {"verdict": ["ok", None], "champion_value": [True, "2"]},
    "journal_note": {
        "note": NAME,
        "kind": ["idea", "Note", "", None],
        "text": ["", "x" * 2001, "😀" * 2001, None, 1],
        "about": [
            "exp-1",
            [],
            {},
            {"kind": "run", "id": "a"},
            {"kind": "note", "id": "a"},
            {"kind": "trial", "id": ""},
        ],
    },
    "research_note": {"note": NAME, "sources": [[], None, "src-1", [1], [""], {}], "text": [None]},
    "source_archived": {"source": NAME, "url": [None], "text": [None, 1], "text_sha256": HASH, "fetched_at": TIME},
    "claim_recorded": {"claim": NAME, "quotes": [[], None, ["x"], [{"source": "s"}], [{"source": "", "quote": "x"}]]},
    "hypothesis_recorded": {"hypothesis": NAME, "text": [None], "prediction": [1]},
    "hypothesis_resolved": {"outcome": ["true", None]},
    "finding_recorded": {"finding": NAME, "claims": [None, "c", [1], [""]], "confidence": [-0.01, 1.01, True, "0.5"]},
    "report_written": {"report": NAME, "title": [None], "text": [None]},
    "document_written": {
        "document": ["", "/a", "../a", "a/../b", "a//b", "a/", "./a", "a\\b", "a\nb", "a\x7f", "a\x85", None, 1],
        "lane": ["planner", None],
        "text_sha256": [sha256("x")],
    },
    "round_started": {"round": NAME, "kind": ["vote"], "advisor": [1]},
    "round_ended": {"round": NAME, "outcome": [1]},
    "owner_message": {"message": NAME, "text": [None]},
    "help_requested": {"request": NAME, "agent": AGENT, "summary": [None, 1], "fatal": [None, 0, "no"], "detail": [1]},
    "learning_proposed": {"learning": NAME, "agent": AGENT, "text": [None, 1], "impact": ["none", None]},
    "brief_given": {"agent": AGENT, "learnings": [None, "x", [1]], "items": [None, {}], "trial": [""]},
    "session_recorded": {
        "session": ["", "x", "0b6f3a52-8c3e-4f1a-9d55-2f2f9c1b7a1", "0b6f3a528c3e4f1a9d552f2f9c1b7a10", 1, None],
        "started_at": TIME,
        "messages": [
            None,
            {},
            [{"role": "system", "text": "x"}],
            [{"role": "tool"}],
            [{"role": "tool", "text": "", "at": "x"}],
        ],
        "agent": [""],
    },
}
CASES = [(type, field, value) for type, values in BAD.items() for field, bad in values.items() for value in bad]


def refused(type: str, data: Any) -> str:
    with pytest.raises(DataError) as error:
        EVENT_TYPES[type].read(data)
    assert "\n" not in error.value.detail and len(error.value.detail) < 200
    return error.value.detail


def test_every_type_of_the_format_is_known() -> None:
    assert set(EVENT_TYPES) == {type for type, _, _ in SCRIPT}
    created = {kind.creates for kind in EVENT_TYPES.values() if kind.creates}
    assert created == set(RECORD_KINDS)
    assert {kind.changes for kind in EVENT_TYPES.values() if kind.changes} <= created


@pytest.mark.parametrize("type", EVENT_TYPES)
def test_good_data_is_read_with_unknown_fields_and_nulls(type: str) -> None:
    kind = EVENT_TYPES[type]
    plain = kind.read(GOOD[type])
    optional = {name: None for name in kind.data.__struct_fields__ if name not in GOOD[type]}
    assert kind.read(GOOD[type] | optional | {"author": "planner", "zzz": [1]}) == plain


@pytest.mark.parametrize("type", EVENT_TYPES)
@pytest.mark.parametrize("data", [None, [], "x", 1, True])
def test_data_that_is_no_object_is_refused(type: str, data: Any) -> None:
    assert refused(type, data).startswith("data: Expected object")


OPTIONAL = {
    *[("trial_started", "experiment"), ("brief_given", "trial"), ("attempt_submitted", "experiment")],
    *[("attempt_judged", "value"), ("experiment_finished", "value"), ("experiment_finished", "baseline")],
    *[("finding_recorded", "confidence"), ("journal_note", "about")],
}


@pytest.mark.parametrize(("type", "field"), [(type, field) for type, _, data in SCRIPT for field in data])
def test_missing_fields_are_refused_where_they_are_needed(type: str, field: str) -> None:
    data = {key: value for key, value in GOOD[type].items() if key != field}
    if (type, field) in OPTIONAL:
        assert EVENT_TYPES[type].read(data) == EVENT_TYPES[type].read(data | {field: None})
    else:
        assert f"field {field}" in refused(type, data)


@pytest.mark.parametrize(("type", "field", "value"), CASES)
def test_bad_values_are_refused_naming_the_field(type: str, field: str, value: Any) -> None:
    assert refused(type, GOOD[type] | {field: value}).startswith(f"data.{field}")


@pytest.mark.parametrize("text", ["x", "x" * 2000, "😀" * 2000, "e\u0301" * 1000, " "])
def test_kb_07_a_note_has_up_to_2000_code_points(text: str) -> None:
    assert EVENT_TYPES["journal_note"].read(GOOD["journal_note"] | {"text": text})
    assert refused("journal_note", GOOD["journal_note"] | {"text": text + "\u0301" * 2000}).startswith("data.text")


@pytest.mark.parametrize("kind", ["observation", "decision", "surprise", "question", "lesson", "note"])
def test_kb_01_a_note_has_one_of_six_kinds(kind: str) -> None:
    assert EVENT_TYPES["journal_note"].read(GOOD["journal_note"] | {"kind": kind})


@pytest.mark.parametrize("blocker", ["Access", "", "network", 3, ["access"]])
def test_a_wrong_blocker_is_answered_with_the_six(blocker: Any) -> None:
    detail = refused("help_requested", GOOD["help_requested"] | {"blocker": blocker})
    assert detail == "data.blocker: not one of access, tooling, ambiguity, environment, decision, other"


@pytest.mark.parametrize("blocker", ["access", "tooling", "ambiguity", "environment", "decision", "other", None])
def test_the_six_blockers_and_none_are_taken(blocker: str | None) -> None:
    assert EVENT_TYPES["help_requested"].read(GOOD["help_requested"] | {"blocker": blocker})


def test_nested_choices_are_named_and_input_is_not_quoted() -> None:
    about = {"kind": "secret-word\nsecond line", "id": "x"}
    detail = refused("journal_note", GOOD["journal_note"] | {"about": about})
    assert detail.startswith("data.about.kind: not one of experiment, attempt, ") and "secret" not in detail
    messages = [{"role": "human", "text": ""}, {"role": "user", "text": ""}]
    detail = refused("session_recorded", GOOD["session_recorded"] | {"messages": messages})
    assert detail == "data.messages[1].role: not one of human, assistant, tool"


def test_numbers_may_be_integers_and_confidence_may_be_its_bounds() -> None:
    for value in (0, 1, 0.0, 1.0, 0.5):
        assert EVENT_TYPES["finding_recorded"].read(GOOD["finding_recorded"] | {"confidence": value})
    read: Any = EVENT_TYPES["experiment_finished"].read(GOOD["experiment_finished"] | {"value": 5})
    assert type(read.value) is float and read.value == 5.0


@pytest.mark.parametrize("path", ["a", "a/b.md", "lane-1/über/日本.md", "a b/.hidden", "a/..b"])
def test_documents_lie_at_relative_paths(path: str) -> None:
    assert EVENT_TYPES["document_written"].read(GOOD["document_written"] | {"document": path})


def test_a_hash_is_that_of_the_text_in_utf_8() -> None:
    text = "naïve 😀\r\n"
    data = GOOD["source_archived"] | {"text": text, "text_sha256": sha256(text)}
    assert EVENT_TYPES["source_archived"].read(data)
    assert refused("source_archived", data | {"text": text[:-1]}) == "data.text_sha256: not the SHA-256 of text"
