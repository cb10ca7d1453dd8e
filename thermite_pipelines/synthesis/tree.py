"""The forest of a campaign: from syntheses that nothing higher cites down to the facts that all of them rest on.

Syntheses cite facts and other syntheses. What several cite is shared, and cycles may stand in what an agent answered,
so each synthesis and each fact has one place of its own: below the first that leads to it. Everything here is made of
rows of the tables alone, and the order in which they are given makes no difference.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

Row = Mapping[str, Any]


def is_live(row: Row) -> bool:
    """Whether a fact was not taken back, and no other one stands for it."""
    return row["retracted_by"] is None and row["superseded_by"] is None


def depth_of(row: Row) -> int:
    """The depth of a synthesis; 0 where nobody wrote it down."""
    return max(0, row["depth"] or 0)


class Forest:
    """The live syntheses of one campaign, and what they cite of its facts.

    `syntheses` and `facts` are rows of the tables of these names, retracted ones among them: a retracted synthesis is
    shown among the facts of what cites it, and not followed further down.
    """

    def __init__(self, syntheses: Iterable[Row], facts: Iterable[Row]) -> None:
        given = sorted(syntheses, key=lambda row: row["fact"])
        self.syntheses: dict[str, Row] = {row["fact"]: row for row in given if is_live(row)}
        """The live syntheses by id."""
        others = [*facts, *(row for row in given if not is_live(row))]
        self.facts: dict[str, Row] = {
            row["fact"]: row for row in sorted(others, key=lambda row: row["fact"]) if row["fact"] not in self.syntheses
        }
        """All else that a synthesis may rest on, by id: facts, live or retracted, and retracted syntheses."""
        self._of_source = self._sources()
        self.cites: dict[str, tuple[str, ...]] = {name: self.cited_by(row) for name, row in self.syntheses.items()}
        """What each live synthesis cites, itself left out: syntheses first, the deepest of them before all."""
        self.children: dict[str, tuple[str, ...]] = {}
        """The syntheses that have their place below each."""
        self.leaves: dict[str, tuple[str, ...]] = {}
        """The facts that have their place below each, not counting those below its children."""
        self.order: list[str] = []
        """All live syntheses, each before those below it."""
        self.roots: tuple[str, ...] = tuple(self._planted())
        """Where looking begins: what no live synthesis cites, and one of each cycle that nothing leads to."""

    def _sources(self) -> dict[str, str]:
        """The fact of each item and atom; of two, the one that lives."""
        found: dict[str, str] = {}
        for row in sorted(
            [*self.facts.values(), *self.syntheses.values()], key=lambda row: (not is_live(row), _id(row))
        ):
            for source in filter(None, (row["item"], row["atom"])):
                found.setdefault(source, _id(row))
        return found

    def row(self, name: str) -> Row | None:
        """The row of a synthesis or a fact; None for what is neither."""
        return self.syntheses.get(name) or self.facts.get(name)

    def resolve(self, ref: str) -> str | None:
        """The fact that a ref names, by its id or by the item or atom it was made of; None where it is none."""
        ref = ref.strip()
        if ref in self._of_source:
            return self._of_source[ref]
        return next((name for name in (ref, ref.lower()) if name in self.syntheses or name in self.facts), None)

    def cited_by(self, row: Row) -> tuple[str, ...]:
        """The facts and syntheses that a row cites, each once, itself left out, in an order that only they decide."""
        named = {name for ref in row["refs"] or () if (name := self.resolve(ref)) is not None} - {_id(row)}
        return tuple(sorted(named, key=self._rank))

    def _rank(self, name: str) -> tuple[bool, int, float, str]:
        """Syntheses before facts, deeper before shallower, then those that weigh more."""
        row = self.syntheses.get(name)
        if row is None:
            return True, 0, 0.0, name
        return False, -depth_of(row), -(row["evidence_weight"] or 0.0), name

    def _planted(self) -> Iterator[str]:
        cited = {name for names in self.cites.values() for name in names}
        ranked = sorted(self.syntheses, key=self._rank)
        placed: set[str] = set()
        for name in [*(name for name in ranked if name not in cited), *ranked]:
            if name not in placed:
                yield name
                self._grow(name, placed)

    def _grow(self, root: str, placed: set[str]) -> None:
        """Give everything below a root its place. What is deeper takes first: shared facts lie as low as they can."""
        placed.add(root)
        self.order.append(root)
        below: dict[str, list[str]] = {root: []}
        walk = [(root, iter(self.cites[root]))]
        while walk:
            name, ahead = walk[-1]
            child = next((one for one in ahead if one in self.syntheses and one not in placed), None)
            if child is None:
                walk.pop()
                self.children[name] = tuple(below.pop(name))
                self.leaves[name] = tuple(o for o in self.cites[name] if o in self.facts and o not in placed)
                placed.update(self.leaves[name])
            else:
                placed.add(child)
                self.order.append(child)
                below[name].append(child)
                below[child] = []
                walk.append((child, iter(self.cites[child])))

    def rests_on(self, name: str) -> frozenset[str]:
        """All facts that a synthesis rests on, through any number of syntheses, wherever they have their place."""
        found, ahead = {name}, [name]
        while ahead:
            new = set(self.cites.get(ahead.pop(), ())) - found
            found |= new
            ahead += new
        return frozenset(one for one in found if one in self.facts)

    @cached_property
    def replaced(self) -> dict[str, tuple[str, ...]]:
        """By fact or synthesis, the facts that it stands for: those that it took the place of."""
        found: dict[str, list[str]] = {}
        for name, row in self.facts.items():
            if row["superseded_by"] not in (None, name):
                found.setdefault(row["superseded_by"], []).append(name)
        return {name: tuple(others) for name, others in found.items()}

    @cached_property
    def depths(self) -> dict[int, int]:
        """Live syntheses by depth, the deepest first."""
        return dict(sorted(Counter(map(depth_of, self.syntheses.values())).items(), reverse=True))

    @cached_property
    def held(self) -> frozenset[str]:
        """The facts that some live synthesis cites."""
        return frozenset(name for names in self.leaves.values() for name in names)

    @cached_property
    def held_retracted(self) -> int:
        """How many of those were taken back."""
        return sum(not is_live(self.facts[name]) for name in self.held)

    @cached_property
    def outside(self) -> int:
        """Live facts that no live synthesis cites."""
        return sum(is_live(row) and name not in self.held for name, row in self.facts.items())

    def weights(self) -> dict[str, int]:
        """By synthesis, how wide it is drawn: a part for each fact that has its place below it, at least one."""
        found: dict[str, int] = {}
        for name in reversed(self.order):
            found[name] = max(1, len(self.leaves[name]) + sum(found[child] for child in self.children[name]))
        return found


def _id(row: Row) -> str:
    return row["fact"]
