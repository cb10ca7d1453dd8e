"""Facts: what a campaign holds to be so, each with how sure that is and how many sources say it.

A fact is `epistemic` (it says how things are) or `pragmatic` (it says what to do); each type belongs to one kind, and
only epistemic facts ever enter synthesis.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import msgspec

from thermite_pipelines.errors import ThermiteError

EPISTEMIC = (
    "observation",
    "concept",
    "process",
    "principle",
    "pattern",
    "reference",
    "synthesis",
    "insight",
    "hypothesis",
    "methodology",
)
PRAGMATIC = ("policy", "heuristic")
KIND_OF: dict[str, str] = {**dict.fromkeys(EPISTEMIC, "epistemic"), **dict.fromkeys(PRAGMATIC, "pragmatic")}
ORIGINS = {
    "authored": frozenset(KIND_OF),
    "distilled": frozenset(["synthesis"]),
    "discovered": frozenset(["synthesis", "hypothesis"]),
}
"""The types on which each origin is legal."""
_HALF = 8
RECORD_FIELDS = ("path", "title", "body", "type", "domain", "entities", "confidence", "sources", "origin")
"""The reduced record of a fact that answerers see, in this order."""


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a fact. `fact` is its id; `version` tells what it says from what it said before."""

    fact: str
    type: str
    title: str
    body: str
    domain: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    confidence: float = 0.7
    sources: int = 1
    refs: tuple[str, ...] = ()
    origin: str = "authored"
    evidence_weight: float = 0.0
    depth: int | None = None  # of a derived fact: that of the work item that wrote it
    # Where it came from; null for derived facts.
    item: str | None = None
    atom: str | None = None
    rig: str | None = None
    run: str | None = None
    written_by: str | None = None
    created_at: int | None = None  # microseconds

    @property
    def kind(self) -> str:
        """`epistemic` or `pragmatic`."""
        return KIND_OF[self.type]

    @property
    def version(self) -> str:
        """16 hex digits over what it says: the first 8 over its words (type, title, body), the last 8 over the rest
        (tags, entities, confidence, sources, refs, origin).
        """
        rest = (self.domain, self.entities, float(self.confidence), self.sources, self.refs, self.origin)
        return _digits((self.type, self.title, self.body)) + _digits(rest)

    @property
    def key(self) -> tuple[str, str]:
        """Id and version."""
        return self.fact, self.version

    def record(self) -> dict[str, Any]:
        """The reduced record that answerers see: without kind, refs and evidence weight; `origin` only where set."""
        values = (
            self.fact,
            self.title,
            self.body,
            self.type,
            list(self.domain),
            list(self.entities),
            self.confidence,
            self.sources,
            self.origin,
        )
        return {name: value for name, value in zip(RECORD_FIELDS, values, strict=True) if name != "origin" or value}

    def row(self) -> dict[str, Any]:
        """All fields as plain values, with `kind` and `version`."""
        return msgspec.to_builtins(self) | {"kind": self.kind, "version": self.version}


def words_of(version: str) -> str:
    """The half of a version that tells the words: two versions that share it mean the same, however sure either is."""
    return version[:_HALF]


def _digits(said: tuple[Any, ...]) -> str:
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode(errors="surrogatepass")).hexdigest()[:_HALF]


def checked(fact: Fact) -> Fact:
    """Return a fact that keeps the rules of types, origins and numbers; raises `ThermiteError` that names the field."""
    if fact.type not in KIND_OF:
        raise ThermiteError(f"{fact.type!r} is no type of fact", where=fact.fact, do=f"use one of {', '.join(KIND_OF)}")
    if fact.type not in ORIGINS.get(fact.origin, ()):
        raise ThermiteError(f"origin {fact.origin!r} does not go with type {fact.type}", where=fact.fact)
    if not 0 <= fact.confidence <= 1:
        raise ThermiteError(f"confidence is {fact.confidence}, not between 0 and 1", where=fact.fact)
    if fact.sources < 0:
        raise ThermiteError(f"sources is {fact.sources}, below 0", where=fact.fact)
    if not fact.title.strip():
        raise ThermiteError("title is empty", where=fact.fact)
    return fact


def derived_id(campaign: str, step: str, inputs: Mapping[str, str], place: int) -> str:
    """The id of a derived fact: from the campaign, the step, its inputs with their versions, and its place there."""
    parts = [campaign, step, *(f"{fact} {version}" for fact, version in sorted(inputs.items())), str(place)]
    return f"{campaign}/{hashlib.sha256(chr(10).join(parts).encode()).hexdigest()[:12]}"
