"""What a run of a tool would be asked: known before it starts, and without writing anything."""

from collections.abc import Sequence

from thermite_pipelines.embeddings.embedder import Embedder, embedder_of
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis import sessions, work_items
from thermite_pipelines.synthesis.engine import Engine
from thermite_pipelines.synthesis.outcomes import Plan
from thermite_pipelines.synthesis.work import Effort, Item, NewItem, Request, Tool, checked_request


def request_of(home: Home, campaign: str, tool: Tool, effort: Effort | None = None) -> Request:
    """What a run opens a session for; without an effort, that of the settings. Raises `UsageError` for no effort."""
    return checked_request(Request(campaign, tool, "asset", effort or home.settings.discovery_effort_default))


def planned(home: Home, request: Request, embedder: Embedder | None = None) -> Plan:
    """What a new session would begin with. Nothing is written: no session, no decision, no vector."""
    return Engine(home, embedder or embedder_of(home.settings, home.lake), keeps=False).plan(request)


def upcoming(home: Home, request: Request, embedder: Embedder | None = None) -> Sequence[Item | NewItem]:
    """The items that wait in the session that a run would go on with; where there is none, those of a new one.

    Items that follow from answers are not among them. Raises `ThermiteError` where facts or vectors can't be had.
    """
    with home.control.read() as connection:
        found = sessions.active(connection, request.campaign, request.tool)
        # The same rule as the queue has for taking a session up.
        if found is not None and not found.scoped and request.effort in ("normal", found.effort):
            return work_items.waiting(connection, found.session)
    return planned(home, request, embedder).items
