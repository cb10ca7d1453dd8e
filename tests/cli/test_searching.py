"""`thermite search` and `thermite explain`, as people and programs use them."""

from typing import Any

import pytest

from tests.cli.commands import Cli
from tests.cli.test_reading import fill
from tests.support.atoms import atom_row, correction_row, message_row, put_atoms, put_session, put_sessions
from tests.support.synthesis import prediction_row, put_facts, synthesis_row
from thermite_pipelines.tables.derived import HYPOTHESES, SYNTHESES

RESULT = ["item", "campaign", "rig", "run", "kind", "written_by", "created_at", "score", "title", "text", "why"]
ATOM = ["atom", "type", "statement", "verbatim_quote", "conditions", "established", "confidence", "score"]
EXPLAINED = ["id", "kind", "text", "decisions", "from", "reports", "verified"]
QUOTE = "No, actually column c counts ads alone"


@pytest.fixture
def filled(cli: Cli) -> Cli:
    """Two runs with three notes each, and two atoms."""
    fill(cli)
    old = atom_row("Caches of notes are warm", "speed-up", time_bound=True, established="2020-01-01")
    put_atoms(cli.home, "speed-up", correction(), old)
    return cli


def correction(**changes: Any) -> dict[str, Any]:
    return correction_row("Column c counts ads alone", "speed-up", verbatim_quote=QUOTE) | changes


def test_the_document_has_both_lists_whatever_matched(filled: Cli) -> None:
    found = filled.json("search", "note", "of")
    assert list(found) == ["results", "atoms"]
    assert all(list(row) == RESULT for row in found["results"]) and len(found["results"]) == 6
    (atom,) = found["atoms"]
    assert list(atom)[: len(ATOM)] == ATOM and atom["confidence"] == "inferred" and atom["is_dated"]
    assert filled.json("search", "nothing-like-it") == {"results": [], "atoms": []}


def test_at_13_atoms_have_a_section_of_their_own_where_any_matches(filled: Cli) -> None:
    assert "Knowledge atoms\n" in filled.say("search", "column", "c")
    assert "Knowledge atoms\n" in filled.say("search", "notes")
    assert "Knowledge atoms" not in filled.say("search", "run-2")
    assert filled.say("search", "nothing-like-it") == "nothing found\n"


@pytest.mark.parametrize("more", [[], ["--instincts"]])
def test_at_09_the_quote_stands_beside_the_statement(filled: Cli, more: list[str]) -> None:
    shown = filled.say("search", "column", *more)
    assert "Column c counts ads alone" in shown and f'"{QUOTE}"' in shown


def test_a_quote_that_nobody_checked_is_never_shown_as_checked(filled: Cli) -> None:
    assert "not checked" not in filled.say("search", "column")
    put_atoms(filled.home, "speed-up", correction(quote_checked=False, session=None))
    for more in ([], ["--instincts"]):
        assert f'"{QUOTE}" (not checked against a session)' in filled.say("search", "column", *more)


def test_at_04_instincts_are_to_weigh_and_have_no_imperative_heading(filled: Cli) -> None:
    shown = filled.say("search", "column", "--instincts")
    lines = [line.strip() for line in shown.splitlines()]
    assert "(to weigh, not a rule to obey)" in lines
    for name in ("situation", "lean", "reason", "source"):
        assert sum(line.startswith(f"{name}: ") and len(line) > len(name) + 2 for line in lines) == 1
    for word in ("must", "always", "never do", "follow", "obey this"):
        assert word not in shown.lower().replace(QUOTE.lower(), "")


def test_at_33_kind_atom_gives_only_atoms(filled: Cli) -> None:
    found = filled.json("search", "notes", "--kind", "atom")
    assert found["results"] == [] and len(found["atoms"]) == 1


def test_what_synthesis_made_is_listed_with_the_items(filled: Cli) -> None:
    put_facts(filled.home, "speed-up", SYNTHESES, synthesis_row("Whole shelves\x1b[2J are warm", "speed-up"))
    put_facts(filled.home, "speed-up", HYPOTHESES, prediction_row("Whole shelves stay warm", "speed-up"))
    found = filled.json("search", "shelves")
    assert {row["kind"] for row in found["results"]} == {"synthesis", "prediction"} and found["atoms"] == []
    assert all(list(row) == RESULT and row["rig"] is None and row["run"] is None for row in found["results"])
    (row,) = filled.json("search", "shelves", "--kind", "synthesis")["results"]
    shown = filled.say("search", "shelves", "--kind", "synthesis")
    assert f"    {row['item']}  speed-up  rules  2026-11-24T12:00:00Z" in shown and "\x1b" not in shown


def test_filters_reach_the_search(filled: Cli) -> None:
    def runs(*words: str) -> list[str]:
        return sorted({row["run"] for row in filled.json("search", "note", *words)["results"]})

    assert runs("--run", "run-2") == ["run-2"]
    assert runs("--rig", "rig-a", "--folder", "speed-up", "--kind", "note") == ["run-1", "run-2"]
    assert runs("--folder", "other") == [] and runs("--as", "other") == []
    assert runs("--by", "planner") == [] and runs("--by", "lane-1") == ["run-1", "run-2"]
    assert runs("--until", "2026-11-28") == [] and runs("--until", "2026-11-29") == ["run-1", "run-2"]
    assert runs("--since", "2026-11-30") == [] and runs("--since", "2026-11-29T11:00:00Z") == ["run-1", "run-2"]
    assert len(filled.json("search", "note", "--limit", "2")["results"]) == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["x", "--folder", "zzz"], 1),
        (["x", "--as", "zzz"], 1),
        (["x", "--rig", "rig-z"], 1),
        (["x", "--as", "speed-up", "--run", "run-1"], 1),
        (["x", "--kind", "insight"], 2),
        (["x", "--since", "soon"], 2),
        (["x", "--run", "a/b"], 2),
        (["x", "--limit", "0"], 2),
        (["…"], 2),
        ([], 2),
    ],
)
def test_what_makes_no_sense_is_one_line(filled: Cli, words: list[str], code: int) -> None:
    filled.fail("search", *words, code=code)


def test_words_of_others_cannot_drive_the_terminal(filled: Cli) -> None:
    put_atoms(filled.home, "speed-up", correction(conditions="\x1b[2J", statement="column \x1b[31m\nKnowledge"))
    for more in ([], ["--instincts"]):
        assert "\x1b" not in filled.say("search", "column", *more)


def test_explaining_an_item_down_to_its_report(filled: Cli) -> None:
    (row, *_) = filled.json("search", "note", "--kind", "note")["results"]
    found = filled.json("explain", row["item"])
    assert list(found) == EXPLAINED
    assert found["verified"] and [report["seq"] for report in found["reports"]] == [1]
    shown = filled.say("explain", row["item"])
    assert shown.startswith(f"note {row['item']}: verified\n") and "rig-a L1 report 1, payload" in shown


def test_explaining_an_atom_shows_its_message_with_the_neighbours(filled: Cli) -> None:
    row = put_session(filled.home, "speed-up", "s1", [message_row("s1", f"{QUOTE}.")], rig="rig-a", run="run-1")
    put_sessions(filled.home, "speed-up", row)
    found = filled.json("explain", correction()["atom"])
    assert list(found)[: len(EXPLAINED)] == EXPLAINED and found["verified"] is False
    shown = filled.say("explain", correction()["atom"])
    for part in ("NOT verified", QUOTE, "before (assistant): I take the column", "after (assistant): Understood."):
        assert part in shown


def test_explaining_what_is_not_there(filled: Cli) -> None:
    filled.fail("explain", "atom:speed-up/00")
    filled.fail("explain", "note:rig-a/run-1/none")
    filled.fail("explain", "insight", code=2)
