"""What stands on which page of a campaign's tree, so that no page gets too large to open.

A synthesis holds those below it, unless that makes it larger than a page may be or nests too deep: then those are cut
off, stand by themselves and are linked. Everything stands on one page where it has room there.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from thermite_pipelines.synthesis.tree import Forest

PAGE_BYTES = 2_000_000
"""About how large a page gets before another one is begun."""
MOST_NESTED = 6
"""Syntheses in one another: HTML has six levels of headings, and readers of pages limits of their own."""


@dataclass(frozen=True)
class Layout:
    """The pages, each with the names of what stands on it by itself; and the page of everything, from 0."""

    pages: tuple[tuple[str, ...], ...]
    heads: frozenset[str]
    page_of: dict[str, int] = field(repr=False)


def behind(forest: Forest) -> dict[str, tuple[str, ...]]:
    """By synthesis, the facts that those below it rest on and that no synthesis cites: each once.

    A fact rests on facts too: a finding on its claims, and what was merged on what it was merged from.
    """
    placed = set(forest.held)
    found: dict[str, tuple[str, ...]] = {}
    for name in reversed(forest.order):
        own: list[str] = []
        ahead = [name, *forest.leaves[name]]
        for one in ahead:
            for other in rests_on(forest, one):
                if other in forest.facts and other not in placed:
                    placed.add(other)
                    own.append(other)
                    ahead.append(other)  # the loop comes to it
        found[name] = tuple(own)
    return found


def rests_on(forest: Forest, name: str) -> list[str]:
    """What a fact cites and what it stands for, each once."""
    row = forest.row(name)
    cited = forest.cited_by(row) if row is not None else ()
    return list(dict.fromkeys([*cited, *forest.replaced.get(name, ())]))


def laid_out(
    forest: Forest,
    beneath: dict[str, tuple[str, ...]],
    others: Sequence[str],
    size: Callable[[str], int],
    page_bytes: int = PAGE_BYTES,
) -> Layout:
    """Share a forest and other entries out over pages.

    `beneath` is what `behind` found; `others` are names of entries that stand by themselves after the trees; `size`
    gives the bytes of a synthesis with its facts, without the syntheses below it, and of each of the others.
    """
    heads, sizes = _cut(forest, size, page_bytes)
    pages: list[list[str]] = [[]]
    room = page_bytes
    for name, bytes_ in [*((name, sizes[name]) for name in forest.order if name in heads), *_sized(others, size)]:
        if pages[-1] and bytes_ > room:
            pages.append([])
            room = page_bytes
        pages[-1].append(name)
        room -= bytes_
    page_of: dict[str, int] = {name: number for number, names in enumerate(pages) for name in names}
    for name in forest.order:
        for child in forest.children[name]:
            page_of.setdefault(child, page_of[name])
        for fact in (*forest.leaves[name], *beneath[name]):
            page_of[fact] = page_of[name]
    return Layout(tuple(map(tuple, pages)), heads, page_of)


def _sized(names: Iterable[str], size: Callable[[str], int]) -> list[tuple[str, int]]:
    return [(name, size(name)) for name in names]


def _cut(forest: Forest, size: Callable[[str], int], page_bytes: int) -> tuple[frozenset[str], dict[str, int]]:
    """The syntheses that stand by themselves, and the size of each with all that stays below it."""
    heads = set(forest.roots)
    sizes: dict[str, int] = {}
    nested: dict[str, int] = {}
    for name in reversed(forest.order):
        kept: list[str] = []
        total = size(name)
        # The smallest first: what is cut off is as few and as large as can be.
        for child in sorted(forest.children[name], key=lambda child: (sizes[child], child)):
            if nested[child] < MOST_NESTED and total + sizes[child] <= page_bytes:
                total += sizes[child]
                kept.append(child)
            else:
                heads.add(child)
        sizes[name] = total
        nested[name] = 1 + max((nested[child] for child in kept), default=0)
    return frozenset(heads), sizes
