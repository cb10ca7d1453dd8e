"""Atoms as facts.

| atom | fact | confidence |
|---|---|---|
| correction | observation | 0.9 |
| mental_model | concept | 0.8 |
| finding | observation | 0.8 |
| pattern | pattern | 0.7 |
| decision, workflow | heuristic (pragmatic: kept, and never in synthesis) | 0.8 |

Sources are the sessions that said it; what a person proposed without one that is known was said once. Open questions
and gestalts are no facts. An atom that another took the place of is superseded by that one's fact.
"""

from thermite_pipelines.knowledge.atom_reading import NONE_STATED, day_start, written_by
from thermite_pipelines.synthesis.drafts import (
    Draft,
    FactOf,
    Row,
    digest_of,
    names_in,
    paragraphs,
    refs_of,
    tags_of,
    title_of,
)
from thermite_pipelines.tables.derived import ATOMS

ATOM_TYPES: dict[str, tuple[str, float]] = {
    "correction": ("observation", 0.9),
    "mental_model": ("concept", 0.8),
    "finding": ("observation", 0.8),
    "pattern": ("pattern", 0.7),
    "decision": ("heuristic", 0.8),
    "workflow": ("heuristic", 0.8),
}
"""Type and confidence of the fact that an atom is, by the atom's type."""


def drafts_of_atom(row: Row, successor: Row | None = None) -> list[Draft]:
    """What an atom says as a fact: none or one. `successor` is the atom that took its place."""
    if row["type"] not in ATOM_TYPES:
        return []
    type, confidence = ATOM_TYPES[row["type"]]
    title, body = title_of(row["statement"]), _body(row)
    if not title:
        return []
    return [
        Draft(
            source=row["atom"],
            type=type,
            title=title,
            body=body,
            confidence=confidence,
            sources=max(1, len(set(row["sessions"] or ()))),
            made_from=made_from(row, successor),
            domain=tags_of(title, body, row["domain"] or ()),
            entities=names_in(title, body),
            refs=refs_of(row["atom"], body),
            atom=row["atom"],
            rig=row["rig"],
            run=row["run"],
            written_by=written_by(row),
            created_at=day_start(row["established"]),
            superseded_by=_superseded_by(row, successor),
        )
    ]


def made_from(row: Row, successor: Row | None = None) -> str:
    """16 hex digits over all that the fact of an atom is made from."""
    return digest_of([row[name] for name in ATOMS.column_names], type(_superseded_by(row, successor)).__name__)


def _superseded_by(row: Row, successor: Row | None) -> str | None:
    by = row["superseded_by"]
    if not by or successor is None or successor["type"] not in ATOM_TYPES or not title_of(successor["statement"]):
        return by
    return FactOf(by)


def _body(row: Row) -> str:
    holds = row["conditions"] if row["conditions"] not in (None, "", NONE_STATED) else None
    return paragraphs(
        row["statement"],
        holds and f"Holds under: {holds}",
        row["wrong_assumption"] and f"Wrongly assumed: {row['wrong_assumption']}",
        row["why_confused"] and f"Why one would: {row['why_confused']}",
    )
