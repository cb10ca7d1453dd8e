"""Tokens: the tags and names that facts have in common, and how rare they are."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from thermite_pipelines.synthesis.discovery.dial import Bridge
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.tags import canonical, canonical_tags, matches, same_entity
from thermite_pipelines.synthesis.work import Request

Kind = Literal["entity", "domain"]


@dataclass(frozen=True)
class Token:
    """A tag or name in its one form, as it was first written, with the facts that carry it, in the order of ids.

    One that is a name of any fact is an `entity`, though others have it as a tag.
    """

    form: str
    kind: Kind
    shown: str
    members: tuple[str, ...]


def tokens_of(facts: Mapping[str, Fact], bridge: Bridge, markers: Collection[str] = ()) -> list[Token]:
    """All tokens of some facts, in the order of their forms; `markers`, which all facts share, are none."""
    first: dict[tuple[str, Kind], str] = {}
    carried: dict[str, dict[str, None]] = {}
    for name in sorted(facts):
        for kind, word in _words(facts[name], bridge):
            form = canonical(word)
            if form and form not in markers:
                first.setdefault((form, kind), word)
                carried.setdefault(form, {})[name] = None
    return [_token(form, first, carried[form]) for form in sorted(carried)]


def _words(fact: Fact, bridge: Bridge) -> Iterator[tuple[Kind, str]]:
    axes: tuple[tuple[Kind, tuple[str, ...]], ...] = (("entity", fact.entities), ("domain", fact.domain))
    for kind, words in axes:
        if bridge in (kind, "both"):
            for word in words:
                yield kind, word


def _token(form: str, first: Mapping[tuple[str, Kind], str], members: Iterable[str]) -> Token:
    kind: Kind = "entity" if (form, "entity") in first else "domain"
    return Token(form, kind, first[form, kind], tuple(members))


class Frequencies:
    """How many of some facts carry a token: tags compared in their one form, names but for the case of letters."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._domains: Counter[str] = Counter()
        self._entities: Counter[str] = Counter()
        for fact in facts:
            self._domains.update(canonical_tags(fact.domain))
            self._entities.update({entity.casefold() for entity in fact.entities})

    def of(self, token: Token) -> int:
        """The number of facts that carry it on its own axis."""
        return self._entities[token.shown.casefold()] if token.kind == "entity" else self._domains[token.form]


@dataclass(frozen=True)
class Scope:
    """What a session was told to look at; nothing: everything."""

    domains: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()

    @classmethod
    def of(cls, request: Request) -> "Scope":
        """The scope of a request."""
        return cls(request.domains, request.entities)

    @property
    def label(self) -> str:
        """Its words in one line: domains, then entities."""
        return ", ".join((*self.domains, *self.entities))

    @property
    def is_given(self) -> bool:
        """Whether it leaves anything out."""
        return bool(self.domains or self.entities)

    def holds(self, token: Token) -> bool:
        """Whether a token only says again what was asked for; tags are compared with tags, names with names."""
        if token.kind == "entity":
            return any(same_entity(one, token.shown) for one in self.entities)
        return any(matches(one, token.form) for one in self.domains)
