from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ledger.samples import GOOD, SCRIPT, WRITER, Ledger, reason
from thermite_pipelines.ledger.event_checks import RunRecords, created_record, judge, mentions
from thermite_pipelines.ledger.event_types import EVENT_TYPES
from thermite_pipelines.ledger.payload import Event

TYPES = [type for type, _, _ in SCRIPT]
LATER = [type for type in TYPES if type != "run_created"]


def event(type: str, data: Any, *, run: str | None = "run-7", by: str = "") -> Event:
    return Event(1, "e1", 0, run, None, type, by or WRITER[type], data)


def test_the_whole_script_holds() -> None:
    ledger = Ledger().play()
    records = ledger.runs["run-7"].records
    assert ledger.runs["run-7"].mode == "research"
    assert list(records)[:3] == [("run", "run-7"), ("experiment", "exp-1"), ("trial", "t-1")]
    assert records["run", "run-7"] == 1 and records["experiment", "exp-1"] == 3
    assert len(records) == sum(EVENT_TYPES[type].creates is not None for type in TYPES)


@pytest.mark.parametrize("type", LATER)
def test_an_event_of_an_unknown_run_is_rejected(type: str) -> None:
    assert reason(Ledger().add(type)) == "unknown-run"
    assert reason(Ledger().play(type).add(type, run="run-8")) == "unknown-run"
    ledger = Ledger()
    ledger.runs["run-7"] = RunRecords()
    assert reason(ledger.add(type)) == "unknown-run"


@pytest.mark.parametrize("type", TYPES)
def test_every_type_needs_a_run(type: str) -> None:
    assert reason(Ledger().play(type).add(type, run=None)) == "unknown-run"


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("campaign", [1, [], {}, True, 1.5])
def test_a_campaign_is_a_string_or_null(type: str, campaign: Any) -> None:
    assert reason(Ledger().play(type).add(type, campaign=campaign)) == "bad-data"


@pytest.mark.parametrize("type", TYPES)
def test_writers(type: str) -> None:
    alone = {"owner_message": "owner"} | dict.fromkeys(
        ["run_created", "run_started", "run_finished", "trial_started", "trial_ended"], "harness"
    )
    alone |= dict.fromkeys(["attempt_judged", "brief_given", "session_recorded"], "harness")
    for by in ("lane-1", "planner", "owner", "harness", "panel:x"):
        expected = None if alone.get(type, by) == by else "wrong-writer"
        assert reason(Ledger().play(type).add(type, by=by)) == expected


RESEARCH_ONLY = ["hypothesis_recorded", "hypothesis_resolved", "finding_recorded", "report_written"]


@pytest.mark.parametrize("mode", ["hill_climb", "goal", "smoke"])
def test_kb_23_findings_hypotheses_and_reports_belong_to_research_runs(mode: str) -> None:
    ledger = Ledger()
    for type, _, data in SCRIPT:
        rejection = ledger.add(type, data | ({"mode": mode} if type == "run_created" else {}))
        assert reason(rejection) == ("wrong-mode" if type in RESEARCH_ONLY else None)


CREATING = [type for type in TYPES if EVENT_TYPES[type].creates and not EVENT_TYPES[type].versioned]


@pytest.mark.parametrize("type", CREATING)
def test_kb_12_a_record_is_opened_once(type: str) -> None:
    ledger = Ledger().play()
    before = dict(ledger.runs["run-7"].records)
    assert reason(ledger.add(type)) == "duplicate-record"
    assert ledger.runs["run-7"].records == before


@pytest.mark.parametrize("type", ["document_written", "session_recorded"])
def test_documents_and_sessions_written_again_are_new_versions(type: str) -> None:
    ledger = Ledger().play()
    record = created_record(event(type, GOOD[type]))
    assert record is not None
    first = ledger.runs["run-7"].records[record]
    assert ledger.add(type) is None
    assert ledger.runs["run-7"].records[record] == first


CHANGING = [type for type in TYPES if EVENT_TYPES[type].changes]


@pytest.mark.parametrize("type", CHANGING)
def test_a_record_must_be_there_before_it_changes(type: str) -> None:
    assert set(CHANGING) == {
        *("trial_ended", "experiment_started", "experiment_finished"),
        *("attempt_judged", "hypothesis_resolved", "round_ended"),
    }
    assert reason(Ledger().play(type).add(type, **{EVENT_TYPES[type].id_field: "other"})) == "unknown-record"


REFERENCES: list[tuple[str, dict[str, Any]]] = [
    ("trial_started", {"trial": "new", "experiment": "other"}),
    ("experiment_started", {"trial": "other"}),
    ("experiment_finished", {"trial": "other"}),
    ("attempt_submitted", {"attempt": "new", "trial": "other"}),
    ("attempt_submitted", {"attempt": "new", "experiment": "other"}),
    ("brief_given", {"trial": "other"}),
    ("session_recorded", {"trial": "other"}),
    (
        "claim_recorded",
        {"claim": "new", "quotes": [{"source": "src-1", "quote": "x"}, {"source": "other", "quote": "x"}]},
    ),
    ("research_note", {"note": "new", "sources": ["src-1", "other"]}),
    ("finding_recorded", {"finding": "new", "claims": ["c-1", "other"]}),
    ("journal_note", {"note": "new", "about": {"kind": "claim", "id": "src-1"}}),
]


@pytest.mark.parametrize(("type", "change"), REFERENCES)
def test_kb_24_kb_26_references_name_records_of_the_run(type: str, change: dict[str, Any]) -> None:
    ledger = Ledger().play()
    ledger.play(run="run-8")
    # What another run has does not count.
    others = [("trial", "other"), ("experiment", "other"), ("source", "other"), ("claim", "other")]
    ledger.runs["run-8"].records |= dict.fromkeys(others, 1)
    before = dict(ledger.runs["run-7"].records)
    assert reason(ledger.add(type, **change)) == "unknown-reference"
    assert ledger.runs["run-7"].records == before


ABOUT = [
    *[("experiment", "exp-1"), ("attempt", "a-1"), ("source", "src-1"), ("claim", "c-1"), ("finding", "f-1")],
    *[("round", "r-1"), ("trial", "t-1"), ("owner_message", "m-1")],
]


@pytest.mark.parametrize(("kind", "name"), ABOUT)
def test_kb_08_a_note_names_a_subject_that_its_run_has_by_then(kind: str, name: str) -> None:
    def note(n: int) -> dict[str, Any]:
        return {"note": f"new-{n}", "kind": "note", "text": "x", "about": {"kind": kind, "id": name}}

    ledger = Ledger()
    ledger.add("run_created")
    ledger.play(run="run-8")
    assert reason(ledger.add("journal_note", note(1))) == "unknown-reference"
    for type, _, data in SCRIPT[1:]:
        ledger.add(type, data)
    assert ledger.add("journal_note", note(2)) is None
    assert (
        reason(ledger.add("journal_note", note(3) | {"about": {"kind": kind, "id": "missing"}})) == "unknown-reference"
    )


def test_kb_02_a_note_and_a_research_note_may_have_the_same_id() -> None:
    ledger = Ledger().play("research_note")
    assert ledger.add("journal_note", {"note": "x", "kind": "note", "text": "x"}) is None
    assert ledger.add("research_note", note="x") is None
    assert {("note", "x"), ("research_note", "x")} <= ledger.runs["run-7"].records.keys()


def test_kb_13_bad_note_left_out_alone() -> None:
    ledger = Ledger().play("journal_note")
    good = {"kind": "lesson", "text": "x"}
    reasons = [
        reason(ledger.add("journal_note", good | {"note": f"x{n}"} | ({"kind": "idea"} if n == 1 else {})))
        for n in range(3)
    ]
    assert reasons == [None, "bad-data", None]
    assert ("note", "x1") not in ledger.runs["run-7"].records


def test_kb_25_a_source_serves_every_lane_of_the_run() -> None:
    ledger = Ledger().play("claim_recorded")
    assert ledger.add("claim_recorded", by="lane-2") is None


def test_from_item_and_shown_ids_are_no_references_to_this_run() -> None:
    ledger = Ledger().play("experiment_queued")
    assert ledger.add("experiment_queued", from_item="experiment:rig-z/run-1/e") is None
    assert ledger.add("brief_given", {"agent": "planner", "learnings": ["a/b/c"], "items": ["note:x/y/z"]}) is None


def test_the_first_reason_of_the_table_is_given() -> None:
    wrong = {"finding": "f-1", "text": "x", "claims": ["missing"]}
    ledger = Ledger().play(mode="goal", until="hypothesis_recorded")
    assert reason(ledger.add("finding_recorded", wrong | {"text": 1}, run="none")) == "bad-data"
    assert reason(ledger.add("attempt_judged", by="lane-1", run="none")) == "wrong-writer"
    assert reason(ledger.add("finding_recorded", wrong, run="none")) == "unknown-run"
    assert reason(ledger.add("finding_recorded", wrong)) == "wrong-mode"
    ledger = Ledger().play()
    assert reason(ledger.add("experiment_started", {"experiment": "x", "trial": "y"})) == "unknown-record"
    assert reason(ledger.add("finding_recorded", wrong)) == "duplicate-record"
    assert reason(ledger.add("finding_recorded", wrong | {"finding": "f-2"})) == "unknown-reference"
    assert reason(ledger.add("run_created", {"mode": "x"}, by="lane-1")) == "bad-data"
    assert reason(ledger.add("run_created", by="lane-1")) == "wrong-writer"
    assert reason(ledger.add("run_created")) == "duplicate-record"


def test_a_run_is_created_with_the_mode_that_its_event_names() -> None:
    runs: dict[str, RunRecords] = {"run-7": RunRecords()}
    assert judge(event("run_created", GOOD["run_created"] | {"mode": "smoke"}), runs) is None
    assert runs["run-7"].mode == "smoke"
    assert reason(judge(event("run_created", GOOD["run_created"]), runs)) == "duplicate-record"
    assert runs["run-7"].mode == "smoke"


def test_an_unknown_type_is_the_callers_question() -> None:
    with pytest.raises(KeyError):
        judge(Event(1, "e", 0, "r", None, "holiday_taken", "planner", {}), {})
    assert list(mentions(Event(1, "e", 0, "r", None, "holiday_taken", "planner", {}))) == []


def test_created_record() -> None:
    assert created_record(event("run_created", {})) == ("run", "run-7")
    assert created_record(event("research_note", GOOD["research_note"])) == ("research_note", "rn-1")
    assert created_record(event("owner_message", GOOD["owner_message"])) == ("owner_message", "m-1")
    assert created_record(event("trial_ended", GOOD["trial_ended"])) is None
    assert created_record(event("brief_given", GOOD["brief_given"])) is None
    assert created_record(event("journal_note", [])) is None
    assert created_record(event("journal_note", {"note": 5})) is None


def test_mentions() -> None:
    assert list(mentions(event("experiment_finished", GOOD["experiment_finished"] | {"trial": "t-1"}))) == [
        ("experiment", "exp-1"),
        ("trial", "t-1"),
    ]
    assert list(mentions(event("claim_recorded", GOOD["claim_recorded"]))) == [("claim", "c-1"), ("source", "src-1")]
    assert list(mentions(event("journal_note", GOOD["journal_note"]))) == [("note", "n-1"), ("round", "r-1")]
    assert list(mentions(event("run_created", GOOD["run_created"]))) == []
    assert list(mentions(event("run_finished", GOOD["run_finished"]))) == []


@pytest.mark.parametrize("type", TYPES)
def test_what_an_event_mentions_is_all_that_decides_on_it(type: str) -> None:
    full = Ledger().play(type)
    lean = RunRecords(full.runs["run-7"].mode if "run-7" in full.runs else None)
    wanted = set(mentions(event(type, GOOD[type])))
    if "run-7" in full.runs:
        lean.records = {record: n for record, n in full.runs["run-7"].records.items() if record in wanted}
    assert judge(event(type, GOOD[type]), {"run-7": lean}) is None


odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from(["", "exp-1", "t-1", "src-1", "note", "experiment"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["kind", "id", "source", "quote"]), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(st.sampled_from(TYPES), st.data())
def test_odd_data_is_rejected_or_changes_one_record_at_most(type: str, data: st.DataObject) -> None:
    names = EVENT_TYPES[type].data.__struct_fields__ or ("x",)
    changed = GOOD[type] | data.draw(st.dictionaries(st.sampled_from(names), odd, max_size=3))
    ledger = Ledger().play(data.draw(st.sampled_from(TYPES)))
    ledger.runs.setdefault("run-7", RunRecords())
    before = dict(ledger.runs["run-7"].records)
    one = event(type, changed)
    list(mentions(one))
    created = created_record(one)
    rejection = judge(one, ledger.runs)
    after = ledger.runs["run-7"].records
    assert after == (before if rejection or created is None or created in before else before | {created: 1})
