"""A campaign's facts as they stand after some decisions: what lives, what was taken back and why, and who cites whom.

What a retracted fact said stays. The order in which base facts are given makes no difference.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.base_facts import BaseFact
from thermite_pipelines.synthesis.decisions import DEDUP, Decision
from thermite_pipelines.synthesis.evidence import evidence_of, weight_of
from thermite_pipelines.synthesis.facts import Fact, derived_id, words_of
from thermite_pipelines.synthesis.pooling import Records, records_of
from thermite_pipelines.synthesis.replaying import written

FACT_ID = re.compile(r"[a-z][a-z0-9-]{0,62}/[0-9a-f]{12,64}")
_SAID = ("type", "title", "body", "domain", "entities", "confidence", "sources", "refs", "origin")


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A fact, and what became of it: what took it back (a decision; for a base fact, also an item or another fact), as
    what (`confirmed` or `refuted`, of a hypothesis whose own rig says so), and which fact stands for it.
    """

    fact: Fact
    retracted_by: str | None = None
    retracted_as: str | None = None
    superseded_by: str | None = None
    changed_by: tuple[str, ...] = ()  # decisions that wrote it or took it back, in order

    @property
    def is_live(self) -> bool:
        """Whether it was not taken back, and no other fact stands for it."""
        return self.retracted_by is None and self.superseded_by is None

    def row(self) -> dict[str, Any]:
        """All fields as plain values."""
        rest = {name: getattr(self, name) for name in ("retracted_by", "retracted_as", "superseded_by")}
        return self.fact.row() | rest | {"changed_by": list(self.changed_by)}


def held(one: Fact | BaseFact | Held) -> Held:
    """A fact as it stands before any decision."""
    if isinstance(one, BaseFact):
        return Held(
            fact=one.fact,
            retracted_by=one.retracted_by,
            retracted_as=one.retracted_as,
            superseded_by=one.superseded_by,
        )
    return one if isinstance(one, Held) else Held(fact=one)


class Corpus:
    """The facts of one campaign. Raises `ThermiteError` where two base facts have one id."""

    def __init__(self, base: Iterable[Fact | BaseFact | Held] = ()) -> None:
        self._held: dict[str, Held] = {}
        self._live: dict[str, Fact] = {}
        self._is_sorted = True
        self._citing: dict[str, tuple[str, ...]] = {}
        self._cited: dict[str, frozenset[str]] = {}
        self._of_source: dict[str, tuple[str, ...]] = {}
        self._records: dict[str, Records] = {}
        for one in map(held, base):
            name = one.fact.fact
            if name in self._held:
                raise ThermiteError("two base facts have this id", where=name)
            self._put(one)
            for source in filter(None, (one.fact.item, one.fact.atom)):
                self._of_source[source] = tuple(sorted({*self._of_source.get(source, ()), name}))

    def __len__(self) -> int:
        return len(self._held)

    def copy(self) -> "Corpus":
        """Another one that can change by itself."""
        twin = Corpus()
        twin._held, twin._cited, twin._of_source = self._held.copy(), self._cited.copy(), self._of_source
        twin._live, twin._is_sorted, twin._citing = self._live.copy(), self._is_sorted, self._citing.copy()
        twin._records = self._records.copy()
        return twin

    def all(self) -> dict[str, Held]:
        """All facts by id, in the order of ids."""
        return dict(sorted(self._held.items()))

    def live(self) -> dict[str, Fact]:
        """The facts that were not taken back, in the order of ids."""
        if not self._is_sorted:
            self._live, self._is_sorted = dict(sorted(self._live.items())), True
        return self._live.copy()

    def read(self, name: str) -> Fact | None:
        """A live fact, or None."""
        return self._live.get(name)

    def kept(self, name: str) -> Held | None:
        """A fact, live or not."""
        return self._held.get(name)

    def successor(self, name: str) -> Fact | None:
        """A fact where it lives, else the live one that took its place, or the place of what took it; None for none."""
        passed: set[str] = set()
        while (held := self._held.get(name)) is not None and not held.is_live:
            passed.add(name)
            if held.superseded_by is None or held.superseded_by in passed:
                return None
            name = held.superseded_by
        return None if held is None else held.fact

    def resolve(self, ref: str) -> str | None:
        """The id of the campaign's fact that a ref names, by its id or by the item or atom it was made of; else None.

        An item that became two facts (a hypothesis, and the observation that confirms it) is that which lives.
        """
        ref = ref.strip()
        made = self._of_source.get(ref)
        if made:
            return next((name for name in made if self._held[name].is_live), made[0])
        name = ref.lower()
        return name if name in self._held else None

    def cited_by(self, fact: Fact) -> list[str]:
        """The ids of the campaign's facts that a fact cites, in order, itself left out."""
        return sorted({name for ref in fact.refs if (name := self.resolve(ref)) is not None} - {fact.fact})

    def citing(self, name: str) -> list[Fact]:
        """The live facts that cite a fact, in the order of ids: those of which `cited_by` names it."""
        held = self._held.get(name)
        if held is None:
            return []
        refs = filter(None, (name, held.fact.item, held.fact.atom))
        some = sorted({other for ref in refs for other in self._citing.get(ref, ()) if other in self._live})
        return [fact for fact in map(self._live.__getitem__, some) if name in self.cited_by(fact)]

    def cited_ever(self, name: str) -> frozenset[str]:
        """The ids of the campaign's facts that any version of a fact cited."""
        refs = self._cited.get(name, frozenset())
        return frozenset(cited for ref in refs if (cited := self.resolve(ref)) is not None) - {name}

    def weigh(self, sources: Iterable[str]) -> float:
        """The weight of the evidence behind these facts, as it is now."""
        return weight_of(evidence_of(sources, self.read, self.cited_by).values())

    def records(self, fact: Fact) -> Records:
        """The records that a fact stands for, of all facts that were merged into it."""
        return self._records.get(fact.fact) or records_of(fact)

    def new_id(self, campaign: str, step: str, inputs: Iterable[tuple[str, str]], place: int) -> str:
        """An id for a derived fact that no fact has: an answer given anew to the same facts gets ids of its own."""
        versions = dict(inputs)
        while (name := derived_id(campaign, step, versions, place)) in self._held:
            place += 1_000
        return name

    def why_stale(self, decision: Decision) -> str | None:
        """Why a decision doesn't apply to these facts; None when it does: they all live, and say what they said.

        Only words count. How sure a fact is, who said it, its tags and references may have changed: none of them is
        what a decision rests on, and `replaying` takes them as they are.
        """
        for place, (name, version) in enumerate(decision.inputs):
            held = self._held.get(name)
            if held is None:
                return f"there is no fact {name}"
            if not held.is_live and not _may_be_retracted(decision, place):
                return f"{name} is retracted"
            if words_of(held.fact.version) != words_of(version):
                return f"{name} says something else now: {held.fact.version}, not {version}"
        return None

    def apply(self, decision: Decision) -> str | None:
        """Do what was decided; where it doesn't apply, do nothing and return why."""
        if (why := self.why_stale(decision)) is not None:
            return why
        if decision.verb == "retract":
            self._retract(decision.about, decision, decision.output.get("superseded_by"))
        new = written(decision, [self._held[name].fact for name, _ in decision.inputs], self.records)
        if new is not None:
            weigh = _WEIGHED.get((decision.verb, decision.step), _WEIGHED.get((decision.verb, "")))
            weight = None if weigh is None else self.weigh(weigh(self, decision, new.fact))
            self._write(new.fact, decision, weight)
            if new.records is not None:
                self._records[new.fact.fact] = new.records
                for name, _ in decision.inputs:
                    if name != new.fact.fact:
                        self._retract(name, decision, new.fact.fact)
        return None

    def _write(self, fact: Fact, decision: Decision, weight: float | None) -> None:
        """Write what a fact says now. Where it came from stays as the base facts tell it."""
        before = self._held.get(fact.fact)
        now = fact
        if before is not None:
            now = msgspec.structs.replace(before.fact, **{name: getattr(fact, name) for name in _SAID})
            if now.depth is None and now.type == "synthesis":
                now = msgspec.structs.replace(now, depth=fact.depth)
        if weight is not None:
            now = msgspec.structs.replace(now, evidence_weight=weight)
        if before is None:
            self._put(Held(fact=now, changed_by=(decision.id,)))
        else:
            self._put(msgspec.structs.replace(before, fact=now, changed_by=(*before.changed_by, decision.id)))

    def _retract(self, name: str, decision: Decision, superseded_by: str | None) -> None:
        before = self._held[name]
        changed_by = (*before.changed_by, decision.id)
        self._held[name] = Held(
            fact=before.fact, retracted_by=decision.id, superseded_by=superseded_by, changed_by=changed_by
        )
        self._live.pop(name, None)

    def _put(self, held: Held) -> None:
        name = held.fact.fact
        self._held[name] = held
        if not held.is_live:
            self._live.pop(name, None)
        else:
            self._is_sorted &= name in self._live
            self._live[name] = held.fact
        known = self._cited.get(name, frozenset())
        self._cited[name] = known.union(held.fact.refs)
        new = {ref.strip() for ref in held.fact.refs if ref not in known}
        for ref in new.union(map(str.lower, new)):  # as `resolve` takes them: ids of facts in any case
            self._citing[ref] = (*self._citing.get(ref, ()), name)


def _may_be_retracted(decision: Decision, place: int) -> bool:
    """A hypothesis that got its outcome is mostly retracted by then, and still speaks for a way of reasoning."""
    return decision.step == "reflect" and (decision.verb == "propose" or (decision.verb == "reinforce" and place == 0))


_Sources = Callable[[Corpus, Decision, Fact], Iterable[str]]


def _of_refs(corpus: Corpus, _: Decision, fact: Fact) -> Iterable[str]:
    return corpus.cited_by(fact)


def _of_inputs(_: Corpus, decision: Decision, __: Fact) -> Iterable[str]:
    return [name for name, _version in decision.inputs]


# From where the walk for evidence starts, by verb and step; nothing is weighed where None stands or no entry is. What
# removes near-duplicates leaves the survivor its own weight; a methodology told beside a hypothesis is authored.
_WEIGHED: dict[tuple[str, str], _Sources | None] = {
    ("merge", ""): _of_inputs,
    ("merge", DEDUP): None,
    ("synthesize", ""): _of_refs,
    ("discover", ""): _of_refs,
    ("propose", ""): _of_refs,
    ("propose", "hypothesize"): None,
}
