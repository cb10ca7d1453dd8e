"""The arguments of each tool, as they are judged and as programs read them (JSON Schema).

An argument that a tool does not have is an error, and so is one of another type: nothing is taken for something else.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from thermite_pipelines.errors import UsageError
from thermite_pipelines.ledger.event_data import Blocker, Impact
from thermite_pipelines.serve.documents import (
    MOST_RESULTS,
    CampaignName,
    RigName,
    RunName,
    SearchKind,
    Time,
    WorkBody,
    WriterName,
)

_LONGEST = 20_000
_MOST_ERRORS = 5

Words = Annotated[str, Field(min_length=1, max_length=1_000, description="What to look for.")]


class Arguments(BaseModel):
    """Base of all arguments."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Folders(Arguments):
    """Arguments of `kb_folders`."""

    campaign: CampaignName | None = Field(None, description="Only this campaign.")


class Filters(Arguments):
    """What a search is narrowed by."""

    kinds: list[SearchKind] | None = Field(None, description="Only these kinds.")
    rig: RigName | None = Field(None, description="Only this rig.")
    run: RunName | None = Field(None, description="Only this run.")
    by: WriterName | None = Field(None, description="Only what this writer wrote.")
    since: Time | None = Field(None, description="Only from this time (RFC 3339) or day on.")
    until: Time | None = Field(None, description="Only up to this time, or the end of a day.")
    limit: int = Field(10, ge=1, le=MOST_RESULTS, description="At most so many of each list.")


class PastResearch(Filters):
    """Arguments of `search_past_research`."""

    words: Words


class Search(PastResearch):
    """Arguments of `kb_search`."""

    folders: list[CampaignName] | None = Field(None, max_length=100, description="Only these campaigns' folders.")


class Grant(Arguments):
    """Arguments of `kb_grant` and `kb_revoke`."""

    reader: CampaignName = Field(description="The campaign that reads.")
    source: CampaignName = Field(description="The campaign whose folder it reads.")


class Work(WorkBody):
    """Arguments of `review` and `hypothesize`."""

    campaign: CampaignName | None = Field(None, description="Whose facts: starts a session.")


class Atoms(Arguments):
    """Arguments of `atoms_propose`."""

    campaign: CampaignName
    atoms: list[Any] = Field(min_length=1, description="Atoms, each judged by itself; see docs/atoms.md.")


class Help(Arguments):
    """Arguments of `help_request`."""

    blocker: Blocker | None = Field(None, description="Left out: other.")
    summary: str = Field(min_length=1, max_length=_LONGEST, description="One line for a list; cut at 200 characters.")
    detail: str | None = Field(
        None,
        max_length=_LONGEST,
        description="What you tried, what happened, what you need; cut at 4,000 characters.",
    )
    fatal: bool = Field(False, description="Whether it stopped your work, or only limited it.")


class Learning(Arguments):
    """Arguments of `learning_propose`."""

    text: str = Field(max_length=_LONGEST, description="One plain observation of at most 400 characters.")
    impact: Impact = Field("medium", description="How much it matters; decides nothing.")


ARGUMENTS: dict[str, type[Arguments] | type[Work]] = {
    "kb_folders": Folders,
    "kb_search": Search,
    "kb_grant": Grant,
    "kb_revoke": Grant,
    "review": Work,
    "hypothesize": Work,
    "atoms_propose": Atoms,
    "search_past_research": PastResearch,
    "help_request": Help,
    "learning_propose": Learning,
}
"""By the tool's name."""


def schema_of(tool: str) -> dict[str, Any]:
    """The arguments of a tool as JSON Schema."""
    found = ARGUMENTS[tool].model_json_schema()
    for name in ("title", "description"):
        found.pop(name, None)
    for one in found.get("properties", {}).values():
        one.pop("title", None)
    return found


def judged(tool: str, given: dict[str, Any]) -> Any:
    """The arguments of a call. Raises `UsageError` that says what is wrong where, without what was sent."""
    try:
        return ARGUMENTS[tool].model_validate(given)
    except ValidationError as error:
        raise UsageError(_told(error, frozenset(ARGUMENTS[tool].model_fields))) from None


def _told(error: ValidationError, known: frozenset[str]) -> str:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [f"{_place(one['loc'], known)}: {one['msg']}" for one in found[:_MOST_ERRORS]]
    more = len(found) - len(lines)
    return "; ".join(dict.fromkeys(lines)) + (f"; and {more} more" if more else "")


def _place(where: tuple[int | str, ...], known: frozenset[str]) -> str:
    """Where in the arguments; a name that is none of the tool's is the caller's word, so only its beginning is said."""
    first = str(where[0])[:40] if where else "arguments"
    name = first if first in known else repr(first)
    numbers = [str(part) for part in where[1:] if isinstance(part, int)]
    return "/".join([name, *numbers])
