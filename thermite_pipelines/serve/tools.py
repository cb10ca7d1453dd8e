"""The tools that the product gives over MCP: their names, arguments, and whom each is for.

Data alone, so that what a learning may not name (`safety/product_names.py`), what the documents list and what is
served can't differ.
"""

from dataclasses import dataclass

from thermite_pipelines.serve.roles import DECIDERS


@dataclass(frozen=True)
class Tool:
    """A tool: `arguments` by name, with `?` behind those that may be left out."""

    name: str
    roles: tuple[str, ...]
    arguments: tuple[str, ...]


_FILTERS = ("kinds?", "rig?", "run?", "by?", "since?", "until?", "limit?")
_START = ("campaign?", "effort?", "domain?", "entities?")
_ANSWER = ("session_id?", "item_id?", "response?", "page?", "completion_token?")

TOOLS = (
    Tool("kb_folders", DECIDERS, ("campaign?",)),
    Tool("kb_search", DECIDERS, ("words", "folders?", *_FILTERS)),
    Tool("kb_grant", DECIDERS, ("reader", "source")),
    Tool("kb_revoke", DECIDERS, ("reader", "source")),
    Tool("review", DECIDERS, (*_START, *_ANSWER)),
    Tool("hypothesize", DECIDERS, (*_START, *_ANSWER)),
    Tool("atoms_propose", DECIDERS, ("campaign", "atoms")),
    Tool("search_past_research", ("agent", "advisor"), ("words", *_FILTERS)),
    Tool("help_request", ("agent",), ("blocker?", "summary", "detail?", "fatal?")),
    Tool("learning_propose", ("agent",), ("text", "impact?")),
)


def tool_names() -> frozenset[str]:
    """The names of all tools."""
    return frozenset(tool.name for tool in TOOLS)
