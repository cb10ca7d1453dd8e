"""The command line in processes of its own, and the process tree of `thermite up`."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.project.tree import ROOT
from tests.support.homes import Home
from tests.support.pipelines import environment

_THERMITE = [sys.executable, "-c", "import sys; from thermite_pipelines.cli.main import main; sys.exit(main())"]


def thermite(home: Home, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
    """Start a command on a home."""
    return subprocess.Popen(
        [*_THERMITE, *arguments],
        env=environment(home, PYTHONPATH=str(ROOT), **variables),
        cwd=home.settings.home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(what: Callable[[], object], seconds: float, process: "subprocess.Popen[str] | None" = None) -> float:
    """Wait until something is true; return how long that took. Looks often, and says so when the time is over."""
    begun = time.monotonic()
    while not what():
        assert time.monotonic() - begun < seconds, f"not within {seconds} s"
        assert process is None or process.poll() is None, "the process ended meanwhile"
        time.sleep(0.05)
    return time.monotonic() - begun


@dataclass
class Served:
    """A running `thermite up`."""

    process: "subprocess.Popen[str]"
    url: str

    def tree(self) -> list[psutil.Process]:
        """All processes of it."""
        root = psutil.Process(self.process.pid)
        return [root, *root.children(recursive=True)]

    def end(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end; return its exit code, once all its processes are gone."""
        tree = self.tree()
        self.process.send_signal(by)
        code = self.process.wait(60)
        assert [one for one in tree if one.is_running() and one.status() != psutil.STATUS_ZOMBIE] == []
        return code

    def kill(self) -> None:
        """Kill all processes of it at once, as a machine that goes down does."""
        for one in self.tree():
            try:
                one.kill()
            except psutil.NoSuchProcess:
                continue
        self.process.wait(60)


@contextmanager
def served(home: Home, log: Path) -> Iterator[Served]:
    """Start `thermite up` as a background job of a shell does, and wait for the UI; whatever is left is killed."""
    command = [*_THERMITE, "up", "--port", "0"]
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            env=environment(home, PYTHONPATH=str(ROOT), THERMITE_ARRIVAL_SECONDS="5"),
            cwd=home.settings.home,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=_ignore_interrupts,
        )
    try:
        wait_until(lambda: "Ctrl-C ends it\n" in log.read_text(), 180, process)
        line = next(line for line in log.read_text().splitlines() if "Ctrl-C" in line)
        found = Served(process, line.split("/asset-groups")[0].rpartition(" ")[2])
        with urllib.request.urlopen(f"{found.url}/server_info", timeout=30) as answer:
            assert answer.status == 200
        yield found
    finally:
        if process.poll() is None:
            Served(process, "").kill()


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def answers(url: str) -> bool:
    """Whether somebody listens there."""
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
