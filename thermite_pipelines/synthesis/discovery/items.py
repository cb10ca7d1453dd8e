"""The work items of discovery, for a review (forward) and for a hypothesize session (backward).

Discovery is an addition: where it fails, the session goes on without it.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thermite_pipelines.synthesis.chunking import discover_item
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.discovery.dial import BUDGETS, Dial
from thermite_pipelines.synthesis.discovery.sets import Edges, Pool, SeedSet, scoped_sets, token_sets
from thermite_pipelines.synthesis.discovery.tokens import Frequencies, Scope
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.lineage import Lineage
from thermite_pipelines.synthesis.work import Effort, NewItem

if TYPE_CHECKING:
    from thermite_pipelines.synthesis.neighbours import Neighbours

logger = logging.getLogger(__name__)

_FEWEST_SEEDS = 2


@dataclass(frozen=True)
class Material:
    """What discovery looks at: a session's seeds with their clusters, and the facts of the campaign as they are now.

    Clusters, edges and lineage are asked for only where they are needed: at normal effort never. `markers` are the
    tags that all facts of the campaign share.
    """

    corpus: Corpus
    seeds: Sequence[Fact]
    clusters: Callable[[], Iterable[Sequence[Fact]]]
    edges: Edges
    lineage: Callable[[], Lineage]
    markers: frozenset[str] = frozenset()


def edges_of(neighbours: "Neighbours", similar_to: float, among: Collection[str] | None = None) -> Edges:
    """The edges of a campaign's graph, by the nearest of each fact that are at least so near; `among` these alone."""
    return lambda names: neighbours.nearest(similar_to, names, among=among).edges(similar_to)


def forward_items(material: Material, effort: Effort, dial: Dial, scope: Scope | None = None) -> list[NewItem]:
    """Items that ask what follows from all of some facts, the best sets first; none at normal effort."""
    sets, _ = _found(material, effort, dial, scope or Scope())
    return _items(material, sets, scope or Scope(), backward=False)


def backward_items(material: Material, effort: Effort, dial: Dial, scope: Scope | None = None) -> list[NewItem]:
    """Items that ask what all of some facts rest on, those first with which the most would fall.

    None at normal effort, nor for fewer than two seeds.
    """
    if len({fact.fact for fact in material.seeds}) < _FEWEST_SEEDS:
        return []
    sets, lineage = _found(material, effort, dial, scope or Scope())
    ranked = [one for _, one in keystones(sets, lineage)] if lineage else []
    return _items(material, ranked, scope or Scope(), backward=True)


def keystones(sets: Iterable[SeedSet], lineage: Lineage) -> list[tuple[int, SeedSet]]:
    """Sets by how many live facts rest on the one member on which the most do, with that number, the most first."""
    ranked = [(max(map(lineage.blast_radius, one.members), default=0), one) for one in sets]
    return sorted(ranked, key=lambda pair: (-pair[0], pair[1].form, pair[1].members))


def _found(material: Material, effort: Effort, dial: Dial, scope: Scope) -> tuple[list[SeedSet], Lineage | None]:
    """The sets that the budget has room for, by quality, and the lineage that they were measured by."""
    budget = BUDGETS[effort]
    if not budget:
        return [], None
    try:
        lineage = material.lineage()
        pool = _pool(material, lineage)
        if scope.is_given:
            return scoped_sets(pool, budget, dial, scope), lineage
        return token_sets(pool, Frequencies(material.corpus.live().values()), budget, dial), lineage
    except Exception as error:  # noqa: BLE001 - an addition must not cost the session; a text may be data
        logger.warning("no discovery in this session: %s", type(error).__name__)
        return [], None


def _pool(material: Material, lineage: Lineage) -> Pool:
    facts: dict[str, Fact] = {}
    community: dict[str, int] = {}
    clusters = [[fact.fact for fact in cluster] for cluster in material.clusters()]
    for place, cluster in enumerate(clusters):
        for name in cluster:
            community.setdefault(name, place)
    for name in sorted({*community, *(fact.fact for fact in material.seeds)}):
        fact = material.corpus.read(name)
        if fact is not None and fact.kind == "epistemic" and fact.origin != "discovered":
            facts[name] = fact
    return Pool(facts, community, material.edges, lineage.dependents, material.markers)


def _items(material: Material, sets: Iterable[SeedSet], scope: Scope, *, backward: bool) -> list[NewItem]:
    items = []
    for rank, one in enumerate(sets):
        facts = [fact for name in one.members if (fact := material.corpus.read(name)) is not None]
        bridge = {"token": one.shown, "kind": one.kind or "", "scope_label": scope.label}
        items.append(discover_item(bridge, facts, rank, backward=backward))
    return items
