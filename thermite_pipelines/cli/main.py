"""`thermite`: the commands put together, and how each ends.

Exit codes: 0 done, 1 it could not be done, 2 wrong usage, 130 interrupted. An error is one line on standard error.
"""

import contextlib
import io
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import typer
from typer.exceptions import Abort, Exit, TyperException

from thermite_pipelines.cli import (
    atoms,
    campaigns,
    demo,
    doctor,
    embedding,
    importing,
    learnings,
    mcp,
    reading,
    reports,
    requests,
    reviewing,
    rigs,
    searching,
    service,
    tokens,
    working,
)
from thermite_pipelines.cli.output import clean
from thermite_pipelines.errors import ThermiteError, UsageError

INTERRUPTED = 130
DEBUG = "THERMITE_DEBUG"
_PACKAGE = Path(__file__).parents[1]
_JUDGED = "Value error, "

app = typer.Typer(
    name="thermite",
    help="Makes lasting knowledge of the signed reports of autonomous research rigs.",
    epilog="Settings are THERMITE_* variables of the environment or of a .env file; THERMITE_HOME says where all is.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
_MODULES = (
    *(working, doctor, rigs, campaigns, reports, reading, searching),
    *(importing, atoms, reviewing, requests, learnings, embedding, tokens, mcp, service, demo),
)
for module in _MODULES:
    module.add_to(app)


def main(arguments: list[str] | None = None) -> None:
    """Run one command and end the process with its exit code."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; errors become one line on standard error."""
    _prepare_streams()
    warnings.showwarning = _warning_shower()
    # A command ends in one line of its own; without a handler Python would print a log's words beside it.
    logging.getLogger("thermite_pipelines").addHandler(logging.NullHandler())
    try:
        code = _invoke(arguments or ["--help"])
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_output()  # whoever read our output has what they wanted
        return 0
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except ThermiteError as error:
        return _fail(f"error: {error}", 2 if isinstance(error, UsageError) else 1, error)
    except OSError as error:
        return _fail(f"error: {_os_error(error)}", 1, error)
    except Exception as error:  # noqa: BLE001 - whatever it is, people get one line
        what = f"{type(error).__name__}: {error}"
        return _fail(f"error: {what} — this is a bug; run with {DEBUG}=1 for details", 1, error)


def _invoke(arguments: list[str]) -> int:
    """Run the command and return its exit code, with typer's own errors as one line."""
    command = typer.main.get_command(app)
    try:
        with command.make_context("thermite", list(arguments)) as context:
            command.invoke(context)
        return 0
    except Exit as end:
        return end.exit_code
    except Abort:
        return _fail("interrupted", INTERRUPTED)
    except TyperException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "thermite"
        # Said by pydantic, which typer judges values with: it tells a person nothing.
        what = " ".join(error.format_message().split()).rstrip(".").replace(f": {_JUDGED}", ": ", 1)
        return _fail(f"error: {what[:1].lower()}{what[1:]} — see `{path} --help`", error.exit_code)


def _fail(line: str, code: int, error: BaseException | None = None) -> int:
    if error is not None and os.environ.get(DEBUG):
        traceback.print_exception(error)
    with contextlib.suppress(OSError):  # nobody reads standard error: the exit code says it
        print(clean(" ".join(line.split())), file=sys.stderr, flush=True)
    # What is left in the buffer would be written, and fail again, when the process ends.
    if isinstance(error, OSError):
        _drop_output()
    return code


def _os_error(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename is not None else ""
    return f"{where}{error.strerror or error}"


def _warning_shower() -> Callable[..., None]:
    """What shows our own warnings of one command, each once and in one line, however often a file is read.

    Those of libraries are no news for whoever runs a command.
    """
    shown: set[str] = set()

    def show(message: Warning | str, category: type[Warning], filename: str, *_: object, **__: object) -> None:
        line = clean(f"warning: {message}")
        if category is UserWarning and _PACKAGE in Path(filename).parents and line not in shown:
            shown.add(line)
            print(line, file=sys.stderr)

    return show


def _prepare_streams() -> None:
    """Make output possible whatever the surroundings are: a closed stream, or a terminal that speaks ASCII."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Send what is still buffered nowhere, so that the end of the process does not fail over it."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return  # no real stream (a test's), so nothing is flushed at the end
