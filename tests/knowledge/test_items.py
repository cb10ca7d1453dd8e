import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge.items import KINDS, ItemId, blank_row, item_id, parse_item_id, record_of
from thermite_pipelines.names import LEDGER, RIG, RUN, is_document_path
from thermite_pipelines.tables.schemas import ITEM_TABLES

rigs = st.from_regex(RIG, fullmatch=True)
runs = st.from_regex(RUN, fullmatch=True)
ledgers = st.from_regex(LEDGER, fullmatch=True)
labels = runs | st.tuples(runs, ledgers).map("~".join)
paths = st.text(alphabet="ab/.é ~:", min_size=1, max_size=20).filter(is_document_path)


@given(st.sampled_from([kind for kind in KINDS if kind != "document"]), rigs, labels, runs)
def test_an_id_reads_back(kind: str, rig: str, label: str, record: str) -> None:
    parsed = parse_item_id(item_id(kind, rig, label, record))
    assert parsed == ItemId(kind, rig, label, record)
    assert str(parsed) == item_id(kind, rig, label, record)
    assert label == (parsed.run if parsed.ledger is None else f"{parsed.run}~{parsed.ledger}")


@given(rigs, labels, paths)
def test_a_document_id_may_hold_slashes(rig: str, label: str, path: str) -> None:
    assert parse_item_id(item_id("document", rig, label, path)) == ItemId("document", rig, label, path)


def test_an_id_looks_as_documented() -> None:
    assert item_id("run", "rig-a", "run-7", "run-7") == "run:rig-a/run-7/run-7"
    parsed = parse_item_id("document:rig-a/run-7~L2/lane-1/notes/plan.md")
    assert (parsed.run, parsed.ledger, parsed.record) == ("run-7", "L2", "lane-1/notes/plan.md")
    assert record_of({"item": "document:rig-a/run-7/lane-1/plan.md"}) == "lane-1/plan.md"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "write <kind>"),
        ("note", "write <kind>"),
        ("note:rig-a/run-7", "write <kind>"),
        ("idea:rig-a/run-7/x", "kinds are run, trial"),
        ("note:Rig/run-7/x", "rig or run"),
        ("note:rig-a/-run/x", "rig or run"),
        ("note:rig-a/run-7~/x", "rig or run"),
        ("note:rig-a/run-7~a.b/x", "rig or run"),
        ("note:rig-a/run-7/", "record id"),
        ("note:rig-a/run-7/a/b", "record id"),
        ("note:rig-a/run-7/x\n", "record id"),
        ("document:rig-a/run-7/../x", "record id"),
        ("document:rig-a/run-7//x", "record id"),
    ],
)
def test_what_is_no_id_is_refused_in_one_clear_line(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        parse_item_id(text)
    assert "is no item id" in str(refused.value) and "\n" not in str(refused.value)


def test_blank_rows_are_not_shared() -> None:
    for kind in KINDS:
        row = blank_row(kind)
        assert tuple(row) == ITEM_TABLES[kind].column_names
        row["title"] = "changed"
        assert blank_row(kind)["title"] is None
