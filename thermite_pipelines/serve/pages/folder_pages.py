"""Folders: all of them, one of them, and the grants that let campaigns read them."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from thermite_pipelines.control import campaigns
from thermite_pipelines.knowledge import help_reading, listing
from thermite_pipelines.knowledge.search import SEARCH_KINDS
from thermite_pipelines.serve.access import Caller, HomeOf, ReaderOf, is_for, router
from thermite_pipelines.serve.documents import CampaignName
from thermite_pipelines.serve.pages import paths, reading
from thermite_pipelines.serve.pages.forms import FormOf
from thermite_pipelines.serve.pages.rendering import render, see
from thermite_pipelines.serve.pages.synthesis_pages import highest, tree_page
from thermite_pipelines.serve.problems import Refusal
from thermite_pipelines.serve.roles import DECIDERS, READERS

routes = router()

PageNumber = Annotated[int, Query(ge=1, le=100_000)]


@routes.get(paths.ROOT, openapi_extra=is_for(*READERS))
def all_folders(request: Request, home: HomeOf, reader: ReaderOf) -> Response:
    """Every folder with its counts, its runs, who reads it and what it reads."""
    waiting = [row for row in help_reading.help_requests(home) if help_reading.is_open(row) or row["asked_again"]]
    return render(
        request,
        "folders.html",
        folders=listing.folder_rows(home, reader),
        titles=reading.titles(home),
        unplaced=listing.unplaced_rows(home),
        waiting=len({(row["rig"], row["run"]) for row in waiting}),
        search_kinds=SEARCH_KINDS,
    )


@routes.get(f"{paths.ROOT}/folders/{{campaign}}", openapi_extra=is_for(*READERS))
def one_folder(
    request: Request, campaign: CampaignName, home: HomeOf, reader: ReaderOf, page: PageNumber = 1
) -> Response:
    """One folder: its counts, runs, grants and syntheses, and nothing of any other."""
    (folder,) = listing.folder_rows(home, reader, campaign)
    reads, read_by = reading.grants_of(home, campaign)
    with home.control.read() as connection:
        may_read = reading.other_campaigns(connection, campaign, reads)
        may_be_read_by = reading.other_campaigns(connection, campaign, read_by)
    # The newest runs first; what is assigned and not seen stands behind the others.
    seen = [run for run in folder["runs"] if run["ledger"] is not None]
    runs = [*reversed(seen), *(run for run in folder["runs"] if run["ledger"] is None)]
    part = reading.cut(runs, page)
    return render(
        request,
        "folder.html",
        folder=folder,
        title=reading.titles(home).get(campaign, campaign),
        runs=part,
        known=reading.known_of_runs(home, reader, campaign, part.rows),
        labels=reading.labels(home),
        reads=reads,
        read_by=read_by,
        syntheses=highest(home, reader, campaign),
        tree=tree_page(home, campaign),
        may_read=may_read,
        may_be_read_by=may_be_read_by,
    )


@routes.post(f"{paths.ROOT}/grants", openapi_extra=is_for(*DECIDERS))
def change_grant(request: Request, form: FormOf, home: HomeOf, caller: Caller) -> Response:
    """Give a grant or take one back, as `thermite grant` and `thermite revoke` do."""
    reader, source, here = form.line("reader"), form.line("source"), form.line("here")
    if form.line("do") not in ("grant", "revoke") or here not in (reader, source):
        raise Refusal(422, "say what to do: grant or revoke")
    gives = form.line("do") == "grant"
    with home.control.write() as connection:
        changed = (campaigns.grant if gives else campaigns.revoke)(connection, reader, source, caller.name)
    said = f"{reader} {'may read' if gives else 'may no longer read'} the folder of {source}"
    return see(request, f"{paths.url('folders', here)}#grants", said if changed else f"{said}: that was so before")
