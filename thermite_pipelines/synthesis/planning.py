"""Planning: what a session begins with and what follows from an answer. Pure: facts, vectors and a watermark go in.

A review looks at the epistemic facts that are new or changed since its watermark. First, near-duplicates of the whole
campaign are merged; what that removed is in no item. Then each cluster is judged (prune), and the seeds are distilled,
cluster by cluster, the rest together. Which facts are compared or clustered never depends on the order they come in.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from thermite_pipelines.embeddings.thresholds import Thresholds
from thermite_pipelines.synthesis.chunking import (
    distill_items,
    hypothesize_items,
    prune_items,
    raptor_items,
    reflect_item,
)
from thermite_pipelines.synthesis.clusters import SMALLEST, Cluster, scoped_clusters
from thermite_pipelines.synthesis.communities import RESOLUTION
from thermite_pipelines.synthesis.corpus import Corpus, Held
from thermite_pipelines.synthesis.decisions import Decision, counts_of
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.merging import HYPOTHESIS, agreeing, dedup
from thermite_pipelines.synthesis.neighbours import Nearest, Neighbours
from thermite_pipelines.synthesis.outcomes import Plan
from thermite_pipelines.synthesis.tags import in_scope
from thermite_pipelines.synthesis.work import MAX_DEPTH, NewItem, Request, Seen, seen_of

_FEW = 8
"""Seeds are few below this part of all facts: with their neighbours they are not much more than all then."""
Watermark = Mapping[str, Seen] | None
"""What a tool has seen of a campaign, by fact; None where it never completed a session."""


@dataclass(frozen=True)
class Likeness:
    """By what facts are alike: their neighbours, the model's thresholds, and how clusters are made of them.

    `markers` are the tags that all facts of the campaign share. All live epistemic facts should have a vector; one
    without is like none. The neighbours may know of more facts than count.
    """

    neighbours: Neighbours
    thresholds: Thresholds
    resolution: float = RESOLUTION
    smallest: int = SMALLEST
    markers: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Review:
    """The plan of a review, and what it was made of: seeds and clusters, without what was merged away.

    Discovery looks at the same.
    """

    plan: Plan
    seeds: Sequence[Fact]
    clusters: Sequence[Cluster]


def epistemic(corpus: Corpus) -> dict[str, Fact]:
    """The live facts that synthesis may see, by id, in the order of ids."""
    return {name: fact for name, fact in corpus.live().items() if fact.kind == "epistemic"}


def seeds_of(facts: Mapping[str, Fact], request: Request, watermark: Watermark) -> list[Fact]:
    """The facts that a session is opened on: with a scope those in it, without a watermark all, else what is new and
    then what changed, each in the order of ids.
    """
    ordered = [facts[name] for name in sorted(facts)]
    if request.scoped:
        return [fact for fact in ordered if in_scope(fact.domain, fact.entities, request.domains, request.entities)]
    if watermark is None:
        return ordered
    new = [fact for fact in ordered if fact.fact not in watermark]
    changed = [fact for fact in ordered if fact.fact in watermark and watermark[fact.fact].version != fact.version]
    return new + changed


def plan_review(corpus: Corpus, request: Request, watermark: Watermark, likeness: Likeness) -> Review:
    """What a review begins with. Where it has no seeds, nothing is compared and nothing is merged.

    With a scope, only pairs with a fact in it are merged.
    """
    facts = epistemic(corpus)
    seen = tuple(map(seen_of, facts.values()))
    seeds = seeds_of(facts, request, watermark)
    if not seeds:
        return Review(Plan(seen=seen), (), ())
    neighbours = likeness.neighbours
    # Near pairs are looked for among all. For the graph it is faster to look around the seeds while they are few.
    are_many = len(seeds) > len(facts) // _FEW
    thresholds = likeness.thresholds
    least = min(thresholds.similar_to, thresholds.dedup) if are_many else thresholds.dedup
    nearest = neighbours.nearest(least, among=facts)
    within = {fact.fact for fact in seeds} if request.scoped else set(facts)
    decisions = merges(corpus, nearest, thresholds, within)
    live = epistemic(_after(corpus, decisions))
    seeds = [live[fact.fact] for fact in seeds if fact.fact in live]
    clusters = clusters_of(live, seeds, likeness, nearest if are_many else None)
    items = [*prune_items(clusters), *first_distills(seeds, clusters)]
    return Review(Plan(items, seen, decisions, counts_of(decisions)), seeds, clusters)


def merges(corpus: Corpus, nearest: Nearest, thresholds: Thresholds, within: AbstractSet[str]) -> list[Decision]:
    """Merges of near-duplicates among the epistemic facts of a corpus, as far as they have one of `within`.

    What differs in numbers, names, negation or a turned word is none. What became of facts is compared again, until
    nothing more is alike.
    """
    after = corpus.copy()
    near = [pair for pair in nearest.pairs(thresholds.dedup) if not within.isdisjoint(pair[:2])]
    agreed = agreeing(epistemic(after), near)
    decisions: list[Decision] = []
    while found := dedup(epistemic(after), agreed, after.records, within):
        for decision in found:
            after.apply(decision)
        decisions += found
    return decisions


def first_distills(seeds: Sequence[Fact], clusters: Iterable[Iterable[Fact]]) -> list[NewItem]:
    """The distill items of depth 0: each seed in exactly one, and nothing else in any. None for fewer than two seeds.

    `distill-c<n>` hold the seeds of a cluster that has two or more of them not taken before, `distill-rest` all others.
    """
    if len(seeds) < 2:
        return []
    left = {fact.fact: fact for fact in seeds}
    items: list[NewItem] = []
    groups = 0
    for cluster in clusters:
        group = [left[fact.fact] for fact in cluster if fact.fact in left]
        if len(group) >= 2:
            items += distill_items(f"distill-c{groups}", group)
            groups += 1
            for fact in group:
                del left[fact.fact]
    return [*items, *distill_items("distill-rest", list(left.values()))]


def follow_ups(corpus: Corpus, written: Iterable[Fact], depth: int, likeness: Likeness) -> list[NewItem]:
    """The items that follow from what an answer to a distill item of a depth wrote, one level deeper; none past 3.

    `corpus` and the neighbours hold what was written. Hypotheses join no cluster here, nor does what was discovered: so
    it makes no difference whether the items of discovery are answered before or after those of this.
    """
    facts = epistemic(corpus)
    seeds = [facts[fact.fact] for fact in written if fact.fact in facts]
    if not seeds or depth >= MAX_DEPTH:
        return []
    chosen = {fact.fact for fact in seeds}
    may_join = {
        name: fact
        for name, fact in facts.items()
        if name in chosen or (fact.type != HYPOTHESIS and fact.origin != "discovered")
    }
    clusters = clusters_of(may_join, seeds, likeness)
    return raptor_items(clusters, depth + 1)


def plan_hypothesize(corpus: Corpus, request: Request, watermark: Watermark) -> Plan:
    """What a hypothesize session begins with: an item for each synthesis that it has not seen."""
    facts = {name: fact for name, fact in corpus.live().items() if fact.type == "synthesis"}
    return Plan(hypothesize_items(seeds_of(facts, request, watermark)), tuple(map(seen_of, facts.values())))


def plan_reflect(corpus: Corpus, watermark: Watermark) -> list[NewItem]:
    """The item of reflect: a record for each hypothesis of the watermark that moved on since; none without any.

    `{path, original_type, action, detail?}`; what an action and its detail are, `transition` says.
    """
    records, inputs = [], []
    for name in sorted(watermark or {}):
        held = corpus.kept(name)
        if held is None or (watermark or {})[name].type != HYPOTHESIS:
            continue
        moved = transition((watermark or {})[name], held, corpus)
        if moved is not None:
            action, detail = moved
            record = {"path": name, "original_type": HYPOTHESIS, "action": action}
            records.append(record | ({"detail": detail} if detail else {}))
            inputs.append(held.fact.key)
    return [reflect_item(records, tuple(inputs))] if records else []


def transition(seen: Seen, held: Held, corpus: Corpus) -> tuple[str, str | None] | None:
    """What became of a hypothesis since it was seen, and a detail; None where nothing did.

    `confirmed`: by the observation that the detail names. `promoted`: it is, or was merged into, a fact of the type
    that the detail names. `refuted`: by the item that the detail names. `retracted`: for any other reason.
    `confidence-updated`: from and to.
    """
    fact = held.fact
    if held.is_live:
        if fact.type != HYPOTHESIS:
            return "promoted", fact.type
        if fact.confidence != seen.confidence:
            return "confidence-updated", f"{seen.confidence:.2f} to {fact.confidence:.2f}"
        return None
    if held.retracted_as is not None:
        return held.retracted_as, held.retracted_by
    other = corpus.kept(held.superseded_by) if held.superseded_by else None
    if other is None or other.fact.type == HYPOTHESIS:
        return "retracted", None
    return ("confirmed", other.fact.fact) if other.fact.type == "observation" else ("promoted", other.fact.type)


def clusters_of(
    facts: Mapping[str, Fact], seeds: Iterable[Fact], likeness: Likeness, nearest: Nearest | None = None
) -> list[Cluster]:
    """The clusters of seeds and their neighbours, as a session's likeness makes them."""
    return scoped_clusters(
        facts,
        [fact.fact for fact in seeds],
        likeness.neighbours,
        likeness.thresholds.similar_to,
        resolution=likeness.resolution,
        smallest=likeness.smallest,
        markers=likeness.markers,
        nearest=nearest,
    )


def _after(corpus: Corpus, decisions: Sequence[Decision]) -> Corpus:
    after = corpus.copy()
    for decision in decisions:
        after.apply(decision)
    return after
