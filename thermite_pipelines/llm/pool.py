"""Several questions at once, in threads of a bounded number, with answers as they come; the same one only once."""

import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

from thermite_pipelines.llm.errors import ModelError

Q = TypeVar("Q")
A = TypeVar("A")

_LOOK_UP_SECONDS = 0.1


def ask_each(
    questions: Sequence[Q], ask: Callable[[Q, threading.Event], A], at_once: int
) -> Generator[tuple[int, A | ModelError], None, None]:
    """The place of each question and its answer, or the `ModelError` that it ended with, as they come.

    Any other error of `ask` is raised here. When the consumer stops, `ask` is told by its event, no question is begun
    any more, and those in flight are waited for. Threads run ahead of the consumer by no more than `at_once` answers.
    """
    pool = _Pool(questions, ask, at_once)
    threads = [
        threading.Thread(target=pool.work, name=f"ask-{number}", daemon=True)
        for number in range(min(at_once, len(questions)))
    ]
    try:
        for thread in threads:
            thread.start()
        running = len(threads)
        while running:
            result = pool.results.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                running -= 1
            else:
                yield result
    finally:
        pool.stop.set()
        for thread in threads:
            if thread.is_alive():
                thread.join()


class _Pool(Generic[Q, A]):
    """What the threads share: questions that are left, and answers; None where a thread is done."""

    def __init__(self, questions: Sequence[Q], ask: Callable[[Q, threading.Event], A], at_once: int) -> None:
        self.stop = threading.Event()
        self.results: queue.Queue[tuple[int, A | ModelError] | BaseException | None] = queue.Queue(at_once)
        self._questions = questions
        self._ask = ask
        self._places = iter(range(len(questions)))
        self._lock = threading.Lock()

    def work(self) -> None:
        """Ask until nothing is left or nobody wants to know."""
        try:
            while (place := self._next()) is not None:
                self._give((place, self._asked(place)))
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever takes the answers
            self._give(error)
        self._give(None)

    def _next(self) -> int | None:
        with self._lock:
            return None if self.stop.is_set() else next(self._places, None)

    def _asked(self, place: int) -> A | ModelError:
        try:
            return self._ask(self._questions[place], self.stop)
        except ModelError as error:
            return error

    def _give(self, result: tuple[int, A | ModelError] | BaseException | None) -> None:
        while not self.stop.is_set():
            try:
                self.results.put(result, timeout=_LOOK_UP_SECONDS)
                break
            except queue.Full:
                continue


class Turns:
    """Locks by key: who wants the same waits, who wants something else does not."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def of(self, key: str) -> Iterator[None]:
        """Hold a key alone."""
        with self._lock:
            turn, waiting = self._held.get(key, (threading.Lock(), 0))
            self._held[key] = turn, waiting + 1
        try:
            with turn:
                yield
        finally:
            with self._lock:
                turn, waiting = self._held.pop(key)
                if waiting > 1:
                    self._held[key] = turn, waiting - 1
