"""A harness's events leave once, in order, in the same bytes, whatever ends the process."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.rig.logs import SEED, read_inbox
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.ledger.envelope import REPORT_TYPE, parse_envelope
from thermite_pipelines.rig import emitter as emitter_module
from thermite_pipelines.rig import reports
from thermite_pipelines.rig.emitter import Emitter
from thermite_pipelines.rig.reports import build_report, make_event
from thermite_pipelines.times import parse_rfc3339

NOON = parse_rfc3339("2026-02-01T12:00:00Z")


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Emitter]:
    def open_again(max_events: int = 100) -> Emitter:
        return Emitter(
            tmp_path / "state", rig="rig-a", outbox=tmp_path / "outbox", seed=SEED, ledger="L1", max_events=max_events
        )

    return open_again


def add_note(emitter: Emitter, name: str, text: str = "It holds.") -> int:
    data = {"note": name, "kind": "observation", "text": text}
    return emitter.add("journal_note", data, by="lane-1", run="run-7", campaign="speed-up", at=NOON)


def test_a_whole_run_passes_the_pipelines_checks(tmp_path: Path, opened: Callable[..., Emitter]) -> None:
    with opened() as emitter:
        run = emitter.run("run-7", "speed-up")
        run.created("hill_climb", title="Faster training", flags=["fast"])
        run.started()
        run.experiment_queued("e1", "Wider layer", by="planner", description="Twice the width.")
        run.trial_started("t1", lane="lane-1", kind="code", runtime="codex", experiment="e1", agent="worker")
        run.experiment_started("e1", "t1", by="lane-1")
        run.attempt_submitted("a1", "t1", by="lane-1", experiment="e1", commit="abc1234")
        run.attempt_judged("a1", "accepted", metric="loss", value=1.5, champion_value=1.7)
        run.experiment_finished("e1", "improved", by="lane-1", trial="t1", metric="loss", value=1.5)
        run.trial_ended("t1", "submitted")
        run.note("n1", "lesson", "Width helps.", by="lane-1", about=("experiment", "e1"))
        run.add("owner_message", "owner", message="m1", text="Good.")
        assert run.finished("completed", "Done.") == 12
        assert emitter.waiting == 12
        paths = emitter.send()
        assert emitter.head == (1, 12)
    inbox = read_inbox(tmp_path / "outbox")
    assert [path.name for path in paths] == ["L1-00000001.dsse.json"]
    assert inbox.rejected == []
    assert len(inbox.events) == 12
    assert "reason" not in inbox.data("trial_ended")[0]


def test_agents_ask_pass_on_and_are_briefed(tmp_path: Path, opened: Callable[..., Emitter]) -> None:
    known = ["rig-a/run-6/l1"]
    with opened() as emitter:
        run = emitter.run("run-7", "speed-up")
        run.created("hill_climb")
        run.brief_given("planner")
        run.trial_started("t1", lane="lane-1", kind="code", runtime="pi")
        run.brief_given("worker", learnings=known, items=["note:rig-a/run-6/n1"], trial="t1")
        run.help_requested("q1", "The registry refused", by="lane-1", fatal=True, blocker="access", detail="403.")
        run.help_requested("q2", "Which seed?", by="planner", fatal=False, agent="planner")
        run.learning_proposed("l1", "Ten steps warm the cache.", by="lane-1", impact="low")
        emitter.send()
    inbox = read_inbox(tmp_path / "outbox")
    assert inbox.rejected == []
    assert inbox.data("brief_given") == [
        {"agent": "planner", "learnings": [], "items": []},
        {"agent": "worker", "learnings": known, "items": ["note:rig-a/run-6/n1"], "trial": "t1"},
    ]
    stopped, limited = inbox.data("help_requested")
    assert stopped["blocker"] == "access" and stopped["agent"] == "worker" and stopped["fatal"] is True
    assert limited == {"request": "q2", "agent": "planner", "summary": "Which seed?", "fatal": False}
    learning = {"learning": "l1", "agent": "worker", "text": "Ten steps warm the cache.", "impact": "low"}
    assert inbox.data("learning_proposed") == [learning]


def test_whoever_speaks_names_the_agent(tmp_path: Path, opened: Callable[..., Emitter]) -> None:
    speakers = {
        "planner": "planner",
        "teachers:tutor": "teachers",
        "combiner:merge": "teachers",
        "auditor:second": "auditor",
        "panel:one": "panel",
        "owner": "worker",
        "lane-1": "builder",  # of its newest trial
        "lane-2": "worker",  # whose newest trial names nobody
        "lane-3": "worker",  # in which no trial began
    }
    with opened() as emitter:
        run = emitter.run("run-7", "speed-up")
        run.created("hill_climb")
        for number, (lane, agent) in enumerate([(1, "worker"), (1, "builder"), (2, "tuner"), (2, None)]):
            run.trial_started(f"t{number}", lane=f"lane-{lane}", kind="code", runtime="pi", agent=agent)
        other = emitter.run("run-8", "speed-up")
        other.created("hill_climb")
        other.trial_started("t1", lane="lane-1", kind="code", runtime="pi", agent="tuner")
    with opened() as emitter:  # a harness may begin anew at any time
        run = emitter.run("run-7", "speed-up")
        for number, by in enumerate(speakers):
            run.help_requested(f"q{number}", f"About {number}", by=by, fatal=False)
            run.learning_proposed(f"l{number}", f"Seed {number} is slow.", by=by, impact="low")
            run.brief_given(reader=by, trial="t0")
        run.help_requested("q99", "Another asks", by="lane-1", fatal=False, agent="planner")
        run.learning_proposed("l99", "Seed 99 is fast.", by="panel:one", impact="low", agent="builder")
        run.brief_given("scout", reader="lane-1")
        emitter.run("run-8").help_requested("q1", "In another run", by="lane-1", fatal=False)
        with pytest.raises(UsageError, match="whose brief"):
            run.brief_given(learnings=["rig-a/run-6/l1"])
        emitter.send()
    inbox = read_inbox(tmp_path / "outbox")
    assert inbox.rejected == []
    said = {name: [data["agent"] for data in inbox.data(name)] for name in ("help_requested", "learning_proposed")}
    assert said["help_requested"] == [*speakers.values(), "planner", "tuner"]
    assert said["learning_proposed"] == [*speakers.values(), "builder"]
    assert [data["agent"] for data in inbox.data("brief_given")] == [*speakers.values(), "scout"]


def test_agents_of_old_runs_are_forgotten_so_that_the_state_stays_small(
    tmp_path: Path, opened: Callable[..., Emitter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitter_module, "_RUNS_WITH_LANES", 3)
    with opened() as emitter:
        for number in [*range(6), 2]:
            run = emitter.run(f"run-{number}", "speed-up")
            run.trial_started(f"t{number}", lane="lane-1", kind="code", runtime="pi", agent=f"agent-{number}")
        found = [emitter.agent_of(f"run-{number}", "lane-1") for number in range(6)]
    assert found == ["worker", "worker", "agent-2", "worker", "agent-4", "agent-5"]


def test_hl_06_a_category_that_there_is_not_is_refused_with_the_six(opened: Callable[..., Emitter]) -> None:
    with opened() as emitter, pytest.raises(ThermiteError) as refused:
        emitter.run("run-7").help_requested("q1", "No key", by="lane-1", fatal=False, blocker="acess")
    told = str(refused.value)
    assert all(name in told for name in ("access", "tooling", "ambiguity", "environment", "decision", "other"))


def test_reports_form_a_chain_over_restarts(tmp_path: Path, opened: Callable[..., Emitter]) -> None:
    for turn in range(3):
        with opened() as emitter:
            if turn == 0:
                emitter.run("run-7").created("smoke")
            add_note(emitter, f"n{turn}")
            assert emitter.send()
            assert emitter.send() == []
    inbox = read_inbox(tmp_path / "outbox")
    assert inbox.rejected == []
    assert len(inbox.payloads) == 3


def test_events_that_wait_survive_without_a_send(tmp_path: Path, opened: Callable[..., Emitter]) -> None:
    with opened() as emitter:
        emitter.run("run-7").created("smoke")
        add_note(emitter, "n1")
    with opened() as emitter:
        assert emitter.waiting == 2
        emitter.send()
    assert len(read_inbox(tmp_path / "outbox").events) == 2


def test_a_full_report_leaves_by_itself(tmp_path: Path, opened: Callable[..., Emitter]) -> None:
    with opened(max_events=5) as emitter:
        emitter.run("run-7").created("smoke")
        for place in range(11):
            add_note(emitter, f"n{place}")
        assert emitter.head == (2, 12)
        assert emitter.waiting == 2
    assert [len(read_inbox(tmp_path / "outbox").events)] == [10]


@pytest.mark.parametrize(
    ("event_type", "data", "by", "words"),
    [
        ("journal_note", {"note": "n1", "kind": "observation", "text": ""}, "lane-1", "text"),
        ("journal_note", {"note": "n1", "kind": "observation", "text": "x" * 2001}, "lane-1", "text"),
        ("journal_note", {"note": "n1", "kind": "rumour", "text": "x"}, "lane-1", "kind"),
        ("journal_note", {"note": "a/b", "kind": "note", "text": "x"}, "lane-1", "note"),
        ("journal_note", {"note": "n1", "kind": "note", "text": "a\0b"}, "lane-1", "NUL"),
        ("journal_note", {"note": "n1", "kind": "note", "text": "a\ud800b"}, "lane-1", "surrogate"),
        ("journal_note", {"note": "n1", "kind": "note", "text": "x", "more": 2**60}, "lane-1", "beyond"),
        ("journal_note", {"note": "n1", "kind": "note", "text": "x", "more": object()}, "lane-1", "JSON"),
        ("journal_note", {"note": "n1", "kind": "note", "text": "x"}, "lane-0", "by"),
        ("run_started", {}, "lane-1", "only harness"),
        ("moon_landed", {}, "harness", "no such event type"),
    ],
)
def test_what_the_pipeline_would_refuse_is_refused_before_it_is_signed(
    opened: Callable[..., Emitter], event_type: str, data: dict[str, object], by: str, words: str
) -> None:
    with opened() as emitter:
        with pytest.raises(ThermiteError, match=words):
            emitter.add(event_type, data, by=by, run="run-7")
        assert emitter.waiting == 0


def test_an_event_needs_a_run_and_an_id_of_its_own(opened: Callable[..., Emitter]) -> None:
    with opened() as emitter:
        with pytest.raises(ThermiteError, match="needs a run"):
            emitter.add("run_started", {}, by="harness", run=None)
        emitter.add("run_started", {}, by="harness", run="run-7", event_id="one")
        with pytest.raises(ThermiteError, match="not unique"):
            emitter.add("run_started", {}, by="harness", run="run-7", event_id="one")


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("kill_at", range(7))
@pytest.mark.parametrize("after_rename", [False, True])
def test_a_kill_at_any_write_gives_no_two_payloads_for_a_seq(
    tmp_path: Path, opened: Callable[..., Emitter], monkeypatch: pytest.MonkeyPatch, kill_at: int, after_rename: bool
) -> None:
    writes = 0
    real = emitter_module.write_atomic

    def write_or_die(path: Path, data: bytes, mode: int = 0o644) -> None:
        nonlocal writes
        writes += 1
        if writes == kill_at + 1:
            if after_rename:
                real(path, data, mode)
            raise Killed
        real(path, data, mode)

    with monkeypatch.context() as patch:
        patch.setattr(emitter_module, "write_atomic", write_or_die)
        patch.setattr(reports, "write_atomic", write_or_die)
        with contextlib.suppress(Killed), opened() as emitter:
            emitter.run("run-7").created("smoke")
            add_note(emitter, "n1")
            emitter.send()
    seen = {path.name: path.read_bytes() for path in (tmp_path / "outbox").glob("*")}
    with opened() as emitter:
        have = emitter.head[1]
        if have == 0:
            emitter.run("run-7").created("smoke")
        if have < 2:
            add_note(emitter, "n1")
        add_note(emitter, "n2")
        emitter.send()
    inbox = read_inbox(tmp_path / "outbox")
    assert inbox.rejected == []
    assert [data["note"] for data in inbox.data("journal_note")] == ["n1", "n2"]
    for name, content in seen.items():
        assert (tmp_path / "outbox" / name).read_bytes() == content


def test_kill_9_in_the_middle_of_work(tmp_path: Path, opened: Callable[..., Emitter]) -> None:
    program = (
        "import sys, itertools\n"
        "from pathlib import Path\n"
        "from thermite_pipelines.rig.emitter import Emitter\n"
        "home = Path(sys.argv[1])\n"
        "more = {'seed': bytes(range(32)), 'ledger': 'L1', 'max_events': 3}\n"
        "with Emitter(home / 'state', rig='rig-a', outbox=home / 'outbox', **more) as e:\n"
        "    if e.head == (0, 0):\n"
        "        e.run('run-7').created('smoke')\n"
        "    for n in itertools.count(e.head[1]):\n"
        "        print(e.run('run-7').note(f'n{n}', 'note', 'x', by='lane-1'), flush=True)\n"
    )
    last = 0
    for _ in range(3):
        command = [sys.executable, "-c", program, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(10):
                last = int(process.stdout.readline())
            process.send_signal(signal.SIGKILL)
            last = max([last, *map(int, process.stdout.read().split())])
    with opened() as emitter:
        emitter.send()
        assert emitter.head[1] in (last, last + 1)
    inbox = read_inbox(tmp_path / "outbox")
    assert inbox.rejected == []
    assert len(inbox.events) >= last
    leftovers = [path.name for path in (tmp_path / "outbox").iterdir() if not path.name.endswith(".dsse.json")]
    assert all(name.startswith(".") for name in leftovers)


def test_one_process_at_a_time(opened: Callable[..., Emitter]) -> None:
    with opened(), pytest.raises(ThermiteError, match="in use"):
        opened()
    opened().close()


def test_a_state_of_another_rig_or_a_damaged_one_is_refused(tmp_path: Path, opened: Callable[..., Emitter]) -> None:
    with opened() as emitter:
        emitter.run("run-7").created("smoke")
    for _ in range(2):
        with pytest.raises(ThermiteError, match="ledger L1 of rig-a"):
            Emitter(tmp_path / "state", rig="rig-b", outbox=tmp_path, seed=SEED)
    (tmp_path / "state" / "ledger.json").write_text("{")
    with pytest.raises(ThermiteError, match="cannot be read"):
        opened()


def test_wrong_names_are_wrong_usage(tmp_path: Path, opened: Callable[..., Emitter]) -> None:
    with pytest.raises(UsageError):
        Emitter(tmp_path, rig="Rig", outbox=tmp_path, seed=SEED)
    with pytest.raises(UsageError):
        Emitter(tmp_path, rig="rig-a", outbox=tmp_path, seed=SEED, ledger="a/b")
    with pytest.raises(UsageError):
        Emitter(tmp_path, rig="rig-a", outbox=tmp_path, seed=b"short")
    with opened() as emitter, pytest.raises(UsageError):
        emitter.run("a/b")


def test_ledgers_without_a_name_get_one_of_their_own(tmp_path: Path) -> None:
    ledgers = set()
    for name in ("1", "2"):
        with Emitter(tmp_path / name, rig="rig-a", outbox=tmp_path, seed=SEED) as emitter:
            ledgers.add(emitter.ledger)
    assert len(ledgers) == 2


def test_the_same_arguments_give_the_same_payload() -> None:
    events = [make_event(1, "a", NOON, "run_started", "harness", {"x": None}, run="r", campaign=None)]
    one = build_report("rig-a", "L", 1, None, NOON, events)
    assert one == build_report("rig-a", "L", 1, None, NOON, events)
    assert b'"data":{}' in one
    assert b'"sent_at":"2026-02-01T12:00:00Z"' in one


def test_events_too_large_for_one_report_are_spread(
    tmp_path: Path, opened: Callable[..., Emitter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitter_module, "MAX_PAYLOAD_BYTES", 2500)
    with opened() as emitter:
        emitter.run("run-7").created("smoke")
        for place in range(3):
            add_note(emitter, f"n{place}", "x" * 1500)
        emitter.send()
        with pytest.raises(ThermiteError, match="too large"):
            emitter.run("run-7").finished("completed", "x" * 3000)
    inbox = read_inbox(tmp_path / "outbox")
    assert len(inbox.payloads) == 3
    assert all(len(payload) <= 2500 for payload in inbox.payloads)


def test_files_are_whole_and_named_to_sort(tmp_path: Path, opened: Callable[..., Emitter]) -> None:
    with opened(max_events=1) as emitter:
        for _ in range(11):
            emitter.run("run-7").started()
    names = [path.name for path in (tmp_path / "outbox").iterdir()]
    assert sorted(names) == [f"L1-{seq:08d}.dsse.json" for seq in range(1, 12)]
    parse_envelope((tmp_path / "outbox" / names[0]).read_bytes(), REPORT_TYPE)
    assert (tmp_path / "state" / "ledger.json").stat().st_mode & 0o077 == 0
