"""What is sent and answered, as programs read it from OpenAPI: bodies of requests, and the shapes of answers."""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from thermite_pipelines import names
from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge.explain import EXPLAINERS
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.knowledge.picker import PICKED_KINDS
from thermite_pipelines.knowledge.search import SEARCH_KINDS
from thermite_pipelines.times import parse_rfc3339

MOST_RESULTS = 200
"""Results of a search, of each list."""
_LONGEST_TEXT = 20_000
_LONGEST_ANSWER = 2**20
MOST_WORDS = 200
WORD_CHARACTERS = 200
"""Flags and routes of a run, and the length of each."""


def _of(pattern: re.Pattern[str]) -> StringConstraints:
    return StringConstraints(pattern=f"^(?:{pattern.pattern})$")


RigName = Annotated[str, _of(names.RIG)]
CampaignName = Annotated[str, _of(names.CAMPAIGN)]
RunName = Annotated[str, _of(names.RUN)]
AgentName = Annotated[str, _of(names.AGENT)]
WriterName = Annotated[str, _of(names.WRITER)]
Kind = Annotated[str, StringConstraints(pattern=f"^(?:{'|'.join(KINDS)})$")]
SearchKind = Annotated[str, StringConstraints(pattern=f"^(?:{'|'.join(SEARCH_KINDS)})$")]
PickedKind = Annotated[str, StringConstraints(pattern=f"^(?:{'|'.join(PICKED_KINDS)})$")]
ExplainedId = Annotated[
    str,
    StringConstraints(
        pattern=f"^(?:(?:{'|'.join(EXPLAINERS)}):.+|{names.CAMPAIGN.pattern}/[0-9a-f]{{12,64}})$", max_length=2_000
    ),
]
Time = Annotated[
    str,
    StringConstraints(
        pattern=r"^(?:19|2[0-9])[0-9]{2}-"
        r"(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|[12][0-9]))"
        r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]))?$"
    ),
]
"""A time with an offset, or a day alone."""
Words = Annotated[str, StringConstraints(min_length=1, max_length=WORD_CHARACTERS)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=_LONGEST_TEXT)]


def moment(text: str | None, *, end: bool = False) -> int | None:
    """A `Time` in microseconds; a day alone means its beginning in UTC, or its end. Raises `UsageError`."""
    if text is None:
        return None
    day = len(text) == len("2026-11-29")
    try:
        return parse_rfc3339(f"{text}T{'23:59:59.999999' if end else '00:00:00'}Z" if day else text)
    except ValueError as error:
        raise UsageError(str(error)) from None


class Problem(BaseModel):
    """Why it could not be done (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str | None = None


def _described(**texts: str) -> dict[int | str, dict[str, Any]]:
    body = {"application/problem+json": {"schema": Problem.model_json_schema()}}
    return {int(status[1:]): {"description": text, "content": body} for status, text in texts.items()}


PROBLEMS = _described(
    s400="It can't be read.",
    s401="No token, or one that does not count.",
    s403="The token is of another role.",
    s404="There is no such thing, or none that this token may know of.",
    s408="The request took too long to arrive.",
    s409="It can't be done as things stand.",
    s413="Too much was sent.",
    s415="It was sent in a form that is not taken.",
    s422="What was sent is not as it should be.",
    s429="Too many requests.",
    s500="Something went wrong in the service.",
    s503="Ask again later.",
)
"""The answers that any route may give."""


def content(*media: str) -> dict[int | str, dict[str, Any]]:
    """What a route answers whose bytes come from a file."""
    return {200: {"description": "As it is kept.", "content": {one: {"schema": {"type": "string"}} for one in media}}}


class _Body(BaseModel):
    """A body of a request: what it does not know is an error, and nothing is taken for something else."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TakenDocument(BaseModel):
    """A report that lies in the inbox."""

    sha256: str
    name: str


class AssignmentBody(_Body):
    """A run that is to belong to a campaign; the first time also fixes its briefing (`brief`: ids of items)."""

    rig: RigName
    run: RunName
    campaign: CampaignName
    brief: list[Id] = Field(default_factory=list, max_length=MOST_WORDS)
    agents: bool = True
    kit: Words | None = None
    flags: list[Words] = Field(default_factory=list, max_length=MOST_WORDS)
    routes: list[Words] = Field(default_factory=list, max_length=MOST_WORDS)
    move: bool = False


class ReplyBody(_Body):
    """An answer to every open help request of a run."""

    run: RunName
    rig: RigName | None = None
    text: Text
    flags: list[Words] = Field(default_factory=list, max_length=MOST_WORDS)


class ResolveBody(_Body):
    """A run whose open help requests are dealt with."""

    run: RunName
    rig: RigName | None = None


class LearningBody(_Body):
    """What is decided of a learning. Dropping is for good, so it has to be confirmed; keeping has not."""

    decision: Literal["keep", "drop"]
    confirm: bool = False


class WorkBody(_Body):
    """A call of `review` or `hypothesize`: without `session_id` it starts a session, with it it goes on with that."""

    effort: Literal["normal", "medium", "high"] | None = Field(
        None, description="How far to look; counts at the start."
    )
    domain: list[Words] = Field(
        default_factory=list, max_length=MOST_WORDS, description="Only facts with one of these tags."
    )
    entities: list[Words] = Field(default_factory=list, max_length=MOST_WORDS, description="Only facts that name one.")
    session_id: Words | None = Field(None, description="The session to go on with, as the first answer gave it.")
    item_id: int | None = Field(None, ge=1, description="The item that is answered; left out: the current one.")
    response: Annotated[str, StringConstraints(max_length=_LONGEST_ANSWER)] | dict[str, Any] | None = Field(
        None, description="The answer to the item, by its response_schema: JSON, as a text or as a value."
    )
    page: int | None = Field(None, ge=1, description="Without an answer: the page of the current item to read.")
    completion_token: Words | None = Field(None, description="Of an item of several pages: the last page has it.")
