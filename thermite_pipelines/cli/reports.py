"""`thermite reports`: every file that arrived, what became of it, and judging a quarantined one again."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer

from thermite_pipelines.cli.options import LARGEST, Json, Rig
from thermite_pipelines.cli.output import print_json, print_json_list, print_table, say

Outcome = Literal["accepted", "duplicate", "waiting", "quarantined"]
Row = dict[str, Any]

LEASE_SECONDS = 60.0
"""How long a retry waits for an intake of the same rig."""

reports = typer.Typer(help="Reports that arrived, with what became of each.", invoke_without_command=True)


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(reports, name="reports")


@reports.callback()
def listing(
    context: typer.Context,
    rig: Rig = None,
    outcome: Annotated[Outcome | None, typer.Option("--outcome", help="Only reports with this outcome.")] = None,
    json: Json = False,
) -> None:
    """List the files that arrived, oldest first, with the outcome of each; or judge one again (`retry`)."""
    context.obj = json
    if context.invoked_subcommand is not None:
        return
    from thermite_pipelines.knowledge.home import open_home

    control = open_home().control
    if rig is not None:
        _require_seen(control, rig)
    if json:
        print_json_list("reports", _rows(control, rig, outcome))
    else:
        _print(list(_rows(control, rig, outcome)))


@reports.command("retry")
def retry(
    context: typer.Context,
    receipt: Annotated[
        int, typer.Argument(metavar="RECEIPT", max=LARGEST, help="Number of the receipt, see `thermite reports`.")
    ],
    json: Json = False,
) -> None:
    """Judge a quarantined file again, after an upgrade or once its key is registered."""
    from sqlalchemy import select

    from thermite_pipelines.control import audit
    from thermite_pipelines.control.leases import lease
    from thermite_pipelines.control.models import Receipt
    from thermite_pipelines.errors import ThermiteError
    from thermite_pipelines.intake.receipts import Intake
    from thermite_pipelines.knowledge.home import open_home

    home = open_home()
    query = select(Receipt).where(Receipt.receipt == receipt)
    with home.control.read() as connection:
        before = connection.execute(query).first()
    if before is None:
        raise ThermiteError(f"there is no receipt {receipt}", do="look at `thermite reports`")
    changed = False
    if before.outcome == "quarantined":
        with lease(home.control, f"rig:{before.rig}", wait=LEASE_SECONDS):
            changed = Intake(home.control, home.lake, home.settings).retry(receipt, audit.whoami())
    with home.control.read() as connection:
        after = connection.execute(query).one()
    if json or context.obj:
        print_json({"changed": changed, **_row(after)})
        return
    reason = f" ({after.reason})" if after.reason else ""
    say(f"receipt {receipt} is {'now' if changed else 'still'} {after.outcome}{reason}")
    if changed and after.outcome == "accepted":
        say("`thermite refresh` brings its events into the folders")


def _require_seen(control: Any, rig: str) -> None:
    """Raise `ThermiteError` for a rig that control does not know and from whose inbox nothing came."""
    from sqlalchemy import select

    from thermite_pipelines.control.models import Receipt
    from thermite_pipelines.control.rigs import require_rig
    from thermite_pipelines.names import check_name

    check_name("rig", rig)
    with control.read() as connection:
        if connection.execute(select(Receipt.receipt).where(Receipt.rig == rig).limit(1)).first() is None:
            require_rig(connection, rig)


def _rows(control: Any, rig: str | None, outcome: str | None) -> Iterator[Row]:
    from sqlalchemy import select

    from thermite_pipelines.control.models import Receipt

    query = select(Receipt).order_by(Receipt.receipt)
    if rig is not None:
        query = query.where(Receipt.rig == rig)
    if outcome is not None:
        query = query.where(Receipt.outcome == outcome)
    with control.read() as connection:
        for row in connection.execute(query):
            yield _row(row)


def _row(row: Any) -> Row:
    from thermite_pipelines.times import format_rfc3339

    return {
        "receipt": row.receipt,
        "rig": row.rig,
        "file": row.name,
        "sha256": row.sha256,
        "payload_sha256": row.payload_sha256,
        "outcome": row.outcome,
        "reason": row.reason,
        "detail": row.detail,
        "conflicts_with": row.conflicts_with,
        "ledger": row.ledger,
        "seq": row.seq,
        "events": row.events,
        "arrived_at": format_rfc3339(row.arrived_at),
    }


def _print(rows: list[Row]) -> None:
    columns = ("receipt", "rig", "file", "outcome", "reason", "ledger", "seq", "events", "arrived_at", "detail")
    print_table(columns, ([row[name] for name in columns] for row in rows), "no reports")
    if rows:
        outcomes = Counter(row["outcome"] for row in rows)
        reasons = Counter(row["reason"] for row in rows if row["reason"])
        say(", ".join(f"{count} {name}" for name, count in outcomes.most_common()))
        if reasons:
            say("reasons: " + ", ".join(f"{count} {name}" for name, count in reasons.most_common()))
