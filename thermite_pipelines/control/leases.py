"""Leases: who works on a scope right now.

A lease is held by one owner, renewed while it works, and dead once it was not renewed for a minute, or at once where
its process is gone from this host. Every piece of work that writes holds the lease of what it writes, whoever started
it.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

from sqlalchemy import Connection, delete, insert, select, update

from thermite_pipelines.control.db import Control, chunks
from thermite_pipelines.control.models import Lease
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.times import now_micros

RENEW_SECONDS = 15
DEAD_SECONDS = 60
# The start time of a process is reckoned from the clock, which may be set meanwhile.
START_TOLERANCE = 5_000_000

_POLL_SECONDS = 0.1


class LeaseTaken(ThermiteError):
    """Another owner holds the scope: whoever asked gives way."""


@dataclass(frozen=True)
class Holder:
    """Who holds a scope."""

    owner: str
    host: str
    pid: int
    process_started: int
    renewed_at: int

    def is_alive(self, now: int) -> bool:
        """Whether the lease still counts: renewed within a minute and, on this host, its process still runs."""
        if now - self.renewed_at > DEAD_SECONDS * 1_000_000:
            return False
        if self.host != socket.gethostname():
            return True
        started = _process_started(self.pid)
        return started is not None and abs(started - self.process_started) <= START_TOLERANCE


def holders(connection: Connection) -> dict[str, Holder]:
    """All live leases by scope."""
    now = now_micros()
    # Leases of runs that ended lie there until the nightly purge: they are not even read.
    rows = connection.execute(select(Lease).where(Lease.renewed_at >= now - DEAD_SECONDS * 1_000_000))
    found = {row.scope: Holder(row.owner, row.host, row.pid, row.process_started, row.renewed_at) for row in rows}
    return {scope: holder for scope, holder in found.items() if holder.is_alive(now)}


def scopes_known(connection: Connection, scopes: Iterable[str]) -> set[str]:
    """Those of the scopes that have a lease, alive or dead."""
    found: set[str] = set()
    for some in chunks(scopes):
        found.update(connection.execute(select(Lease.scope).where(Lease.scope.in_(some))).scalars())
    return found


def dead_scopes(connection: Connection, prefix: str) -> list[str]:
    """Scopes that begin so whose holder is gone."""
    now = now_micros()
    return [
        row.scope
        for row in connection.execute(select(Lease).where(Lease.scope.startswith(prefix, autoescape=True)))
        if not Holder(row.owner, row.host, row.pid, row.process_started, row.renewed_at).is_alive(now)
    ]


def forget(connection: Connection, scopes: Iterable[str]) -> None:
    """Remove the leases of scopes whose holder is gone for good."""
    for some in chunks(scopes):
        connection.execute(delete(Lease).where(Lease.scope.in_(some)))


def forget_dead(connection: Connection, before: int) -> int:
    """Remove leases that were not renewed since `before` (microseconds); return how many."""
    return connection.execute(delete(Lease).where(Lease.renewed_at < before)).rowcount


def acquire(control: Control, scope: str, owner: str) -> None:
    """Take a scope for `owner`, or renew it where the owner has it. Raises `LeaseTaken` while another holds it."""
    pid = os.getpid()
    started = _process_started(pid) or 0
    with control.write() as connection:
        now = now_micros()  # not before: the wait for other writers may have been long
        values = {
            "owner": owner,
            "host": socket.gethostname(),
            "pid": pid,
            "process_started": started,
            "acquired_at": now,
            "renewed_at": now,
        }
        row = connection.execute(select(Lease).where(Lease.scope == scope)).first()
        if row is None:
            connection.execute(insert(Lease).values(scope=scope, **values))
            return
        holder = Holder(row.owner, row.host, row.pid, row.process_started, row.renewed_at)
        if holder.owner != owner and holder.is_alive(now):
            raise LeaseTaken(
                f"{scope} is being worked on by {holder.owner} (process {holder.pid} on {holder.host})",
                do="wait until it is done",
            )
        connection.execute(update(Lease).where(Lease.scope == scope).values(**values))


def release(control: Control, scope: str, owner: str) -> None:
    """Give a scope back."""
    with control.write() as connection:
        connection.execute(delete(Lease).where(Lease.scope == scope, Lease.owner == owner))


def _renew(control: Control, scopes: list[str], owner: str) -> None:
    with control.write() as connection:
        now = now_micros()
        connection.execute(update(Lease).where(Lease.scope.in_(scopes), Lease.owner == owner).values(renewed_at=now))


class LeaseKeeper:
    """Holds scopes for one owner and renews them from a thread of its own until closed."""

    def __init__(self, control: Control, owner: str) -> None:
        self._control = control
        self._owner = owner
        self._scopes: tuple[str, ...] = ()  # replaced whole: the thread reads it
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def hold(self, scope: str) -> None:
        """Take a scope until `close`. Raises `LeaseTaken`."""
        if scope in self._scopes:
            return
        acquire(self._control, scope, self._owner)
        self._scopes = (*self._scopes, scope)
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep, name="lease-keeper", daemon=True)
            self._thread.start()

    def close(self, *, keep: str = "") -> None:
        """Give all scopes back; those that begin with `keep` are left to die with the process instead."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        for scope in self._scopes:
            if not keep or not scope.startswith(keep):
                release(self._control, scope, self._owner)
        self._scopes = ()

    def _keep(self) -> None:
        while not self._stop.wait(RENEW_SECONDS):
            try:
                _renew(self._control, list(self._scopes), self._owner)
            except ThermiteError:
                continue  # a busy database: the lease lives for three more tries

    def __enter__(self) -> "LeaseKeeper":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextmanager
def lease(control: Control, *scopes: str, owner: str | None = None, wait: float = 0.0) -> Iterator[None]:
    """Hold scopes for a piece of work of this process. Raises `LeaseTaken` if others hold one for `wait` seconds."""
    give_up = time.monotonic() + wait
    with LeaseKeeper(control, owner or f"cli-{os.getpid()}-{secrets.token_hex(4)}") as keeper:
        for scope in sorted(scopes):
            while True:
                try:
                    keeper.hold(scope)
                    break
                except LeaseTaken:
                    if time.monotonic() >= give_up:
                        raise
                time.sleep(_POLL_SECONDS)
        yield


def process_mark() -> str:
    """This process, as text by which `is_marked_process_gone` knows it again."""
    pid = os.getpid()
    return f"{socket.gethostname()}/{pid}/{_process_started(pid) or 0}"


def is_marked_process_gone(mark: str) -> bool:
    """Whether the process of a mark has ended; False where it runs, is on another host, or the mark is none."""
    host, *numbers = mark.rsplit("/", 2)
    if host != socket.gethostname() or len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
        return False
    pid, begun = map(int, numbers)
    started = _process_started(pid)
    return started is None or abs(started - begun) > START_TOLERANCE


def _process_started(pid: int) -> int | None:
    """The start time of a process in microseconds, or None where it is gone (a zombie is gone)."""
    import psutil  # a tenth of what loading the definitions costs, and they ask for no lease

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return int(process.create_time() * 1_000_000)
    except psutil.Error:
        return None
