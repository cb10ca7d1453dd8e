"""An import sends a log once, whatever happens between, and all that it sends passes the pipeline's own checks."""

import contextlib
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rig.logs import CLASSIC, FLAT_JSON, KEPT_JSON, NESTED_JSON, PI_JSON, PROSE, SEED, Importing, read_inbox
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.rig import reports
from thermite_pipelines.rig.importers import sent
from thermite_pipelines.rig.importers.imports import compare, import_log, state_file
from thermite_pipelines.rig.importers.sent import import_ledger
from thermite_pipelines.times import parse_rfc3339

FORMS = {
    "results.tsv": CLASSIC,
    "flat.jsonl": FLAT_JSON,
    "nested.jsonl": NESTED_JSON,
    "pi.jsonl": PI_JSON,
    "kept.jsonl": KEPT_JSON,
    "log.md": PROSE,
}
NOON = 1_769_947_200


@pytest.fixture
def importing(tmp_path: Path) -> Importing:
    return Importing(tmp_path)


def write(folder: Path, text: str, name: str = "results.tsv") -> Path:
    path = folder / name
    path.write_text(text)
    os.utime(path, (NOON, NOON))
    return path


def many(count: int) -> str:
    header = "commit\tval_bpb\tstatus\tdescription\n"
    return header + "".join(f"{place:07x}\t1.{place}\tkeep\ttry {place}\n" for place in range(count))


def test_the_ledger_is_made_of_importer_rig_and_run() -> None:
    assert import_ledger("autoresearch", "rig-a", "run-1") == "import-3bb24549aeb8aa9e"
    assert import_ledger("autoresearch", "rig-a", "run-2") != import_ledger("autoresearch", "rig-b", "run-2")


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_events_that_all_checks_take(importing: Importing, name: str) -> None:
    result = importing(write(importing.folder, FORMS[name], name))
    inbox = read_inbox(importing.inbox)
    assert inbox.rejected == []
    assert result.events == len(inbox.events) > 3
    assert {event.campaign for event in inbox.events} == {"speed-up"}
    assert not inbox.data("run_finished")


def test_what_becomes_of_the_rows_of_a_classic_log(importing: Importing) -> None:
    importing(write(importing.folder, CLASSIC))
    inbox = read_inbox(importing.inbox)
    assert inbox.data("run_created") == [{"mode": "hill_climb", "title": "results.tsv", "agents": True, "briefing": []}]
    finished = inbox.data("experiment_finished")
    assert [(data["experiment"], data["status"], data.get("value")) for data in finished] == [
        ("e0001", "improved", 1.21),
        ("e0002", "improved", 1.19),
        ("e0003", "worse", 1.23),
        ("e0004", "failed", None),
    ]
    assert "memory_gb: 40.1" in finished[0]["summary"]
    assert [data["commit"] for data in inbox.data("attempt_submitted")] == ["aa11bb2", "bb22cc3", "cc33dd4", "dd44ee5"]
    assert [data["verdict"] for data in inbox.data("attempt_judged")] == ["accepted", "accepted", "rejected", "invalid"]
    assert [data["outcome"] for data in inbox.data("trial_ended")] == ["submitted"] * 3 + ["failed"]
    assert {event.at for event in inbox.events} == {NOON * 1_000_000}


def test_rows_without_a_time_take_the_one_before(importing: Importing) -> None:
    text = (
        "exp_id\ttimestamp\tscore\tstatus\n"
        "a\t\t1\tkeep\nb\t2026-02-01T10:00:00Z\t2\tkeep\nc\t\t3\tkeep\nd\t2026-02-02\t4\tkeep\n"
    )
    importing(write(importing.folder, text))
    times = [event.at for event in read_inbox(importing.inbox).events if event.type == "experiment_queued"]
    ten = parse_rfc3339("2026-02-01T10:00:00Z")
    assert times == [ten, ten, ten, parse_rfc3339("2026-02-02T00:00:00Z")]


def test_long_notes_are_cut_and_kept_whole_in_the_summary(importing: Importing) -> None:
    prose = "Schön " * 1000
    log = write(importing.folder, f'{{"title": "x", "status": "keep", "notes": "{prose}"}}\n', "log.jsonl")
    importing(log)
    inbox = read_inbox(importing.inbox)
    assert inbox.rejected == []
    assert len(inbox.data("journal_note")[0]["text"]) <= 2000
    assert prose.strip() in inbox.data("experiment_finished")[0]["summary"]


def test_long_notes_of_no_experiment_are_split_without_loss(importing: Importing) -> None:
    prose = " ".join(f"word{place}" for place in range(2000))
    importing(write(importing.folder, f'{{"round": 1, "findings_text": "{prose}"}}\n', "log.jsonl"))
    texts = [data["text"] for data in read_inbox(importing.inbox).data("journal_note")]
    assert len(texts) > 5
    assert " ".join(texts).split() == prose.split()


def test_the_same_log_again_sends_nothing(importing: Importing) -> None:
    log = write(importing.folder, CLASSIC + "torn")
    first = importing(log)
    before = {path.name: path.read_bytes() for path in importing.inbox.iterdir()}
    os.utime(log, (NOON + 99, NOON + 99))
    again = importing(log)
    assert (again.reports, again.events) == ([], 0)
    assert again.skipped == first.skipped
    assert {path.name: path.read_bytes() for path in importing.inbox.iterdir()} == before


def test_reports_hold_at_most_100_events_and_are_the_same_on_another_machine(importing: Importing) -> None:
    log = write(importing.folder, many(60))
    result = importing(log)
    assert len(result.reports) > 3
    assert result.events == len(read_inbox(importing.inbox).events)
    other = Importing(importing.folder / "other")
    other(log)
    assert read_inbox(other.inbox).payloads == read_inbox(importing.inbox).payloads


@pytest.mark.parametrize("name", ["results.tsv", "flat.jsonl", "pi.jsonl", "kept.jsonl"])
def test_a_log_that_grows_line_by_line_sends_each_row_once(importing: Importing, name: str) -> None:
    lines = FORMS[name].splitlines(keepends=True)
    total = 0
    for count in range(2, len(lines) + 1):
        total += importing(write(importing.folder, "".join(lines[:count]), name)).events
    whole = Importing(importing.folder / "whole")
    assert whole(write(importing.folder, FORMS[name], name)).events == total
    grown, once = read_inbox(importing.inbox), read_inbox(whole.inbox)
    assert grown.rejected == []
    assert [(event.id, event.data) for event in grown.events] == [(event.id, event.data) for event in once.events]


def test_a_torn_last_line_is_taken_once_it_is_whole(importing: Importing) -> None:
    first = importing(write(importing.folder, CLASSIC + "ee55ff6\t1.1"))
    assert [entry["line"] for entry in first.skipped] == [6]
    second = importing(write(importing.folder, CLASSIC + "ee55ff6\t1.15\t40\tkeep\tcosine\n"))
    assert second.skipped == []
    assert read_inbox(importing.inbox).data("experiment_finished")[-1]["value"] == 1.15


def test_a_changed_row_is_named_and_not_sent_again(importing: Importing) -> None:
    importing(write(importing.folder, CLASSIC))
    changed = CLASSIC.replace("1.1900", "1.1800") + "ee55ff6\t1.1\t40\tkeep\tcosine\n"
    for _ in range(2):
        result = importing(write(importing.folder, changed))
        assert [entry["line"] for entry in result.skipped] == [3]
        assert "e0002" in result.skipped[0]["reason"]
    inbox = read_inbox(importing.inbox)
    assert [data["value"] for data in inbox.data("experiment_finished") if "value" in data] == [1.21, 1.19, 1.23, 1.1]


def test_rows_taken_out_or_put_in_do_not_hide_new_ones(importing: Importing) -> None:
    importing(write(importing.folder, CLASSIC))
    lines = CLASSIC.splitlines(keepends=True)
    result = importing(write(importing.folder, "".join(lines[:1] + lines[2:]) + "ee55ff6\t1.1\t40\tkeep\tcosine\n"))
    assert result.skipped == []
    titles = [data["title"] for data in read_inbox(importing.inbox).data("experiment_queued")]
    assert titles[-1] == "cosine"
    assert len(titles) == 5


@given(st.lists(st.sampled_from("abcdef"), max_size=8), st.lists(st.sampled_from("abcdef"), max_size=8))
def test_appended_rows_are_new_and_nothing_else_is(before: list[str], more: list[str]) -> None:
    assert compare(before, before + more) == (list(range(len(before), len(before) + len(more))), [])


@given(st.lists(st.integers(0, 5).map(str), max_size=8), st.lists(st.integers(0, 5).map(str), max_size=8))
def test_every_row_is_known_changed_or_new(before: list[str], now: list[str]) -> None:
    fresh, changed = compare(before, now)
    places = [*fresh, *(place for place, _ in changed)]
    assert len(set(places)) == len(places)
    assert len(now) - len(places) <= len(before)
    assert all(now[place] != before[earlier] for place, earlier in changed)


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("kill_at", range(8))
def test_a_kill_at_any_write_neither_loses_nor_forks(
    importing: Importing, monkeypatch: pytest.MonkeyPatch, kill_at: int
) -> None:
    writes = 0
    real = sent.write_atomic

    def write_or_die(path: Path, data: bytes, mode: int = 0o644) -> None:
        nonlocal writes
        if writes == kill_at:
            raise Killed
        writes += 1
        real(path, data, mode)

    log = write(importing.folder, many(40))
    with monkeypatch.context() as patch:
        patch.setattr(sent, "write_atomic", write_or_die)
        patch.setattr(reports, "write_atomic", write_or_die)
        with contextlib.suppress(Killed):
            importing(log)
    seen = {path.name: path.read_bytes() for path in importing.inbox.glob("*")}
    # Meanwhile the log has grown; what was on its way must not change.
    importing(write(importing.folder, many(55)))
    inbox = read_inbox(importing.inbox)
    assert inbox.rejected == []
    assert len(inbox.data("experiment_queued")) == 55
    for name, content in seen.items():
        assert (importing.inbox / name).read_bytes() == content


def test_reports_that_the_pipeline_took_away_are_not_sent_again(importing: Importing) -> None:
    for path in importing(write(importing.folder, CLASSIC)).reports:
        path.unlink()
    result = importing(write(importing.folder, CLASSIC + "ee55ff6\t1.1\t40\tkeep\tcosine\n"))
    assert [path.name for path in result.reports] == [f"{result.ledger}-00000002.dsse.json"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("importer", {"importer": "other"}),
        ("rig", {"rig": "Rig A"}),
        ("run", {"run": "a/b"}),
        ("campaign", {"campaign": "X"}),
    ],
)
def test_names_that_break_their_pattern_are_wrong_usage(tmp_path: Path, words: str, names: dict[str, Any]) -> None:
    call: dict[str, Any] = {"importer": "autoresearch", "rig": "rig-a", "run": "run-1", "campaign": None, **names}
    importer = call.pop("importer")
    with pytest.raises(UsageError, match=words):
        import_log(importer, tmp_path, seed=SEED, inbox_dir=tmp_path, state_path=tmp_path / "s.json", **call)


def test_a_damaged_or_foreign_record_of_what_was_sent_is_refused(importing: Importing) -> None:
    log = write(importing.folder, CLASSIC)
    importing(log)
    with pytest.raises(ThermiteError, match="another import"):
        Importing(importing.folder, run="run-2")(log)
    importing.state.write_text("{")
    with pytest.raises(ThermiteError, match="cannot be read"):
        importing(log)


def test_the_record_lies_under_a_name_of_the_ledger(tmp_path: Path) -> None:
    assert state_file(tmp_path, "autoresearch", "rig-a", "run-1").name == "import-3bb24549aeb8aa9e.json"
