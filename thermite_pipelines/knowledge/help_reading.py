"""Help requests, learnings and refusals as the files of the home's `help` folder have them.

Lists, `doctor`, run lists and briefs all read them here, so that none shows another state than the next.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.tables.json_lines import read_lines
from thermite_pipelines.times import now_micros, to_datetime

Row = dict[str, Any]
Place = tuple[str, str, str]
"""Rig, ledger and run."""

KEPT_DAYS = 90
"""How many days ago, in UTC, a request may have been asked to be in a file or a list."""
BLOCKERS = ("access", "tooling", "ambiguity", "environment", "decision", "other")
STATES = ("provisional", "confirmed", "lapsed", "rejected")

REQUEST_FIELDS = (
    "rig",
    "ledger",
    "run",
    "campaign",
    "agent",
    "blocker",
    "summary",
    "detail",
    "fatal",
    "count",
    "at",
    "resolved_at",
    "reply",
    "asked_again",
    "request",
)
LEARNING_FIELDS = (
    "id",
    "campaign",
    "agent",
    "text",
    "state",
    "impact",
    "proposals",
    "runs_left",
    "first_at",
    "last_at",
    "since_run",
)
REFUSAL_FIELDS = ("campaign", "agent", "rig", "ledger", "run", "learning", "reason", "original_sha256", "at", "told")

LEARNINGS_FILE = "learnings.jsonl"
REFUSED_FILE = "refused.jsonl"
_REQUESTS = re.compile(r"help-(\d{4}-\d\d-\d\d)\.jsonl")


def requests_file(day: date) -> str:
    """The name of the file of a day's requests."""
    return f"help-{day.isoformat()}.jsonl"


def day_of_file(name: str) -> date | None:
    """The day whose requests a file of that name holds; None for a file of another kind."""
    found = _REQUESTS.fullmatch(name)
    try:
        return date.fromisoformat(found.group(1)) if found else None
    except ValueError:
        return None


def oldest_day(now: int) -> date:
    """The first day (UTC) whose requests are still kept at a time in microseconds."""
    return to_datetime(now).astimezone(UTC).date() - timedelta(days=KEPT_DAYS)


def help_requests(home: Home, now: int | None = None) -> list[Row]:
    """All requests that are kept, in the order of their files: by day, time, rig, ledger, run.

    Raises `ThermiteError` that names file and line where one is broken; a torn last line gives a warning.
    """
    oldest = oldest_day(now_micros() if now is None else now)
    days = {day: path for path in _listed(home.settings.help) if (day := day_of_file(path.name)) and day >= oldest}
    return [row for _, path in sorted(days.items()) for row in read_lines(path, REQUEST_FIELDS)]


def learnings(home: Home) -> list[Row]:
    """All learnings, by campaign, agent, time of the first proposal and id. Raises as `help_requests` does."""
    return list(read_lines(home.settings.help / LEARNINGS_FILE, LEARNING_FIELDS))


def refusals(home: Home) -> list[Row]:
    """What screening refused, by campaign, agent and time: never a text. Raises as `help_requests` does."""
    return list(read_lines(home.settings.help / REFUSED_FILE, REFUSAL_FIELDS))


def is_open(request: Row) -> bool:
    """Whether nobody has dealt with a request yet."""
    return request["resolved_at"] is None


def blocked_on(requests: Iterable[Row]) -> dict[Place, str]:
    """For each run with an open request its summary: of a fatal one before a limitation, then of the first."""
    found: dict[Place, Row] = {}
    for row in requests:
        place = (row["rig"], row["ledger"], row["run"])
        before = found.get(place)
        if is_open(row) and (before is None or (row["fatal"] and not before["fatal"])):
            found[place] = row
    return {place: row["summary"] for place, row in found.items()}


def grouped(requests: Iterable[Row]) -> list[Row]:
    """Open requests of one agent that say the same as one row, over all its runs: `count` and `runs` tell how often."""
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in requests:
        if is_open(row):
            same = " ".join(row["summary"].casefold().split())
            groups[row["campaign"], row["agent"], row["blocker"], same].append(row)
    rows = []
    for alike in groups.values():
        first = alike[0]
        rows.append(
            {
                "campaign": first["campaign"],
                "agent": first["agent"],
                "blocker": first["blocker"],
                "summary": first["summary"],
                "fatal": any(row["fatal"] for row in alike),
                "count": sum(row["count"] for row in alike),
                "runs": [run for _, _, run in dict.fromkeys((row["rig"], row["ledger"], row["run"]) for row in alike)],
            }
        )
    return sorted(rows, key=lambda row: (not row["fatal"], -row["count"], row["campaign"], row["agent"]))


def _listed(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if path.is_file()]
    except (FileNotFoundError, NotADirectoryError):
        return []


def day_of(at: int) -> date:
    """The UTC day of a time in microseconds."""
    return datetime.fromtimestamp(at // 1_000_000, UTC).date()
