"""The rig's signing key: a file of 64 hex digits (an Ed25519 seed) and a line end, readable by its owner alone."""

import os
import re
import secrets
import stat
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.ledger import envelope

DEFAULT_NAME = "rig-key.hex"
"""The key file's name where none is given, in the current directory."""

_SEED = re.compile(rb"[0-9A-Fa-f]{64}")
_MAKE_ONE = "make one with `thermite rig keygen --out FILE`"


@dataclass(frozen=True)
class KeyFile:
    """A key and the file it is kept in; `seed` is secret and not shown."""

    seed: bytes = field(repr=False)
    public_key_hex: str
    keyid: str
    path: Path


def generate(path: Path | None = None) -> KeyFile:
    """Make a new key and its file (mode 0600). Raises `ThermiteError` if the file exists or cannot be made."""
    target = path if path is not None else Path.cwd() / DEFAULT_NAME
    seed = secrets.token_bytes(32)
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ThermiteError(
            "the file exists, and a key is never overwritten", where=str(target), do="give another name with --out"
        ) from None
    except OSError as error:
        raise ThermiteError(
            f"the key file cannot be made ({error.strerror})", where=str(target), do="give another place with --out"
        ) from None
    with os.fdopen(descriptor, "wb") as stream:
        # The umask may have taken rights away; 0600 is what readers of the key file count on.
        os.fchmod(stream.fileno(), 0o600)
        stream.write(seed.hex().encode() + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
    return describe(seed, target)


def describe(seed: bytes, path: Path) -> KeyFile:
    """The `KeyFile` of a seed that lies at `path`."""
    public_key = envelope.public_key_of(seed)
    return KeyFile(seed, public_key.hex(), envelope.keyid_of(public_key), path)


def read_key(path: Path) -> bytes:
    """The 32-byte seed in a key file.

    Raises `ThermiteError` if it is missing, unreadable, a folder or not 64 hex digits. A file that others may read is
    taken with a `UserWarning`: the signature is no worse for it, but the key may be known to others.
    """
    where = str(path)
    try:
        with path.open("rb") as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            raw = stream.read(4096)
    except FileNotFoundError:
        raise ThermiteError("there is no such key file", where=where, do=_MAKE_ONE) from None
    except IsADirectoryError:
        raise ThermiteError("this is a folder, not a key file", where=where, do="give the path of the file") from None
    except OSError as error:
        raise ThermiteError(
            f"the key file cannot be read ({error.strerror})", where=where, do="check its permissions"
        ) from None
    text = raw.strip()
    if not _SEED.fullmatch(text):
        only_hex = re.fullmatch(rb"[0-9A-Fa-f]*", text) is not None
        what = f"the key has {len(text)} hex digits, not 64" if only_hex else "the key is not 64 hex digits"
        raise ThermiteError(what, where=where, do=f"restore the file, or {_MAKE_ONE}")
    if mode & 0o077:
        warnings.warn(f"{path}: others may read this key file — run chmod 600 on it", stacklevel=2)
    return bytes.fromhex(text.decode())
