"""What an answerer gives for a batch of messages, and what the rules make of it.

An answerer (the built-in rules, or a language model) sees only `Said`: messages of people with the message before each.
It answers `Extracted`; the gate in `quality` judges every atom of that against the very messages that were shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.answers import Brief

AtomType = Literal[
    "correction", "mental_model", "finding", "decision", "pattern", "open_question", "workflow", "gestalt"
]
ATOM_TYPES: tuple[AtomType, ...] = (
    "correction",
    "mental_model",
    "finding",
    "decision",
    "pattern",
    "open_question",
    "workflow",
    "gestalt",
)
EXTRACTED_TYPES = ATOM_TYPES[:-1]
"""A gestalt is put together of atoms, by hand or by grouping: no single message gives one."""
NONE_STATED = "none stated"
"""The conditions of an atom that names none: never missing, so that nobody has to guess whether they were lost."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message that a person typed, with the text of the message before it (cut) as context."""

    message: str
    place: int
    text: str
    before: str | None = None


class ExtractedAtom(BaseModel):
    """One atom as an answerer gives it; nothing in it is trusted before the gate."""

    model_config = ConfigDict(extra="ignore")

    message: str = Field(description="id of the message that says it")
    type: str = Field(description="one of: " + ", ".join(EXTRACTED_TYPES))
    statement: str = Field(description="the assertion, readable without the conversation")
    domain: list[str] = Field(description="domain tags, lower case, hyphenated, at least one")
    conditions: str = Field(description=f"when it holds, in the person's words, or '{NONE_STATED}'")
    verbatim_quote: str = Field(description="the person's exact words, copied character for character")
    wrong_assumption: str = Field(description="corrections: what the agent wrongly assumed; else empty")
    why_confused: str = Field(description="corrections: why one would assume it; else empty")


class ExtractedIntent(BaseModel):
    """What a person wanted done: one line."""

    model_config = ConfigDict(extra="ignore")

    message: str = Field(description="id of the message that asks for it")
    text: str = Field(description="what is wanted, in one line")


class Extracted(Brief, BaseModel):
    """Everything an answerer found in a batch of messages."""

    model_config = ConfigDict(extra="ignore")

    atoms: list[ExtractedAtom]
    intents: list[ExtractedIntent]


@dataclass(frozen=True)
class Answered:
    """What a batch holds, by a model; `unanswered`: messages that it will never answer for, by why."""

    extracted: Extracted
    model: str
    unanswered: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Atom:
    """An atom that passed the gate, of one message or of a proposal. Atoms are told apart by `digest` alone."""

    type: AtomType
    statement: str
    domain: tuple[str, ...]
    conditions: str
    verbatim_quote: str | None
    quote_checked: bool
    wrong_assumption: str | None
    why_confused: str | None
    message: str | None
    time_bound: bool
    digest: str  # hex SHA-256 of the normalized statement
    supersedes: str | None = None
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Intent:
    """What a person wanted done, and the message that says so."""

    message: str
    text: str


@dataclass
class Extraction:
    """What became of one batch of messages: what was kept, and how many candidates each rule refused."""

    atoms: list[Atom] = field(default_factory=list)
    intents: list[Intent] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)


class Answerer(Protocol):
    """Who reads messages and answers with atoms and intents."""

    @property
    def model(self) -> str:
        """`rules`, or the name of a language model."""
        ...

    @property
    def models(self) -> tuple[str, ...]:
        """All names that its answers can be of: the model, and those that stand in for it."""
        ...

    @property
    def prompt_version(self) -> str:
        """Name and version of the prompt, or of the rules."""
        ...

    def batches(self, messages: Sequence[Said]) -> list[Sequence[Said]]:
        """Cut new messages of one session into what is asked at once, in order."""
        ...

    def answer_all(
        self, batches: Sequence[Sequence[Said]]
    ) -> Iterator[tuple[int, Extracted | Answered | ThermiteError]]:
        """What each batch holds, by its place in `batches`, as the answers come; an error where there is no answer."""
        ...
