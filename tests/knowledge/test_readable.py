"""Nobody reads what was not granted, and what one may not read changes nothing of what one finds."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.knowledge.indexing import Toy
from tests.knowledge.syncing import SyncHome
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge import readable as module
from thermite_pipelines.knowledge.index.folder_view import Piece
from thermite_pipelines.knowledge.index.scoring import Meaning, Question
from thermite_pipelines.knowledge.index.segments import Entry, build
from thermite_pipelines.knowledge.index.vectors import Vectors, embed
from thermite_pipelines.knowledge.readable import NotReadable, Readable, Reader
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.words import Corpus, Terms

PACKAGE = Path(module.__file__).parents[1]
FOLDERS = ("a", "b", "c", "d")
WORDS = ("warm", "hot", "cold", "batch", "batches", "cache", "shard", "热缓存", "猫", "straße", "4711", "warmer", "of")
SLIPS = ("wram", "bacth", "shards", "strasse", "缓存", "cach", "zzzz")
MODEL = Toy()


# Grants


def test_kb_43_a_campaign_reads_its_own_folder_and_what_was_granted(place: SyncHome) -> None:
    for name in FOLDERS:
        place.home.campaign(name)
    place.grant("a", "b")
    place.grant("b", "c")
    with place.home.control.read() as connection:
        assert Readable.by(connection, Reader.of("a")).folders == ("a", "b")
        assert Readable.by(connection, Reader.owner()).folders == FOLDERS
    place.revoke("a", "b")
    with place.home.control.read() as connection:
        assert Readable.by(connection, Reader.of("a")).folders == ("a",)


def test_it_fails_closed(place: SyncHome) -> None:
    place.run("r1", "a")
    place.run("r2", "b", "rig-b")
    reader = FolderReader(place.home.control, place.home.lake)
    with place.home.control.read() as connection:
        with pytest.raises(ThermiteError):
            Readable.by(connection, Reader.of("unknown"))
        with pytest.raises(NotReadable):
            Reader.of("")
        found = Readable.by(connection, Reader.of("a"))
    with pytest.raises(NotReadable, match="may not read"):
        list(found.rows(reader, "b"))
    assert {row["run"] for row in found.rows(reader, "a")} == {"r1"}
    assert found.find(reader, "run:rig-b/r2/r2") is None and found.find(reader, "run:rig-a/r1/r1") is not None
    assert "b" not in found and found.only(["b", "a"]) == ("a",)
    with pytest.raises(KeyError):
        found.views(place.home.opened)


@cache
def trees() -> dict[Path, ast.Module]:
    """Every module of the package."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}


def test_nothing_else_asks_which_folders_may_be_read() -> None:
    """Grants are looked at in one place: whoever reads knowledge comes through it."""
    asking = {
        path.relative_to(PACKAGE).as_posix()
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr == "readable_by")
        or (isinstance(node, ast.ImportFrom) and any(name.name == "readable_by" for name in node.names))
    }
    assert asking == {"knowledge/readable.py"}


def test_the_owners_eyes_are_the_command_lines_and_those_that_the_service_gives_by_role() -> None:
    """Whoever else reads folders was told whose eyes to read with."""
    reading = {
        path.relative_to(PACKAGE).as_posix()
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "owner" and ast.unparse(node) == "Reader.owner"
    }
    assert {path for path in reading if not path.startswith("cli/")} == {"knowledge/search.py", "serve/access.py"}


# What is found


@dataclass(frozen=True)
class Text:
    """A text of a folder, in the index or only read, in a segment of its own or with others."""

    folder: str
    words: tuple[str, ...]
    is_indexed: bool
    segment: int
    number: int

    @property
    def entry(self) -> Entry:
        words, id = " ".join(self.words), f"note:r/{self.folder}/{self.number}"
        row = {"item": id, "title": "", "text": words}
        return Entry(id, "note", "r", self.folder, "w", 0, 0, words, f"{self.folder}/{self.segment}", row)


@st.composite
def stores(draw: st.DrawFn) -> list[Text]:
    parts = draw(
        st.lists(
            st.tuples(
                st.sampled_from(FOLDERS), st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.integers(0, 3)
            ),
            max_size=24,
        )
    )
    return [
        Text(folder, tuple(words), segment > 0, segment, number)
        for number, (folder, words, segment) in enumerate(parts)
    ]


questions = st.lists(st.sampled_from(WORDS + SLIPS), min_size=1, max_size=4).map(" ".join).filter(Terms)


def pieces(texts: list[Text], folders: set[str]) -> Iterator[Piece]:
    """The pieces that a view of these folders has."""
    for folder in sorted(folders):
        for number in range(4):
            mine = [text.entry for text in texts if text.folder == folder and text.segment == number]
            if mine:
                segment = build(mine)
                vectors = Vectors.of(MODEL.name, embed(segment, MODEL, range(segment.size))) if number else None
                yield Piece(folder, segment, vectors, None, False)


def ask(texts: list[Text], folders: set[str], words: str, limit: int | None = None, meaning: bool = True) -> list[Any]:
    """Score, id and reasons of what is found."""
    means = Meaning(MODEL.name, MODEL.queries([words])[0], 0.05, 0.3) if meaning else None
    hits = Question(list(pieces(texts, folders)), Terms(words).terms, means).hits(lambda piece: None, limit)
    return [(hit.score, hit.id, hit.words, hit.is_near) for hit in hits]


@given(stores(), st.sets(st.sampled_from(FOLDERS)), questions, st.integers(1, 9), st.booleans())
@settings(max_examples=150)
def test_what_may_not_be_read_changes_neither_results_nor_order_nor_counts_nor_scores(
    texts: list[Text], readable: set[str], words: str, limit: int, meaning: bool
) -> None:
    visible = [text for text in texts if text.folder in readable]
    found = ask(texts, readable, words, None, meaning)
    assert found == ask(visible, readable, words, None, meaning)
    assert {id for _, id, _, _ in found} <= {text.entry.id for text in visible}
    assert ask(texts, readable, words, limit, meaning) == found[:limit]


@given(stores(), questions)
@settings(max_examples=100)
def test_scores_by_words_are_bm25_over_what_may_be_read(texts: list[Text], words: str) -> None:
    """Against the plain sum over all texts, text by text; guesses at words that nobody wrote are another matter."""
    terms = Terms(words)
    counted = [(text.entry.id, *terms.count(text.entry.text)) for text in texts]
    corpus = Corpus(len(terms.terms))
    for _, length, counts in counted:
        corpus.add(length, counts)
    if all(corpus.holding):
        expected = [(corpus.score(length, counts), id) for id, length, counts in counted if counts is not None]
        expected.sort(key=lambda one: (-one[0], one[1]))
        found = ask(texts, set(FOLDERS), words, meaning=False)
        assert [(score, id) for score, id, _, _ in found] == expected


@given(stores(), questions, st.integers(0, 2**24 - 1))
@settings(max_examples=100)
def test_texts_that_do_not_count_are_as_if_they_were_not_there(texts: list[Text], words: str, bits: int) -> None:
    """What an index holds of files that changed is left out by a mask: the same as an index without it."""
    kept = [text for text in texts if bits >> text.number & 1]
    whole = []
    for piece in pieces(texts, set(FOLDERS)):
        ids = {text.entry.id for text in kept}
        mask = [piece.segment.id(place) in ids for place in range(piece.segment.size)]
        whole.append(Piece(piece.campaign, piece.segment, piece.vectors, np.array(mask, bool), False))
    means = Meaning(MODEL.name, MODEL.queries([words])[0], 0.05, 0.3)
    hits = Question(whole, Terms(words).terms, means).hits(lambda piece: None, None)
    assert [(hit.score, hit.id, hit.words, hit.is_near) for hit in hits] == ask(kept, set(FOLDERS), words)
