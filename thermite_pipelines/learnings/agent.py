"""One agent of one campaign: its help requests, learnings and refusals, fed in the one order of events.

The order is (time, rig, ledger, n). What a person decided about a learning is not placed by time: it comes right after
the last event of a report that control had accepted by then.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple, Self

import msgspec

from thermite_pipelines.learnings.lifecycle import AgentLearnings
from thermite_pipelines.learnings.requests import AgentRequests

RULES = 1
"""The version of the rules by which events are folded; raise it so that all folds begin anew."""


class Told(NamedTuple):
    """A channel event with its run; sorting gives the one order."""

    at: int
    rig: str
    ledger: str
    n: int
    run: str
    label: str
    type: str
    occurred_at: int
    accepted_number: int
    accepted_at: int
    data: dict[str, Any]

    @property
    def place(self) -> tuple[str, str, str]:
        """Rig, ledger and run."""
        return self.rig, self.ledger, self.run

    @property
    def named(self) -> str:
        """The run as ids write it: `<rig>/<run>`, with the ledger where another's run of that name came first."""
        return f"{self.rig}/{self.label}"


class Decision(NamedTuple):
    """What a person decided about a learning, in the order of their numbers."""

    action: int
    learning: str
    verb: str
    receipt_number: int


class Refusal(msgspec.Struct):
    """A learning that screening refused: never its text. Times in microseconds."""

    rig: str
    ledger: str
    run: str
    learning: str
    reason: str
    original_sha256: str
    at: int
    accepted_at: int
    told: bool = False


@dataclass
class Agent:
    """The folded state of one agent."""

    requests: AgentRequests
    learnings: AgentLearnings
    refusals: list[Refusal]

    @classmethod
    def new(cls, agent: str, dropped: Sequence[str] = ()) -> Self:
        """An agent of which nothing is known but texts that people dropped, of runs that have left the campaign."""
        learnings = AgentLearnings()
        for text in dropped:
            learnings.bar(text)
        return cls(AgentRequests(agent), learnings, [])

    @classmethod
    def restore(cls, agent: str, state: dict[str, Any]) -> Self:
        """The state that `snapshot` gave."""
        requests = AgentRequests.restore(agent, state["requests"])
        refusals = msgspec.convert(state["refusals"], list[Refusal])
        return cls(requests, AgentLearnings.restore(state["learnings"]), refusals)

    def snapshot(self) -> dict[str, Any]:
        """The state as plain values, for JSON."""
        return {
            "requests": self.requests.snapshot(),
            "learnings": self.learnings.snapshot(),
            "refusals": msgspec.to_builtins(self.refusals),
        }

    def apply(self, events: Sequence[Told], decisions: Sequence[Decision]) -> None:
        """Go on with events and decisions that come after all before; events are in order."""
        for step in _merged(events, decisions):
            if isinstance(step, Decision):
                act = self.learnings.keep if step.verb == "keep" else self.learnings.drop
                act(step.learning)
            else:
                self._take(step)

    def _take(self, event: Told) -> None:
        data = event.data
        if event.type == "help_requested":
            self.requests.ask(event.place, data, event.occurred_at, event.accepted_at, event.accepted_number)
        elif event.type == "brief_given":
            self.learnings.brief(event.named, data["learnings"])
            for refusal in self.refusals:
                # A brief from before control had the proposal could not tell of it.
                refusal.told |= event.place[:3] != (refusal.rig, refusal.ledger, refusal.run) and (
                    event.at > refusal.accepted_at
                )
        elif data.get("refused") is not None:
            self.refusals.append(
                Refusal(
                    *event.place,
                    learning=data["learning"],
                    reason=data["refused"],
                    original_sha256=data["original_sha256"],
                    at=event.at,
                    accepted_at=event.accepted_at,
                )
            )
        else:
            proposal = f"{event.named}/{data['learning']}"
            self.learnings.propose(event.named, proposal, data["text"], data["impact"], event.at)


def _merged(events: Sequence[Told], decisions: Sequence[Decision]) -> Iterator[Told | Decision]:
    """Events in their order, each decision right after the last event that control had accepted when it was taken."""
    # The smallest number from each event on only grows: the last one that is small enough is the last such event.
    smallest = list(accumulate((event.accepted_number for event in reversed(events)), min))[::-1]
    places = [bisect_right(smallest, decision.receipt_number) for decision in decisions]
    waiting = sorted(zip(places, decisions, strict=True), key=lambda pair: (pair[0], pair[1].action), reverse=True)
    for index in range(len(events) + 1):
        while waiting and waiting[-1][0] == index:
            yield waiting.pop()[1]
        if index < len(events):
            yield events[index]
