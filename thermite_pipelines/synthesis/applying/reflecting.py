"""Applying an answer to a reflect item: methodologies that transitions of hypotheses speak for, old ones and new."""

from collections.abc import Iterable

import msgspec

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.answers import MethodologyProposed, ReflectAnswer, Reinforcement
from thermite_pipelines.synthesis.applying.work import Applied, Nearest, Shown, Work, nothing_near
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import fact_output
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.merging import domains, names, union

METHODOLOGY = "methodology"


def apply_reflect(
    shown: Shown, answer: ReflectAnswer, corpus: Corpus, *, nearest: Nearest = nothing_near, cap: int = 1
) -> Applied:
    """The decisions of an answer to a reflect item, all of them or none.

    How often a methodology was reinforced is how many facts cite it; there is no other count. Of new methodologies the
    first `cap` are stored, the others refused with a warning. Raises `ThermiteError` for a methodology that is none,
    a transition that is not in the item, and a new methodology too near to a live one.
    """
    work = Work(shown, corpus)
    named = [one.transition_paths for one in (*answer.reinforce, *answer.propose)]
    work.refuse_unknown(dict.fromkeys(path for paths in named for path in paths))
    for one in answer.reinforce:
        _reinforce(work, one)
    for place, said in enumerate(answer.propose):
        if place < cap:
            _propose(work, said, place, nearest)
        else:
            work.warn(f"refused, as one answer may propose at most {cap}: {said.title}")
    return work.done()


def _reinforce(work: Work, said: Reinforcement) -> None:
    name = work.corpus.resolve(said.methodology_path) or said.methodology_path
    methodology = work.corpus.read(name)
    if methodology is None:
        raise ThermiteError("there is no such methodology", where=said.methodology_path)
    if methodology.type != METHODOLOGY:
        raise ThermiteError(f"it is of type {methodology.type}, not a methodology", where=said.methodology_path)
    for transition in _transitions(work, said.transition_paths):
        if name in work.corpus.cited_by(transition):
            continue
        citing = msgspec.structs.replace(transition, refs=union(transition.refs, [name]))
        retracted = {} if work.corpus.read(transition.fact) else {"is_retracted": True}
        output = fact_output(citing, rationale=said.rationale, **retracted)
        work.decide("reinforce", [transition.key, methodology.key], output)


def _transitions(work: Work, paths: Iterable[str]) -> list[Fact]:
    """The facts behind transitions, retracted ones too: most are, by the time their outcome is known."""
    found = []
    for path in dict.fromkeys(paths):
        held = work.corpus.kept(path)
        if held is None:
            raise ThermiteError("there is no such fact", where=path)
        found.append(held.fact)
    return found


def _propose(work: Work, said: MethodologyProposed, place: int, nearest: Nearest) -> None:
    text = Fact(
        fact="",
        type=METHODOLOGY,
        title=said.title.strip(),
        body=said.body.strip(),
        domain=domains(said.domain),
        entities=names(said.entities),
        confidence=float(said.confidence),
        sources=1,
        refs=work.refs(said.refs, said.title),
    )
    inputs = sorted(fact.key for fact in _transitions(work, said.transition_paths))
    fact = work.new(text, place, inputs)
    refuse_near(fact, nearest, "methodology")
    work.decide("propose", inputs, fact_output(fact, novelty_argument=said.novelty_argument))


def refuse_near(fact: Fact, nearest: Nearest, what: str) -> None:
    """Raise, naming the live fact that a new one says again."""
    near = nearest(fact)
    if near is not None:
        raise ThermiteError(
            f"{near[0]} is a {what} that says this already (similarity {near[1]:.2f})", where=fact.title
        )
