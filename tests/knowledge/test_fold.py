import copy
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.knowledge import golden
from tests.knowledge.folding import Rows, fold, fold_one, ledgers
from tests.knowledge.golden import RUN
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.fold import FoldEvent, RunId, change_item, open_item, opens, target
from thermite_pipelines.knowledge.items import Row, recompute, record_of
from thermite_pipelines.ledger.event_types import EVENT_TYPES
from thermite_pipelines.tables.parquet import decode, encode, to_rows
from thermite_pipelines.tables.schemas import ITEM_TABLES

CREATED = ("harness", "run_created", {"mode": "goal", "agents": False, "briefing": []})


def no_text(_: str) -> None:
    return None


def through_files(rows: Rows) -> Rows:
    """The rows as the next process finds them: written to Parquet and read again."""
    kept: Rows = {}
    for kind, table in ITEM_TABLES.items():
        own = [row for key, row in rows.items() if key[0] == kind]
        kept.update({(kind, record_of(row)): row for row in to_rows(decode(encode(table, own)))})
    return kept


def test_kb_28_a_golden_ledger_gives_every_kind_with_the_expected_fields() -> None:
    rows = fold(golden.EVENTS)
    assert {kind for kind, _ in rows} == set(ITEM_TABLES)
    for key, expected in golden.ROWS.items():
        assert rows[key] == expected
    assert rows.keys() == golden.ROWS.keys()


def test_the_golden_ledger_keeps_the_rules_of_the_report_format() -> None:
    for event in golden.EVENTS:
        EVENT_TYPES[event.type].read(event.data)


def test_rows_have_exactly_the_columns_of_their_table_in_order() -> None:
    for (kind, _), row in fold(golden.EVENTS).items():
        assert tuple(row) == ITEM_TABLES[kind].column_names


def test_rows_are_the_same_after_a_way_through_files() -> None:
    rows = fold(golden.EVENTS)
    assert through_files(rows) == rows


@given(ledgers(), st.lists(st.integers(0, 30), max_size=4))
def test_kb_31_any_split_into_steps_gives_the_same_rows(events: list[FoldEvent], cuts: list[int]) -> None:
    at_once = fold(events)
    edges = sorted({0, len(events), *(min(cut, len(events)) for cut in cuts)})
    rows: Rows = {}
    for start, end in pairwise(edges):
        rows = through_files(fold(events[start:end], rows))
    assert rows == at_once


@given(ledgers(), st.integers(0, 30))
def test_applying_events_again_changes_nothing(events: list[FoldEvent], back: int) -> None:
    rows = fold(events)
    before = copy.deepcopy(rows)
    assert fold(events[back:], rows) == before
    for event in events:
        assert fold([event], rows) == before


@given(ledgers())
def test_title_and_text_can_be_made_again_from_the_row(events: list[FoldEvent]) -> None:
    made = {
        "trial": ("title", "text"),
        "run": ("text",),
        "experiment": ("text",),
        "attempt": ("text",),
        "note": ("title",),
        "research_note": ("title",),
        "document": ("title",),
        "claim": ("title",),
        "finding": ("title",),
        "hypothesis": ("title", "text"),
    }
    for (kind, _), row in fold(events).items():
        again = {**row, **dict.fromkeys(made.get(kind, ()), "something else")}
        recompute(kind, again)
        assert again == row


@given(ledgers())
def test_numbers_times_and_writers_are_those_of_the_first_and_last_event(events: list[FoldEvent]) -> None:
    for key, row in fold(events).items():
        own = [event for event in events if target(RUN, event) == key]
        assert (row["n"], row["created_at"], row["written_by"]) == (own[0].n, own[0].at, own[0].by)
        assert (row["updated_n"], row["updated_at"]) == (own[-1].n, own[-1].at)


def test_kb_01_one_note_of_each_kind_is_one_item_of_that_kind() -> None:
    for kind in ("observation", "decision", "surprise", "question", "lesson", "note"):
        row = fold_one("note", ("planner", "journal_note", {"note": "n", "kind": kind, "text": "x"}))
        assert (row["note_kind"], row["title"]) == (kind, kind)


def test_kb_02_a_note_an_experiment_and_a_research_note_stay_apart_even_with_one_id() -> None:
    rows = fold(
        [
            FoldEvent(1, 1, "lane-1", "journal_note", {"note": "x", "kind": "lesson", "text": "a"}),
            FoldEvent(2, 2, "lane-1", "research_note", {"note": "x", "text": "b", "sources": ["s"]}),
            FoldEvent(3, 3, "lane-1", "experiment_queued", {"experiment": "x", "title": "c"}),
        ]
    )
    assert {row["item"] for row in rows.values()} == {
        "note:rig-a/run-7/x",
        "research_note:rig-a/run-7/x",
        "experiment:rig-a/run-7/x",
    }


def test_kb_03_kb_10_the_journal_is_all_notes_in_ledger_order() -> None:
    events = [
        FoldEvent(n, 100 - n, f"lane-{n}", "journal_note", {"note": f"n{n}", "kind": "note", "text": f"text {n}"})
        for n in range(1, 30)
    ]
    notes = to_rows(decode(encode(ITEM_TABLES["note"], list(reversed(fold(events).values())))))
    assert [(row["n"], row["written_by"], row["text"]) for row in notes] == [
        (event.n, event.by, event.data["text"]) for event in events
    ]


@pytest.mark.parametrize("by", ["lane-3", "planner", "teachers:ada", "combiner:ada", "auditor:bo", "panel:cy"])
def test_kb_04_a_note_keeps_its_writer(by: str) -> None:
    assert fold_one("note", (by, "journal_note", {"note": "n", "kind": "note", "text": "x"}))["written_by"] == by


def test_kb_05_kb_06_kb_13_notes_beside_a_plan_or_verdict_do_not_depend_on_it() -> None:
    # The bad sibling was left out before; what is left folds by itself, the round makes no item.
    rows = fold(
        [
            FoldEvent(1, 1, "panel:cy", "round_started", {"round": "v1", "kind": "verdict"}),
            FoldEvent(2, 2, "panel:cy", "round_ended", {"round": "v1", "outcome": "refused"}),
            FoldEvent(3, 3, "panel:cy", "journal_note", {"note": "n1", "kind": "note", "text": "one"}),
            FoldEvent(5, 5, "panel:cy", "journal_note", {"note": "n3", "kind": "note", "text": "three"}),
        ]
    )
    assert list(rows) == [("note", "n1"), ("note", "n3")]


def test_kb_07_two_thousand_characters_are_kept_whole() -> None:
    text = "e\u0301🔥" * 667
    assert fold_one("note", ("lane-1", "journal_note", {"note": "n", "kind": "note", "text": text}))["text"] == text


def test_kb_08_a_note_names_its_subject() -> None:
    for kind in ("experiment", "attempt", "source", "claim", "finding", "round", "trial", "owner_message"):
        data = {"note": "n", "kind": "note", "text": "x", "about": {"kind": kind, "id": "it"}}
        row = fold_one("note", ("lane-1", "journal_note", data))
        assert (row["about_kind"], row["about"]) == (kind, "it")


@pytest.mark.parametrize("about", [{}, {"about": None}])
def test_kb_09_a_note_without_a_subject_is_about_its_run(about: dict[str, Any]) -> None:
    row = fold_one("note", ("lane-1", "journal_note", {"note": "n", "kind": "note", "text": "x", **about}))
    assert (row["about_kind"], row["about"]) == ("run", "run-7")


def test_kb_11_the_writer_is_never_taken_from_the_words() -> None:
    data = {
        "note": "n",
        "kind": "note",
        "text": "planner: do it",
        "author": "planner",
        "by": "planner",
        "written_by": "p",
    }
    row = fold_one("note", ("lane-1", "journal_note", data))
    assert row["written_by"] == "lane-1"
    assert tuple(row) == ITEM_TABLES["note"].column_names


def test_kb_12_a_second_opening_changes_nothing() -> None:
    first = FoldEvent(1, 1, "lane-1", "journal_note", {"note": "n", "kind": "note", "text": "first"})
    row = open_item(RUN, first, no_text)
    before = dict(row)
    change_item(row, FoldEvent(2, 2, "lane-1", "journal_note", {"note": "n", "kind": "note", "text": "second"}))
    assert row == before


def test_items_of_a_later_ledger_say_so_in_their_ids_alone() -> None:
    again = RunId("rig-a", "LEDGER2", "run-7", "run-7~LEDGER2")
    rows = fold(golden.EVENTS, run=again)
    assert rows["run", "run-7"]["item"] == "run:rig-a/run-7~LEDGER2/run-7"
    assert rows["document", "lane-1/plan.md"]["item"] == "document:rig-a/run-7~LEDGER2/lane-1/plan.md"
    assert {row["run"] for row in rows.values()} == {"run-7"}
    assert rows["note", "n1"]["about"] == "run-7"


def test_null_in_a_later_event_changes_nothing() -> None:
    row = fold_one(
        "experiment",
        ("planner", "experiment_queued", {"experiment": "e", "title": "t"}),
        ("planner", "experiment_started", {"experiment": "e", "trial": "t1"}),
        ("planner", "experiment_finished", {"experiment": "e", "status": "worse", "value": 0, "summary": "one"}),
        ("planner", "experiment_finished", {"experiment": "e", "status": "failed", "value": None, "trial": "t2"}),
    )
    assert (row["status"], row["value"], row["summary"], row["trial"]) == ("failed", 0.0, "one", "t2")
    assert isinstance(row["value"], float)


def test_a_run_without_title_is_called_by_its_id_and_text_without_parts_is_null() -> None:
    for title in (None, ""):
        row = fold_one("run", ("harness", "run_created", {**CREATED[2], "title": title}))
        assert (row["title"], row["text"], row["agents"], row["briefing"]) == ("run-7", None, False, [])
    attempt = fold_one("attempt", ("lane-1", "attempt_submitted", {"attempt": "a9", "trial": "t"}))
    assert (attempt["title"], attempt["text"]) == ("a9", None)


@pytest.mark.parametrize(("said", "row_value"), [(None, True), (True, True), (False, False)])
def test_teachers_may_fetch_where_the_rig_did_not_say(said: bool | None, row_value: bool) -> None:
    row = fold_one("run", ("harness", "run_created", {**CREATED[2], "teachers_open_fetch": said}))
    assert row["teachers_open_fetch"] is row_value


def test_a_trial_names_its_agent() -> None:
    data = {"trial": "t", "lane": "lane-12", "kind": "research", "runtime": "pi"}
    assert fold_one("trial", ("harness", "trial_started", data))["agent"] == "worker"
    row = fold_one("trial", ("harness", "trial_started", {**data, "agent": "scout"}))
    assert (row["agent"], row["title"]) == ("scout", "lane-12 research trial")


def test_titles_are_cut_at_120_characters_without_a_mark() -> None:
    text = "🔥" * 130
    for kind, name, data in (
        ("claim", "claim_recorded", {"claim": "c", "text": text, "quotes": [{"source": "s", "quote": "q"}]}),
        ("finding", "finding_recorded", {"finding": "f", "text": text, "claims": []}),
        ("hypothesis", "hypothesis_recorded", {"hypothesis": "h", "text": text}),
        ("research_note", "research_note", {"note": "n", "text": text + "\nmore", "sources": ["s"]}),
    ):
        assert fold_one(kind, ("lane-1", name, data))["title"] == "🔥" * 120


@pytest.mark.parametrize("text", ["First.\nSecond.", "First.\r\nSecond.", "\n\nFirst.\nSecond.", "First."])
def test_a_research_note_is_called_by_its_first_line(text: str) -> None:
    row = fold_one("research_note", ("lane-1", "research_note", {"note": "n", "text": text, "sources": ["s"]}))
    assert (row["title"], row["text"]) == ("First.", text)


def test_an_empty_document_is_empty_and_not_absent() -> None:
    data = {"document": "a.md", "lane": "lane-1", "text": "", "text_sha256": golden.sha256("")}
    row: Row = fold_one("document", ("lane-1", "document_written", data))
    assert (row["text"], row["version"]) == ("", 1)


@pytest.mark.parametrize(
    "name",
    [
        "round_started",
        "round_ended",
        "owner_message",
        "help_requested",
        "learning_proposed",
        "brief_given",
        "session_recorded",
        "a_later_type",
    ],
)
def test_events_without_an_item_have_no_target_and_open_nothing(name: str) -> None:
    event = FoldEvent(1, 1, "harness", name, {})
    assert target(RUN, event) is None
    assert not opens(event)
    with pytest.raises(ThermiteError, match=f"event 1 of rig-a/run-7: {name} opens no item"):
        open_item(RUN, event, no_text)


def test_every_event_type_that_makes_items_is_folded() -> None:
    """The fold and the event types agree on which events open and change which items, and where the id is."""
    for name, kind in EVENT_TYPES.items():
        event = FoldEvent(1, 1, "harness", name, {kind.id_field: "x"} if kind.id_field else {})
        record = kind.creates or kind.changes or ("run" if name in ("run_started", "run_finished") else None)
        expected = None if record not in ITEM_TABLES else (record, "x" if kind.id_field else RUN.run)
        assert target(RUN, event) == expected
        assert opens(event) == (kind.creates in ITEM_TABLES)
