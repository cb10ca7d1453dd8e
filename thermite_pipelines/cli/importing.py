"""`thermite import`: logs of other tools become signed reports in the inbox."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import clean, print_json, print_table, say, warn

if TYPE_CHECKING:
    from thermite_pipelines.control.db import Control
    from thermite_pipelines.settings import Settings

Log = Annotated[Path, typer.Argument(metavar="PATH", help="The log, or a folder that holds it.", show_default=False)]
Sessions = Annotated[
    Path, typer.Argument(metavar="PATH", help="A session file, or a folder with *.jsonl in it.", show_default=False)
]
Rig = Annotated[str, typer.Option("--rig", metavar="RIG", help="The rig that the log is from.")]
Run = Annotated[str, typer.Option("--run", metavar="RUN", help="The run that it becomes.")]
Campaign = Annotated[str, typer.Option("--campaign", metavar="C", help="The campaign it is meant for.")]
Key = Annotated[Path, typer.Option("--key", metavar="FILE", help="The rig's key file, which signs the reports.")]

importing = typer.Typer(help="Logs of other tools become signed reports in the inbox.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(importing, name="import")


@importing.command("autoresearch")
def autoresearch(path: Log, rig: Rig, run: Run, campaign: Campaign, key: Key, json: Json = False) -> None:
    """Import an experiment log (TSV, CSV, JSON lines, Markdown). Again sends only what is new."""
    from thermite_pipelines.rig.importers.imports import import_log

    settings, words = _prepare("autoresearch", rig, run, campaign, key)
    done = import_log("autoresearch", path, **words)
    for notice in done.notices:
        warn(f"note: {notice}")
    reports = [report.relative_to(settings.home).as_posix() for report in done.reports]
    if json:
        print_json({"reports": reports, "events": done.events, "skipped": list(done.skipped)})
        return
    _say_sent(reports, done.events, settings.inbox / rig, "nothing new in the log")
    if done.skipped:
        say()
        print_table(("line", "skipped because"), ((row["line"], row["reason"]) for row in done.skipped))


@importing.command("claude-code")
def claude_code(path: Sessions, rig: Rig, run: Run, campaign: Campaign, key: Key, json: Json = False) -> None:
    """Import sessions of Claude Code. Again sends only sessions that are new or grew."""
    from thermite_pipelines.rig.importers.claude_code import IMPORTER, import_sessions

    settings, words = _prepare(IMPORTER, rig, run, campaign, key)
    done = import_sessions(path, **words)
    reports = [report.relative_to(settings.home).as_posix() for report in done.reports]
    if json:
        print_json({"reports": reports, "events": done.events, "skipped": list(done.skipped)})
        return
    _say_sent(reports, done.events, settings.inbox / rig, "nothing new in the sessions")
    if done.skipped:
        say()
        rows = ((clean(row["file"]), row["line"] or "", row["reason"]) for row in done.skipped)
        print_table(("file", "line", "skipped because"), rows)


def _prepare(importer: str, rig: str, run: str, campaign: str, key: Path) -> tuple["Settings", dict[str, Any]]:
    """Check names and key; the settings, and the words that an importer takes beside the path."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.names import check_name, check_run
    from thermite_pipelines.rig.importers.imports import state_file
    from thermite_pipelines.rig.keys import read_key

    check_name("campaign", campaign)
    check_run(run)
    home = open_home()
    seed = read_key(key)
    _require_key(home.control, rig, seed)
    settings = home.settings
    words = {"rig": rig, "run": run, "campaign": campaign, "seed": seed}
    places = {"inbox_dir": settings.inbox / rig, "state_path": state_file(settings.imports, importer, rig, run)}
    return settings, words | places


def _say_sent(reports: list[str], events: int, inbox: Path, nothing: str) -> None:
    from thermite_pipelines.cli.diagnosis.finding import count

    if reports:
        say(f"{count(events, 'event')} in {count(len(reports), 'report')} wait in {clean(inbox)}")
        say("`thermite refresh` takes them")
    else:
        say(nothing)


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
