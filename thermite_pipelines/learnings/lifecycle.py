"""The life of one agent's learnings in one campaign: a pure state machine, fed in the one order of events.

An insight is what one or more proposals say. It is provisional for 20 runs of its agent that were briefed, then lapsed,
until a run that was not shown it proposes it anew; the third time that happens it is confirmed. People confirm and
reject: what they rejected stays so and takes every later proposal that says the same.
"""

from collections import deque
from collections.abc import Collection
from typing import Any, Literal, Self

import msgspec

from thermite_pipelines.learnings.sameness_index import SamenessIndex

RUNS = 20
"""Briefed runs of its agent after which a provisional insight lapses."""
REDISCOVERIES = 3
"""Rediscoveries that confirm an insight."""

State = Literal["provisional", "confirmed", "lapsed", "rejected"]
Outcome = Literal["discovery", "echo", "rediscovery", "ignored"]


class Insight(msgspec.Struct):
    """One insight; times are those of its proposals in the one order, in microseconds."""

    id: str  # of the first proposal, as are `text` and `impact`
    text: str
    impact: str
    first_at: int
    last_at: int  # of the newest proposal that counted
    since_run: str  # the run that proposed it, or that brought it back last
    lapses_at: int | None  # the number of the briefed run that ends it; None unless it is provisional
    state: State = "provisional"
    proposals: int = 1  # the discovery and the rediscoveries
    rediscovered_by: list[str] = msgspec.field(default_factory=list)  # runs, each once
    is_listed: bool = True  # False: see `AgentLearnings.bar`


class AgentLearnings:
    """The learnings of one agent in one campaign. `insights` are in the order of their first proposals."""

    def __init__(self) -> None:
        self.insights: list[Insight] = []
        self._names: dict[str, int] = {}
        self._shown: dict[str, set[str]] = {}  # run that was briefed -> ids that it was shown
        self._lapsing: deque[tuple[int, int]] = deque()  # (briefed run, insight): each one later than those before it
        self._index: SamenessIndex | None = None
        self._changed: set[int] = set()

    @classmethod
    def restore(cls, rows: dict[str, Any]) -> Self:
        """The state that `snapshot` gave, or nothing at all for an empty dict."""
        learnings = cls()
        learnings.insights = msgspec.convert(rows.get("insights", []), list[Insight])
        learnings._names = {row["id"]: row["insight"] for row in rows.get("names", [])}
        learnings._shown = {row["run"]: set(row["shown"]) for row in rows.get("runs", [])}
        ends = ((insight.lapses_at, number) for number, insight in enumerate(learnings.insights))
        learnings._lapsing = deque(sorted((end, number) for end, number in ends if end is not None))
        return learnings

    def snapshot(self) -> dict[str, Any]:
        """The whole state as plain rows: `insights` in order, `names` (id, number of insight), `runs` (run, shown ids).

        Equal states give equal rows.
        """
        return {
            "insights": msgspec.to_builtins(self.insights),
            "names": [{"id": name, "insight": number} for name, number in self._names.items()],
            "runs": [{"run": run, "shown": sorted(shown)} for run, shown in self._shown.items()],
        }

    def take_changed(self) -> list[Insight]:
        """The insights that are new or whose fields changed since this was last asked, in order."""
        changed = [self.insights[number] for number in sorted(self._changed)]
        self._changed.clear()
        return changed

    @property
    def briefed(self) -> int:
        """How many runs were briefed."""
        return len(self._shown)

    def runs_left(self, insight: Insight) -> int | None:
        """Briefed runs that are left of a provisional insight (20 to 1); 0 once lapsed, None when a person's word or
        three rediscoveries ended the count (confirmed, rejected)."""
        if insight.state == "lapsed":
            return 0
        return None if insight.lapses_at is None else insight.lapses_at - self.briefed

    def insight(self, name: str) -> Insight | None:
        """The insight that the id of any proposal names, or None."""
        number = self._names.get(name)
        return None if number is None else self.insights[number]

    def proposals_of(self, name: str) -> list[str]:
        """The ids of all proposals of the insight that an id names, echoes too, in the order in which they came."""
        number = self._names.get(name)
        return [] if number is None else [other for other, own in self._names.items() if own == number]

    def propose(self, run: str, proposal: str, text: str, impact: str, at: int) -> Outcome:
        """Take a proposal of a run; what it turned out to be.

        A run is named `<rig>/<label>`, a proposal `<rig>/<label>/<learning>`. An echo, and what is ignored, change
        nothing but that the id names the insight that took the proposal.
        """
        number = self._matching().first_match(text)
        if number is None:
            self._discover(run, proposal, text, impact, at)
            return "discovery"
        self._names.setdefault(proposal, number)
        insight = self.insights[number]
        if insight.state == "rejected":
            return "ignored"
        if insight.state != "lapsed" or run in insight.rediscovered_by or self._was_shown(run, number):
            return "echo"
        self._rediscover(number, run, at)
        return "rediscovery"

    def brief(self, run: str, shown: Collection[str]) -> None:
        """Take a `brief_given` of a run with the ids that it lists; only the first of a run spends one of the 20.

        An id that names no insight yet is kept: a clock that runs behind may place the brief before the proposal.
        """
        is_first = run not in self._shown
        self._shown.setdefault(run, set()).update(shown)
        if not is_first:
            return
        while self._lapsing and self._lapsing[0][0] <= self.briefed:
            end, number = self._lapsing.popleft()
            # A keep, a drop or a later lease of life makes an older end void.
            if self.insights[number].lapses_at == end:
                self._move(number, "lapsed")

    def keep(self, name: str) -> bool:
        """A person keeps the insight that the id names: confirmed, unless it is rejected. False: it names none."""
        number = self._names.get(name)
        if number is not None and self.insights[number].state not in ("rejected", "confirmed"):
            self._move(number, "confirmed")
        return number is not None

    def drop(self, name: str) -> bool:
        """A person drops the insight that the id names: rejected for good. False: it names none."""
        number = self._names.get(name)
        if number is not None:
            self._reject(number)
        return number is not None

    def bar(self, text: str) -> None:
        """Take every proposal that says the same as something a person dropped, of a run that is not among these."""
        number = self._matching().add(text)
        self.insights.append(Insight("", text, "low", 0, 0, "", None, "rejected", proposals=0, is_listed=False))
        self._matching().prefer(number)

    def _reject(self, number: int) -> None:
        if self.insights[number].state != "rejected":
            self._move(number, "rejected")
            if self._index is not None:
                self._index.prefer(number)

    def _discover(self, run: str, proposal: str, text: str, impact: str, at: int) -> None:
        number = self._matching().add(text)
        self.insights.append(Insight(proposal, text, impact, at, at, run, lapses_at=None))
        self._names.setdefault(proposal, number)
        self._move(number, "provisional")

    def _rediscover(self, number: int, run: str, at: int) -> None:
        insight = self.insights[number]
        insight.rediscovered_by.append(run)
        insight.proposals += 1
        insight.last_at = at
        insight.since_run = run
        self._move(number, "provisional" if len(insight.rediscovered_by) < REDISCOVERIES else "confirmed")

    def _move(self, number: int, state: State) -> None:
        insight = self.insights[number]
        insight.state = state
        insight.lapses_at = None
        if state == "provisional":
            insight.lapses_at = self.briefed + RUNS
            self._lapsing.append((insight.lapses_at, number))
        self._changed.add(number)

    def _was_shown(self, run: str, number: int) -> bool:
        return any(self._names.get(name) == number for name in self._shown.get(run, ()))

    def _matching(self) -> SamenessIndex:
        """The index of the first texts, made when the first proposal comes: many folds see only briefs."""
        if self._index is None:
            self._index = SamenessIndex()
            for number, insight in enumerate(self.insights):
                self._index.add(insight.text)
                if insight.state == "rejected":
                    self._index.prefer(number)
        return self._index
