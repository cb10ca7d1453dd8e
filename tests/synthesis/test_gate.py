"""The gate: which answers pass, and what is said of those that do not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.synthesis.working import NOTHING, fact, facts, transition
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis import chunking
from thermite_pipelines.synthesis.answers import ANSWERS, DiscoverAnswer, DistillAnswer
from thermite_pipelines.synthesis.facts import EPISTEMIC, KIND_OF
from thermite_pipelines.synthesis.gate import ACKNOWLEDGED, judge
from thermite_pipelines.synthesis.gate.schema import response_schema
from thermite_pipelines.synthesis.work import Item, NewItem, Refused, StepType

A, B, C, D = (one.fact for one in facts(1, 2, 3, 4))
STRANGE = fact(77).fact
BRIDGE = {"token": "lr", "kind": "domain"}
SYNTHESIS = fact(9, type="synthesis", origin="distilled", refs=(A, B))

NEW_FACT: dict[str, Any] = {"title": "t", "body": "b", "type": "synthesis", "refs": [A, B]}
REINFORCE: dict[str, Any] = {"methodology_path": C, "transition_paths": [A], "rationale": "it held"}
PROPOSE: dict[str, Any] = {
    "title": "t",
    "body": "b",
    "transition_paths": [A, B],
    "novelty_argument": "none of them says so",
    "confidence": 0.6,
}
HYPOTHESIS: dict[str, Any] = {
    "title": "t",
    "body": "b",
    "prediction": "loss below 3.1",
    "falsifier": "loss above 3.2 in three runs",
    "confidence": 0.4,
    "refs": [SYNTHESIS.fact, B],
}
PROPOSAL: dict[str, Any] = {"title": "t", "body": "b", "type": "synthesis", "confidence": 0.1, "refs": [A, B]}


def stored(item: NewItem) -> Item:
    return Item(7, "s", item.step, item.key, item.facts, item.inputs, item.priority, item.depth)


ITEMS: dict[StepType, Item] = {
    "prune": stored(chunking.prune_items([facts(1, 2, 3, 4)])[0]),
    "distill": stored(chunking.distill_items("distill-c0", facts(1, 2, 3, 4))[0]),
    "reflect": stored(chunking.reflect_item([transition(1), transition(2)], ())),
    "hypothesize": stored(chunking.hypothesize_items([SYNTHESIS])[0]),
    "discover": stored(chunking.discover_item(BRIDGE, facts(1, 2), 0, backward=False)),
}


def passed(step: StepType, answer: Any) -> Any:
    """What passed the gate, its answer of whatever type the step has."""
    return judge(ITEMS[step], answer if isinstance(answer, str) else json.dumps(answer))


def refused(step: StepType, answer: Any) -> str:
    with pytest.raises(Refused) as caught:
        passed(step, answer)
    line = str(caught.value)
    assert line.startswith("item 7: the answer is refused: ")
    assert "\n" not in line
    return line


def without(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}


_KEYS = (
    *("decisions", "merges", "path", "paths", "merged", "action", "synthesize", "title", "body", "type", "refs"),
    *("hypothesis", "proposals", "reasoning", "reinforce", "propose"),
)


class TestTexts:
    BARE = '{"synthesize": []}'

    @pytest.mark.parametrize(
        "text",
        [
            BARE,
            f"\n  {BARE}\n",
            f"```json\n{BARE}\n```",
            f"```\n{BARE}\n```",
            f"```{BARE}```",
            f"<think>So {{much}} to see.</think>{BARE}",
            f"<think>First </think> then</think>\n```json\n{BARE}\n```",
            f"no opening tag</think> {BARE}",
            "\ufeff" + BARE,
        ],
    )
    def test_behaviour_48_thoughts_and_fences_around_an_answer_are_no_matter(self, text: str) -> None:
        assert passed("distill", text).answer == DistillAnswer(synthesize=())

    def test_what_looks_like_thoughts_within_a_text_is_text(self) -> None:
        body = "it says </think> and ```json\n{}\n``` within"
        new = {"title": "t", "body": body, "refs": [A, B]}
        assert passed("distill", {"synthesize": [new]}).answer.synthesize[0].body == body

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "it is empty"),
            ("</think>", "no JSON"),
            ("I can't do that.", "no JSON"),
            ('{"synthesize": [}', "no JSON"),
            ("[]", "no JSON object"),
            ("null", "no JSON object"),
            ('{"synthesize": [], "synthesize": []}', "duplicate key"),
            ('{"synthesize": NaN}', "no JSON"),
            ('{"synthesize": ["\\ud800"]}', "surrogate"),
            ('{"synthesize": [' * 40, "levels"),
            ("\ud800", "UTF-8"),
        ],
    )
    def test_what_is_no_answer(self, text: str, why: str) -> None:
        assert why in refused("distill", text)

    @given(st.sampled_from(sorted(ITEMS)), st.text() | st.text(alphabet='{}[]":,tru0e `\n'))
    def test_any_text_passes_or_is_refused_in_one_line(self, step: StepType, text: str) -> None:
        try:
            assert passed(step, text).stored
        except Refused as error:
            assert "\n" not in str(error)

    @given(
        st.sampled_from(sorted(ITEMS)),
        st.recursive(
            st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5) | st.sampled_from([A, B]),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(_KEYS),
                    inner,
                    max_size=5,
                )
            ),
            max_leaves=12,
        ),
    )
    def test_so_does_any_value(self, step: StepType, value: Any) -> None:
        try:
            passed(step, value)
        except Refused as error:
            assert "\n" not in str(error)

    def test_what_is_stored_is_never_empty(self) -> None:
        assert passed("hypothesize", "").stored == passed("discover", " \n").stored == ACKNOWLEDGED
        assert passed("prune", NOTHING["prune"]).stored == NOTHING["prune"]

    @pytest.mark.parametrize("step", sorted(ITEMS))
    def test_an_answer_that_changes_nothing_passes(self, step: StepType) -> None:
        assert isinstance(passed(step, NOTHING[step]).answer, ANSWERS[step])

    @pytest.mark.parametrize("step", sorted(ITEMS))
    def test_every_required_key_is_checked(self, step: StepType) -> None:
        nothing = json.loads(NOTHING[step])
        for name in nothing:
            assert f"key {name!r} is missing" in refused(step, without(nothing, name))
            assert "Expected" in refused(step, nothing | {name: 5})

    @pytest.mark.parametrize("step", sorted(ITEMS))
    def test_the_schema_names_what_is_required_and_stands_alone(self, step: StepType) -> None:
        schema = response_schema(step)
        assert schema["required"] == list(json.loads(NOTHING[step]))
        assert "$ref" not in json.dumps(schema)
        schema.clear()
        assert response_schema(step)


def judged(*decisions: dict[str, Any], merges: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"decisions": list(decisions), "merges": merges or []}


def merge(*paths: str, **merged: Any) -> dict[str, Any]:
    whole = {"title": "both", "body": "they say the same", "type": "observation"} | merged
    return {"paths": list(paths), "merged": {name: value for name, value in whole.items() if value is not None}}


class TestPrune:
    def test_behaviour_27_a_missing_key_is_named_with_those_that_came(self) -> None:
        assert "key 'decisions' is missing, what came is 'actions', 'merges'" in refused(
            "prune", {"actions": [], "merges": []}
        )

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            (judged({"path": STRANGE, "action": "keep"}), "which is not in the item"),
            (judged({"path": A, "action": "delete"}), "decisions[0].action"),
            (judged({"path": A}), "action"),
            (judged({"action": "keep"}), "path"),
            (judged({"path": A, "action": "update"}), "without a confidence"),
            (judged({"path": A, "action": "update", "confidence": None}), "without a confidence"),
            (judged({"path": A, "action": "update", "confidence": 1.5}), "decisions[0].confidence"),
            (judged({"path": A, "action": "update", "confidence": True}), "decisions[0].confidence"),
            (judged({"path": A, "action": "keep"}, {"path": A, "action": "retract"}), "twice"),
            (judged(merges=[merge()]), "merges[0].paths"),
            (judged(merges=[merge(A, STRANGE)]), "which is not in the item"),
            (judged(merges=[merge(A, A)]), "merges name"),
            (judged(merges=[merge(A, B), merge(B, C)]), "merges name"),
            (judged({"path": A, "action": "retract"}, merges=[merge(A, B)]), "to be retracted and to be merged"),
            (judged(merges=[merge(A, B, title=" ")]), "merged.title"),
            (judged(merges=[merge(A, B, title=None)]), "title"),
            (judged(merges=[merge(A, B, body=None)]), "body"),
            (judged(merges=[merge(A, B, type=None)]), "type"),
            (judged(merges=[merge(A, B, type="hypothesis")]), "would write a hypothesis"),
            (judged(merges=[merge(A, B, refs=["kb/x.md"])]), "names no fact, item or address: 'kb/x.md'"),
            (judged(merges=[{"paths": [A, B]}]), "merged"),
        ],
    )
    def test_an_answer_falls_whole(self, answer: dict[str, Any], why: str) -> None:
        assert why in refused("prune", answer)

    def test_what_passes(self) -> None:
        answer = judged(
            {"path": A, "action": "keep"},
            {"path": B, "action": "update", "confidence": 0},
            {"path": C, "action": "retract", "reason": "keys that nobody asked for are no matter"},
            merges=[merge(A, D, domain="lr", entities="", refs=["https://x.org/a", C, "finding:rig-a/run-1/f1"])],
        )
        found = passed("prune", answer).answer
        assert [one.action for one in found.decisions] == ["keep", "update", "retract"]
        merged = found.merges[0].merged
        assert (merged.domain, merged.entities, len(merged.refs)) == (("lr",), (), 3)
        assert passed("prune", {"decisions": [], "merges": None}).answer.merges == ()

    @pytest.mark.parametrize("name", ["", "  ", "Synthesis", "speculation", "policy", "hypothesis"])
    def test_behaviour_26_types_that_are_none(self, name: str) -> None:
        refused("prune", judged(merges=[merge(A, B, type=name)]))
        refused("distill", {"synthesize": [{"title": "t", "body": "b", "type": name, "refs": [A, B]}]})

    def test_every_other_epistemic_type_may_be_written(self) -> None:
        for name in set(KIND_OF) & set(EPISTEMIC) - {"hypothesis"}:
            passed("prune", judged(merges=[merge(A, B, type=name)]))

    def test_all_problems_are_named_up_to_a_few(self) -> None:
        line = refused("prune", judged(*({"path": fact(100 + n).fact, "action": "keep"} for n in range(9))))
        assert line.count("not in the item") == 5
        assert "and 4 more" in line


class TestDistill:
    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"title": ""}, "synthesize[0].title"),
            ({"body": " "}, "body is empty"),
            ({"confidence": -0.1}, "confidence"),
            ({"refs": []}, "fewer than 2 facts of the item"),
            ({"refs": [A]}, "fewer than 2"),
            ({"refs": [A, A, f" {A} "]}, "fewer than 2"),
            ({"refs": [A, STRANGE]}, "fewer than 2"),
            ({"refs": [A, B, "a paper"]}, "names no fact, item or address: 'a paper'"),
            ({"refs": 5}, "refs"),
            ({"domain": [5]}, "domain"),
        ],
    )
    def test_sy_20_a_synthesis_cites_two_facts_of_its_item(self, change: dict[str, Any], why: str) -> None:
        assert why in refused("distill", {"synthesize": [NEW_FACT | change]})

    def test_what_is_retracted_is_in_the_item_and_named_once(self) -> None:
        assert "twice" in refused("distill", {"synthesize": [], "retract": [A, A]})
        assert "not in the item" in refused("distill", {"synthesize": [], "retract": [STRANGE]})
        assert passed("distill", {"synthesize": [], "retract": [A]}).answer.retract == (A,)

    def test_a_path_for_a_new_fact_is_ignored(self) -> None:
        (new,) = passed("distill", {"synthesize": [NEW_FACT | {"path": "kb/x.md"}]}).answer.synthesize
        assert (new.title, new.refs, new.confidence) == ("t", (A, B), None)


class TestReflect:
    def whole(self, **more: Any) -> dict[str, Any]:
        return {"reasoning": "r", "reinforce": [REINFORCE], "propose": [PROPOSE]} | more

    def test_what_passes(self) -> None:
        found = passed("reflect", self.whole()).answer
        assert found.reinforce[0].transition_paths == (A,)
        assert found.propose[0].novelty_argument == "none of them says so"

    @pytest.mark.parametrize(
        ("more", "why"),
        [
            ({"reinforce": [REINFORCE | {"transition_paths": [STRANGE]}]}, "no transition of the item"),
            ({"reinforce": [REINFORCE | {"transition_paths": []}]}, "reinforce[0].transition_paths"),
            ({"reinforce": [REINFORCE | {"methodology_path": ""}]}, "reinforce[0].methodology_path"),
            ({"reinforce": [without(REINFORCE, "methodology_path")]}, "methodology_path"),
            ({"reinforce": [REINFORCE | {"rationale": " "}]}, "rationale is empty"),
            ({"propose": [PROPOSE | {"transition_paths": [STRANGE]}]}, "propose[0].transition_paths names"),
            ({"propose": [PROPOSE | {"transition_paths": []}]}, "propose[0].transition_paths"),
            ({"propose": [PROPOSE | {"confidence": 1.5}]}, "propose[0].confidence"),
            *(({"propose": [PROPOSE | {name: " "}]}, name) for name in ("title", "body", "novelty_argument")),
            *(({"propose": [without(PROPOSE, name)]}, name) for name in ("title", "body", "novelty_argument")),
        ],
    )
    def test_behaviour_47_the_problem_is_named(self, more: dict[str, Any], why: str) -> None:
        assert why in refused("reflect", self.whole(**more))

    def test_sy_25_an_answer_with_more_methodologies_than_are_taken_is_not_lost(self) -> None:
        assert len(passed("reflect", self.whole(propose=[PROPOSE] * 3)).answer.propose) == 3


class TestHypothesize:
    @pytest.mark.parametrize(
        "answer", ["", "  \n", '{"hypothesis": null}', '{"hypothesis": null, "methodology": null}']
    )
    def test_sy_36_skipping_is_an_answer(self, answer: str) -> None:
        assert passed("hypothesize", answer).answer.hypothesis is None

    def test_a_hypothesis_with_all_that_it_needs(self) -> None:
        methodology = {"title": "t", "body": "b", "refs": ["https://x.org"]}
        found = passed("hypothesize", {"hypothesis": HYPOTHESIS, "methodology": methodology}).answer
        assert (found.hypothesis.falsifier, found.methodology.title) == (HYPOTHESIS["falsifier"], "t")

    @pytest.mark.parametrize("name", list(HYPOTHESIS))
    def test_sy_36_every_part_is_needed(self, name: str) -> None:
        assert name in refused("hypothesize", {"hypothesis": without(HYPOTHESIS, name)})
        assert name in refused("hypothesize", {"hypothesis": HYPOTHESIS | {name: " "}})

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            *(({"falsifier": word}, "falsifier says nothing") for word in ("None.", "n/a", "TBD", "-", "unknown")),
            ({"prediction": "nothing"}, "prediction says nothing"),
            ({"confidence": 2}, "confidence"),
            ({"refs": [B]}, "leave out the synthesis"),
            ({"refs": [SYNTHESIS.fact]}, "none of the synthesis's own sources"),
            ({"refs": [SYNTHESIS.fact, STRANGE]}, "none of the synthesis's own sources"),
            ({"refs": [SYNTHESIS.fact, B, "see above"]}, "names no fact"),
        ],
    )
    def test_sy_36_one_that_cannot_be_proved_false_is_refused(self, change: dict[str, Any], why: str) -> None:
        assert why in refused("hypothesize", {"hypothesis": HYPOTHESIS | change})

    def test_a_synthesis_without_sources_is_cited_alone(self) -> None:
        bare = stored(chunking.hypothesize_items([fact(9, type="synthesis")])[0])
        judge(bare, json.dumps({"hypothesis": HYPOTHESIS | {"refs": [fact(9).fact]}}))

    def test_a_methodology_comes_with_a_hypothesis(self) -> None:
        answer = {"hypothesis": None, "methodology": {"title": "t", "body": "b"}}
        assert "comes with a hypothesis" in refused("hypothesize", answer)


class TestDiscover:
    @pytest.mark.parametrize("text", ["", "nothing", "{", "[]", "<think>hm</think>"])
    def test_behaviour_77_what_cannot_be_read_proposes_nothing(self, text: str) -> None:
        assert passed("discover", text).answer == DiscoverAnswer()

    def test_behaviour_74_a_proposal_that_fails_falls_alone(self) -> None:
        proposals = [
            PROPOSAL,
            PROPOSAL | {"type": "hypothesis"},
            PROPOSAL | {"refs": [A]},
            PROPOSAL | {"refs": [A, B, "x"]},
        ]
        found = passed("discover", {"proposals": proposals})
        assert len(found.answer.proposals) == 1
        assert [warning.split()[0] for warning in found.warnings] == [
            "proposals[1]",
            "proposals[2].refs",
            "proposals[3].refs",
        ]

    def test_premises_are_hypotheses(self) -> None:
        item = stored(chunking.discover_item(BRIDGE, facts(1, 2), 0, backward=True))
        for name, number in (("hypothesis", 1), ("synthesis", 0)):
            found: Any = judge(item, json.dumps({"proposals": [PROPOSAL | {"type": name}]})).answer
            assert len(found.proposals) == number

    def test_a_damaged_item_is_an_error(self) -> None:
        damaged = Item(7, "s", "discover", "k", '{"direction": "forward"}', (), 0, 0)
        with pytest.raises(ThermiteError, match="the stored item is damaged"):
            judge(damaged, "")
