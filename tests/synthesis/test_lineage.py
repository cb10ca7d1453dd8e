"""What was derived from what, over all versions, and how much would fall with a fact."""

from tests.synthesis.making import answered, fact, name
from thermite_pipelines.synthesis.answers import DistillAnswer, NewFact, PruneAnswer
from thermite_pipelines.synthesis.answers import FactJudged as Judged
from thermite_pipelines.synthesis.corpus import Corpus, Held
from thermite_pipelines.synthesis.lineage import lineage_of


def diamond(**retracted: bool) -> Corpus:
    """Fact 4 at the root, 2 and 3 derived from it, 1 from both."""
    facts = [
        fact(1, type="synthesis", refs=(name(2), name(3))),
        fact(2, type="synthesis", refs=(name(4),)),
        fact(3, type="synthesis", refs=(name(4),)),
        fact(4),
    ]
    gone = {int(key.removeprefix("fact_")) for key, is_gone in retracted.items() if is_gone}
    return Corpus(
        Held(fact=one, retracted_by="decision:sweep/1" if n in gone else None) for n, one in enumerate(facts, 1)
    )


def test_behaviour_80_blast_radius_of_a_diamond() -> None:
    lineage = lineage_of(diamond())
    assert [lineage.blast_radius(name(number)) for number in (4, 2, 3, 1)] == [3, 1, 1, 0]
    assert lineage.blast_radius(name(99)) == 0
    assert lineage.linked(name(1), name(4)) and lineage.linked(name(4), name(1))
    assert not lineage.linked(name(2), name(3))


def test_behaviour_80_a_retracted_dependent_is_not_counted_but_still_transmits() -> None:
    lineage = lineage_of(diamond(fact_2=True, fact_3=True))
    assert lineage.blast_radius(name(4)) == 1 and lineage.blast_radius(name(2)) == 1
    assert lineage_of(diamond(fact_1=True)).blast_radius(name(4)) == 2


def test_behaviour_80_circles_end_and_a_fact_does_not_rest_on_itself() -> None:
    lineage = lineage_of(Corpus([fact(1, refs=(name(2), name(1))), fact(2, refs=(name(1),))]))
    assert lineage.blast_radius(name(1)) == lineage.blast_radius(name(2)) == 1


def test_what_an_older_version_cited_counts() -> None:
    cites = NewFact(title="Together", body="Both hold.", refs=(name(1), name(2)), confidence=0.5)
    applied, corpus = answered("distill", [fact(1), fact(2)], DistillAnswer(synthesize=(cites,)))
    [derived] = applied.written
    corpus = Corpus([fact(1), fact(2), derived])
    judged = Judged(path=derived.fact, action="update", confidence=0.9)
    _, corpus = answered("prune", [derived], PruneAnswer(decisions=(judged,)), corpus)
    assert lineage_of(corpus).dependents(name(1)) == {derived.fact}
