"""The manifest: exchanging lines gives the bytes that writing it whole gives, and damage is noticed."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.knowledge.sync_manifest import BadManifest, Manifest, entry_line, whole

HEAD = {"rig": "rig-a", "run": "r1", "campaign": "a", "signature": "s", "counts": {"a": {"note": 1}}}
PATHS = st.builds("{}/note/{}.md".format, st.sampled_from(["a", "a-b", "b"]), st.text("abc-0", min_size=1, max_size=6))
ITEMS = st.builds("note:rig-a/{}/{}".format, st.sampled_from(["r2", "r3~L2"]), st.text(max_size=1000))
LINES = st.dictionaries(PATHS, st.tuples(ITEMS, st.integers(0, 10**9)), max_size=60)


def lines(entries: dict[str, tuple[str, int]]) -> dict[str, bytes]:
    return {path: entry_line(path, item, version, "0" * 64) for path, (item, version) in sorted(entries.items())}


@contextmanager
def opened(data: bytes) -> Iterator[Manifest]:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        yield Manifest(file.fileno())


def merged(manifest: Manifest, head: dict[str, Any], puts: dict[str, bytes], drops: set[str]) -> bytes:
    with tempfile.TemporaryFile() as file:
        manifest.merged(head, puts, drops)(file.fileno())
        return os.pread(file.fileno(), 1 << 26, 0)


@given(LINES, LINES, st.sets(PATHS, max_size=20), st.data())
def test_exchanged_lines_give_the_manifest_written_whole(
    before: dict[str, tuple[str, int]], puts: dict[str, tuple[str, int]], drops: set[str], data: st.DataObject
) -> None:
    known = lines(before)
    drops |= data.draw(st.sets(st.sampled_from(sorted(known)))) if known else set()
    drops -= puts.keys()
    with opened(whole(HEAD, known.values())) as manifest:
        assert [entry.path for entry in manifest.entries()] == sorted(known)
        assert [entry.path for entry in manifest.entries("a/")] == [path for path in sorted(known) if path[:2] == "a/"]
        for path in known:
            entry = manifest.find(path)
            assert entry is not None and entry.line == known[path]
        assert all(manifest.find(path) is None for path in puts.keys() - known.keys())
        after = merged(manifest, HEAD | {"signature": "t"}, lines(puts), drops)
    kept = {path: line for path, line in (known | lines(puts)).items() if path not in drops}
    assert after == whole(HEAD | {"signature": "t"}, [kept[path] for path in sorted(kept)])
    assert [entry["path"] for entry in json.loads(after)["files"]] == sorted(kept)


def test_a_large_manifest_is_bisected_and_changed_at_all_its_ends() -> None:
    entries = {f"a/note/n{number:05d}.md": (f"note:rig-a/r2/n{number}", number) for number in range(0, 20_000, 2)}
    known = lines(entries)
    puts = lines({f"a/note/n{number:05d}.md": ("note:rig-a/r2/x", 1) for number in (1, 8_000, 8_001, 19_999)})
    drops = {"a/note/n00000.md", "a/note/n19998.md", "a/note/n10000.md"}
    with opened(whole(HEAD, known.values())) as manifest:
        assert sum(1 for _ in manifest.entries()) == len(known)
        after = merged(manifest, HEAD, puts, drops)
    kept = {path: line for path, line in (known | puts).items() if path not in drops}
    assert after == whole(HEAD, [kept[path] for path in sorted(kept)])


def test_an_entry_tells_its_run_and_hash() -> None:
    line = entry_line("a/document/plan-1.md", 'document:rig-a/r3~L2/notes/"plan".md', 4, "ab" * 32)
    with opened(whole(HEAD, [line])) as manifest:
        (entry,) = manifest.entries()
    assert (entry.group, entry.sha256) == ("rig-a/r3~L2", "ab" * 32)


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[]\n\n]}\n", b'{"schema":"other","counts":{},"files":[\n\n]}\n', whole(HEAD, [])[:-1], b"\x00" * 99],
)
def test_what_is_no_manifest_is_noticed(data: bytes) -> None:
    with pytest.raises(BadManifest), opened(data):
        pass


def test_a_damaged_entry_is_noticed() -> None:
    data = whole(HEAD, lines({f"a/note/{number}.md": ("note:rig-a/r2/x", 1) for number in range(9)}).values())
    with opened(data.replace(b'{"path":"a/note/4', b'{"pxth":"a/note/4')) as manifest, pytest.raises(BadManifest):
        list(manifest.entries())
