"""Communities: facts that are related among themselves more than with others.

Leiden, by modularity with a resolution: a higher one gives more and smaller communities. Edges count alike. Measured on
real facts and the syntheses that a review made of them (`benchmarks/bench_neighbours.py`), it finds what Louvain finds,
ten times as fast, and its communities hang together.

Modularity with one resolution cuts a small campaign to pieces: at 4 no community may hold more than about a quarter of
all edges, and of two related facts each stands alone. So the resolution grows with the number of related facts, from 1
up to what was asked for: there is one unit for each 25 facts. By that two related facts that know no others are always
one community: they are where the resolution is below the number of ends of edges, and no facts are more than these.
"""

from collections.abc import Iterable

from thermite_pipelines.synthesis.neighbours import Edge

RESOLUTION = 4.0
"""The highest resolution, by default."""
FACTS_A_UNIT = 25
_SEED = 0x6B6E6F6D6974


def resolution_for(related: int, resolution: float = RESOLUTION) -> float:
    """The resolution for so many facts that have an edge."""
    return min(resolution, max(1.0, related / FACTS_A_UNIT))


def communities(
    names: Iterable[str], edges: Iterable[Edge], resolution: float = RESOLUTION, *, exactly: bool = False
) -> list[list[str]]:
    """Facts in groups, each in one; a fact without an edge stands alone. Each group sorted, the groups by their firsts.

    The order of facts and edges counts for nothing, nor does an edge of a fact with itself, or with one that is not
    among them. `exactly`: with this resolution, however few the facts are.
    """
    from graspologic_native import leiden

    known = set(names)
    pairs = sorted({(min(edge), max(edge)) for edge in edges if edge[0] != edge[1] and known.issuperset(edge)})
    place = {name: str(number) for number, name in enumerate(sorted({name for pair in pairs for name in pair}))}
    found: dict[str, int] = {}
    if pairs:
        factor = resolution if exactly else resolution_for(len(place), resolution)
        weighed = [(place[one], place[other], 1.0) for one, other in pairs]
        _, found = leiden(
            weighed,
            starting_communities=None,
            resolution=factor,
            randomness=0.001,
            iterations=1,
            use_modularity=True,
            seed=_SEED,
            trials=1,
        )
    groups: dict[int | str, list[str]] = {}
    for name in sorted(known):
        groups.setdefault(found[place[name]] if name in place else name, []).append(name)
    return list(groups.values())
