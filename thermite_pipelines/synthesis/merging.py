"""Merging: which of two facts that say the same survives, what it takes over, and near-duplicates merged by that rule.

A hypothesis never takes over what was observed: where the two say the same, the hypothesis is confirmed. It is
retracted, and the observation cites it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache

import msgspec

from thermite_pipelines.learnings.sameness import is_negated
from thermite_pipelines.synthesis.decisions import DEDUP, Decision, fact_output
from thermite_pipelines.synthesis.evidence import DERIVED
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.numbers import details_of
from thermite_pipelines.synthesis.pooling import RecordsOf, absorbed_records, records_of
from thermite_pipelines.synthesis.tags import canonical
from thermite_pipelines.synthesis.wording import said, says_otherwise

Pair = tuple[str, str, float]
"""Ids of two facts, and how similar they are."""
HYPOTHESIS = "hypothesis"
_METHODOLOGY = "methodology"


def by_rank(facts: Iterable[Fact]) -> list[Fact]:
    """Facts by their claim to survive: no hypothesis first, then more confidence, more sources, the smaller id."""
    return sorted(facts, key=lambda fact: (fact.type == HYPOTHESIS, -fact.confidence, -fact.sources, fact.fact))


def union(*lists: Iterable[str], key: Callable[[str], str] = str) -> tuple[str, ...]:
    """What stands in any of some lists, each once, in order; of what `key` makes the same, the first."""
    found: dict[str, str] = {}
    for name in (name for names in lists for name in names if name.strip()):
        found.setdefault(key(name), name)
    return tuple(found.values())


def domains(*lists: Iterable[str]) -> tuple[str, ...]:
    """The union of domain tags."""
    return tuple(map(canonical, union(*lists, key=canonical)))


def names(*lists: Iterable[str]) -> tuple[str, ...]:
    """The union of entities; the case of letters tells no two apart."""
    return union(*lists, key=str.casefold)


def survivor_of(one: Fact, other: Fact) -> tuple[Fact, Fact]:
    """The survivor of two facts, and the one that goes."""
    first, second = by_rank([one, other])
    return first, second


def absorbed(survivor: Fact, *losers: Fact, records: RecordsOf = records_of) -> Fact:
    """The survivor with what it takes over: tags, refs and sources of the others, which it cites from now on."""
    refs = union(survivor.refs, *(refs for loser in losers for refs in (loser.refs, [loser.fact])))
    return msgspec.structs.replace(
        survivor,
        domain=domains(survivor.domain, *(loser.domain for loser in losers)),
        entities=names(survivor.entities, *(loser.entities for loser in losers)),
        sources=sum(absorbed_records(survivor, *losers, records=records).values()),
        refs=tuple(ref for ref in refs if ref != survivor.fact),
    )


def dedup(
    facts: Mapping[str, Fact],
    pairs: Iterable[Pair],
    records: RecordsOf = records_of,
    within: Collection[str] | None = None,
) -> list[Decision]:
    """Merges of near-duplicates, each fact in at most one: those that say the same to the letter, however many of them;
    then pairs, the most similar first. With `within`, of the former those that have one of these facts.

    `pairs` are as similar as near-duplicates are for the embedding model, in any order and either way round. Those that
    name a fact which `facts` doesn't have, or a pragmatic one, or a derived fact and what it cites, merge nothing.
    `records` tell what facts stand for that took over others before: `Corpus.records`.
    """
    taken: set[str] = set()
    decisions = []
    for group in _equal(facts):
        if within is not None and not any(fact.fact in within for fact in group):
            continue
        survivor, *losers = by_rank(group)
        output = fact_output(absorbed(survivor, *losers, records=records))
        keys = tuple(fact.key for fact in (survivor, *losers))
        decisions.append(Decision(verb="merge", step=DEDUP, inputs=keys, output=output))
        taken |= {fact.fact for fact in group}
    best: dict[tuple[str, str], float] = {}
    for one, other, similarity in pairs:
        pair = (one, other) if one <= other else (other, one)
        best[pair] = max(similarity, best.get(pair, similarity))
    for (one, other), _ in sorted(best.items(), key=lambda entry: (-entry[1], entry[0])):
        first, second = facts.get(one), facts.get(other)
        if first is None or second is None or taken & {one, other} or not _may_merge(first, second):
            continue
        taken |= {one, other}
        survivor, loser = survivor_of(first, second)
        output = fact_output(absorbed(survivor, loser, records=records))
        decisions.append(Decision(verb="merge", step=DEDUP, inputs=(survivor.key, loser.key), output=output))
    return decisions


def _equal(facts: Mapping[str, Fact]) -> list[list[Fact]]:
    """Facts that say the same to the letter, in groups of two or more: however many there are, they become one.

    All of one kind of reasoning: a methodology and an observation of the same words are two things.
    """
    groups: dict[tuple[object, ...], list[Fact]] = {}
    for name in sorted(facts):
        fact = facts[name]
        if fact.kind == "epistemic" and fact.origin not in DERIVED:
            groups.setdefault((fact.type == _METHODOLOGY, said(fact.title, fact.body)), []).append(fact)
    return [group for group in groups.values() if len(group) > 1]


def agreeing(facts: Mapping[str, Fact], pairs: Iterable[Pair]) -> list[Pair]:
    """Those pairs of which both are negated or neither, none denies or turns what the other says, and not each holds a
    number or name that the other lacks.

    To embeddings two results of one kind are near-duplicates: they differ in nothing but what was measured, and where.
    So do a statement and its denial. Pairs with a fact that `facts` doesn't have are left out.
    """

    @cache
    def text(name: str) -> str:
        title, body = facts[name].title, facts[name].body
        return body if title in body else f"{title}\n{body}"

    @cache
    def details(name: str) -> frozenset[str]:
        return details_of(text(name))

    @cache
    def negated(name: str) -> bool:
        return is_negated(text(name))

    def agree(one: str, other: str) -> bool:
        first, second = details(one), details(other)
        if not (first <= second or second <= first) or negated(one) != negated(other):
            return False
        return not says_otherwise(text(one), text(other))

    return [pair for pair in pairs if pair[0] in facts and pair[1] in facts and agree(pair[0], pair[1])]


def _may_merge(one: Fact, other: Fact) -> bool:
    """What was derived from a fact says much of the same; merged, one of the two would stand on itself."""
    if one.fact == other.fact or "pragmatic" in (one.kind, other.kind):
        return False
    return not any(
        derived.origin in DERIVED and cited.fact in derived.refs for derived, cited in ((one, other), (other, one))
    )
