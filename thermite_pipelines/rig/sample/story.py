"""Telling a run's events: a clock that moves on by itself, and short names for the common events."""

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

from thermite_pipelines.times import format_rfc3339, parse_rfc3339

_MINUTE = 60_000_000


# Where `data` of the sample's events holds times of its own.
_TIMES = ("fetched_at", "started_at")


@dataclass(frozen=True)
class Told:
    """One event before it has its number in a ledger; `at` in microseconds."""

    run: str
    campaign: str
    type: str
    by: str
    at: int
    data: dict[str, Any]

    def later(self, by: int) -> "Told":
        """The same event that many microseconds later."""
        times = {name: format_rfc3339(parse_rfc3339(self.data[name]) + by) for name in _TIMES if name in self.data}
        return replace(self, at=self.at + by, data=self.data | times)


@dataclass
class Story:
    """The events of one run. Each event is `pace` minutes after the one before."""

    run: str
    campaign: str
    begins: str
    pace: int = 4
    told: list[Told] = field(default_factory=list)

    def tell(self, event_type: str, by: str, **data: Any) -> None:
        """Any event; values that are None are left out."""
        at = parse_rfc3339(self.begins) + len(self.told) * self.pace * _MINUTE
        present = {name: value for name, value in data.items() if value is not None}
        self.told.append(Told(self.run, self.campaign, event_type, by, at, present))

    def now(self) -> str:
        """The time of the next event."""
        return format_rfc3339(parse_rfc3339(self.begins) + len(self.told) * self.pace * _MINUTE)

    def create(
        self, mode: str, title: str, *, agents: bool = True, briefing: list[Any] | None = None, **more: Any
    ) -> None:
        """The run is created and starts."""
        self.tell("run_created", "harness", mode=mode, title=title, agents=agents, briefing=briefing or [], **more)
        self.tell("run_started", "harness")

    def finish(self, outcome: str, summary: str) -> None:
        """The run ends."""
        self.tell("run_finished", "harness", outcome=outcome, summary=summary)

    def trial(self, trial: str, lane: int, runtime: str, *, kind: str = "code", experiment: str | None = None) -> None:
        """A trial starts in a lane."""
        data = {"trial": trial, "lane": f"lane-{lane}", "kind": kind, "runtime": runtime, "experiment": experiment}
        self.tell("trial_started", "harness", **data)

    def end_trial(self, trial: str, outcome: str, reason: str | None = None) -> None:
        """A trial ends."""
        self.tell("trial_ended", "harness", trial=trial, outcome=outcome, reason=reason)

    def queue(self, experiment: str, title: str, description: str, *, by: str = "planner", **more: Any) -> None:
        """An experiment is put in the queue."""
        self.tell("experiment_queued", by, experiment=experiment, title=title, description=description, **more)

    def note(self, note: str, kind: str, by: str, text: str, about: tuple[str, str] | None = None) -> None:
        """A field note, perhaps about a record of the run."""
        named = {"kind": about[0], "id": about[1]} if about else None
        self.tell("journal_note", by, note=note, kind=kind, text=text, about=named)

    def round(self, name: str, kind: str, outcome: str, advisor: str | None = None) -> None:
        """A round of the planner or an advisor, from its start to its end."""
        self.tell("round_started", "planner", round=name, kind=kind, advisor=advisor)
        self.tell("round_ended", "planner", round=name, outcome=outcome)

    def source(self, source: str, url: str, title: str, text: str, *, by: str) -> None:
        """A page that was fetched."""
        data = {"source": source, "url": url, "title": title, "media_type": "text/html", "text": text}
        self.tell("source_archived", by, **data, text_sha256=sha256(text), fetched_at=self.now())

    def claim(self, claim: str, by: str, text: str, *quotes: tuple[str, str]) -> None:
        """A claim with (source, quote) pairs."""
        self.tell(
            "claim_recorded",
            by,
            claim=claim,
            text=text,
            quotes=[{"source": name, "quote": quote} for name, quote in quotes],
        )

    def ask(self, request: str, by: str, blocker: str, summary: str, detail: str, *, agent: str, fatal: bool) -> None:
        """An agent asks for help."""
        data = {"agent": agent, "blocker": blocker, "summary": summary, "detail": detail, "fatal": fatal}
        self.tell("help_requested", by, request=request, **data)

    def learn(self, learning: str, by: str, text: str, impact: str, *, agent: str = "worker") -> None:
        """An agent proposes a learning."""
        self.tell("learning_proposed", by, learning=learning, agent=agent, text=text, impact=impact)

    def brief(self, agent: str, learnings: list[str], items: list[str] | None = None, trial: str | None = None) -> None:
        """An agent is given its brief, which shows these learnings and items."""
        self.tell("brief_given", "harness", agent=agent, learnings=learnings, items=items or [], trial=trial)

    def document(self, path: str, lane: int, text: str) -> None:
        """A version of a document."""
        self.tell(
            "document_written", f"lane-{lane}", document=path, lane=f"lane-{lane}", text=text, text_sha256=sha256(text)
        )


@dataclass(frozen=True)
class Result:
    """How an experiment ended, with what its judge said."""

    value: float | None
    baseline: float
    status: str
    summary: str
    verdict: str = "rejected"
    reason: str | None = None
    metric: str = "val_bpb"
    unit: str = "bits per byte"


def try_out(story: Story, number: int, lane: int, runtime: str, result: Result, commit: str | None = None) -> None:
    """One experiment from its trial to the verdict: experiment `e<n>`, trial `t<n>`, attempt `a<n>`."""
    experiment, trial, attempt = f"e{number}", f"t{number}", f"a{number}"
    worker = f"lane-{lane}"
    story.trial(trial, lane, runtime, experiment=experiment)
    story.tell("experiment_started", worker, experiment=experiment, trial=trial)
    story.tell(
        "attempt_submitted",
        worker,
        attempt=attempt,
        trial=trial,
        experiment=experiment,
        summary=result.summary,
        commit=commit,
    )
    measured = {"metric": result.metric, "value": result.value}
    story.tell(
        "attempt_judged",
        "harness",
        attempt=attempt,
        verdict=result.verdict,
        champion_value=result.baseline,
        reason=result.reason,
        **measured,
    )
    story.tell(
        "experiment_finished",
        worker,
        experiment=experiment,
        trial=trial,
        status=result.status,
        unit=result.unit,
        baseline=result.baseline,
        summary=result.summary,
        **measured,
    )
    story.end_trial(trial, "submitted")


def sha256(text: str) -> str:
    """Hex SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()
