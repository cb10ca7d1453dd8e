"""How large an answer may be: what is too large is refused, with one line that names the place."""

from typing import Any

import pytest

from tests.synthesis.test_gate import HYPOTHESIS, NEW_FACT, PROPOSAL, PROPOSE, REINFORCE, A, B, passed, refused
from thermite_pipelines.synthesis.work import StepType

LONG = "x" * 65_537
MERGED = {"title": "t", "body": "b", "type": "observation"}
REFLECT: dict[str, Any] = {"reasoning": "-", "reinforce": [], "propose": []}
REFS = [f"note:r/{number}" for number in range(4_999)]


def distill(**more: Any) -> dict[str, Any]:
    return {"synthesize": [NEW_FACT, NEW_FACT | more]}


TOO_LARGE: list[tuple[StepType, Any, str]] = [
    ("distill", distill(title="x" * 301), "synthesize[1].title has 301 characters, at most 300"),
    ("distill", distill(title="one\ntwo"), "synthesize[1].title has more than one line"),
    ("distill", distill(title="one\u2028two"), "synthesize[1].title has more than one line"),
    ("distill", distill(body=LONG), "synthesize[1].body has 65,537 characters, at most 65,536"),
    ("distill", distill(domain=[f"t{n}" for n in range(101)]), "synthesize[1].domain has 101 names, at most 100"),
    ("distill", distill(entities=["a", "x" * 201]), "synthesize[1].entities[1] has 201 characters, at most 200"),
    ("distill", distill(refs=[A, B, *REFS]), "synthesize[1].refs has 5,001 names, at most 5,000"),
    ("prune", {"decisions": [], "merges": [{"paths": [A, B], "merged": MERGED | {"body": LONG}}]}, "merged.body has"),
    ("reflect", REFLECT | {"reasoning": LONG}, "reasoning has 65,537"),
    ("reflect", REFLECT | {"reinforce": [REINFORCE | {"rationale": LONG}]}, "reinforce[0].rationale has"),
    ("reflect", REFLECT | {"propose": [PROPOSE | {"novelty_argument": LONG}]}, "propose[0].novelty_argument has"),
    ("hypothesize", {"hypothesis": HYPOTHESIS | {"prediction": LONG}}, "hypothesis.prediction has"),
    ("hypothesize", {"hypothesis": HYPOTHESIS | {"falsifier": LONG}}, "hypothesis.falsifier has"),
    ("discover", {"proposals": [PROPOSAL | {"title": "x" * 301}]}, "proposals[0].title has"),
]


@pytest.mark.parametrize(("step", "answer", "why"), TOO_LARGE, ids=[why for _, _, why in TOO_LARGE])
def test_a_part_that_is_too_large_is_refused_by_its_place(step: StepType, answer: Any, why: str) -> None:
    line = refused(step, answer)
    assert why in line and len(line) < 1_000


def test_as_much_as_is_allowed_passes() -> None:
    tags = [f"{number:0200}" for number in range(100)]
    large = distill(title=f" {'x' * 300}\n", body="x" * 65_536, domain=tags, entities=tags, refs=[A, B, *REFS[:4_998]])
    assert len(passed("distill", large).answer.synthesize[1].refs) == 5_000


@pytest.mark.parametrize("step", ["prune", "distill", "reflect", "hypothesize", "discover"])
def test_a_text_that_is_too_large_is_not_read(step: StepType) -> None:
    limit = 4 * 1024 * 1024
    assert "at most 4,194,304 are read" in refused(step, "é" * (limit // 2) + "x")


def test_a_text_of_just_the_largest_size_is_read() -> None:
    answer = '{"synthesize": []}'
    assert passed("distill", " " * (4 * 1024 * 1024 - len(answer)) + answer).answer.synthesize == ()
