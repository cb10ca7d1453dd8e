"""`thermite learnings`: what agents told the later runs of their own, and what people keep or drop of it."""

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from thermite_pipelines.cli.options import By, Json, check_by
from thermite_pipelines.cli.output import clean, cut, print_json, print_table, say, warn
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.learnings.columns import SHOWN, SHOWN_REFUSED

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.home import Home
    from thermite_pipelines.learnings.actions import Decided

Row = dict[str, Any]
State = Literal["provisional", "confirmed", "lapsed", "rejected"]

CampaignOption = Annotated[str | None, typer.Option("--campaign", metavar="C", help="Only this campaign.")]
LearningId = Annotated[
    str, typer.Argument(metavar="ID", help="Its id, see `thermite learnings list`.", show_default=False)
]

READERS = ("worker", "planner", "teachers", "auditor", "panel")
"""Agents that every campaign has, whether they have said something or not."""

_ACTIVE = ("provisional", "confirmed")
_TEXT = 120

learnings = typer.Typer(help="Learnings: what agents found out, for the later runs of the same agent.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(learnings, name="learnings")


@learnings.command("list")
def listing(
    campaign: CampaignOption = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="A", help="Only this agent's.")] = None,
    state: Annotated[State | None, typer.Option("--state", help="Only those in this state.")] = None,
    shown_to: Annotated[
        str | None, typer.Option("--shown-to", metavar="RUN", help="Only those that this run was shown.")
    ] = None,
    rig: Annotated[str | None, typer.Option("--rig", metavar="RIG", help="The rig of --shown-to's run.")] = None,
    json: Json = False,
) -> None:
    """List learnings of every state, and what screening refused (never its text)."""
    from thermite_pipelines.knowledge.help_reading import learnings as all_learnings
    from thermite_pipelines.knowledge.help_reading import refusals

    if rig is not None and shown_to is None:
        raise UsageError("--rig without --shown-to", do="name the run too, or leave it out")
    home = _open(campaign)
    wanted = {"campaign": campaign, "agent": agent}
    known = all_learnings(home)
    found = [row for row in known if _matches(row, wanted | {"state": state})]
    told, empty = {}, "no learnings"
    if shown_to is not None:
        ids = _shown(home, {row["id"] for row in known}, shown_to, rig)
        found = [row for row in found if row["id"] in (ids or ())]
        told = {"briefed": ids is not None}
        empty = _why_none(shown_to, ids)
    # A refused one has none of the states, and no run was ever shown it.
    whole = state is None and shown_to is None
    refused = [row for row in refusals(home) if _matches(row, wanted)] if whole else []
    if json:
        print_json(
            {
                "learnings": [{name: row[name] for name in SHOWN} for row in found],
                "refused": [{name: row[name] for name in SHOWN_REFUSED} for row in refused],
            }
            | told
        )
        return
    _print(found, refused, empty)


def _open(campaign: str | None) -> "Home":
    from thermite_pipelines.control.campaigns import require_campaign
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.names import check_name

    home = open_home()
    if campaign is not None:
        with home.control.read() as connection:
            require_campaign(connection, check_name("campaign", campaign))
    return home


def _matches(row: Row, wanted: Row) -> bool:
    return all(value is None or row[name] == value for name, value in wanted.items())


def _why_none(run: str, shown: set[str] | None) -> str:
    """What to say where there is nothing to list of what a run was shown."""
    if shown is None:
        return f"run {run} was never briefed: its rig reported no brief_given of it"
    return "none of the learnings that it was shown" if shown else f"run {run} was briefed, and shown no learnings"


def _shown(home: "Home", known: set[str], run: str, rig: str | None) -> set[str] | None:
    """The ids of the learnings that the run's briefs listed; None where it was never briefed.

    A late report may since have made one of them the echo of another: then that is meant.
    """
    from thermite_pipelines.learnings.actions import known_learning
    from thermite_pipelines.learnings.shown import shown_to
    from thermite_pipelines.names import check_run

    told = shown_to(home, check_run(run), rig)
    if told is None:
        return None
    listed = set(told)
    ids = listed & known
    for id in sorted(listed - known):
        row = known_learning(home, id)
        if row is None:
            warn(f"note: the run was shown {id[:_TEXT]}, of which there is no learning now")
        else:
            ids.add(row["id"])
    return ids


def _print(found: list[Row], refused: list[Row], empty: str) -> None:
    columns = ("id", "campaign", "agent", "state", "impact", "proposed", "runs left", "text")
    shown = [
        (
            row["id"],
            row["campaign"],
            row["agent"],
            row["state"],
            row["impact"],
            row["proposals"],
            row["runs_left"],
            cut(row["text"], _TEXT),
        )
        for row in found
    ]
    print_table(columns, shown, empty)
    if refused:
        say()
        say("Refused:")
        print_table(SHOWN_REFUSED, ([row[name] for name in SHOWN_REFUSED] for row in refused))
    if found or refused:
        say(_totals(found, refused))


def _totals(found: list[Row], refused: list[Row]) -> str:
    """How many learnings there are in each state, and how many were refused."""
    states = Counter(row["state"] for row in found)
    counts = ", ".join(f"{states[state]} {state}" for state in get_args(State) if states[state])
    line = f"{len(found)} learning{'' if len(found) == 1 else 's'}{f' ({counts})' if counts else ''}"
    return f"{line}, {len(refused)} refused" if refused else line


@learnings.command("keep")
def keep(id: LearningId, by: By, json: Json = False) -> None:
    """Keep a learning: it is established, and does not lapse."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.learnings import actions

    _say(actions.keep(open_home(), id, by=check_by(by)), json, "is kept", "was established before")


@learnings.command("drop")
def drop(
    id: LearningId,
    by: By,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Drop a learning: no later run is shown it, and nobody can bring it back. Asks first on a terminal."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.learnings import actions
    from thermite_pipelines.learnings.folding import holding

    by = check_by(by)
    home = open_home()
    if not yes and sys.stdin.isatty():
        with holding(home):
            row = actions.find_learning(home, id)
        _ask(row)
    _say(actions.drop(home, id, by=by), json, "is dropped", "was dropped before")


def _ask(row: Row) -> None:
    """Ask whether this learning is meant. Raises `ThermiteError` where it is not."""
    if row["state"] not in _ACTIVE:
        return  # nothing would change
    warn(f"{row['id']} ({row['state']}, of {row['agent']} in {row['campaign']}):")
    warn(f"    {cut(row['text'], 10 * _TEXT)}")
    # Not typer's own question: part of that goes to standard output, where a document may be due.
    print("Drop it for good? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ThermiteError("the learning was not dropped", where=clean(row["id"]), do="nothing was changed")


def _say(done: "Decided", json: bool, now: str, before: str) -> None:
    if json:
        print_json({name: getattr(done, name) for name in ("changed", "id", "campaign", "agent", "state")})
    else:
        say(f"{clean(done.id)} of {done.agent} in {done.campaign} {now if done.changed else before}")


@learnings.command("prompt")
def prompt(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Name of the agent.", show_default=False)],
    campaign: Annotated[
        str | None,
        typer.Option("--campaign", metavar="C", help="Its campaign; may be left out where only one has the agent."),
    ] = None,
    json: Json = False,
) -> None:
    """Show the section of an agent's next brief that holds its learnings."""
    from thermite_pipelines.knowledge.help_reading import learnings as all_learnings
    from thermite_pipelines.knowledge.learning_block import active, learning_block

    home = _open(campaign)
    campaign = _campaign_of(home, agent, campaign)
    rows = active(all_learnings(home), campaign, agent)
    text = learning_block(rows)
    if json:
        ids = [row["id"] for row in rows]
        print_json({"campaign": campaign, "agent": agent, "prompt": text, "learnings": ids})
        return
    for line in text.splitlines() or [f"{agent} has no learnings in {campaign} that its next run is shown"]:
        say(clean(line))


def _campaign_of(home: "Home", agent: str, campaign: str | None) -> str:
    """The campaign that is meant: the named one, or the only one that has the agent. Raises `ThermiteError`."""
    from thermite_pipelines.names import AGENT

    if not AGENT.fullmatch(agent):
        raise UsageError(f"{agent!r} is no agent's name", do="use at most 64 letters, digits, '_', '.' or '-'")
    having = _campaigns_with(home, agent)
    if campaign is not None:
        if campaign in having or agent in READERS:
            return campaign
        raise ThermiteError(f"campaign {campaign} has no agent {agent!r}", do="look at `thermite learnings list`")
    if len(having) == 1:
        return having[0]
    if having:
        raise ThermiteError(
            f"several campaigns have an agent {agent!r}: {', '.join(having)}", do="name one with --campaign"
        )
    raise ThermiteError(f"no campaign has an agent {agent!r}", do="look at `thermite learnings list`")


def _campaigns_with(home: "Home", agent: str) -> list[str]:
    """The campaigns in whose runs an agent of this name asked, proposed or was briefed."""
    from sqlalchemy import select

    from thermite_pipelines.control.channel_models import ChannelEvent
    from thermite_pipelines.control.models import Run
    from thermite_pipelines.knowledge.state import all_runs

    spoke = Run.run_key.in_(select(ChannelEvent.run_key).where(ChannelEvent.agent == agent))
    with home.control.read() as connection:
        return sorted({run.campaign for run in all_runs(connection, spoke) if run.campaign is not None})
