"""What is accepted, and what the tables hold, does not depend on when or in which order reports arrive."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from tests.support.homes import Home, make_home
from tests.support.rigs import RigSimulator, Sealed
from thermite_pipelines.control.models import Head, Record, Run
from thermite_pipelines.intake import settling
from thermite_pipelines.intake.chain import ChainHead, ChainResult, Link, extend

MOMENT = 1_800_000_000_000_000
TABLES = ("events", "rejected_events", "unknown_events")


@dataclass(frozen=True)
class File:
    """A file to deliver."""

    name: str
    report: Sealed
    packing: str = ""


def ledger_of(rig: RigSimulator, ledger: str, length: int) -> list[Sealed]:
    """A ledger with verified, rejected and unknown events; some reports hold none."""
    rig.reset(ledger)
    reports = []
    for seq in range(1, length + 1):
        if seq == 1:
            rig.say_run()
        if seq % 4:
            rig.say_note(f"note of report {seq}")
            rig.say("journal_note", {"note": "note-2", "kind": "note", "text": "again"})
            rig.say("from_the_future", {"seq": seq})
        reports.append(rig.report())
    return reports


def files_of(name: str, report: Sealed, copies: int) -> list[File]:
    return [File(f"{name}-{copy}", report, ("", "gz", "zst")[copy % 3]) for copy in range(1 + copies)]


@st.composite
def deliveries(draw: st.DrawFn) -> list[tuple[File, ...]]:
    """Two ledgers with copies and gaps, as groups of files that arrive in one tick (rivals; else one file each)."""
    rig = RigSimulator("rig-a", Path("/nowhere"))
    groups: list[tuple[File, ...]] = []
    for ledger in ("L1", "L2"):
        length = draw(st.integers(0, 6))
        reports = ledger_of(rig, ledger, length)
        missing = draw(st.sets(st.integers(1, 7), max_size=1))
        forked = draw(st.sets(st.integers(2, 6), max_size=2))
        for report in reports:
            if report.seq in missing:
                continue
            files = files_of(f"{ledger}-{report.seq}", report, draw(st.integers(0, 2)))
            if report.seq in forked:
                before = reports[report.seq - 2]
                twin = RigSimulator("rig-a", rig.inbox, ledger, seq=report.seq - 1, prev=before.sha256)
                twin.n = sum(len(earlier.events) for earlier in reports[: report.seq - 1])
                twin.say_note("another story")
                groups.append((*files, File(f"{ledger}-{report.seq}-twin", twin.report())))
            else:
                groups += [(file,) for file in files]
    return groups


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp())
    yield path
    shutil.rmtree(path)


def deliver(folder: Path, ready: Path, ticks: list[list[File]]) -> tuple[Home, dict[str, Any]]:
    """Deliver files tick by tick to a new home; return the home and what it holds in the end."""
    home = make_home(Path(tempfile.mkdtemp(dir=folder)), ready)
    rig = home.rig()
    for tick in ticks:
        for file in tick:
            rig.drop(file.report, f"{file.name}.dsse.json", packing=file.packing)
        home.intake()
    with home.control.read() as connection:
        heads = [tuple(row) for row in connection.execute(select(Head).order_by(Head.ledger))]
        runs = {(row.ledger, row.run, row.last_n, row.events) for row in connection.execute(select(Run))}
        records = sorted((row.kind, row.record, row.n) for row in connection.execute(select(Record)))
    accepted = {row["payload_sha256"] for row in home.receipts(outcome="accepted")}
    held = {table: home.files(table) for table in TABLES}
    return home, held | {"accepted": accepted, "heads": heads, "runs": runs, "records": records}


@settings(max_examples=12)
@given(data=st.data())
def test_any_order_and_any_split_into_ticks_end_alike(data: st.DataObject, folder: Path, ready_record: Path) -> None:
    groups = data.draw(deliveries())
    order = data.draw(st.permutations(groups))
    ticks: list[list[File]] = [[]]
    for group in order:
        if data.draw(st.booleans()):
            ticks.append([])
        ticks[-1] += group
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "now_micros", lambda: MOMENT)
        whole, expected = deliver(folder, ready_record, [[file for group in groups for file in group]])
        split, found = deliver(folder, ready_record, ticks)
    assert found == expected
    assert len(split.receipts()) == len(whole.receipts()) == sum(map(len, groups))
    for home in (whole, split):
        hashes = [row["payload_sha256"] for row in home.receipts(outcome="accepted")]
        assert len(hashes) == len(set(hashes))
        home.close()
        shutil.rmtree(home.settings.home)


# The chain by itself, without files: many more cases.


def links_of(places: list[tuple[str, int, int]]) -> list[Link]:
    """Links by (ledger, seq, rival): rival 0 is the good chain, 1 goes on from it as well, 2 goes on from nothing."""
    return [
        Link(
            token=-1 - token,
            ledger=ledger,
            seq=seq,
            prev=None if seq == 1 and rival < 2 else f"{ledger}{seq - 1}-0" if rival < 2 else "nothing",
            payload_sha256=f"{ledger}{seq}-{rival}",
            file_sha256=f"{token:03d}",
            name=f"{token}",
            first_n=None,
            events=0,
            sent_at=0,
            size=1,
        )
        for token, (ledger, seq, rival) in enumerate(places)
    ]


def heads_after(result: ChainResult) -> dict[str, ChainHead]:
    return {name: head for name, head in result.heads.items() if head.seq}


PLACES = st.lists(st.tuples(st.sampled_from("AB"), st.integers(1, 8), st.integers(0, 2)), max_size=20)


@given(PLACES, st.randoms(use_true_random=False))
def test_the_outcome_does_not_depend_on_the_order_of_candidates(
    places: list[tuple[str, int, int]], random: Any
) -> None:
    links = links_of(places)
    shuffled = list(links)
    random.shuffle(shuffled)
    first, second = extend(links, {}, {}), extend(shuffled, {}, {})
    assert first.verdicts == second.verdicts
    assert first.accepted == second.accepted
    assert heads_after(first) == heads_after(second)


@given(PLACES)
def test_each_candidate_has_one_outcome_and_chains_have_no_hole(places: list[tuple[str, int, int]]) -> None:
    links = links_of(places)
    result = extend(links, {}, {})
    assert set(result.verdicts) == {link.token for link in links}
    accepted = {(link.ledger, link.seq) for link in result.accepted}
    assert len(accepted) == len(result.accepted)
    for ledger, head in result.heads.items():
        assert {seq for name, seq in accepted if name == ledger} == set(range(1, head.seq + 1))
    outcomes = {link.token for link in links if result.verdicts[link.token].outcome == "accepted"}
    assert outcomes == {link.token for link in result.accepted}


@given(PLACES)
def test_going_on_from_a_head_is_the_same_as_all_at_once(places: list[tuple[str, int, int]]) -> None:
    """Rivals apart: the reports of the good chain give the same heads in two steps as in one."""
    links = links_of([place for place in places if place[2] == 0])
    whole = extend(links, {}, {})
    half = len(links) // 2
    first = extend(links[:half], {}, {})
    accepted = {(link.ledger, link.seq): link.payload_sha256 for link in first.accepted}
    waiting = [link for link in links[:half] if first.verdicts[link.token].outcome == "waiting"]
    second = extend(waiting + links[half:], first.heads, accepted)
    assert heads_after(second) == heads_after(whole)
    assert not any(verdict.outcome == "quarantined" for verdict in second.verdicts.values())
