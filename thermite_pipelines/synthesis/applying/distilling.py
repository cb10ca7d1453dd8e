"""Applying an answer to a distill item, at any depth: syntheses of its facts, and what of these they stand for."""

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.answers import DistillAnswer, NewFact
from thermite_pipelines.synthesis.applying.work import Applied, Shown, Work, check_methodology, check_type, origin_of
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import fact_output
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.merging import domains, names

FEWEST_CITED = 2


def apply_distill(shown: Shown, answer: DistillAnswer, corpus: Corpus) -> Applied:
    """The decisions of an answer to a distill item: new facts first, then what they make superfluous.

    A fact is retracted for the syntheses of the answer that cite it, and rests on them: where one of them doesn't apply
    any more, the fact stays. Raises `ThermiteError` for a retracted fact that is not in the item, a synthesis that
    cites fewer than two facts of it, and a type that distill can't write.
    """
    work = Work(shown, corpus)
    work.refuse_unknown(answer.retract)
    written: dict[str, list[Fact]] = {}
    lost: set[str] = set()
    for place, said in enumerate(answer.synthesize):
        _synthesize(work, said, place, written, lost)
    for path in dict.fromkeys(answer.retract):
        fact = work.current(path)
        if fact is None:
            continue
        if path in lost and path not in written:
            work.warn(f"{path} is not retracted: what was to stand for it was left out")
            continue
        standing = written.get(path, [])
        keys = [key for one in standing if (key := _key_now(work, one)) is not None]
        superseded_by = standing[0].fact if standing else None
        work.decide("retract", [fact.key, *keys], {"superseded_by": superseded_by})
    return work.done()


def _key_now(work: Work, fact: Fact) -> tuple[str, str] | None:
    now = work.corpus.read(fact.fact)
    return None if now is None else now.key


def _synthesize(work: Work, said: NewFact, place: int, written: dict[str, list[Fact]], lost: set[str]) -> None:
    check_type(said.type, said.title)
    refs = work.refs(said.refs, said.title)
    cited = [name for ref in refs if (name := work.corpus.resolve(ref)) is not None and work.is_shown(name)]
    cited = list(dict.fromkeys(cited))
    if len(cited) < FEWEST_CITED:
        raise ThermiteError(
            f"it cites {len(cited)} of this item's facts", where=said.title, do=f"cite at least {FEWEST_CITED} in refs"
        )
    inputs = sorted((fact for name in cited if (fact := work.current(name)) is not None), key=lambda fact: fact.fact)
    if len(inputs) < FEWEST_CITED:
        work.warn(f"not written, as fewer than {FEWEST_CITED} of its sources still say what they said: {said.title}")
        lost.update(cited)
        return
    check_methodology(said.type, inputs, said.title)
    confidence = min(fact.confidence for fact in inputs) if said.confidence is None else said.confidence
    text = Fact(
        fact="",
        type=said.type,
        title=said.title.strip(),
        body=said.body.strip(),
        domain=domains(said.domain),
        entities=names(said.entities),
        confidence=float(confidence),
        sources=1,
        refs=refs,
        origin=origin_of(said.type),
        depth=work.shown.depth if said.type == "synthesis" else None,
    )
    fact = work.new(text, place, [one.key for one in inputs])
    work.decide("synthesize", [one.key for one in inputs], fact_output(fact))
    for name in cited:
        written.setdefault(name, []).append(fact)
