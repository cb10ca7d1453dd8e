"""Base facts: a campaign's own items and atoms as facts, before any decision on them. Pure.

Which source becomes what stands in `fact_items` and `fact_atoms`, how titles and bodies are made in `drafts`, tags in
`domains` and `tags`, names in `entities`.

A fact's id is `<campaign>/<12 hex of SHA-256 of its source's id>`: it depends on nothing else, so it is the same after
every rebuild. Where two sources of a campaign share these digits, both take eight more, and so on.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from thermite_pipelines.synthesis.drafts import Draft, FactOf, Row
from thermite_pipelines.synthesis.facts import Fact, checked

ID_DIGITS = 12
_MORE_DIGITS = 8
_ALL_DIGITS = 64


class BaseFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact before decisions, and what became of it by its own source.

    `retracted_by` names what took it back: the observation that a confirmed hypothesis became, or the item that says
    that it is refuted; `retracted_as` is `confirmed` or `refuted`. `superseded_by` is the fact (or the atom that is no
    fact) that took its place.
    """

    fact: Fact
    made_from: str
    retracted_by: str | None = None
    retracted_as: str | None = None
    superseded_by: str | None = None

    @property
    def is_live(self) -> bool:
        """Whether it still holds."""
        return self.retracted_by is None and self.superseded_by is None

    @property
    def may_enter(self) -> bool:
        """Whether synthesis may see it: it holds, and says how things are rather than what to do."""
        return self.is_live and self.fact.kind == "epistemic"

    def row(self) -> Row:
        """A row of the table `base_facts`."""
        return self.fact.row() | {
            "made_from": self.made_from,
            "retracted_by": self.retracted_by,
            "retracted_as": self.retracted_as,
            "superseded_by": self.superseded_by,
        }


def source_digest(source: str) -> str:
    """Hex SHA-256 of a source's id."""
    return hashlib.sha256(source.encode()).hexdigest()


def short_id(campaign: str, source: str) -> str:
    """The id of a source's fact where no other source of the campaign shares its first digits."""
    return f"{campaign}/{source_digest(source)[:ID_DIGITS]}"


def ids_of(campaign: str, sources: Iterable[str], digest: Callable[[str], str] = source_digest) -> dict[str, str]:
    """The id of each source's fact, longer for those that share their first digits, in whatever order they come."""
    waiting = {source: digest(source) for source in sources}
    ids: dict[str, str] = {}
    length = ID_DIGITS
    while waiting:
        shared = Counter(hexes[:length] for hexes in waiting.values())
        settled = {
            source: f"{campaign}/{hexes[:length]}"
            for source, hexes in waiting.items()
            if shared[hexes[:length]] == 1 or length >= _ALL_DIGITS
        }
        ids |= settled
        waiting = {source: hexes for source, hexes in waiting.items() if source not in settled}
        length += _MORE_DIGITS
    return ids


def base_facts(campaign: str, drafts: Iterable[Draft], ids: Mapping[str, str] | None = None) -> list[BaseFact]:
    """The facts of some drafts, by id. `ids` are needed where sources of the campaign share their first digits.

    Raises `ThermiteError` where a draft breaks the rules of facts.
    """

    def named(ref: str) -> str:
        if not isinstance(ref, FactOf):
            return ref
        return ids[ref] if ids and ref in ids else short_id(campaign, ref)

    return sorted((_base_fact(draft, named) for draft in drafts), key=lambda one: one.fact.fact)


def _base_fact(draft: Draft, named: Callable[[str], str]) -> BaseFact:
    fact = Fact(
        fact=named(FactOf(draft.source)),
        type=draft.type,
        title=draft.title,
        body=draft.body,
        domain=draft.domain,
        entities=draft.entities,
        confidence=float(draft.confidence),
        sources=draft.sources,
        refs=tuple(dict.fromkeys(named(ref) for ref in draft.refs)),
        item=draft.item,
        atom=draft.atom,
        rig=draft.rig,
        run=draft.run,
        written_by=draft.written_by,
        created_at=draft.created_at,
    )
    return BaseFact(
        fact=checked(fact),
        made_from=draft.made_from,
        retracted_by=draft.retracted_by and named(draft.retracted_by),
        retracted_as=draft.retracted_as,
        superseded_by=draft.superseded_by and named(draft.superseded_by),
    )


def fact_of(row: Mapping[str, Any]) -> Fact:
    """The fact of a row of a table of facts."""
    values = {name: row[name] for name in Fact.__struct_fields__}
    lists = {name: row[name] or [] for name in ("domain", "entities", "refs")}
    return msgspec.convert(values | lists, Fact)


def base_fact_of(row: Mapping[str, Any]) -> BaseFact:
    """The base fact of a row of the table `base_facts`."""
    return BaseFact(
        fact=fact_of(row),
        made_from=row["made_from"],
        retracted_by=row["retracted_by"],
        retracted_as=row["retracted_as"],
        superseded_by=row["superseded_by"],
    )
