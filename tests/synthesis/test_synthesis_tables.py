"""The tables of facts after decisions: the same bytes however they came to be, nothing lost, nothing counted twice."""

import json
import random
import shutil
import time
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest

from tests.atoms.talking import arrive, opened
from tests.knowledge.filing import assign_run, refresh
from tests.support.homes import Home, make_home, make_settings
from tests.support.killing import Points, in_child
from tests.synthesis.deciding import MODEL, decide, distilled, history, judged, record, some_research, tables
from tests.synthesis.making import fact
from tests.synthesis.saying import CAMPAIGN, facts, make, say_note, settle
from thermite_pipelines.control.models import Base
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.synthesis import state, synthesis_tables
from thermite_pipelines.synthesis.base_facts import BaseFact
from thermite_pipelines.synthesis.decisions import Decision, fact_output
from thermite_pipelines.synthesis.synthesis_tables import synthesis_numbers, tables_are_behind
from thermite_pipelines.tables.derived import SYNTHESIS_TABLES
from thermite_pipelines.tables.parquet import to_rows

NAMES = ("facts", "syntheses", "methodologies", "hypotheses", "decisions")
Row = dict[str, Any]


def files(home: Home) -> dict[str, bytes]:
    return {path: data for name in NAMES for path, data in home.files(f"derived/{name}").items()}


def versions(home: Home) -> dict[str, str]:
    return {entry.path: entry.version for name in NAMES for entry in home.lake.list(f"derived/{name}")}


def on_disk(home: Home, table: str) -> list[Row]:
    """The rows of a table as they lie on disk, read past all code that wrote them."""
    folder = home.lake.local(f"derived/{table}/campaign={CAMPAIGN}")
    return [row for path in sorted(folder.glob("*.parquet")) for row in to_rows(pq.ParquetFile(path).read())]


def by_fact(home: Home, *names: str) -> dict[str, Row]:
    return {row["fact"]: row for name in names or NAMES[:4] for row in on_disk(home, name)}


def is_behind(home: Home) -> bool:
    with home.control.read() as connection:
        return tables_are_behind(connection, CAMPAIGN)


def test_every_fact_stands_in_the_one_table_of_its_type(any_home: Home) -> None:
    home = any_home
    ids = history(home)
    assert is_behind(home) and tables(home).refresh() and not is_behind(home)
    held = state.read_folded(opened(home), CAMPAIGN).corpus.all()
    rows = [row for name in NAMES[:4] for row in on_disk(home, name)]
    assert sorted(row["fact"] for row in rows) == list(held)
    for name in NAMES:
        found = DerivedReader(opened(home)).rows(CAMPAIGN, name)
        assert found == on_disk(home, name)
    for row in rows:
        said = json.loads(msgspec.json.encode(held[row["fact"]].row()))
        assert {name: row[name] for name in said.keys() & row.keys()} == {
            name: value for name, value in said.items() if name in row
        }
        assert said.keys() - row.keys() <= {"retracted_as"}
    assert {row["type"] for row in on_disk(home, "facts")} == {"observation", "reference", "principle"}
    assert {row["fact"] for row in on_disk(home, "syntheses")} == {
        ids[n] for n in ("synthesis", "deeper", "discovered")
    }
    assert {row["fact"] for row in on_disk(home, "methodologies")} == {ids["methodology"]}
    assert {row["fact"] for row in on_disk(home, "hypotheses")} == {
        ids[name] for name in ("hypothesis:h1", "hypothesis:h2", "hypothesis:h3", "hypothesis:h4", "prediction")
    }


def test_what_was_taken_back_stays_readable_and_names_what_took_it(home: Home) -> None:
    ids = history(home)
    before = facts(home)
    tables(home).refresh()
    rows, decisions = by_fact(home), {row["decision"]: row for row in on_disk(home, "decisions")}
    gone = rows[ids["claim:c3"]]
    assert (gone["title"], gone["body"]) == (before["claim:c3"].fact.title, before["claim:c3"].fact.body)
    assert decisions[gone["retracted_by"]]["verb"] == "retract" and gone["superseded_by"] is None
    twin = rows[ids["experiment:e1"]] if rows[ids["experiment:e1"]]["retracted_by"] else rows[ids["experiment:e0"]]
    merge = decisions[twin["retracted_by"]]
    assert (merge["step"], merge["answered_by"], merge["work_item"]) == ("dedup", "engine", None)
    assert twin["superseded_by"] == merge["about"]
    assert rows[ids["finding:f1"]]["superseded_by"] == ids["synthesis"]
    assert rows[ids["hypothesis:h2"]]["retracted_as"] == "refuted"
    for row in rows.values():
        assert all(decision in decisions for decision in row["changed_by"])
        assert row["retracted_by"] is None or not row["retracted_by"].startswith("decision:") or row["changed_by"]


def test_derived_rows_name_who_answered_the_prompt_and_the_cache_key(home: Home) -> None:
    ids = history(home)
    tables(home).refresh()
    rows, decisions = by_fact(home, *NAMES[1:4]), {row["decision"]: row for row in on_disk(home, "decisions")}
    for name, verb in (("synthesis", "synthesize"), ("methodology", "propose"), ("prediction", "hypothesize")):
        row = rows[ids[name]]
        assert (row["answered_by"], row["model"], row["prompt_version"], row["cache_key"]) == (
            MODEL.answered_by,
            MODEL.model,
            MODEL.prompt_version,
            MODEL.cache_key,
        )
        assert decisions[row["decision"]]["verb"] == verb
        assert json.loads(decisions[row["decision"]]["output"])["fact"]["fact"] == ids[name]
        assert (row["session"], row["decided_at"]) == ("s-1", decisions[row["decision"]]["decided_at"])
    prediction, item = rows[ids["prediction"]], rows[ids["hypothesis:h2"]]
    assert (prediction["prediction"], prediction["falsifier"]) == ("2 ms", "4 ms")
    # A decision made the item's hypothesis cite a methodology; it did not write it.
    assert item["changed_by"] and item["decision"] is None and item["prediction"] is None
    assert [rows[ids[name]]["depth"] for name in ("synthesis", "deeper", "discovered")] == [0, 1, 0]


def test_sy_24_reinforcements_are_counted_by_who_cites_a_methodology_and_no_column_counts_them(home: Home) -> None:
    ids = history(home)
    tables(home).refresh()
    citing = [row["fact"] for row in by_fact(home).values() if ids["methodology"] in (row["refs"] or [])]
    assert sorted(citing) == sorted([ids["hypothesis:h1"], ids["hypothesis:h2"]])
    verbs = [row["verb"] for row in on_disk(home, "decisions") if ids["methodology"] in str(row["inputs"])]
    assert verbs == ["reinforce", "reinforce"]
    names = [name for table in SYNTHESIS_TABLES.values() for name in table.column_names]
    names += [column.name for table in Base.metadata.tables.values() for column in table.columns]
    assert not [name for name in names if "reinforce" in name or "citation" in name or name.endswith("_count")]


def test_a_refresh_without_news_writes_nothing(home: Home) -> None:
    history(home)
    assert tables(home).refresh()
    before = versions(home)
    assert not tables(home).refresh()
    make(home, anew=True)
    assert not tables(home).refresh()
    assert versions(home) == before


def test_a_rebuild_gives_the_same_bytes(home: Home) -> None:
    history(home)
    tables(home).refresh()
    before = files(home)
    assert len(before) == 5
    assert tables(home).refresh(anew=True)
    assert files(home) == before
    for name in NAMES:
        shutil.rmtree(home.lake.local(f"derived/{name}"))
    assert tables(home).refresh()
    assert files(home) == before


def test_many_refreshes_give_the_bytes_of_one(
    tmp_path: Path, ready_record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthesis_tables, "BLOCK", 4)
    found = []
    for often in (False, True):
        home = make_home(tmp_path / str(often), ready_record)
        with monkeypatch.context() as patched:
            if often:
                keep = state.read_folded

                def refreshed(opened_home: Any, campaign: str, home: Home = home, keep: Any = keep) -> Any:
                    tables(home).refresh()
                    return keep(opened_home, campaign)

                patched.setattr("tests.synthesis.deciding.read_folded", refreshed)
            history(home)
        tables(home).refresh()
        found.append(files(home))
        home.close()
    assert found[0] == found[1]
    assert len(found[0]) > 6


def test_only_files_whose_rows_changed_are_written(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesis_tables, "BLOCK", 4)
    ids = history(home)
    tables(home).refresh()
    before = versions(home)
    decide(home, "prune", [ids["claim:c1"]], judged((ids["claim:c1"], "keep")))
    assert tables(home).refresh()
    changed = {path for path, version in versions(home).items() if before.get(path) != version}
    assert len(changed) == 1 and max(versions(home)) in changed | set(before)
    assert all(path.startswith("derived/decisions/") for path in changed)


def test_decisions_that_no_longer_apply_are_listed_with_the_reason(home: Home) -> None:
    ids = history(home)
    open_one = ids["hypothesis:h4"]
    decide(home, "prune", [open_one], judged((open_one, 0.75)))
    tables(home).refresh()
    assert all(row["applies"] and row["why_not"] is None for row in on_disk(home, "decisions"))
    assert by_fact(home)[open_one]["confidence"] == 0.75
    refuted = {"hypothesis": "h4", "outcome": "refuted", "evidence": "No."}
    home.rig().say("hypothesis_resolved", refuted, run="run-1")
    settle(home)
    record(home, [Decision(verb="keep", step="prune", inputs=((f"{CAMPAIGN}/{'0' * 12}", "0" * 16),))])
    assert is_behind(home) and tables(home).refresh()
    *others, stale, gone = on_disk(home, "decisions")
    assert all(row["applies"] for row in others)
    assert [row["applies"] for row in (stale, gone)] == [False, False]
    assert open_one in stale["why_not"] and "there is no fact" in gone["why_not"]
    row = by_fact(home)[open_one]
    assert (row["retracted_as"], row["confidence"], row["changed_by"]) == ("refuted", 0.5, [])
    assert synthesis_numbers(opened(home), CAMPAIGN).stale == 2


def test_a_campaign_that_lost_its_facts_has_empty_tables_and_keeps_its_decisions(home: Home) -> None:
    history(home)
    tables(home).refresh()
    many = len(on_disk(home, "decisions"))
    assign_run(home, "rig-a", "run-1", "elsewhere")
    refresh(home, CAMPAIGN)
    make(home)
    assert is_behind(home) and tables(home).refresh()
    assert [len(on_disk(home, name)) for name in NAMES] == [0, 0, 0, 0, many]
    assert not any(row["applies"] for row in on_disk(home, "decisions"))
    assert DerivedReader(opened(home)).rows(CAMPAIGN, "syntheses") == []
    assert not tables(home).refresh()


def test_a_campaign_without_a_review_has_its_base_facts_alone(home: Home) -> None:
    some_research(home)
    assert DerivedReader(opened(home)).rows(CAMPAIGN, "facts") == []
    tables(home).refresh()
    assert len(by_fact(home)) == len(facts(home)) and on_disk(home, "decisions") == []
    assert synthesis_numbers(opened(home), "nobody").facts == {}


@pytest.mark.parametrize("harm", ["delete", "damage", "stray"])
def test_files_that_are_not_what_was_written_come_back(home: Home, harm: str) -> None:
    ids = history(home)
    tables(home).refresh()
    before = files(home)
    path = max(before, key=lambda path: len(before[path]))
    if harm == "delete":
        home.lake.delete(path)
    elif harm == "damage":
        home.lake.put(path, before[path][:-9] + b"123456789")
    else:
        home.lake.put(f"derived/decisions/campaign={CAMPAIGN}/stray.parquet", b"nothing")
        decide(home, "prune", [ids["claim:c1"]], judged((ids["claim:c1"], "keep")))
    assert tables(home).refresh()
    assert files(home).keys() == before.keys()
    assert harm == "stray" or files(home) == before


def test_damaged_base_facts_are_said_in_one_line_and_harm_no_table(home: Home) -> None:
    history(home)
    tables(home).refresh()
    before = files(home)
    home.lake.put(next(iter(home.files("derived/base_facts"))), b"nothing")
    with pytest.raises(ThermiteError, match="can't be read"):
        tables(home).refresh(anew=True)
    assert files(home) == before


def test_numbers_are_those_of_the_tables(home: Home) -> None:
    history(home)
    tables(home).refresh()
    numbers = synthesis_numbers(opened(home), CAMPAIGN)
    assert numbers.syntheses == {0: 2, 1: 1} and numbers.syntheses_retracted == {}
    assert (numbers.methodologies, numbers.methodologies_retracted) == (1, 0)
    assert numbers.hypotheses == {"open": 3, "confirmed": 1, "refuted": 1, "promoted": 0, "retracted": 0}
    assert sum(numbers.facts.values()) + sum(numbers.facts_retracted.values()) == len(on_disk(home, "facts"))
    assert numbers.decisions == {
        "merge": 2,
        "reinforce": 2,
        "retract": 2,
        "synthesize": 2,
        "discover": 1,
        "hypothesize": 1,
        "keep": 1,
        "propose": 1,
        "update": 1,
    }
    assert numbers.stale == 0 and set(numbers.contents) == set(NAMES)


def _refresh_and_die(path: Path, kill_at: int | None, after: bool) -> int:
    def work() -> None:
        home = Home(make_settings(path))
        points = Points(kill_at, after=after)
        with points.watched(home.control.engine):
            tables(home).refresh()
        (path / "moments").write_text(str(points.seen))

    return in_child(work)


@pytest.mark.parametrize("most", [10, pytest.param(1_000, marks=pytest.mark.full)])
def test_killed_anywhere_the_next_refresh_completes_it(
    tmp_path: Path, ready_record: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(synthesis_tables, "BLOCK", 4)
    base = make_home(tmp_path / "base", ready_record)
    ids = history(base)
    tables(base).refresh()
    say_note(base.rig(), "lesson", "One more")
    arrive(base)
    refresh(base, CAMPAIGN)
    make(base)
    pair = (ids["claim:c1"], ids["claim:c2"])
    decide(base, "distill", pair, distilled("One more", *pair, retract=pair))
    base.close()
    whole = shutil.copytree(tmp_path / "base", tmp_path / "whole")
    assert _refresh_and_die(whole, None, False) == 0
    moments = int((whole / "moments").read_text())
    wanted = files(Home(make_settings(whole)))
    kills = [(moment, after) for moment in range(moments) for after in (False, True)]
    for number, (moment, after) in enumerate(random.Random(5).sample(kills, min(most, len(kills)))):
        path = shutil.copytree(tmp_path / "base", tmp_path / str(number))
        died = _refresh_and_die(path, moment, after) != 0
        home = Home(make_settings(path))
        tables(home).refresh()
        assert (files(home), is_behind(home)) == (wanted, False), (moment, after, died)
        home.close()


@pytest.mark.parametrize("many", [2_000, pytest.param(100_000, marks=pytest.mark.full)])
def test_many_facts_take_seconds(home: Home, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    home.campaign(CAMPAIGN)
    base = [BaseFact(fact=fact(number), made_from="0" * 16) for number in range(many)]
    monkeypatch.setattr(state, "read_base_facts", lambda *_: base)
    pairs = [(base[number].fact, base[number + 1].fact) for number in range(0, many // 10, 2)]
    made = [
        Decision(
            verb="synthesize", step="distill", inputs=(one.key, other.key), output=fact_output(fact(many + number))
        )
        for number, (one, other) in enumerate(pairs)
    ]
    record(home, made)
    started = time.process_time()
    assert tables(home).refresh()
    assert time.process_time() - started < 10 + many / 2_000
    assert sum(len(on_disk(home, name)) for name in NAMES[:4]) == many + len(made)
