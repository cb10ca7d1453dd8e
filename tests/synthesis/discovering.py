"""What tests of discovery share: a campaign in few words, and what was asked of whoever knows what is alike."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from tests.synthesis.making import fact, name
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.discovery import Dial, Material, Scope, backward_items, forward_items
from thermite_pipelines.synthesis.discovery.sets import Pool, SeedSet, scoped_sets, token_sets
from thermite_pipelines.synthesis.discovery.tokens import Frequencies
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.lineage import Lineage, lineage_of
from thermite_pipelines.synthesis.work import NewItem

Pair = tuple[int, int]


def clique(*numbers: int) -> list[Pair]:
    """Each of some facts is alike each other."""
    return list(combinations(sorted(numbers), 2))


@dataclass
class Field:
    """A campaign: its facts, which of them stand in one cluster, which two are alike. `asked` says what was asked."""

    facts: Sequence[Fact]
    clusters: Sequence[Sequence[int]] = ()
    alike: Iterable[Pair] = ()
    seeds: Sequence[int] | None = None
    markers: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)

    def edges(self, names: Collection[str]) -> list[tuple[str, str]]:
        self.asked.append("edges")
        found = [tuple(sorted((name(one), name(other)))) for one, other in self.alike]
        return [(one, other) for one, other in found if one in names or other in names]

    def material(self) -> Material:
        by_id = {one.fact: one for one in self.facts}
        seeds = [by_id[name(number)] for number in self.seeds] if self.seeds is not None else list(self.facts)
        corpus = Corpus(self.facts)

        def clusters() -> list[list[Fact]]:
            self.asked.append("clusters")
            return [[by_id[name(number)] for number in cluster] for cluster in self.clusters]

        def lineage() -> Lineage:
            self.asked.append("lineage")
            return lineage_of(corpus)

        return Material(corpus, seeds, clusters, self.edges, lineage, self.markers)

    def forward(self, effort: Any = "medium", dial: Dial | None = None, scope: Scope | None = None) -> list[NewItem]:
        return forward_items(self.material(), effort, dial or Dial(), scope)

    def backward(self, effort: Any = "medium", dial: Dial | None = None, scope: Scope | None = None) -> list[NewItem]:
        return backward_items(self.material(), effort, dial or Dial(), scope)

    def pool(self) -> Pool:
        community = {name(number): place for place, cluster in enumerate(self.clusters) for number in cluster}
        dependents = lineage_of(Corpus(self.facts)).dependents
        return Pool({one.fact: one for one in self.facts}, community, self.edges, dependents, self.markers)

    def sets(self, dial: Dial | None = None, scope: Scope | None = None, budget: int = 99) -> list[SeedSet]:
        return token_sets(self.pool(), Frequencies(self.facts), budget, dial or Dial(), scope)

    def scoped(self, scope: Scope, dial: Dial | None = None, budget: int = 99) -> list[SeedSet]:
        return scoped_sets(self.pool(), budget, dial or Dial(), scope)

    def with_facts(self, facts: Sequence[Fact]) -> "Field":
        return replace(self, facts=facts, asked=[])


def two_communities(tokens: int) -> Field:
    """So many tokens, each shared by a fact of one cluster and one of another that are alike."""
    left = [fact(number, domain=(f"subject {number:02}",)) for number in range(tokens)]
    right = [fact(100 + number, domain=(f"subject {number:02}",)) for number in range(tokens)]
    alike = [(number, 100 + number) for number in range(tokens)]
    return Field([*left, *right], [list(range(tokens)), list(range(100, 100 + tokens))], alike)


def members(item: NewItem) -> list[int]:
    found = [int(one["path"][-12:], 16) for one in json.loads(item.facts)["bridge"]["members"]]
    assert found == [int(one[-12:], 16) for one, _ in item.inputs]
    return found


def numbers(one: SeedSet) -> list[int]:
    return [int(path[-12:], 16) for path in one.members]


def tokens(items: Iterable[NewItem]) -> list[tuple[str, str]]:
    bridges = [json.loads(item.facts)["bridge"] for item in items]
    return [(one["token"], one["kind"]) for one in bridges]
