"""Applying an answer to a hypothesize item: nothing, or a hypothesis with what would prove it false."""

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.answers import HypothesizeAnswer, NewHypothesis, NewMethodology
from thermite_pipelines.synthesis.applying.reflecting import METHODOLOGY, refuse_near
from thermite_pipelines.synthesis.applying.work import Applied, Nearest, Shown, Work, nothing_near
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import fact_output
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.merging import HYPOTHESIS, domains, names

_METHODOLOGY_PLACE = 1


def apply_hypothesize(
    shown: Shown, answer: HypothesizeAnswer, corpus: Corpus, *, nearest: Nearest = nothing_near
) -> Applied:
    """The decisions of an answer to a hypothesize item, whose one record is a synthesis; none when it is skipped.

    Raises `ThermiteError` for a hypothesis that doesn't cite the synthesis and one of its sources, one that a live
    hypothesis says already, and for a methodology without a hypothesis.
    """
    work = Work(shown, corpus)
    if answer.hypothesis is None:
        if answer.methodology is not None:
            raise ThermiteError("a methodology comes with a hypothesis only", where=answer.methodology.title)
        return work.done()
    synthesis = work.current(shown.records[0]["path"])
    if synthesis is None:
        return work.done()
    _hypothesize(work, answer.hypothesis, synthesis, nearest)
    if answer.methodology is not None:
        _add_methodology(work, answer.methodology, synthesis)
    return work.done()


def _hypothesize(work: Work, said: NewHypothesis, synthesis: Fact, nearest: Nearest) -> None:
    refs = work.refs(said.refs, said.title)
    cited = {name for ref in refs if (name := work.corpus.resolve(ref)) is not None}
    if synthesis.fact not in cited:
        raise ThermiteError(f"refs don't hold the synthesis {synthesis.fact}", where=said.title)
    sources = set(work.corpus.cited_by(synthesis))
    if sources and not cited & sources:
        raise ThermiteError("refs hold none of the synthesis's own sources", where=said.title)
    others = (work.corpus.read(name) for name in sorted(cited - {synthesis.fact}))
    inputs = [synthesis.key, *(fact.key for fact in others if fact is not None)]
    prediction, falsifier = said.prediction.strip(), said.falsifier.strip()
    text = Fact(
        fact="",
        type=HYPOTHESIS,
        title=said.title.strip(),
        body=f"{said.body.strip()}\n\nPrediction: {prediction}\n\nProved false by: {falsifier}",
        domain=domains(said.domain),
        entities=names(said.entities),
        confidence=float(said.confidence),
        sources=1,
        refs=refs,
    )
    fact = work.new(text, 0, inputs)
    refuse_near(fact, nearest, "hypothesis")
    work.decide("hypothesize", inputs, fact_output(fact, prediction=prediction, falsifier=falsifier))


def _add_methodology(work: Work, said: NewMethodology, synthesis: Fact) -> None:
    text = Fact(
        fact="",
        type=METHODOLOGY,
        title=said.title.strip(),
        body=said.body.strip(),
        domain=domains(said.domain),
        entities=names(said.entities),
        sources=1,
        refs=work.refs(said.refs, said.title),
    )
    fact = work.new(text, _METHODOLOGY_PLACE, [synthesis.key])
    work.decide("propose", [synthesis.key], fact_output(fact))
