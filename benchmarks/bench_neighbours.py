"""How fast near pairs and the graph of all facts are found, exactly; whether communities hold what belongs together.

Vectors are made by chance as models place texts: fields, subjects below them, facts around these; the first directions
hold most of each. `no order` is the worst case: directions without any order, so that no bound helps. The same is asked
of LanceDB's flat search, one query a fact, for some facts only: the figure for all is reckoned from these.

Communities are measured on real facts, where the shared data is beside this checkout (or in the folder that
THERMITE_SHARED_DATA names): eleven syntheses that a review made, and the facts that each cites. Of pairs that one
synthesis cites, the share that lands in one community is told beside what chance would give. `networkx`, which is no
dependency, is measured too where it is installed.

Laws: near pairs of 100,000 facts in at most 10 s; pairs that one synthesis cites are together at least three times as
often as chance would have them.
"""

import importlib
import importlib.util
import itertools
import json
import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import support
from thermite_pipelines.embeddings.embedder import BUILT_IN
from thermite_pipelines.embeddings.thresholds import Thresholds, thresholds_of
from thermite_pipelines.synthesis.communities import RESOLUTION, communities, resolution_for
from thermite_pipelines.synthesis.neighbours import NEIGHBOURS, Edge, Nearest, Neighbours
from thermite_pipelines.synthesis.vectors import Vectors

SHARED = Path(os.environ.get("THERMITE_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data" / "real"))
SIZES, DIMENSION, SECONDS = (10_000, 100_000), 256, 10.0
LIFT = 3.0
_ASKED = 200


def made(number: int, *, ordered: bool = True) -> Vectors:
    """Vectors of length 1 of so many facts."""
    chance = np.random.default_rng(number)

    def some(count: int) -> NDArray[np.float32]:
        return chance.standard_normal((max(2, count), DIMENSION), dtype=np.float32)

    rows = some(number)
    if ordered:
        spread = np.arange(1, DIMENSION + 1, dtype=np.float32) ** -0.5
        fields, subjects = some(number // 1_000), some(number // 20)
        subjects += fields[chance.integers(0, len(fields), len(subjects))]
        rows = (subjects[chance.integers(0, len(subjects), number)] + np.float32(0.9) * rows) * spread
        turn, _ = np.linalg.qr(chance.standard_normal((DIMENSION, DIMENSION)))
        rows = rows @ turn.astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Vectors(tuple(f"bench/{place:012x}" for place in range(number)), rows)


def nearest(vectors: Vectors, thresholds: Thresholds) -> tuple[list[Edge], float]:
    """Find near pairs and, by themselves, the graph; print what both took. The edges, and the seconds for pairs."""
    found: list[Nearest] = []
    pairs = support.cost(lambda: found.append(Neighbours(vectors).nearest(thresholds.dedup)))
    print(f"  near pairs {pairs}   {len(found[0].pairs(thresholds.dedup)):,}")
    graph = support.cost(lambda: found.append(Neighbours(vectors).nearest(thresholds.similar_to)))
    edges = found[1].edges(thresholds.similar_to)
    print(f"  graph      {graph}   {len(edges):,} edges")
    assert found[0].pairs(thresholds.dedup) == found[1].pairs(thresholds.dedup)
    some = vectors.names[:: len(vectors) // 100]
    few = support.cost(lambda: found.append(Neighbours(vectors).nearest(thresholds.similar_to, some)))
    print(f"  around 100 {few}   largest memory so far: {_memory():,.0f} MiB", flush=True)
    return edges, pairs.wall


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def flat_search(vectors: Vectors) -> None:
    """The same with LanceDB, of some facts."""
    import lancedb
    import pyarrow as pa

    with tempfile.TemporaryDirectory() as folder:
        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.matrix.ravel()), DIMENSION)
        table = lancedb.connect(folder).create_table(
            "vectors", pa.table({"fact": list(vectors.names), "vector": column})
        )
        asked = vectors.matrix[:: len(vectors) // _ASKED]

        def search() -> None:
            for row in asked:
                table.search(row).select(["fact", "_distance"]).limit(NEIGHBOURS + 1).to_arrow()

        search()
        taken = support.cost(search)
    each = taken.wall / len(asked)
    print(f"  LanceDB, flat: {1e3 * each:.1f} ms a fact, so {each * len(vectors):,.0f} s for all", flush=True)


def of_communities(names: tuple[str, ...], edges: list[Edge]) -> None:
    """What communities of a large graph take, with what else is installed."""
    found: list[list[list[str]]] = []
    taken = support.cost(lambda: found.append(communities(names, edges)))
    print(f"  communities by Leiden {taken}   {sum(len(group) > 1 for group in found[0]):,} of two facts or more")
    if (louvain := _louvain()) is not None:
        print(f"  communities by networkx's Louvain {support.cost(louvain, names, edges, RESOLUTION)}", flush=True)


def _louvain() -> Any:
    if importlib.util.find_spec("networkx") is None:
        return None
    networkx: Any = importlib.import_module("networkx")

    def louvain(names: Any, edges: Any, resolution: float) -> list[list[str]]:
        graph = networkx.Graph()
        graph.add_nodes_from(names)
        graph.add_edges_from(edges)
        return [sorted(group) for group in networkx.community.louvain_communities(graph, resolution=resolution, seed=1)]

    return louvain


def real_facts() -> tuple[dict[str, tuple[str, str]], list[list[str]], set[str]]:
    """Titles and bodies of real epistemic facts, what each synthesis cites, and the syntheses themselves."""
    facts = {}
    for path in sorted(SHARED.glob("facts-*.jsonl")):
        for row in _lines(path):
            if row.get("kind") != "pragmatic":
                facts[row["path"]] = (row["title"], row["body"])
    cited, outputs = [], set()
    for row in _lines(SHARED / "knomit-distill-truth.jsonl"):
        members = [one for one in row["members"] if one["found"]]
        for one in members:
            facts.setdefault(one["path"], (one["title"], one["body"]))
        cited.append([one["path"] for one in members])
        outputs.add(row["path"])
    return facts, cited, outputs


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def together() -> bool:
    """Print how often what one synthesis cites is in one community, by resolution; whether that keeps the law."""
    from thermite_pipelines.embeddings.local import UniversalSentenceEncoder

    facts, cited, outputs = real_facts()
    model = UniversalSentenceEncoder(thresholds_of(BUILT_IN))
    names = sorted(facts)
    vectors = Vectors(tuple(names), model.documents([facts[name] for name in names]))
    kept = True
    for title, left_out in (("all", set()), ("without the syntheses themselves", outputs)):
        some = [name for name in names if name not in left_out]
        edges = Neighbours(vectors.only(some)).nearest(model.thresholds.similar_to).edges(model.thresholds.similar_to)
        print(f"real facts, {title}: {len(some)} facts, {len(edges)} edges", flush=True)
        for resolution in (1.0, 2.0, 3.0, RESOLUTION):
            _show(f"Leiden at {resolution}", communities(some, edges, resolution, exactly=True), cited)
        own = _show(f"as it is, at {resolution_for(len(some)):.2f}", communities(some, edges), cited)
        if (louvain := _louvain()) is not None:
            _show("networkx's Louvain at the same", louvain(some, edges, resolution_for(len(some))), cited)
        kept &= own >= LIFT
    small(cited, vectors, model.thresholds.similar_to)
    return kept


def small(cited: list[list[str]], vectors: Vectors, similar_to: float) -> None:
    """Print the same for small campaigns: each holds what three syntheses cite, so most of it belongs together."""
    for title, exactly in ((f"Leiden at {RESOLUTION}", True), ("as it is", False)):
        shares, chances, sizes, alone = [], [], [], 0
        for three in itertools.combinations(cited, 3):
            some = vectors.only(name for one in three for name in one)
            edges = Neighbours(some).nearest(similar_to).edges(similar_to)
            groups = communities(some.names, edges, exactly=exactly)
            share, chance = _share(groups, list(three))
            shares.append(share)
            chances.append(chance)
            alone += sum(len(group) == 1 for group in groups)
            sizes.append(len(some))
        together, chance = float(np.mean(shares)), float(np.mean(chances))
        print(
            f"  {len(shares)} campaigns of what three syntheses cite, {title}: {together:.2f} of pairs together, by "
            f"chance {chance:.2f}; {alone / len(shares):.1f} of {np.mean(sizes):.1f} facts alone",
            flush=True,
        )


def _show(title: str, groups: list[list[str]], cited: list[list[str]]) -> float:
    """Print what one set of communities is worth; how much better than chance."""
    share, chance = _share(groups, cited)
    sizes = [len(group) for group in groups]
    print(
        f"  {title}: {sum(size > 1 for size in sizes)} communities, the largest {max(sizes)}, {sizes.count(1)} facts "
        f"alone; of pairs that one synthesis cites {share:.2f} are together, by chance {chance:.2f}: "
        f"{share / chance:.1f} x",
        flush=True,
    )
    return share / chance


def _share(groups: list[list[str]], cited: list[list[str]]) -> tuple[float, float]:
    """The share of pairs that one synthesis cites which is in one group, and the share of all pairs that is."""
    where = {name: place for place, group in enumerate(groups) for name in group}
    known = [[name for name in one if name in where] for one in cited]
    pairs = [pair for one in known for pair in itertools.combinations(one, 2)]
    share = sum(where[one] == where[other] for one, other in pairs) / len(pairs)
    return share, sum(len(group) * (len(group) - 1) for group in groups) / (len(where) * (len(where) - 1))


def main() -> int:
    """Print all figures; 1 if one breaks a law."""
    print(support.machine())
    thresholds = thresholds_of(BUILT_IN)
    kept = True
    for size in SIZES:
        print(f"{size:,} x {DIMENSION}")
        vectors = made(size)
        edges, seconds = nearest(vectors, thresholds)
        kept &= seconds <= SECONDS
        of_communities(vectors.names, edges)
        flat_search(vectors)
    print(f"{SIZES[0]:,} x {DIMENSION}, no order")
    nearest(made(SIZES[0], ordered=False), thresholds)
    if not SHARED.is_dir():
        print(f"no shared data at {SHARED}, so no figures of real facts")
        return int(not kept)
    return int(not (together() and kept))


if __name__ == "__main__":
    sys.exit(main())
