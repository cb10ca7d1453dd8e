"""Targets: what should be, told from control's record and a look at folders, cheaply."""

import time
from pathlib import Path

import pytest
from sqlalchemy import insert

from tests.atoms.talking import (
    CAMPAIGN,
    Listener,
    a_run,
    arrive,
    claude_lines,
    mine,
    put_file,
    say_session,
    uuid,
)
from tests.support.homes import Home
from thermite_pipelines.atoms.targets import AtomLag, atom_targets
from thermite_pipelines.control.atom_models import Extraction, Session, TranscriptFile
from thermite_pipelines.llm.errors import BudgetReached


def lag(home: Home, campaign: str = CAMPAIGN) -> AtomLag:
    with home.control.read() as connection:
        return atom_targets(connection, home.settings)[campaign]


def test_new_sessions_move_the_target_and_work_does_not(home: Home) -> None:
    rig = a_run(home)
    arrive(home)
    empty = lag(home)
    assert not empty.is_behind
    say_session(rig, uuid(1), "h:FACT a", "h:FACT b")
    arrive(home)
    before = lag(home)
    assert before.is_behind
    assert before.target != empty.target
    mine(home)
    after = lag(home)
    assert (after.target, after.is_behind) == (before.target, False)
    rig.say_note()
    arrive(home)
    assert lag(home) == after, "an event in which nobody speaks changes nothing"


def test_a_reached_budget_leaves_the_target_as_it_is_though_behind(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), *[f"h:FACT n{number}" for number in range(9)])
    arrive(home)
    before = lag(home)
    mine(home, Listener(model="small", stops_after=1, stop=BudgetReached("spent")))
    after = lag(home)
    assert (after.target, after.is_behind, after.unasked) == (before.target, True, 6)


def test_files_move_the_target_and_a_missing_folder_is_named(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "talk"
    home.settings = home.settings.model_copy(update={"transcripts": f"{CAMPAIGN}={folder}; {tmp_path / 'plain'}"})
    home.campaign(CAMPAIGN)
    assert [problem.kind for problem in lag(home).problems] == ["folder-missing"]
    put_file(folder / "a.jsonl", claude_lines("a", "h:FACT a"))
    before = lag(home)
    assert before.is_behind
    assert before.problems == ()
    put_file(folder / "a.jsonl", claude_lines("a", "h:FACT a", "h:FACT b"))
    put_file(tmp_path / "plain" / "b.jsonl", claude_lines("b", "h:FACT b"))
    assert lag(home).target != before.target
    assert lag(home).unread == 1, "sensors leave folders alone that name no campaign"


@pytest.mark.full
def test_a_thousand_sessions_and_files_cost_well_under_a_second(home: Home, tmp_path: Path) -> None:
    folder = tmp_path / "talk"
    home.settings = home.settings.model_copy(update={"transcripts": f"{CAMPAIGN}={folder}"})
    home.campaign(CAMPAIGN)
    same = {"campaign": CAMPAIGN, "tool": "x", "content_sha256": "0" * 64}
    with home.control.write() as connection:
        for number in range(1000):
            put_file(folder / f"{number}.jsonl", b"{}\n")
            name = f"s{number}"
            row = {"established": "2026-01-01", "established_at": 0, "dated_by": "file", "messages": 9, "skipped": {}}
            row |= {"human_messages": 9, "skipped_lines": 0, "human_sha256": ["0" * 32] * 9, "session": name}
            connection.execute(insert(Session).values(**same, **row))
            asked = {"model": "rules", "prompt_version": "1", "atoms": [{"statement": "x" * 900}] * 3, "intents": []}
            asked |= {"first": 0, "count": 9, "messages_sha256": "", "refused": {}, "session": name}
            connection.execute(insert(Extraction).values(campaign=CAMPAIGN, **asked))
            file = {"path": str(folder / f"{number}.jsonl"), "session": name, "stat": "", "kept": "k"}
            connection.execute(insert(TranscriptFile).values(**same, **file, file_modified_at=0, read_at=0))
    begun = time.perf_counter()
    assert lag(home).unread == 1000
    taken = time.perf_counter() - begun
    print(f"{taken:.3f} s")
    assert taken < 0.5
