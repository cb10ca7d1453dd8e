"""What agents ask people for, and what they tell their later runs: answered, resolved, kept and dropped here.

Each does what the command of the same name does. Dropping a learning is for good, so it asks once more; keeping does
not.
"""

from typing import Annotated, Literal

from fastapi import Query, Request
from starlette.responses import Response

from thermite_pipelines.knowledge import help_reading
from thermite_pipelines.learnings import actions
from thermite_pipelines.serve.access import Caller, HomeOf, is_for, router
from thermite_pipelines.serve.documents import CampaignName
from thermite_pipelines.serve.pages import paths, reading
from thermite_pipelines.serve.pages.folder_pages import PageNumber
from thermite_pipelines.serve.pages.forms import FormOf
from thermite_pipelines.serve.pages.rendering import render, see
from thermite_pipelines.serve.problems import Refusal
from thermite_pipelines.serve.roles import DECIDERS, READERS

routes = router()

_HELP, _LEARNINGS = f"{paths.ROOT}/help", f"{paths.ROOT}/learnings"
_LONGEST_REPLY = 20_000
Campaign = Annotated[CampaignName | None, Query()]


@routes.get(_HELP, openapi_extra=is_for(*READERS))
def help_page(request: Request, home: HomeOf, campaign: Campaign = None, page: PageNumber = 1) -> Response:
    """Help requests: those that wait, by run, and below them those that somebody dealt with, the newest first."""
    rows = [row for row in help_reading.help_requests(home) if campaign in (None, row["campaign"])]
    waiting: dict[tuple[str, str], list[help_reading.Row]] = {}
    for row in rows:
        if help_reading.is_open(row) or row["asked_again"]:
            waiting.setdefault((row["rig"], row["run"]), []).append(row)
    done = [row for row in reversed(rows) if not (help_reading.is_open(row) or row["asked_again"])]
    # A fatal request means that an agent stands still.
    ordered = sorted(waiting.items(), key=lambda one: not any(row["fatal"] for row in one[1]))
    values = {"waiting": ordered, "done": reading.cut(done, page), "campaign": campaign}
    return render(request, "help.html", days=help_reading.KEPT_DAYS, longest=_LONGEST_REPLY, **values)


@routes.post(f"{_HELP}/reply", openapi_extra=is_for(*DECIDERS))
def reply(request: Request, form: FormOf, home: HomeOf, caller: Caller) -> Response:
    """Answer every open request of a run: the same agent goes on in a new run."""
    text = form.text("text")
    if len(text) > _LONGEST_REPLY:
        raise Refusal(422, f"the reply is longer than {_LONGEST_REPLY:,} characters")
    flags = tuple(form.words("flags"))
    done = actions.reply(home, form.line("run"), form.line("rig"), text=text, by=caller.name, flags=flags)
    said = f"{done.answered} answered: {done.agent} goes on in run {done.reply}" if done.changed else "Nothing changed"
    return see(request, _HELP, ". ".join((said, *done.notices)))


@routes.post(f"{_HELP}/resolve", openapi_extra=is_for(*DECIDERS))
def resolve(request: Request, form: FormOf, home: HomeOf, caller: Caller) -> Response:
    """Mark every open request of a run as dealt with."""
    done = actions.resolve(home, form.line("run"), form.line("rig"), by=caller.name)
    said = f"{done.resolved} of {done.rig}/{done.run} marked as dealt with"
    return see(request, _HELP, said if done.changed else "Nothing was open")


@routes.get(_LEARNINGS, openapi_extra=is_for(*READERS))
def learnings_page(
    request: Request,
    home: HomeOf,
    campaign: Campaign = None,
    state: Annotated[Literal["provisional", "confirmed", "lapsed", "rejected"] | None, Query()] = None,
    page: PageNumber = 1,
) -> Response:
    """Learnings by state, those that a person may still decide on first."""
    rows = [row for row in help_reading.learnings(home) if campaign in (None, row["campaign"])]
    counts = {name: sum(row["state"] == name for row in rows) for name in help_reading.STATES}
    shown = [row for row in rows if state in (None, row["state"])]
    shown.sort(key=lambda row: help_reading.STATES.index(row["state"]))
    refused = [row for row in help_reading.refusals(home) if campaign in (None, row["campaign"])]
    values = {"part": reading.cut(shown, page), "counts": counts, "refused": refused[-reading.PAGE :]}
    return render(request, "learnings.html", campaign=campaign, state=state, **values)


@routes.post(f"{_LEARNINGS}/keep", openapi_extra=is_for(*DECIDERS))
def keep(request: Request, form: FormOf, home: HomeOf, caller: Caller) -> Response:
    """Keep a learning, at once."""
    done = actions.keep(home, form.line("id"), by=caller.name)
    return see(request, _LEARNINGS, f"{done.id} is kept" if done.changed else f"{done.id} was kept before")


@routes.post(f"{_LEARNINGS}/drop", openapi_extra=is_for(*DECIDERS))
def drop(request: Request, form: FormOf, home: HomeOf, caller: Caller) -> Response:
    """Drop a learning for good, where the form says that it was asked; else ask."""
    if form.line("confirm") != "yes":
        row = actions.known_learning(home, form.line("id"))
        if row is None:
            raise Refusal(404, "there is no such learning")
        return render(request, "drop.html", row=row)
    done = actions.drop(home, form.line("id"), by=caller.name)
    return see(request, _LEARNINGS, f"{done.id} is dropped")
