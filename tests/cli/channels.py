"""What tests of help requests and learnings share: agents that ask, propose and are briefed, and their state folded."""

from typing import Any

from tests.cli.commands import Cli
from tests.support.rigs import RigSimulator
from thermite_pipelines.knowledge.home import Home as OpenHome
from thermite_pipelines.learnings.folding import refresh_channels
from thermite_pipelines.times import format_rfc3339, now_micros

CAMPAIGN = "speed-up"
REQUEST = [
    *["rig", "ledger", "run", "campaign", "agent", "blocker", "summary", "detail", "fatal", "count", "at"],
    *["resolved_at", "reply"],
]
LEARNING = [
    *["id", "campaign", "agent", "text", "state", "impact", "proposals", "runs_left", "first_at", "last_at"],
]


def now() -> str:
    """A moment ago: what was asked long ago is in no list."""
    return format_rfc3339(now_micros() - 1_000_000)


def open_run(cli: Cli, *runs: str, rig: str = "rig-a", campaign: str = CAMPAIGN, **data: Any) -> RigSimulator:
    """A rig with runs in a campaign; `data` goes into their `run_created`."""
    cli.home.campaign(campaign)
    simulator = cli.home.rig(rig)
    for run in runs or ("run-1",):
        simulator.say_run(run, campaign=campaign, data=data, at=now())
    return simulator


def assigned(cli: Cli, *runs: str, rig: str = "rig-a", **data: Any) -> RigSimulator:
    """A rig with runs that control assigned to the campaign."""
    simulator = open_run(cli, *runs, rig=rig, **data)
    for run in runs or ("run-1",):
        cli.json("assign", "--rig", rig, "--run", run, "--campaign", CAMPAIGN)
    return simulator


def ask(rig: RigSimulator, summary: str = "no key for the registry", *, run: str = "run-1", **data: Any) -> None:
    """An agent asks for help; `data` replaces fields, None leaves one out."""
    whole = {"request": f"q{rig.n + 1}", "agent": "worker", "blocker": "access", "summary": summary, "fatal": False}
    kept = {name: value for name, value in (whole | data).items() if value is not None}
    rig.say("help_requested", kept, run=run, at=now())


def propose(rig: RigSimulator, text: str, *, run: str = "run-1", **data: Any) -> str:
    """An agent proposes a learning; the id that it gets if it is the first to say so."""
    whole = {"learning": f"l{rig.n + 1}", "agent": "worker", "text": text, "impact": "low"} | data
    rig.say("learning_proposed", whole, run=run, at=now())
    return f"{rig.name}/{run}/{whole['learning']}"


def brief(rig: RigSimulator, *shown: str, run: str, agent: str = "worker") -> None:
    """A run is briefed."""
    rig.say("brief_given", {"agent": agent, "learnings": list(shown), "items": []}, run=run, at=now())


def arrive(cli: Cli, *rigs: str) -> None:
    """What was said is sent, taken in and folded."""
    for rig in rigs or ("rig-a",):
        cli.home.rig(rig).send()
        cli.home.intake(rig)
    refresh_channels(opened(cli))


def opened(cli: Cli) -> OpenHome:
    return OpenHome(cli.home.settings, cli.home.control, cli.home.lake)


def requests(cli: Cli, *words: str) -> list[dict[str, Any]]:
    return cli.json("requests", "list", *words)["requests"]


def learnings(cli: Cli, *words: str) -> list[dict[str, Any]]:
    return cli.json("learnings", "list", *words)["learnings"]


def blocked(cli: Cli) -> dict[str, str]:
    """By run what it is blocked on, of those that are, as the run lists have it."""
    runs = [run for folder in cli.json("folders")["folders"] for run in folder["runs"]]
    return {run["run"]: run["blocked_on"] for run in runs if run["blocked_on"] is not None}
