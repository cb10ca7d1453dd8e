"""`thermite demo`: a sample home, filled through the same doors as any other, refreshed and exported."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import clean, print_json, progress, say
from thermite_pipelines.errors import ThermiteError

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.home import Home
    from thermite_pipelines.rig.sample.ledgers import Report
    from thermite_pipelines.settings import Settings

MARKER = "sample-home.json"
_BY = "demo"
# Files whose time lies so far back are settled at once: nobody waits for a sample.
_SETTLED_SECONDS = 3_600

_LOOK = (
    ("thermite folders", "two campaigns, their runs, and one run in no folder"),
    ("thermite items --campaign faster-training --kind experiment", "what was tried, with its results"),
    (
        "thermite items --campaign optimizer-reading --kind claim --json",
        "claims with quotes, one of which is not verified",
    ),
    (
        "thermite search memory peak --limit 3",
        "items and, in their own section, what the owner explained, with exact words",
    ),
    ("thermite atoms extract --recent 5", "nothing new: the sessions of the sample are done"),
    ("thermite events --rejected", "an event that broke a rule"),
    ("thermite reports --outcome quarantined", "the second payload for one place of a chain: a fork"),
    ("thermite doctor", "names that fork, the run in no folder and three notes; nothing else"),
)


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(demo)


def demo(
    home: Annotated[Path, typer.Option("--home", metavar="DIR", help="The sample home.")] = Path("demo-home"),
    json: Json = False,
) -> None:
    """Make a sample home: two rigs, two campaigns, seven runs, refreshed and exported. Again changes nothing."""
    from thermite_pipelines.settings import load_settings

    settings = load_settings(home)
    _claim_folder(settings)
    # The sample keeps its Dagster with the rest, whatever this shell works with otherwise.
    os.environ["DAGSTER_HOME"] = str(settings.dagster_home)
    changed = _fill(settings)
    look = [{"command": command, "shows": shows} for command, shows in _LOOK]
    if json:
        print_json({"changed": changed, "home": str(settings.home), "look": look})
    else:
        _say_where(settings.home, changed)


def _claim_folder(settings: "Settings") -> None:
    """Mark the folder as a sample home, or raise `ThermiteError` where it, or a setting, belongs to other data."""
    from thermite_pipelines.tables.lake import write_atomic

    for name, value in (("THERMITE_LAKE_URL", settings.lake_url), ("THERMITE_CONTROL_URL", settings.control_url)):
        if value:
            raise ThermiteError(f"{name} is set, and a sample home keeps all in its folder", do=f"unset {name}")
    path = settings.home
    if path.exists() and not path.is_dir():
        raise ThermiteError("this is no folder", where=str(path), do="give another one with --home")
    if (path / MARKER).exists():
        return
    if path.is_dir() and any(path.iterdir()):
        raise ThermiteError("the folder holds other data", where=str(path), do="give a new one with --home")
    write_atomic(path / MARKER, b'{"schema": "thermite.sample/1"}\n')


def _fill(settings: "Settings") -> bool:
    """Do what is not done yet; return whether that was anything."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.knowledge.initialise import initialise
    from thermite_pipelines.rig.sample import ledgers

    changed = initialise(settings).changed
    home = open_home(settings)
    seeds = _register(home)
    changed |= _decide(home)
    changed |= _deliver(home, ledgers.finished_runs(), seeds)
    _refresh(home, "runs that ended")
    briefing = _assign_running(home)
    changed |= _deliver(home, [*ledgers.running_run(briefing), ledgers.rival()], seeds)
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


def _say_where(home: Path, changed: bool) -> None:
    shown = clean(home)
    say(f"The sample home {'is ready' if changed else 'was ready before'}: {shown}")
    say()
    say(f"    thermite up --home {shown}    the UI, with everything that works by itself")
    say()
    say(f"or, after `export THERMITE_HOME={shown}`:")
    say()
    width = max(len(command) for command, _ in _LOOK)
    for command, shows in _LOOK:
        say(f"    {command.ljust(width)}  {shows}")
    say()
    say("What its owner explained to an agent, as knowledge atoms:")
    say()
    for atom in _atoms(home):
        say(f"    {atom['type'].ljust(14)} {clean(atom['statement'])[:100]}")
    say()
    say("and the files:")
    say()
    say(f"    {shown}/sync/rig-a/climb-3/knowledge/    what the running run's agents read")
    say(f"    {shown}/commands/rig-a/climb-3.dsse.json the signed command with its briefing")
    say(f"    {shown}/exports/rig-b/000001/            what a results repository gets")
    say(f"    {shown}/lake/folders/                    the same items as Parquet, for any tool")
    say(
        f"    {shown}/lake/derived/atoms/              what people said, as Parquet; atoms_log/ beside it as JSON lines"
    )
