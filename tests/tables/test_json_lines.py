"""Files of JSON lines: a torn last line is read past, anything else that is broken is an error with its number."""

import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.tables.json_lines import read_lines, to_lines

ROWS = [{"id": "a", "text": "é €\n\u2028"}, {"id": "b", "text": ""}, {"id": "c", "text": "the last, 🧪"}]


def read(path: Path) -> tuple[list[dict[str, object]], list[str]]:
    """Rows and warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = list(read_lines(path, ("id",)))
    assert all(issubclass(one.category, UserWarning) for one in caught)
    return rows, [str(one.message) for one in caught]


def test_hl_21_the_last_line_cut_at_every_byte_leaves_the_rest_with_one_warning(tmp_path: Path) -> None:
    path, data = tmp_path / "x.jsonl", to_lines(ROWS)
    start = data.rindex(b"\n", 0, -1) + 1
    for end in range(start, len(data) + 1):
        path.write_bytes(data[:end])
        rows, told = read(path)
        if end in (start, len(data)):
            assert (rows, told) == (ROWS if end == len(data) else ROWS[:2], [])
        else:
            assert rows == ROWS[:2]
            (warning,) = told
            assert warning.startswith(f"{path}:3: ") and "`thermite refresh` writes the file anew" in warning
            assert "\n" not in warning


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"[1]", b"null", b'"id"', b"{}", b'{"text":"no id"}', b'{"id":"b"', b'{"id":"\xff"}', b"\0\0"]
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_hl_21_a_broken_line_before_the_end_is_an_error_with_its_number(
    tmp_path: Path, broken: bytes, place: int
) -> None:
    path = tmp_path / "x.jsonl"
    lines = to_lines(ROWS).splitlines()
    lines[place] = broken
    path.write_bytes(b"\n".join(lines) + b"\n")
    with pytest.raises(ThermiteError, match="the line is broken") as raised:
        read(path)
    assert raised.value.where == f"{path}:{place + 1}"


def test_hl_21_no_file_is_no_row_and_a_folder_is_an_error(tmp_path: Path) -> None:
    assert read(tmp_path / "none.jsonl") == ([], [])
    (tmp_path / "empty.jsonl").touch()
    assert read(tmp_path / "empty.jsonl") == ([], [])
    with pytest.raises(ThermiteError, match="can't be read"):
        read(tmp_path)


@given(st.lists(st.dictionaries(st.text(), st.none() | st.booleans() | st.text() | st.integers(-9, 9), min_size=1)))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, object]]) -> None:
    path = tmp_path_factory.getbasetemp() / "written.jsonl"
    path.write_bytes(to_lines(rows))
    assert list(read_lines(path)) == rows
    assert to_lines(rows).count(b"\n") == len(rows)
