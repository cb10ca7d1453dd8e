"""Seed sets: the facts of one question, found by a token that they share or, within a scope, by likeness alone."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from thermite_pipelines.synthesis.discovery.dial import Dial
from thermite_pipelines.synthesis.discovery.measures import Edge, Ground, quality_of, specificity
from thermite_pipelines.synthesis.discovery.subsets import Subsets
from thermite_pipelines.synthesis.discovery.tokens import Frequencies, Kind, Scope, Token, tokens_of
from thermite_pipelines.synthesis.facts import Fact

Edges = Callable[[Collection[str]], Iterable[Edge]]
"""The edges of the campaign's graph around some facts; those that lead to others make no difference."""


@dataclass(frozen=True)
class Pool:
    """The facts that sets are made of, the community of each that is in one, and what they are to each other."""

    facts: Mapping[str, Fact]
    community: Mapping[str, int]
    edges: Edges
    dependents: Callable[[str], Collection[str]]
    markers: frozenset[str] = frozenset()

    def ground(self, names: Collection[str]) -> Ground:
        """The ground that some of them stand on."""
        within = frozenset(names)
        edges = [edge for edge in self.edges(within) if within.issuperset(edge)] if within else []
        return Ground(edges, self.community, self.dependents)


@dataclass(frozen=True)
class SeedSet:
    """Facts to ask about together, in the order of ids; the token is empty where nothing but likeness joins them."""

    members: tuple[str, ...]
    quality: float
    form: str = ""
    kind: Kind | None = None
    shown: str = ""


def token_sets(
    pool: Pool, frequencies: Frequencies, budget: int, dial: Dial, scope: Scope | None = None
) -> list[SeedSet]:
    """The best sets of facts that share a token across communities, the best first; each token makes one at most.

    A set is as rare as its token is among the facts that `frequencies` counts. Where too many facts carry a token, the
    set is the one that hangs together best, or none. A token that a scope asked for makes none: all facts of the scope
    may have it.
    """
    candidates = [
        token
        for token in tokens_of(pool.facts, dial.bridge, pool.markers)
        if _spans(token, pool) and not (scope and scope.holds(token))
    ]
    ground = pool.ground({name for token in candidates for name in token.members})
    found = []
    for token in candidates:
        members = token.members
        if len(members) > dial.max_members:
            members = Subsets(members, ground, dial).take() or ()
        if members:
            spec = specificity(frequencies.of(token))
            found += _kept(members, ground, dial, spec, token)
    return sorted(found, key=lambda one: (-one.quality, one.form))[:budget]


def scoped_sets(pool: Pool, budget: int, dial: Dial, scope: Scope) -> list[SeedSet]:
    """The best sets of facts of a scope that hang together across communities, the best first.

    No token is needed. The rarest in the pool that all of a set share names it, unless the scope itself says that.
    """
    if len(pool.facts) < 2:
        return []
    by_form = {token.form: token for token in tokens_of(pool.facts, dial.bridge, pool.markers)}
    forms: dict[str, set[str]] = {name: set() for name in pool.facts}
    for token in by_form.values():
        for name in token.members:
            forms[name].add(token.form)
    ground = pool.ground(pool.facts)
    subsets = Subsets(pool.facts, ground, dial)
    found = []
    while members := subsets.take():
        shared = [by_form[form] for form in set.intersection(*(forms[name] for name in members))]
        label = min(shared, key=lambda token: (len(token.members), token.form), default=None)
        if label is not None and scope.holds(label):
            label = None
        spec = specificity(len(label.members)) if label else 0.0
        found += _kept(members, ground, dial, spec, label)
    return sorted(found, key=lambda one: (-one.quality, one.form, one.members))[:budget]


def _spans(token: Token, pool: Pool) -> bool:
    """Whether facts of two communities carry it; one of no community is a community of its own."""
    return len({pool.community.get(name, name) for name in token.members}) > 1


def _kept(members: tuple[str, ...], ground: Ground, dial: Dial, spec: float, token: Token | None) -> list[SeedSet]:
    quality = quality_of(ground.measured(members, spec), dial)
    if not quality.is_kept:
        return []
    if token is None:
        return [SeedSet(members, quality.value)]
    return [SeedSet(members, quality.value, token.form, token.kind, token.shown)]
