"""What people look at: folders, items and where they came from, grants, help, learnings, the audit log."""

from itertools import islice
from typing import Annotated, Any, Literal

from fastapi import Query

from thermite_pipelines.control import audit, campaigns
from thermite_pipelines.control.assignments import assignments
from thermite_pipelines.control.rigs import require_rig
from thermite_pipelines.errors import ThermiteError, UnknownName
from thermite_pipelines.knowledge import help_reading, listing
from thermite_pipelines.knowledge.explain import explain
from thermite_pipelines.knowledge.picker import offered
from thermite_pipelines.knowledge.search import SearchQuery, search
from thermite_pipelines.learnings.columns import SHOWN, SHOWN_REFUSED
from thermite_pipelines.serve.access import HomeOf, ReaderOf, is_for, router
from thermite_pipelines.serve.documents import (
    MOST_RESULTS,
    PROBLEMS,
    AgentName,
    CampaignName,
    ExplainedId,
    Kind,
    PickedKind,
    RigName,
    RunName,
    SearchKind,
    Time,
    WriterName,
    moment,
)
from thermite_pipelines.serve.roles import DECIDERS, READERS

routes = router()

MOST_ITEMS = 1_000
_LOOK: dict[str, Any] = {"responses": PROBLEMS, "openapi_extra": is_for(*READERS), "tags": ["people"]}
Document = dict[str, Any]
Campaign = Annotated[CampaignName | None, Query(description="Only this campaign.")]
Run = Annotated[RunName | None, Query(description="Only this run.")]
Since = Annotated[Time | None, Query(description="Only from this time (RFC 3339) or day on.")]


@routes.get("/folders", **_LOOK)
def list_folders(home: HomeOf, reader: ReaderOf, campaign: Campaign = None) -> Document:
    """Each campaign's folder: items by kind, runs, who reads it, what it reads; and runs that are in none."""
    return {"folders": listing.folder_rows(home, reader, campaign), "unplaced": listing.unplaced_rows(home)}


@routes.get("/items", **_LOOK)
def list_items(
    home: HomeOf,
    reader: ReaderOf,
    campaign: Campaign = None,
    kind: Annotated[list[Kind] | None, Query(description="Only these kinds.")] = None,
    run: Run = None,
    limit: Annotated[int, Query(ge=1, le=MOST_ITEMS)] = 100,
) -> Document:
    """Items with every column of their kind, by campaign, kind and time."""
    return {"items": list(islice(listing.item_rows(home, reader, campaign, kind, run), limit))}


@routes.get("/search", **_LOOK)
def search_all(
    home: HomeOf,
    words: Annotated[str, Query(min_length=1, max_length=1_000)],
    kind: Annotated[list[SearchKind] | None, Query(description="Only these kinds.")] = None,
    folder: Annotated[
        list[CampaignName] | None, Query(description="Only these campaigns' folders.", max_length=100)
    ] = None,
    rig: Annotated[RigName | None, Query(description="Only this rig.")] = None,
    run: Run = None,
    by: Annotated[WriterName | None, Query(description="Only what this writer wrote.")] = None,
    since: Since = None,
    until: Annotated[Time | None, Query(description="Only up to this time, or the end of a day.")] = None,
    as_campaign: Annotated[CampaignName | None, Query(alias="as", description="What this campaign may read.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_RESULTS, description="At most so many of each list.")] = 20,
) -> Document:
    """Items, what was made of them, and atoms, by words and by meaning, best first."""
    if rig is not None:
        with home.control.read() as connection:
            require_rig(connection, rig)
    query = SearchQuery(
        words=words,
        kinds=tuple(kind or ()),
        folders=tuple(folder or ()),
        rig=rig,
        run=run,
        by=by,
        since=moment(since),
        until=moment(until, end=True),
        as_campaign=as_campaign,
        limit=limit,
    )
    found = search(home, query)
    return {"results": found.results, "atoms": found.atoms, "notices": list(found.notices)}


@routes.get("/search/briefing", **_LOOK)
def search_for_briefing(
    home: HomeOf,
    campaign: Annotated[CampaignName, Query(description="Of which campaign the run is.")],
    words: Annotated[str, Query(min_length=1, max_length=1_000)],
    kind: Annotated[list[PickedKind] | None, Query(description="Only these kinds.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_RESULTS)] = 20,
) -> Document:
    """The items that a run of a campaign can be given, for `brief` of `POST /assignments`: those that it may read."""
    found = offered(home, campaign, words, kinds=kind or (), limit=limit)
    return {"results": found.results, "notices": list(found.notices)}


@routes.get("/explain", **_LOOK)
def explain_one(
    home: HomeOf,
    reader: ReaderOf,
    id: Annotated[ExplainedId, Query(description="Of an item, atom, decision or fact.")],
) -> Document:
    """Where something came from, down to the signed reports, checked again."""
    try:
        return explain(home, id, reader).document()
    except ThermiteError as error:
        if error.__cause__ is not None:
            raise  # it is about this machine
        raise UnknownName(error.what) from None


@routes.get("/grants", **_LOOK)
def list_grants(home: HomeOf) -> Document:
    """Which campaign may read which folder, who granted it and when."""
    with home.control.read() as connection:
        return {"grants": campaigns.grants(connection)}


@routes.get("/assignments", **_LOOK)
def list_assignments(home: HomeOf) -> Document:
    """Which campaign each run was assigned to, with what was picked for its briefing."""
    with home.control.read() as connection:
        return {"assignments": assignments(connection)}


@routes.get("/help", **_LOOK)
def list_requests(
    home: HomeOf,
    campaign: Campaign = None,
    run: Run = None,
    only_open: Annotated[bool, Query(alias="open", description="Only those that wait for a person.")] = False,
) -> Document:
    """Help requests of the last 90 days, oldest first."""
    wanted = {"campaign": campaign, "run": run}
    rows = [row for row in help_reading.help_requests(home) if _matches(row, wanted)]
    if only_open:
        rows = [row for row in rows if help_reading.is_open(row) or row["asked_again"]]
    return {"requests": [{name: value for name, value in row.items() if name != "request"} for row in rows]}


@routes.get("/learnings", **_LOOK)
def list_learnings(
    home: HomeOf,
    campaign: Campaign = None,
    agent: Annotated[AgentName | None, Query(description="Only this agent's.")] = None,
    state: Annotated[
        Literal["provisional", "confirmed", "lapsed", "rejected"] | None, Query(description="Only those in this state.")
    ] = None,
) -> Document:
    """Learnings, and what screening refused (never its text) where no state is asked for."""
    wanted = {"campaign": campaign, "agent": agent}
    found = [row for row in help_reading.learnings(home) if _matches(row, wanted | {"state": state})]
    refused = [row for row in help_reading.refusals(home) if state is None and _matches(row, wanted)]
    return {
        "learnings": [{name: row[name] for name in SHOWN} for row in found],
        "refused": [{name: row[name] for name in SHOWN_REFUSED} for row in refused],
    }


@routes.get("/audit", responses=PROBLEMS, openapi_extra=is_for(*DECIDERS), tags=["people"])
def read_audit(home: HomeOf, since: Since = None) -> Document:
    """What people changed, and what was refused: when, who, what and from where."""
    start = moment(since)
    with home.control.read() as connection:
        return {"entries": audit.entries(connection, start)}


def _matches(row: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return all(value is None or row[name] == value for name, value in wanted.items())
