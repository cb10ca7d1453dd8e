"""Why a question was not answered. No message holds a text of a prompt or an answer, or a key."""

from typing import ClassVar, Literal

from thermite_pipelines.errors import ThermiteError

Outcome = Literal[
    "answered",
    "cached",
    "repaired",
    "refused",
    "truncated",
    "bad_answer",
    "unavailable",
    "budget",
    "deadline",
    "stopped",
]


class ModelError(ThermiteError):
    """A question that got no answer; `outcome` is its word in the record of calls."""

    outcome: ClassVar[Outcome] = "unavailable"


class ModelUnavailable(ModelError):
    """No model of the list could be asked: not reachable, not known, no right to it, or failing again and again."""


class Refused(ModelError):
    """The model, or a filter before it, declined to answer."""

    outcome = "refused"


class Truncated(ModelError):
    """The answer ended at the limit of tokens."""

    outcome = "truncated"


class BadAnswer(ModelError):
    """The answer did not fit its type, and neither did the one to the repair question."""

    outcome = "bad_answer"


class BudgetReached(ModelError):
    """The greatest possible cost of the next call does not fit into what is left of the budget."""

    outcome = "budget"


class DeadlinePassed(ModelError):
    """There was no answer within the seconds that a question has for all its attempts."""

    outcome = "deadline"


class Stopped(ModelError):
    """Whoever asked wants no more answers."""

    outcome = "stopped"
