"""A repeat over unchanged sessions costs next to nothing, and reads no message."""

import time

import pytest

from tests.atoms.talking import Listener, a_run, arrive, day, derived, mine, say_session, uuid
from tests.support.homes import Home
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.knowledge import run_events


def test_a_repeat_reads_no_message_and_no_event(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = a_run(home)
    for number in range(5):
        say_session(rig, uuid(number), "h:FACT tea is hot", at=day(number))
    arrive(home)
    mine(home)
    monkeypatch.setattr(LakeFiles, "load", None)
    monkeypatch.setattr(run_events, "run_events", None)
    result = mine(home)
    assert (result.unchanged, result.sessions) == (5, 0)


@pytest.mark.full
def test_a_repeat_over_a_thousand_sessions_takes_less_than_a_second(home: Home) -> None:
    rig = a_run(home)
    for number in range(1000):
        texts = [f"h:FACT session {number} says {place}" for place in range(5)]
        say_session(rig, uuid(number), *texts, at=day(number))
    arrive(home)
    begun = time.perf_counter()
    mine(home, Listener(size=200))
    first = time.perf_counter() - begun
    files = derived(home)
    begun = time.perf_counter()
    result = mine(home)
    repeat = time.perf_counter() - begun
    print(f"first {first:.2f} s, repeat {repeat:.3f} s")
    assert (result.unchanged, derived(home)) == (1000, files)
    assert repeat < 1
