"""Knowledge bases outside, as a rig's supervisor sees them: MCP servers that the signed command of a run hands over.

    command = read_command(path.read_bytes(), control_key, rig="rig-a")
    servers = open_servers(command, read_key(Path("rig-a.key")))

The secret is the supervisor's to send, never an agent's to see: `outside_gateway` gives an agent an address without it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from nacl.exceptions import CryptoError
from nacl.public import SealedBox
from nacl.signing import SigningKey

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.ledger import strict_json
from thermite_pipelines.ledger.envelope import (
    COMMAND_TYPE,
    EnvelopeError,
    keyid_of,
    pae,
    parse_envelope,
    public_key_of,
    verify,
)

SCHEMA = "thermite.command/1"
ALL = "all"


@dataclass(frozen=True)
class OutsideServer:
    """A server with its secret. `roles`: for each role that may use it, the names of its tools; None for every tool."""

    name: str
    url: str
    roles: Mapping[str, frozenset[str] | None]
    secret: str = field(repr=False)

    def tools_of(self, role: str, offered: Sequence[str]) -> list[str]:
        """Those of the tools that the server offers that a role is given, in their order; see `role_of`."""
        return [tool for tool in offered if self.gives(role, tool)]

    def gives(self, role: str, tool: str) -> bool:
        """Whether a role is given a tool."""
        if role not in self.roles:
            return False
        named = self.roles[role]
        return named is None or tool in named


def role_of(writer: str) -> str:
    """The role that kits name, of whoever writes in reports: `lane` of `lane-3`, `teachers` of `teachers:ann`."""
    return "lane" if writer.startswith("lane-") else writer.partition(":")[0]


def read_command(raw: bytes, control_key: bytes, *, rig: str) -> dict[str, Any]:
    """The payload of a signed command for this rig; `control_key` is the public key that `thermite init` prints.

    Raises `ThermiteError` for a file that is none, that control did not sign, or that is for another rig.
    """
    try:
        envelope = parse_envelope(raw, COMMAND_TYPE)
    except EnvelopeError as error:
        raise ThermiteError(f"this is no command: {error.detail}") from None
    message = pae(COMMAND_TYPE, envelope.payload)
    if not any(verify(control_key, message, signature.sig) for signature in envelope.signatures):
        raise ThermiteError("control did not sign this command", do="leave it alone; is the public key control's?")
    try:
        command = strict_json.loads(envelope.payload)
    except strict_json.StrictJsonError as error:
        raise ThermiteError(f"this is no command: {error.detail}") from None
    if not isinstance(command, dict) or command.get("schema") != SCHEMA:
        raise ThermiteError(f"this is no command of {SCHEMA}")
    if command.get("rig") != rig:
        raise ThermiteError(f"this command is for another rig than {rig}", do="leave it alone")
    return command


class _Box(msgspec.Struct):
    keyid: str
    box: bytes  # base64 in JSON


class _Handed(msgspec.Struct):
    name: str
    url: str
    roles: dict[str, list[str] | str]
    sealed: list[_Box]


def open_servers(command: Mapping[str, Any], seed: bytes) -> list[OutsideServer]:
    """The servers that a command hands over, their secrets opened with the rig's key (its 32-byte seed).

    Give what `read_command` returned. Raises `ThermiteError` where a server is malformed, or not sealed to this key.
    """
    try:
        handed = msgspec.convert(command.get("mcp_servers", []), list[_Handed])
    except msgspec.ValidationError as error:
        raise ThermiteError(f"mcp_servers: {strict_json.describe(error)}") from None
    return [OutsideServer(one.name, one.url, _roles(one), _secret(one, seed)) for one in handed]


def _roles(server: _Handed) -> dict[str, frozenset[str] | None]:
    # A text other than `all` is of a newer form than this: it gives no tool.
    return {
        role: None if tools == ALL else frozenset(tools if isinstance(tools, list) else ())
        for role, tools in server.roles.items()
    }


def _secret(server: _Handed, seed: bytes) -> str:
    keyid = keyid_of(public_key_of(seed))
    box = next((box.box for box in server.sealed if box.keyid == keyid), None)
    where = f"MCP server {server.name}"
    if box is None:
        do = "use the key that was registered when the command was made, or have the run assigned anew"
        raise ThermiteError("its secret is not sealed to this key", where=where, do=do)
    try:
        return SealedBox(SigningKey(seed).to_curve25519_private_key()).decrypt(box).decode()
    except (CryptoError, ValueError):
        raise ThermiteError("its secret can't be opened", where=where, do="fetch the command again") from None
