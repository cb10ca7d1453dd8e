"""Rows of the derived tables for tests of the tree, in few words, and what a reader of a page sees in it."""

from collections import Counter
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Any

from thermite_pipelines.synthesis.tree import Forest
from thermite_pipelines.synthesis.tree_page import TreeRows, tree_pages
from thermite_pipelines.tables.derived import DERIVED_TABLES

CAMPAIGN = "loaders"
DAY = 1_796_000_000_000_000
Row = dict[str, Any]
VOID = {"meta", "input"}
NUMBERED = "f-{:012x}"


def name(number: int) -> str:
    return f"{CAMPAIGN}/{number:012x}"


def names(numbers: Iterable[int]) -> list[str]:
    return [name(number) for number in numbers]


def _row(table: str, number: int, values: Row) -> Row:
    row = dict.fromkeys(DERIVED_TABLES[table].column_names)
    row |= {"fact": name(number), "version": "0" * 16, "kind": "epistemic", "domain": [], "entities": [], "refs": []}
    row |= {"confidence": 0.6, "sources": 1, "evidence_weight": 0.0, "origin": "authored", "changed_by": []}
    unknown = values.keys() - row.keys()
    assert not unknown, unknown
    return row | values


def fact(number: int, said: str = "", **more: Any) -> Row:
    """A fact of the note `n<number>`."""
    said = said or f"Shard {number} loads in {number} ms."
    values = {"type": "observation", "title": said, "body": said, "item": f"note:rig-a/run-1/n{number}"}
    values |= {"rig": "rig-a", "run": "run-1", "written_by": "lane-1", "created_at": DAY + number * 1_000_000}
    return _row("facts", number, values | more)


def synthesis(number: int, depth: int, cited: Iterable[int], said: str = "", **more: Any) -> Row:
    said = said or f"Shards of group {number} load alike."
    values = {"type": "synthesis", "title": said, "body": f"In short: {said}", "depth": depth, "refs": names(cited)}
    values |= {"origin": "distilled", "evidence_weight": 0.5, "decision": f"decision:{CAMPAIGN}/{number}"}
    values |= {"answered_by": "rules", "model": "rules", "prompt_version": "rules/1", "decided_at": DAY + number}
    return _row("syntheses", number, values | more)


def hypothesis(number: int, **more: Any) -> Row:
    values = {"type": "hypothesis", "title": f"Guess {number}", "body": "It may be the disk.", "confidence": 0.5}
    values |= {"prediction": "A faster disk halves it.", "falsifier": "It stays as it is on a faster disk."}
    values |= {"answered_by": "model", "model": "acme/large", "prompt_version": "hypothesize/1", "decided_at": DAY}
    return _row("hypotheses", number, values | more)


def methodology(number: int, **more: Any) -> Row:
    values = {"type": "methodology", "title": f"Lesson {number}", "body": "Look at the disk first.", "decided_at": DAY}
    return _row("methodologies", number, values | {"answered_by": "agent"} | more)


def forest(*rows: Row) -> Forest:
    return Forest(
        [row for row in rows if row["type"] == "synthesis"], [row for row in rows if row["type"] != "synthesis"]
    )


def tree_rows(*rows: Row) -> TreeRows:
    """Rows told apart by their type."""
    kinds = {"synthesis": "syntheses", "hypothesis": "hypotheses", "methodology": "methodologies"}
    tables: dict[str, list[Row]] = {"syntheses": [], "facts": [], "hypotheses": [], "methodologies": []}
    for row in rows:
        tables[kinds.get(row["type"], "facts")].append(row)
    return TreeRows(**tables)


def grown(facts: int, each: int = 5, deepest: int = 3) -> list[Row]:
    """So many facts, and syntheses over each few of them, and so on up."""
    rows = [fact(number) for number in range(facts)]
    below, following = list(range(facts)), facts
    for depth in range(deepest + 1):
        groups = [below[start : start + each] for start in range(0, len(below), each)]
        below = list(range(following, following + len(groups)))
        rows += [synthesis(number, depth, group) for number, group in zip(below, groups, strict=True)]
        following += len(groups)
    return rows


class Page(HTMLParser):
    """A page as a browser takes it apart: its elements, attributes and words."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.where: dict[str, list[str]] = {}
        """By `id`, the ids of what it stands in, from the outermost on."""
        self._ids: list[str | None] = []
        self.feed(text)
        self.close()
        assert not self.open, "all elements end"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, key, value) for key, value in attrs]
        if tag not in VOID:
            id = dict(attrs).get("id")
            if id is not None:
                assert id not in self.where, "ids are unique"
                self.where[id] = [one for one in self._ids if one is not None]
            self.open.append(tag)
            self._ids.append(id)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, key, value) for key, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag
        self._ids.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)

    def values(self, key: str) -> list[str]:
        return [value or "" for _, name, value in self.attributes if name == key]


def pages(*rows: Row, page_bytes: int = 2_000_000) -> dict[str, Page]:
    return {file: Page(text) for file, text in tree_pages(CAMPAIGN, tree_rows(*rows), page_bytes).items()}


def page(*rows: Row) -> Page:
    """The one page of some rows."""
    (only,) = pages(*rows).values()
    return only
