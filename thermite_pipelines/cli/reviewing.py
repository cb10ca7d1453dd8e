"""`thermite review` and `thermite hypothesize`: a campaign's facts are reviewed, its syntheses walked, now."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from thermite_pipelines.cli.options import Json
from thermite_pipelines.cli.output import print_json, progress, say, warn
from thermite_pipelines.errors import ThermiteError

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.home import Home
    from thermite_pipelines.synthesis.work import Request, Tool

Campaign = Annotated[str, typer.Option("--campaign", metavar="C", help="The campaign.")]
EffortOption = Annotated[
    str | None,
    typer.Option("--effort", metavar="normal|medium|high", help="How far to look (default: as the settings say)."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what it would ask and cost; ask nobody, write nothing.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(review)
    app.command()(hypothesize)


def review(campaign: Campaign, effort: EffortOption = None, dry_run: DryRun = False, json: Json = False) -> None:
    """Review a campaign's facts, now, through Dagster: merge duplicates, judge, distill, look back."""
    home, request = _opened(campaign, "review", effort)
    if dry_run:
        _say_plan(_plan(home, request), json)
        return
    from thermite_pipelines.cli import review_runs

    with progress("review") as report:
        done = review_runs.ask(home, campaign, "review", effort=effort, progress=report)
    document = done.review()
    if json:
        print_json(document)
    else:
        depths = ", ".join(f"{count} of depth {depth}" for depth, count in document["synthesized"].items() if count)
        say(f"{document['pruned']} retracted, {document['merged']} merged, {document['updated']} updated")
        say(f"syntheses: {depths or 'none new'}")
        say(f"methodologies: {document['reinforced']} reinforced, {document['methodologies']} new")
        _say_paid(document)
    _end(done)


def hypothesize(campaign: Campaign, effort: EffortOption = None, dry_run: DryRun = False, json: Json = False) -> None:
    """Walk a campaign's syntheses for hypotheses that can be proved false, now, through Dagster."""
    home, request = _opened(campaign, "hypothesize", effort)
    if dry_run:
        _say_plan(_plan(home, request), json)
        return
    from thermite_pipelines.cli import review_runs

    with progress("hypothesize") as report:
        done = review_runs.ask(home, campaign, "hypothesize", effort=effort, progress=report)
    document = done.hypothesize()
    if json:
        print_json(document)
    else:
        walked, skipped = document["walked"], document["skipped"]
        say(f"{walked} syntheses walked, {skipped} skipped: {document['hypotheses']} hypotheses")
        _say_paid(document)
    _end(done)


def _opened(campaign: str, tool: "Tool", effort: str | None) -> "tuple[Home, Request]":
    """The home, and what is asked for. Raises for what could only fail once a run has started."""
    from thermite_pipelines.control.campaigns import require_campaign
    from thermite_pipelines.embeddings.embedder import embedder_of
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.names import check_name
    from thermite_pipelines.resources.llm import model_of
    from thermite_pipelines.synthesis.upcoming import request_of

    check_name("campaign", campaign)
    home = open_home()
    request = request_of(home, campaign, tool, effort)  # type: ignore[arg-type] - judged there
    with home.control.read() as connection:
        require_campaign(connection, campaign)
    embedder_of(home.settings, home.lake)
    model_of(home)
    _require_free(home, request)
    return home, request


def _require_free(home: "Home", request: "Request") -> None:
    """Raise `ThermiteError` where somebody answers such a session in his own time."""
    from thermite_pipelines.synthesis import sessions
    from thermite_pipelines.synthesis.work import BY_HAND
    from thermite_pipelines.times import now_micros

    with home.control.read() as connection:
        found = sessions.active(connection, request.campaign, request.tool)
    if found is None or found.opened_by not in BY_HAND:
        return
    if found.last_used_at >= now_micros() - sessions.IDLE_SECONDS * 1_000_000:
        what = f"a session of {request.tool} is being answered over {found.opened_by} ({found.session})"
        raise ThermiteError(what, where=request.campaign, do="wait until it is done, or unused for an hour")


def _plan(home: "Home", request: "Request") -> dict[str, Any]:
    """What the command would ask: the items of the session that it would go on with, or of a new one."""
    from collections import Counter

    from thermite_pipelines.resources.llm import model_of
    from thermite_pipelines.synthesis.answerer import Estimates
    from thermite_pipelines.synthesis.opening import open_synthesis
    from thermite_pipelines.synthesis.upcoming import upcoming

    items = upcoming(home, request)
    answerer = open_synthesis(home, keeps=False).answerer(model_of(home))
    assert isinstance(answerer, Estimates)
    cost = answerer.estimate(request.campaign, items)
    steps = dict(sorted(Counter(item.step for item in items).items()))
    return {"campaign": request.campaign, "items": steps, "calls": cost.calls, "tokens": cost.tokens, "usd": cost.usd}


def _say_plan(document: dict[str, Any], json: bool) -> None:
    if json:
        print_json(document)
        return
    usd = "unknown (give THERMITE_LLM_PRICE)" if document["usd"] is None else f"{document['usd']:.4f} USD at most"
    steps = ", ".join(f"{count} {step}" for step, count in document["items"].items())
    say(f"items: {steps or 'none'}; {document['calls']} calls, {document['tokens']} tokens, {usd}")
    say("repair questions, and items that follow from answers, come on top")


def _say_paid(document: dict[str, Any]) -> None:
    usd = "cost unknown" if document["usd"] is None else f"{document['usd']:.4f} USD"
    say(f"{document['calls']} calls of a model, {document['cached']} answers from the cache, {usd}")


def _end(done: Any) -> None:
    """Say what is left; what has no answer is an error, though what was answered counts."""
    if done.is_stopped:
        warn(f"{done.campaign}: stopped, the budget is spent; what was answered is kept")
    if left_out := done.counts["parts_left_out_now"]:
        warn(f"{done.campaign}: {left_out} parts of answers were left out, as they did not fit; the rest counts")
    if done.failure is not None:
        raise ThermiteError(done.failure, do="mend that and run this again")
