"""Clusters: the facts that a session looks at, with those near to them, in groups that belong together."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from thermite_pipelines.synthesis.communities import RESOLUTION, communities
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.neighbours import Nearest, Neighbours
from thermite_pipelines.synthesis.tags import canonical, without

SMALLEST = 2
"""The fewest facts of a cluster, by default."""
Cluster = list[Fact]


def scoped_clusters(
    facts: Mapping[str, Fact],
    seeds: Iterable[str],
    neighbours: Neighbours,
    similar_to: float,
    *,
    resolution: float = RESOLUTION,
    smallest: int = SMALLEST,
    exclude_types: Collection[str] = (),
    markers: frozenset[str] = frozenset(),
    nearest: Nearest | None = None,
) -> list[Cluster]:
    """Clusters of seeds and of their nearest facts of the whole campaign, the largest first, each in the order of ids.

    `facts` are those that live; of these pragmatic ones never count, and those of `exclude_types` only as seeds. A
    cluster without a seed is left out: it holds nothing new. `nearest` saves work where it is known for all facts.
    Where no two facts are related, those that share their first tag are a cluster; `markers` are no such tags.
    """
    known = {name: fact for name, fact in facts.items() if fact.kind == "epistemic"}
    chosen = {name for name in seeds if name in known}
    may_join = {name for name, fact in known.items() if fact.type not in exclude_types}
    if not chosen:
        return []
    around = nearest or neighbours.nearest(similar_to, chosen, among=known)
    joined = {other for name in chosen for other, _ in around.of(name) if other in may_join}
    within = chosen | joined
    near = nearest or neighbours.nearest(similar_to, within, among=known)
    edges = [edge for edge in near.edges(similar_to) if within.issuperset(edge)]
    if edges:
        groups = communities(within, edges, resolution)
    else:
        groups = _by_tag([known[name] for name in sorted(within)], markers)
    kept = [group for group in groups if len(group) >= smallest and not chosen.isdisjoint(group)]
    kept.sort(key=lambda group: (-len(group), group[0]))
    return [[known[name] for name in group] for group in kept]


def _by_tag(facts: Sequence[Fact], markers: frozenset[str]) -> list[list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for fact in facts:
        if tags := without(fact.domain, markers):
            groups[canonical(tags[0])].append(fact.fact)
    return [groups[tag] for tag in sorted(groups)]
