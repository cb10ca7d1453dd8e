"""Briefings: what a run is given of past research when it is assigned, in control's own words.

People pick items by id. Findings, claims, notes, research notes and reports become the briefing, experiments the queue;
the words come from control's record of each item, whoever asks and whatever they say the item holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from thermite_pipelines.control.assignments import Request, Words, assign
from thermite_pipelines.control.commands import command_path, publish_command, read_control_key
from thermite_pipelines.control.mcp_handing import hand_out
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.items import Row
from thermite_pipelines.knowledge.readable import Readable, Reader
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.times import format_rfc3339

BRIEFED_KINDS = ("finding", "claim", "note", "research_note", "report")
QUEUED_KIND = "experiment"

_QUEUED = ("item", "title", "description", "status", "metric", "value", "unit", "campaign", "rig", "run")


@dataclass(frozen=True)
class AssignResult:
    """What came of an assignment; `command` is where the signed command lies, relative to the home."""

    rig: str
    run: str
    campaign: str
    command: str
    changed: bool
    notices: tuple[str, ...]


def compose(reader: FolderReader, connection: Connection, campaign: str, items: Sequence[str]) -> Words:
    """The briefing and the queue that picked items make, in the order picked.

    Raises `UsageError` for what is no item id, `ThermiteError` for an item that is not in a folder the campaign may
    read, or of a kind that no run can be given.
    """
    readable = Readable.by(connection, Reader.of(campaign))
    words = Words([], [])
    for item in items:
        row = readable.find(reader, item)
        if row is None:
            raise ThermiteError(
                f"campaign {campaign} can read no item {item}", do="look at `thermite items`, and at `thermite grants`"
            )
        if row["kind"] in BRIEFED_KINDS:
            words.briefing.append(_briefed(row))
        elif row["kind"] == QUEUED_KIND:
            words.queue.append({name: row[name] for name in _QUEUED})
        else:
            kinds = ", ".join((*BRIEFED_KINDS, QUEUED_KIND))
            raise ThermiteError(f"a {row['kind']} can't be given to a run", where=item, do=f"pick one of: {kinds}")
    return words


def assign_run(
    home: Home,
    rig: str,
    run: str,
    campaign: str,
    *,
    by: str,
    picks: Sequence[str] = (),
    agents: bool = True,
    kit: str | None = None,
    flags: Sequence[str] = (),
    routes: Sequence[str] = (),
    move: bool = False,
) -> AssignResult:
    """Assign a run to a campaign with its briefing, and write the signed command.

    Doing it again changes nothing, but writes a command file that was lost. Raises `ThermiteError` as
    `control.assignments.assign`, `compose` and `hand_out` do, and where control has no signing key.
    """
    read_control_key(home.settings)  # without a key no command can be signed: nothing is to change then
    request = Request(rig, run, campaign, tuple(picks), agents, kit, tuple(flags), tuple(routes), move)
    reader = FolderReader(home.control, home.lake)
    with home.control.write() as connection:
        assigned = assign(
            connection,
            request,
            lambda items: compose(reader, connection, campaign, items),
            by,
            lambda kit: hand_out(connection, home.settings, rig, kit),
        )
    lost = not assigned.changed and not command_path(home.settings.home, rig, run).exists()
    path = publish_command(home.control, home.settings, rig, run)
    notices = assigned.notices
    if lost:
        notices += (f"the command of {request.subject} was gone and was written again",)
    return AssignResult(
        rig, run, assigned.campaign, path.relative_to(home.settings.home).as_posix(), assigned.changed, notices
    )


def _briefed(row: Row) -> dict[str, Any]:
    return {
        "item": row["item"],
        "kind": row["kind"],
        "campaign": row["campaign"],
        "rig": row["rig"],
        "run": row["run"],
        "by": row["written_by"],
        "at": format_rfc3339(row["created_at"]),
        "text": row["text"] or "",
    }
