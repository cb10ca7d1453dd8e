"""A language model as answerer: how it is asked about a work item, and how its answers are taken.

It is shown the item whole: the prompt, and beside it the facts as JSON, without credentials. What it answers must pass
the gate already where the model client judges its form: an answer that the gate refuses costs the one repair question,
and only answers that pass are kept in the cache.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from pydantic import RootModel

from thermite_pipelines.atoms.asking import GIVE_UP_AFTER
from thermite_pipelines.atoms.estimating import Cost
from thermite_pipelines.llm.answers import Brief
from thermite_pipelines.llm.cache import cache_key
from thermite_pipelines.llm.client import LanguageModel
from thermite_pipelines.llm.errors import ModelError, OutOfTime, Unavailable
from thermite_pipelines.llm.questions import Answer, Question
from thermite_pipelines.synthesis import gate
from thermite_pipelines.synthesis.answerer import Answered
from thermite_pipelines.synthesis.delivery import Prompter
from thermite_pipelines.synthesis.gate.schema import response_schema
from thermite_pipelines.synthesis.prompting import prompt_of, quoted, read_payload
from thermite_pipelines.synthesis.work import By, Item, NewItem, Refused, Session, StepType

logger = logging.getLogger(__name__)

ANSWER_TOKENS = 4_096
"""The limit of an answer at least."""
MOST_ANSWER_TOKENS = 16_384
"""The limit at most: more than this, many models refuse to be asked for."""
_TOKENS_A_FACT = 40
# Merged and distilled texts are given room for a quarter of the text of the facts, at four bytes a token.
_BYTES_A_TOKEN = 16

Background = Callable[[Session, Item], Sequence[Mapping[str, Any]]]
"""Finds records of facts that are no part of an item but help to judge it: what its transitions or refs name."""
_BACKGROUND = (
    "`background` holds the records of other facts that these name, as far as they are known, for you to read."
    " It is data as well. You may cite them, but they are none of the facts to judge."
)
_BESIDE = {"prune": "facts", "distill": "facts", "reflect": "transitions", "hypothesize": "synthesis"}
"""What the payload of an item is called in the question; of a discover item, its members are shown."""


class GivenAnswer(Brief, RootModel[dict[str, Any]]):
    """An answer as it was given. Its schema is the gate's for its step, and the gate judges whether it has it."""

    step: ClassVar[StepType]

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The schema of answers to items of the step."""
        return response_schema(cls.step)


class PruneGiven(GivenAnswer):
    """Answer to a prune item."""

    step = "prune"


class DistillGiven(GivenAnswer):
    """Answer to a distill item."""

    step = "distill"


class ReflectGiven(GivenAnswer):
    """Answer to a reflect item."""

    step = "reflect"


class HypothesizeGiven(GivenAnswer):
    """Answer to a hypothesize item."""

    step = "hypothesize"


class DiscoverGiven(GivenAnswer):
    """Answer to a discover item."""

    step = "discover"


_GIVEN: dict[StepType, type[GivenAnswer]] = {
    one.step: one for one in (PruneGiven, DistillGiven, ReflectGiven, HypothesizeGiven, DiscoverGiven)
}
_Key = tuple[int, str]
USUAL = {"type": "observation", "sources": 1, "origin": "authored"}
"""What a record that is shown in brief doesn't say."""


class ModelAnswerer:
    """Asks a language model, for one thread. Every answer goes through the same gate as those of rules and agents.

    What it was told is coming is asked side by side, and kept until it is asked for, failures too: a question that was
    paid for and brought nothing is not asked twice in a row.
    """

    def __init__(self, language_model: LanguageModel, prompter: Prompter, background: Background | None = None) -> None:
        self._model = language_model
        self._prompter = prompter
        self._background = background
        self._known: dict[_Key, Answer[GivenAnswer] | ModelError] = {}
        self._last: tuple[int, str] | None = None

    def ahead(self, session: Session, items: Sequence[Item]) -> None:
        """Ask about several items at once. Never raises: what is wrong is raised where an item's answer is wanted.

        Answers to items that are not among these are forgotten; those of models are in the cache all the same. Where
        nobody can be had for several questions in a row, the rest is not asked.
        """
        try:
            waiting = self._questions(session, items)
            self._known = {key: came for key, came in self._known.items() if key in waiting}
            self._ask({key: question for key, question in waiting.items() if key not in self._known})
        except Exception as error:  # noqa: BLE001 - whoever asks ahead can do nothing about it
            logger.warning("asking ahead in session %s stopped: %s", session.session, type(error).__name__)

    def answer(self, session: Session, item: Item, refused: str | None = None) -> Answered:
        """The answer to an item, as canonical JSON that passes the gate.

        With `refused`, the model is shown the answer that it gave last and why that was not taken. Raises a
        `ModelError` where there is no answer (`Truncated` for one longer than its limit of tokens, the model client's
        `Refused` also for an item longer than the model can read), and `ThermiteError` for a damaged item.
        """
        question = self._question(session, item)
        if refused is None:
            known = self._known.pop(self._key(item, question), None)
            came = self._model.ask(question) if known is None else known
        else:
            came = self._model.ask(self._again(question, item, refused))
        if isinstance(came, ModelError):
            raise came
        text = canonical(came.value.root)
        self._last = item.item, text
        return Answered(text, By("model", came.model, question.prompt, came.cache_key))

    def estimate(self, campaign: str, items: Sequence[Item | NewItem]) -> Cost:
        """What asking about these items would take at most; cached answers cost nothing. Asks nobody.

        Repair questions and the items that follow from answers come on top.
        """
        return sum((self._cost(campaign, item) for item in items), Cost())

    def _cost(self, campaign: str, item: Item | NewItem) -> Cost:
        tool = "hypothesize" if item.step == "hypothesize" else "review"
        session = Session("", campaign, tool, "active", "work", "normal", False, "cli", 0, 0)
        if isinstance(item, NewItem):
            item = Item(0, "", item.step, item.key, item.facts, item.inputs, item.priority, item.depth)
        found = self._model.estimate([self._question(session, item)])
        return Cost(found.calls, found.tokens, found.usd)

    def _questions(self, session: Session, items: Sequence[Item]) -> dict[_Key, Question[GivenAnswer]]:
        """The questions about some items, without those that can't be asked: their error comes when they are."""
        found = {}
        for item in items:
            try:
                question = self._question(session, item)
            except Exception as error:  # noqa: BLE001 - one bad item must not stop its neighbours
                logger.warning("item %d is not asked ahead: %s", item.item, type(error).__name__)
                continue
            found[self._key(item, question)] = question
        return found

    def _ask(self, questions: Mapping[_Key, Question[GivenAnswer]]) -> None:
        left = list(questions)
        missing = dict(enumerate(left))
        in_a_row, why = 0, ""
        with closing(self._model.ask_all(list(questions.values()))) as answers:
            for place, came in answers:
                self._known[missing.pop(place)] = came
                is_gone = isinstance(came, (Unavailable, OutOfTime))
                in_a_row, why = (in_a_row + 1, came.what) if is_gone else (0, "")
                if in_a_row >= GIVE_UP_AFTER and missing:
                    break
        for key in missing.values():
            self._known[key] = Unavailable(f"not asked: {GIVE_UP_AFTER} questions in a row found nobody ({why})")

    def _key(self, item: Item, question: Question[GivenAnswer]) -> _Key:
        return item.item, cache_key(self._model.config.models[0], question)

    def _question(self, session: Session, item: Item) -> Question[GivenAnswer]:
        system = self._prompter.prompt(session, item)
        shown = _shown(item.step, item.key, item.facts)
        if background := self._found_background(session, item):
            system = f"{system}\n\n{_BACKGROUND}"
            shown = f'{shown[:-1]}, "background": {quoted(list(background))}}}'
        return Question(
            (("system", system), ("user", shown)),
            answer=_GIVEN[item.step],
            prompt=prompt_of(item.step).label,
            max_tokens=answer_tokens(item),
            check=lambda given: _why_not(item, given),
        )

    def _found_background(self, session: Session, item: Item) -> Sequence[Mapping[str, Any]]:
        if self._background is None:
            return ()
        try:
            return self._background(session, item)
        except Exception as error:  # noqa: BLE001 - it is a help: no item waits for it
            logger.warning("item %d is asked without background: %s", item.item, type(error).__name__)
            return ()

    def _again(self, question: Question[GivenAnswer], item: Item, refused: str) -> Question[GivenAnswer]:
        """The question once more, with the last answer to this item, where it is known, and why it was not taken."""
        last = self._last[1] if self._last is not None and self._last[0] == item.item else "(not shown)"
        asked = (
            f"This answer could not be taken. Why, as JSON: {quoted({'refused': refused})}\n"
            "Answer for the same item again, so that it can."
        )
        return replace(question, messages=(*question.messages, ("assistant", last), ("user", asked)))


def canonical(value: Mapping[str, Any]) -> str:
    """An answer in one form: compact JSON with sorted keys."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def answer_tokens(item: Item | NewItem) -> int:
    """The limit of an answer in tokens; larger for many facts, which answers to prune and distill name and retell."""
    if item.step not in ("prune", "distill"):
        return ANSWER_TOKENS
    wanted = _TOKENS_A_FACT * len(item.inputs) + len(item.facts.encode()) // _BYTES_A_TOKEN
    return min(MOST_ANSWER_TOKENS, ANSWER_TOKENS + wanted)


# An item is shown when it is asked ahead and again when its answer is wanted, and a large one takes a second to redact.
@lru_cache(maxsize=32)
def _shown(step: StepType, key: str, facts: str) -> str:
    """The payload of an item as the question has it: an object with one key."""
    payload = read_payload(key, facts)
    if step in ("prune", "distill"):
        return quoted({_BESIDE[step]: [_brief(record) for record in payload]})
    if step == "discover":
        return quoted({"members": payload["bridge"]["members"]})
    return quoted({_BESIDE[step]: payload})


def _brief(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without what a reader can tell: empty tags, what is usual, a title that the body begins with.

    Facts are most of what is sent, and many are short.
    """
    is_told = record["body"].startswith(record["title"].rstrip("…"))
    return {
        name: value
        for name, value in record.items()
        if value not in ([], "") and USUAL.get(name) != value and not (name == "title" and is_told)
    }


def _why_not(item: Item, given: GivenAnswer) -> str | None:
    """Why the gate refuses an answer, in its words; None where it passes."""
    try:
        gate.judge(item, canonical(given.root))
    except Refused as error:
        return error.what
    return None
