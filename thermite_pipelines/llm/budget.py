"""A budget in USD that is never exceeded: the greatest possible cost is set aside before each call.

What was set aside is given back when the true cost is known; where it never is, it counts as spent.
"""

import threading


class Budget:
    """What a run may spend, shared by all its models and threads. Without a limit, everything has room."""

    def __init__(self, usd: float | None) -> None:
        self.usd = usd
        self._changed = threading.Condition()
        self._spent = 0.0
        self._aside = 0.0
        self._in_flight = 0
        self._reached = False

    @property
    def spent(self) -> float:
        """What is charged so far: known costs, and the greatest possible ones of calls whose cost stays unknown."""
        with self._changed:
            return self._spent

    @property
    def reached(self) -> bool:
        """Whether a call had to be left out: from then on none is begun."""
        with self._changed:
            return self._reached

    def set_aside(self, usd: float, stop: threading.Event | None = None) -> bool:
        """Set aside the most that a call can cost; wait while calls in flight may still free enough for it.

        False, with nothing set aside, where there is no room or `stop` is set.
        """
        if self.usd is None:
            return True
        with self._changed:
            while not (self._reached or (stop is not None and stop.is_set())):
                if self._spent + self._aside + usd <= self.usd:
                    self._aside += usd
                    self._in_flight += 1
                    return True
                if self._in_flight == 0 or self._spent + usd > self.usd:
                    self._reached = True
                    self._changed.notify_all()
                    return False
                self._changed.wait(0.5)
            return False

    def settle(self, aside: float, usd: float | None) -> None:
        """A call is over: what it cost, or None where nobody knows, so that all of what was set aside is spent."""
        if self.usd is None:
            return
        with self._changed:
            self._in_flight -= 1
            self._spent += aside if usd is None else usd
            # Sums of fractions would leave a rest with nothing in flight.
            self._aside = self._aside - aside if self._in_flight else 0.0
            self._changed.notify_all()
