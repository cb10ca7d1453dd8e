"""The budget: what was spent and what calls in flight may still cost never exceed its limit together."""

import threading
from collections.abc import Callable
from decimal import Decimal

from thermite_pipelines.llm.errors import BudgetReached

_POLL_SECONDS = 0.1


def usd(value: float | Decimal) -> Decimal:
    """An exact amount of what a person or a table wrote as a decimal number."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


class Budget:
    """USD that calls may cost; one may serve several `LanguageModel`s. `spent`: what the same run spent before.

    Without a limit everything fits, and `spent` is still counted.
    """

    def __init__(self, limit: float | None, spent: float = 0.0) -> None:
        self.limit = None if limit is None else usd(limit)
        self._spent = usd(spent)
        self._held = Decimal(0)
        self._changed = threading.Condition()

    @property
    def spent(self) -> Decimal:
        """What was spent, calls of unknown cost at their greatest."""
        return self._spent

    def hold(self, amount: Decimal, keep_waiting: Callable[[], object]) -> "Hold":
        """Set an amount aside, waiting while calls in flight may free enough; `keep_waiting` may end that by raising.

        Raises `BudgetReached` where it would not fit even if all calls in flight turned out to cost nothing.
        """
        with self._changed:
            while self.limit is not None and self._spent + self._held + amount > self.limit:
                if self._spent + amount > self.limit:
                    raise BudgetReached(
                        f"the budget of {self.limit:f} USD has no room for a call of up to {amount:f} USD",
                        where="THERMITE_LLM_BUDGET_USD",
                        do="raise it or run again: what was answered is kept",
                    )
                keep_waiting()
                self._changed.wait(_POLL_SECONDS)
            self._held += amount
        return Hold(self, amount)

    def settle(self, held: Decimal, cost: Decimal) -> None:
        """Turn an amount that was set aside into what was spent."""
        with self._changed:
            self._held -= held
            self._spent += cost
            self._changed.notify_all()


class Hold:
    """An amount that is set aside for one attempt. Leaving the `with` unsettled charges the whole of it."""

    def __init__(self, budget: Budget, amount: Decimal) -> None:
        self._budget = budget
        self._amount: Decimal | None = amount

    def settle(self, cost: Decimal | None) -> None:
        """Charge what the attempt cost; None: unknown, so all that was set aside. Only the first call counts."""
        if self._amount is not None:
            self._budget.settle(self._amount, self._amount if cost is None else cost)
            self._amount = None

    def __enter__(self) -> "Hold":
        return self

    def __exit__(self, *_: object) -> None:
        self.settle(None)
