"""Histories of one agent for tests of the life cycle, and a plain reference that is written from its table."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from thermite_pipelines.learnings.lifecycle import AgentLearnings

# Each says the same as the other of its line, and nothing that another line says.
WORDINGS = [
    ("Clearing the build cache fixes stale headers", "Stale headers: clearing the build cache fixes them"),
    ("The metrics service listens on port 9187 only", "The metrics service listens on port 9187 only after login"),
    ("Checkpoints of more than 4 GiB are cut off silently", "Silently cut off: checkpoints of more than 4 GiB"),
    ("Two workers writing one shard corrupt its index", "Two workers writing one shard corrupt its index file"),
]
RUNS = [f"rig-a/run-{number}" for number in range(5)]
Step = tuple[str, Any]

_TEXT = st.tuples(st.integers(0, len(WORDINGS) - 1), st.integers(0, 1))
HISTORIES: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        st.tuples(st.just("propose"), st.tuples(st.sampled_from(RUNS), _TEXT)),
        st.tuples(st.just("propose"), st.tuples(st.just("fresh"), _TEXT)),
        st.tuples(st.just("brief"), st.tuples(st.sampled_from(RUNS), st.booleans())),
        st.tuples(st.just("runs"), st.tuples(st.integers(1, 22), st.booleans())),
        st.tuples(st.just("runs"), st.tuples(st.integers(19, 20), st.just(False))),
        st.tuples(st.sampled_from(["keep", "drop"]), st.integers(0, 9)),
    ),
    max_size=30,
)


class Player:
    """Plays steps into one or more machines that have `propose`, `brief`, `keep` and `drop`."""

    def __init__(self) -> None:
        self.runs = 0
        self.proposals: list[str] = []

    def play(self, step: Step, *machines: Any) -> None:
        """One step; what needs a fresh run, or the id of a proposal, is the same for all machines."""
        kind, what = step
        if kind == "propose":
            run, (line, wording) = what
            if run == "fresh":
                run = self._fresh()
            proposal = f"{run}/learning-{len(self.proposals)}"
            self.proposals.append(proposal)
            for machine in machines:
                machine.propose(run, proposal, WORDINGS[line][wording], "high", len(self.proposals))
        elif kind == "brief":
            self._brief(what[0], what[1], machines)
        elif kind == "runs":
            for _ in range(what[0]):
                self._brief(self._fresh(), what[1], machines)
        elif self.proposals:
            for machine in machines:
                getattr(machine, kind)(self.proposals[what % len(self.proposals)])

    def _fresh(self) -> str:
        self.runs += 1
        return f"rig-b/run-{self.runs}"

    def _brief(self, run: str, lists_all: bool, machines: Iterable[Any]) -> None:
        for machine in machines:
            machine.brief(run, self.proposals if lists_all else [])


@dataclass
class Told:
    """An insight as the reference knows it."""

    id: str
    text: str
    line: int
    since: int
    """Length of the list of briefed runs when it became provisional."""
    since_run: str
    last_at: int
    state: str = "provisional"
    brought_back_by: list[str] = field(default_factory=list)


class Reference:
    """The rules, one after the other, without a thought of speed: lives are counted anew each time."""

    def __init__(self) -> None:
        self.insights: list[Told] = []
        self.briefed: list[str] = []
        self.listed: set[tuple[str, int]] = set()
        self.taken_by: dict[str, Told] = {}

    def propose(self, run: str, proposal: str, text: str, impact: str, at: int) -> str:
        line = next(number for number, wordings in enumerate(WORDINGS) if text in wordings)
        told = next((told for told in self.insights if told.line == line), None)
        if told is None:
            told = Told(proposal, text, line, len(self.briefed), run, at)
            self.insights.append(told)
            outcome = "discovery"
        elif told.state == "rejected":
            outcome = "ignored"
        elif told.state != "lapsed" or run in told.brought_back_by or (run, line) in self.listed:
            outcome = "echo"
        else:
            told.brought_back_by.append(run)
            told.since, told.since_run, told.last_at = len(self.briefed), run, at
            told.state = "confirmed" if len(told.brought_back_by) == 3 else "provisional"
            outcome = "rediscovery"
        self.taken_by[proposal] = told
        return outcome

    def brief(self, run: str, shown: Iterable[str]) -> None:
        self.listed |= {(run, self.taken_by[name].line) for name in shown}
        if run not in self.briefed:
            self.briefed.append(run)
        for told in self.insights:
            if told.state == "provisional" and len(self.briefed) - told.since >= 20:
                told.state = "lapsed"

    def keep(self, name: str) -> None:
        if self.taken_by[name].state != "rejected":
            self.taken_by[name].state = "confirmed"

    def drop(self, name: str) -> None:
        self.taken_by[name].state = "rejected"

    def rows(self) -> list[tuple[Any, ...]]:
        """What can be seen of each insight."""
        return [
            (
                *(told.id, told.text, told.state, told.since_run, told.last_at, 1 + len(told.brought_back_by)),
                {"provisional": 20 - len(self.briefed) + told.since, "lapsed": 0}.get(told.state),
            )
            for told in self.insights
        ]


def rows_of(learnings: AgentLearnings) -> list[tuple[Any, ...]]:
    """The same of the machine under test."""
    return [
        (
            *(one.id, one.text, one.state, one.since_run, one.last_at, one.proposals),
            learnings.runs_left(one),
        )
        for one in learnings.insights
    ]
