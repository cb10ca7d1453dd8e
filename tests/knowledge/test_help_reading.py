"""Reading the help folder: what all lists, pages and briefs see."""

import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.learnings.telling import Clock
from tests.support.homes import Home
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge import help_reading
from thermite_pipelines.knowledge.help_reading import (
    REQUEST_FIELDS,
    blocked_on,
    day_of_file,
    grouped,
    help_requests,
    learnings,
    refusals,
    requests_file,
)
from thermite_pipelines.tables.json_lines import to_lines


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def folder(home: Home, clock: Clock) -> Path:
    """The help folder, empty."""
    home.settings.help.mkdir()
    return home.settings.help


def request(run: str = "run-1", **fields: Any) -> dict[str, Any]:
    """One request; `fields` replace those of it."""
    row = dict.fromkeys(REQUEST_FIELDS) | {"rig": "rig-a", "ledger": "L1", "run": run, "campaign": "one"}
    row |= {"agent": "worker", "blocker": "access", "summary": "No token", "fatal": False, "count": 1}
    return row | fields


def write(folder: Path, name: str, *rows: dict[str, Any]) -> Path:
    path = folder / name
    path.write_bytes(to_lines(rows))
    return path


def test_without_a_folder_there_is_nothing(home: Home, clock: Clock) -> None:
    assert help_requests(home.opened) == learnings(home.opened) == refusals(home.opened) == []


def test_days_come_in_order_and_other_files_are_passed_over(home: Home, folder: Path) -> None:
    for day, run in (("2026-12-01", "run-2"), ("2026-11-30", "run-1"), ("2026-09-02", "run-0"), ("2026-09-01", "old")):
        write(folder, f"help-{day}.jsonl", request(run))
    for name in ("help-2026-13-01.jsonl", "help-2026-12-01.jsonl.bak", ".tmp-x", "help-.jsonl"):
        (folder / name).write_text("junk")
    (folder / "help-2026-11-29.jsonl").mkdir()
    assert [row["run"] for row in help_requests(home.opened)] == ["run-0", "run-1", "run-2"]


def test_hl_21_a_torn_last_line_is_one_warning_and_a_broken_one_an_error_with_its_place(
    home: Home, folder: Path
) -> None:
    path = write(folder, "help-2026-12-01.jsonl", request("run-1"), request("run-2"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    with pytest.warns(UserWarning, match=r"help-2026-12-01\.jsonl:2: the last line is torn") as told:
        assert [row["run"] for row in help_requests(home.opened)] == ["run-1"]
    assert len(told) == 1
    path.write_bytes(b"{}\n" + whole)
    with pytest.raises(ThermiteError, match="the line is broken") as raised:
        help_requests(home.opened)
    assert raised.value.where == f"{path}:1"


@pytest.mark.parametrize("name", ["learnings.jsonl", "refused.jsonl"])
def test_hl_21_learnings_and_refusals_are_read_alike(home: Home, folder: Path, name: str) -> None:
    read = learnings if name == "learnings.jsonl" else refusals
    (folder / name).write_bytes(b'{"campaign": "one"')
    with pytest.warns(UserWarning, match="torn"):
        assert read(home.opened) == []
    (folder / name).write_bytes(b'{"campaign": "one"}\n')
    with pytest.raises(ThermiteError, match="broken"):
        read(home.opened)


def test_whole_files_give_no_warning(home: Home, folder: Path) -> None:
    write(folder, "help-2026-12-01.jsonl", request())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(help_requests(home.opened)) == 1


def test_names_of_files_and_days() -> None:
    day = help_reading.day_of(0)
    assert (requests_file(day), day_of_file(requests_file(day))) == ("help-1970-01-01.jsonl", day)
    assert day_of_file("learnings.jsonl") is None and day_of_file("help-2026-02-30.jsonl") is None


@pytest.mark.parametrize(
    ("rows", "blocked"),
    [
        ([], None),
        ([request(summary="a")], "a"),
        ([request(summary="a"), request(summary="b")], "a"),
        ([request(summary="a"), request(summary="b", fatal=True), request(summary="c", fatal=True)], "b"),
        ([request(summary="a", fatal=True, resolved_at="2026-12-01T00:00:00Z"), request(summary="b")], "b"),
        ([request(summary="a", resolved_at="2026-12-01T00:00:00Z", asked_again=True)], None),
    ],
)
def test_hl_18_blocked_on(rows: list[dict[str, Any]], blocked: str | None) -> None:
    assert blocked_on(rows).get(("rig-a", "L1", "run-1")) == blocked
    other = request(ledger="L2", summary="of another run of that name")
    assert blocked_on([*rows, other])["rig-a", "L2", "run-1"] == other["summary"]


def test_hl_11_open_requests_that_say_the_same_are_one_line_and_never_over_campaigns_or_agents() -> None:
    same = [request("run-1", count=2), request("run-1", ledger="L2", summary="no  TOKEN", fatal=True), request("run-2")]
    others = [request(campaign="two"), request(agent="planner"), request(blocker="tooling"), request(summary="No key")]
    rows = grouped([*same, *others, request("run-3", resolved_at="2026-12-01T00:00:00Z")])
    assert (rows[0]["count"], rows[0]["fatal"], rows[0]["runs"]) == (4, True, ["run-1", "run-1", "run-2"])
    assert len(rows) == 5 and all(row["count"] == 1 for row in rows[1:])
