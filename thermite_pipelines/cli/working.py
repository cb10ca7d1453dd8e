"""Commands that do the pipeline's work now: init, refresh, rebuild, tables, sync, export, and the UI."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thermite_pipelines.cli.options import Home as HomeOption
from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import clean, print_json, print_table, progress, say, warn
from thermite_pipelines.errors import ThermiteError, UsageError

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.home import Home

Campaigns = Annotated[
    list[str] | None, typer.Option("--campaign", metavar="C", help="Only this campaign; repeat it for several.")
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(init)
    app.command()(refresh)
    app.command()(rebuild)
    app.command()(tables)
    app.command()(sync)
    app.command()(export)
    app.command()(up)


def init(json: Json = False) -> None:
    """Make the home: folders, control's record, control's signing key (its public half is printed). Safe to repeat."""
    from thermite_pipelines.knowledge.initialise import initialise
    from thermite_pipelines.settings import load_settings

    made = initialise(load_settings())
    if json:
        migrated = None if made.migrated is None else {"from": made.migrated[0], "to": made.migrated[1]}
        document = {"home": str(made.home), "public_key": made.public_key, "keyid": made.keyid, "changed": made.changed}
        print_json(document | {"migrated": migrated})
        return
    say(f"home        {clean(made.home)} ({'is ready now' if made.changed else 'was ready before'})")
    if made.migrated is not None:
        say("record      migrated from version {} to {}".format(*made.migrated))
    say(f"public key  {made.public_key} (rigs check control's commands with it)")
    say(f"key id      {made.keyid}")


def refresh(
    rig: Annotated[list[str] | None, typer.Option("--rig", metavar="RIG", help="Only this rig; repeat it.")] = None,
    campaign: Campaigns = None,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Leave out what asks the configured answerer.")] = False,
    json: Json = False,
) -> None:
    """Do all that is behind, now, through Dagster: intake, folders, syncs and briefs."""
    from thermite_pipelines.knowledge.home import open_home

    home = open_home()
    _require(home, rig or [], campaign or [])
    from thermite_pipelines.cli import dagster_runs

    with progress("refresh") as report:
        runs = dagster_runs.refresh(home, rig or [], campaign or [], not no_llm, report)
    _print_runs(runs, json, "nothing was behind")


def rebuild(
    campaign: Campaigns = None,
    more: Annotated[list[str] | None, typer.Argument(metavar="[C]...", hidden=True)] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything, from the reports that were kept.")] = False,
    json: Json = False,
) -> None:
    """Make folders anew: of some campaigns from the verified events, or everything from the kept reports."""
    from thermite_pipelines.knowledge.home import open_home

    if more and not campaign:
        raise UsageError(f"unexpected {more[0]!r}", do="name campaigns with --campaign")
    named = [*(campaign or ()), *(more or ())]
    if bool(named) == everything:
        raise UsageError("say what to rebuild", do="give either --campaign C or --all")
    home = open_home()
    _require(home, [], named)
    from thermite_pipelines.cli import dagster_runs

    with progress("rebuild") as report:
        runs = dagster_runs.rebuild(home, None if everything else named, report)
    _print_runs(runs, json, "there is nothing to rebuild")


def tables(json: Json = False) -> None:
    """Write the whole tables now: one sorted Parquet file a kind over all campaigns, in lake/tables."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.knowledge.whole_tables import table_path, write_tables

    home = open_home()
    before = _versions(home, table_path)
    with progress("tables") as report:
        counts = write_tables(home, report)
    rows = [{"kind": kind, "path": f"lake/{table_path(kind)}", "rows": count} for kind, count in counts.items()]
    if json:
        print_json({"changed": _versions(home, table_path) != before, "tables": rows})
    else:
        print_table(("kind", "rows", "file"), ((row["kind"], row["rows"], row["path"]) for row in rows))


def _versions(home: "Home", path_of: Any) -> list[str | None]:
    """The versions of the whole tables' files: what tells a changed file."""
    from thermite_pipelines.knowledge.items import KINDS

    entries = [home.lake.stat(path_of(kind)) for kind in KINDS]
    return [None if entry is None else entry.version for entry in entries]


def sync(
    rig: Annotated[str | None, typer.Option("--rig", metavar="RIG", help="The rig of the run.")] = None,
    run: Annotated[str | None, typer.Option("--run", metavar="RUN", help="Only this run.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Compare every file too, and put right what was changed.")
    ] = False,
    json: Json = False,
) -> None:
    """Bring the knowledge folders and the briefs of running runs in step, now."""
    from thermite_pipelines.knowledge.briefs import Briefer
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.knowledge.sync import Syncer

    home = open_home()
    if rig is not None and run is None:
        raise UsageError("--rig without --run", do="name the run too, or leave both out for all running runs")
    if run is None:
        with progress("sync") as report:
            done = Syncer(home).sync_all(check=check, progress=report)
        briefed = Briefer(home).brief_all(check=check)
    else:
        rig = _rig_of(home, rig, run)
        done = [Syncer(home).sync_run(rig, run, check=check)]
        briefed = [Briefer(home).brief_run(rig, run, check=check)]
    rows = [
        {
            "rig": one.rig,
            "run": one.run,
            "path": one.path,
            "written": one.written,
            "removed": one.removed,
            "unchanged": one.unchanged,
        }
        for one in done
    ]
    if json:
        print_json({"synced": rows})
    else:
        columns = ("rig", "run", "path", "written", "removed", "unchanged")
        print_table(columns, ([row[name] for name in columns] for row in rows), "no run is running")
        if rows:
            written, unchanged = sum(one.written for one in briefed), sum(one.unchanged for one in briefed)
            say(f"briefs: {written} written, {unchanged} unchanged")


def _rig_of(home: "Home", rig: str | None, run: str) -> str:
    """The rig that is meant: the named one, or the only one on which control assigned a run of that name."""
    from sqlalchemy import select

    from thermite_pipelines.control.models import Assignment
    from thermite_pipelines.control.rigs import require_rig
    from thermite_pipelines.names import check_run

    check_run(run)
    with home.control.read() as connection:
        if rig is not None:
            require_rig(connection, rig)
            return rig
        query = select(Assignment.rig).where(Assignment.run == run).order_by(Assignment.rig)
        rigs = list(connection.execute(query).scalars())
    if len(rigs) == 1:
        return rigs[0]
    if rigs:
        raise ThermiteError(f"run {run} is assigned on several rigs: {', '.join(rigs)}", do="name one with --rig")
    raise ThermiteError(f"control assigned no run {run}", do="assign it with `thermite assign`")


def export(
    rig: Annotated[str, typer.Option("--rig", metavar="RIG", help="The rig whose events are exported.")],
    json: Json = False,
) -> None:
    """Write the rig's next export now: JSON lines and research folders of what is new since the last."""
    from thermite_pipelines.knowledge.home import open_home

    home = open_home()
    _require(home, [rig], [])
    from thermite_pipelines.cli import dagster_runs

    done = dagster_runs.export(home, rig)
    if json:
        print_json({"rig": done.rig, "number": done.number, "path": done.path, "files": done.files})
        return
    say(f"export {done.number} of {rig} is in {clean(home.settings.home / done.path)}")
    print_table(("file", "rows"), sorted(done.files.items()), "it holds no files")


def up(
    home: HomeOption = None,
    host: Annotated[str, typer.Option("--host", help="The address that the UI listens on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Its port; 0 takes a free one.")] = 3000,
    json: Json = False,
) -> None:
    """Start the UI and everything that works by itself; Ctrl-C ends it."""
    from thermite_pipelines.knowledge.home import open_home

    path = open_home(home=home).settings.home
    if home is not None:
        # A home that is named brings its own Dagster, whatever this shell works with otherwise.
        os.environ["DAGSTER_HOME"] = str(path / "dagster")
    from thermite_pipelines.cli.serving import free_port

    port = free_port(host, port)
    url = f"http://{host}:{port}"
    if json:
        print_json({"home": str(path), "url": url})
        # The document stays alone on standard output: what Dagster says goes to standard error.
        sys.stdout.flush()
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    else:
        _say_where(path, url)
    from thermite_pipelines.cli.serving import serve

    if serve(open_home(home=path), host, port):
        raise typer.Exit(1)


def _say_where(home: Path, url: str) -> None:
    say(f"Starting the UI of {clean(home)}; in a moment:")
    say(f"    {url}/assets      every asset with its partitions, checks and numbers")
    say(f"    {url}/automation  the sensors and schedules, which are on")
    say(f"    {url}/runs        what runs and ran")
    say("Reports that arrive in the inbox are taken by themselves.")
    sys.stdout.flush()


def _require(home: "Home", rigs: Sequence[str], campaigns: Sequence[str]) -> None:
    """Raise `ThermiteError` unless control knows the rigs and campaigns."""
    from thermite_pipelines.control.campaigns import require_campaign
    from thermite_pipelines.control.rigs import require_rig

    with home.control.read() as connection:
        for name in rigs:
            require_rig(connection, name)
        for name in campaigns:
            require_campaign(connection, name)


def _print_runs(runs: Sequence[Any], json: bool, empty: str) -> None:
    """Print Dagster runs; exit code 1 unless all succeeded."""
    ok = all(run.status == "SUCCESS" for run in runs)
    columns = ("job", "partition", "dagster_run", "status", "seconds")
    rows = [{name: getattr(run, name) for name in columns} for run in runs]
    if json:
        print_json({"ok": ok, "runs": rows})
    else:
        print_table(columns, ([row[name] for name in columns] for row in rows), empty)
    for run in runs:
        if run.reason is not None:
            warn(f"{run.job} {run.partition or ''}: {run.reason}")
    if not ok:
        raise typer.Exit(1)
