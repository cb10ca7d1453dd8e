"""Where facts and decisions came from: other facts, by the decisions that wrote them, down to items and atoms.

A decision is no signed thing. That a derived fact is verified says that each decision behind it is known and that all
it rests on verifies down to signed reports or kept transcripts; whether its words follow from these is the reader's to
judge.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.explain_sources import explain_atom, explain_items
from thermite_pipelines.knowledge.explained import Explained, Explaining, Row, joined
from thermite_pipelines.knowledge.fact_rows import FactRows
from thermite_pipelines.names import CAMPAIGN
from thermite_pipelines.times import format_rfc3339

_DECISION_ID = re.compile(rf"decision:({CAMPAIGN.pattern})/([1-9][0-9]{{0,17}})")
_MAKERS = frozenset(["merge", "synthesize", "propose", "hypothesize", "discover"])
"""Verbs of decisions that make a fact of their inputs."""
_KINDS = {"synthesis": "synthesis", "methodology": "methodology", "hypothesis": "prediction"}
_TOLD = ("verb", "step", "answered_by", "model", "prompt_version", "cache_key", "session", "applies", "why_not")
_MORE = ("type", "title", "depth", "retracted_by", "retracted_as", "superseded_by")


@dataclass
class _Lineage:
    """All facts below some, read from the tables before anything is told."""

    rows: dict[str, Row] = field(default_factory=dict)
    decisions: dict[int, Row] = field(default_factory=dict)
    sources: dict[str, list[str]] = field(default_factory=dict)
    """The facts that each was made of."""
    items: dict[str, Explained] = field(default_factory=dict)
    atoms: dict[str, Explained] = field(default_factory=dict)


def explain_fact(using: Explaining, id: str) -> Explained:
    """A fact of any table. Raises `ThermiteError` where there is none of that id."""
    campaign = id.partition("/")[0]
    lineage = _lineage(using, _reader(using, campaign), [id])
    if id not in lineage.rows:
        raise ThermiteError(f"there is no fact {id}", do="look for it with `thermite search`, or in the table `facts`")
    return _told(lineage, [id])[id]


def explain_decision(using: Explaining, id: str) -> Explained:
    """A decision: the facts that it rests on, as they are now. Raises `ThermiteError` where there is none."""
    named = _DECISION_ID.fullmatch(id)
    if named is None:
        raise UsageError(f"{id[:160]!r} is no id of a decision", do="write decision:<campaign>/<number>")
    reader = _reader(using, named[1])
    row = reader.decisions([int(named[2])], whole=True).get(int(named[2]))
    if row is None:
        raise ThermiteError(f"there is no decision {id}", do="look into the table `decisions`")
    inputs = [one["fact"] for one in row["inputs"]]
    told = _told(_lineage(using, reader, inputs), inputs)
    written = json.loads(row["output"]).get("fact")
    sources = tuple(told[name] for name in dict.fromkeys(inputs))
    return Explained(
        id=id,
        kind="decision",
        text=f"{row['verb']}: {written['title']}" if written else row["verb"],
        verified=all(source.verified for source in sources),
        reports=joined(sources),
        sources=sources,
        decisions=(_decision(row),),
        more={"about": row["about"], "writes": written and written["fact"]},
    )


def _reader(using: Explaining, campaign: str) -> FactRows:
    """What looks facts and decisions of a campaign up; it finds none where the folder may not be read."""
    return FactRows(using.columns, campaign if campaign in using.readable else None)


def _lineage(using: Explaining, reader: FactRows, ids: Iterable[str]) -> _Lineage:
    """Everything below some facts: a step down at a time, so that each table is asked as often as there are steps."""
    found = _Lineage()
    ahead = set(ids)
    asked = set[str]()
    while ahead:
        rows = reader.facts(ahead)
        numbers = {_number(one) for row in rows.values() for one in row["changed_by"]} - found.decisions.keys()
        found.rows |= rows
        found.decisions |= reader.decisions(numbers)
        found.sources |= {name: list(_made_of(row, found.decisions)) for name, row in rows.items()}
        asked |= ahead
        ahead = {source for name in rows for source in found.sources[name]} - asked
    items = sorted({row["item"] for row in found.rows.values() if row["item"] is not None})
    found.items = explain_items(using, items)
    for atom in sorted({row["atom"] for row in found.rows.values() if row["atom"] is not None}):
        try:
            found.atoms[atom] = explain_atom(using, atom)
        except ThermiteError:
            continue  # told of below the fact as what is not there
    return found


def _number(decision: str) -> int:
    return int(decision.rpartition("/")[2])


def _made_of(row: Row, decisions: Mapping[int, Row]) -> Iterator[str]:
    """The facts that a fact was made of or took over, each once."""
    seen = {row["fact"]}
    for id in row["changed_by"]:
        decision = decisions.get(_number(id))
        # The merge that took a fact back made another one of it.
        if decision is None or decision["verb"] not in _MAKERS or id == row["retracted_by"]:
            continue
        for one in decision["inputs"]:
            if one["fact"] not in seen:
                seen.add(one["fact"])
                yield one["fact"]


def _told(lineage: _Lineage, ids: Iterable[str]) -> dict[str, Explained]:
    """Some facts and all below them, each explained once, the deepest first.

    Where a fact was made of one that was made of it (an earlier version of it), the way back is not followed.
    """
    told: dict[str, Explained] = {}
    for id in ids:
        above: dict[str, Iterator[str]] = {} if id in told else {id: iter(lineage.sources.get(id, ()))}
        while above:
            name = next(reversed(above))
            below = next((one for one in above[name] if one not in told and one not in above), None)
            if below is not None:
                above[below] = iter(lineage.sources.get(below, ()))
                continue
            del above[name]
            sources = [told[one] for one in lineage.sources.get(name, ()) if one in told]
            told[name] = _fact(lineage, name, sources)
    return told


def _fact(lineage: _Lineage, name: str, sources: list[Explained]) -> Explained:
    row = lineage.rows.get(name)
    if row is None:
        return Explained(name, "fact", None, verified=False, once=True)
    own = [*_own(row["item"], lineage.items), *_own(row["atom"], lineage.atoms)]
    decisions = [lineage.decisions.get(_number(one)) for one in row["changed_by"]]
    known = [_decision(one) for one in decisions if one is not None]
    below = (*own, *sources)
    return Explained(
        id=name,
        kind="fact" if row["item"] is not None else _KINDS.get(row["type"], "fact"),
        text=row["body"] or row["title"],
        verified=bool(below) and len(known) == len(decisions) and all(one.verified for one in below),
        reports=joined(below),
        sources=below,
        decisions=tuple(known),
        more={name: row[name] for name in _MORE},
        once=True,
    )


def _own(id: str | None, explained: Mapping[str, Explained]) -> list[Explained]:
    """The item or atom that a fact was made of, also where it is not there any more."""
    if id is None:
        return []
    return [explained.get(id) or Explained(id, id.partition(":")[0], None, verified=False)]


def _decision(row: Row) -> Row:
    """What is told of a decision, in the form of the document."""
    return {
        "id": row["decision"],
        "number": row["number"],
        "at": format_rfc3339(row["decided_at"]),
        **{name: row[name] for name in _TOLD},
        "inputs": [dict(one) for one in row["inputs"]],
    }
