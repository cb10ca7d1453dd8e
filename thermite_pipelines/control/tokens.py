"""Tokens of the service: made, listed and revoked here, and looked up by whoever shows one.

A token is 256 random bits. Control keeps its SHA-256 alone, so a copy of the record lets nobody in; a hash without salt
is enough for bits that nobody can guess. A token is shown once, when it is made.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from thermite_pipelines.control import audit
from thermite_pipelines.control.assignments import assigned_campaign
from thermite_pipelines.control.models import Assignment
from thermite_pipelines.control.rigs import require_rig
from thermite_pipelines.control.token_models import Token
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.names import WRITER
from thermite_pipelines.times import format_rfc3339, now_micros

PEOPLE = ("owner", "operator", "reader")
OF_RUNS = ("agent", "advisor")
ROLES = (*PEOPLE, *OF_RUNS, "rig")
"""Whom a token can be for: people, agents and advisors of one run, and a rig."""

MARK = "thermite_"
"""How every token begins, so that people and scanners know one; the 64 hex digits behind it are redacted by shape."""
_TOKEN = re.compile(rf"{MARK}[0-9a-f]{{64}}", re.ASCII)
_SHOWN = len(MARK) + 6
_LONGEST_NAME = 100
_NO_AGENTS = ("owner", "harness")


@dataclass(frozen=True)
class Made:
    """A token that was just made; `secret` is shown to whoever asked for it and kept nowhere."""

    id: str
    secret: str
    prefix: str
    role: str
    name: str
    rig: str | None
    run: str | None
    writer: str | None


@dataclass(frozen=True)
class Principal:
    """What a token stands for. `campaign`: of a token for a run, the one that control assigned the run to.

    `writer`: which agent of the run it is, as events name their writer; None where the token does not say.
    """

    id: str
    role: str
    name: str
    rig: str | None
    run: str | None
    campaign: str | None
    writer: str | None = None


def add_token(
    connection: Connection,
    role: str,
    by: str,
    *,
    name: str | None = None,
    rig: str | None = None,
    run: str | None = None,
    writer: str | None = None,
) -> Made:
    """Make a token. `name` says who holds it (default: role and id); it stands as `by` in the audit log.

    A rig's token needs a rig, one of an agent or advisor a rig and a run that control assigned to it, other roles take
    neither. `writer` says which agent of the run it is for, as events name their writer. Raises `UsageError` where that
    is not so, `ThermiteError` for a rig or run that control does not know.
    """
    _check_scope(role, rig, run)
    _check_writer(role, writer)
    if rig is not None:
        require_rig(connection, rig)
    if rig is not None and run is not None:
        assigned_campaign(connection, rig, run)
    id, secret = secrets.token_hex(6), MARK + secrets.token_hex(32)
    made = Made(id, secret, secret[:_SHOWN], role, _checked_name(name) or f"{role}-{id}", rig, run, writer)
    connection.execute(
        insert(Token).values(
            token=id,
            sha256=_digest(secret),
            prefix=made.prefix,
            role=role,
            name=made.name,
            rig=rig,
            run=run,
            writer=writer,
            added_at=now_micros(),
            added_by=by,
            revoked_at=None,
        )
    )
    audit.record(connection, by, "token-add", id, role=role, name=made.name, rig=rig, run=run, agent=writer)
    return made


def revoke_token(connection: Connection, id: str, by: str) -> bool:
    """Revoke a token from now on; False where it was revoked before. Raises `ThermiteError` for an unknown id."""
    row = connection.execute(select(Token.role, Token.revoked_at).where(Token.token == id)).first()
    if row is None:
        raise ThermiteError(f"there is no token {id[:40]!r}", do="look at `thermite token list`")
    if row.revoked_at is not None:
        return False
    connection.execute(update(Token).where(Token.token == id).values(revoked_at=now_micros()))
    audit.record(connection, by, "token-revoke", id, role=row.role)
    return True


def tokens(connection: Connection) -> list[dict[str, Any]]:
    """All tokens, oldest first, in the form that `thermite token list --json` prints: no hash, no secret."""
    return [
        {
            "id": row.token,
            "role": row.role,
            "name": row.name,
            "rig": row.rig,
            "run": row.run,
            "agent": row.writer,
            "prefix": row.prefix,
            "by": row.added_by,
            "added_at": format_rfc3339(row.added_at),
            "revoked_at": None if row.revoked_at is None else format_rfc3339(row.revoked_at),
        }
        for row in connection.execute(select(Token).order_by(Token.added_at, Token.token))
    ]


def holder_of(connection: Connection, secret: str) -> Principal | None:
    """Whom a token stands for, as control's record has it now.

    None where there is no such token, it was revoked, its role is unknown here, or its run is not assigned any more.
    """
    return _holder(connection, Token.sha256 == _digest(secret)) if _TOKEN.fullmatch(secret) else None


def holder_with_id(connection: Connection, id: str) -> Principal | None:
    """The same of a token that was shown before, by its id."""
    return _holder(connection, Token.token == id)


def _holder(connection: Connection, condition: Any) -> Principal | None:
    query = (
        select(Token.token, Token.role, Token.name, Token.rig, Token.run, Assignment.campaign, Token.writer)
        .join(Assignment, (Assignment.rig == Token.rig) & (Assignment.run == Token.run), isouter=True)
        .where(condition, Token.revoked_at.is_(None))
    )
    row = connection.execute(query).first()
    if row is None or row.role not in ROLES or (row.role in OF_RUNS and row.campaign is None):
        return None
    return Principal(row.token, row.role, row.name, row.rig, row.run, row.campaign, row.writer)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _check_scope(role: str, rig: str | None, run: str | None) -> None:
    if role not in ROLES:
        raise UsageError(f"{role[:40]!r} is no role", do=f"use one of: {', '.join(ROLES)}")
    if role in PEOPLE and (rig is not None or run is not None):
        raise UsageError(f"a token of role {role} is for no rig and no run", do="leave --rig and --run out")
    if role not in PEOPLE and rig is None:
        raise UsageError(f"a token of role {role} needs a rig", do="name it with --rig")
    if role in OF_RUNS and run is None:
        raise UsageError(f"a token of role {role} needs a run", do="name it with --run")
    if role == "rig" and run is not None:
        raise UsageError("a rig's token is for all its runs", do="leave --run out")


def _check_writer(role: str, writer: str | None) -> None:
    if writer is None:
        return
    if role not in OF_RUNS:
        raise UsageError(f"a token of role {role} is for no agent of a run", do="leave --agent out")
    if not WRITER.fullmatch(writer) or writer in _NO_AGENTS:
        names = "lane-1, planner, teachers:NAME, combiner:NAME, auditor:NAME, panel:NAME"
        raise UsageError(f"{writer[:40]!r} is no agent of a run", do=f"name it as events name their writer: {names}")


def _checked_name(name: str | None) -> str | None:
    if name is None:
        return None
    name = name.strip()
    if not name or not name.isprintable() or len(name) > _LONGEST_NAME:
        raise UsageError(f"a name is one line of at most {_LONGEST_NAME} characters", do="say who holds the token")
    return name
