"""Why a question to a language model has no answer.

No message holds a text of a prompt or an answer, nor what a provider said: that may quote the question or a key.
"""

from typing import ClassVar, Literal

from thermite_pipelines.errors import ThermiteError

Outcome = Literal[
    "answered", "cached", "repaired", "refused", "truncated", "bad_answer", "unavailable", "budget", "deadline"
]


class ModelError(ThermiteError):
    """There is no answer; `outcome` says why, in the words of the table of calls."""

    outcome: ClassVar[Outcome]


class Refused(ModelError):
    """The model, or its provider, does not want to answer this question."""

    outcome = "refused"


class Truncated(ModelError):
    """The answer hit the limit of tokens before its end."""

    outcome = "truncated"


class BadAnswer(ModelError):
    """The answer did not have the wanted form, nor had the one after the repair question."""

    outcome = "bad_answer"


class Unavailable(ModelError):
    """No model of the list could be had."""

    outcome = "unavailable"


class OutOfTime(ModelError):
    """The time for the question was over before an answer came."""

    outcome = "deadline"


class BudgetReached(ModelError):
    """The call might have cost more than is left of the run's budget."""

    outcome = "budget"
