"""The two stores of atoms: written together, in step after whatever happened to them."""

import random
import shutil
from pathlib import Path

import pytest

from tests.atoms.talking import (
    CAMPAIGN,
    Listener,
    a_run,
    arrive,
    claude_lines,
    day,
    derived,
    log,
    mine,
    opened,
    put_file,
    rebuild_tables,
    rows,
    say_owner,
    say_session,
    uuid,
)
from tests.support.homes import Home, make_settings
from tests.support.killing import Points, in_child
from thermite_pipelines.atoms.inspection import (
    day_findings,
    decay_findings,
    quote_findings,
    session_findings,
    step_findings,
)
from thermite_pipelines.atoms.store import AtomTables, state_of
from thermite_pipelines.atoms.targets import atom_targets


def some_talk(home: Home, sessions: int = 3) -> None:
    rig = a_run(home)
    for number in range(sessions):
        say_session(rig, uuid(number), f"h:FACT number {number}\u2028is odd", "a:no", "h:DO go on", at=day(number))
    say_owner(rig, "FACT owners own")
    arrive(home)


def in_step(home: Home) -> set[tuple[str, str]]:
    """Ids and hashes of both stores, which must be equal."""
    table = {(row["atom"], row["statement_sha256"]) for row in rows(home, "atoms")}
    assert table == {(row["atom"], row["statement_sha256"]) for row in log(home)}
    assert step_findings(opened(home), CAMPAIGN) == []
    return table


def test_both_stores_hold_the_same_rows(any_home: Home) -> None:
    home = any_home
    some_talk(home)
    mine(home)
    assert len(in_step(home)) == 4
    assert log(home) == rows(home, "atoms")
    lines = home.lake.get(f"derived/atoms_log/campaign={CAMPAIGN}/atoms.jsonl").decode()
    assert len(lines.splitlines()) == 4, "no reader takes a text for two lines"
    with home.control.read() as connection:
        assert not atom_targets(connection, home.settings)[CAMPAIGN].is_behind
    before = derived(home)
    assert mine(home, again="all").atoms == 4
    rebuild_tables(opened(home), CAMPAIGN)
    assert derived(home) == before


def test_control_says_what_the_tables_hold(home: Home) -> None:
    some_talk(home)
    mine(home)
    with home.control.read() as connection:
        before = state_of(connection, CAMPAIGN)
    assert (before.rows, before.days) == (4, ["2026-01-01", "2026-01-02", "2026-01-03"])
    assert AtomTables(opened(home), CAMPAIGN).refresh().files == 0
    some = {path: home.lake.stat(path) for path in derived(home)}
    mine(home, again="all")
    assert {path: home.lake.stat(path) for path in derived(home)} == some, "the same rows are not written again"
    say_session(home.rig(), uuid(9), "h:FACT new", at=day(9))
    arrive(home)
    mine(home)
    with home.control.read() as connection:
        after = state_of(connection, CAMPAIGN)
    assert after.signature != before.signature
    assert after.content != before.content


@pytest.mark.parametrize("table", ["atoms", "atoms_log", "intents", "checkpoints", "sessions", "messages"])
@pytest.mark.parametrize("harm", ["delete", "damage"])
def test_at_32_a_file_lost_or_damaged_comes_back(home: Home, table: str, harm: str) -> None:
    some_talk(home)
    mine(home)
    before = derived(home)
    path = next(path for path in before if path.startswith(f"derived/{table}/"))
    if harm == "delete":
        home.lake.delete(path)
    else:
        home.lake.put(path, before[path][:-9] + b"123456789")
    mine(home)
    assert derived(home) == before


def test_after_the_folder_is_gone_all_comes_back_and_nobody_is_asked(home: Home) -> None:
    some_talk(home)
    mine(home)
    before = derived(home)
    shutil.rmtree(home.lake.local("derived"))
    answerer = Listener()
    mine(home, answerer)
    assert derived(home) == before
    shutil.rmtree(home.lake.local("derived"))
    rebuild_tables(opened(home), CAMPAIGN)
    assert (derived(home), answerer.asked) == (before, [])


def test_files_that_nobody_wrote_are_removed(home: Home) -> None:
    some_talk(home)
    mine(home)
    before = derived(home)
    home.lake.put(f"derived/messages/campaign={CAMPAIGN}/0123456789abcdef.parquet", b"nothing")
    mine(home)
    assert derived(home) == before


def _mine_and_die(path: Path, kill_at: int | None, after: bool) -> int:
    """Mine in a process that is killed at a moment."""

    def work() -> None:
        home = Home(make_settings(path, transcripts=f"{CAMPAIGN}={path.parent / 'talk'}"))
        points = Points(kill_at, after=after)
        with points.watched(home.control.engine):
            mine(home, Listener(model="small", size=1))
        (path / "moments").write_text(str(points.seen))

    return in_child(work)


@pytest.mark.full
def test_at_32_killed_anywhere_both_stores_agree_after_the_next_refresh(tmp_path: Path, ready_record: Path) -> None:
    from tests.support.homes import make_home

    talk = tmp_path / "talk"
    put_file(talk / "a.jsonl", claude_lines(uuid(7), "h:FACT tea is hot", at=day(7)))
    base = make_home(tmp_path / "base", ready_record, transcripts=f"{CAMPAIGN}={talk}")
    some_talk(base)
    mine(base, recent=1)
    put_file(talk / "a.jsonl", claude_lines(uuid(7), "h:FACT tea is hot", "h:FACT ice is cold", at=day(7)))
    put_file(talk / "b.jsonl", claude_lines(uuid(8), "h:FACT milk is white", at=day(7)))
    say_session(base.rig(), uuid(0), "h:FACT number 0 grew", at=day(0))
    say_session(base.rig(), uuid(1), "h:FACT number 1\u2028is odd", at=day(1))
    arrive(base)
    base.close()
    whole = shutil.copytree(tmp_path / "base", tmp_path / "whole")
    assert _mine_and_die(whole, None, False) == 0
    moments = int((whole / "moments").read_text())
    wanted = Home(make_settings(whole, transcripts=f"{CAMPAIGN}={talk}"))
    atoms, files, copies = in_step(wanted), derived(wanted), set(wanted.files("transcripts"))
    kills = [(moment, after) for moment in range(moments) for after in (False, True)]
    for number, (moment, after) in enumerate(random.Random(7).sample(kills, 12)):
        path = shutil.copytree(tmp_path / "base", tmp_path / str(number))
        if _mine_and_die(path, moment, after) == 0:
            continue  # after a commit is the next moment's before
        home = Home(make_settings(path, transcripts=f"{CAMPAIGN}={talk}"))
        mine(home, Listener(model="small", size=1))
        assert (in_step(home), derived(home)) == (atoms, files)
        assert set(home.files("transcripts")) >= copies
        left = [found for found in Path(home.settings.lake, ".tmp").rglob("*") if found.is_file()]
        assert left == [], "nothing half-written stays"
        home.close()


def test_at_08_at_30_every_quote_stands_in_its_message(home: Home) -> None:
    some_talk(home)
    mine(home)
    texts = {(row["session"], row["message"]): row["text"] for row in rows(home, "messages")}
    for atom in rows(home, "atoms"):
        assert atom["verbatim_quote"].encode() in texts[atom["session"], atom["message"]].encode()
    assert quote_findings(opened(home), CAMPAIGN) == []
    from sqlalchemy import select, update

    from thermite_pipelines.atoms.session_store import mark_stale
    from thermite_pipelines.control.atom_models import Extraction

    with home.control.write() as connection:
        row = connection.execute(select(Extraction).where(Extraction.session == uuid(0))).one()
        planted = [row.atoms[0] | {"verbatim_quote": "nobody said this"}]
        connection.execute(update(Extraction).where(Extraction.session == uuid(0)).values(atoms=planted))
        mark_stale(connection, CAMPAIGN)
    AtomTables(opened(home), CAMPAIGN).refresh()
    assert [row["finding"] for row in quote_findings(opened(home), CAMPAIGN)] == ["quote-not-there"]


def test_at_10_every_atom_has_the_day_of_its_session(home: Home) -> None:
    some_talk(home)
    mine(home)
    days = {row["session"]: row["established"] for row in rows(home, "sessions")}
    assert all(row["established"] == days[row["session"]] for row in rows(home, "atoms"))
    assert day_findings(opened(home), CAMPAIGN) == []


def test_at_25_a_falling_checkpoint_is_noticed(home: Home) -> None:
    rig = a_run(home)
    for number in range(20):
        facts = [f"h:FACT n{number} {place}" if number < 10 or place == 0 else "h:hm" for place in range(5)]
        say_session(rig, uuid(number), *facts, at=day(number))
    arrive(home)
    mine(home)
    [finding] = decay_findings(opened(home), CAMPAIGN)
    assert finding == {"checkpoint": 2, "figure": "signal_to_noise", "value": 0.2, "mean_before": 1.0}
    rig = a_run(home, "rig-b", "again", "repeats")
    for number in range(20):
        say_session(rig, uuid(number), f"h:FACT n{min(number, 10)}", run="again", at=day(number))
    arrive(home, "rig-b")
    mine(home, campaign="repeats")
    figures = {row["figure"]: row["value"] for row in decay_findings(opened(home), "repeats")}
    assert figures == {"signal_to_noise": 0.1, "duplicate_rate": 0.9}


def test_sessions_with_something_left_are_named(home: Home) -> None:
    some_talk(home)
    mine(home, Listener(size=1, fails="number 1"))
    assert session_findings(opened(home), CAMPAIGN) == [{"session": uuid(1), "unasked": 1, "skipped_lines": 0}]
