"""Applying an answer to a discover item: consequences (forward) or premises (backward) that nobody wrote down.

Each proposal passes its gates alone: a refused one is told of in a warning and takes none of the others with it.
"""

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.answers import DiscoverAnswer, Proposal
from thermite_pipelines.synthesis.applying.work import Applied, Limits, Nearest, Shown, Work, nothing_near
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import fact_output
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.lineage import lineage_of
from thermite_pipelines.synthesis.merging import HYPOTHESIS, domains, names

_TYPES = {"forward": "synthesis", "backward": HYPOTHESIS}


def apply_discover(
    shown: Shown, answer: DiscoverAnswer, corpus: Corpus, *, nearest: Nearest = nothing_near, limits: Limits
) -> Applied:
    """The decisions of an answer to a discover item, whose records are the members of its seed set; never an error."""
    work = Work(shown, corpus)
    said_before: set[str] = set()
    for place, said in enumerate(answer.proposals):
        try:
            _discover(work, said, place, nearest, limits, said_before)
        except ThermiteError as error:
            work.warn(str(error))
    return work.done()


def _discover(work: Work, said: Proposal, place: int, nearest: Nearest, limits: Limits, said_before: set[str]) -> None:
    """Write a proposal that passes all gates; raises at the first that it fails. `said_before` by the same answer."""
    direction = work.shown.direction or "forward"
    if said.type != _TYPES[direction]:
        raise ThermiteError(f"{direction} discovery makes no {said.type!r}", where=said.title)
    members = sorted({record["path"] for record in work.shown.records})
    missing = sorted(set(members) - {work.corpus.resolve(ref) for ref in said.refs})
    if missing:
        raise ThermiteError(f"refs leave out {', '.join(missing)}", where=said.title)
    if said.confidence < limits.confidence:
        raise ThermiteError(f"confidence {said.confidence} is below {limits.confidence}", where=said.title)
    text = _text(work, said)
    facts = [fact for name in members if (fact := work.current(name)) is not None]
    if len(facts) < len(members):
        raise ThermiteError("not all members are what was shown", where=said.title)
    inputs = [one.key for one in facts]
    fact = work.new(text, place, inputs)
    words = " ".join(f"{fact.title}\n{fact.body}".casefold().split())
    if words in said_before:
        raise ThermiteError("the same answer says this already", where=fact.title)
    _refuse_near(work, fact, nearest)
    if direction == "backward" and limits.blast_radius > 0:
        lineage = lineage_of(work.corpus)
        if max(map(lineage.blast_radius, members)) < limits.blast_radius:
            raise ThermiteError(f"fewer than {limits.blast_radius} facts rest on its members", where=said.title)
    work.decide("discover", inputs, fact_output(fact))
    said_before.add(words)


def _text(work: Work, said: Proposal) -> Fact:
    """What a proposal says, as a fact without an id; raises for references that can't be cited."""
    return Fact(
        fact="",
        type=said.type,
        title=said.title.strip(),
        body=said.body.strip(),
        domain=domains(said.domain),
        entities=names(said.entities),
        confidence=float(said.confidence),
        sources=1,
        refs=work.refs(said.refs, said.title),
        origin="discovered",
        depth=work.shown.depth if said.type == "synthesis" else None,
    )


def _refuse_near(work: Work, fact: Fact, nearest: Nearest) -> None:
    """Raise for a near-duplicate. An embedder that fails is no reason to lose a proposal."""
    try:
        near = nearest(fact)
    except Exception as error:  # noqa: BLE001 - whatever embedding fails with
        why = str(error) if isinstance(error, ThermiteError) else type(error).__name__
        work.warn(f"not compared with other facts: {why}")
        return
    if near is not None:
        raise ThermiteError(f"{near[0]} says this already (similarity {near[1]:.2f})", where=fact.title)
