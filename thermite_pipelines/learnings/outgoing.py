"""What an agent says over the service: refused with the reason at once, or kept as an event for its rig to report.

Judged as intake judges the same event, so that nothing is taken here that is refused there; nothing of it is knowledge
before it comes back in a signed report.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from thermite_pipelines.control import outgoing
from thermite_pipelines.control.models import Assignment, Run
from thermite_pipelines.control.outgoing import Said
from thermite_pipelines.control.tokens import Principal
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.brief_notes import agent_of_lane, starting_agent
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.state import running_runs
from thermite_pipelines.learnings.requests import DETAIL_CHARACTERS, SUMMARY_CHARACTERS, capped, request_key
from thermite_pipelines.names import LANE

PLANNER = "planner"
"""Who speaks with a token that does not say which agent of the run it is for."""
_AGENTS = {"planner": "planner", "teachers": "teachers", "combiner": "teachers", "auditor": "auditor", "panel": "panel"}


@dataclass(frozen=True)
class Outgoing:
    """An event that waits for its run's next report; `is_new`: the same did not wait already."""

    id: str
    type: str
    is_new: bool
    data: dict[str, Any]

    def document(self) -> dict[str, Any]:
        """As tools answer: what was taken, as it will go out."""
        sent = {name: value for name, value in self.data.items() if value is not None}
        return {"changed": self.is_new, "id": self.id, "event": self.type, "goes_out": "with the run's next report"} | {
            "said": sent
        }


def ask_for_help(
    home: Home, principal: Principal, summary: str, *, blocker: str | None, detail: str | None, fatal: bool
) -> Outgoing:
    """Keep a help request for the run's next report: without credentials, and cut where it is long.

    Raises `UsageError` for a summary without a word, and `ThermiteError` where the run has ended or too much waits.
    """
    from thermite_pipelines.safety.redaction import redact_text

    line = redact_text(" ".join(summary.split()))
    if not any(map(str.isalnum, line)):
        raise UsageError("the summary says nothing", do="say in one line what is in your way")
    category = blocker or "other"
    data = {
        "summary": capped(line, SUMMARY_CHARACTERS),
        "detail": None if detail is None else capped(redact_text(detail), DETAIL_CHARACTERS),
        "blocker": category,
        "fatal": fatal,
    }
    return _put(home, principal, "help_requested", data, f"{request_key('', category, line)} {fatal}")


def propose_learning(home: Home, principal: Principal, text: str, *, impact: str) -> Outgoing:
    """Keep a proposed learning for the run's next report.

    Raises `ThermiteError` where screening refuses it (with the reason and what would be accepted), where the run has
    ended, and where too much waits.
    """
    from thermite_pipelines.safety.product_names import product_names
    from thermite_pipelines.safety.screening import screen

    refusal = screen(text, product_names())
    if refusal is not None:
        raise ThermiteError(f"refused ({refusal.reason})", do=refusal.message)
    return _put(home, principal, "learning_proposed", {"text": text, "impact": impact}, text)


def _put(home: Home, principal: Principal, type: outgoing.EventType, data: dict[str, Any], key: str) -> Outgoing:
    assert principal.rig is not None and principal.run is not None
    writer = principal.writer or PLANNER
    with home.control.read() as connection:
        if not running_runs(connection, (principal.rig, principal.run)):
            raise ThermiteError("the run has ended, so no report of it will follow")
        at_work = _at_work(connection, principal.rig, principal.run)
    data = {"agent": _agent_of(home, principal, writer, *at_work)} | data
    digest = hashlib.sha256(f"{writer}\n{key}".encode()).hexdigest()
    said = Said(principal.rig, principal.run, type, writer, data, digest)
    with home.control.write() as connection:
        id, is_new = outgoing.put(connection, said)
    return Outgoing(id, type, is_new, data)


def _at_work(connection: Connection, rig: str, run: str) -> tuple[int | None, str]:
    """The run as its newest ledger has it, if any, and whose its lanes are until its trials say otherwise."""
    newest = select(Run.run_key).where(Run.rig == rig, Run.run == run).order_by(Run.accepted_number.desc()).limit(1)
    command = select(Assignment.command).where(Assignment.rig == rig, Assignment.run == run)
    return connection.execute(newest).scalar(), starting_agent(connection.execute(command).scalar())


def _agent_of(home: Home, principal: Principal, writer: str, run_key: int | None, starting: str) -> str:
    """The agent that speaks as a writer: of a lane that of its newest trial, as far as control knows."""
    if not LANE.fullmatch(writer):
        return _AGENTS[writer.partition(":")[0]]
    if run_key is None:
        return starting
    assert principal.campaign is not None
    return agent_of_lane(FolderReader(home.control, home.lake), principal.campaign, run_key, writer, starting)
