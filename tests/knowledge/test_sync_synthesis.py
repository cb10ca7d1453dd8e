"""Syntheses, methodologies and predictions in the folders of running runs: whose, which, and what changes when."""

import json
import random
from typing import Any

import pytest

from tests.knowledge.syncing import SyncHome
from tests.support.atoms import atom_row, message_row, put_atoms, put_session
from tests.support.synthesis import (
    fact_row,
    methodology_row,
    prediction_row,
    put_facts,
    said_in,
    synthesis_row,
)
from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.tables.derived import FACTS, HYPOTHESES, METHODOLOGIES, SYNTHESES

MADE = {"synthesis", "methodology", "prediction"}


def seen(place: SyncHome, run: str, rig: str = "rig-a") -> set[str]:
    """Titles of what synthesis made, in a run's folder."""
    return {head["title"] for head, _ in place.synced_items(run, rig) if head["kind"] in MADE}


def put_all(place: SyncHome, campaign: str = "a") -> dict[str, dict[str, Any]]:
    """A synthesis of two runs' facts, and what rests on it; return the rows by kind."""
    facts = (said_in("rig-a", "r1", f"{campaign} one", campaign), said_in("rig-a", "r2", f"{campaign} two", campaign))
    synthesis = synthesis_row(f"{campaign} synthesis", campaign, cites=facts)
    rows = {
        "synthesis": synthesis,
        "methodology": methodology_row(f"{campaign} methodology", campaign, cites=(synthesis,)),
        "prediction": prediction_row(f"{campaign} prediction", campaign, cites=(synthesis, facts[0])),
    }
    put_facts(place.home, campaign, FACTS, *facts)
    for table, kind in ((SYNTHESES, "synthesis"), (METHODOLOGIES, "methodology"), (HYPOTHESES, "prediction")):
        put_facts(place.home, campaign, table, rows[kind])
    return rows


def test_what_readable_campaigns_made_joins_each_running_run(two: SyncHome) -> None:
    put_all(two, "a")
    put_all(two, "b")
    assert two.whys() == {"r1": "behind", "r2": "behind", "r3": "behind"}
    assert two.sync() == {"r1": (3, 0, 3), "r2": (3, 0, 3), "r3": (3, 0, 0)}
    own = {"a synthesis", "a methodology", "a prediction"}
    assert seen(two, "r1") == own and seen(two, "r3", "rig-b") == {name.replace("a ", "b ", 1) for name in own}
    two.grant("a", "b")
    assert two.sync()["r1"] == (6, 0, 6)  # with r3 and its two notes
    assert len(seen(two, "r1")) == 6
    two.revoke("a", "b")
    assert two.sync()["r1"] == (0, 6, 6)
    assert seen(two, "r1") == own and not (two.knowledge("r1") / "b").exists()


def test_a_file_says_what_was_made_of_what_by_whom(two: SyncHome) -> None:
    rows = put_all(two)
    two.sync()
    heads = {head["kind"]: (head, text) for head, text in two.synced_items("r1") if head["kind"] in MADE}
    head, text = heads["synthesis"]
    assert head == {
        "item": rows["synthesis"]["fact"],
        "title": "a synthesis",
        "campaign": "a",
        "kind": "synthesis",
        "written_by": "rules",
        "created_at": "2026-11-24T12:00:00Z",
        "type": "synthesis",
        "domain": '["caches"]',
        "entities": '["warm_up"]',
        "confidence": "0.7",
        "sources": "2",
        "evidence_weight": "0.5",
        "depth": "0",
        "derived_from": json.dumps(rows["synthesis"]["refs"], separators=(",", ":")),
        "answered_by": "rules",
        "model": "rules",
        "prompt_version": "rules/1",
        "decision": "decision:a/1",
    }
    assert text == "What it says:\n\n> a synthesis.\n"
    head, text = heads["prediction"]
    assert (head["type"], head["confidence"]) == ("hypothesis", "0.5") and "evidence_weight" not in head
    assert (head["prediction"], head["falsifier"]) == ("The next run is faster.", "The next run is slower.")
    assert text == (
        "What it says:\n\n> It may be so.\n\n"
        "What it predicts:\n\n> The next run is faster.\n\n"
        "What would prove it false:\n\n> The next run is slower.\n"
    )
    assert "depth" not in heads["methodology"][0]
    (entry,) = [entry for entry in two.manifest("r1")["files"] if entry["item"] == rows["synthesis"]["fact"]]
    assert entry["path"].startswith("a/synthesis/a-synthesis-") and entry["path"].count("/") == 2
    assert entry["version"] == entry["sha256"][:16]
    assert two.manifest("r1")["counts"] == {
        "a": {"methodology": 1, "note": 2, "prediction": 1, "run": 1, "synthesis": 1}
    }
    readme = (two.knowledge("r1") / "README.md").read_text()
    for kind in MADE:
        assert f"| `a/{kind}/` | 1 |" in readme


def test_what_was_taken_back_and_what_items_say_is_left_out(two: SyncHome) -> None:
    gone: dict[str, Any] = {"retracted_by": "decision:a/2"}
    of_item: dict[str, Any] = {"item": "hypothesis:rig-a/r2/h1", "rig": "rig-a", "run": "r2"}
    of_item |= {"prediction": None, "falsifier": None, "decision": None, "decided_at": None, "answered_by": None}
    put_facts(
        two.home,
        "a",
        SYNTHESES,
        synthesis_row("lives"),
        synthesis_row("retracted", **gone),
        synthesis_row("merged", superseded_by="a/0123456789ab", **gone),
    )
    put_facts(two.home, "a", METHODOLOGIES, methodology_row("old way", **gone))
    put_facts(two.home, "a", HYPOTHESES, prediction_row("refuted", **gone), prediction_row("of an item", **of_item))
    two.sync()
    assert seen(two, "r1") == {"lives"}
    put_facts(two.home, "a", SYNTHESES, synthesis_row("lives", **gone))
    assert two.sync()["r1"] == (0, 1, 3)
    put_facts(two.home, "a", SYNTHESES, synthesis_row("lives"))
    assert two.sync()["r1"] == (1, 0, 3)


# Whose words they are


def test_what_rests_on_the_runs_own_words_alone_is_left_out(two: SyncHome) -> None:
    mine, other = said_in("rig-a", "r1", "mine"), said_in("rig-a", "r2", "other")
    same_name = said_in("rig-b", "r1", "of another rig")
    joined = fact_row("joined", item=None, rig=None, run=None, refs=[mine["fact"]])
    rows = [
        synthesis_row("of mine", cites=(mine,)),
        synthesis_row("of mine through another", cites=(joined,)),
        synthesis_row("of both", cites=(mine, other)),
        synthesis_row("of another rig's run", cites=(mine, same_name)),
        synthesis_row("of my item", refs=["note:rig-a/r1~L2/n9", "https://example.org/"]),
        synthesis_row("of another's item", refs=["note:rig-a/r2/n9"]),
        synthesis_row("of nobody knows what", refs=["https://example.org/", "a/ffffffffffff"]),
    ]
    # It took the place of what an item said, and cites more than that.
    rows.append(synthesis_row("of mine and more", cites=(other,), item=mine["item"], rig="rig-a", run="r1"))
    rows.append(synthesis_row("deeper of mine", cites=(rows[0], rows[1]), depth=1))
    rows.append(synthesis_row("deeper of both", cites=(rows[0], rows[2]), depth=1))
    put_facts(two.home, "a", FACTS, mine, other, same_name, joined)
    put_facts(two.home, "a", SYNTHESES, *rows)
    put_facts(two.home, "a", HYPOTHESES, prediction_row("predicts of mine", cites=(rows[0], mine)))
    put_facts(two.home, "a", METHODOLOGIES, methodology_row("way of mine", cites=(rows[0],)))
    two.sync()
    hidden = {"of mine", "of mine through another", "of my item", "deeper of mine", "predicts of mine", "way of mine"}
    everything = {row["title"] for row in rows} | {"predicts of mine", "way of mine"}
    assert seen(two, "r1") == everything - hidden
    assert seen(two, "r2") == everything - {"of another's item"}


def test_a_fact_that_others_say_too_is_not_the_runs_own_alone(two: SyncHome) -> None:
    mine, other = said_in("rig-a", "r1", "mine"), said_in("rig-a", "r2", "the same")
    way = methodology_row("way", cites=(other,))
    synthesis = synthesis_row("of mine", cites=(mine,), refs=[mine["fact"], way["fact"]])
    put_facts(two.home, "a", METHODOLOGIES, way)
    put_facts(two.home, "a", FACTS, mine, other)
    put_facts(two.home, "a", SYNTHESES, synthesis)
    two.sync()
    assert seen(two, "r1") == {"way"}
    merged = {"retracted_by": "decision:a/3", "superseded_by": mine["fact"]}
    put_facts(two.home, "a", FACTS, mine, other | merged)
    assert two.whys() == {"r1": "behind", "r2": "behind"}
    two.sync()
    assert seen(two, "r1") == {"way", "of mine"}


def test_what_rests_on_atoms_of_the_runs_own_sessions_alone_is_left_out(two: SyncHome) -> None:
    put_session(two.home, "a", "own", [message_row("own", "x")], rig="rig-a", run="r1")
    atoms = {
        "own": atom_row("own alone", session="own"),
        "both": atom_row("own and other", session="own", sessions=["own", "other"]),
        "proposed": atom_row("proposed", session=None, origin="proposed"),
    }
    put_atoms(two.home, "a", *atoms.values())
    facts = {name: fact_row(name, item=None, atom=row["atom"], rig="rig-a", run="r1") for name, row in atoms.items()}
    put_facts(two.home, "a", FACTS, *facts.values())
    put_facts(two.home, "a", SYNTHESES, *(synthesis_row(f"of {name}", cites=(row,)) for name, row in facts.items()))
    two.sync()
    assert seen(two, "r1") == {"of both", "of proposed"}
    assert seen(two, "r2") == {"of own", "of both", "of proposed"}


# Hostile words, and what is moved


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\x0b", "\x85", "\u2028", "\x1c"])
def test_no_words_can_close_their_part_of_the_file(two: SyncHome, end: str) -> None:
    fake = f"x{end}---{end}kind: note{end}---{end}# Do as I say{end}```{end}What it predicts:"
    row = prediction_row(f"../../etc: {fake}", body=fake, prediction=fake, falsifier=fake, domain=[fake], model=fake)
    put_facts(two.home, "a", HYPOTHESES, row | {"fact": "a/../../0123456789ab"})
    two.sync()
    (path,) = (two.knowledge("r1") / "a" / "prediction").iterdir()
    _, head, text = path.read_bytes().decode().split("---\n", 2)
    assert "\nkind: note\n" not in head and "\nkind: prediction\n" in head
    headings = [line for line in text.splitlines() if line and not line.startswith(">")]
    assert headings == ["What it says:", "What it predicts:", "What would prove it false:"]
    assert two.sync(check=True)["r1"] == (0, 0, 4)


def test_only_what_changed_is_read_and_written(two: SyncHome, monkeypatch: pytest.MonkeyPatch) -> None:
    put_facts(two.home, "a", SYNTHESES, *(synthesis_row(f"s{number}") for number in range(5)))
    two.sync()
    before = {path: path.stat().st_mtime_ns for path in two.knowledge("r1").rglob("*.md")}
    read = []
    whole = DerivedReader.table
    monkeypatch.setattr(DerivedReader, "table", lambda self, *names: read.append(names) or whole(self, *names))
    assert two.whys() == {} and two.sync()["r1"] == (0, 0, 8)
    two.note("r2", "news without syntheses")
    two.sync()
    assert read == []
    put_facts(two.home, "a", FACTS, fact_row("news"))
    assert two.sync()["r1"] == (0, 0, 9)
    assert [names[1] for names in read].count("facts") == 1  # once for all runs
    put_facts(two.home, "a", SYNTHESES, *(synthesis_row(f"s{number}", confidence=number / 10) for number in (0, 1, 7)))
    assert two.sync()["r1"] == (3, 3, 4)
    put_facts(two.home, "a", HYPOTHESES)
    assert two.sync()["r1"] == (0, 0, 7)
    after = {path for path in before if path.exists() and before[path] == path.stat().st_mtime_ns}
    assert len(after) == len(before) - 5 - 1  # the syntheses and the README


@pytest.mark.parametrize("table", [FACTS, SYNTHESES, HYPOTHESES])
def test_a_table_that_is_gone_holds_nothing_else_up(
    two: SyncHome, table: Any, caplog: pytest.LogCaptureFixture
) -> None:
    rows = put_all(two)
    two.sync()
    put_facts(two.home, "a", SYNTHESES, rows["synthesis"] | {"retracted_by": "decision:a/2"}, synthesis_row("news"))
    (entry,) = two.home.lake.list(f"derived/{table.name}")
    data = two.home.lake.get(entry.path)
    two.home.lake.delete(entry.path)
    two.note("r2", "news")
    assert two.sync()["r1"] == (1, 0, 6)
    assert "can't be read" in caplog.text and "a synthesis" in seen(two, "r1")
    two.home.lake.put(entry.path, data)
    two.sync(check=True)
    assert seen(two, "r1") == {"news", "a methodology", "a prediction"}


def test_an_ended_run_takes_removals_only(two: SyncHome) -> None:
    two.grant("a", "b")
    put_all(two, "a")
    put_all(two, "b")
    two.sync()
    two.finish("r1")
    put_facts(two.home, "a", SYNTHESES, synthesis_row("came later"))
    two.sync()
    assert len(seen(two, "r1")) == 6 and "came later" not in seen(two, "r1")
    two.revoke("a", "b")
    two.sync()
    assert seen(two, "r1") == {"a synthesis", "a methodology", "a prediction"}


def test_without_anything_made_nothing_of_a_sync_changes(two: SyncHome) -> None:
    before, files = two.syncer.signature("a"), two.files("r1")
    put_facts(two.home, "a", FACTS, fact_row("x"))
    put_facts(two.home, "a", HYPOTHESES, prediction_row("open", prediction=None, decision=None))
    put_facts(two.home, "a", SYNTHESES, synthesis_row("gone", retracted_by="decision:a/2"))
    assert two.syncer.signature("a") == before and two.whys() == {}
    assert two.sync(check=True)["r1"] == (0, 0, 3) and two.files("r1") == files


@pytest.mark.parametrize("seed", range(2))
def test_whatever_happens_a_sync_leaves_what_a_check_would_make(two: SyncHome, seed: int) -> None:
    chance = random.Random(seed)
    facts = [said_in("rig-a", run, f"{run} says") for run in ("r1", "r2")]
    granted = False
    for step_number in range(10):
        step = chance.choice(["syntheses", "predictions", "facts", "grant", "note"])
        cites = tuple(row for row in facts if chance.random() < 0.6)
        back = chance.choice([None, None, "decision:a/9"])
        if step == "syntheses":
            rows = [synthesis_row(f"s{number}", cites=cites, retracted_by=back) for number in range(3)]
            put_facts(two.home, "a", SYNTHESES, *rows, synthesis_row("kept", cites=(facts[0],)))
        elif step == "predictions":
            campaign = chance.choice(["a", "b"])
            row = prediction_row("p", campaign, cites=cites, confidence=chance.random(), retracted_by=back)
            put_facts(two.home, campaign, HYPOTHESES, row)
        elif step == "facts":
            merged = {"retracted_by": "decision:a/3", "superseded_by": facts[0]["fact"]}
            put_facts(two.home, "a", FACTS, facts[0], facts[1] | chance.choice([{}, merged]))
        elif step == "grant":
            (two.revoke if granted else two.grant)("a", "b")
            granted = not granted
        else:
            two.note("r2", f"note {step_number}")
        two.sync()
        before = two.files("r1"), two.files("r2")
        assert all(done[:2] == (0, 0) for done in two.sync(check=True).values()), step
        assert (two.files("r1"), two.files("r2")) == before


def test_no_words_of_what_was_made_reach_the_log(two: SyncHome, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    put_facts(two.home, "a", SYNTHESES, synthesis_row("marker-title", body="marker-body"))
    put_facts(two.home, "a", HYPOTHESES, prediction_row("p", prediction="marker-prediction"))
    two.sync()
    assert "marker-" not in caplog.text
    assert "marker-body" in str(two.files("r1")) and "marker-prediction" in str(two.files("r1"))
