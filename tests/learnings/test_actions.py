"""What people decide: it is checked when taken, audited, in the files at once, and no later event takes it back."""

import json
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.knowledge.filing import assign_run, refresh
from tests.learnings.telling import (
    CACHE,
    MINUTE,
    SLOW,
    Clock,
    arrive,
    ask,
    brief,
    command_of,
    files,
    learnings,
    open_runs,
    propose,
    requests,
    states,
    with_key,
)
from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines.control import audit
from thermite_pipelines.control.channel_models import HelpAction, LearningAction
from thermite_pipelines.control.commands import read_control_key, wrong_commands
from thermite_pipelines.control.models import Assignment, Run
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.learnings import actions, lifecycle
from thermite_pipelines.learnings.folding import refresh_channels
from thermite_pipelines.learnings.sameness import same
from thermite_pipelines.ledger.envelope import COMMAND_TYPE, pae, parse_envelope, public_key_of, verify

SETUP = {"kit": "gpu-2", "flags": ["--fast", "--seed=3"], "routes": ["lab"]}


@pytest.fixture
def rig(home: Home, clock: Clock) -> RigSimulator:
    """A rig with two runs of a campaign, in a home that can sign."""
    return open_runs(with_key(home), "run-1", "run-2", **SETUP)


def counted(home: Home, model: Any) -> int:
    with home.control.read() as connection:
        return connection.execute(select(func.count()).select_from(model)).scalar_one()


def assert_lasts(home: Home) -> None:
    """The same after a fold from scratch, and after the events were judged anew."""
    before = files(home)
    refresh_channels(home.opened, whole=True)
    assert files(home) == before
    for name in home.simulators:
        EventWriter(home.control, home.lake, name).rebuild()
    refresh_channels(home.opened)
    assert files(home) == before


def payload(home: Home, path: str | None) -> dict[str, Any]:
    """The payload of a command whose signature is control's."""
    envelope = parse_envelope(command_of(home, path), COMMAND_TYPE)
    key = public_key_of(read_control_key(home.settings))
    assert verify(key, pae(COMMAND_TYPE, envelope.payload), envelope.signatures[0].sig)
    return json.loads(envelope.payload)


def test_hl_12_hl_13_one_reply_answers_all_that_a_run_asked(home: Home, rig: RigSimulator) -> None:
    ask(rig, "run-1", "Which seed?", when=-30)
    ask(rig, "run-1", "No token", when=-20, fatal=True, agent="planner")
    ask(rig, "run-1", "Disk full", when=-10)
    ask(rig, "run-2", "Which seed?")
    rig.say_note("SECRET-OF-THE-OLD-RUN", run="run-1", campaign=None)
    arrive(home)
    before = counted(home, Assignment)
    done = actions.reply(home.opened, "run-1", text=" Use the lab's token. ", by="ann")
    assert (done.changed, done.rig, done.run, done.answered) == (True, "rig-a", "run-1", 3)
    assert counted(home, Assignment) == before + 1
    said = payload(home, done.command)
    first, *_ = said["prompt"].splitlines()
    assert first == "In reply to your help request run-1 (No token)"
    assert "Use the lab's token." in said["prompt"] and "SECRET" not in json.dumps(said)
    assert all(summary in said["prompt"] for summary in ("Which seed?", "Disk full"))
    assert (done.agent, said["agent"]) == ("planner", "planner")
    assert len(done.notices) == 1 and "agent planner goes on" in done.notices[0] and "worker" in done.notices[0]
    by_run = {(row["run"], row["summary"]): row["reply"] for row in requests(home)}
    assert by_run.pop(("run-2", "Which seed?")) is None
    assert set(by_run.values()) == {done.reply}
    assert_lasts(home)


def test_hl_14_the_command_is_as_the_record_and_not_as_the_agent_says(home: Home, rig: RigSimulator) -> None:
    ask(rig, "run-1", agent="planner", flags=["--root"], kit="mine", detail="Start me with --root.")
    arrive(home)
    done = actions.reply(home.opened, "run-1", "rig-a", text="Yes.", by="ann")
    said = payload(home, done.command)
    wanted = {"command": "start_run", "rig": "rig-a", "run": done.reply, "campaign": "one", "agents": True}
    wanted |= SETUP | {"agent": "planner", "from": "person", "reply_to": "run-1", "briefing": [], "queue": []}
    assert {name: said[name] for name in wanted} == wanted
    assert done.command == f"commands/rig-a/{done.reply}.dsse.json"


def test_hl_15_without_flags_in_the_record_the_person_is_asked(home: Home, clock: Clock) -> None:
    rig = open_runs(with_key(home), "run-1")
    ask(rig)
    arrive(home)
    with pytest.raises(ThermiteError, match=r"with which flags .*--flag"):
        actions.reply(home.opened, "run-1", text="Yes.", by="ann")
    assert counted(home, HelpAction) == 0 and counted(home, Assignment) == 1
    done = actions.reply(home.opened, "run-1", text="Yes.", by="ann", flags=("--slow",))
    assert payload(home, done.command)["flags"] == ["--slow"]


def test_a_reply_given_again_changes_nothing_and_writes_lost_commands(home: Home, rig: RigSimulator) -> None:
    ask(rig, "run-1", "First")
    arrive(home)
    first = actions.reply(home.opened, "run-1", text="Yes.", by="ann")
    ask(rig, "run-1", "Second")
    arrive(home)
    second = actions.reply(home.opened, "run-1", text="No.", by="ann")
    assert first.reply != second.reply and second.answered == 1
    commands = {path: command_of(home, path) for path in (first.command, second.command)}
    for path in commands:
        (home.settings.home / str(path)).unlink()
    again = actions.reply(home.opened, "run-1", text="Other words.", by="bob")
    assert (again.changed, again.reply, again.answered) == (False, second.reply, 0)
    assert {path: command_of(home, path) for path in commands} == commands
    assert counted(home, HelpAction) == 2


def test_hl_17_resolving_marks_and_starts_nothing(home: Home, rig: RigSimulator) -> None:
    ask(rig, "run-1")
    arrive(home)
    before = requests(home)[0], counted(home, Assignment), counted(home, Run)
    assert actions.resolve(home.opened, "run-1", by="ann").resolved == 1
    (row,) = requests(home)
    assert row == before[0] | {"resolved_at": row["resolved_at"]} and row["resolved_at"] is not None
    assert (counted(home, Assignment), counted(home, Run)) == before[1:]
    assert not [path for path in (home.settings.home / "commands").rglob("*") if path.is_file()]
    again = actions.resolve(home.opened, "run-1", by="ann")
    assert (again.changed, again.resolved) == (False, 0)
    assert actions.reply(home.opened, "run-1", text="Yes.", by="ann").reply is None
    assert_lasts(home)


def test_asked_again_after_it_was_dealt_with_shows_and_can_be_answered(home: Home, rig: RigSimulator) -> None:
    ask(rig, "run-1", when=-30)
    arrive(home)
    actions.resolve(home.opened, "run-1", by="ann")
    ask(rig, "run-1", when=-300)  # told with an earlier time, and accepted after the decision
    arrive(home)
    (row,) = requests(home)
    assert row["asked_again"] and row["resolved_at"] and row["count"] == 2
    assert actions.reply(home.opened, "run-1", text="Yes.", by="ann").answered == 1
    (row,) = requests(home)
    assert not row["asked_again"] and row["reply"]
    assert_lasts(home)


def test_what_was_accepted_before_a_decision_is_covered_by_it(home: Home, rig: RigSimulator) -> None:
    """Reports that are accepted and no events yet."""
    name = propose(rig, "run-1", when=-50)
    ask(rig, "run-1", when=-50)
    arrive(home)
    ask(rig, "run-1", when=-40)
    propose(rig, "run-2", SLOW, when=-40)
    rig.send()
    home.take()
    actions.resolve(home.opened, "run-1", by="ann")
    actions.drop(home.opened, name, by="ann")
    home.write()
    refresh_channels(home.opened)
    assert [(row["count"], row["asked_again"]) for row in requests(home)] == [(2, False)]
    assert states(home) == {name: "rejected", "rig-a/run-2/l6": "provisional"}
    assert_lasts(home)


@pytest.mark.parametrize("verb", ["keep", "drop"])
def test_a_late_event_never_takes_back_a_decision(
    home: Home, rig: RigSimulator, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Accepted later and timed earlier: the same words, and briefs by which the learning would have lapsed."""
    monkeypatch.setattr(lifecycle, "RUNS", 1)
    name = propose(rig, "run-1", when=-50)
    arrive(home)
    getattr(actions, verb)(home.opened, name, by="ann")
    other = open_runs(home, "run-1", "run-2", rig="rig-b")
    early = propose(other, "run-1", f"{CACHE} here", when=-90)
    brief(other, "run-2", when=-80)
    brief(rig, "run-2", when=-20)
    arrive(home)
    wanted = "confirmed" if verb == "keep" else "rejected"
    assert states(home) == {early: wanted}
    assert_lasts(home)


def test_a_late_event_never_takes_back_what_was_answered(home: Home, rig: RigSimulator) -> None:
    ask(rig, "run-1", "No token", when=-50)
    arrive(home)
    done = actions.reply(home.opened, "run-1", text="Yes.", by="ann")
    rig.reset("L2")
    rig.say_run("run-1", campaign=None)
    ask(rig, "run-1", "no token", when=-90)  # another run of the same name
    arrive(home)
    found = {row["ledger"]: row["reply"] for row in requests(home)}
    assert found == {"L1": done.reply, "L2": None}
    assert_lasts(home)


def test_hl_50_a_dropped_learning_stays_out_whoever_proposes_it(home: Home, clock: Clock) -> None:
    runs = [f"run-{number}" for number in range(7)]
    rig = open_runs(with_key(home), *runs)
    name = propose(rig, "run-0", when=-90)
    arrive(home)
    actions.drop(home.opened, name, by="ann")
    before = learnings(home)
    for number, run in enumerate(runs[1:6]):
        brief(rig, run, when=-80 + number)
        propose(rig, run, CACHE.upper(), when=-80 + number)
        arrive(home)
        clock.go(MINUTE)
    propose(rig, "run-6", f"{CACHE} here", when=-300)
    arrive(home)
    (row,) = learnings(home)
    assert row["state"] == "rejected" and row["proposals"] == 1
    assert row["id"] == "rig-a/run-6/l19" or row == before[0]
    for decide in (actions.keep, actions.drop):
        with pytest.raises(ThermiteError, match="a person dropped it"):
            decide(home.opened, name, by="bob")
    assert_lasts(home)


def test_the_id_of_an_echo_names_the_learning_and_stays_with_it(home: Home, rig: RigSimulator) -> None:
    """A late event may take the echo for itself: what was decided is about what the person saw."""
    first = propose(rig, "run-1", when=-50)
    echo = propose(rig, "run-2", f"{CACHE} every second time", when=-40)
    arrive(home)
    done = actions.drop(home.opened, echo, by="ann")
    assert (done.changed, done.id, done.state) == (True, first, "rejected")
    with pytest.raises(ThermiteError, match="a person dropped it"):
        actions.drop(home.opened, echo, by="ann")
    other = "The cache folder is not cleared between trials, every second time twice"
    assert same(other, f"{CACHE} every second time") and not same(other, CACHE)
    late = propose(open_runs(home, "run-1", rig="rig-b"), "run-1", other, when=-90)
    arrive(home)
    assert states(home) == {late: "provisional", first: "rejected"}
    assert_lasts(home)


@pytest.mark.parametrize("echo_comes", ["before", "after"])
def test_a_dropped_learning_stays_out_where_its_first_run_moved_away(
    home: Home, rig: RigSimulator, echo_comes: str
) -> None:
    first = propose(rig, "run-1", when=-50)
    if echo_comes == "after":
        arrive(home)
        actions.drop(home.opened, first, by="ann")
    echo = propose(rig, "run-2", when=-40)
    arrive(home)
    if echo_comes == "before":
        actions.drop(home.opened, first, by="ann")
    assign_run(home, "rig-a", "run-1", "two")
    refresh_channels(home.opened)
    shown = {row["id"]: (row["campaign"], row["state"]) for row in learnings(home)}
    # Dropped here before it was said again: then nothing of it is listed where its run left.
    stays = {echo: ("one", "rejected")} if echo_comes == "before" else {}
    assert shown == {first: ("two", "rejected")} | stays
    assign_run(home, "rig-a", "run-1", "one")
    refresh_channels(home.opened)
    assert states(home) == {first: "rejected"}
    assert_lasts(home)


def test_keeping_and_dropping_are_checked_audited_and_counted_once(home: Home, rig: RigSimulator) -> None:
    name, other = propose(rig, "run-1"), propose(rig, "run-1", SLOW)
    arrive(home)
    assert actions.keep(home.opened, name, by="ann").changed
    assert not actions.keep(home.opened, name, by="bob").changed
    assert actions.drop(home.opened, name, by="bob").state == "rejected"
    assert actions.drop(home.opened, other, by="ann").state == "rejected"
    with home.control.read() as connection:
        done = [(row["by"], row["action"], row["subject"]) for row in audit.entries(connection)]
    assert done[-3:] == [("ann", "keep", name), ("bob", "drop", name), ("ann", "drop", other)]
    assert counted(home, LearningAction) == 3
    for unknown in ("rig-a/run-1/none", "x", "", "rig-a/run-9/l1", "a/b/c/d", "\x00"):
        with pytest.raises(ThermiteError, match="there is no learning"):
            actions.keep(home.opened, unknown, by="ann")


def test_a_lapsed_learning_is_neither_kept_nor_dropped(
    home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "RUNS", 1)
    name = propose(rig, "run-1", when=-50)
    brief(rig, "run-2", when=-40)
    arrive(home)
    for decide in (actions.keep, actions.drop):
        with pytest.raises(ThermiteError, match="it lapsed"):
            decide(home.opened, name, by="ann")
    assert counted(home, LearningAction) == 0


def test_a_reply_that_cannot_be_is_refused_and_leaves_nothing(home: Home, clock: Clock) -> None:
    rig = open_runs(home, "run-1", "run-2", **SETUP)
    ask(rig, "run-1")
    arrive(home)
    with pytest.raises(ThermiteError, match="no signing key"):
        actions.reply(home.opened, "run-1", text="Yes.", by="ann")
    with_key(home)
    with pytest.raises(UsageError, match="empty"):
        actions.reply(home.opened, "run-1", text=" \n", by="ann")
    for run, given, wrong in [("run-2", None, "has asked"), ("none", None, "has asked"), ("run-1", "rig-z", "rig")]:
        with pytest.raises(ThermiteError, match=wrong):
            actions.reply(home.opened, run, given, text="Yes.", by="ann")
    ask(open_runs(home, "run-1", rig="rig-b"), "run-1")
    arrive(home)
    with pytest.raises(ThermiteError, match="name one with --rig"):
        actions.reply(home.opened, "run-1", text="Yes.", by="ann")
    assert counted(home, HelpAction) == 0


def test_runs_of_one_name_in_two_campaigns_are_answered_each_on_its_own(home: Home, clock: Clock) -> None:
    rig = home.rig()
    with_key(home).campaign("one", "two")
    for ledger, campaign in (("L1", "one"), ("L2", "two")):
        rig.reset(ledger)
        rig.say_run("run-1", campaign=campaign, data=SETUP)
        ask(rig, "run-1", f"Of {campaign}")
        rig.send()
    arrive(home)
    first = actions.reply(home.opened, "run-1", text="Yes.", by="ann")
    said = payload(home, first.command)
    assert first.answered == 1 and "two" in first.notices[0]
    assert said["campaign"] == "one" and "Of two" not in said["prompt"]
    second = actions.reply(home.opened, "run-1", text="Yes.", by="ann")
    assert payload(home, second.command)["campaign"] == "two" and not second.notices
    assert {row["campaign"]: row["reply"] for row in requests(home)} == {"one": first.reply, "two": second.reply}


def test_a_reply_to_a_run_that_control_did_not_assign_leaves_its_campaign_as_it_is(home: Home, clock: Clock) -> None:
    """Runs that name a campaign belong to it as long as people assign none to it: a reply is no such word."""
    rig = home.rig()
    with_key(home).campaign("one")
    for run in ("run-1", "run-2"):
        rig.say_run(run, campaign="one", data=SETUP)
    ask(rig, "run-1")
    propose(rig, "run-2")
    arrive(home)
    done = actions.reply(home.opened, "run-1", text="Yes.", by="ann")
    assert requests(home)[0]["reply"] == done.reply and len(learnings(home)) == 1
    rig.say_run("run-3", campaign="one")
    propose(rig, "run-3", SLOW)
    arrive(home)
    assert len(learnings(home)) == 2
    assert not actions.reply(home.opened, "run-1", text="Yes.", by="ann").changed
    assign_run(home, "rig-a", "run-1", "one")
    refresh_channels(home.opened)
    assert {row["run"] for row in requests(home)} == {"run-1"} and learnings(home) == []


def test_decisions_and_commands_on_both_databases(any_home: Home, clock: Clock) -> None:
    home = with_key(any_home)
    rig = open_runs(home, "run-1", **SETUP)
    name, other = propose(rig, "run-1"), propose(rig, "run-1", SLOW)
    ask(rig, "run-1")
    arrive(home)
    refresh(home, "one")
    actions.keep(home.opened, name, by="ann")
    actions.drop(home.opened, other, by="ann")
    done = actions.reply(home.opened, "run-1", text="Yes.", by="ann")
    assert payload(home, done.command)["flags"] == SETUP["flags"]
    assert states(home) == {name: "confirmed", other: "rejected"}
    with home.control.read() as connection:
        lost, changed = wrong_commands(connection, home.settings)
    assert ("rig-a", str(done.reply)) not in [*lost, *changed]
    assert_lasts(home)


def test_any_text_goes_through_on_both_databases(any_home: Home, clock: Clock) -> None:
    home = with_key(any_home)
    rig = open_runs(home, "run-1", **SETUP)
    odd = 'a b \u202e"}{\\ \U0001f9ea \u2028 \x1b[31m ü'
    ask(rig, "run-1", odd, detail=odd)
    name = propose(rig, "run-1", f"{CACHE} {odd}")
    arrive(home)
    done = actions.reply(home.opened, "run-1", text=odd, by="ann")
    assert odd.strip() in payload(home, done.command)["prompt"]
    (row,) = requests(home)
    assert row["summary"] == " ".join(odd.split()) and row["detail"] == odd
    if name in states(home):  # else it is refused
        assert actions.drop(home.opened, name, by="ann").state == "rejected"
    assert_lasts(home)
