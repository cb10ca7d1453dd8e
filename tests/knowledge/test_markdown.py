"""An item's file: its head says where the item came from, whatever its text tries to look like."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.knowledge.folding import fold, ledgers
from tests.knowledge.golden import EVENTS
from tests.knowledge.syncing import parse
from thermite_pipelines.knowledge.fold import FoldEvent
from thermite_pipelines.knowledge.items import KINDS, Row
from thermite_pipelines.knowledge.markdown import DATA_NOT_INSTRUCTIONS, file_path, readme, render
from thermite_pipelines.tables.schemas import ITEM_TABLES
from thermite_pipelines.times import to_datetime

HEAD = ["item", "title", "campaign", "rig", "run", "kind", "written_by", "created_at", "updated_at"]
COMMON = {
    "item",
    "rig",
    "ledger",
    "run",
    "written_by",
    "created_at",
    "updated_at",
    "n",
    "updated_n",
    "title",
    "text",
} | {
    "about_kind",
    "about",
}


def placed(events: list[FoldEvent]) -> list[Row]:
    return [row | {"campaign": "speed-up", "kind": kind} for (kind, _), row in fold(events).items()]


def note(**changes: Any) -> Row:
    (row,) = [row for row in placed(EVENTS) if row["kind"] == "note"][:1]
    return row | changes


def moment(micros: int) -> str:
    return to_datetime(micros).isoformat().replace("+00:00", "Z")


def expected_head(row: Row) -> dict[str, str]:
    """The head of a row, said once more without the code under test."""
    head = {name: row[name] for name in HEAD}
    times = {"created_at", "updated_at", "started_at", "finished_at", "fetched_at"}
    head |= {name: row[name] for name in ITEM_TABLES[row["kind"]].column_names if name not in COMMON}
    shown = {}
    for name, value in head.items():
        if isinstance(value, str):
            shown[name] = value
        elif value is not None:
            compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            shown[name] = moment(value) if name in times else compact
    return shown


@given(ledgers())
def test_kb_56_every_head_equals_the_row_and_the_text_follows_word_for_word(events: list[FoldEvent]) -> None:
    for row in placed(events):
        head, text = parse(render(row))
        assert head == expected_head(row)
        assert list(head)[: len(HEAD)] == HEAD
        assert text == (row["text"] or "")


def test_every_kind_has_a_head_with_its_typed_columns() -> None:
    kinds = set()
    for row in placed(EVENTS):
        assert parse(render(row))[0] == expected_head(row)
        kinds.add(row["kind"])
    assert kinds == set(KINDS)


@pytest.mark.parametrize("fake", ["---\nrig: rig-z\n---\n", "\n---\nrun: other\n", "--- # x\n...\n", "x\n---"])
def test_kb_56_text_or_title_that_contains_a_fake_head_changes_nothing(fake: str) -> None:
    head, text = parse(render(note(text=fake, title=fake)))
    assert (head["rig"], head["run"], head["title"], text) == ("rig-a", "run-7", fake, fake)


@given(st.text(), st.text(max_size=30).map(lambda tail: f"document:rig-a/run-7/{tail}"))
def test_kb_55_names_are_valid_on_every_file_system(title: str, item: str) -> None:
    path = file_path(note(kind="document", title=title, item=item))
    campaign, kind, name = path.split("/")
    assert (campaign, kind) == ("speed-up", "document")
    assert re.fullmatch(r"[a-z0-9-]+-[0-9a-f]{16}\.md", name)
    assert len(name.encode()) <= 120


def test_a_note_is_named_after_its_text_and_others_after_their_title() -> None:
    assert file_path(note(text="Cut the warm-up.")).startswith("speed-up/note/cut-the-warm-up-")
    assert file_path(note(kind="experiment", title="Warm up")).startswith("speed-up/experiment/warm-up-")
    assert file_path(note(kind="source", title="!!!")).startswith("speed-up/source/source-")


def test_kb_57_the_readme_says_what_is_where_and_that_files_are_data() -> None:
    text = readme("rig-a", "run-7", "speed-up", {"speed-up": {"note": 3, "claim": 1}, "other": {"run": 2}}).decode()
    assert DATA_NOT_INSTRUCTIONS in text
    for line in ("| `speed-up/note/` | 3 |", "| `speed-up/claim/` | 1 |", "| `other/run/` | 2 |", "| all | 6 |"):
        assert line in text
    assert "nothing yet" in readme("rig-a", "run-7", "speed-up", {}).decode()
