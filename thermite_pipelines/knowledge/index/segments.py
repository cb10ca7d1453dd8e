"""Segments: some texts with their words, and the columns by which they are filtered and shown. Never changed once made.

A segment is a set of arrays, the same in memory and in a file. Its texts stand in the order of their ids. The words are
an inverted index: terms in the order of their bytes, for each the texts that hold it and how often.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import msgspec
import numpy as np
import zstandard
from numpy.typing import NDArray

from thermite_pipelines.knowledge.index.files import Arrays, broken, rows_of
from thermite_pipelines.knowledge.index.marks import marks_of
from thermite_pipelines.knowledge.words import index_tokens

Row = dict[str, Any]
Numbers = NDArray[Any]

WORD_COLUMNS = ("kind", "rig", "run", "written_by", "source")
_PLAIN = ("first", "last", "length", "said", "key")
_BLOCK = 32
_HEAD = 8
_MOST = np.iinfo(np.uint16).max
_read_row = msgspec.msgpack.Decoder().decode
_write_row = msgspec.msgpack.Encoder().encode
_NONE = np.zeros(0, np.uint32)


@dataclass(frozen=True, slots=True)
class Entry:
    """One text to be indexed. `row` is what is shown of it; times are microseconds; `source`: its file in the lake."""

    id: str
    kind: str
    rig: str | None
    run: str | None
    written_by: str
    first: int
    last: int
    text: str
    source: str
    row: Row

    @property
    def said(self) -> bytes:
        """16 bytes over all of it: another text, another row or another time is another entry."""
        values = (self.id, self.kind, self.written_by, self.first, self.last, self.text, self.row)
        return blake2b(_write_row(values), digest_size=16).digest()


class Segment:
    """Some texts, by their numbers from 0 on."""

    def __init__(self, meta: Row, arrays: Arrays) -> None:
        self.meta = meta
        self.arrays = arrays
        self.size = len(arrays["length"])
        self._block: tuple[int, bytes] = (-1, b"")

    def id(self, place: int) -> str:
        """The id of a text."""
        try:
            return self._cut("ids", "id_ends", place).decode()
        except UnicodeDecodeError:
            raise broken(self.arrays) from None

    def row(self, place: int) -> Row:
        """What is shown of a text."""
        number, inside = divmod(place, _BLOCK)
        if self._block[0] != number:
            packed = self._cut("rows", "block_ends", number)
            try:
                self._block = (number, zstandard.ZstdDecompressor().decompress(packed))
            except zstandard.ZstdError:
                raise broken(self.arrays) from None
        try:
            return _read_row(_read_row(self._block[1])[inside])
        except (msgspec.MsgspecError, ValueError, IndexError, TypeError):
            raise broken(self.arrays) from None

    def _cut(self, name: str, ends: str, place: int) -> bytes:
        """One of the pieces that lie one behind the other in an array, by where they end."""
        start, end = self.arrays[ends][place : place + 2]
        return rows_of(self.arrays, name, slice(start, end)).tobytes()

    def codes(self, column: str, *values: str | None) -> NDArray[np.bool_]:
        """For each text, whether a column of words has one of the values."""
        wanted = np.array([value in values for value in self.meta[column]], bool)
        return wanted[self.arrays[column]] if len(wanted) else np.zeros(self.size, bool)

    def holding(self, term: str) -> tuple[Numbers, Numbers]:
        """The texts that hold a term, in order, and how often each does."""
        place = self._find(term.encode("utf-8", "surrogatepass"))
        if place is None:
            return _NONE, _NONE
        start, end = self.arrays["post_ends"][place : place + 2]
        some = slice(start, end)
        return rows_of(self.arrays, "post_texts", some), rows_of(self.arrays, "post_counts", some)

    def _find(self, term: bytes) -> int | None:
        heads, head = self.arrays["term_heads"], _head(term)
        place = int(heads.searchsorted(head))
        if len(term) > _HEAD:
            # Only terms that begin alike are compared as a whole.
            end = int(heads.searchsorted(head, "right"))
            place = bisect_left(range(end), term, place, end, key=self.term)
        return place if place < self.terms and self.term(place) == term else None

    @property
    def terms(self) -> int:
        """How many terms there are."""
        return len(self.arrays["term_ends"]) - 1

    def term(self, place: int) -> bytes:
        """A term by its place, in UTF-8."""
        return self._cut("terms", "term_ends", place)

    @cached_property
    def total(self) -> int:
        """The tokens of all texts."""
        return int(self.arrays["length"].sum(dtype=np.int64))


def key_of(id: str) -> int:
    """A number of 64 bits that stands for an id."""
    return int.from_bytes(blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def build(entries: Iterable[Entry]) -> Segment:
    """A segment of texts in any order; of the same id and source none may come twice."""
    ordered = sorted(entries, key=lambda entry: (entry.id.encode(), entry.source))
    vocabulary: dict[str, int] = {}
    places: list[NDArray[np.int64]] = []
    lengths = np.zeros(len(ordered), np.uint32)
    for number, entry in enumerate(ordered):
        found, lengths[number] = index_tokens(entry.text)
        places.append(np.array([vocabulary.setdefault(token, len(vocabulary)) for token in found], np.int64))
    texts = np.repeat(np.arange(len(ordered)), [len(one) for one in places])
    terms = np.concatenate(places) if places else np.zeros(0, np.int64)
    both, counts = np.unique(terms * max(1, len(ordered)) + texts, return_counts=True)
    terms, texts = np.divmod(both, max(1, len(ordered)))
    names = [token.encode("utf-8", "surrogatepass") for token in vocabulary]
    meta: Row = {}
    arrays: dict[str, Numbers] = {
        "first": np.array([entry.first for entry in ordered], np.int64),
        "last": np.array([entry.last for entry in ordered], np.int64),
        "length": lengths,
        "said": np.frombuffer(b"".join(entry.said for entry in ordered), np.uint8).reshape(-1, 16),
        "key": np.array([key_of(entry.id) for entry in ordered], np.uint64),
    }
    for column in WORD_COLUMNS:
        meta[column], arrays[column] = _coded([getattr(entry, column) for entry in ordered])
    arrays |= _packed([entry.id.encode() for entry in ordered], [_write_row(entry.row) for entry in ordered])
    return Segment(meta, arrays | _inverted(names, terms, texts, np.minimum(counts, _MOST)))


def merge(parts: Sequence[tuple[Segment, NDArray[np.bool_]]]) -> tuple[Segment, Numbers]:
    """One segment of the texts of several that a mask each keeps.

    Also where each text stood: (texts, 2), the number of the part and the place in it.
    """
    stood = [(number, int(place)) for number, (_, kept) in enumerate(parts) for place in np.flatnonzero(kept)]
    ids = [parts[number][0].id(place).encode() for number, place in stood]
    order = sorted(range(len(stood)), key=ids.__getitem__)
    origin = np.array([stood[place] for place in order], np.int64).reshape(-1, 2)
    now = [np.full(segment.size, -1, np.int64) for segment, _ in parts]
    for place, (number, old) in enumerate(origin):
        now[number][old] = place
    meta: Row = {}
    arrays: dict[str, Numbers] = {name: _gathered(parts, origin, name) for name in _PLAIN}
    for column in WORD_COLUMNS:
        words = [parts[number][0].meta[column][parts[number][0].arrays[column][old]] for number, old in origin]
        meta[column], arrays[column] = _coded(words)
    rows = [_write_row(parts[number][0].row(int(old))) for number, old in origin]
    arrays |= _packed([ids[place] for place in order], rows)
    return Segment(meta, arrays | _joined([segment for segment, _ in parts], now)), origin


def _gathered(parts: Sequence[tuple[Segment, NDArray[np.bool_]]], origin: Numbers, name: str) -> Numbers:
    like = parts[0][0].arrays[name]
    found = np.zeros((len(origin), *like.shape[1:]), like.dtype)
    for number, (segment, _) in enumerate(parts):
        mine = origin[:, 0] == number
        found[mine] = segment.arrays[name][origin[mine, 1]]
    return found


def _joined(segments: Sequence[Segment], now: Sequence[Numbers]) -> dict[str, Numbers]:
    vocabulary: dict[bytes, int] = {}
    terms, texts, counts = [], [], []
    for segment, places in zip(segments, now, strict=True):
        names = [vocabulary.setdefault(segment.term(place), len(vocabulary)) for place in range(segment.terms)]
        repeated = np.repeat(np.array(names, np.int64), np.diff(segment.arrays["post_ends"]))
        moved = places[segment.arrays["post_texts"]]
        kept = moved >= 0
        terms.append(repeated[kept])
        texts.append(moved[kept])
        counts.append(segment.arrays["post_counts"][kept])
    return _inverted(list(vocabulary), np.concatenate(terms), np.concatenate(texts), np.concatenate(counts))


def _inverted(names: Sequence[bytes], terms: Numbers, texts: Numbers, counts: Numbers) -> dict[str, Numbers]:
    """The inverted index of (term, text, count); `names` of terms may be in any order and may hold unused ones."""
    used = np.zeros(len(names), bool)
    used[terms] = True
    kept = sorted(np.flatnonzero(used).tolist(), key=names.__getitem__)
    rank = np.zeros(len(names), np.int64)
    rank[kept] = np.arange(len(kept))
    order = np.lexsort((texts, rank[terms]))
    held = np.bincount(rank[terms], minlength=len(kept)) if len(kept) else np.zeros(0, np.int64)
    blob, ends = _blob([names[place] for place in kept])
    marks = marks_of(names[place].decode("utf-8", "surrogatepass") for place in kept)
    return marks | {
        "terms": blob,
        "term_heads": np.array([_head(names[place]) for place in kept], np.uint64),
        "term_ends": ends,
        "post_ends": np.concatenate([[0], np.cumsum(held)]).astype(np.int64),
        "post_texts": texts[order].astype(np.uint32),
        "post_counts": counts[order].astype(np.uint16),
    }


def _head(term: bytes) -> np.uint64:
    """The first bytes of a term as a number: in the order of terms."""
    return np.uint64(int.from_bytes(term[:_HEAD].ljust(_HEAD, b"\0"), "big"))


def _coded(words: Sequence[str | None]) -> tuple[list[str | None], Numbers]:
    """The different words of a column, and for each row which it is."""
    found: dict[str | None, int] = {}
    codes = [found.setdefault(word, len(found)) for word in words]
    return list(found), np.array(codes, np.int32)


def _packed(ids: Sequence[bytes], rows: Sequence[bytes]) -> dict[str, Numbers]:
    """Ids one behind the other; rows compressed, some together, so that a few are read without the others."""
    packer = zstandard.ZstdCompressor(level=1)
    blocks = [packer.compress(_write_row(list(rows[start : start + _BLOCK]))) for start in range(0, len(rows), _BLOCK)]
    id_blob, id_ends = _blob(ids)
    row_blob, block_ends = _blob(blocks)
    return {"ids": id_blob, "id_ends": id_ends, "rows": row_blob, "block_ends": block_ends}


def _blob(pieces: Sequence[bytes]) -> tuple[Numbers, Numbers]:
    ends = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces], dtype=np.int64)]).astype(np.int64)
    return np.frombuffer(b"".join(pieces), np.uint8), ends
