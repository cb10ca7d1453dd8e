"""File names of exports: safe on every file system, one file for each name, the same for the same set."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.knowledge.portable_names import portable_paths
from thermite_pipelines.names import RESERVED, is_document_path

_part = st.one_of(
    st.sampled_from(
        ["con", "NUL.txt", "a", "A", "b.md", "B.md", ".git", "HEAD", "x~1", "é", "e\u0301", "ß", "SS", "end."]
    ),
    st.text(min_size=1, max_size=8),
)
_path = st.lists(_part, min_size=1, max_size=3).map("/".join).filter(is_document_path)


@pytest.mark.parametrize(
    "name", ["plan.md", "notes/2026/plan v2.md", "a-b_c.tar.gz", "é/ñ.md", "x" * 120, "knowledge.md"]
)
def test_plain_names_stay(name: str) -> None:
    assert portable_paths([name]) == {name: name}


@pytest.mark.parametrize(
    "name",
    [
        *(".git/config", "a/.git/hooks/post-commit", ".GIT/x", ".gitattributes", "git~1/x", "HEAD", "bare/HEAD"),
        *("con", "a/NUL.txt", "com1.md", "lpt9", "conin$", "aux .md", "end.", "end ", " start", "a./b"),
        *("a:b.md", "a?.md", "a*b", "<x>", "a|b", 'a"b', "tab\u00a0le", "zero\u200bwidth", "left\u202eright"),
        *("e\u0301.md", "x" * 121, "/".join(["y" * 60] * 5), "com\u00b9.md"),
    ],
)
def test_other_names_become_one_flat_file(name: str) -> None:
    (path,) = portable_paths([name]).values()
    assert re.fullmatch(r"[a-z0-9-]{1,60}~[0-9a-f]{16}(\.[a-z0-9]{1,8})?", path)
    assert portable_paths([name, "plan.md"])[name] == path


def test_an_extension_stays() -> None:
    assert portable_paths(["CON.MD"])["CON.MD"].endswith(".md")


def test_names_that_differ_only_in_case_are_both_flat() -> None:
    paths = portable_paths(["Plan.md", "plan.md", "other.md"])
    assert paths["other.md"] == "other.md"
    assert all("~" in paths[name] for name in ("Plan.md", "plan.md"))


def test_a_file_where_another_has_a_folder_is_flat() -> None:
    paths = portable_paths(["Notes", "notes/a.md", "notes/deep/b.md", "notes/deep"])
    assert [name for name, path in paths.items() if name != path] == ["Notes", "notes/deep"]


@given(names=st.lists(_path, max_size=12))
def test_no_two_names_meet_and_each_is_safe(names: list[str]) -> None:
    paths = portable_paths(names)
    assert set(paths) == set(names)
    keys = [unicodedata.normalize("NFC", path).casefold() for path in paths.values()]
    assert len(set(keys)) == len(keys)
    folders = {"/".join(key.split("/")[:depth]) for key in keys for depth in range(1, key.count("/") + 1)}
    assert not folders & set(keys)
    for path in paths.values():
        assert not re.search(r'[<>:"|?*\\\x00-\x1f]', path)
        for part in path.split("/"):
            assert part not in ("", ".", "..") and part[0] not in ". " and part[-1] not in ". "
            assert part.split(".")[0].strip().casefold() not in RESERVED | {"head"}
            assert len(part.encode()) <= 120
    assert portable_paths(reversed(names)) == paths
