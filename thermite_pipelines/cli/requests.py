"""`thermite requests`: what agents asked people for, and what people answer."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from thermite_pipelines.cli.options import By, Json, Rig, Run, check_by
from thermite_pipelines.cli.output import clean, cut, print_json, print_table, say, warn

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.home import Home

Row = dict[str, Any]
Blocker = Literal["access", "tooling", "ambiguity", "environment", "decision", "other"]

RunName = Annotated[str, typer.Argument(metavar="RUN", help="The run that asked.", show_default=False)]
RigOfRun = Annotated[
    str | None, typer.Option("--rig", metavar="RIG", help="Its rig; may be left out where only one has that run.")
]
_SUMMARY = 100

requests = typer.Typer(help="Help requests: what agents asked people for, and the answers.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(requests, name="requests")


@requests.command("list")
def listing(
    grouped: Annotated[
        bool, typer.Option("--grouped", help="Open ones alone; equal ones of an agent's runs in one line.")
    ] = False,
    only_open: Annotated[
        bool, typer.Option("--open", help="Only those that nobody has dealt with, or that were asked again since.")
    ] = False,
    campaign: Annotated[str | None, typer.Option("--campaign", metavar="C", help="Only this campaign.")] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="A", help="Only this agent.")] = None,
    blocker: Annotated[Blocker | None, typer.Option("--blocker", help="Only this category.")] = None,
    run: Run = None,
    rig: Rig = None,
    json: Json = False,
) -> None:
    """List help requests of the last 90 days, oldest first, and count the open ones and those asked again."""
    from thermite_pipelines.knowledge.help_reading import BLOCKERS, help_requests, is_open
    from thermite_pipelines.knowledge.help_reading import grouped as group

    home = _open(campaign, run, rig)
    wanted = {"campaign": campaign, "agent": agent, "blocker": blocker, "run": run, "rig": rig}
    found = [row for row in help_requests(home) if _matches(row, wanted)]
    if not found:
        _say_unknown(home, run, rig, agent)
    waiting = [row for row in found if is_open(row)]
    again = [row for row in found if row["asked_again"]]
    by_blocker = Counter(row["blocker"] for row in waiting)
    categories = {name: by_blocker[name] for name in BLOCKERS}
    counts = {"open": len(waiting), "asked_again": len(again), "by_blocker": categories}
    shown = [row for row in found if is_open(row) or row["asked_again"]] if only_open else found
    if json:
        listed = {"groups": group(found)} if grouped else {"requests": [_document(row) for row in shown]}
        print_json(listed | counts)
        return
    if grouped:
        _print_groups(group(found))
    else:
        _print_requests(shown, details=run is not None)
    if found:
        say(_totals(len(found), len(waiting), len(again), categories))


def _open(campaign: str | None, run: str | None, rig: str | None) -> "Home":
    """The home, in which control knows what is named. Raises `ThermiteError`."""
    from thermite_pipelines.control.campaigns import require_campaign
    from thermite_pipelines.control.rigs import require_rig
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.names import check_name, check_run

    if run is not None:
        check_run(run)
    home = open_home()
    with home.control.read() as connection:
        if campaign is not None:
            require_campaign(connection, check_name("campaign", campaign))
        if rig is not None:
            require_rig(connection, rig)
    return home


def _say_unknown(home: "Home", run: str | None, rig: str | None, agent: str | None) -> None:
    """Say that nobody has heard of the run or agent: a name that was mistyped has no requests either."""
    from sqlalchemy import select

    from thermite_pipelines.control.channel_models import ChannelEvent
    from thermite_pipelines.control.models import Assignment
    from thermite_pipelines.control.models import Run as RunRow

    with home.control.read() as connection:
        if run is not None:
            rigs = [select(table.rig).where(table.run == run) for table in (RunRow, Assignment)]
            known = {name for query in rigs for name in connection.execute(query).scalars()}
            if rig not in known if rig is not None else not known:
                warn(f"note: there is no run {run}{'' if rig is None else f' of {rig}'}")
        if agent is not None:
            spoke = select(ChannelEvent.run_key).where(ChannelEvent.agent == agent).limit(1)
            if connection.execute(spoke).first() is None:
                warn(f"note: no agent {cut(agent, _SUMMARY)} has asked, proposed or been briefed")


def _totals(number: int, waiting: int, again: int, by_blocker: dict[str, int]) -> str:
    categories = ", ".join(f"{count} {name}" for name, count in by_blocker.items() if count)
    line = f"{waiting} open of {number}{f' ({categories})' if categories else ''}"
    return f"{line}, {again} asked again since somebody dealt with {'it' if again == 1 else 'them'}" if again else line


def _matches(row: Row, wanted: Row) -> bool:
    return all(value is None or row[name] == value for name, value in wanted.items())


def _document(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "request"}


def _print_requests(rows: list[Row], *, details: bool) -> None:
    columns = ("asked", "run", "campaign", "agent", "blocker", "", "state", "summary")
    shown = [
        (
            row["at"],
            f"{row['rig']}/{row['run']}",
            row["campaign"],
            row["agent"],
            row["blocker"],
            _weight(row),
            _state(row),
            cut(row["summary"], _SUMMARY),
        )
        for row in rows
    ]
    print_table(columns, shown, "no help requests")
    for row in rows if details else ():
        if row["detail"]:
            say()
            say(f"{row['blocker']}: {cut(row['summary'], _SUMMARY)}")
            for line in row["detail"].splitlines():
                say(f"    {clean(line)}")


def _print_groups(groups: list[Row]) -> None:
    columns = ("campaign", "agent", "blocker", "", "runs", "summary")
    shown = [
        (row["campaign"], row["agent"], row["blocker"], _weight(row), len(row["runs"]), cut(row["summary"], _SUMMARY))
        for row in groups
    ]
    print_table(columns, shown, "no open help requests")


def _weight(row: Row) -> str:
    """Whether it stopped the work, and how often it was asked."""
    times = f", {row['count']} times" if row["count"] > 1 else ""
    return f"{'fatal' if row['fatal'] else 'limiting'}{times}"


def _state(row: Row) -> str:
    if row["resolved_at"] is None:
        return "open"
    state = f"answered by {row['reply']}" if row["reply"] else "resolved"
    return f"{state}, asked again" if row["asked_again"] else state


@requests.command("reply")
def reply(
    run: RunName,
    text: Annotated[str, typer.Option("--text", metavar="T", help="What the agent is told.")],
    by: By,
    rig: RigOfRun = None,
    flag: Annotated[
        list[str] | None,
        typer.Option("--flag", metavar="F", help="A flag of the new run, where the record has none; repeat it."),
    ] = None,
    json: Json = False,
) -> None:
    """Answer every open request of a run: the same agent starts a new run with this text.

    Signs the command that the rig fetches. The new run has the kit, flags and routes of the run that asked.
    """
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.learnings import actions
    from thermite_pipelines.names import check_run

    done = actions.reply(open_home(), check_run(run), rig, text=text, by=check_by(by), flags=tuple(flag or ()))
    for notice in done.notices:
        warn(f"note: {notice}")
    if json:
        names = ("changed", "rig", "run", "reply", "agent", "command", "answered")
        print_json({name: getattr(done, name) for name in names})
        return
    if done.changed:
        new = f"the new run {done.reply} of agent {done.agent}"
        say(f"{_requests(done.answered)} of run {run} of {done.rig} answered by {new}")
    else:
        say(f"run {run} of {done.rig} has no open request")
    if done.command is not None:
        say(f"the signed command is {clean(done.command)}")


@requests.command("resolve")
def resolve(run: RunName, by: By, rig: RigOfRun = None, json: Json = False) -> None:
    """Mark every open request of a run as dealt with; nothing is started."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.learnings import actions
    from thermite_pipelines.names import check_run

    done = actions.resolve(open_home(), check_run(run), rig, by=check_by(by))
    if json:
        print_json({name: getattr(done, name) for name in ("changed", "rig", "run", "resolved")})
    elif done.changed:
        say(f"{_requests(done.resolved)} of run {run} of {done.rig} marked as dealt with")
    else:
        say(f"run {run} of {done.rig} has no open request")


def _requests(number: int) -> str:
    return f"{number} request{'' if number == 1 else 's'}"
