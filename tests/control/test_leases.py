"""Leases: one owner at a time, alive while it is renewed and its process runs."""

import os
import socket
import subprocess
import sys
import threading

import pytest
from sqlalchemy import select, update

from tests.support.homes import Home
from tests.support.killing import in_child
from thermite_pipelines.control import leases
from thermite_pipelines.control.db import Control
from thermite_pipelines.control.leases import LeaseKeeper, LeaseTaken, acquire, holders, lease, release
from thermite_pipelines.control.models import Lease
from thermite_pipelines.times import now_micros

SCOPE = "rig:rig-a"


def held(home: Home) -> dict[str, str]:
    with home.control.read() as connection:
        return {scope: holder.owner for scope, holder in holders(connection).items()}


def change(home: Home, **values: object) -> None:
    with home.control.write() as connection:
        connection.execute(update(Lease).values(**values))


def test_while_one_holds_a_scope_another_gives_way(any_home: Home) -> None:
    acquire(any_home.control, SCOPE, "one")
    with pytest.raises(LeaseTaken, match=f"{SCOPE} is being worked on by one"):
        acquire(any_home.control, SCOPE, "two")
    acquire(any_home.control, "rig:rig-b", "two")
    assert held(any_home) == {SCOPE: "one", "rig:rig-b": "two"}
    release(any_home.control, SCOPE, "two")  # not its own
    assert held(any_home)[SCOPE] == "one"
    release(any_home.control, SCOPE, "one")
    acquire(any_home.control, SCOPE, "two")


def test_the_owner_may_take_it_again(any_home: Home) -> None:
    acquire(any_home.control, SCOPE, "one")
    acquire(any_home.control, SCOPE, "one")
    assert held(any_home) == {SCOPE: "one"}


@pytest.mark.parametrize(("age", "alive"), [(0, True), (59, True), (61, False), (10**6, False)])
def test_a_lease_that_is_not_renewed_for_a_minute_is_dead(home: Home, age: int, alive: bool) -> None:
    acquire(home.control, SCOPE, "one")
    change(home, renewed_at=now_micros() - age * 1_000_000, host="elsewhere")
    assert (SCOPE in held(home)) == alive
    if alive:
        with pytest.raises(LeaseTaken):
            acquire(home.control, SCOPE, "two")
    else:
        acquire(home.control, SCOPE, "two")
        assert held(home) == {SCOPE: "two"}


def test_a_lease_whose_process_is_gone_is_dead_at_once(any_home: Home) -> None:
    settings = any_home.settings
    any_home.close()
    assert in_child(lambda: acquire(Control(settings.control), SCOPE, "gone")) == 0
    assert held(any_home) == {}
    acquire(any_home.control, SCOPE, "two")


def test_a_process_that_ended_and_was_not_waited_for_is_gone(home: Home) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        acquire(home.control, SCOPE, "other")
        change(home, pid=process.pid, process_started=leases._process_started(process.pid))
        assert held(home) == {SCOPE: "other"}
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # a zombie now
        assert held(home) == {}


def test_another_process_with_the_same_number_does_not_keep_a_lease_alive(home: Home) -> None:
    acquire(home.control, SCOPE, "old")
    change(home, process_started=now_micros() - 3_600_000_000)
    assert held(home) == {}


def test_a_process_on_another_host_cannot_be_looked_at(home: Home) -> None:
    acquire(home.control, SCOPE, "far")
    change(home, host="elsewhere", pid=2**22 + 1)
    assert held(home) == {SCOPE: "far"}
    change(home, host=socket.gethostname())
    assert held(home) == {}


def test_of_many_that_ask_at_once_one_gets_it(any_home: Home) -> None:
    got: list[str] = []

    def ask(name: str) -> None:
        try:
            acquire(any_home.control, SCOPE, name)
            got.append(name)
        except LeaseTaken:
            pass

    for dead in (False, True):
        got.clear()
        if dead:
            change(any_home, renewed_at=0)
        threads = [threading.Thread(target=ask, args=(f"{dead}{number}",)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 1
        assert held(any_home) == {SCOPE: got[0]}


class TestKeeper:
    def test_scopes_are_given_back_at_the_end(self, any_home: Home) -> None:
        with lease(any_home.control, "b", "a", owner="me"):
            assert held(any_home) == {"a": "me", "b": "me"}
        assert held(any_home) == {}

    def test_also_after_an_error_or_when_a_later_scope_is_taken(self, home: Home) -> None:
        def fail() -> None:
            with lease(home.control, "a"):
                raise KeyError

        with pytest.raises(KeyError):
            fail()
        acquire(home.control, "b", "other")
        with pytest.raises(LeaseTaken), lease(home.control, "a", "b"):
            raise AssertionError("b is taken")
        assert held(home) == {"b": "other"}

    def test_two_pieces_of_work_of_one_process_are_two_owners(self, home: Home) -> None:
        with lease(home.control, SCOPE), pytest.raises(LeaseTaken), lease(home.control, SCOPE):
            raise AssertionError("it is taken")

    def test_it_renews_from_a_thread_of_its_own(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        renewed = threading.Event()
        renew = leases._renew

        def tell(control: Control, scopes: list[str], owner: str) -> None:
            renew(control, scopes, owner)
            renewed.set()

        monkeypatch.setattr(leases, "RENEW_SECONDS", 0.01)
        monkeypatch.setattr(leases, "_renew", tell)
        with LeaseKeeper(home.control, "me") as keeper:
            keeper.hold(SCOPE)
            change(home, renewed_at=5)
            renewed.clear()
            assert renewed.wait(30)
            assert held(home) == {SCOPE: "me"}

    def test_a_lease_that_was_taken_over_is_not_taken_back(self, home: Home) -> None:
        with LeaseKeeper(home.control, "slow") as keeper:
            keeper.hold(SCOPE)
            change(home, renewed_at=0)
            acquire(home.control, SCOPE, "quick")
            leases._renew(home.control, [SCOPE], "slow")
            assert held(home) == {SCOPE: "quick"}
        assert held(home) == {SCOPE: "quick"}

    def test_a_database_that_fails_now_and_then_does_not_end_the_renewals(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from thermite_pipelines.errors import ThermiteError

        tries: list[int] = []
        third = threading.Event()

        def fail(*_: object) -> None:
            tries.append(1)
            if len(tries) == 3:
                third.set()
            raise ThermiteError("busy")

        monkeypatch.setattr(leases, "RENEW_SECONDS", 0.01)
        monkeypatch.setattr(leases, "_renew", fail)
        with LeaseKeeper(home.control, "me") as keeper:
            keeper.hold(SCOPE)
            assert third.wait(30)


def test_the_time_of_a_lease_is_that_of_the_transaction(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waited long for the write lock must not get a lease that is old from the start."""
    started = leases._process_started

    def slow(pid: int) -> int | None:
        monkeypatch.setattr(leases, "now_micros", lambda: now_micros() + 100_000_000)
        return started(pid)

    monkeypatch.setattr(leases, "_process_started", slow)
    before = now_micros()
    acquire(home.control, SCOPE, "me")
    with home.control.read() as connection:
        assert connection.execute(select(Lease.renewed_at)).scalar_one() >= before + 100_000_000
