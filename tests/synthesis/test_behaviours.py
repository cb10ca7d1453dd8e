"""Behaviours of synthesis that no other test of it names."""

import json

from tests.atoms.talking import a_run
from tests.support.homes import Home
from tests.synthesis.saying import facts, settle
from tests.synthesis.working import Engine, answer, fact, groups, started, transition, watermark
from thermite_pipelines.synthesis import chunking
from thermite_pipelines.synthesis.answers import PruneAnswer
from thermite_pipelines.synthesis.facts import Fact, checked
from thermite_pipelines.synthesis.gate import judge
from thermite_pipelines.synthesis.work import Item


def test_what_is_not_said_has_a_default_and_an_explicit_zero_stays(home: Home) -> None:
    """Behaviour 15."""
    plain = Fact(fact="c/0123456789ab", type="observation", title="t", body="b")
    assert (plain.confidence, plain.sources) == (0.7, 1)
    zeros = checked(Fact(fact="c/0123456789ab", type="observation", title="t", body="b", confidence=0.0, sources=0))
    assert (zeros.record()["confidence"], zeros.record()["sources"]) == (0, 0)
    rig = a_run(home)
    rig.say("finding_recorded", {"finding": "f1", "text": "Warming pays.", "claims": []}, run="run-1")
    said = {"finding": "f2", "text": "Disks age.", "claims": [], "confidence": 0.0}
    rig.say("finding_recorded", said, run="run-1")
    settle(home)
    found = facts(home)
    assert [found[f"finding:{name}"].fact.confidence for name in ("f1", "f2")] == [0.7, 0.0]
    assert {one.fact.sources for one in found.values()} == {1}


def test_an_explicit_zero_in_an_answer_is_no_missing_number() -> None:
    """Behaviour 15."""
    [new] = chunking.prune_items([[fact(1), fact(2)]])
    item = Item(7, "s", new.step, new.key, new.facts, new.inputs, new.priority, new.depth)
    said = {"decisions": [{"path": fact(1).fact, "action": "update", "confidence": 0}]}
    answer_ = judge(item, json.dumps(said)).answer
    assert isinstance(answer_, PruneAnswer) and answer_.decisions[0].confidence == 0


def test_a_first_session_completes_without_looking_back(any_home: Home) -> None:
    """Behaviour 49: given no watermark, when the last item is answered, then no item of reflect follows."""
    engine = Engine(groups(1), reflecting=[chunking.reflect_item([transition(1)], (fact(1).key,))])
    assert watermark(any_home) is None
    queue, turn = started(any_home, engine)
    turn = answer(queue, turn)
    assert (turn.is_done, turn.item, turn.progress.completed) == (True, None, 1)
    assert queue.find(turn.session.session).status == "completed"
    assert watermark(any_home) is not None
