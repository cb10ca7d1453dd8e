"""Looking at what there is: events, folders, items."""

from typing import Annotated, Any

import typer

from thermite_pipelines.cli.options import LARGEST, Json, Rig, Run
from thermite_pipelines.cli.output import cut, print_json, print_json_list, print_table, say
from thermite_pipelines.errors import UsageError

Row = dict[str, Any]
_BLOCKED = 60


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(events)
    app.command()(folders)
    app.command()(items)


def events(
    rejected: Annotated[bool, typer.Option("--rejected", help="Events that break a rule, with the reason.")] = False,
    unknown: Annotated[
        bool, typer.Option("--unknown", help="Events of types that this version does not know.")
    ] = False,
    rig: Rig = None,
    run: Run = None,
    json: Json = False,
) -> None:
    """List verified events, or the rejected or the unknown ones, by rig, ledger and number."""
    from thermite_pipelines.control.rigs import require_rig
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.knowledge.listing import event_rows
    from thermite_pipelines.names import check_run

    if rejected and unknown:
        raise UsageError("--rejected and --unknown exclude each other", do="give one of them")
    if run is not None:
        check_run(run)
    home = open_home()
    if rig is not None:
        with home.control.read() as connection:
            require_rig(connection, rig)
    table = "rejected_events" if rejected else "unknown_events" if unknown else "events"
    rows = event_rows(home, table, rig, run)
    if json:
        print_json_list("events", rows)
        return
    columns = (
        "rig",
        "ledger",
        "n",
        "occurred_at",
        "run",
        "type",
        "written_by",
        *(("reason", "detail") if rejected else ()),
    )
    print_table(columns, ([row[name] for name in columns] for row in rows), "no events")


def folders(
    campaign: Annotated[str | None, typer.Option("--campaign", metavar="C", help="Only this campaign.")] = None,
    json: Json = False,
) -> None:
    """Show each campaign's folder: what there is by kind, runs, who reads it, what it reads, and what is behind."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.knowledge.listing import folder_rows, unplaced_rows
    from thermite_pipelines.knowledge.readable import Reader

    home = open_home()
    found = folder_rows(home, Reader.owner(), campaign)
    # Unplaced runs are in no campaign, so they are shown whichever is asked for.
    unplaced = unplaced_rows(home)
    if json:
        print_json({"folders": found, "unplaced": unplaced})
        return
    _print_folders(found)
    if unplaced:
        say()
        say("Runs in no folder:")
        columns = ("rig", "ledger", "run", "campaign", "why")
        print_table(columns, ([row[name] for name in columns] for row in unplaced))


def _print_folders(folders: list[Row]) -> None:
    """One table of campaigns, and one of all their runs with what each asks people for."""
    rows = []
    for folder in folders:
        counts = ", ".join(f"{count} {kind}" for kind, count in folder["items"].items())
        reads, read_by = ", ".join(folder["reads"]), ", ".join(folder["read_by"])
        rows.append((folder["campaign"], counts, reads, read_by, folder["behind"], len(folder["runs"])))
    print_table(("campaign", "items", "reads", "read by", "behind", "runs"), rows, "no campaigns yet")
    runs = [
        (folder["campaign"], run["rig"], run["run"], run["state"], cut(run["blocked_on"], _BLOCKED))
        for folder in folders
        for run in folder["runs"]
    ]
    if runs:
        say()
        print_table(("campaign", "rig", "run", "state", "blocked on"), runs)


def items(
    campaign: Annotated[
        str | None, typer.Option("--campaign", metavar="C", help="Only this campaign's folder.")
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="K", help="Only this kind; repeat it for several.")
    ] = None,
    run: Run = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, max=LARGEST, help="At most so many.")
    ] = None,
    json: Json = False,
) -> None:
    """List the items of the folders, by campaign, kind and time."""
    from itertools import islice

    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.knowledge.items import KINDS
    from thermite_pipelines.knowledge.listing import item_rows
    from thermite_pipelines.knowledge.readable import Reader
    from thermite_pipelines.names import check_run

    wrong = [name for name in kind or () if name not in KINDS]
    if wrong:
        raise UsageError(f"{wrong[0]!r} is no kind of item", do=f"use one of: {', '.join(KINDS)}")
    if run is not None:
        check_run(run)
    rows = islice(item_rows(open_home(), Reader.owner(), campaign, kind, run), limit)
    if json:
        print_json_list("items", rows)
        return
    columns = ("item", "campaign", "written by", "created", "title")
    shown = (
        (row["item"], row["campaign"], row["written_by"], row["created_at"], cut(_headline(row), 80)) for row in rows
    )
    print_table(columns, shown, "no items")


def _headline(row: Row) -> str:
    """What a person wants to see of an item in one line: of notes, whose title is their kind, the text too."""
    return f"{row['title']}: {row['text']}" if row["kind"] == "note" else row["title"]
