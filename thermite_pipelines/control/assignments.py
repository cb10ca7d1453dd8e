"""Assignments: which campaign a run on a rig belongs to, and the briefing it starts with.

Made once for a (rig, run), before the run is seen or after. The first one fixes the briefing and how the run is
started; only the campaign can change later, by an audited move.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, update

from thermite_pipelines.control import audit
from thermite_pipelines.control.campaigns import require_campaign
from thermite_pipelines.control.commands import command_payload, new_command_id
from thermite_pipelines.control.db import insert_ignoring
from thermite_pipelines.control.mcp_handing import FIELD, HandOut, nothing
from thermite_pipelines.control.models import Assignment
from thermite_pipelines.control.rigs import require_rig
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.names import check_run
from thermite_pipelines.times import format_rfc3339, now_micros

logger = logging.getLogger(__name__)


class Words(NamedTuple):
    """What a run is given of past research, in control's own words: the briefing, and experiments to try again."""

    briefing: list[dict[str, Any]]
    queue: list[dict[str, Any]]


Compose = Callable[[Sequence[str]], Words]
"""Gives the words of picked items; raises `ThermiteError` for one that the campaign may not read."""


@dataclass(frozen=True)
class Request:
    """What a person asks for. Defaults say nothing: the first assignment takes them, a later one keeps what is."""

    rig: str
    run: str
    campaign: str
    picks: tuple[str, ...] = ()
    agents: bool = True
    kit: str | None = None
    flags: tuple[str, ...] = ()
    routes: tuple[str, ...] = ()
    move: bool = False

    @property
    def subject(self) -> str:
        """How the audit log and errors name the run."""
        return f"{self.rig}/{self.run}"


@dataclass(frozen=True)
class Assigned:
    """An assignment as it stands now: its command's payload, whether it changed, and what a person should know."""

    campaign: str
    command: dict[str, Any]
    changed: bool
    notices: tuple[str, ...] = ()


def assign(
    connection: Connection, request: Request, compose: Compose, by: str, hand_out: HandOut = nothing
) -> Assigned:
    """Assign a run to a campaign inside the caller's transaction; `compose` is asked once, for a first assignment.

    `hand_out` is asked with the kit for each command that is made, unless the run has no agents.

    Raises `UsageError` for names that break their pattern, `ThermiteError` for an unknown rig or campaign, another
    campaign without `move`, and picks or settings other than those the run was assigned with.
    """
    check_run(request.run)
    require_rig(connection, request.rig)
    require_campaign(connection, request.campaign)
    found = _find(connection, request.rig, request.run)
    if found is None:
        first = _first(connection, request, compose, by, hand_out)
        if first is not None:
            return first
        found = _find(connection, request.rig, request.run)  # another process was faster
    return _again(connection, request, found, by, hand_out)


def assigned_campaign(connection: Connection, rig: str, run: str, claimed: str | None = None) -> str:
    """The campaign that control assigned the run to on this rig: what decides what the rig is sent.

    Raises `ThermiteError`, and logs, where there is no such assignment or the asker claims another campaign.
    """
    check_run(run)
    require_rig(connection, rig)
    query = select(Assignment.campaign).where(Assignment.rig == rig, Assignment.run == run)
    campaign = connection.execute(query).scalar()
    if campaign is None:
        logger.warning("refused: rig %s asked for run %s, which control did not assign to it", rig, run)
        raise ThermiteError(
            f"refused: control assigned no run {run} on rig {rig}", do="assign it with `thermite assign`"
        )
    if claimed is not None and claimed != campaign:
        logger.warning("refused: rig %s asked for run %s under another campaign than control assigned", rig, run)
        raise ThermiteError(
            f"refused: run {run} on rig {rig} is not assigned to that campaign", do="leave the campaign out"
        )
    return campaign


def assignments(connection: Connection) -> list[dict[str, Any]]:
    """All assignments by rig and run: rig, run, campaign, agents, picks, assigned_at, assigned_by."""
    rows = connection.execute(select(Assignment).order_by(Assignment.rig, Assignment.run))
    return [
        {
            "rig": row.rig,
            "run": row.run,
            "campaign": row.campaign,
            "agents": row.agents,
            "picks": row.picks,
            "assigned_at": format_rfc3339(row.assigned_at),
            "assigned_by": row.assigned_by,
        }
        for row in rows
    ]


def _find(connection: Connection, rig: str, run: str) -> Any:
    return connection.execute(select(Assignment).where(Assignment.rig == rig, Assignment.run == run)).first()


def _first(connection: Connection, request: Request, compose: Compose, by: str, hand_out: HandOut) -> Assigned | None:
    agents = request.agents
    picks = tuple(dict.fromkeys(request.picks)) if agents else ()
    words = compose(picks) if picks else Words([], [])
    handed = hand_out(request.kit if agents else None)
    command = command_payload(
        "assign_campaign",
        request.rig,
        request.run,
        request.campaign,
        agents=agents,
        kit=request.kit,
        flags=request.flags,
        routes=request.routes,
        briefing=words.briefing,
        queue=words.queue,
    )
    command |= handed.fields
    row = {
        "rig": request.rig,
        "run": request.run,
        "campaign": request.campaign,
        "agents": agents,
        "picks": list(picks),
        "command": command,
        "assigned_at": now_micros(),
        "assigned_by": by,
    }
    if not insert_ignoring(connection, Assignment, [row]):
        return None
    details = {"campaign": request.campaign, "agents": agents, "picks": list(picks), "command": command["id"]}
    audit.record(connection, by, "assign", request.subject, **details, **handed.details)
    return Assigned(request.campaign, command, True, _notices(agents, request) + handed.notices)


def _again(connection: Connection, request: Request, found: Any, by: str, hand_out: HandOut) -> Assigned:
    _check_same(request, found)
    notices = _notices(found.agents, request)
    if request.campaign == found.campaign:
        return Assigned(found.campaign, found.command, False, notices)
    if not request.move:
        raise ThermiteError(
            f"the run is assigned to campaign {found.campaign}", where=request.subject, do="give --move to move it"
        )
    # The same words under a new id: a rig can tell that this command came later. Servers are those of now.
    fresh = {"id": new_command_id(), "at": format_rfc3339(now_micros()), "campaign": request.campaign}
    handed = hand_out(found.command["kit"] if found.agents and _is_given(found.command) else None)
    kept = {name: value for name, value in found.command.items() if name != FIELD}
    command = kept | fresh | handed.fields
    place = (Assignment.rig == request.rig, Assignment.run == request.run)
    connection.execute(update(Assignment).where(*place).values(campaign=request.campaign, command=command))
    details = {"from_campaign": found.campaign, "campaign": request.campaign, "command": command["id"]}
    audit.record(connection, by, "move", request.subject, **details, **handed.details)
    return Assigned(request.campaign, command, True, notices + handed.notices)


def _is_given(command: dict[str, Any]) -> bool:
    """Whether a person gave the run its kit: that of a reply may be what the rig's own record says."""
    return command["command"] == "assign_campaign" or FIELD in command


def _check_same(request: Request, found: Any) -> None:
    """Raise `ThermiteError` where the request names something else than the run was assigned with."""
    if found.agents and not request.agents:
        raise _fixed(request, "was assigned with agents")
    if request.kit is not None and request.kit != found.command["kit"]:
        raise _fixed(request, "was assigned with another kit" if found.command["kit"] else "was assigned without a kit")
    for name in ("flags", "routes"):
        given = list(getattr(request, name))
        if given and given != found.command[name]:
            raise _fixed(request, f"was assigned with other {name}" if found.command[name] else f"has no {name}")
    if found.agents and request.picks and set(request.picks) != set(found.picks):
        raise _fixed(request, "has another briefing" if found.picks else "was assigned without a briefing")


def _fixed(request: Request, what: str) -> ThermiteError:
    return ThermiteError(
        f"the run {what}, and the first assignment fixes that",
        where=request.subject,
        do="leave it out, or start a new run",
    )


def _notices(agents: bool, request: Request) -> tuple[str, ...]:
    if agents or not request.picks:
        return ()
    return (f"{request.subject} runs without agents: it takes neither a briefing nor a queue",)
