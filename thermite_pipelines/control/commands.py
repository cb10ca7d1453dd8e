"""Control's signing key, and the signed commands that rigs fetch.

A command lies at `commands/<rig>/<run>.dsse.json`: a DSSE envelope with control's key around a payload that control's
record keeps word for word. The file is a pure function of both, so one that was lost can be written again.
"""

import contextlib
import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from thermite_pipelines.control.db import Control
from thermite_pipelines.control.models import Assignment
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.ledger import strict_json
from thermite_pipelines.ledger.envelope import COMMAND_TYPE, keyid_of, public_key_of, seal
from thermite_pipelines.settings import Settings
from thermite_pipelines.tables.lake import TEMPORARY_PREFIX, disk_error, write_atomic
from thermite_pipelines.times import format_rfc3339, now_micros

COMMAND_SCHEMA = "thermite.command/1"

_SEED = re.compile(rb"[0-9A-Fa-f]{64}")


def ensure_control_key(settings: Settings) -> tuple[str, str, bool]:
    """Control's public key (64 hex digits), its key id, and whether the key was made just now.

    The file holds the 32-byte Ed25519 seed as 64 hex digits and a line end, mode 0600. Of several processes that make
    it at once one wins, and none sees a part of it. Raises `ThermiteError` for a file that holds something else.
    """
    changed = not settings.control_key.exists() and _make_key(settings.control_key)
    public_key = public_key_of(read_control_key(settings))
    return public_key.hex(), keyid_of(public_key), changed


def read_control_key(settings: Settings) -> bytes:
    """The seed of control's key. Raises `ThermiteError` where it is missing, unreadable or malformed."""
    where = str(settings.control_key)
    try:
        raw = settings.control_key.read_bytes()
    except FileNotFoundError:
        raise ThermiteError("control has no signing key yet", where=where, do="run `thermite init`") from None
    except OSError as error:
        raise ThermiteError(
            f"control's signing key can't be read ({error.strerror})", where=where, do="check its rights"
        ) from None
    if not _SEED.fullmatch(raw.strip()):
        raise ThermiteError("control's signing key is not 64 hex digits", where=where, do="restore it from a backup")
    return bytes.fromhex(raw.strip().decode())


def _make_key(path: Path) -> bool:
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(secrets.token_bytes(32).hex().encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        return _keep_first(temporary, path)
    except OSError as error:
        raise disk_error(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def _keep_first(temporary: Path, path: Path) -> bool:
    """Give the file its name unless another has it: a link, unlike a rename, replaces nothing."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if path.exists():
            return False
        temporary.rename(path)
    return True


def command_payload(
    command: str,
    rig: str,
    run: str,
    campaign: str,
    *,
    agents: bool,
    kit: str | None,
    flags: Sequence[str],
    routes: Sequence[str],
    briefing: list[dict[str, Any]],
    queue: list[dict[str, Any]],
) -> dict[str, Any]:
    """The payload of a command, with an id of its own and the time now."""
    return {
        "schema": COMMAND_SCHEMA,
        "command": command,
        "id": new_command_id(),
        "at": format_rfc3339(now_micros()),
        "rig": rig,
        "run": run,
        "campaign": campaign,
        "agents": agents,
        "kit": kit,
        "flags": list(flags),
        "routes": list(routes),
        "briefing": briefing,
        "queue": queue,
    }


def new_command_id() -> str:
    """An id that no other command has."""
    return secrets.token_hex(16)


def sign_command(settings: Settings, payload: dict[str, Any]) -> bytes:
    """The signed envelope of a command: the same bytes for the same payload and key."""
    return seal(COMMAND_TYPE, strict_json.dumps(payload), read_control_key(settings))


def command_path(home: Path, rig: str, run: str) -> Path:
    """Where the command of a run lies; rig and run are legal names."""
    return home / "commands" / rig / f"{run}.dsse.json"


def write_command(settings: Settings, rig: str, run: str, payload: dict[str, Any]) -> Path:
    """Sign a command and write its file, whole; a file that holds it already is left alone."""
    path = command_path(settings.home, rig, run)
    signed = sign_command(settings, payload)
    with contextlib.suppress(OSError):
        if path.read_bytes() == signed:
            return path
    write_atomic(path, signed)
    return path


def publish_command(control: Control, settings: Settings, rig: str, run: str) -> Path:
    """Write the command file of an assigned run as control's record has it.

    Raises `ThermiteError` where the run is not assigned.
    """
    written: dict[str, Any] | None = None
    while True:
        with control.read() as connection:
            query = select(Assignment.command).where(Assignment.rig == rig, Assignment.run == run)
            payload = connection.execute(query).scalar()
        if payload is None:
            raise ThermiteError(f"control assigned no run {run} on rig {rig}", do="assign it with `thermite assign`")
        if payload == written:
            return command_path(settings.home, rig, run)
        # Another process may move the run meanwhile: the file must end as the record does.
        write_command(settings, rig, run, payload)
        written = payload


class WrongCommands(NamedTuple):
    """Rig and run of assignments whose command file is gone, and of those whose file is not as the record has it."""

    lost: list[tuple[str, str]]
    other: list[tuple[str, str]]


def wrong_commands(connection: Connection, settings: Settings) -> WrongCommands:
    """The command files that `thermite assign` given again has to write, a changed one once it is removed."""
    wrong = WrongCommands([], [])
    for row in connection.execute(select(Assignment).order_by(Assignment.rig, Assignment.run)):
        try:
            data = command_path(settings.home, row.rig, row.run).read_bytes()
            if data != sign_command(settings, row.command):
                wrong.other.append((row.rig, row.run))
        except FileNotFoundError:
            wrong.lost.append((row.rig, row.run))
        except (OSError, ThermiteError):
            wrong.other.append((row.rig, row.run))
    return wrong
