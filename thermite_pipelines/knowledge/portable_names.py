"""File names of exports for what agents named: safe on every file system, and the same for the same set of names.

A name that is plain everywhere stays as it is. Any other becomes one flat file name, `<slug>~<16 hex of SHA-256 of the
name><extension>`; plain names never hold a `~`, so the two kinds can't meet. Not plain is a path that

* has a part that begins with '.' (`.git`) or a space, ends with '.' or a space, or is longer than 120 bytes;
* has a part that is a device on Windows (`con`, `nul.txt`), or `HEAD`, without which nothing is a git repository;
* holds one of `<>:"|?*~` or an invisible, unassigned or not composed (NFC) character, or is longer than 200 bytes;
* differs from another only in case (both are written flat), or is a file where another has a folder.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath

from thermite_pipelines.names import RESERVED
from thermite_pipelines.safety.quoting import slug

_ILLEGAL = frozenset('<>:"|?*~\\')
_DEVICES = RESERVED | {"conin$", "conout$"}
_PART_BYTES = 120
_PATH_BYTES = 200


def portable_paths(names: Iterable[str]) -> dict[str, str]:
    """For each relative POSIX path the path to write it at: no two are one file where case is ignored."""
    ordered = sorted(set(names))
    files: dict[str, int] = {}
    folders: set[str] = set()
    for name in ordered:
        key = _key(name)
        files[key] = files.get(key, 0) + 1
        parts = key.split("/")
        folders.update("/".join(parts[:depth]) for depth in range(1, len(parts)))
    return {
        name: name if _is_plain(name) and files[_key(name)] == 1 and _key(name) not in folders else _flat(name)
        for name in ordered
    }


def _key(name: str) -> str:
    """The same for names that some file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", name).casefold())


def _is_plain(name: str) -> bool:
    if unicodedata.normalize("NFC", name) != name or len(name.encode()) > _PATH_BYTES:
        return False
    if any(char in _ILLEGAL or (char != " " and unicodedata.category(char)[0] in "CZ") for char in name):
        return False
    return all(_is_plain_part(part) for part in name.split("/"))


def _is_plain_part(part: str) -> bool:
    if not part or part[0] in ". " or part[-1] in ". " or len(part.encode()) > _PART_BYTES:
        return False
    stem = _key(part).partition(".")[0].strip()
    return stem not in _DEVICES and stem != "head"


def _flat(name: str) -> str:
    path = PurePosixPath(name)
    suffix = path.suffix.lower() if re.fullmatch(r"\.[0-9A-Za-z]{1,8}", path.suffix) else ""
    stem = name[: len(name) - len(suffix)] if suffix else name
    return f"{slug(stem, 'file')}~{hashlib.sha256(name.encode()).hexdigest()[:16]}{suffix}"
