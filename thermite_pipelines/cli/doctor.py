"""`thermite doctor`: is the installation sound, are the data, and is there something for a person to do?"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import clean, print_json, say
from thermite_pipelines.errors import ThermiteError

if TYPE_CHECKING:
    from thermite_pipelines.cli.diagnosis.finding import Finding
    from thermite_pipelines.knowledge.home import Home


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(doctor)


def doctor(json: Json = False) -> None:
    """Check installation and data; exit code 1 if something needs a person. Changes nothing."""
    findings = sorted(_examine(), key=lambda one: ("error", "warning", "note").index(one.level))
    ok = all(one.level == "note" for one in findings)
    if json:
        rows = [{"level": one.level, "what": one.what, "why": one.why, "do": one.do} for one in findings]
        print_json({"ok": ok, "findings": rows})
    else:
        _print(findings, ok)
    if not ok:
        raise typer.Exit(1)


def _print(findings: "list[Finding]", ok: bool) -> None:
    for one in findings:
        say(f"{one.level}: {clean(one.what)}")
        say(f"    why: {clean(one.why)}")
        say(f"    do:  {clean(one.do)}")
    if ok:
        say("all is well" if not findings else "all is well; notes need nobody")


def _examine() -> "Iterator[Finding]":
    """All findings; a home that can't be opened is one, and so is a check that can't be done."""
    from thermite_pipelines.cli.diagnosis.finding import Finding
    from thermite_pipelines.knowledge.home import open_home

    try:
        home = open_home()
    except ThermiteError as error:
        where = f"{error.where}: " if error.where else ""
        yield Finding("error", f"{where}{error.what}", "nothing works without it", error.do)
        return
    for check in _checks():
        try:
            yield from check(home)
        except (ThermiteError, OSError) as error:
            what = f"the check of {check.__name__.replace('_', ' ')} can't be done: {error}"
            yield Finding("error", what, "what it would have found is not known", "put that right, then run it again")


def _checks() -> "list[Callable[[Home], Iterator[Finding]]]":
    from thermite_pipelines.cli.diagnosis import arrivals, atoms, help, installation, lake, outside, synthesis

    return [
        *(installation.packages, installation.disk, installation.control_key, installation.commands),
        *(installation.leases, installation.results_repository, installation.dagster_runs),
        *(arrivals.strays, arrivals.untaken, arrivals.unwritten, arrivals.quarantine, arrivals.forked),
        *(arrivals.chains, arrivals.events, arrivals.clocks),
        *(lake.raw, lake.damaged, lake.foreign, lake.behind, lake.unplaced, lake.quotes, lake.briefings, lake.rounds),
        *(atoms.transcripts, atoms.copies, atoms.answers, atoms.atom_log, atoms.atom_words, atoms.weights),
        atoms.checkpoints,
        *(synthesis.embedder, synthesis.reviews, synthesis.items, synthesis.by_hand, synthesis.decisions),
        *(help.asked, help.asked_again, help.help_files, help.dropped, help.older_rules),
        *(outside.kits, outside.mcp_secrets),
    ]
