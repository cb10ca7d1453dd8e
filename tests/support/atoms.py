"""Rows of derived tables put into a home past the code that makes them: for tests of what reads them."""

import hashlib
from typing import Any

from sqlalchemy import insert

from tests.support.homes import Home
from thermite_pipelines.control.atom_models import DerivedState, Session
from thermite_pipelines.control.db import upsert
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.tables.derived import ATOMS, MESSAGES, SESSIONS
from thermite_pipelines.tables.parquet import arrange, rows_hash
from thermite_pipelines.tables.schemas import Table

Row = dict[str, Any]
DAY = "2026-11-20"


def atom_row(statement: str, campaign: str = "a", **changes: Any) -> Row:
    """A row of the table `atoms`: a finding of the owner's session s1, quoted word for word, unless changed."""
    digest = hashlib.sha256(statement.encode()).hexdigest()
    row = dict.fromkeys(ATOMS.column_names)
    session = changes.get("session", "s1")
    row |= {
        "atom": f"atom:{campaign}/{digest[:16]}",
        "type": "finding",
        "statement": statement,
        "domain": ["web-metrics"],
        "conditions": "none stated",
        "verbatim_quote": statement,
        "quote_checked": True,
        "established": DAY,
        "confidence": "stated",
        "time_bound": False,
        "source": "campaign",
        "origin": "extracted",
        "session": session,
        "message": "0",
        "place": 0,
        "sessions": [session] if session else [],
        "members": [],
        "statement_sha256": digest,
        "model": "rules",
        "prompt_version": "rules/1",
    }
    return row | changes


def correction_row(statement: str, campaign: str = "a", **changes: Any) -> Row:
    """A correction with both of its fields."""
    fields = {
        "type": "correction",
        "wrong_assumption": "the column counts all traffic",
        "why_confused": "its name does not say which traffic it counts",
    }
    return atom_row(statement, campaign, **(fields | changes))


def put_rows(home: Home, campaign: str, table: Table, rows: list[Row], file: str | None = None) -> None:
    """Make a derived table of a campaign (or one file of it) hold these rows, as its writer would."""
    files = LakeFiles(home.control, home.lake, f"atoms:{campaign}")
    path = f"derived/{table.name}/campaign={campaign}/{file or table.name}.parquet"
    files.stage(path, table, rows)
    files.publish()
    arranged = arrange(table, rows)
    state = {
        "campaign": campaign,
        "name": table.name,
        "signature": "made by a test",
        "content": rows_hash(arranged),
        "rows": arranged.num_rows,
        "days": sorted({row["established"] for row in rows}) if table is ATOMS else [],
        "changed_at": 1,
    }
    with home.control.write() as connection:
        files.confirm(connection)
        upsert(connection, DerivedState, [state])


def put_atoms(home: Home, campaign: str, *rows: Row) -> None:
    """Make a campaign's atoms be these."""
    put_rows(home, campaign, ATOMS, list(rows))


def put_session(home: Home, campaign: str, session: str, messages: list[Row], **changes: Any) -> Row:
    """A session in control's record and its messages in the lake; return its row in the table `sessions`."""
    row = dict.fromkeys(SESSIONS.column_names) | {
        "session": session,
        "tool": "session_recorded",
        "content_sha256": "0" * 64,
        "established": DAY,
        "dated_by": "started_at",
        "messages": len(messages),
        "human_messages": len(messages),
        "skipped_lines": 0,
        "extracted_messages": len(messages),
    }
    row |= changes
    known = {name: row[name] for name in row if name in Session.__table__.c and name != "extracted_messages"}
    known |= {"campaign": campaign, "run_key": None, "skipped": {}, "human_sha256": []}
    if "established_at" in Session.__table__.c:
        known["established_at"] = 0
    with home.control.write() as connection:
        connection.execute(insert(Session).values(**known))
    name = hashlib.sha256(session.encode()).hexdigest()[:16]
    put_rows(home, campaign, MESSAGES, messages, name)
    return row


def put_sessions(home: Home, campaign: str, *rows: Row) -> None:
    """Make the table `sessions` of a campaign hold these rows."""
    put_rows(home, campaign, SESSIONS, list(rows))


def message_row(session: str, text: str, place: int = 0, **changes: Any) -> Row:
    """A row of the table `messages`."""
    row = {
        "session": session,
        "place": place,
        "message": str(place),
        "said_at": None,
        "text": text,
        "is_cut": False,
        "before_role": "assistant",
        "before_text": "I take the column for all traffic.",
        "after_role": "assistant",
        "after_text": "Understood.",
    }
    return row | changes
