"""The life of an agent's learnings: every move that there is, what counts as one, and no other."""

import json
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learnings.histories import HISTORIES, WORDINGS, Player, Reference, Step, rows_of
from thermite_pipelines.learnings.lifecycle import AgentLearnings, Insight, Outcome

TEXT, AGAIN = WORDINGS[0]
OTHER = WORDINGS[1][0]
_NUMBERS = count()
MOVES = {
    (None, "provisional"),
    ("provisional", "lapsed"),
    ("lapsed", "provisional"),
    ("lapsed", "confirmed"),
    ("provisional", "confirmed"),
    ("provisional", "rejected"),
    ("confirmed", "rejected"),
}


def propose(learnings: AgentLearnings, run: str, text: str = TEXT, *, impact: str = "high", at: int = 0) -> str:
    return learnings.propose(run, f"{run}/l-{next(_NUMBERS)}", text, impact, at)


def brief(learnings: AgentLearnings, runs: int, *shown: str) -> None:
    for _ in range(runs):
        learnings.brief(f"rig-b/run-{next(_NUMBERS)}", shown)


def one(learnings: AgentLearnings) -> Insight:
    [insight] = learnings.insights
    return insight


def proposed(run: str = "rig-a/first") -> AgentLearnings:
    learnings = AgentLearnings()
    assert propose(learnings, run) == "discovery"
    return learnings


def lapsed() -> AgentLearnings:
    learnings = proposed()
    brief(learnings, 20)
    assert one(learnings).state == "lapsed"
    return learnings


def test_hl_22_what_one_agent_proposes_is_unknown_to_another() -> None:
    mine, others = proposed(), AgentLearnings()
    brief(others, 20)
    assert others.insights == [] and mine.runs_left(one(mine)) == 20


def test_hl_23_a_new_learning_is_provisional_at_once() -> None:
    learnings = proposed()
    insight = one(learnings)
    assert (insight.state, learnings.runs_left(insight), insight.proposals) == ("provisional", 20, 1)


def play(history: list[Step]) -> AgentLearnings:
    """Play it beside the reference, and look at every move."""
    learnings, reference, player = AgentLearnings(), Reference(), Player()
    states: dict[str, str] = {}
    for kind, what in history:
        # Persons' words are checked before they are taken: a lapsed or rejected learning is neither kept nor dropped.
        if kind in ("keep", "drop"):
            if not player.proposals:
                continue
            named = learnings.insight(player.proposals[what % len(player.proposals)])
            if named is None or named.state in ("lapsed", "rejected"):
                continue
        # One run at a time, so that each move is seen by itself.
        single = [(kind, (1, what[1]))] * what[0] if kind == "runs" else [(kind, what)]
        for step in single:
            player.play(step, learnings, reference)
            for insight in learnings.insights:
                before = states.get(insight.id)
                assert before == insight.state or (before, insight.state) in MOVES
                states[insight.id] = insight.state
            assert rows_of(learnings) == reference.rows()
    for name, told in reference.taken_by.items():
        insight = learnings.insight(name)
        assert insight is not None and insight.id == told.id
    return learnings


@given(HISTORIES)
@settings(max_examples=120)
def test_hl_24_states_and_moves_are_those_of_the_table(history: list[Step]) -> None:
    play(history)


@pytest.mark.full
@given(HISTORIES)
@settings(max_examples=10_000)
def test_hl_24_states_and_moves_in_ten_thousand_histories(history: list[Step]) -> None:
    play(history)


def test_hl_24_histories_can_reach_every_move() -> None:
    back: Step = ("propose", ("fresh", (0, 1)))
    learnings = play(
        [
            ("propose", ("rig-a/run-0", (0, 0))),
            *[("runs", (20, False)), back] * 3,
            ("propose", ("rig-a/run-1", (1, 0))),
            ("keep", 4),
            ("drop", 0),
            ("propose", ("rig-a/run-1", (2, 0))),
            ("drop", 5),
        ]
    )
    assert [insight.state for insight in learnings.insights] == ["rejected", "confirmed", "rejected"]


def test_hl_25_life_is_counted_in_briefed_runs() -> None:
    learnings = proposed()
    brief(learnings, 19)
    assert (one(learnings).state, learnings.runs_left(one(learnings))) == ("provisional", 1)
    brief(learnings, 1)
    assert (one(learnings).state, learnings.runs_left(one(learnings))) == ("lapsed", 0)


def test_hl_25_days_do_not_count() -> None:
    learnings = proposed()
    brief(learnings, 19)
    assert propose(learnings, "rig-a/late", OTHER, at=366 * 86_400 * 10**6) == "discovery"
    assert [insight.state for insight in learnings.insights] == ["provisional", "provisional"]


def test_hl_25_later_briefs_of_a_run_spend_nothing() -> None:
    learnings = proposed()
    for _ in range(30):
        learnings.brief("rig-a/long", [])
    assert learnings.runs_left(one(learnings)) == 19


def test_a_run_briefed_before_spends_nothing_of_what_comes_after() -> None:
    learnings = AgentLearnings()
    learnings.brief("rig-a/first", [])
    propose(learnings, "rig-a/first")
    learnings.brief("rig-a/first", [])
    assert learnings.runs_left(one(learnings)) == 20


def test_hl_29_three_rediscoveries_confirm() -> None:
    learnings = proposed("rig-a/0")
    for number, state in enumerate(["provisional", "provisional", "confirmed"], 1):
        brief(learnings, 20)
        assert propose(learnings, f"rig-a/{number}", AGAIN, at=number) == "rediscovery"
        assert one(learnings).state == state
    insight = one(learnings)
    assert (insight.proposals, insight.text, insight.since_run, insight.last_at) == (4, TEXT, "rig-a/3", 3)
    assert learnings.runs_left(insight) is None
    brief(learnings, 100)
    assert insight.state == "confirmed"


def test_a_rediscovery_begins_a_new_life() -> None:
    learnings = lapsed()
    brief(learnings, 7)
    propose(learnings, "rig-a/second")
    assert learnings.runs_left(one(learnings)) == 20
    brief(learnings, 19)
    assert one(learnings).state == "provisional"
    brief(learnings, 1)
    assert one(learnings).state == "lapsed"


@given(HISTORIES)
@settings(max_examples=40)
def test_hl_30_impact_decides_nothing(history: list[Step]) -> None:
    class Low(AgentLearnings):
        def propose(self, run: str, proposal: str, text: str, impact: str, at: int) -> Outcome:
            return super().propose(run, proposal, text, "low" if impact == "high" else impact, at)

    high, low, player = AgentLearnings(), Low(), Player()
    for step in history:
        player.play(step, high, low)
    assert rows_of(high) == rows_of(low)
    assert {insight.impact for insight in low.insights} <= {"low"}


def test_impact_is_that_of_the_first_proposal() -> None:
    learnings = AgentLearnings()
    propose(learnings, "rig-a/first", impact="low")
    brief(learnings, 20)
    propose(learnings, "rig-a/second", impact="high")
    assert one(learnings).impact == "low"


@pytest.mark.parametrize("kept", [False, True])
def test_hl_31_echoes_change_nothing(kept: bool) -> None:
    learnings = proposed()
    brief(learnings, 5)
    if kept:
        learnings.keep(one(learnings).id)
    before = rows_of(learnings)
    for number in range(50):
        assert propose(learnings, f"rig-a/{number}", AGAIN, impact="low", at=9) == "echo"
    assert rows_of(learnings) == before
    assert learnings.runs_left(one(learnings)) == (None if kept else 15)


def test_hl_31_one_proposed_again_by_a_run_that_was_shown_it_is_an_echo() -> None:
    learnings = proposed()
    learnings.brief("rig-a/slow", [one(learnings).id])
    brief(learnings, 19)
    assert propose(learnings, "rig-a/slow") == "echo"
    assert one(learnings).state == "lapsed"


def test_hl_31_a_run_that_was_shown_it_by_the_id_of_an_echo_is_no_rediscoverer() -> None:
    learnings = proposed()
    learnings.propose("rig-a/second", "rig-a/second/echo", AGAIN, "low", 1)
    learnings.brief("rig-a/slow", ["rig-a/second/echo"])
    brief(learnings, 19)
    assert propose(learnings, "rig-a/slow") == "echo"


def test_a_run_may_be_shown_it_by_a_later_brief() -> None:
    learnings = lapsed()
    learnings.brief("rig-a/long", [])
    learnings.brief("rig-a/long", [one(learnings).id])
    assert propose(learnings, "rig-a/long") == "echo"


def test_what_a_run_was_shown_after_its_proposal_takes_nothing_back() -> None:
    learnings = lapsed()
    assert propose(learnings, "rig-a/second") == "rediscovery"
    learnings.brief("rig-a/second", [one(learnings).id])
    assert one(learnings).proposals == 2


def test_a_brief_that_lists_what_is_only_proposed_later_in_the_order_counts_as_shown() -> None:
    learnings = AgentLearnings()
    learnings.brief("rig-a/early", ["rig-a/first/x", "nothing/known"])
    learnings.propose("rig-a/first", "rig-a/first/x", TEXT, "low", 0)
    brief(learnings, 20)
    assert propose(learnings, "rig-a/early") == "echo"
    assert propose(learnings, "rig-a/other") == "rediscovery"


def test_hl_32_one_run_counts_once() -> None:
    learnings = lapsed()
    assert [propose(learnings, "rig-a/eager") for _ in range(3)] == ["rediscovery", "echo", "echo"]
    brief(learnings, 20)
    assert propose(learnings, "rig-a/eager") == "echo"
    assert (one(learnings).state, one(learnings).proposals) == ("lapsed", 2)


def test_hl_32_the_run_that_discovered_it_may_bring_it_back_once() -> None:
    learnings = lapsed()
    assert propose(learnings, "rig-a/first") == "rediscovery"
    brief(learnings, 20)
    assert propose(learnings, "rig-a/first") == "echo"


def test_hl_50_what_was_rejected_stays_so() -> None:
    learnings = proposed()
    learnings.drop(one(learnings).id)
    for number in range(5):
        brief(learnings, 20)
        assert propose(learnings, f"rig-a/{number}", AGAIN) == "ignored"
    learnings.keep(one(learnings).id)
    insight = one(learnings)
    assert (insight.state, insight.proposals, learnings.runs_left(insight)) == ("rejected", 1, None)


def test_any_proposals_id_names_its_insight() -> None:
    learnings = proposed()
    learnings.propose("rig-a/second", "rig-a/second/echo", AGAIN, "low", 1)
    assert learnings.drop("rig-a/second/echo")
    learnings.propose("rig-a/third", "rig-a/third/ignored", TEXT, "low", 2)
    assert learnings.insight("rig-a/third/ignored") is one(learnings)
    assert one(learnings).state == "rejected"


def test_an_id_that_names_nothing_moves_nothing() -> None:
    learnings = proposed()
    assert not learnings.keep("rig-a/none/x") and not learnings.drop("rig-a/none/x")
    assert learnings.insight("rig-a/none/x") is None and one(learnings).state == "provisional"


@pytest.mark.parametrize("runs", [0, 20, 30])
def test_a_persons_word_holds_wherever_late_events_place_it(runs: int) -> None:
    kept, dropped = proposed(), proposed()
    for learnings in (kept, dropped):
        brief(learnings, runs)
    assert kept.keep(one(kept).id) and dropped.drop(one(dropped).id)
    for learnings, state in ((kept, "confirmed"), (dropped, "rejected")):
        brief(learnings, 100)
        assert one(learnings).state == state and learnings.runs_left(one(learnings)) is None
    assert kept.drop(one(kept).id) and one(kept).state == "rejected"


def test_a_rejected_insight_takes_a_proposal_before_an_older_one() -> None:
    learnings = AgentLearnings()
    # The middle one says the same as both others, which differ from each other.
    older = "Alpha bravo carrot delta eagle"
    middle = "Alpha bravo carrot delta eagle foxtrot golfing"
    younger = "Carrot delta eagle foxtrot golfing"
    for text in (older, younger):
        assert propose(learnings, "rig-a/first", text) == "discovery"
    assert propose(learnings, "rig-a/second", middle) == "echo"
    learnings.propose("rig-a/third", "rig-a/third/before", middle, "low", 3)
    assert learnings.insight("rig-a/third/before") is learnings.insights[0]
    learnings.drop(learnings.insights[1].id)
    assert propose(learnings, "rig-a/fourth", middle) == "ignored"


def test_one_id_for_two_proposals_names_the_first() -> None:
    learnings = AgentLearnings()
    assert learnings.propose("rig-a/run", "rig-a/run/x", TEXT, "low", 1) == "discovery"
    assert learnings.propose("rig-a/run", "rig-a/run/x", OTHER, "low", 2) == "discovery"
    assert learnings.insight("rig-a/run/x") is learnings.insights[0]


@given(HISTORIES, st.data())
@settings(max_examples=100)
def test_a_restored_state_goes_on_as_if_it_had_never_stopped(history: list[Step], data: st.DataObject) -> None:
    whole, parts, player = AgentLearnings(), AgentLearnings(), Player()
    stops = data.draw(st.sets(st.integers(0, max(0, len(history) - 1))))
    for number, step in enumerate(history):
        if number in stops:
            parts = AgentLearnings.restore(json.loads(json.dumps(parts.snapshot())))
        player.play(step, whole, parts)
        assert rows_of(parts) == rows_of(whole)
    assert parts.snapshot() == whole.snapshot()


def test_nothing_is_restored_of_nothing() -> None:
    assert AgentLearnings.restore({}).snapshot() == AgentLearnings().snapshot()


@given(HISTORIES)
@settings(max_examples=60)
def test_what_changed_is_told_once(history: list[Step]) -> None:
    learnings, player = AgentLearnings(), Player()
    known: dict[str, dict] = {}
    for step in history:
        player.play(step, learnings)
        known |= {insight.id: fields(insight) for insight in learnings.take_changed()}
        assert known == {insight.id: fields(insight) for insight in learnings.insights}
        assert learnings.take_changed() == []


def fields(insight: Insight) -> dict:
    return {name: str(getattr(insight, name)) for name in insight.__struct_fields__}
