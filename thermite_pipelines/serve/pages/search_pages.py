"""Searching folders by words, by kind and by folder, singly and together; without words all that fits, newest first."""

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.readable import Reader
from thermite_pipelines.knowledge.search import SEARCH_KINDS, SearchQuery, search
from thermite_pipelines.knowledge.words import Terms
from thermite_pipelines.serve.access import HomeOf, ReaderOf, is_for, router
from thermite_pipelines.serve.pages import paths, reading
from thermite_pipelines.serve.pages.folder_pages import PageNumber
from thermite_pipelines.serve.pages.rendering import render
from thermite_pipelines.serve.roles import READERS
from thermite_pipelines.times import parse_rfc3339

routes = router()

MOST = 50
"""Results of each list that a page shows."""
Words = Annotated[str, Query(max_length=1_000)]
Chosen = Annotated[str, Query(max_length=100, description="Empty: all.")]
Fragment = Annotated[bool, Query(description="Only the results, for a script of ours.")]


@routes.get(paths.SEARCH, openapi_extra=is_for(*READERS))
def search_all(
    request: Request,
    home: HomeOf,
    reader: ReaderOf,
    words: Words = "",
    kind: Chosen = "",
    folder: Chosen = "",
    page: PageNumber = 1,
    fragment: Fragment = False,
) -> Response:
    """What matches; `fragment`: without the page around it, for as one types."""
    values = found(home, reader, words, kind, folder, page)
    chosen = {"words": words, "kind": kind, "folder": folder}
    if fragment:
        return render(request, "results.html", chosen=chosen, **values)
    return render(
        request, "search.html", chosen=chosen, folders=reading.titles(home), search_kinds=SEARCH_KINDS, **values
    )


def found(home: Home, reader: Reader, words: str, kind: str, folder: str, page: int) -> dict[str, Any]:
    """What the results of a search are made of: `results`, `atoms`, `notices`, and `part` where there are no words."""
    nothing = {"results": [], "atoms": [], "notices": (), "part": None, "most": MOST}
    if words.strip():
        if not Terms(words):
            return nothing | {"notices": ("There is no word to search for: give one with a letter or a digit.",)}
        kinds, folders = ((kind,) if kind else ()), ((folder,) if folder else ())
        done = search(home, SearchQuery(words, kinds, folders, limit=MOST))
        results = [row | {"created_at": parse_rfc3339(row["created_at"])} for row in done.results]
        return nothing | {"results": results, "atoms": done.atoms, "notices": done.notices}
    if not kind and not folder:
        return nothing
    if kind and kind not in SEARCH_KINDS:
        raise UsageError(f"{kind!r} is no kind", do=f"use one of: {', '.join(SEARCH_KINDS)}")
    if kind == "atom":
        return nothing | {"notices": ("Atoms are found by words.",)}
    part = reading.folder_items(home, reader, [folder] if folder else [], [kind] if kind else [], page)
    return nothing | {"part": part, "results": part.rows}
