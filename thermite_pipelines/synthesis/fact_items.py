"""Items as facts: which kinds are facts, of which type, how sure, and how many sources say it.

| item | fact | confidence | sources |
|---|---|---|---|
| note: observation, surprise | observation | 0.6 | 1 |
| note: lesson | principle | 0.6 | 1 |
| experiment that was tried and has a result | observation | 0.8 | 1 |
| attempt with a verdict | observation | 0.9 | 1 |
| claim | reference | 0.8; 0.3 with an unverified quote | the sources that it quotes |
| research note | reference | 0.6 | its sources |
| finding | observation | its own, else 0.7 | the sources behind its claims, at least 1 |
| hypothesis | hypothesis | 0.5 | 1 |
| hypothesis that was confirmed | that one, retracted, and an observation that cites it | 0.8 | 1 |

A refuted hypothesis is retracted; an inconclusive one stays. Other notes (decision, question, note), an experiment that
was skipped or is not finished, an attempt that nobody judged, runs, trials, documents, sources and reports are no
facts.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from thermite_pipelines.knowledge.items import TITLE_CHARACTERS, item_id, record_of
from thermite_pipelines.synthesis.drafts import (
    Draft,
    FactOf,
    Row,
    digest_of,
    names_in,
    number,
    one_line,
    paragraphs,
    refs_of,
    tags_of,
    title_of,
)
from thermite_pipelines.tables.schemas import ITEM_TABLES

NOTE_TYPES = {"observation": "observation", "surprise": "observation", "lesson": "principle"}
CONFIRMED = "#confirmed"
"""Ends the source of the observation that a confirmed hypothesis becomes: the hypothesis keeps its own."""


class Quoted(NamedTuple):
    """What a finding needs to know of a claim: the sources that it quotes, and whether it is a fact itself."""

    sources: frozenset[str]
    is_fact: bool


Behind = Mapping[str, Quoted]
"""The claims of a run, by record id."""
_UNKNOWN = Quoted(frozenset(), is_fact=False)


def drafts_of_item(kind: str, row: Row, behind: Behind) -> list[Draft]:
    """What an item says as facts: none, one, or two of a confirmed hypothesis. `behind` is needed for findings."""
    return [draft for draft in _MAKERS[kind](row, behind) if draft.title]


def made_from(kind: str, row: Row, behind: Behind) -> str:
    """16 hex digits over all that the facts of an item are made from."""
    claims = [behind.get(claim, _UNKNOWN) for claim in row["claims"] or ()] if kind == "finding" else []
    others = [(sorted(claim.sources), claim.is_fact) for claim in claims]
    return digest_of(kind, [row[name] for name in _COLUMNS[kind]], others)


def quoted_sources(row: Row) -> frozenset[str]:
    """The sources that a claim quotes."""
    return frozenset(quote["source"] for quote in row["quotes"] or ())


def _sibling(row: Row, kind: str, record: str) -> str:
    """The id of another item of the same run; the run is written as in the row's own id."""
    return item_id(kind, row["rig"], row["item"].split("/", 2)[1], record)


def _draft(
    kind: str,
    row: Row,
    behind: Behind,
    type: str,
    title: str,
    body: str,
    confidence: float,
    sources: int = 1,
    *,
    cited: Iterable[str] = (),
    mark: str = "",
    retracted: tuple[str | None, str | None] = (None, None),
) -> Draft:
    body = body.strip()
    return Draft(
        source=row["item"] + mark,
        type=type,
        title=title_of(title),
        body=body,
        confidence=confidence,
        sources=sources,
        made_from=made_from(kind, row, behind),
        domain=tags_of(title, body),
        entities=names_in(title, body, row.get("metric")),
        refs=refs_of(row["item"], title, body, cited=cited),
        item=row["item"],
        rig=row["rig"],
        run=row["run"],
        written_by=row["written_by"],
        created_at=row["created_at"],
        retracted_by=retracted[0],
        retracted_as=retracted[1],
    )


def _note(row: Row, behind: Behind) -> list[Draft]:
    kind = NOTE_TYPES.get(row["note_kind"])
    if kind is None:
        return []
    is_item = row["about"] and row["about_kind"] in ITEM_TABLES and row["about_kind"] != "run"
    about = [_sibling(row, row["about_kind"], row["about"])] if is_item else []
    text = row["text"] or ""
    return [_draft("note", row, behind, kind, text, text, 0.6, cited=about)]


def _tried(row: Row, outcome: str, baseline: float | None) -> tuple[str, str]:
    """Title and first sentence of what was tried: what it was, how it ended, and what was measured."""
    ended = f": {outcome.replace('_', ' ')}"
    told = (title_of(row["title"], TITLE_CHARACTERS - len(ended)) or record_of(row)) + ended
    if row["value"] is None:
        return told, told
    measured = [one_line(row["metric"]), number(row["value"]), one_line(row.get("unit"))]
    against = "" if baseline is None else f" against {number(baseline)}"
    return told, f"{told}, {' '.join(part for part in measured if part)}{against}"


def _sentences(first: str, rest: str | None) -> str:
    return f"{first}. {rest.strip()}" if rest and rest.strip() else f"{first}."


def _experiment(row: Row, behind: Behind) -> list[Draft]:
    if row["status"] in (None, "skipped"):
        return []
    title, told = _tried(row, row["status"], row["baseline"])
    cited = [row["from_item"]] if row["from_item"] else []
    body = _sentences(told, row["summary"])
    return [_draft("experiment", row, behind, "observation", title, body, 0.8, cited=cited)]


def _attempt(row: Row, behind: Behind) -> list[Draft]:
    if row["verdict"] is None:
        return []
    title, told = _tried(row, row["verdict"], row["champion_value"])
    cited = [_sibling(row, "experiment", row["experiment"])] if row["experiment"] else []
    body = paragraphs(_sentences(told, row["summary"]), row["reason"])
    return [_draft("attempt", row, behind, "observation", title, body, 0.9, cited=cited)]


def _claim(row: Row, behind: Behind) -> list[Draft]:
    sources = quoted_sources(row)
    confidence = 0.8 if all(quote["verified"] for quote in row["quotes"] or ()) else 0.3
    cited = [_sibling(row, "source", source) for source in sorted(sources)]
    text = row["text"] or ""
    return [_draft("claim", row, behind, "reference", row["title"], text, confidence, len(sources), cited=cited)]


def _research_note(row: Row, behind: Behind) -> list[Draft]:
    sources = sorted(set(row["sources"] or ()))
    cited = [_sibling(row, "source", source) for source in sources]
    text = row["text"] or ""
    return [_draft("research_note", row, behind, "reference", row["title"], text, 0.6, len(sources), cited=cited)]


def _finding(row: Row, behind: Behind) -> list[Draft]:
    claims = {claim: behind.get(claim, _UNKNOWN) for claim in row["claims"] or ()}
    sources = frozenset[str]().union(*(claim.sources for claim in claims.values()))
    confidence = 0.7 if row["confidence"] is None else row["confidence"]
    items = {_sibling(row, "claim", name): claim.is_fact for name, claim in claims.items()}
    cited = [FactOf(item) if is_fact else item for item, is_fact in items.items()]
    text = row["text"] or ""
    count = max(1, len(sources))
    return [_draft("finding", row, behind, "observation", row["title"], text, confidence, count, cited=cited)]


def _hypothesis(row: Row, behind: Behind) -> list[Draft]:
    item, title = row["item"], row["title"]
    by = {"confirmed": FactOf(item + CONFIRMED), "refuted": item}.get(row["outcome"])
    retracted = (by, row["outcome"] if by else None)
    kept = _draft("hypothesis", row, behind, "hypothesis", title, row["text"] or "", 0.5, retracted=retracted)
    if row["outcome"] != "confirmed":
        return [kept]
    seen = paragraphs(row["statement"], row["evidence"])
    cited = [FactOf(item)]
    return [kept, _draft("hypothesis", row, behind, "observation", title, seen, 0.8, cited=cited, mark=CONFIRMED)]


_MAKERS: dict[str, Callable[[Row, Behind], list[Draft]]] = {
    "note": _note,
    "experiment": _experiment,
    "attempt": _attempt,
    "claim": _claim,
    "research_note": _research_note,
    "finding": _finding,
    "hypothesis": _hypothesis,
}
FACT_KINDS = tuple(_MAKERS)
"""The kinds of items that may be facts."""
# Where an item lies in its ledger, and when it was last written, says nothing of how things are.
_COLUMNS = {
    kind: tuple(name for name in ITEM_TABLES[kind].column_names if name not in ("n", "updated_n", "updated_at"))
    for kind in FACT_KINDS
}


def claims_behind(rows: list[Row]) -> dict[str, Quoted]:
    """What the findings of a run need to know of its claims."""
    return {record_of(row): Quoted(quoted_sources(row), bool(title_of(row["title"]))) for row in rows}
