"""The table of base facts: the same bytes however it came to be, and little work for little news."""

import random
import shutil
import time
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.atoms.talking import Listener, a_run, arrive, mine, opened, say_session, uuid
from tests.knowledge.filing import assign_run, rebuild, refresh
from tests.support.homes import Home, make_home, make_settings
from tests.support.killing import Points, in_child
from tests.synthesis.saying import (
    CAMPAIGN,
    fact_files,
    facts,
    make,
    on_disk,
    say_experiment,
    say_hypothesis,
    say_note,
    say_research,
    settle,
)
from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.synthesis import base_facts, fact_store
from thermite_pipelines.synthesis.fact_store import campaign_markers, fact_numbers, read_base_facts
from thermite_pipelines.synthesis.fact_targets import fact_lags


def some_knowledge(home: Home, *, talk: bool = True) -> None:
    rig = a_run(home)
    say_research(rig)
    for kind in ("observation", "lesson", "decision"):
        say_note(rig, kind, f"A {kind} about the cache")
    say_experiment(rig, "e1", status="improved", metric="loss", value=0.5)
    rig.say_run("run-2", data={"kit": "nano-gpt"}, mode="hill_climb")
    say_note(rig, "surprise", "Batches of 7 are slow", run="run-2")
    if talk:
        say_session(rig, uuid(1), "h:FACT tea is hot", "h:WRONG ice is hot : ice is cold")
    arrive(home)
    refresh(home, CAMPAIGN)
    if talk:
        mine(home, Listener())


def is_behind(home: Home, campaign: str = CAMPAIGN) -> bool:
    with home.control.read() as connection:
        return fact_lags(connection, campaign)[campaign].is_behind


def test_all_that_a_campaign_holds_is_in_one_table(any_home: Home) -> None:
    home = any_home
    some_knowledge(home)
    assert is_behind(home)
    written = make(home)
    assert not is_behind(home)
    rows = on_disk(home)
    assert (written.parts, written.made) == (3, len(rows)) == (3, 17)
    assert [row["fact"] for row in rows] == [one.fact.fact for one in read_base_facts(opened(home), CAMPAIGN)]
    assert DerivedReader(opened(home)).rows(CAMPAIGN, "base_facts") == rows
    for row in rows:
        assert (row["item"] is None) != (row["atom"] is None)
        assert row["fact"].startswith("speed-up/") and len(row["fact"]) == len("speed-up/") + 12
        assert all(not ref.startswith("speed-up/") or ref in {one["fact"] for one in rows} for ref in row["refs"])
    numbers = fact_numbers(opened(home), CAMPAIGN)
    assert numbers.types == {"observation": 8, "hypothesis": 4, "reference": 4, "principle": 1}
    assert (numbers.facts, numbers.retracted, numbers.pragmatic) == (17, {"confirmed": 1, "refuted": 1}, 0)
    assert campaign_markers(opened(home), CAMPAIGN) == {"speed up", "nano gpt"}


def test_a_refresh_without_news_writes_nothing(home: Home) -> None:
    some_knowledge(home)
    make(home)
    before = {entry.path: entry.version for entry in home.lake.list("derived/base_facts")}
    assert make(home) == fact_store.FactsWritten()
    rebuild(home, CAMPAIGN)
    assert make(home).made == 0
    assert {entry.path: entry.version for entry in home.lake.list("derived/base_facts")} == before


def test_a_rebuild_gives_the_same_bytes(home: Home) -> None:
    some_knowledge(home)
    make(home)
    before = fact_files(home)
    assert make(home, anew=True).made == len(on_disk(home))
    assert fact_files(home) == before
    shutil.rmtree(home.lake.local("derived/base_facts"))
    make(home)
    assert fact_files(home) == before


def test_only_facts_whose_sources_changed_are_made(home: Home) -> None:
    rig = a_run(home)
    say_hypothesis(rig, "h1", "It helps", None)
    for number in range(20):
        say_note(rig, "lesson", f"Lesson {number}")
    assert settle(home).made == 21
    say_note(rig, "lesson", "One more")
    rig.say("hypothesis_resolved", {"hypothesis": "h1", "outcome": "confirmed", "evidence": "It did."})
    written = settle(home)
    assert (written.parts, written.made) == (1, 3)
    assert len(on_disk(home)) == 23
    say_note(rig, "decision", "No fact")
    assert settle(home).made == 0


def test_increments_and_any_split_into_reports_give_the_bytes_of_one(tmp_path: Path, ready_record: Path) -> None:
    found = []
    for split in (False, True):
        home = make_home(tmp_path / str(split), ready_record)
        rigs = [a_run(home, name, f"run-{name}") for name in ("rig-a", "rig-b")]
        for rig in rigs if not split else reversed(rigs):
            run = f"run-{rig.name}"
            for step in (say_research, lambda rig, run: say_note(rig, "lesson", "Last", run=run)):
                step(rig, run)
                if split:
                    settle(home, rig.name)
        settle(home, *(rig.name for rig in rigs))
        found.append(fact_files(home))
        home.close()
    assert found[0] == found[1]
    assert len(found[0]) == 2


def test_a_run_that_moves_takes_its_facts_along(home: Home) -> None:
    some_knowledge(home, talk=False)
    make(home)
    before = {one.fact.title for one in facts(home).values()}
    assign_run(home, "rig-a", "run-2", "reading")
    refresh(home, CAMPAIGN, "reading")
    written = make(home)
    assert (written.parts, written.removed) == (0, 1)
    make(home, "reading")
    assert {one.fact.title for one in facts(home, "reading").values()} == {"Batches of 7 are slow"}
    assert {one.fact.title for one in facts(home).values()} == before - {"Batches of 7 are slow"}
    assert len(fact_files(home)) == 2


def test_news_of_atoms_make_facts_late(home: Home) -> None:
    some_knowledge(home)
    make(home)
    say_session(home.rig(), uuid(2), "h:FACT milk is white")
    arrive(home)
    refresh(home, CAMPAIGN)
    make(home)
    mine(home, Listener())
    assert is_behind(home)
    assert (make(home).made, is_behind(home)) == (1, False)


def test_a_campaign_without_anything_is_not_behind(home: Home) -> None:
    home.campaign("empty")
    assert not is_behind(home, "empty")
    assert make(home, "empty") == fact_store.FactsWritten()
    assert facts(home, "empty") == {}
    assert fact_numbers(opened(home), "empty").facts == 0


@pytest.mark.parametrize("harm", ["delete", "damage", "stray"])
def test_files_that_are_not_what_was_written_come_back(home: Home, harm: str) -> None:
    some_knowledge(home)
    make(home)
    before = fact_files(home)
    path = max(before, key=lambda path: len(before[path]))
    if harm == "delete":
        home.lake.delete(path)
    elif harm == "damage":
        home.lake.put(path, before[path][:-9] + b"123456789")
    else:
        home.lake.put(f"derived/base_facts/campaign={CAMPAIGN}/stray.parquet", b"nothing")
        say_note(home.rig(), "decision", "news")
        arrive(home)
        refresh(home, CAMPAIGN)
    make(home)
    assert fact_files(home) == before


def test_a_damaged_folder_is_said_in_one_line(home: Home) -> None:
    some_knowledge(home, talk=False)
    path = next(path for path in home.files("folders/claim"))
    home.lake.put(path, b"nothing")
    with pytest.raises(ThermiteError, match="can't be read"):
        make(home)
    rebuild(home, CAMPAIGN)
    make(home)
    assert len(on_disk(home)) == 15


def test_sources_that_share_their_first_digits(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their ids are longer, also where one comes later; once it is gone, the other's is short again."""
    rig = a_run(home)
    say_note(rig, "lesson", "one")
    settle(home)
    [short] = [row["fact"] for row in on_disk(home)]
    digest = base_facts.source_digest

    def shared(source: str) -> str:
        return "0" * 12 + digest(source)[12:]

    for module in (base_facts, fact_store):
        monkeypatch.setattr(module, "source_digest", shared)
    rig.say_run("run-2")
    say_note(rig, "lesson", "two", run="run-2")
    say_note(rig, "lesson", "three", run="run-2")
    settle(home)
    ids = {row["title"]: row["fact"] for row in on_disk(home)}
    assert {len(fact) for fact in ids.values()} == {len(short) + 8}
    files = fact_files(home)
    make(home, anew=True)
    assert fact_files(home) == files
    assign_run(home, "rig-a", "run-2", "elsewhere")
    refresh(home, CAMPAIGN)
    make(home)
    assert [len(row["fact"]) for row in on_disk(home)] == [len(short)]


def _make_and_die(path: Path, kill_at: int | None, after: bool) -> int:
    def work() -> None:
        home = Home(make_settings(path))
        points = Points(kill_at, after=after)
        with points.watched(home.control.engine):
            make(home)
        (path / "moments").write_text(str(points.seen))

    return in_child(work)


def test_killed_anywhere_the_next_refresh_completes_it(tmp_path: Path, ready_record: Path) -> None:
    base = make_home(tmp_path / "base", ready_record)
    some_knowledge(base)
    make(base)
    say_note(base.rig(), "lesson", "One more")
    base.rig().say_run("run-3")
    say_note(base.rig(), "lesson", "Of another run", run="run-3")
    assign_run(base, "rig-a", "run-2", "elsewhere")
    arrive(base)
    refresh(base, CAMPAIGN)
    base.close()
    whole = shutil.copytree(tmp_path / "base", tmp_path / "whole")
    assert _make_and_die(whole, None, False) == 0
    moments = int((whole / "moments").read_text())
    wanted = fact_files(Home(make_settings(whole)))
    kills = [(moment, after) for moment in range(moments) for after in (False, True)]
    for number, (moment, after) in enumerate(random.Random(3).sample(kills, min(8, len(kills)))):
        path = shutil.copytree(tmp_path / "base", tmp_path / str(number))
        died = _make_and_die(path, moment, after) != 0
        home = Home(make_settings(path))
        make(home)
        assert (fact_files(home), is_behind(home)) == (wanted, False), (moment, after, died)
        home.close()


def test_control_says_what_the_table_holds(home: Home) -> None:
    some_knowledge(home)
    make(home)
    query = select(DerivedState).where(DerivedState.campaign == CAMPAIGN, DerivedState.name == "base_facts")
    with home.control.read() as connection:
        state = connection.execute(query).one()
    assert (state.rows, len(state.content)) == (17, 64)
    assert fact_numbers(opened(home), CAMPAIGN).content == state.content[:16]


@pytest.mark.full
def test_one_report_costs_little_in_a_campaign_of_10_000_items(home: Home) -> None:
    rig = a_run(home)
    for number in range(10_000):
        say_note(
            rig, "lesson", f"Lesson {number}: the `cache_{number}` is warm after {number} reads of src/a{number}.py"
        )
        if number % 500 == 0:
            rig.send()
    first = time.process_time()
    assert settle(home).made == 10_000
    say_note(rig, "lesson", "One more")
    arrive(home)
    refresh(home, CAMPAIGN)
    started = time.process_time()
    assert make(home).made == 1
    assert time.process_time() - started < max(1.0, (started - first) / 5)
