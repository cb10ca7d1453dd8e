"""Which rig reports which runs, and in which reports: chains that are the same wherever they are made."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from thermite_pipelines.ledger.envelope import REPORT_TYPE, seal
from thermite_pipelines.rig.reports import build_report, make_event, payload_hash, report_name
from thermite_pipelines.rig.sample import nightly, reading, training
from thermite_pipelines.rig.sample.story import Told

RIG_A, RIG_B = "rig-a", "rig-b"
RIGS = (RIG_A, RIG_B)
CAMPAIGNS = {
    training.CAMPAIGN: training.TITLE,
    reading.CAMPAIGN: reading.TITLE,
    nightly.CAMPAIGN: nightly.TITLE,
}
EVENTS_A_REPORT = 25
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
# The day of the newest event as the stories are written. Lists forget requests for help after some months, so a sample
# home has its events moved to the days before it was made.
_WRITTEN = date(2026, 11, 16)

# What control assigns before anything arrives. `quick-look` is in no list: it stays in no folder. No rig is given the
# nightly checks: control knows their campaign, so runs that name it lie there.
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

# What a person decides: a learning to keep and one to drop, and the run whose request for help is answered.
KEPT = "rig-a/climb-1/l1"
DROPPED = "rig-a/climb-2/l1"
ANSWERED = (RIG_A, "climb-2")
REPLY = "The other job has ended, and the card is yours until Sunday. Go on with the factored last layer (e2)."


@dataclass(frozen=True)
class Report:
    """A payload on its way: whose it is, the name of its file, and its bytes."""

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
    """A ledger while its reports are made, its events as many days later as was asked for."""

    rig: str
    ledger: str
    days: int
    seq: int = 0
    n: int = 0
    prev: str | None = None
    made: list[Report] = field(default_factory=list)

    def report(self, told: list[Told]) -> None:
        """Make the next report of events."""
        events, moved = [], [one.later(self.days * _DAY) for one in told]
        for one in moved:
            self.n += 1
            named = {"run": one.run, "campaign": one.campaign}
            events.append(make_event(self.n, f"{self.ledger}.{self.n}", one.at, one.type, one.by, one.data, **named))
        self.seq += 1
        payload = build_report(self.rig, self.ledger, self.seq, self.prev, moved[-1].at + 30 * _SECOND, events)
        self.prev = payload_hash(payload)
        self.made.append(Report(self.rig, report_name(self.ledger, self.seq), payload))


def days_later(last_day: date) -> int:
    """By how many days the stories have to be moved for their newest event to be of that day."""
    return (last_day - _WRITTEN).days


def finished_runs(days: int) -> list[Report]:
    """All reports of runs that ended, of both rigs, that many days later than they are written."""
    return [*_first_part(RIG_A, days).made, *_first_part(RIG_B, days).made, *_nights(days).made]


def running_run(briefing: list[dict[str, Any]], days: int) -> list[Report]:
    """The reports of the run that goes on, which begins with the briefing of its signed command."""
    chain = _first_part(RIG_A, days)
    before = len(chain.made)
    for part in _parts(training.third_climb(briefing, COPIED)):
        chain.report(part)
    return chain.made[before:]


def rival(days: int) -> Report:
    """A second payload for a place of rig-b's chain, as a rig sends whose disk was put back: a fork."""
    chain = _Chain(RIG_B, _ledger(RIG_B), days)
    parts = list(_parts(_told(RIG_B)))
    chain.report(parts[0])
    chain.report(parts[1][:-1])
    last = chain.made[-1]
    return Report(RIG_B, last.name.replace(".dsse.json", "-again.dsse.json"), last.payload)


def _first_part(rig: str, days: int) -> _Chain:
    chain = _Chain(rig, _ledger(rig), days)
    for part in _parts(_told(rig)):
        chain.report(part)
    return chain


def _nights(days: int) -> _Chain:
    """A ledger of its own: the checks go on beside rig-b's other runs."""
    chain = _Chain(RIG_B, f"{RIG_B}-nightly", days)
    for part in _parts(nightly.checks(RIG_B)):
        chain.report(part)
    return chain


def _ledger(rig: str) -> str:
    return f"{rig}-main"


def _told(rig: str) -> list[Told]:
    if rig == RIG_A:
        return [*training.first_climb(), *training.second_climb(), *training.quick_look()]
    return [*reading.survey(), *training.memory_goal(), *reading.follow_up()]


def _parts(told: list[Told]) -> Iterator[list[Told]]:
    for start in range(0, len(told), EVENTS_A_REPORT):
        yield told[start : start + EVENTS_A_REPORT]
