"""Folders of an index made straight of texts, past the lake: what `bench_search` asks.

Texts are made by chance as reports are written: words of a vocabulary by Zipf's law, many of few texts and few of many;
vectors as models place texts, by subjects. What embedding costs is measured apart: it goes by the text.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.knowledge.index import manifest as files
from thermite_pipelines.knowledge.index.compacting import LARGEST
from thermite_pipelines.knowledge.index.folder_view import Piece
from thermite_pipelines.knowledge.index.manifest import Manifest, Part
from thermite_pipelines.knowledge.index.open_index import open_index
from thermite_pipelines.knowledge.index.segments import Entry, build
from thermite_pipelines.knowledge.index.vectors import Vectors

DIMENSION = 512
MODEL = "bench"
KINDS = ("note", "experiment", "attempt", "research_note", "document")
_VOCABULARY = 40_000
_MEAN_WORDS = 40
_SUBJECTS = 2_000
_FUNCTION_WORDS = 100


@dataclass(frozen=True)
class Store:
    """Texts in folders `c0`, `c1` …, each with an index below `folder`."""

    folder: Path
    folders: tuple[str, ...]
    texts: int

    def pieces(self, folders: tuple[str, ...]) -> list[Piece]:
        """The pieces of some folders, as a view of them has."""
        return [
            Piece(name, part.segment, part.vectors, None, part.atoms)
            for name in folders
            for part in open_index(self.folder / name).parts
        ]


def names(chance: np.random.Generator) -> NDArray[np.str_]:
    """A vocabulary: words of three to five syllables."""
    syllables = np.array([a + b for a, b in itertools.product("bdfgklmnprstvz", "aeiou")])
    made = ["".join(syllables[chance.integers(0, len(syllables), 3 + place % 3)]) for place in range(_VOCABULARY)]
    return np.array(made)


def texts(number: int, seed: int) -> Iterator[str]:
    """So many texts."""
    chance = np.random.default_rng(seed)
    words = names(np.random.default_rng(1))
    for _ in range(number):
        ranks = (chance.zipf(1.2, 4 + chance.poisson(_MEAN_WORDS - 4)) - 1) % _VOCABULARY
        yield " ".join(words[ranks])


def asked(number: int) -> list[str]:
    """Questions of two to five words of one text, without the most usual, which do not count in questions."""
    chance = np.random.default_rng(99)
    words = names(np.random.default_rng(1))
    usual = frozenset(words[:_FUNCTION_WORDS].tolist())
    found = []
    for text in texts(2 * number, 99):
        some = [word for word in text.split() if word not in usual]
        if len(some) > 5 and len(found) < number:
            found.append(" ".join(some[: chance.integers(2, 6)]))
    return found


def vectors(number: int, seed: int) -> NDArray[np.float32]:
    """So many vectors of length 1, around subjects that all seeds share."""
    chance = np.random.default_rng(seed)
    subjects = np.random.default_rng(1).standard_normal((_SUBJECTS, DIMENSION), dtype=np.float32)
    rows = subjects[chance.integers(0, _SUBJECTS, number)]
    rows += 1.2 * chance.standard_normal((number, DIMENSION), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def entries(number: int, campaign: str, seed: int, first: int = 0) -> Iterator[Entry]:
    """So many texts of a folder, from a number on."""
    for place, text in enumerate(texts(number, seed), first):
        id, run = f"note:rig-a/run-{place // 5_000}/{campaign}-{place:07d}", f"run-{place // 5_000}"
        row = {"item": id, "rig": "rig-a", "run": run, "written_by": "lane-1", "created_at": place, "title": "lesson"}
        kind = KINDS[place % len(KINDS)]
        yield Entry(
            id, kind, "rig-a", run, "lane-1", place, place, text, f"{campaign}/{place // 10_000}", {**row, "text": text}
        )


def made(folder: Path, number: int, campaigns: int) -> Store:
    """A store of so many texts in so many folders of the same size, each of segments as large as they grow."""
    each = number // campaigns
    for place in range(campaigns):
        parts, own = [], folder / f"c{place}"
        own.mkdir(parents=True)
        for start in range(0, each, LARGEST):
            size = min(LARGEST, each - start)
            segment = build(entries(size, f"c{place}", 1_000 * place + start, start))
            words = files.put(own, f"{start:08d}.words", segment)
            made_of = files.put(own, f"{start:08d}.vectors", Vectors.of(MODEL, vectors(size, 1_000 * place + start)))
            parts.append(Part(words, segment.size, False, made_of))
        files.save(own, Manifest(model=MODEL, parts=tuple(parts), number=each + 1))
    return Store(folder, tuple(f"c{place}" for place in range(campaigns)), number)


def with_one_more(store: Store, campaign: str, report: list[Entry], matrix: NDArray[np.float32]) -> None:
    """Index the texts of one more report into a folder, and make them count."""
    folder = store.folder / campaign
    manifest = open_index(folder).manifest
    segment = build(report)
    words = files.put(folder, f"{manifest.number:08d}.more.words", segment)
    more = files.put(folder, f"{manifest.number:08d}.more.vectors", Vectors.of(MODEL, matrix))
    part = Part(words, segment.size, False, more)
    files.save(folder, msgspec.structs.replace(manifest, parts=(*manifest.parts, part), number=manifest.number + 1))
