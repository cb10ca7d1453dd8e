"""Which rig reports which runs, and in which reports: chains that are the same wherever they are made."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from thermite_pipelines.ledger.envelope import REPORT_TYPE, seal
from thermite_pipelines.rig.reports import build_report, make_event, payload_hash, report_name
from thermite_pipelines.rig.sample import reading, training
from thermite_pipelines.rig.sample.story import Told

RIG_A, RIG_B = "rig-a", "rig-b"
RIGS = (RIG_A, RIG_B)
CAMPAIGNS = {training.CAMPAIGN: training.TITLE, reading.CAMPAIGN: reading.TITLE}
EVENTS_A_REPORT = 25
_SECOND = 1_000_000

# What control assigns before anything arrives. `quick-look` is in no list: it stays in no folder.
ASSIGNED = {
    (RIG_A, "climb-1"): training.CAMPAIGN,
    (RIG_A, "climb-2"): training.CAMPAIGN,
    (RIG_B, "memory-goal"): training.CAMPAIGN,
    (RIG_B, "survey-1"): reading.CAMPAIGN,
    (RIG_B, "survey-2"): reading.CAMPAIGN,
}
# The run that goes on, with what its owner picked for it: a briefing of five items, and one experiment to try again.
RUNNING = "climb-3"
COPIED = "experiment:rig-a/climb-1/e2"
PICKS = (
    "finding:rig-b/survey-1/f1",
    "claim:rig-b/survey-1/c1",
    "note:rig-a/climb-1/n3",
    "note:rig-a/climb-1/n11",
    "research_note:rig-b/survey-1/rn2",
    COPIED,
)


@dataclass(frozen=True)
class Report:
    """A sealed payload on its way: file name, payload bytes, and whether it is of the run that goes on."""

    rig: str
    name: str
    payload: bytes

    @property
    def sha256(self) -> str:
        """The payload's hash."""
        return payload_hash(self.payload)

    def envelope(self, seed: bytes) -> bytes:
        """The signed file."""
        return seal(REPORT_TYPE, self.payload, seed)


@dataclass
class _Chain:
    """A ledger while its reports are made."""

    rig: str
    ledger: str
    seq: int = 0
    n: int = 0
    prev: str | None = None
    made: list[Report] = field(default_factory=list)

    def report(self, told: list[Told]) -> None:
        """Make the next report of events."""
        events = []
        for one in told:
            self.n += 1
            named = {"run": one.run, "campaign": one.campaign}
            events.append(make_event(self.n, f"{self.ledger}.{self.n}", one.at, one.type, one.by, one.data, **named))
        self.seq += 1
        payload = build_report(self.rig, self.ledger, self.seq, self.prev, told[-1].at + 30 * _SECOND, events)
        self.prev = payload_hash(payload)
        self.made.append(Report(self.rig, report_name(self.ledger, self.seq), payload))


def finished_runs() -> list[Report]:
    """All reports of runs that ended, of both rigs."""
    return [*_first_part(RIG_A).made, *_first_part(RIG_B).made]


def running_run(briefing: list[dict[str, Any]]) -> list[Report]:
    """The reports of the run that goes on, which begins with the briefing of its signed command."""
    chain = _first_part(RIG_A)
    before = len(chain.made)
    for part in _parts(training.third_climb(briefing, COPIED)):
        chain.report(part)
    return chain.made[before:]


def rival() -> Report:
    """A second payload for a place of rig-b's chain, as a rig sends whose disk was put back: a fork."""
    chain = _Chain(RIG_B, _ledger(RIG_B))
    parts = list(_parts(_told(RIG_B)))
    chain.report(parts[0])
    chain.report(parts[1][:-1])
    last = chain.made[-1]
    return Report(RIG_B, last.name.replace(".dsse.json", "-again.dsse.json"), last.payload)


def _first_part(rig: str) -> _Chain:
    chain = _Chain(rig, _ledger(rig))
    for part in _parts(_told(rig)):
        chain.report(part)
    return chain


def _ledger(rig: str) -> str:
    return f"{rig}-2026-11"


def _told(rig: str) -> list[Told]:
    if rig == RIG_A:
        return [*training.first_climb(), *training.second_climb(), *training.quick_look()]
    return [*reading.survey(), *training.memory_goal(), *reading.follow_up()]


def _parts(told: list[Told]) -> Iterator[list[Told]]:
    for start in range(0, len(told), EVENTS_A_REPORT):
        yield told[start : start + EVENTS_A_REPORT]
