"""`thermite atoms`: what people said is taken up, proposed, grouped, and asked for."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import clean, print_json, print_table, progress, say, warn
from thermite_pipelines.errors import ThermiteError, UsageError

if TYPE_CHECKING:
    from thermite_pipelines.atoms.proposals import ProposalResult
    from thermite_pipelines.knowledge.home import Home

_LARGEST = 64 * 2**20
_NAMED = 10

CampaignOption = Annotated[str | None, typer.Option("--campaign", metavar="C", help="The campaign.")]
Campaign = Annotated[str, typer.Option("--campaign", metavar="C", help="The campaign.")]

By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who says so (default: the user).")]

atoms = typer.Typer(help="Knowledge atoms: what people said to agents, kept exactly.")


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(atoms, name="atoms")


@atoms.command("extract")
def extract(
    recent: Annotated[
        int | None, typer.Option("--recent", metavar="N", min=1, help="Only the N newest sessions.")
    ] = None,
    session: Annotated[str | None, typer.Option("--session", metavar="UUID", help="Only this session.")] = None,
    campaign: CampaignOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would ask and cost; write nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also sessions that were done before.")] = False,
    json: Json = False,
) -> None:
    """Take atoms and intents from what people said, now, through Dagster. With --campaign, plain folders count too."""
    from thermite_pipelines.knowledge.home import open_home

    if (recent is None) == (session is None):
        raise UsageError("say which sessions", do="give either --recent N or --session UUID")
    home = open_home()
    campaigns = _campaigns(home, campaign)
    plain = campaign is not None
    if dry_run:
        _say_estimate(_estimate(home, campaigns, recent, session, force=force, plain=plain), json)
        return
    _look_first(home, campaigns, session, plain=plain)
    from thermite_pipelines.cli import atom_runs

    with progress("atoms") as report:
        done = atom_runs.extract(
            home, campaigns, recent=recent, session=session, force=force, plain=plain, progress=report
        )
    if json:
        print_json(done.document())
    else:
        _say_extracted(done.document())
    for line in [*done.warnings, *_unreadable(home, campaigns)]:
        warn(line)
    if done.failure is not None:
        raise ThermiteError(done.failure, do="mend that and run this again")


def _unreadable(home: "Home", campaigns: list[str]) -> list[str]:
    """What lies in the transcript folders and can't be read, one line each."""
    from thermite_pipelines.atoms.inspection import unreadable_files

    found = [pair for campaign in campaigns for pair in unreadable_files(home, campaign)]
    shown = [f"{clean(path)}: {kind}" for kind, path in found[:_NAMED]]
    return shown + ([f"and {len(found) - _NAMED} more that can't be read"] if len(found) > _NAMED else [])


def _look_first(home: "Home", campaigns: list[str], session: str | None, *, plain: bool) -> None:
    """Raise `ThermiteError` for what makes no sense before a run is started that could only fail."""
    from thermite_pipelines.atoms.estimating import estimate
    from thermite_pipelines.atoms.rules import RulesAnswerer
    from thermite_pipelines.resources.llm import model_of

    if not campaigns:
        raise ThermiteError("there is no campaign yet", do="add one with `thermite campaign add`")
    model_of(home, small=True)
    if session is not None:
        estimate(home, campaigns, RulesAnswerer(), session=session, plain=plain)


def _campaigns(home: "Home", campaign: str | None) -> list[str]:
    from thermite_pipelines.control.campaigns import campaign_names, require_campaign
    from thermite_pipelines.names import check_name

    with home.control.read() as connection:
        if campaign is None:
            return campaign_names(connection)
        require_campaign(connection, check_name("campaign", campaign))
    return [campaign]


def _estimate(
    home: "Home", campaigns: list[str], recent: int | None, session: str | None, *, force: bool, plain: bool
) -> dict[str, Any]:
    """What the command would ask of a model."""
    from thermite_pipelines.atoms.answering import answerer_of
    from thermite_pipelines.atoms.estimating import estimate
    from thermite_pipelines.resources.llm import model_of

    answerer = answerer_of(model_of(home, small=True))
    again = "all" if force else "no"
    found = estimate(home, campaigns, answerer, recent=recent, session=session, again=again, plain=plain)
    return {
        "sessions": found.sessions,
        "calls": found.cost.calls,
        "tokens": found.cost.tokens,
        "usd": found.cost.usd,
    }


def _say_estimate(document: dict[str, Any], json: bool) -> None:
    if json:
        print_json(document)
        return
    usd = "unknown (give THERMITE_LLM_PRICE)" if document["usd"] is None else f"{document['usd']:.4f} USD at most"
    say(f"{document['sessions']} sessions, {document['calls']} calls, {document['tokens']} tokens, {usd}")


def _say_extracted(document: dict[str, Any]) -> None:
    say(
        f"{document['sessions']} sessions done, {document['unchanged']} unchanged: {document['atoms']} atoms, "
        f"{document['duplicates']} said before, {document['intents']} intents"
    )
    rows = sorted(document["refused"].items())
    if rows:
        print_table(("refused by rule", "candidates"), rows)


@atoms.command("propose")
def propose(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="JSON: one atom, or {'atoms': [...]}; - reads stdin.")],
    campaign: Campaign,
    by: By = None,
    json: Json = False,
) -> None:
    """Propose atoms by hand. Each is judged by itself, and the answer says what became of it."""
    from thermite_pipelines.atoms.proposals import propose as propose_all
    from thermite_pipelines.knowledge.home import open_home

    home = open_home()
    _campaigns(home, campaign)
    _say_results(propose_all(home, campaign, _document(file), by=_name(by)), json, "no atom was proposed")


def _name(by: str | None) -> str:
    from thermite_pipelines.cli.options import check_by
    from thermite_pipelines.control.audit import whoami

    return whoami() if by is None else check_by(by)


def _document(file: str) -> Any:
    """The JSON of a file or of standard input. Raises `ThermiteError` where there is none."""
    from thermite_pipelines.atoms.proposals import parse_document

    where = "standard input" if file == "-" else file
    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as source:
            raw = source.read(_LARGEST + 1)
    except OSError as error:
        raise ThermiteError(f"can't read it: {error.strerror}", where=clean(where)) from None
    if len(raw) > _LARGEST:
        raise ThermiteError(f"it is larger than {_LARGEST} bytes", where=clean(where), do="propose in parts")
    try:
        return parse_document(raw)
    except ThermiteError as error:
        raise ThermiteError(error.what, where=clean(where)) from None


@atoms.command("group")
def group(
    campaign: Campaign,
    domain: Annotated[str | None, typer.Option("--domain", metavar="TAG", help="Only this domain.")] = None,
    at_least: Annotated[int, typer.Option("--at-least", min=2, help="Atoms that a domain needs.")] = 3,
    by: By = None,
    json: Json = False,
) -> None:
    """Group the atoms of a domain into one briefing (a gestalt), for each domain that has enough."""
    from thermite_pipelines.atoms.grouping import group as group_atoms
    from thermite_pipelines.knowledge.home import open_home

    home = open_home()
    _campaigns(home, campaign)
    _say_results(group_atoms(home, campaign, domain, by=_name(by), at_least=at_least), json, "nothing is new to group")


def _say_results(results: "list[ProposalResult]", json: bool, none: str) -> None:
    if json:
        rows = [{"outcome": one.outcome, "atom": one.atom, "reason": one.reason} for one in results]
        print_json({"results": rows, "changed": any(one.outcome == "stored" for one in results)})
        return
    shown = [(n, one.outcome, one.atom or "", one.reason or "") for n, one in enumerate(results, 1)]
    print_table(("", "outcome", "atom", "reason"), shown, none)


@atoms.command("calibrate")
def calibrate(
    file: Annotated[str, typer.Argument(metavar="FILE", help='JSON lines: {"query": …, "atom": …}.')],
    json: Json = False,
) -> None:
    """Ask for known corrections the way an agent would; exit 1 if any is not among the first two."""
    from thermite_pipelines.atoms.calibration import calibrate as calibrate_all
    from thermite_pipelines.knowledge.home import open_home

    home = open_home()
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ThermiteError(f"can't read it: {getattr(error, 'strerror', 'it is no UTF-8')}", where=file) from None
    done = calibrate_all(home, lines)
    rows = [{"query": one.query, "atom": one.atom, "rank": one.rank} for one in done.queries]
    if json:
        print_json({"queries": rows, "ok": done.ok})
    else:
        shown = [(row["rank"] or "not found", row["atom"], row["query"]) for row in rows]
        print_table(("rank", "atom", "query"), shown, "the file asks nothing")
    if not done.ok:
        raise typer.Exit(1)
