"""The facts of one campaign with their vectors, kept in memory from call to call and brought up to date by the log.

A session has many items; reading all facts and comparing all vectors for each of them would make a review of a large
campaign take the square of its time. What was kept is checked by two numbers of control's record.
"""

from collections.abc import Collection, Iterable

import numpy as np

from thermite_pipelines.embeddings.embedder import Embedder
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis import decision_log
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.fact_store import campaign_markers
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.neighbours import Neighbours
from thermite_pipelines.synthesis.state import base_content, read_folded
from thermite_pipelines.synthesis.vectors import FactVectors, Matrix, Progress, Vectors, vectors_folder

KEPT_AT_ONCE = 256
"""New vectors are kept so many at a time, and at the end of a lane; after a kill the rest is made again."""


class CampaignFacts:
    """Facts, neighbours and markers of a campaign. Not for several threads at a time.

    With `keeps`, vectors that are made are kept for the next process: the caller then holds the lease `synthesis:<c>`.
    """

    def __init__(self, home: Home, campaign: str, embedder: Embedder, *, keeps: bool) -> None:
        self._home = home
        self.campaign = campaign
        self._embedder = embedder
        self._keeps = keeps
        self.corpus = Corpus()
        self.content: str | None = None
        """A hash of the base facts behind the corpus."""
        self.markers: frozenset[str] = frozenset()
        self._newest = -1
        self._neighbours: Neighbours | None = None
        self._said: dict[str, Fact] = {}
        self._unkept: dict[str, tuple[Fact, Matrix]] = {}

    def catch_up(self) -> Corpus:
        """The facts as they are now. They are the caller's to read, not to change."""
        with self._home.control.read() as connection:
            content = base_content(connection, self.campaign)
            newest = decision_log.newest(connection, self.campaign)
            is_known = content == self.content and 0 <= self._newest <= newest
            more = list(decision_log.read(connection, self.campaign, self._newest)) if is_known else []
        if not is_known:
            self.corpus = read_folded(self._home, self.campaign).corpus
            self.markers = campaign_markers(self._home, self.campaign)
        for decision in more:
            self.corpus.apply(decision)
        self.content, self._newest = content, newest
        return self.corpus

    def neighbours(self, facts: Iterable[Fact], progress: Progress | None = None) -> Neighbours:
        """Those of all these facts, and maybe more; texts that have no vector yet are embedded."""
        facts = list(facts)
        if self._neighbours is None:
            store = self._store()
            self._neighbours = Neighbours(store.refresh(facts, progress) if self._keeps else store.known(facts))
            self._said = {fact.fact: fact for fact in facts}
        new = [fact for fact in facts if not _says_the_same(fact, self._said.get(fact.fact))]
        if new:
            made = Vectors((), self._neighbours.matrix[:0]).plus(new, self._embedder)
            self._neighbours.put(made)
            self._said |= {fact.fact: fact for fact in new}
            self._keep(new, made)
        return self._neighbours

    def _keep(self, facts: list[Fact], made: Vectors) -> None:
        """Keep vectors that were made, many at a time: each write has its price."""
        if not self._keeps:
            return
        rows = dict(zip(made.names, made.matrix, strict=True))
        self._unkept |= {fact.fact: (fact, rows[fact.fact]) for fact in facts}
        if len(self._unkept) >= KEPT_AT_ONCE:
            self.keep()

    def keep(self) -> None:
        """Keep the vectors that still wait for it."""
        waiting, self._unkept = list(self._unkept.values()), {}
        if waiting:
            self._store().keep([fact for fact, _ in waiting], np.stack([row for _, row in waiting]))

    def _store(self) -> FactVectors:
        return FactVectors(vectors_folder(self._home.settings, self.campaign), self._embedder)

    def closest(self, fact: Fact, among: Collection[Fact]) -> tuple[str, float] | None:
        """Of some facts the one that is nearest to what a fact says, and how near; None of none."""
        if not among:
            return None
        neighbours = self.neighbours(self._epistemic())
        vector = self._embedder.documents([(fact.title, fact.body)])[0]
        return neighbours.closest(vector, {one.fact for one in among})

    def _epistemic(self) -> list[Fact]:
        return [fact for fact in self.corpus.live().values() if fact.kind == "epistemic"]


def _says_the_same(fact: Fact, known: Fact | None) -> bool:
    return known is fact or (known is not None and (known.title, known.body) == (fact.title, fact.body))
