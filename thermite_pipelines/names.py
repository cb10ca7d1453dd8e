"""Patterns of the names that reach paths, partition keys and SQL.

The patterns are those of the report format; each check uses `fullmatch` on ASCII, so a line end cannot slip through.
"""

import re

from thermite_pipelines.errors import UsageError

RIG = re.compile(r"[a-z][a-z0-9-]{0,62}")
CAMPAIGN = RIG
LEDGER = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,63}")
RUN = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,127}")
EVENT_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.:-]{0,127}")
AGENT = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,63}")
LANE = re.compile(r"lane-[1-9][0-9]{0,3}")
WRITER = re.compile(
    r"lane-[1-9][0-9]{0,3}|planner|owner|harness|(?:teachers|combiner|auditor|panel):[0-9A-Za-z][0-9A-Za-z_.-]{0,63}"
)
SHA256_HEX = re.compile(r"[0-9a-f]{64}")

# Names that Windows keeps for devices: they must not become a folder of a sync.
RESERVED = frozenset(["con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))])

# Words that some readers of Hive partitions take for a date, a number or a truth value.
_VALUES = frozenset(["epoch", "infinity", "inf", "nan", "true", "false", "null"])


def is_document_path(path: str) -> bool:
    """Whether `path` is a relative POSIX path without `..`, empty parts, backslashes or control characters."""
    if not path or len(path) > 1024 or path.startswith("/") or "\\" in path:
        return False
    if any(ord(char) < 32 or 127 <= ord(char) < 160 for char in path):
        return False
    return all(part not in ("", ".", "..") for part in path.split("/"))


def check_name(kind: str, name: str, *, reserved: bool = False) -> str:
    """Return `name` if it is a legal rig or campaign name, else raise `UsageError`.

    With `reserved`, names that Windows keeps for devices, and words that readers of tables take for values, are refused
    too (asked when a name is added).
    """
    if not RIG.fullmatch(name):
        raise UsageError(
            f"{name!r} is no {kind} name",
            do="use a lower-case letter, then at most 62 lower-case letters, digits or hyphens",
        )
    if reserved and name in _VALUES:
        raise UsageError(f"{name!r} is a value to readers of tables", do=f"choose another {kind} name")
    if reserved and name in RESERVED:
        raise UsageError(f"{name!r} is a device name on some file systems", do=f"choose another {kind} name")
    return name


def check_run(run: str) -> str:
    """Return `run` if it is a legal run id, else raise `UsageError`."""
    if not RUN.fullmatch(run):
        raise UsageError(f"{run!r} is no run id", do="use at most 128 letters, digits, '_', '.' or '-'")
    return run
