"""`thermite import`: logs of other tools become signed reports in the inbox."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import clean, print_json, print_table, say, warn

if TYPE_CHECKING:
    from thermite_pipelines.control.db import Control

Log = Annotated[Path, typer.Argument(metavar="PATH", help="The log, or a folder that holds it.", show_default=False)]
Key = Annotated[Path, typer.Option("--key", metavar="FILE", help="The rig's key file, which signs the reports.")]

importing = typer.Typer(help="Logs of other tools become signed reports in the inbox.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(importing, name="import")


@importing.callback()
def _group() -> None:
    """Keep `import` a group although it has one command so far."""


@importing.command("autoresearch")
def autoresearch(
    path: Log,
    rig: Annotated[str, typer.Option("--rig", metavar="RIG", help="The rig that the log is from.")],
    run: Annotated[str, typer.Option("--run", metavar="RUN", help="The run that it becomes.")],
    campaign: Annotated[str, typer.Option("--campaign", metavar="C", help="The campaign it is meant for.")],
    key: Key,
    json: Json = False,
) -> None:
    """Import an experiment log (TSV, CSV, JSON lines, Markdown). Again sends only what is new."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.names import check_name, check_run
    from thermite_pipelines.rig.importers.imports import import_log, state_file
    from thermite_pipelines.rig.keys import read_key

    check_name("campaign", campaign)
    check_run(run)
    home = open_home()
    seed = read_key(key)
    _require_key(home.control, rig, seed)
    settings = home.settings
    done = import_log(
        "autoresearch",
        path,
        rig=rig,
        run=run,
        campaign=campaign,
        seed=seed,
        inbox_dir=settings.inbox / rig,
        state_path=state_file(settings.imports, "autoresearch", rig, run),
    )
    for notice in done.notices:
        warn(f"note: {notice}")
    reports = [report.relative_to(settings.home).as_posix() for report in done.reports]
    if json:
        print_json({"reports": reports, "events": done.events, "skipped": list(done.skipped)})
        return
    if reports:
        say(f"{done.events} events in {len(reports)} reports lie in {clean(settings.inbox / rig)}")
        say("`thermite refresh` takes them")
    else:
        say("nothing new in the log")
    if done.skipped:
        say()
        print_table(("line", "skipped because"), ((row["line"], row["reason"]) for row in done.skipped))


def _require_key(control: "Control", rig: str, seed: bytes) -> None:
    """Raise `ThermiteError` unless the key is one that control holds for the rig: else all would be quarantined."""
    from thermite_pipelines.control import rigs
    from thermite_pipelines.errors import ThermiteError
    from thermite_pipelines.ledger.envelope import keyid_of, public_key_of

    public_key = public_key_of(seed)
    with control.read() as connection:
        rigs.require_rig(connection, rig)
        keys = next(one["keys"] for one in rigs.overview(connection) if one["rig"] == rig)
    held = {one["keyid"]: one for one in keys}.get(keyid_of(public_key))
    if held is None:
        do = f"register it with `thermite rig add {rig} --public-key {public_key.hex()}`"
        raise ThermiteError(f"this is no key of rig {rig}", do=do)
    if held["revoked_at"] is not None:
        raise ThermiteError(f"this key of rig {rig} was revoked at {held['revoked_at']}", do="use another key")
