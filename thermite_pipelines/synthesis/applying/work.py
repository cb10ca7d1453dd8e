"""What applying any answer shares: the item as it was shown, a working copy of the facts, the checks of new facts."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.corpus import FACT_ID, Corpus
from thermite_pipelines.synthesis.decisions import Decision, Key, Verb, counts_of
from thermite_pipelines.synthesis.facts import EPISTEMIC, Fact, checked
from thermite_pipelines.synthesis.merging import HYPOTHESIS, union
from thermite_pipelines.synthesis.work import Counts, Item

Nearest = Callable[[Fact], tuple[str, float] | None]
"""The live fact that a new one is too near to, and how similar they are; None when there is none.

The caller's to make: of methodologies for reflect, of hypotheses for hypothesize, of all facts for discover, each with
the limit of the embedding model.
"""


_WORDS = ("title", "body", "type")
_SAID = ("prediction", "falsifier", "rationale", "novelty_argument")
"""What an answer writes into a decision beside a fact."""


def nothing_near(_: Fact) -> None:
    """For where nothing is compared."""


@dataclass(frozen=True)
class Limits:
    """The settings that applying takes. Of the last two, 0 switches the gate off."""

    methodologies: int = 1
    confidence: float = 0.5
    blast_radius: int = 1


@dataclass(frozen=True)
class Shown:
    """A work item as its answerer saw it. `records` are the reduced records of its facts, or of its transitions."""

    campaign: str
    step: str
    records: Sequence[Mapping[str, Any]]
    depth: int = 0
    direction: Literal["forward", "backward"] | None = None  # of discovery


def shown_of(item: Item, campaign: str) -> Shown:
    """A stored item as it was shown. Raises `ThermiteError` where its payload is damaged."""
    try:
        payload = json.loads(item.facts)
        records = payload["bridge"]["members"] if item.step == "discover" else payload
        records = [records] if item.step == "hypothesize" else records
        direction = payload["direction"] if item.step == "discover" else None
        if not isinstance(records, list) or not all(isinstance(record["path"], str) for record in records):
            raise TypeError
    except (ValueError, KeyError, TypeError):
        raise ThermiteError("the stored item is damaged", where=f"item {item.item}", do="start a new session") from None
    return Shown(campaign, item.step, records, item.depth, direction)


@dataclass(frozen=True)
class Applied:
    """What an answer comes to. Decisions have no number yet; warnings tell what of it was left out, and why."""

    decisions: tuple[Decision, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def counts(self) -> Counts:
        """What it adds to the session's counts."""
        return counts_of(self.decisions)

    @property
    def written(self) -> tuple[Fact, ...]:
        """The facts that it derived: the seeds of the next depth."""
        derived = (one.fact for one in self.decisions if one.verb in ("synthesize", "discover"))
        return tuple(fact for fact in derived if fact is not None)


@dataclass
class Work:
    """One answer being applied to a copy of the facts: each decision sees what those before it did."""

    shown: Shown
    corpus: Corpus
    decisions: list[Decision] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.corpus = self.corpus.copy()
        self._records = {record["path"]: record for record in self.shown.records}

    def decide(self, verb: Verb, inputs: Iterable[Key], output: dict[str, Any] | None = None) -> None:
        """Take a decision. What it says beside its fact (a prediction, a rationale) is stored without credentials."""
        said = {key: clean(value) if key in _SAID else value for key, value in (output or {}).items()}
        decision = Decision(verb=verb, step=self.shown.step, inputs=tuple(inputs), output=said)
        if (why := self.corpus.apply(decision)) is not None:
            raise ThermiteError(f"the answer contradicts itself: {why}", where=decision.about)
        self.decisions.append(decision)

    def warn(self, what: str) -> None:
        """Tell what was left out."""
        self.warnings.append(what)

    def is_shown(self, name: str) -> bool:
        """Whether a fact is in the item."""
        return name in self._records

    def refuse_unknown(self, names: Iterable[str]) -> None:
        """Raise for the ids that are not in the item, all at once."""
        strange = [name for name in names if not self.is_shown(name)]
        if strange:
            raise ThermiteError(f"not in this item: {', '.join(strange)}", do="name facts by the paths it shows")

    def moved_on(self, name: str) -> str | None:
        """Why what the answerer saw of a fact is not how it is; None when it is."""
        fact, record = self.corpus.read(name), self._records[name]
        if fact is None:
            return f"{name} was taken back since it was shown"
        if not says_what_was_shown(fact, record):
            return f"{name} says something else since it was shown"
        return None

    def current(self, name: str) -> Fact | None:
        """A fact of the item as it is now; with a warning None, when it isn't what was shown any more."""
        why = self.moved_on(name)
        if why is not None:
            self.warn(why)
            return None
        return self.corpus.read(name)

    def refs(self, refs: Iterable[str], where: str) -> tuple[str, ...]:
        """References as they are stored: ids of facts in one spelling, each once. Raises, naming all bad ones.

        A fact of the campaign must exist, though it may be retracted, and be epistemic: what tells people what to do
        stays out of every lineage. Items, other campaigns' facts and addresses are taken as they are.
        """
        stored = union(self._spelled(ref.strip()) for ref in refs)
        bad = [ref for ref in stored if not self._may_be_cited(ref)]
        if bad:
            raise ThermiteError(f"cites what can't be cited: {', '.join(bad)}", where=where)
        return stored

    def new(self, fact: Fact, place: int, inputs: Sequence[Key]) -> Fact:
        """A derived fact under an id of its own, checked and without credentials."""
        return derived(fact, self.corpus.new_id(self.shown.campaign, self.shown.step, inputs, place))

    def done(self) -> Applied:
        """What it comes to."""
        return Applied(tuple(self.decisions), tuple(self.warnings))

    def _spelled(self, ref: str) -> str:
        if FACT_ID.fullmatch(ref.lower()):
            return ref.lower()
        # Only an address can carry a credential; an item's name may well look like one, as a checksum does.
        return clean(ref) if "://" in ref else ref

    def _may_be_cited(self, ref: str) -> bool:
        held = self.corpus.kept(self.corpus.resolve(ref) or ref)
        if held is not None:
            return held.fact.kind == "epistemic"
        return not (FACT_ID.fullmatch(ref) and ref.startswith(f"{self.shown.campaign}/"))


def derived(fact: Fact, name: str) -> Fact:
    """A fact under another id, held to the rules and without credentials in its words; raises `ThermiteError`."""
    domain, entities = (union(map(clean, tags)) for tags in (fact.domain, fact.entities))
    words = {"title": clean(fact.title), "body": clean(fact.body), "domain": domain, "entities": entities}
    return checked(msgspec.structs.replace(fact, fact=name, **words))


def clean(text: str) -> str:
    """What an answer says without what is shaped like a credential: it is stored, synced, and names files."""
    from thermite_pipelines.safety.redaction import redact_text

    return redact_text(text)


def says_what_was_shown(fact: Fact, record: Mapping[str, Any]) -> bool:
    """Whether a fact still says what its record in an item says, however sure it is of it."""
    return all(getattr(fact, key) == record[key] for key in _WORDS)


def check_type(kind: str, where: str) -> str:
    """Return the type of a fact that an answer may write; raise for others: a review makes no hypotheses."""
    if kind == HYPOTHESIS or kind not in EPISTEMIC:
        allowed = ", ".join(name for name in EPISTEMIC if name != HYPOTHESIS)
        raise ThermiteError(f"type {kind!r} is not for this", where=where, do=f"use one of {allowed}")
    return kind


def check_methodology(kind: str, inputs: Iterable[Fact], where: str) -> None:
    """Raise for a methodology made of other facts: new ways of reasoning come of reflect, where few are taken."""
    if kind == "methodology" and not all(fact.type == "methodology" for fact in inputs):
        raise ThermiteError("a methodology is made of methodologies alone here", where=where, do="make it a synthesis")


def origin_of(kind: str) -> str:
    """The origin of what distilling writes: only a synthesis is distilled, other types read as authored."""
    return "distilled" if kind == "synthesis" else "authored"
