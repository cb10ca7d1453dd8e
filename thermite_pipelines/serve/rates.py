"""How often something may happen: a bucket for each key that fills by itself and is emptied by what happens."""

import time
from collections import OrderedDict
from collections.abc import Callable

_MOST_KEYS = 10_000


class Rates:
    """At most `per_minute` in a minute for each key, all at once if need be. For one thread, such as an event loop's.

    The keys that were used last are remembered, so that somebody who comes under many names costs bounded memory.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = float(per_minute)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> bool:
        """Count one more; False, and nothing is counted, where there were too many."""
        left = self._left(key)
        if left < 1:
            return False
        self._buckets[key] = (left - 1, self._clock())
        self._buckets.move_to_end(key)
        if len(self._buckets) > _MOST_KEYS:
            self._buckets.popitem(last=False)
        return True

    def wait(self, key: str) -> int:
        """Whole seconds, at least 1, until one more may be."""
        return max(1, round((1 - self._left(key)) * 60 / self._most + 0.5))

    def _left(self, key: str) -> float:
        left, then = self._buckets.get(key, (self._most, self._clock()))
        return min(self._most, left + (self._clock() - then) * self._most / 60)
