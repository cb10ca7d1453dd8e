"""The engine: from a campaign's facts to the items of a session, and from answers to decisions.

One engine does the work, whether it is driven by materializations, over MCP or over HTTP: the queue asks it, and it
puts together planning, applying and what follows. It writes nothing but vectors that it made.
"""

import logging
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import RLock

from thermite_pipelines.embeddings.embedder import Embedder
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis import sessions
from thermite_pipelines.synthesis.answers import Answer
from thermite_pipelines.synthesis.applying import Applied, Limits, Nearest, apply_answer, nothing_near, shown_of
from thermite_pipelines.synthesis.applying.work import says_what_was_shown
from thermite_pipelines.synthesis.campaign_facts import CampaignFacts
from thermite_pipelines.synthesis.chunking import compact
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.discovery import Dial
from thermite_pipelines.synthesis.discovery.sessions import added_to_hypothesize, added_to_review
from thermite_pipelines.synthesis.evidence import DERIVED
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.merging import HYPOTHESIS
from thermite_pipelines.synthesis.outcomes import Outcome, Plan
from thermite_pipelines.synthesis.paging import PAGED_STEPS
from thermite_pipelines.synthesis.planning import (
    Likeness,
    Watermark,
    epistemic,
    follow_ups,
    plan_hypothesize,
    plan_reflect,
    plan_review,
    seeds_of,
)
from thermite_pipelines.synthesis.vectors import Progress
from thermite_pipelines.synthesis.work import Inputs, Item, NewItem, Request, Session, seen_of

logger = logging.getLogger(__name__)

METHODOLOGY = "methodology"
FALLBACK_NOVELTY = 0.85
"""From which cosine a methodology is not new, for a model that has no value of its own."""
_CAMPAIGNS_KEPT = 4


class Engine:
    """Planner and applier of `outcomes`, for all campaigns of a home. Safe for several threads.

    With `keeps`, vectors that planning makes are kept; whoever starts a session then holds the lease `synthesis:<c>`.
    """

    def __init__(self, home: Home, embedder: Embedder, *, keeps: bool = True, progress: Progress | None = None) -> None:
        self._home = home
        self._embedder = embedder
        self._keeps = keeps
        self._progress = progress
        self._lock = RLock()
        self._campaigns: OrderedDict[str, CampaignFacts] = OrderedDict()

    def plan(self, request: Request) -> Plan:
        """The items of a new session. Raises `ThermiteError` where facts or vectors can't be had."""
        with self._lock:
            facts = self._facts(request.campaign)
            watermark = self._watermark(request.campaign, request.tool)
            plan = self._review if request.tool == "review" else self._hypothesize
            return replace(plan(facts, request, watermark), base_content=facts.content)

    def reflect(self, session: Session) -> Sequence[NewItem]:
        """The item of reflect of a session, or none."""
        with self._lock:
            facts = self._facts(session.campaign)
            return plan_reflect(facts.corpus, self._watermark(session.campaign, session.tool))

    def decide(self, session: Session, item: Item, answer: Answer) -> Outcome:
        """What an answer comes to. Raises `Refused` for whatever can be known to fail; then the item stays open."""
        with self._lock:
            facts = self._facts(session.campaign)
            applied = apply_answer(
                shown_of(item, session.campaign),
                answer,
                facts.corpus,
                nearest=self._nearest(facts, item),
                limits=self._limits(),
            )
            items, warnings = self._follow_ups(facts, item, applied)
            return Outcome(applied.decisions, applied.counts, items, (*applied.warnings, *warnings))

    def renewed(self, session: Session, item: Item) -> tuple[str, Inputs] | None:
        """Payload and inputs of an item with its facts as they are now; None where all still say what was shown."""
        if item.step not in PAGED_STEPS:
            return None
        records = shown_of(item, session.campaign).records
        with self._lock:
            corpus = self._facts(session.campaign).corpus
            shown = [(_left_of(corpus, record["path"]), record) for record in records]
        if all(fact is not None and says_what_was_shown(fact, record) for fact, record in shown):
            return None
        left = {fact.fact: fact for fact, _ in shown if fact is not None}.values()
        return compact([fact.record() for fact in left]), tuple(fact.key for fact in left)

    @contextmanager
    def facts(self, campaign: str) -> Iterator[CampaignFacts]:
        """The facts of a campaign as they are now, for as long as nobody else uses them."""
        with self._lock:
            yield self._facts(campaign)

    def keep(self, campaign: str) -> None:
        """Keep what vectors were made of a campaign's facts and are not kept yet."""
        with self._lock:
            if (found := self._campaigns.get(campaign)) is not None:
                found.keep()

    def _facts(self, campaign: str) -> CampaignFacts:
        """The facts of a campaign, up to date."""
        found = self._campaigns.pop(campaign, None)
        found = found or CampaignFacts(self._home, campaign, self._embedder, keeps=self._keeps)
        self._campaigns[campaign] = found
        while len(self._campaigns) > _CAMPAIGNS_KEPT:
            self._campaigns.popitem(last=False)
        found.catch_up()
        return found

    def _watermark(self, campaign: str, tool: str) -> Watermark:
        with self._home.control.read() as connection:
            return sessions.watermark(connection, campaign, "review" if tool == "review" else "hypothesize")

    def _review(self, facts: CampaignFacts, request: Request, watermark: Watermark) -> Plan:
        known = epistemic(facts.corpus)
        if not seeds_of(known, request, watermark):
            return Plan(seen=tuple(map(seen_of, known.values())))
        likeness = self._likeness(facts, facts.corpus)
        planned = plan_review(facts.corpus, request, watermark, likeness)
        more = added_to_review(facts.corpus, planned, request, likeness, Dial.of(self._home.settings))
        return replace(planned.plan, items=(*planned.plan.items, *more))

    def _hypothesize(self, facts: CampaignFacts, request: Request, watermark: Watermark) -> Plan:
        plan = plan_hypothesize(facts.corpus, request, watermark)
        likeness = partial(self._likeness, facts, facts.corpus)
        more = added_to_hypothesize(facts.corpus, request, watermark, likeness, Dial.of(self._home.settings))
        return replace(plan, items=(*plan.items, *more))

    def _likeness(self, facts: CampaignFacts, corpus: Corpus) -> Likeness:
        neighbours = facts.neighbours(epistemic(corpus).values(), self._progress)
        return Likeness(neighbours, self._embedder.thresholds, markers=facts.markers)

    def _follow_ups(
        self, facts: CampaignFacts, item: Item, applied: Applied
    ) -> tuple[Sequence[NewItem], tuple[str, ...]]:
        """What follows from a distill item that wrote something, or a warning why nothing does.

        Whatever fails here, the answer itself counts.
        """
        if item.step != "distill" or not applied.written:
            return (), ()
        after = facts.corpus.copy()
        for decision in applied.decisions:
            after.apply(decision)
        try:
            return follow_ups(after, applied.written, item.depth, self._likeness(facts, after)), ()
        except Exception as error:  # noqa: BLE001 - what is below must not cost the answer; its text may be data
            logger.warning("nothing follows from item %s: %s", item.key, type(error).__name__)
            return (), (f"nothing follows from it: {type(error).__name__}",)

    def _nearest(self, facts: CampaignFacts, item: Item) -> Nearest:
        """What a new fact of an answer must not be too near to, by the kind of its item."""
        thresholds = self._embedder.thresholds
        if item.step == "reflect":
            return self._nearer_than(facts, METHODOLOGY, self._novelty())
        if item.step == "hypothesize":
            return self._nearer_than(facts, HYPOTHESIS, thresholds.dedup)
        return self._nearer_than(facts, None, thresholds.dedup) if item.step == "discover" else nothing_near

    def _nearer_than(self, facts: CampaignFacts, type: str | None, limit: float) -> Nearest:
        def nearest(fact: Fact) -> tuple[str, float] | None:
            live = epistemic(facts.corpus).values()
            found = facts.closest(fact, [one for one in live if type is None or one.type == type])
            return found if found is not None and found[1] > limit else None

        return nearest

    def _novelty(self) -> float:
        own = self._home.settings.reflect_novelty_threshold
        return own if own is not None else self._embedder.thresholds.reflect_novelty or FALLBACK_NOVELTY

    def _limits(self) -> Limits:
        settings = self._home.settings
        return Limits(
            settings.reflect_propose_cap,
            settings.discovery_confidence_threshold,
            settings.discovery_blast_radius_threshold,
        )


def _left_of(corpus: Corpus, name: str) -> Fact | None:
    """A fact that was shown, or the one that took its place by a merge; None where it was taken back.

    A synthesis takes no source's place: whoever looks at facts doesn't look at what others made of them.
    """
    before = corpus.kept(name)
    found = corpus.successor(name)
    if before is None or found is None or found.kind != "epistemic":
        return None
    return found if (found.origin in DERIVED) == (before.fact.origin in DERIVED) else None
