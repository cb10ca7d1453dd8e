"""`thermite demo`: a sample home, filled through the same doors as any other, refreshed and exported."""

import json as json_format
import os
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import clean, print_json, program, progress, say
from thermite_pipelines.errors import ThermiteError

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.home import Home
    from thermite_pipelines.rig.sample.ledgers import Report
    from thermite_pipelines.settings import Settings

MARKER = "sample-home.json"
_SCHEMA = "thermite.sample/2"
_BY = "demo"
# Files whose time lies so far back are settled at once: nobody waits for a sample.
_SETTLED_SECONDS = 3_600

_LOOK = (
    ("thermite folders", "three campaigns, their runs, and one run in no folder"),
    ("thermite items --campaign faster-training --kind experiment", "what was tried, with its results"),
    (
        "thermite items --campaign optimizer-reading --kind claim --json",
        "claims with quotes, one of which is not verified",
    ),
    (
        "thermite search memory peak --limit 3",
        "items and, in their own section, what the owner explained, with exact words",
    ),
    (
        "thermite review --campaign faster-training",
        "nothing new: the facts of the sample are reviewed; with --effort high it looks further",
    ),
    ("thermite atoms extract --recent 5", "nothing new: the sessions of the sample are done"),
    ("thermite requests list", "what agents asked a person: one request is answered, one waits"),
    ("thermite learnings list", "what agents found out for their later runs, in each of the four states"),
    ("thermite learnings list --shown-to climb-3", "which of that the running run was told"),
    ("thermite events --rejected", "an event that broke a rule"),
    ("thermite reports --outcome quarantined", "the second payload for one place of a chain: a fork"),
    ("thermite doctor", "names that fork, the run in no folder and four notes; nothing else"),
)
_FILES = (
    ("sync/rig-a/climb-3/briefs/lane-1.md", "what the running run's worker is told"),
    ("sync/rig-a/climb-3/knowledge/", "what its agents read"),
    ("commands/rig-a/climb-3.dsse.json", "the signed command with its briefing"),
    ("help/", "requests and learnings, a file of requests for each day"),
    ("exports/rig-b/000001/", "what a results repository gets"),
    ("lake/folders/", "the same items as Parquet, for any tool"),
    ("lake/derived/atoms/", "what people said, as Parquet; atoms_log/ beside it as JSON lines"),
    ("lake/derived/syntheses/", "what follows from facts, beside facts/, base_facts/ and decisions/"),
)


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(demo)


def demo(
    home: Annotated[Path, typer.Option("--home", metavar="DIR", help="The sample home.")] = Path("demo-home"),
    json: Json = False,
) -> None:
    """Make a sample home: two rigs, three campaigns, 29 runs, refreshed and exported. Again changes nothing."""
    from thermite_pipelines.settings import load_settings

    settings = load_settings(home)
    days = _claim_folder(settings)
    # The sample keeps its Dagster with the rest, whatever this shell works with otherwise.
    os.environ["DAGSTER_HOME"] = str(settings.dagster_home)
    changed = _fill(settings, days)
    look = [{"command": command, "shows": shows} for command, shows in _LOOK]
    if json:
        print_json({"changed": changed, "home": str(settings.home), "look": look})
    else:
        _say_where(settings.home, changed)


def _claim_folder(settings: "Settings") -> int:
    """Mark the folder as a sample home, and return by how many days the sample's events are moved in it.

    Raises `ThermiteError` where the folder, or a setting, belongs to other data.
    """
    from thermite_pipelines.rig.sample import ledgers
    from thermite_pipelines.tables.lake import write_atomic

    for name, value in (("THERMITE_LAKE_URL", settings.lake_url), ("THERMITE_CONTROL_URL", settings.control_url)):
        if value:
            raise ThermiteError(f"{name} is set, and a sample home keeps all in its folder", do=f"unset {name}")
    path = settings.home
    if path.exists() and not path.is_dir():
        raise ThermiteError("this is no folder", where=str(path), do="give another one with --home")
    if (path / MARKER).exists():
        return ledgers.days_later(last_day(path))
    if path.is_dir() and any(path.iterdir()):
        raise ThermiteError("the folder holds other data", where=str(path), do="give a new one with --home")
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    marker = {"schema": _SCHEMA, "last_day": yesterday.isoformat()}
    write_atomic(path / MARKER, json_format.dumps(marker).encode() + b"\n")
    return ledgers.days_later(yesterday)


def last_day(home: Path) -> date:
    """The day of the newest event of a sample home. Raises `ThermiteError` where another version made the home."""
    try:
        marker = json_format.loads((home / MARKER).read_bytes())
        if marker["schema"] == _SCHEMA:
            return date.fromisoformat(marker["last_day"])
    except (ValueError, TypeError, KeyError):
        pass
    what = "the folder holds the sample of another version"
    raise ThermiteError(what, where=str(home), do="give a new one with --home, or remove it")


def _fill(settings: "Settings", days: int) -> bool:
    """Do what is not done yet; return whether that was anything."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.knowledge.initialise import initialise
    from thermite_pipelines.rig.sample import ledgers

    changed = initialise(settings).changed
    home = open_home(settings)
    seeds = _register(home)
    changed |= _decide(home)
    changed |= _deliver(home, ledgers.finished_runs(days), seeds)
    _refresh(home, "runs that ended")
    changed |= _answer(home)
    briefing = _assign_running(home)
    changed |= _deliver(home, [*ledgers.running_run(briefing, days), ledgers.rival(days)], seeds)
    _refresh(home, "the run that goes on")
    changed |= _export(home)
    if changed:
        _finish_picture(home)
    return changed


def _finish_picture(home: "Home") -> None:
    """Run once what schedules run by the clock, so that the UI shows tables and checks from the first look on."""
    from thermite_pipelines.cli import dagster_runs

    with progress("tables and checks") as report:
        for done, job in enumerate(("write_tables", "check_all"), 1):
            dagster_runs.run_job(home, job, None)
            report(done, 2)


def _register(home: "Home") -> dict[str, bytes]:
    """Give each rig a key of its own and register it; return the seeds."""
    from thermite_pipelines.control import rigs
    from thermite_pipelines.rig import keys
    from thermite_pipelines.rig.sample import ledgers

    seeds = {}
    folder = home.settings.home / "rig-keys"
    folder.mkdir(mode=0o700, exist_ok=True)
    for rig in ledgers.RIGS:
        path = folder / f"{rig}.hex"
        key = keys.describe(keys.read_key(path), path) if path.exists() else keys.generate(path)
        seeds[rig] = key.seed
        with home.control.write() as connection:
            rigs.add_key(connection, rig, key.public_key_hex, _BY)
    return seeds


def _decide(home: "Home") -> bool:
    """What an owner decides before anything arrives: campaigns, a grant, and where runs belong."""
    from thermite_pipelines.control import campaigns
    from thermite_pipelines.knowledge.briefing import assign_run
    from thermite_pipelines.rig.sample import ledgers, reading, training

    changed = False
    with home.control.write() as connection:
        for name, title in ledgers.CAMPAIGNS.items():
            changed |= campaigns.add_campaign(connection, name, title, _BY)
        changed |= campaigns.grant(connection, training.CAMPAIGN, reading.CAMPAIGN, _BY)
    for (rig, run), campaign in ledgers.ASSIGNED.items():
        changed |= assign_run(home, rig, run, campaign, by=_BY).changed
    return changed


def _answer(home: "Home") -> bool:
    """What a person does about learnings and requests, once: keep one, drop one, answer one."""
    from thermite_pipelines.knowledge.help_reading import help_requests, is_open, learnings
    from thermite_pipelines.learnings import actions
    from thermite_pipelines.learnings.folding import refresh_channels
    from thermite_pipelines.rig.sample import ledgers

    refresh_channels(home)
    undecided = {row["id"] for row in learnings(home) if row["state"] == "provisional"}
    if ledgers.KEPT in undecided:
        actions.keep(home, ledgers.KEPT, by=_BY)
    if ledgers.DROPPED in undecided:
        actions.drop(home, ledgers.DROPPED, by=_BY)
    rig, run = ledgers.ANSWERED
    waits = any(is_open(row) and (row["rig"], row["run"]) == (rig, run) for row in help_requests(home))
    if waits:
        actions.reply(home, run, rig, text=ledgers.REPLY, by=_BY)
    return waits or not undecided.isdisjoint({ledgers.KEPT, ledgers.DROPPED})


def _assign_running(home: "Home") -> list[dict[str, str]]:
    """Assign the run that goes on, with a briefing picked from what is known; return the briefing of its command."""
    from sqlalchemy import select

    from thermite_pipelines.control.models import Assignment
    from thermite_pipelines.knowledge.briefing import assign_run
    from thermite_pipelines.rig.sample import ledgers, training

    picked = {"picks": ledgers.PICKS, "kit": "nano-lm", "flags": ["five-minutes"]}
    assign_run(home, ledgers.RIG_A, ledgers.RUNNING, training.CAMPAIGN, by=_BY, **picked)
    query = select(Assignment.command).where(Assignment.rig == ledgers.RIG_A, Assignment.run == ledgers.RUNNING)
    with home.control.read() as connection:
        return connection.execute(query).scalar_one()["briefing"]


def _deliver(home: "Home", reports: "list[Report]", seeds: dict[str, bytes]) -> bool:
    """Put reports into the inboxes, as a rig does, unless they arrived before."""
    from sqlalchemy import select

    from thermite_pipelines.control.models import Receipt
    from thermite_pipelines.tables.lake import write_atomic

    with home.control.read() as connection:
        arrived = set(connection.execute(select(Receipt.payload_sha256)).scalars())
    due = [report for report in reports if report.sha256 not in arrived]
    settled = time.time() - _SETTLED_SECONDS
    for report in due:
        path = home.settings.inbox / report.rig / report.name
        write_atomic(path, report.envelope(seeds[report.rig]))
        os.utime(path, (settled, settled))
    return bool(due)


def _refresh(home: "Home", what: str) -> None:
    from thermite_pipelines.cli import dagster_runs

    with progress(f"refresh: {what}") as report:
        runs = dagster_runs.refresh(home, [], [], True, report)
    failed = [run for run in runs if run.status != "SUCCESS"]
    if failed:
        what = f"{failed[0].job} of {failed[0].partition} failed (Dagster run {failed[0].dagster_run})"
        raise ThermiteError(what, do=f"look at it with `thermite up --home {home.settings.home}`")


def _export(home: "Home") -> bool:
    """The first export of each rig that has none yet."""
    from sqlalchemy import select

    from thermite_pipelines.cli import dagster_runs
    from thermite_pipelines.control.models import Export
    from thermite_pipelines.rig.sample import ledgers

    with home.control.read() as connection:
        exported = set(connection.execute(select(Export.rig)).scalars())
    due = [rig for rig in ledgers.RIGS if rig not in exported]
    for rig in due:
        dagster_runs.export(home, rig)
    return bool(due)


def _atoms(home: Path) -> list[dict[str, Any]]:
    """The atoms of the sample, by type."""
    from thermite_pipelines.knowledge.derived import DerivedReader
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.rig.sample import ledgers

    reader = DerivedReader(open_home(home=home))
    rows = [row for campaign in ledgers.CAMPAIGNS for row in reader.rows(campaign, "atoms")]
    return sorted(rows, key=lambda row: (row["type"], row["statement"]))


def _channels(home: Path) -> list[tuple[str, str]]:
    """Requests, learnings and refusals of the sample, each as a state and a text; of a refusal there is no text."""
    from thermite_pipelines.knowledge import help_reading
    from thermite_pipelines.knowledge.home import open_home

    opened = open_home(home=home)
    asked = [("waits" if help_reading.is_open(row) else "answered", row) for row in help_reading.help_requests(opened)]
    learned = help_reading.learnings(opened)
    rows = [(state, f"{row['blocker']}: {row['summary']}") for state, row in asked]
    rows += [(row["state"], row["text"]) for state in help_reading.STATES for row in learned if row["state"] == state]
    refused = help_reading.refusals(opened)
    return rows + [("refused", f"{row['reason']}: proposed in {row['run']}, and shown nowhere") for row in refused]


def _say_where(home: Path, changed: bool) -> None:
    shown = clean(home)
    say(f"The sample home {'is ready' if changed else 'was ready before'}: {shown}")
    say()
    say(f"    {program()} up --home {shown}       the UI, with everything that works by itself")
    say(f"    {program()} serve --home {shown}    pages to search, to read and to decide on: it says how to sign in")
    say()
    say(f"or, after `export THERMITE_HOME={shown}`:")
    say()
    width = max(len(command) for command, _ in _LOOK)
    for command, shows in _LOOK:
        say(f"    {command.ljust(width)}  {shows}")
    _say_rows(
        "What its owner explained to an agent, as knowledge atoms:",
        [(atom["type"], atom["statement"]) for atom in _atoms(home)],
    )
    _say_rows("What its agents asked a person, and what they passed on to later runs of theirs:", _channels(home))
    _say_trees(home)
    say()
    say("and the files:")
    say()
    for path, holds in _FILES:
        say(f"    {f'{shown}/{path}'.ljust(len(shown) + 38)} {holds}")


def _say_trees(home: Path) -> None:
    """How many syntheses of which depth the built-in rules made of each campaign's facts, and the page to look at."""
    say()
    say("What follows from their notes, claims and results, by the built-in rules (open the page in a browser):")
    say()
    for campaign, facts, depths in _trees(home):
        page = f"{clean(home)}/pages/synthesis/{campaign}.html"
        say(f"    {campaign.ljust(18)} {facts} facts; syntheses: {depths}")
        say(f"    {''.ljust(18)} {page}")


def _trees(home: Path) -> list[tuple[str, int, str]]:
    """Campaigns with syntheses: facts that hold, and the number of syntheses of each depth."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.rig.sample import ledgers
    from thermite_pipelines.synthesis.synthesis_tables import synthesis_numbers

    opened = open_home(home=home)
    numbers = {campaign: synthesis_numbers(opened, campaign) for campaign in ledgers.CAMPAIGNS}
    return [
        (
            name,
            sum(one.facts.values()),
            ", ".join(f"{count} of depth {depth}" for depth, count in one.syntheses.items()),
        )
        for name, one in numbers.items()
        if one.syntheses
    ]


def _say_rows(heading: str, rows: list[tuple[str, str]]) -> None:
    say()
    say(heading)
    say()
    for first, text in rows:
        say(f"    {first.ljust(14)} {clean(text)[:100]}")
