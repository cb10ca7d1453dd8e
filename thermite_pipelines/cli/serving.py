"""Running the Dagster UI with its daemon as one process tree that ends when asked."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import psutil

from thermite_pipelines.cli.dagster_home import dagster_folder, dagster_instance
from thermite_pipelines.cli.output import clean
from thermite_pipelines.control.leases import LeaseKeeper, LeaseTaken
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.sensors.runs import end_dead_runs

SCOPE = "up"
START_SECONDS = 180.0
STOP_SECONDS = 30.0
_POLL_SECONDS = 0.2
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def free_port(host: str, port: int) -> int:
    """The port to listen on: the one given, or a free one for 0. Raises `ThermiteError` where it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            what = f"can't listen on {host}:{port}: {error.strerror or error}"
            raise ThermiteError(what, do="choose another with --port, or another --host") from None
        return int(probe.getsockname()[1])


def serve(home: Home, host: str, port: int) -> int:
    """Run `dagster dev` until it ends or a signal comes; return the exit code. No process is left then.

    Runs that an earlier tree left as started are ended first: nobody works on them any more. Raises `ThermiteError`
    where the port is taken, the home is served already, or the UI does not come up.
    """
    port = free_port(host, port)
    with _stopped_by_signals() as stop, LeaseKeeper(home.control, f"up-{os.getpid()}-{secrets.token_hex(4)}") as keeper:
        try:
            keeper.hold(SCOPE)
        except LeaseTaken as taken:
            raise ThermiteError(f"this home is served already: {taken.what}", do="end that one first") from None
        with dagster_instance(home) as instance:
            ended = end_dead_runs(home, instance, time.time(), none_starting=True)
        if ended:
            print(f"{len(ended)} runs of an earlier start were ended; their work will be done again", flush=True)
        # A session of its own: Ctrl-C in a terminal comes here alone, and the tree is ended once, in order.
        process = subprocess.Popen(
            _command(host, port),
            cwd=home.settings.home,
            env=_environment(home),
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            if _wait_until_up(process, host, port, stop):
                print(f"pages to search and decide on: `thermite serve --home {clean(home.settings.home)}`", flush=True)
                print(f"the UI is at http://{host}:{port}/asset-groups; Ctrl-C ends it", flush=True)
            while not stop and process.poll() is None:
                time.sleep(_POLL_SECONDS)
            return 0 if stop else process.returncode or 1
        finally:
            _end_tree(process)


@contextmanager
def _stopped_by_signals() -> Iterator[list[int]]:
    """A list that signals which ask for an end are put into. Also SIGINT, which a shell's background job ignores."""
    received: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        received.append(number)

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _command(host: str, port: int) -> list[str]:
    # Warnings and errors only: what runs is in the UI.
    options = ["-m", "thermite_pipelines.definitions", "-h", host, "-p", str(port), "--log-level", "warning"]
    return [sys.executable, "-m", "thermite_pipelines.cli.dagster_dev", *options]


def _environment(home: Home) -> dict[str, str]:
    """What the tree needs to know: it runs in the home, so settings from a `.env` here and relative paths go along."""
    return (
        os.environ
        | home.settings.environment()
        | {"DAGSTER_HOME": str(dagster_folder(home)), "DAGSTER_DISABLE_TELEMETRY": "1", "PYTHONUNBUFFERED": "1"}
    )


def _wait_until_up(process: "subprocess.Popen[bytes]", host: str, port: int, stop: list[int]) -> bool:
    """Wait for the UI's answer; False where a signal came before."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    deadline = time.monotonic() + START_SECONDS
    while not stop and time.monotonic() < deadline:
        if process.poll() is not None:
            raise ThermiteError("the Dagster UI ended while it started", do="look at the lines above")
        try:
            with urllib.request.urlopen(f"http://{shown}:{port}/server_info", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(_POLL_SECONDS)
    if not stop:
        raise ThermiteError(f"the Dagster UI did not answer within {START_SECONDS:.0f} s", do="look at the lines above")
    return False


def _end_tree(process: "subprocess.Popen[bytes]") -> None:
    """Ask the tree to end, and end by force what is left of it."""
    tree = _tree(process.pid)
    if process.stdin is not None:
        process.stdin.close()
    if process.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_SECONDS)
    _, left = psutil.wait_procs([*tree, *_tree(process.pid)], timeout=5)
    for one in left:
        with contextlib.suppress(psutil.Error):
            one.kill()
    process.wait()


def _tree(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []
