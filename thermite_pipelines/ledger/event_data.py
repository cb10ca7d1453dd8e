"""The shape of `data` of each event type of the report format.

The structs follow the table of docs/report-format.md field by field. A `?` there is `| None = None` here: absent and
null are the same. Unknown fields are ignored. Record ids are never empty, by their pattern. Titles and texts may be any
string, also the empty one, unless the table gives a length: a later step can show an odd text but not a lost record.
Times within `data` follow the rule of `at` (checked in `event_types`); numbers of results may be written as integers.
"""

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from thermite_pipelines import names


def _form(pattern: re.Pattern[str]) -> Meta:
    # msgspec searches; the anchors make it a full match (`$` would let a line end through).
    return Meta(pattern=rf"\A(?:{pattern.pattern})\Z")


Id = Annotated[str, _form(names.RUN)]
AgentName = Annotated[str, _form(names.AGENT)]
Lane = Annotated[str, _form(names.LANE)]
NoteText = Annotated[str, Meta(min_length=1, max_length=2000)]  # Unicode code points, as received
Confidence = Annotated[float, Meta(ge=0, le=1)]
SessionId = Annotated[str, _form(re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"))]

Mode = Literal["research", "hill_climb", "goal", "smoke"]
NoteKind = Literal["observation", "decision", "surprise", "question", "lesson", "note"]
AboutKind = Literal["experiment", "attempt", "source", "claim", "finding", "round", "trial", "owner_message"]
Blocker = Literal["access", "tooling", "ambiguity", "environment", "decision", "other"]
Impact = Literal["low", "medium", "high"]


class _Data(msgspec.Struct, frozen=True):
    """Base of all `data` shapes."""


class BriefingItem(_Data, frozen=True):
    """One item of past research that a run was given at its start."""

    item: str
    kind: str
    campaign: str
    rig: str
    run: str
    by: str
    at: str
    text: str


class RunCreated(_Data, frozen=True):
    """`run_created`; `teachers_open_fetch` absent counts as true."""

    mode: Mode
    agents: bool
    briefing: list[BriefingItem]
    title: str | None = None
    kit: str | None = None
    contract: str | None = None
    flags: list[str] | None = None
    routes: list[str] | None = None
    planner_runtime: str | None = None
    teachers_open_fetch: bool | None = None


class RunStarted(_Data, frozen=True):
    """`run_started`: nothing."""


class RunFinished(_Data, frozen=True):
    """`run_finished`."""

    outcome: Literal["completed", "failed", "stopped"]
    summary: str | None = None


class TrialStarted(_Data, frozen=True):
    """`trial_started`; `agent` absent counts as `worker`."""

    trial: Id
    lane: Lane
    kind: Literal["code", "research"]
    runtime: Literal["opencode", "claude_code", "codex", "pi"]
    experiment: Id | None = None
    agent: AgentName | None = None


class TrialEnded(_Data, frozen=True):
    """`trial_ended`."""

    trial: Id
    outcome: Literal["submitted", "gave_up", "failed", "timed_out"]
    reason: str | None = None


class ExperimentQueued(_Data, frozen=True):
    """`experiment_queued`; `from_item` names an item of past research, which is no record of this run."""

    experiment: Id
    title: str
    description: str | None = None
    from_item: str | None = None


class ExperimentStarted(_Data, frozen=True):
    """`experiment_started`."""

    experiment: Id
    trial: Id


class ExperimentFinished(_Data, frozen=True):
    """`experiment_finished`; `value` and `baseline` are in `unit`."""

    experiment: Id
    status: Literal["improved", "no_change", "worse", "failed", "skipped"]
    trial: Id | None = None
    metric: str | None = None
    value: float | None = None
    unit: str | None = None
    baseline: float | None = None
    summary: str | None = None


class AttemptSubmitted(_Data, frozen=True):
    """`attempt_submitted`."""

    attempt: Id
    trial: Id
    experiment: Id | None = None
    title: str | None = None
    summary: str | None = None
    commit: str | None = None


class AttemptJudged(_Data, frozen=True):
    """`attempt_judged`."""

    attempt: Id
    verdict: Literal["accepted", "rejected", "invalid"]
    metric: str | None = None
    value: float | None = None
    champion_value: float | None = None
    reason: str | None = None


class About(_Data, frozen=True):
    """What a note is about: a record of the note's own run."""

    kind: AboutKind
    id: Id


class JournalNote(_Data, frozen=True):
    """`journal_note`; without `about` it is about its run."""

    note: Id
    kind: NoteKind
    text: NoteText
    about: About | None = None


class ResearchNote(_Data, frozen=True):
    """`research_note`."""

    note: Id
    text: str
    sources: Annotated[list[Id], Meta(min_length=1)]


class SourceArchived(_Data, frozen=True):
    """`source_archived`: `text` as the archiving fetcher stored it."""

    source: Id
    url: str
    text: str
    text_sha256: str
    fetched_at: str
    title: str | None = None
    media_type: str | None = None


class Quote(_Data, frozen=True):
    """Words of a source; an empty quote is of the right shape (it is never *verified*)."""

    source: Id
    quote: str


class ClaimRecorded(_Data, frozen=True):
    """`claim_recorded`."""

    claim: Id
    text: str
    quotes: Annotated[list[Quote], Meta(min_length=1)]


class HypothesisRecorded(_Data, frozen=True):
    """`hypothesis_recorded`."""

    hypothesis: Id
    text: str
    prediction: str | None = None
    falsifier: str | None = None


class HypothesisResolved(_Data, frozen=True):
    """`hypothesis_resolved`."""

    hypothesis: Id
    outcome: Literal["confirmed", "refuted", "inconclusive"]
    evidence: str | None = None


class FindingRecorded(_Data, frozen=True):
    """`finding_recorded`; `claims` may be empty."""

    finding: Id
    text: str
    claims: list[Id]
    confidence: Confidence | None = None


class ReportWritten(_Data, frozen=True):
    """`report_written`; `text` is Markdown."""

    report: Id
    title: str
    text: str


class DocumentWritten(_Data, frozen=True):
    """`document_written`; `document` is a path within the run's research folder, written again it is a new version."""

    document: str
    lane: Lane
    text: str
    text_sha256: str


class RoundStarted(_Data, frozen=True):
    """`round_started`."""

    round: Id
    kind: Literal["plan", "review", "audit", "verdict"]
    advisor: str | None = None


class RoundEnded(_Data, frozen=True):
    """`round_ended`."""

    round: Id
    outcome: str | None = None


class OwnerMessage(_Data, frozen=True):
    """`owner_message`."""

    message: Id
    text: str


class HelpRequested(_Data, frozen=True):
    """`help_requested`; `blocker` absent counts as `other`."""

    request: Id
    agent: AgentName
    summary: str
    fatal: bool
    blocker: Blocker | None = None
    detail: str | None = None


class LearningProposed(_Data, frozen=True):
    """`learning_proposed`; `text` may be any string, screening judges it."""

    learning: Id
    agent: AgentName
    text: str
    impact: Impact


class BriefGiven(_Data, frozen=True):
    """`brief_given`: the ids that a reader was shown; none of them is a record of this run."""

    agent: AgentName
    learnings: list[str]
    items: list[str]
    trial: Id | None = None


class Message(_Data, frozen=True):
    """One message of a session's transcript."""

    role: Literal["human", "assistant", "tool"]
    text: str
    at: str | None = None


class SessionRecorded(_Data, frozen=True):
    """`session_recorded`: a transcript, recorded again with the same id it is a newer version."""

    session: SessionId
    started_at: str
    messages: list[Message]
    trial: Id | None = None
    agent: AgentName | None = None
