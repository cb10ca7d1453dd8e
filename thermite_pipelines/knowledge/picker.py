"""The picker of past research: what a run of a campaign can be given, found by words and by meaning."""

from collections.abc import Sequence

from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge.briefing import BRIEFED_KINDS, QUEUED_KIND
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.search import SearchQuery, SearchResults, search

PICKED_KINDS = (*BRIEFED_KINDS, QUEUED_KIND)
"""Kinds of items that a run can be given."""


def offered(
    home: Home, campaign: str, words: str, *, kinds: Sequence[str] = (), limit: int | None = None
) -> SearchResults:
    """The items that may be picked for a run of a campaign, best first: in its own folder and in those granted to it.

    `kinds` (of `PICKED_KINDS`): none means all. Whether an item may be picked is looked at again when it is: an id that
    the campaign can't read then is refused (`briefing.compose`).

    Raises `UsageError` for words without a letter or digit and for another kind, `ThermiteError` for a campaign that
    control does not know.
    """
    wrong = [kind for kind in kinds if kind not in PICKED_KINDS]
    if wrong:
        raise UsageError(f"a {wrong[0]!r} can't be given to a run", do=f"use one of: {', '.join(PICKED_KINDS)}")
    query = SearchQuery(words, kinds=tuple(kinds) or PICKED_KINDS, as_campaign=campaign, limit=limit)
    return search(home, query)
