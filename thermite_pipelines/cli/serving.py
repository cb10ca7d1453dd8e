"""Running the Dagster UI with its daemon as one process tree that ends when asked."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from thermite_pipelines.cli.dagster_home import dagster_instance
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.sensors.runs import end_dead_runs

START_SECONDS = 180.0
STOP_SECONDS = 20.0


def serve(home: Home, host: str, port: int) -> int:
    """Run `dagster dev` until it ends or a signal comes; return the exit code.

    Runs that an earlier tree left as started are ended first: nobody works on them any more. Raises `ThermiteError`
    where the port is taken or the UI does not come up.
    """
    with dagster_instance(home) as instance:
        ended = end_dead_runs(home, instance, time.time(), all_started_here=True)
    if ended:
        print(f"{len(ended)} runs of an earlier start were ended; their work will be done again")
    _check_port(host, port)
    process = subprocess.Popen(
        [sys.executable, "-m", "dagster", "dev", "-m", "thermite_pipelines.definitions", "-h", host, "-p", str(port)],
        cwd=home.settings.home,
        env=_environment(home),
        # A background job of a shell ignores SIGINT, and children inherit that: then nothing would end the tree.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        _wait_until_up(process, host, port)
        print(
            f"the UI is at http://{host}:{port}/ (assets: http://{host}:{port}/asset-groups); Ctrl-C ends it",
            flush=True,
        )
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        _stop(process)


def _environment(home: Home) -> dict[str, str]:
    return os.environ | {
        "THERMITE_HOME": str(home.settings.home),
        "DAGSTER_HOME": str(Path(os.environ.get("DAGSTER_HOME") or home.settings.dagster_home)),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        "PYTHONUNBUFFERED": "1",
    }


def _check_port(host: str, port: int) -> None:
    import socket

    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise ThermiteError(
                f"can't listen on {host}:{port}: {error.strerror}", do="choose another with --port"
            ) from None


def _wait_until_up(process: "subprocess.Popen[bytes]", host: str, port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ThermiteError("the Dagster UI ended while it started", do="look at the lines above")
        try:
            with urllib.request.urlopen(f"http://{host}:{port}/server_info", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    raise ThermiteError(f"the Dagster UI did not answer within {START_SECONDS:.0f} s", do="look at the lines above")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
