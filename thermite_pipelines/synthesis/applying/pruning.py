"""Applying an answer to a prune item: what is kept, taken back, doubted or trusted more, and what becomes one fact."""

from collections.abc import Sequence

import msgspec

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.answers import FactJudged, Merge, PruneAnswer
from thermite_pipelines.synthesis.applying.work import Applied, Shown, Work, check_methodology, check_type, clean
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import fact_output
from thermite_pipelines.synthesis.evidence import DERIVED
from thermite_pipelines.synthesis.facts import Fact, checked
from thermite_pipelines.synthesis.merging import by_rank, domains, names, union
from thermite_pipelines.synthesis.pooling import pooled_sources


def apply_prune(shown: Shown, answer: PruneAnswer, corpus: Corpus) -> Applied:
    """The decisions of an answer to a prune item: of single facts first, then merges.

    Raises `ThermiteError` for a fact that is not in the item, one that is judged twice, merged twice, or both retracted
    and merged, and for a merge of a type that prune can't write.
    """
    work = Work(shown, corpus)
    _refuse_contradictions(answer)
    work.refuse_unknown([*(one.path for one in answer.decisions), *(p for one in answer.merges for p in one.paths)])
    for merge in answer.merges:
        check_type(merge.merged.type, merge.merged.path or merge.merged.title)
    for judged in answer.decisions:
        _judge(work, judged)
    for place, merge in enumerate(answer.merges):
        _merge(work, merge, place)
    return work.done()


def _refuse_contradictions(answer: PruneAnswer) -> None:
    judged = [one.path for one in answer.decisions]
    merged = [path for merge in answer.merges for path in merge.paths]
    for paths, how in ((judged, "judged"), (merged, "merged")):
        twice = sorted({path for path in paths if paths.count(path) > 1} if len(set(paths)) < len(paths) else ())
        if twice:
            raise ThermiteError(f"{how} more than once: {', '.join(twice)}", do="name each fact once")
    both = sorted({one.path for one in answer.decisions if one.action == "retract"} & set(merged))
    if both:
        raise ThermiteError(f"retracted and merged: {', '.join(both)}", do="do one of the two")
    doubtful = sorted(one.path for one in answer.decisions if one.action == "update" and one.confidence is None)
    if doubtful:
        raise ThermiteError(f"update without a confidence: {', '.join(doubtful)}")


def _judge(work: Work, judged: FactJudged) -> None:
    fact = work.current(judged.path)
    if fact is None:
        return
    if judged.action == "retract":
        work.decide("retract", [fact.key], {"superseded_by": None})
    elif judged.action == "update" and judged.confidence not in (None, fact.confidence):
        changed = msgspec.structs.replace(fact, confidence=float(judged.confidence or 0))
        work.decide("update", [fact.key], fact_output(changed))
    else:
        work.decide("keep", [fact.key])


def _merge(work: Work, merge: Merge, place: int) -> None:
    facts = [work.current(path) for path in merge.paths]
    inputs = [fact for fact in facts if fact is not None]
    if len(inputs) < len(facts):
        work.warn(f"not merged: {', '.join(merge.paths)}")
        return
    check_methodology(merge.merged.type, inputs, merge.merged.title)
    fact = _replacement(work, merge, inputs, place)
    # The kept fact first, else the best: what a decision is about stands first among its inputs.
    inputs = sorted(by_rank(inputs), key=lambda one: one.fact != fact.fact)
    work.decide("merge", [one.key for one in inputs], fact_output(fact))


def _replacement(work: Work, merge: Merge, inputs: Sequence[Fact], place: int) -> Fact:
    """What merged facts become: the text of the answer, with all their tags, references and sources."""
    said, ranked = merge.merged, by_rank(inputs)
    kept = next((fact for fact in inputs if fact.fact == said.path), None)
    gone = [fact for fact in ranked if fact is not kept]
    refs = union(
        work.refs(said.refs, said.title), *(fact.refs for fact in [kept or ranked[0], *gone]), [f.fact for f in gone]
    )
    text = Fact(
        fact="",
        type=said.type,
        title=clean(said.title.strip()),
        body=clean(said.body.strip()),
        domain=domains(map(clean, said.domain), *(fact.domain for fact in ranked)),
        entities=names(map(clean, said.entities), *(fact.entities for fact in ranked)),
        confidence=float(ranked[0].confidence if said.confidence is None else said.confidence),
        sources=pooled_sources(inputs, work.corpus.records),
        refs=tuple(ref for ref in refs if kept is None or ref != kept.fact),
        origin=_origin(said.type, inputs),
        depth=work.shown.depth if said.type == "synthesis" else None,
    )
    if kept is None:
        return work.new(text, place, [fact.key for fact in inputs])
    changed = {name: getattr(text, name) for name in _WRITTEN}
    depth = text.depth if kept.depth is None else kept.depth
    return checked(msgspec.structs.replace(kept, **changed, depth=depth))


_WRITTEN = ("type", "title", "body", "domain", "entities", "confidence", "sources", "refs", "origin")


def _origin(kind: str, inputs: Sequence[Fact]) -> str:
    """A merge derives nothing: its result is authored, having pooled its inputs, unless syntheses become one."""
    origins = {fact.origin for fact in inputs} & DERIVED
    if kind != "synthesis" or not origins:
        return "authored"
    return origins.pop() if len(origins) == 1 else "distilled"
