"""A budget in USD that is never exceeded: the greatest possible cost is set aside before each call.

What was set aside is given back when the true cost is known; where it never is, it counts as spent.
"""

import math
import threading

# Sums are of whole numbers, so that no rounding lets a call slip through.
_UNITS = 10**12


class Budget:
    """What a run may spend, shared by all its models and threads. Without a limit, everything has room."""

    def __init__(self, usd: float | None) -> None:
        self.usd = usd
        self._limit = None if usd is None else math.floor(usd * _UNITS)
        self._changed = threading.Condition()
        self._spent = 0
        self._aside = 0
        self._in_flight = 0
        self._reached = False

    @property
    def spent(self) -> float:
        """What is charged so far: known costs, and the greatest possible ones of calls whose cost stays unknown."""
        with self._changed:
            return self._spent / _UNITS

    @property
    def reached(self) -> bool:
        """Whether a call had to be left out: from then on none is begun."""
        with self._changed:
            return self._reached

    def set_aside(self, usd: float, stop: threading.Event | None = None) -> bool:
        """Set aside the most that a call can cost; wait while calls in flight may still free enough for it.

        False, with nothing set aside, where there is no room or `stop` is set.
        """
        if self._limit is None:
            return True
        most = _units(usd)
        with self._changed:
            while not (self._reached or (stop is not None and stop.is_set())):
                if self._spent + self._aside + most <= self._limit:
                    self._aside += most
                    self._in_flight += 1
                    return True
                if self._in_flight == 0 or self._spent + most > self._limit:
                    self._reached = True
                    self._changed.notify_all()
                    return False
                self._changed.wait(0.5)
            return False

    def settle(self, aside: float, usd: float | None) -> None:
        """A call is over: what it cost, or None where nobody knows, so that all of what was set aside is spent."""
        if self._limit is None:
            return
        with self._changed:
            self._in_flight -= 1
            self._aside -= _units(aside)
            self._spent += _units(aside if usd is None else usd)
            self._changed.notify_all()


def _units(usd: float) -> int:
    return math.ceil(usd * _UNITS)
