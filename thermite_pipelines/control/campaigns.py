"""Campaigns, and the grants between them."""

from typing import Any

from sqlalchemy import Connection, delete, insert, select

from thermite_pipelines.control import audit
from thermite_pipelines.control.models import Campaign, Grant
from thermite_pipelines.errors import ThermiteError, UnknownName
from thermite_pipelines.names import check_name
from thermite_pipelines.times import format_rfc3339, now_micros


def add_campaign(connection: Connection, campaign: str, title: str | None, by: str) -> bool:
    """Add a campaign, or give it another title; return whether that changed anything.

    Raises `UsageError` for a bad name.
    """
    check_name("campaign", campaign, reserved=True)
    known = connection.execute(select(Campaign.title).where(Campaign.campaign == campaign)).first()
    if known is not None and (title is None or known.title == title):
        return False
    if known is None:
        connection.execute(insert(Campaign).values(campaign=campaign, title=title or "", added_at=now_micros()))
    else:
        connection.execute(Campaign.__table__.update().where(Campaign.campaign == campaign).values(title=title))  # type: ignore[attr-defined]
    audit.record(connection, by, "campaign-add", campaign, title=title or "")
    return True


def require_campaign(connection: Connection, campaign: str) -> None:
    """Raise `UnknownName` unless control knows the campaign."""
    check_name("campaign", campaign)
    if connection.execute(select(Campaign.campaign).where(Campaign.campaign == campaign)).first() is None:
        raise UnknownName(
            f"control knows no campaign {campaign!r}",
            do="add it with `thermite campaign add`, or look at `thermite campaign list`",
        )


def campaign_names(connection: Connection) -> list[str]:
    """All campaigns, in order."""
    return list(connection.execute(select(Campaign.campaign).order_by(Campaign.campaign)).scalars())


def campaigns(connection: Connection) -> list[dict[str, Any]]:
    """Each campaign, in the form that `thermite campaign list --json` prints."""
    rows = connection.execute(select(Campaign).order_by(Campaign.campaign))
    return [{"campaign": row.campaign, "title": row.title or None} for row in rows]


def grant(connection: Connection, reader: str, source: str, by: str) -> bool:
    """Let campaign `reader` read the folder of `source`; return False where it could already."""
    require_campaign(connection, reader)
    require_campaign(connection, source)
    if reader == source:
        raise ThermiteError(f"{reader} always reads its own folder", do="name two campaigns")
    found = connection.execute(select(Grant.reader).where(Grant.reader == reader, Grant.source == source)).first()
    if found is not None:
        return False
    connection.execute(insert(Grant).values(reader=reader, source=source, granted_by=by, granted_at=now_micros()))
    audit.record(connection, by, "grant", reader, reader=reader, source=source)
    return True


def revoke(connection: Connection, reader: str, source: str, by: str) -> bool:
    """Take a grant back; return False where there was none."""
    require_campaign(connection, reader)
    require_campaign(connection, source)
    gone = connection.execute(delete(Grant).where(Grant.reader == reader, Grant.source == source)).rowcount
    if not gone:
        return False
    audit.record(connection, by, "revoke", reader, reader=reader, source=source)
    return True


def grants(connection: Connection) -> list[dict[str, Any]]:
    """All grants, in the form that `thermite grants --json` prints."""
    rows = connection.execute(select(Grant).order_by(Grant.reader, Grant.source))
    return [
        {"reader": row.reader, "source": row.source, "by": row.granted_by, "at": format_rfc3339(row.granted_at)}
        for row in rows
    ]


def readable_by(connection: Connection, reader: str) -> list[str]:
    """The folders that a campaign may read: its own and the granted ones, in order. Grants are not transitive."""
    granted = connection.execute(select(Grant.source).where(Grant.reader == reader)).scalars()
    return sorted({reader, *granted})
