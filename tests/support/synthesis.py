"""Rows of the tables of facts put into a home past the code that makes them: for tests of what reads them."""

import hashlib
from typing import Any

from tests.support.homes import Home
from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.db import upsert
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.knowledge.synthesis_reading import SHOWN_TABLES, shown_state
from thermite_pipelines.tables.derived import FACTS, HYPOTHESES, METHODOLOGIES, SYNTHESES
from thermite_pipelines.tables.parquet import arrange, rows_hash
from thermite_pipelines.tables.schemas import Table
from thermite_pipelines.times import parse_rfc3339

Row = dict[str, Any]
DECIDED_AT = parse_rfc3339("2026-11-24T12:00:00Z")


def fact_row(title: str, campaign: str = "a", **changes: Any) -> Row:
    """A row of the table `facts`: an observation from a note of run r2 on rig-a, unless changed."""
    return _row(FACTS, title, campaign) | _note("rig-a", "r2", title) | changes


def said_in(rig: str, run: str, title: str, campaign: str = "a", **changes: Any) -> Row:
    """The same from a note of another run."""
    return fact_row(title, campaign, **(_note(rig, run, title) | changes))


def synthesis_row(title: str, campaign: str = "a", *, cites: tuple[Row, ...] = (), **changes: Any) -> Row:
    """A row of the table `syntheses`, of depth 0, that cites some facts."""
    row = _row(SYNTHESES, title, campaign) | _decided(campaign, "synthesis", cites)
    return row | {"origin": "distilled", "depth": 0, "evidence_weight": 0.5} | changes


def methodology_row(title: str, campaign: str = "a", *, cites: tuple[Row, ...] = (), **changes: Any) -> Row:
    """A row of the table `methodologies`."""
    return _row(METHODOLOGIES, title, campaign) | _decided(campaign, "methodology", cites) | changes


def prediction_row(title: str, campaign: str = "a", *, cites: tuple[Row, ...] = (), **changes: Any) -> Row:
    """A row of the table `hypotheses` that synthesis made."""
    said = {"prediction": "The next run is faster.", "falsifier": "The next run is slower."}
    body = f"It may be so.\n\nPrediction: {said['prediction']}\n\nProved false by: {said['falsifier']}"
    row = _row(HYPOTHESES, title, campaign) | _decided(campaign, "hypothesis", cites) | {"confidence": 0.5}
    return row | said | {"body": body} | changes


def put_facts(home: Home, campaign: str, table: Table, *rows: Row) -> None:
    """Make a table of facts of a campaign hold these rows, as its writer would."""
    files = LakeFiles(home.control, home.lake, f"synthesis:{campaign}")
    files.stage(f"derived/{table.name}/campaign={campaign}/{table.name}.parquet", table, list(rows))
    files.publish()
    arranged = arrange(table, list(rows))
    state = {
        "campaign": campaign,
        "name": table.name,
        "signature": "made by a test",
        "content": rows_hash(arranged),
        "rows": arranged.num_rows,
        "days": [],
        "changed_at": 1,
    }
    states = [state, *(shown_state(campaign, name, arranged) for name in SHOWN_TABLES if name == table.name)]
    with home.control.write() as connection:
        files.confirm(connection)
        upsert(connection, DerivedState, states)


def _row(table: Table, title: str, campaign: str) -> Row:
    digest = hashlib.sha256(f"{table.name} {title}".encode()).hexdigest()
    return dict.fromkeys(table.column_names) | {
        "fact": f"{campaign}/{digest[:12]}",
        "version": digest[:16],
        "type": "observation",
        "kind": "epistemic",
        "title": title,
        "body": f"{title}.",
        "domain": ["caches"],
        "entities": ["warm_up"],
        "confidence": 0.7,
        "sources": 1,
        "refs": [],
        "origin": "authored",
        "evidence_weight": 0.0,
        "changed_by": [],
    }


def _note(rig: str, run: str, title: str) -> Row:
    record = hashlib.sha256(title.encode()).hexdigest()[:8]
    source = {"item": f"note:{rig}/{run}/{record}", "rig": rig, "run": run, "written_by": "lane-1"}
    return source | {"created_at": DECIDED_AT}


def _decided(campaign: str, type: str, cites: tuple[Row, ...]) -> Row:
    return {
        "type": type,
        "refs": [row["fact"] for row in cites],
        "sources": max(1, len(cites)),
        "changed_by": [f"decision:{campaign}/1"],
        "decision": f"decision:{campaign}/1",
        "session": "s-1",
        "answered_by": "rules",
        "model": "rules",
        "prompt_version": "rules/1",
        "decided_at": DECIDED_AT,
    }
