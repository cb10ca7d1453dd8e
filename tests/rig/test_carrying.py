"""What agents said over control's service leaves with the rig's reports, each once, and nothing else does."""

from pathlib import Path
from typing import Any

import pytest

from tests.rig.logs import SEED, read_inbox
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.rig.emitter import Emitter


def opened(folder: Path) -> Emitter:
    return Emitter(folder / "state", rig="rig-a", outbox=folder / "outbox", seed=SEED, ledger="L1")


def said(number: int, **more: Any) -> dict[str, Any]:
    """An event as control hands it out."""
    data = {"request": f"mcp-{number}", "agent": "planner", "summary": "no disk", "fatal": False, "blocker": "tooling"}
    event = {"id": f"mcp-{number}", "at": "2026-11-29T10:00:00Z", "run": "run-7", "type": "help_requested"}
    return event | {"by": "planner", "data": data} | more


def test_each_is_carried_once_however_often_it_is_handed_out(tmp_path: Path) -> None:
    with opened(tmp_path) as emitter:
        emitter.run("run-7").created("hill_climb")
        assert emitter.carry([said(1), said(2)]) == 2
        assert emitter.carry([said(1), said(2), said(3)]) == 1
    with opened(tmp_path) as emitter:
        assert emitter.carry([said(2), said(3)]) == 0, "it is remembered on disk"
        emitter.send()
        assert emitter.carry([said(1)]) == 0
    inbox = read_inbox(tmp_path / "outbox")
    assert inbox.rejected == []
    assert [event.id for event in inbox.events][1:] == ["mcp-1", "mcp-2", "mcp-3"]


def test_a_rig_signs_nothing_else_that_it_is_handed(tmp_path: Path) -> None:
    note = said(2, type="journal_note", data={"note": "n1", "kind": "note", "text": "all is well"})
    with opened(tmp_path) as emitter:
        emitter.run("run-7").created("hill_climb")
        for odd in (note, said(3, type="run_finished", by="harness", data={"outcome": "completed"})):
            with pytest.raises(ThermiteError, match="control asks to report"):
                emitter.carry([said(1), odd])
        assert emitter.waiting == 2, "what came before it is kept"
