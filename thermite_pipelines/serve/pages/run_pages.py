"""A run: its experiments, its journal and its attempts, in this order, and a line for each note as it arrives."""

from typing import Annotated

from anyio import to_thread
from fastapi import Header, Query, Request
from starlette.responses import Response, StreamingResponse

from thermite_pipelines.control.tokens import holder_with_id
from thermite_pipelines.knowledge import help_reading
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.serve.access import Caller, HomeOf, ReaderOf, is_for, router
from thermite_pipelines.serve.documents import Kind, RigName
from thermite_pipelines.serve.pages import paths, reading
from thermite_pipelines.serve.pages.feed import Feeds, line_of
from thermite_pipelines.serve.pages.folder_pages import PageNumber
from thermite_pipelines.serve.pages.rendering import render
from thermite_pipelines.serve.pages.sessions import COOKIE, Sessions
from thermite_pipelines.serve.problems import Refusal
from thermite_pipelines.serve.roles import READERS

routes = router()

SECTIONS = (("experiment", "Experiments"), ("note", "Journal"), ("attempt", "Attempts"))
"""The kinds that a run's page shows in sections of their own, in their order."""
FEED_LINES = 100
"""Lines of the feed that a page begins with."""
_RUN = f"{paths.ROOT}/runs/{{rig}}/{{label}}"
Number = Annotated[int, Query(ge=0, le=2**53)]


@routes.get(_RUN, openapi_extra=is_for(*READERS))
def one_run(
    request: Request,
    rig: RigName,
    label: str,
    home: HomeOf,
    reader: ReaderOf,
    experiment: PageNumber = 1,
    note: PageNumber = 1,
    attempt: PageNumber = 1,
) -> Response:
    """A run's page; `experiment`, `note`, `attempt`: the page of each section."""
    run = reading.find_run(home, rig, label)
    numbers = {"experiment": experiment, "note": note, "attempt": attempt}
    noted = [line_of(row) for row in reading.last_items(home, reader, run, "note", FEED_LINES)]
    known = reading.last_items(home, reader, run, "run", 1)
    asked = [row for row in help_reading.help_requests(home) if (row["rig"], row["run"]) == (rig, label)]
    return render(
        request,
        "run.html",
        run=run,
        known=known[0] if known else None,
        picked=reading.picked_for(run),
        counts=reading.run_counts(home, run),
        sections=[(kind, title, reading.run_items(home, reader, run, kind, numbers[kind])) for kind, title in SECTIONS],
        numbers=numbers,
        noted=noted,
        after=noted[-1]["n"] if noted else 0,
        asked=[row for row in asked if help_reading.is_open(row)],
    )


@routes.get(f"{_RUN}/items", openapi_extra=is_for(*READERS))
def items_of_run(
    request: Request, rig: RigName, label: str, kind: Kind, home: HomeOf, reader: ReaderOf, page: PageNumber = 1
) -> Response:
    """All items of a kind that a run has in its folder."""
    run = reading.find_run(home, rig, label)
    part = reading.run_items(home, reader, run, kind, page)
    return render(request, "run_items.html", run=run, kind=kind, kinds_there=KINDS, part=part)


@routes.get(f"{_RUN}/feed", openapi_extra=is_for(*READERS))
async def feed(
    request: Request,
    rig: RigName,
    label: str,
    home: HomeOf,
    caller: Caller,
    after: Number = 0,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """The notes of a run behind number `after` as they arrive: Server-Sent Events, each with a number of its own."""
    run = await to_thread.run_sync(reading.find_run, home, rig, label)
    if run.seen is None:
        raise Refusal(404, "the rig has reported nothing of this run yet")
    if last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 17:
        after = int(last_event_id)
    feeds: Feeds = request.app.state.feeds
    feeds.check_room(caller.id)

    sessions: Sessions = request.app.state.sessions
    secret = request.cookies.get(COOKIE)

    def counts() -> bool:
        if sessions.find(secret) is None:
            return False  # signed out meanwhile
        with home.control.read() as connection:
            return holder_with_id(connection, caller.id) is not None

    events = feeds.follow(caller.id, run.seen, after, counts)
    return StreamingResponse(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
