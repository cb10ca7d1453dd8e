"""Whatever a file holds: it is refused in words, or every event of it passes the pipeline's checks."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rig.logs import CLASSIC, FLAT_JSON, KEPT_JSON, PI_JSON, PROSE, Importing, read_inbox
from thermite_pipelines.errors import ThermiteError

SAMPLES = [CLASSIC, FLAT_JSON, KEPT_JSON, PI_JSON, PROSE]
BITS = [
    *[b"\t", b'"', b"\n", b"\r", b"{", b"}", b"\\", b"|", b",", b"\0", b"\xff", b"\xef\xbb\xbf", b"NaN", b"1e999"],
    *[
        b"\\ud800",
        b"\\u0000",
        b"# Run 3\n",
        b"\xe2\x80\xa8",
        b"keep",
        b"status",
        b"null",
        b"-",
        b"99999999999999999999",
    ],
]
NAMES = ["results.tsv", "log.jsonl", "log.md", "log"]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    raw = bytearray(draw(st.sampled_from(SAMPLES)).encode())
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(raw)))
        match draw(st.sampled_from(["put", "cut", "tear", "twice"])):
            case "put":
                raw[place:place] = draw(st.sampled_from(BITS))
            case "cut":
                del raw[place : place + draw(st.integers(1, 80))]
            case "tear":
                del raw[place:]
            case _:
                raw[place:place] = raw[: draw(st.integers(0, 200))]
    return bytes(raw)


def import_any(folder: Path, name: str, raw: bytes) -> None:
    importing = Importing(folder)
    for path in [*importing.inbox.glob("*"), *importing.state.parent.glob("*")]:
        path.unlink()
    log = folder / name
    log.write_bytes(raw)
    try:
        result = importing(log)
    except ThermiteError as error:
        assert error.do
        return
    assert read_inbox(importing.inbox).rejected == []
    assert all(entry["line"] >= 1 and entry["reason"] for entry in result.skipped)
    again = importing(log)
    assert (again.reports, again.events, again.skipped) == ([], 0, result.skipped)


@settings(max_examples=150)
@given(raw=damaged(), name=st.sampled_from(NAMES))
def test_a_damaged_log_never_stops_the_import(tmp_path_factory: pytest.TempPathFactory, raw: bytes, name: str) -> None:
    import_any(tmp_path_factory.getbasetemp(), name, raw)


@settings(max_examples=100)
@given(raw=st.binary(max_size=400), name=st.sampled_from(NAMES))
def test_any_bytes_never_stop_the_import(tmp_path_factory: pytest.TempPathFactory, raw: bytes, name: str) -> None:
    import_any(tmp_path_factory.getbasetemp(), name, raw)


CELL = st.text(alphabet=st.characters(exclude_characters="\t\r\n\0", exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=100)
@given(st.lists(st.tuples(CELL, st.floats(-9, 9).map(str), st.sampled_from(["keep", "discard"]), CELL), max_size=6))
def test_every_row_of_a_sound_table_is_an_experiment(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str, str]]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    importing = Importing(folder)
    for path in [*importing.inbox.glob("*"), *importing.state.parent.glob("*")]:
        path.unlink()
    table = [("exp_id", "score", "status", "description"), ("E0", "1", "keep", "first"), *rows]
    log = folder / "sound.tsv"
    log.write_text("\n".join("\t".join(cells) for cells in table) + "\n", encoding="utf-8")
    importing(log)
    inbox = read_inbox(importing.inbox)
    assert inbox.rejected == []
    assert [data["value"] for data in inbox.data("experiment_finished")] == [1, *(float(row[1]) for row in rows)]
