"""Facts after decisions as rows of tables. Pure: the same facts and the same log give the same rows.

A fact stands in one table, that of its type now: `syntheses`, `methodologies` and `hypotheses`, or `facts` for all
others. What was taken back keeps its row.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from thermite_pipelines.synthesis.corpus import Held
from thermite_pipelines.synthesis.decisions import Decision
from thermite_pipelines.synthesis.fold import Folded
from thermite_pipelines.tables.derived import DECISIONS, FACTS, HYPOTHESES, METHODOLOGIES, SYNTHESES
from thermite_pipelines.tables.schemas import Table

Row = dict[str, Any]
OF_TYPE: dict[str, Table] = {"synthesis": SYNTHESES, "methodology": METHODOLOGIES, "hypothesis": HYPOTHESES}
"""The table of facts of some types; those of all others stand in `facts`."""
FACT_TABLES: tuple[Table, ...] = (FACTS, *OF_TYPE.values())
_ASKED = ("session", "answered_by", "model", "prompt_version", "cache_key", "decided_at")


def fact_rows(folded: Folded, log: Mapping[int, Row]) -> dict[str, list[Row]]:
    """The rows of the four tables of facts, by table. `log` has the rows of the decision log by number."""
    written = _first_written(folded.applied)
    found: dict[str, list[Row]] = {table.name: [] for table in FACT_TABLES}
    for held in folded.corpus.all().values():
        table = OF_TYPE.get(held.fact.type, FACTS)
        found[table.name].append(_fact_row(table, held, written.get((held.fact.fact, held.fact.type)), log))
    return found


def decision_rows(folded: Folded, log: Mapping[int, Row]) -> list[Row]:
    """The rows of the table `decisions`, by number: those that apply and those that don't, with the reason."""
    why: list[tuple[Decision, str | None]] = [(one, None) for one in folded.applied]
    why += [(one.decision, one.why) for one in folded.stale]
    return [_decision_row(one, reason, log[one.number]) for one, reason in sorted(why, key=lambda pair: pair[0].number)]


def _first_written(applied: Iterable[Decision]) -> dict[tuple[str, str], Decision]:
    """By id and type of a fact, the first decision that wrote it as one of that type."""
    found: dict[tuple[str, str], Decision] = {}
    for decision in applied:
        fact = decision.output.get("fact")
        if fact is not None:
            found.setdefault((fact["fact"], fact["type"]), decision)
    return found


def _fact_row(table: Table, held: Held, written: Decision | None, log: Mapping[int, Row]) -> Row:
    row = held.row()
    if table is not FACTS:
        # What a run recorded as a hypothesis was not written by a decision that made it cite something.
        by = None if held.fact.type == "hypothesis" and held.fact.item is not None else written
        asked = log[by.number] if by is not None else dict.fromkeys(_ASKED)
        row |= {name: asked[name] for name in _ASKED} | {"decision": by and by.id}
        output = by.output if by is not None else {}
        row |= {name: output.get(name) for name in ("prediction", "falsifier")}
    return {name: row[name] for name in table.column_names}


def _decision_row(decision: Decision, why_not: str | None, logged: Row) -> Row:
    row = {name: logged[name] for name in _ASKED} | {
        "decision": decision.id,
        "number": decision.number,
        "verb": decision.verb,
        "step": decision.step,
        "work_item": logged["item"],
        "about": decision.about,
        "inputs": [{"fact": fact, "version": version} for fact, version in decision.inputs],
        # Sorted: databases keep the keys of an object in orders of their own.
        # What does not apply may rest on facts that are another campaign's by now: its words are nobody's here.
        "output": "{}" if why_not is not None else _json(decision.output),
        "applies": why_not is None,
        "why_not": why_not,
    }
    return {name: row[name] for name in DECISIONS.column_names}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
