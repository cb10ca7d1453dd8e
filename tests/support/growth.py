"""How the time of some work grows with its size: what a test may ask on any machine, however slow or busy."""

import time
from collections.abc import Callable
from typing import Any

ATTEMPTS = 4
FACTOR = 10
# Growth by a factor f takes f times as long where it is in proportion and f² times where it is quadratic. Between them
# lies f ** 1.5, which leaves room for caches, for garbage collection and for other work on the machine.
BETWEEN = 1.5
# Below this many seconds a clock says little: a shorter time of the small size counts as this.
SHORTEST = 0.005


def assert_in_proportion(work: Callable[[Any], object], make: Callable[[int], Any], large: int) -> None:
    """Assert that `work(make(size))` takes CPU time in proportion to the size, from a tenth of `large` to `large`.

    What `make` gives is made outside the measured time. Noise only adds time, so one good attempt of some is enough,
    and a quadratic rule fails all of them.
    """
    few, many = make(large // FACTOR), make(large)
    ratios = []
    for _ in range(ATTEMPTS):
        ratios.append(_seconds(work, many) / max(_seconds(work, few), SHORTEST))
        if ratios[-1] < FACTOR**BETWEEN:
            return
    raise AssertionError(f"{FACTOR} times the size took {min(ratios):.0f} times as long")


def _seconds(work: Callable[[Any], object], given: Any) -> float:
    started = time.process_time()
    work(given)
    return time.process_time() - started
