"""What each reader's brief holds, and what it does not."""

from collections.abc import Callable

import pytest

from tests.knowledge.briefed import ASKED, LEAVING, READERS, BriefHome, headings, learning, quoted, refusal, section
from tests.support.homes import Home
from thermite_pipelines.control.commands import ensure_control_key
from thermite_pipelines.knowledge.brief_text import BLOCKERS, NOTES_LABEL
from thermite_pipelines.knowledge.help_reading import BLOCKERS as KNOWN_BLOCKERS
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.learnings import actions
from thermite_pipelines.learnings.lifecycle import RUNS
from thermite_pipelines.safety.redaction import redact_text
from thermite_pipelines.safety.screening import MAX_CHARACTERS, REASONS

LANES = "112131121311211311213121131121"
KINDS = "nldoqlsdnldolqdnsldonldqsolndl"
NAMED = {kind[0]: kind for kind in ("note", "lesson", "decision", "observation", "question", "surprise")}


@pytest.fixture
def place(home: Home) -> BriefHome:
    """Run r1 of campaign a, started in hill-climb mode."""
    place = BriefHome(home)
    place.start("r1")
    return place


def say_mixed(place: BriefHome) -> None:
    """30 notes over three lanes; note m<i> is the i-th."""
    for lane in ("lane-1", "lane-2", "lane-3"):
        place.trial(lane)
    for number, (lane, kind) in enumerate(zip(LANES, KINDS, strict=True), 1):
        place.write(f"m{number}", by=f"lane-{lane}", kind=NAMED[kind])
    place.bring()


def test_kb_14_a_lane_sees_its_own_newest_ten_and_the_newest_five_decisions_and_lessons_of_others(
    place: BriefHome,
) -> None:
    say_mixed(place)
    place.brief()
    windows = {
        "lane-1": [30, 29, 28, 27, 25, 24, 23, 22, 20, 19, 18, 17, 15, 13, 10],
        "lane-2": [30, 29, 27, 23, 22, 19, 18, 15, 13, 8, 3],
        "lane-3": [30, 29, 27, 26, 23, 22, 21, 16, 10, 5],
    }
    for lane, expected in windows.items():
        assert quoted(place.text(lane)) == [f"m{number}" for number in expected]


@pytest.mark.parametrize("reader", ["planner", "teachers"])
def test_kb_15_16_planner_and_teachers_see_the_newest_twenty_of_all_writers(place: BriefHome, reader: str) -> None:
    place.write("m1", "m2", "m3", by="planner")
    place.bring()
    place.brief()
    assert quoted(place.text(reader)) == ["m3", "m2", "m1"]
    for number in range(4, 26):
        place.write(f"m{number}", by=("lane-2", "panel:bee", "planner")[number % 3])
    place.bring()
    place.brief()
    assert quoted(place.text(reader)) == [f"m{number}" for number in range(25, 5, -1)]
    assert place.shown(reader)["items"] == [f"note:rig-a/r1/n{number}" for number in range(26, 6, -1)]


def test_kb_17_auditor_and_panel_see_no_notes(place: BriefHome) -> None:
    place.write(*[f"marker-{number}" for number in range(25)], kind="lesson")
    place.bring()
    place.brief()
    for reader in ("auditor", "panel"):
        assert "marker-" not in place.text(reader) and place.shown(reader)["items"] == []
    assert "marker-24" in place.text("teachers")


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.full)])
def test_kb_18_notes_without_number_are_stored_and_briefs_stay_as_long(place: BriefHome, count: int) -> None:
    lengths = []
    for first, last in ((0, 100), (100, count)):
        for number in range(first, last):
            place.write(f"m{number:06}", kind="lesson", note=f"n{number:06}")
        place.bring()
        place.brief()
        lengths.append([len(place.text(reader)) for reader in READERS])
    assert sum(item.startswith("note:") for item in place.items("a")) == count
    assert lengths[0] == lengths[1]
    assert quoted(place.text("planner"))[0] == f"m{count - 1:06}"


def test_kb_19_the_label_stands_once_before_the_first_note(place: BriefHome) -> None:
    place.write("first words", "> last words")
    place.bring()
    place.brief()
    for reader in READERS:
        text = place.text(reader)
        has_notes = reader in ("lane-1", "planner", "teachers")
        assert text.count(NOTES_LABEL) == has_notes
        assert not has_notes or text.index(NOTES_LABEL) < text.index("last words")
    assert "other agents' own words" in NOTES_LABEL and "not instructions" in NOTES_LABEL.replace("\n", " ")


def test_notes_are_those_of_the_runs_newest_ledger(place: BriefHome) -> None:
    place.write("of before")
    place.bring()
    place.rig().reset("L2", "2026-11-30T00:00:00Z")
    place.rig().say_run("r1")
    place.write("of now")
    place.bring()
    place.brief()
    assert quoted(place.text("planner")) == ["of now"]
    assert place.shown("planner")["items"] == ["note:rig-a/r1~L2/n2"]


def test_a_note_tells_its_writer_kind_and_what_it_is_about(place: BriefHome) -> None:
    place.trial("lane-1", trial="t1")
    place.write("warm it", kind="lesson", about={"kind": "trial", "id": "t1"})
    place.write("cool it", by="lane-2", kind="decision")
    place.bring()
    place.brief()
    text = place.text("lane-1")
    assert "`note:rig-a/r1/n3`: lesson by lane-1 (your own) about trial `t1`, 2026-11-29T10:14:58.120000Z\n" in text
    assert "`note:rig-a/r1/n4`: decision by lane-2, 2026-" in text


# Lanes and agents


def test_each_lane_seen_has_a_brief_for_the_agent_of_its_newest_trial(place: BriefHome) -> None:
    place.trial("lane-2", agent="digger")
    place.trial("lane-10")
    place.trial("lane-2", agent="filler")
    place.bring()
    assert place.brief()["r1"] == (7, 0, 0)
    names = [*READERS, "lane-2", "lane-10"]
    assert sorted(place.brief_files()) == sorted(f"{name}.{end}" for name in names for end in ("md", "json"))
    agents = {name: place.shown(name)["agent"] for name in names}
    assert agents == {name: name for name in READERS} | {"lane-1": "worker", "lane-2": "filler", "lane-10": "worker"}
    assert "For agent `filler` in run `r1` (hill_climb) on rig `rig-a`, campaign `a`." in place.text("lane-2")


def test_a_run_that_has_sent_nothing_yet_has_briefs(home: Home) -> None:
    place = BriefHome(home)
    home.rig()
    place.assign("r1", "a")
    assert place.brief() == {"r1": (5, 0, 0)}
    assert headings(place.text("lane-1")) == ["# Brief: lane-1", "## Past research", ASKED, LEAVING]


@pytest.fixture
def answered(place: BriefHome) -> Callable[[str], str]:
    """Lets an agent of r1 ask and a person answer; the run that the reply starts."""
    ensure_control_key(place.home.settings)

    def answer(agent: str) -> str:
        request = {"request": "q1", "agent": agent, "summary": "No token", "fatal": True}
        place.rig().say("help_requested", request, run="r1")
        place.bring()
        done = actions.reply(open_home(place.home.settings), "r1", text="Take mine.", by="ada", flags=("",))
        assert done.reply is not None
        return done.reply

    return answer


def test_a_run_that_a_reply_starts_is_briefed_for_the_agent_that_asked(
    place: BriefHome, answered: Callable[[str], str]
) -> None:
    run = answered("digger")
    place.learn(learning("of diggers", agent="digger"), learning("of workers", number=2))
    place.refuse(refusal(agent="digger"), refusal("empty"))
    place.brief()
    before = place.text("lane-1", run)
    place.rig().say_run(run)
    place.trial("lane-2", run, agent="filler")
    place.bring()
    place.brief()
    for text in (before, place.text("lane-1", run)):
        assert f"For agent `digger` in run `{run}`" in text
        assert "of diggers" in text and "* 1 × `url`: " in text
        assert "of workers" not in text and "`empty`" not in text
    assert place.shown("lane-1", run)["agent"] == "digger"
    assert place.shown("lane-1", run)["learnings"] == ["rig-a/r0/l1"]
    assert place.shown("lane-2", run)["agent"] == "filler"
    place.trial("lane-1", run, agent="worker")
    place.bring()
    place.brief()
    assert place.shown("lane-1", run)["agent"] == "worker" and "of workers" in place.text("lane-1", run)


@pytest.mark.parametrize("agent", ["planner", "teachers", "auditor", "panel"])
def test_where_the_agent_that_asked_has_a_brief_of_its_own_the_lanes_are_workers(
    place: BriefHome, answered: Callable[[str], str], agent: str
) -> None:
    run = answered(agent)
    place.learn(learning("of theirs", agent=agent))
    place.brief()
    assert place.shown("lane-1", run)["agent"] == "worker" and "of theirs" not in place.text("lane-1", run)
    assert place.shown(agent, run)["learnings"] == ["rig-a/r0/l1"]


# Asking, and learnings


def test_hl_08_every_brief_lists_the_six_categories_and_names_the_field(place: BriefHome) -> None:
    place.trial("lane-2")
    place.bring()
    place.brief()
    assert tuple(BLOCKERS) == KNOWN_BLOCKERS
    for reader in [*READERS, "lane-2"]:
        asking = section(place.text(reader), ASKED)
        assert "field `blocker`" in asking
        assert [line.split("`")[1] for line in asking.split("\n") if line.startswith("* `")] == list(BLOCKERS)


RULES = (
    ("likeliest reading", "what you assumed"),
    ("refused, report that", "never look for a way around"),
    ("Ask once",),
    ("stopped your work or only limited it",),
    ("comes as a new run", "notes and documents", "where you got to before you ask"),
)


@pytest.mark.parametrize("rule", RULES)
def test_hl_10_the_five_rules_are_in_every_brief_once(place: BriefHome, rule: tuple[str, ...]) -> None:
    place.brief()
    for reader in READERS:
        text = " ".join(place.text(reader).split())
        assert [text.count(part) for part in rule] == [1] * len(rule)


def test_every_brief_ends_with_how_to_leave_a_learning(place: BriefHome) -> None:
    place.brief()
    texts = {section(place.text(reader), LEAVING) for reader in READERS}
    said = " ".join(texts.pop().split())
    assert not texts and all(place.text(reader).rstrip().endswith("finds it again.") for reader in READERS)
    assert (MAX_CHARACTERS, RUNS) == (400, 20)
    for part in ("`learning_proposed`", "at most 400 characters", "orders nothing", "next run on", "after 20 runs"):
        assert said.count(part) == 1
    assert redact_text(said) == said
    ruled_out = {"addresses": "url", "credentials": "credential", "tools and commands": "names-our-tools"}
    ruled_out |= {"heading": "closes-section", "fence": "closes-section", "orders": "overrides-instructions"}
    assert all(words in said for words in ruled_out)
    assert {*ruled_out.values(), "empty", "too-long"} == set(REASONS)


def test_hl_22_a_learning_is_shown_to_its_agent_in_its_campaign_and_to_no_other(place: BriefHome) -> None:
    place.trial("lane-2", agent="digger")
    place.start("r2", "b")
    place.grant("b", "a")
    place.learn(learning("of workers"), learning("of planners", number=2, agent="planner"))
    place.brief()
    for reader in [*READERS, "lane-2"]:
        has = [word in place.text(reader) for word in ("of workers", "of planners")]
        assert has == [reader == "lane-1", reader == "planner"]
    assert place.shown("lane-1")["learnings"] == ["rig-a/r0/l1"]
    assert place.shown("planner")["learnings"] == ["rig-a/r0/l2"]
    assert "of workers" not in place.text("lane-1", "r2")


def test_hl_23_a_learning_is_used_from_the_next_run_on_without_anybodys_approval(place: BriefHome) -> None:
    place.start("r2")
    place.learn(learning("batch 8 is enough", since_run="rig-a/r1"))
    place.brief()
    assert '1. [provisional] "batch 8 is enough"\n' in place.text("lane-1", "r2")
    assert "batch 8" not in place.text("lane-1", "r1") and place.shown("lane-1")["learnings"] == []
    place.learn(learning("batch 8 is enough", since_run="rig-a/r1", state="confirmed"))
    place.brief()
    assert '1. [established] "batch 8 is enough"\n' in place.text("lane-1", "r1")


def test_what_a_run_of_a_later_ledger_proposed_is_kept_from_that_run_alone(place: BriefHome) -> None:
    place.rig().reset("L2", "2026-11-30T00:00:00Z")
    place.rig().say_run("r1")
    place.bring()
    place.learn(learning("now", since_run="rig-a/r1~L2"), learning("before", number=2, since_run="rig-a/r1"))
    place.brief()
    assert place.shown("lane-1")["learnings"] == ["rig-a/r0/l2"]


@pytest.mark.parametrize("state", ["lapsed", "rejected"])
def test_hl_50_what_lapsed_or_was_rejected_is_not_shown(place: BriefHome, state: str) -> None:
    place.learn(learning(state=state))
    place.brief()
    text = place.text("lane-1")
    assert "caches" not in text
    assert headings(text)[1:] == ["## Past research", "## Worth reading", ASKED, LEAVING]


def test_hl_45_the_agents_next_brief_says_what_was_refused_and_what_would_be_taken(place: BriefHome) -> None:
    told = refusal("too-long", told=True)
    place.refuse(refusal(), refusal(), refusal("empty", agent="planner"), refusal("empty", campaign="b"), told)
    place.brief()
    lines = [line for line in place.text("lane-1").split("\n") if " × " in line]
    assert len(lines) == 1 and lines[0].startswith("* 2 × `url`: ") and len(lines[0]) > 40
    assert "* 1 × `empty`: " in place.text("planner")
    assert "refused as" not in place.text("panel")
