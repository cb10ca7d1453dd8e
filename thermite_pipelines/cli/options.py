"""Options that several commands share, and the words they take."""

from typing import TYPE_CHECKING, Annotated

import typer

from thermite_pipelines.errors import UsageError

if TYPE_CHECKING:
    pass

LARGEST = 2**63 - 1
"""The largest number that the databases and Python's own counting take."""

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides this, for the audit log.")]
Home = Annotated[
    str | None, typer.Option("--home", metavar="DIR", help="The home, instead of THERMITE_HOME.", show_default=False)
]
Rig = Annotated[str | None, typer.Option("--rig", metavar="RIG", help="Only this rig.")]
Run = Annotated[str | None, typer.Option("--run", metavar="RUN", help="Only this run.")]


def check_by(name: str) -> str:
    """Return the name of whoever decides, or raise `UsageError` where it is empty or is no single line."""
    name = name.strip()
    if not name or not name.isprintable():
        raise UsageError("--by needs a name of one line", do="say who decides this")
    return name


def parse_since(text: str | None) -> int | None:
    """The time of `--since` in microseconds; a day alone means its beginning in UTC. Raises `UsageError`."""
    from thermite_pipelines.times import parse_rfc3339

    if text is None:
        return None
    try:
        return parse_rfc3339(f"{text}T00:00:00Z" if len(text) == len("2026-11-29") else text)
    except ValueError:
        raise UsageError(f"{text[:40]!r} is no time", do="write it as 2026-11-29 or 2026-11-29T10:15:00Z") from None
