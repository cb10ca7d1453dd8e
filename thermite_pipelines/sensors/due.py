"""Which partitions are due for a run: a pure decision over what is behind, what runs, and the time.

A failed attempt makes its partition wait 1, 2, 4 … 60 minutes; a new target does not shorten a wait. The first attempt
that died without an end of its own (its process was killed) is made up for at once.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

MAX_WAIT_MINUTES = 60
# Ticks are bounded: what is left comes with the next one.
MAX_ASKS = 25


@dataclass(frozen=True)
class Attempt:
    """An ended run of a partition: `outcome` is `succeeded`, `failed` or `died`, `ended_at` seconds since the epoch."""

    outcome: str
    ended_at: float
    run_key: str | None = None


@dataclass(frozen=True)
class Behind:
    """A partition that is not what it should be, with its ended runs, the newest first.

    `spent`: run keys of this target that older runs than those have used.
    """

    partition: str
    target: str
    attempts: tuple[Attempt, ...] = field(default=())
    spent: frozenset[str] = field(default=frozenset())

    def key(self, attempt: int) -> str:
        """The run key of an attempt: a spent key would keep a partition behind for ever."""
        return f"{self.partition}@{self.target}#{attempt}"

    @property
    def next_key(self) -> str:
        """The run key of the next attempt at this target."""
        prefix = f"{self.partition}@{self.target}#"
        keys = [attempt.run_key for attempt in self.attempts if attempt.run_key is not None] + list(self.spent)
        numbers = [key.removeprefix(prefix) for key in keys if key.startswith(prefix)]
        return self.key(max((int(number) for number in numbers if number.isdecimal()), default=0) + 1)


@dataclass(frozen=True)
class Ask:
    """A run to ask for."""

    partition: str
    run_key: str


def failures(behind: Behind) -> int:
    """Attempts in a row that came to nothing: failed, died again, or ended well at this target and left it behind."""
    count = deaths = 0
    prefix = f"{behind.partition}@{behind.target}#"
    for attempt in behind.attempts:
        if attempt.outcome == "succeeded" and not (attempt.run_key or "").startswith(prefix):
            break
        deaths += attempt.outcome == "died"
        count += 1
    return count - 1 if deaths else count


def wait_until(behind: Behind, pause: float = 0.0, pause_from: float = 0.0) -> float:
    """The time from which the partition may run again, in seconds since the epoch.

    `pause` is the least time between one run that went well and the next; one that ended before `pause_from` asks for
    none.
    """
    if not behind.attempts:
        return 0.0
    newest = behind.attempts[0]
    count = failures(behind)
    wait = 60.0 * min(2 ** (count - 1), MAX_WAIT_MINUTES) if count else 0.0
    pauses = newest.outcome == "succeeded" and newest.ended_at >= pause_from
    return newest.ended_at + max(wait, pause if pauses else 0.0)


def due(
    behind: Iterable[Behind],
    in_flight: Collection[str],
    now: float,
    *,
    pause: float = 0.0,
    pause_from: float = 0.0,
    most: int = MAX_ASKS,
) -> list[Ask]:
    """The runs to ask for now: partitions behind with no run in flight whose wait is over, the longest over first."""
    ready = [(wait_until(item, pause, pause_from), item) for item in behind if item.partition not in in_flight]
    ready.sort(key=lambda pair: (pair[0], pair[1].partition))
    return [Ask(item.partition, item.next_key) for start, item in ready if start <= now][:most]
