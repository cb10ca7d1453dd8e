"""The questions of the analysts' guide on what synthesis made, asked of tables whose rows are known."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_analysts import ask
from tests.support.homes import make_home
from tests.support.synthesis import (
    DECIDED_AT,
    fact_row,
    methodology_row,
    prediction_row,
    put_facts,
    said_in,
    synthesis_row,
)
from thermite_pipelines.tables.derived import DECISIONS, FACTS, HYPOTHESES, METHODOLOGIES, SYNTHESES

Row = dict[str, Any]
GONE: Row = {"retracted_by": "decision:a/9"}

WAYS = {name: methodology_row(name) for name in ("look twice", "ask", "old way")}
ONE, TWO = said_in("rig-a", "r1", "one"), said_in("rig-b", "r1", "two", written_by="planner")
FACT_ROWS = [
    ONE | {"refs": [WAYS["ask"]["fact"]], "confidence": 0.5},
    TWO | {"refs": [WAYS["ask"]["fact"], "https://example.org/"], "confidence": 0.9},
    fact_row("three", **GONE, superseded_by=ONE["fact"]),
    fact_row("four", type="principle"),
]
STRONG = synthesis_row("strong", cites=(ONE, TWO), evidence_weight=0.75)
WEAK = synthesis_row("weak", cites=(ONE,), evidence_weight=0.25)
DEEP = synthesis_row("deep", cites=(STRONG, WEAK), depth=1)
OPEN = {"sure": prediction_row("sure", confidence=0.8), "unsure": prediction_row("unsure", confidence=0.2)}
BACK = prediction_row("back", **GONE, refs=[WAYS["look twice"]["fact"], WAYS["old way"]["fact"]])
BY_RUN = prediction_row("of a run", prediction=None, falsifier=None, decision=None, refs=[WAYS["ask"]["fact"]])


def decision_row(number: int, verb: str, by: str, why_not: str | None = None) -> Row:
    return dict.fromkeys(DECISIONS.column_names) | {
        "decision": f"decision:a/{number}",
        "number": number,
        "decided_at": DECIDED_AT,
        "verb": verb,
        "step": "prune",
        "session": "s-1",
        "answered_by": by,
        "about": ONE["fact"],
        "inputs": [{"fact": ONE["fact"], "version": ONE["version"]}],
        "output": "{}",
        "applies": why_not is None,
        "why_not": why_not,
    }


@pytest.fixture(scope="module", autouse=True)
def lake(ready_record: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home in `.thermite` of the current folder with what synthesis made in two campaigns."""
    folder = tmp_path_factory.mktemp("synthesis")
    home = make_home(folder / ".thermite", ready_record)
    home.campaign("a", "b")
    put_facts(home, "a", FACTS, *FACT_ROWS)
    put_facts(home, "b", FACTS, fact_row("elsewhere", "b", confidence=1.0))
    put_facts(home, "a", SYNTHESES, STRONG, WEAK, DEEP, synthesis_row("gone", cites=(ONE,), **GONE))
    put_facts(home, "a", METHODOLOGIES, WAYS["look twice"], WAYS["ask"], WAYS["old way"] | GONE)
    put_facts(home, "a", HYPOTHESES, *OPEN.values(), BACK, BY_RUN)
    made = [("merge", "engine"), ("retract", "model"), ("retract", "model"), ("synthesize", "rules")]
    rows = [decision_row(number, *one) for number, one in enumerate(made, 1)]
    put_facts(home, "a", DECISIONS, *rows, decision_row(5, "retract", "agent", "a/0123456789ab is retracted"))
    home.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield


def test_13_what_each_campaign_holds() -> None:
    names = ("campaign", "type", "holds", "taken_back", "confidence")
    assert [tuple(row[name] for name in names) for row in ask("13.")] == [
        ("a", "observation", 2, 1, pytest.approx(0.7)),
        ("a", "principle", 1, 0, pytest.approx(0.7)),
        ("b", "observation", 1, 0, 1.0),
    ]


def test_14_syntheses_by_what_they_rest_on() -> None:
    found = [(row["title"], row["facts"], row["runs"], row["writers"]) for row in ask("14.")]
    assert found == [("strong", 2, 2, ["lane-1", "planner"]), ("weak", 1, 1, ["lane-1"])]


def test_15_decisions_by_verb_and_answerer() -> None:
    rows = {(row["verb"], row["answered_by"]): (row["applies"], row["stale"]) for row in ask("15.")}
    assert rows == {
        ("merge", "engine"): (1, 0),
        ("retract", "agent"): (0, 1),
        ("retract", "model"): (2, 0),
        ("synthesize", "rules"): (1, 0),
    }


def test_16_open_predictions() -> None:
    names = ("fact", "confidence", "title", "prediction", "falsifier")
    expected = [{"campaign": "a"} | {name: row[name] for name in names} for row in OPEN.values()]
    assert ask("16.") == expected


def test_sy_24_17_how_often_methodologies_were_reinforced() -> None:
    found = [(row["title"], row["reinforced"]) for row in ask("17.")]
    assert found == [("ask", 3), ("look twice", 1)]
