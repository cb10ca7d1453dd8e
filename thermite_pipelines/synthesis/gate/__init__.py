"""The gate: what an answer must be before it is claimed. Pure: it sees the answer and the item, and no store.

Whatever can be told from these two is refused here, with an error that names the problem, so that the item stays open
and the answer can be corrected. What hangs on the facts as they are now is checked by whoever applies answers.
"""

from dataclasses import dataclass

from thermite_pipelines.synthesis.answers import Answer
from thermite_pipelines.synthesis.gate import discover, distill, hypothesize, prune, reflect
from thermite_pipelines.synthesis.gate.reading import refusal
from thermite_pipelines.synthesis.gate.sizes import text_too_large
from thermite_pipelines.synthesis.work import Item

ACKNOWLEDGED = "acknowledged"
"""What is stored for an answer that says nothing: a stored answer is never empty."""


@dataclass(frozen=True)
class Gated:
    """An answer that passed: decoded, as it is to be stored, and what was left out of it."""

    answer: Answer
    stored: str
    warnings: tuple[str, ...] = ()


def judge(item: Item, text: str) -> Gated:
    """Decode and check the answer to an item. Raises `Refused` with one line that names what is wrong with it.

    An answer to reflect with more new methodologies than are taken passes: whoever applies it takes the first of them
    and tells of the others, so that nothing else in the answer is lost with them.
    """
    if problems := list(text_too_large(text)):
        raise refusal(item, problems)
    warnings: tuple[str, ...] = ()
    if item.step == "prune":
        answer: Answer = prune.judge(item, text)
    elif item.step == "distill":
        answer = distill.judge(item, text)
    elif item.step == "reflect":
        answer = reflect.judge(item, text)
    elif item.step == "hypothesize":
        answer = hypothesize.judge(item, text)
    else:
        answer, warnings = discover.judge(item, text)
    return Gated(answer, text.strip() or ACKNOWLEDGED, warnings)
