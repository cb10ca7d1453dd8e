"""`.manifest.json`: one JSON document with an entry a line, sorted by path, so that a change needs no full pass.

Entries are found by bisecting the bytes of the file, and a new manifest is the old one with some lines exchanged: all
between them is copied as it is, by the kernel where it can.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.derived_files import DERIVED_KINDS
from thermite_pipelines.knowledge.sync_files import write_all

SCHEMA = "thermite.sync/1"
NAME = ".manifest.json"
_TAIL = b"\n]}\n"
_BETWEEN = b",\n"
_PATH = re.compile(rb'\{"path":"([a-z0-9/_.-]+)","item":"')
# The run that an item is of, as its id tells: `<kind>:<rig>/<run>/…`.
_GROUP = re.compile(rb'\{"path":"[a-z0-9/_.-]+","item":"[a-z_]+:([^/"\\]+/[^/"\\]+)/')
# An item id holds a document's path, of at most 1,024 characters: an entry is shorter than this.
_LONGEST = 8 * 1024
_HEAD_LIMIT = 1 << 20
_CHUNK = 1 << 20
_BISECTED = 4 * 1024

Fill = Callable[[int], None]


class BadManifest(ThermiteError):
    """The manifest on disk is not as it is written here."""


class Entry(NamedTuple):
    """One line of the manifest."""

    path: str
    line: bytes

    @property
    def group(self) -> str:
        """`<rig>/<run>` of an item, the run as written in item ids; of a derived thing its kind; '' for neither."""
        kind = self.path.split("/")[1:2]
        if kind and kind[0] in DERIVED_KINDS:
            return kind[0]
        match = _GROUP.match(self.line)
        return match.group(1).decode() if match else ""

    @property
    def sha256(self) -> str:
        """The hash of the file, in hex."""
        return json.loads(self.line)["sha256"]


def entry_line(path: str, item: str, version: int | str, sha256: str) -> bytes:
    """The line of one file."""
    # A path needs no escapes: it holds letters, digits and `/_.-` only.
    shown = json.dumps(item, ensure_ascii=False)
    return f'{{"path":"{path}","item":{shown},"version":{json.dumps(version)},"sha256":"{sha256}"}}'.encode()


def whole(head: Mapping[str, Any], lines: Iterable[bytes]) -> bytes:
    """A manifest of these lines, which are sorted by path."""
    return _head_line(head) + _BETWEEN.join(lines) + _TAIL


def _head_line(head: Mapping[str, Any]) -> bytes:
    document = json.dumps({"schema": SCHEMA, **head}, ensure_ascii=False, separators=(",", ":"))
    return f'{document[:-1]},"files":[\n'.encode()


class Manifest:
    """A manifest on disk, read through a descriptor of the caller's. Raises `BadManifest` where it is none."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        size = os.fstat(descriptor).st_size
        first, line_end, _ = os.pread(descriptor, _HEAD_LIMIT, 0).partition(b"\n")
        tail = os.pread(descriptor, len(_TAIL), max(size - len(_TAIL), 0))
        try:
            document = json.loads(first + b"]}")
            self.counts: dict[str, dict[str, int]] = {
                campaign: {kind: int(number) for kind, number in kinds.items()}
                for campaign, kinds in document["counts"].items()
            }
            self.campaign: str = document["campaign"]
            known = document["schema"] == SCHEMA
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            known = False
        self._start = len(first) + 1
        self._end = size - len(_TAIL)
        if not known or not line_end or tail != _TAIL or self._end < self._start:
            raise BadManifest("the manifest is not as it was written")

    def find(self, path: str) -> Entry | None:
        """The entry of a path."""
        _, entry = self._lookup(path)
        return entry

    def entries(self, prefix: str = "") -> Iterator[Entry]:
        """The entries whose paths begin so, in order."""
        offset, _ = self._lookup(prefix)
        rest = b""
        while True:
            chunk = os.pread(self._descriptor, min(_CHUNK, self._end - offset), offset)
            offset += len(chunk)
            *lines, rest = (rest + chunk).split(_BETWEEN)
            if not chunk:
                lines = [rest] if rest else []
            for line in lines:
                entry = _entry(line)
                if not entry.path.startswith(prefix):
                    return
                yield entry
            if not chunk:
                return

    def merged(self, head: Mapping[str, Any], puts: Mapping[str, bytes], drops: Iterable[str]) -> Fill:
        """What writes this manifest with some entries put and others dropped to a descriptor.

        Raises `BadManifest`, before anything is written, where an entry that is needed can't be read.
        """
        parts: list[bytes | tuple[int, int]] = []
        position = self._start
        for path in sorted({*puts, *drops}):
            offset, entry = self._lookup(path)
            if offset > position:
                parts.append((position, offset if offset == self._end else offset - len(_BETWEEN)))
            if path in puts:
                parts.append(puts[path])
            position = offset if entry is None else min(offset + len(entry.line) + len(_BETWEEN), self._end)
        if position < self._end:
            parts.append((position, self._end))
        return lambda descriptor: self._write(descriptor, _head_line(head), parts)

    def _write(self, descriptor: int, head: bytes, parts: list[bytes | tuple[int, int]]) -> None:
        held = [head]
        for number, part in enumerate(parts):
            if number:
                held.append(_BETWEEN)
            if isinstance(part, bytes):
                held.append(part)
            else:
                write_all(descriptor, b"".join(held))
                held.clear()
                _copy(self._descriptor, descriptor, *part)
        write_all(descriptor, b"".join([*held, _TAIL]))

    def _lookup(self, path: str) -> tuple[int, Entry | None]:
        """Where the entry of a path is or would be, and the entry where there is one."""
        low, high = self._start, self._end
        while high - low > _BISECTED:
            middle = (low + high) // 2
            start, end, line = self._line_at(middle)
            if _entry(line).path < path:
                low = min(end + len(_BETWEEN), self._end)
            else:
                high = start
        # What is left is read at once, with the entry that may begin at its end.
        block = os.pread(self._descriptor, min(high + _LONGEST, self._end) - low, low)
        for line in block.split(_BETWEEN) if block else ():
            match = _PATH.match(line)
            found = match.group(1).decode() if match else _entry(line).path
            if found >= path:
                return low, Entry(path, line) if found == path else None
            low += len(line) + len(_BETWEEN)
            if low >= self._end:
                return self._end, None
        return min(low, self._end), None

    def _line_at(self, offset: int) -> tuple[int, int, bytes]:
        """Start, end and bytes of the entry that holds an offset."""
        first = max(offset - _LONGEST, self._start)
        block = os.pread(self._descriptor, min(offset + _LONGEST, self._end) - first, first)
        start = block.rfind(b"\n", 0, offset - first) + 1
        end = block.find(_BETWEEN, start)
        line = block[start:] if end < 0 else block[start:end]
        return first + start, first + start + len(line), line


def _entry(line: bytes) -> Entry:
    match = _PATH.match(line)
    if match is None or not line.endswith(b'"}'):
        raise BadManifest("an entry of the manifest is not as it was written")
    return Entry(match.group(1).decode(), line)


def _copy(source: int, target: int, start: int, end: int) -> None:
    """Copy a range of bytes to the end of another file."""
    in_kernel = hasattr(os, "copy_file_range")
    while start < end:
        if in_kernel:
            try:
                copied = os.copy_file_range(source, target, end - start, offset_src=start)
            except OSError:
                in_kernel = False  # not on this file system
                continue
        else:
            data = os.pread(source, min(_CHUNK, end - start), start)
            copied = len(data)
            write_all(target, data)
        if not copied:
            raise BadManifest("the manifest became shorter while it was read")
        start += copied
