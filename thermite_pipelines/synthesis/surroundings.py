"""What an answerer may know besides an item: methodologies that bear on it, facts that it names, what was told before.

All of it is looked up when it is asked for, in the facts as they are then; it is in no item and in no token.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from thermite_pipelines.synthesis.applying import shown_of
from thermite_pipelines.synthesis.campaign_facts import CampaignFacts
from thermite_pipelines.synthesis.chunking import compact
from thermite_pipelines.synthesis.engine import METHODOLOGY, Engine
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.planning import epistemic
from thermite_pipelines.synthesis.prompting import OFFERED_STEPS
from thermite_pipelines.synthesis.relevance import Methodologies, Offered
from thermite_pipelines.synthesis.work import Item, Session

MUST_READ = 0.50
"""Methodologies that score so much are to be read before an item is answered."""
BACKGROUND_BYTES = 24 * 1024
"""As much of other facts is shown beside an item at most."""


class Surroundings:
    """The surroundings of the items of an engine. Methodologies that score below `min_score` are not offered."""

    def __init__(self, engine: Engine, min_score: float) -> None:
        self._engine = engine
        self._min_score = min_score

    def offers(self, session: Session, item: Item) -> Sequence[Offered]:
        """The methodologies that bear on an item's facts, or on the facts behind its transitions, the best first."""
        with self._engine.facts(session.campaign) as facts:
            known = epistemic(facts.corpus)
            if not any(fact.type == METHODOLOGY for fact in known.values()):
                return ()
            sources = [known[name] for name in _named(item) if name in known]
            names = {fact.fact for fact in known.values() if fact.type == METHODOLOGY}
            vectors = facts.neighbours(known.values()).vectors(names.union(fact.fact for fact in sources))
            return Methodologies(known.values(), vectors, facts.markers).relevant(sources, min_score=self._min_score)

    def background(self, session: Session, item: Item) -> Sequence[Mapping[str, Any]]:
        """Records of facts that an item only names: methodologies to be read, sources of a synthesis, transitions."""
        offers = self.offers(session, item) if item.step in OFFERED_STEPS else ()
        with self._engine.facts(session.campaign) as facts:
            to_read = [facts.corpus.read(offer.path) for offer in offers if offer.score >= MUST_READ]
            return _fitting([*filter(None, to_read), *_behind(facts, item)])

    def told(self, session: Session, item: Item) -> frozenset[str]:
        """The facts of an item that a live synthesis cites: the rules tell each of them once."""
        with self._engine.facts(session.campaign) as facts:
            citing = facts.corpus.citing
            return frozenset(name for name in _named(item) if any(one.type == "synthesis" for one in citing(name)))


def _named(item: Item) -> list[str]:
    return [record["path"] for record in shown_of(item, "").records]


def _behind(facts: CampaignFacts, item: Item) -> list[Fact]:
    corpus = facts.corpus
    if item.step == "hypothesize":
        found = [corpus.read(name) for name in _named(item)]
        names = [cited for fact in found if fact is not None for cited in corpus.cited_by(fact)]
    elif item.step == "reflect":
        records = shown_of(item, "").records
        # A detail names the fact that confirmed a hypothesis, or says something else.
        names = [name for record in records for name in (record["path"], str(record.get("detail")))]
    else:
        names = []
    held = (corpus.kept(name) for name in dict.fromkeys(names))
    return [one.fact for one in held if one is not None and one.fact.kind == "epistemic"]


def _fitting(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """The records of the first facts, as far as there is room."""
    records: list[dict[str, Any]] = []
    left = BACKGROUND_BYTES
    for fact in facts:
        record = fact.record()
        left -= len(compact(record).encode())
        if left < 0:
            break
        records.append(record)
    return records
