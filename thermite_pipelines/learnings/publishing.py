"""The files of the home's `help` folder, written from what is folded and what people decided.

Each is put in place whole, and only where it differs. Requests of more than 90 days ago are in none of them; learnings
and refusals stay for good.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, select

from thermite_pipelines.control.channel_models import AgentFold, HelpAction, HelpFiles, LearningAction
from thermite_pipelines.control.db import upsert
from thermite_pipelines.control.models import Assignment, Campaign, RigState
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.channel_rows import judged_since
from thermite_pipelines.knowledge.help_reading import (
    LEARNINGS_FILE,
    REFUSED_FILE,
    Row,
    day_of,
    day_of_file,
    oldest_day,
    requests_file,
)
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.sync_files import file_version
from thermite_pipelines.learnings.agent import RULES, Agent
from thermite_pipelines.learnings.requests import Request
from thermite_pipelines.tables.json_lines import to_lines
from thermite_pipelines.tables.lake import TEMPORARY_PREFIX, disk_error, write_atomic
from thermite_pipelines.times import format_rfc3339, now_micros

# Part of what the files are made from: raise it when they change for the same events.
_FORMAT = "1"


def inputs_of(connection: Connection, now: int | None = None) -> str:
    """A hash of all that the files are made from: events, placement, people's decisions, and the day."""
    oldest = oldest_day(now_micros() if now is None else now)
    digest = hashlib.sha256(f"{_FORMAT} {RULES} {oldest} {judged_since(connection)}".encode())
    for query in (
        select(RigState.rig, RigState.events_through, RigState.rebuilding, RigState.rules).order_by(RigState.rig),
        select(Assignment.rig, Assignment.run, Assignment.campaign).order_by(Assignment.rig, Assignment.run),
        select(Campaign.campaign).order_by(Campaign.campaign),
        select(func.max(HelpAction.action)),
        select(func.max(LearningAction.action)),
    ):
        for row in connection.execute(query):
            digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()[:16]


def is_published(home: Home) -> bool:
    """Whether the files are what they would be if all were folded and written now, by control's record."""
    with home.control.read() as connection:
        inputs = inputs_of(connection)
        rows = list(connection.execute(select(HelpFiles)))
    return bool(rows) and all(
        row.inputs == inputs and row.version == _version(home.settings.help / row.name) for row in rows
    )


class _Asked(msgspec.Struct, array_like=True):
    """A request as a line of its file, as far as its agent's events tell it."""

    file: str
    kept_from: str  # the day that decides how long it is kept
    at: int
    rig: str
    ledger: str
    run: str
    key: str
    asked_number: int
    line: str  # up to what people decide


class _Rendered(msgspec.Struct):
    """What an agent adds to the files."""

    learnings: str
    refused: str
    requests: list[_Asked]


def rendered(campaign: str, name: str, agent: Agent) -> str:
    """What an agent adds to the files, as text to be kept beside its folded state: it changes only with that."""
    requests = [_asked(campaign, name, request) for request in agent.requests.rows]
    learnings, refused = (to_lines(rows(campaign, name, agent)).decode() for rows in (_learnings, _refusals))
    return msgspec.json.encode(_Rendered(learnings, refused, requests)).decode()


def publish(home: Home, inputs: str) -> None:
    """Write the files that differ from what is folded. Raises `ThermiteError` where the disk is full."""
    with home.control.read() as connection:
        query = select(AgentFold.campaign, AgentFold.agent, AgentFold.rendered)
        # Sorted here: databases differ in where they put hyphens and capitals.
        rows = sorted(tuple(row) for row in connection.execute(query))
        actions = _actions(connection)
    agents = [msgspec.json.decode(text, type=_Rendered) for _, _, text in rows]
    files = {
        LEARNINGS_FILE: "".join(agent.learnings for agent in agents),
        REFUSED_FILE: "".join(agent.refused for agent in agents),
    }
    by_day: dict[str, list[_Asked]] = defaultdict(list)
    oldest = oldest_day(now_micros()).isoformat()
    for agent in agents:
        for request in agent.requests:
            if request.kept_from >= oldest:
                by_day[request.file].append(request)
    for name, asked in by_day.items():
        asked.sort(key=lambda one: (one.at, one.rig, one.ledger, one.run))
        files[name] = "".join(one.line + _decided(one, actions) for one in asked)
    _write(home, {name: text.encode() for name, text in files.items()}, inputs)


def _write(home: Home, files: dict[str, bytes], inputs: str) -> None:
    folder = home.settings.help
    for name, data in files.items():
        if (folder / name).is_dir():
            raise ThermiteError("a folder stands where a file belongs", where=str(folder / name), do="move it away")
        if _bytes(folder / name) != data:
            write_atomic(folder / name, data)
    for path in folder.iterdir():
        is_old_day = path.name not in files and day_of_file(path.name) is not None
        # What a killed process was writing: the lease is held, so nobody else writes here.
        if is_old_day or path.name.startswith(TEMPORARY_PREFIX):
            path.unlink(missing_ok=True)
    written = [{"name": name, "inputs": inputs, "version": _version(folder / name)} for name in files]
    with home.control.write() as connection:
        connection.execute(delete(HelpFiles).where(HelpFiles.name.not_in(list(files))))
        upsert(connection, HelpFiles, written)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise disk_error(path, error) from error


def _version(path: Path) -> str:
    try:
        return file_version(path.stat())
    except OSError:
        return ""


def _actions(connection: Connection) -> dict[tuple[str, ...], list[Any]]:
    found: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    for row in connection.execute(select(HelpAction).order_by(HelpAction.action)):
        found[row.rig, row.ledger, row.run, row.request].append(row)
    return found


def _asked(campaign: str, agent: str, request: Request) -> _Asked:
    row = {
        "rig": request.rig,
        "ledger": request.ledger,
        "run": request.run,
        "campaign": campaign,
        "agent": agent,
        "blocker": request.blocker,
        "summary": request.summary,
        "detail": request.detail,
        "fatal": request.fatal,
        "count": request.count,
        "at": format_rfc3339(request.at),
    }
    return _Asked(
        requests_file(day_of(request.at)),
        # Never a day to come: a rig's clock that runs ahead must not keep its request for ever.
        day_of(min(request.at, request.accepted_at)).isoformat(),
        request.at,
        request.rig,
        request.ledger,
        request.run,
        request.key,
        request.asked_number,
        to_lines([row]).decode().removesuffix("}\n"),
    )


def _decided(request: _Asked, actions: dict[tuple[str, ...], list[Any]]) -> str:
    """The rest of a request's line: what people decided."""
    taken = actions.get((request.rig, request.ledger, request.run, request.key), [])
    replies = [action.reply for action in taken if action.reply is not None]
    row = {
        "resolved_at": format_rfc3339(taken[-1].at) if taken else None,
        "reply": replies[-1] if replies else None,
        "asked_again": bool(taken) and request.asked_number > taken[-1].receipt_number,
        "request": request.key,
    }
    return to_lines([row]).decode().replace("{", ",", 1)


def _learnings(campaign: str, name: str, agent: Agent) -> Iterator[Row]:
    for insight in filter(lambda insight: insight.is_listed, agent.learnings.insights):
        yield {
            "id": insight.id,
            "campaign": campaign,
            "agent": name,
            "text": insight.text,
            "state": insight.state,
            "impact": insight.impact,
            "proposals": insight.proposals,
            "runs_left": agent.learnings.runs_left(insight),
            "first_at": format_rfc3339(insight.first_at),
            "last_at": format_rfc3339(insight.last_at),
            "since_run": insight.since_run,
        }


def _refusals(campaign: str, name: str, agent: Agent) -> Iterator[Row]:
    for refusal in agent.refusals:
        yield {
            "campaign": campaign,
            "agent": name,
            "rig": refusal.rig,
            "ledger": refusal.ledger,
            "run": refusal.run,
            "learning": refusal.learning,
            "reason": refusal.reason,
            "original_sha256": refusal.original_sha256,
            "at": format_rfc3339(refusal.at),
            "told": refusal.told,
        }
