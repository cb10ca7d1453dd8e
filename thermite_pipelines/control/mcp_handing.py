"""What a run is handed of outside MCP servers: those that its kit names, each with its secret sealed to the rig's keys.

The secret is sealed anew when a command is made, once for each key of the rig that is not revoked. The boxes are part
of the command's payload, which control's record keeps word for word: nobody but the rig can open them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from thermite_pipelines.control.kits import find_kit
from thermite_pipelines.control.mcp_servers import open_server
from thermite_pipelines.control.models import RigKey
from thermite_pipelines.control.sealing import seal_to
from thermite_pipelines.settings import Settings

FIELD = "mcp_servers"
"""The field of a command; there is none where a run is handed nothing."""


@dataclass(frozen=True)
class Handed:
    """Servers as they stand in a command, and what a person should know about those that don't."""

    servers: list[dict[str, Any]] = field(default_factory=list)
    notices: tuple[str, ...] = ()

    @property
    def fields(self) -> dict[str, Any]:
        """What a command's payload gets besides its other fields."""
        return {FIELD: self.servers} if self.servers else {}

    @property
    def details(self) -> dict[str, Any]:
        """What the audit entry gets besides: the servers' names."""
        return {FIELD: [server["name"] for server in self.servers]} if self.servers else {}


HandOut = Callable[[str | None], Handed]
"""Gives what a run with a kit is handed, on a rig that is known."""


def nothing(_: str | None) -> Handed:
    """Hands out nothing."""
    return Handed()


def hand_out(connection: Connection, settings: Settings, rig: str, kit: str | None) -> Handed:
    """What a run with a kit is handed on a rig.

    Raises `ThermiteError` where the kit's file makes no sense, or a secret can't be opened.
    """
    found = None if kit is None else find_kit(settings.kits, kit)
    if found is None:
        return Handed()
    query = select(RigKey.keyid, RigKey.public_key).where(RigKey.rig == rig, RigKey.revoked_at.is_(None))
    keys = connection.execute(query.order_by(RigKey.added_at, RigKey.keyid)).all()
    servers: list[dict[str, Any]] = []
    notices: list[str] = []
    for name, roles in sorted(found.servers.items()):
        known = open_server(connection, settings, name)
        if known is None:
            notices.append(f"kit {found.name} names the MCP server {name}, which is not there: the run goes without")
        elif not keys:
            notices.append(f"rig {rig} has no key that counts, so it is not handed the MCP server {name}")
        else:
            url, secret = known
            sealed = [{"keyid": key.keyid, "box": seal_to(key.public_key, secret)} for key in keys]
            servers.append({"name": name, "url": url, "roles": roles, "sealed": sealed})
    return Handed(servers, tuple(notices))
