"""Starting a run: which campaign it is for, and what it is given of past research, picked from a search.

The search sees what the campaign may read and nothing else; the assignment itself is that of `thermite assign`, which
looks at grants again and takes the words from control's record. What is refused is said above the same form, with all
that was entered.
"""

from typing import Annotated, Any

from fastapi import Query, Request
from sqlalchemy import select
from starlette.exceptions import HTTPException
from starlette.responses import Response

from thermite_pipelines.control.campaigns import require_campaign
from thermite_pipelines.control.models import Assignment, Run
from thermite_pipelines.control.rigs import rig_names
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.briefing import AssignResult, assign_run
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.picker import offered
from thermite_pipelines.knowledge.readable import Readable, Reader
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.words import Terms
from thermite_pipelines.names import RUN
from thermite_pipelines.serve.access import Caller, HomeOf, is_for, router
from thermite_pipelines.serve.documents import MOST_WORDS, WORD_CHARACTERS, CampaignName
from thermite_pipelines.serve.pages import paths
from thermite_pipelines.serve.pages.forms import Form, FormOf
from thermite_pipelines.serve.pages.rendering import render, see
from thermite_pipelines.serve.problems import Refusal, document_of
from thermite_pipelines.serve.roles import DECIDERS
from thermite_pipelines.times import parse_rfc3339

routes = router()

MOST_RESULTS = 30
MOST_PICKS = 200
RUN_PATTERN = RUN.pattern.replace("-]", r"\-]")
"""What run ids look like, as browsers read patterns: in brackets they want a hyphen that is meant to be escaped."""
_START = f"{paths.ROOT}/folders/{{campaign}}/start"


@routes.get(_START, openapi_extra=is_for(*DECIDERS))
def ask(request: Request, campaign: CampaignName, home: HomeOf) -> Response:
    """The form that starts a run."""
    return _form(request, home, campaign, Form({"agents": ["yes"]}))


@routes.get(f"{_START}/results", openapi_extra=is_for(*DECIDERS))
def results(
    request: Request, campaign: CampaignName, home: HomeOf, words: Annotated[str, Query(max_length=1_000)] = ""
) -> Response:
    """What can be picked, for as one types."""
    return render(request, "picks.html", found=past_research(home, campaign, words), picked=[], words=words)


@routes.post(_START, openapi_extra=is_for(*DECIDERS))
def start(request: Request, campaign: CampaignName, form: FormOf, home: HomeOf, caller: Caller) -> Response:
    """Search on, or assign the run and sign its command."""
    if form.line("do") != "start":
        return _form(request, home, campaign, form)
    try:
        done = _assign(home, campaign, form, caller.name)
    except (HTTPException, ThermiteError) as error:
        problem, _ = document_of(error)
        return _form(request, home, campaign, form, status=problem["status"], problem=problem)
    said = f"{done.rig}/{done.run} is assigned to {done.campaign}; its signed command is {done.command}"
    return see(request, paths.url("runs", done.rig, done.run), ". ".join((said, *done.notices)))


def _assign(home: Home, campaign: str, form: Form, by: str) -> AssignResult:
    """Assign the run that a form asks for. Raises `Refusal` and `ThermiteError` where that can't be, or was before."""
    rig, run = form.line("rig"), form.line("run")
    if not run:
        raise Refusal(422, "the run has no id yet: give it one")
    if len(form.all("pick")) > MOST_PICKS:
        raise Refusal(422, f"more than {MOST_PICKS} items are picked; the first {MOST_PICKS} of them stand below")
    _check_bounds(form)
    used = Refusal(409, f"the run id {run} was used on {rig} before: choose another")
    if _is_used(home, rig, run):
        raise used
    done = assign_run(
        home,
        rig,
        run,
        campaign,
        by=by,
        picks=form.all("pick"),
        agents=form.line("agents") == "yes",
        kit=form.line("kit") or None,
        flags=form.words("flags"),
        routes=form.words("routes"),
    )
    if not done.changed:
        raise used  # somebody was faster
    return done


def _is_used(home: Home, rig: str, run: str) -> bool:
    """Whether a run of that id is assigned to a rig, or the rig has reported one."""
    with home.control.read() as connection:
        known = [select(model.run).where(model.rig == rig, model.run == run).limit(1) for model in (Assignment, Run)]
        return any(connection.execute(query).first() is not None for query in known)


def _check_bounds(form: Form) -> None:
    """Raise `Refusal` for a kit, flags or routes that are longer or more than the route for the same takes."""
    for name in ("kit", "flags", "routes"):
        given = form.words(name)
        if len(given) > MOST_WORDS or any(len(word) > WORD_CHARACTERS for word in given):
            raise Refusal(422, f"{name}: at most {MOST_WORDS}, each of at most {WORD_CHARACTERS} characters")


def past_research(home: Home, campaign: str, words: str) -> list[dict[str, Any]]:
    """Items that a run of the campaign can be given, best first; none without a word to search for."""
    if not Terms(words):
        return []
    rows = offered(home, campaign, words, limit=MOST_RESULTS).results
    return [row | {"created_at": parse_rfc3339(row["created_at"])} for row in rows]


def _form(
    request: Request,
    home: Home,
    campaign: str,
    form: Form,
    *,
    status: int = 200,
    problem: dict[str, Any] | None = None,
) -> Response:
    """The form with what was entered; `problem`: why nothing was started, as programs are told it."""
    with home.control.read() as connection:
        require_campaign(connection, campaign)
        rigs = rig_names(connection)
        readable = Readable.by(connection, Reader.of(campaign))
    words = form.line("words")[:1_000]
    return render(
        request,
        "start.html",
        status=status,
        problem=problem,
        run_pattern=RUN_PATTERN,
        campaign=campaign,
        rigs=rigs,
        readable=readable.folders,
        form=form,
        words=words,
        found=past_research(home, campaign, words),
        picked=_picked(home, readable, form.all("pick")[:MOST_PICKS]),
    )


def _picked(home: Home, readable: Readable, ids: list[str]) -> list[dict[str, Any]]:
    """The items that were picked, as the campaign may read them; an id of nothing stands without a title."""
    reader, found = FolderReader(home.control, home.lake), []
    for id in ids:
        try:
            row = readable.find(reader, id)
        except UsageError:
            row = None
        found.append({"item": id, "known": row is not None} | ({} if row is None else row))
    return found
