"""Whatever the order and the steps in which it came: the same stored content gives the same files."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.atoms.talking import (
    CAMPAIGN,
    Listener,
    a_run,
    arrive,
    claude_lines,
    day,
    derived,
    mine,
    put_file,
    say_owner,
    say_session,
    uuid,
)
from tests.knowledge.filing import assign_run
from tests.support.homes import make_home

Step = tuple[str, Any]

_TEXTS = st.sampled_from(["h:FACT a", "h:FACT b", "h:WRONG a : c", "h:DO it", "a:well", "t:out", "h:<x>", "h:LIE d"])
_TOLD = st.lists(_TEXTS, max_size=4)
_SAY = st.tuples(st.sampled_from(["rig-a", "rig-b"]), st.integers(1, 2), _TOLD, st.integers(0, 3))
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("session"), _SAY),
        st.tuples(st.just("owner"), st.tuples(st.sampled_from(["rig-a", "rig-b"]), _TEXTS)),
        st.tuples(st.just("file"), st.tuples(st.integers(1, 3), _TOLD)),
        st.tuples(st.just("move"), st.sampled_from(["rig-a", "rig-b"])),
        st.tuples(st.just("mine"), st.integers(1, 3)),
    ),
    max_size=8,
)


def play(path: Path, ready: Path, steps: list[Step], *, at_once: bool) -> dict[str, bytes]:
    """What lies in the lake after these steps; `at_once` leaves all work to the end."""
    home = make_home(path, ready, transcripts=f"{CAMPAIGN}={path / 'talk'}")
    (path / "talk").mkdir()
    typed: dict[int, list[str]] = {}
    moved: dict[str, bool] = {}
    for rig in ("rig-a", "rig-b"):
        a_run(home, rig, "r")
    arrive(home, "rig-a", "rig-b")
    for kind, what in steps:
        if kind == "session":
            rig, session, texts, when = what
            say_session(home.rig(rig), uuid(session), *texts, run="r", at=day(when))
        elif kind == "owner":
            say_owner(home.rig(what[0]), what[1][2:], run="r", at=day(5))
        elif kind == "file":
            number, texts = what
            # A file only grows: what was read of one that is cut later still counts.
            typed.setdefault(number, ["h:DO begin"]).extend(texts)
            put_file(path / "talk" / f"{number}.jsonl", claude_lines(uuid(number), *typed[number], at=day(7)))
        elif kind == "move":
            moved[what] = not moved.get(what, False)
            if not at_once:
                assign_run(home, what, "r", "other" if moved[what] else CAMPAIGN)
        elif not at_once:
            arrive(home, "rig-a", "rig-b")
            mine(home, Listener(size=what))
            mine(home, Listener(size=what), campaign="other")
    if at_once:
        # A run that no assignment names leaves a campaign that an assignment does name: both ways end the same.
        for rig, away in moved.items():
            assign_run(home, rig, "r", "other" if away else CAMPAIGN)
    home.campaign("other")
    arrive(home, "rig-b", "rig-a")
    mine(home)
    mine(home, campaign="other")
    found = derived(home)
    home.close()
    return found


@settings(max_examples=12)
@given(_STEPS)
@pytest.mark.full
def test_steps_never_matter(ready_record: Path, steps: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        by_steps = play(Path(folder, "steps"), ready_record, steps, at_once=False)
        assert by_steps == play(Path(folder, "once"), ready_record, steps, at_once=True)
