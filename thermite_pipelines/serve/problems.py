"""Errors as JSON problem documents (RFC 9457) that say what is wrong and nothing of what is inside.

A message of ours is shown where it is about what was asked. One about this machine (a path, a database, a disk) becomes
a reference, under which the service's log has it.
"""

import logging
import secrets
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from thermite_pipelines.control.leases import LeaseTaken
from thermite_pipelines.errors import ThermiteError, UnknownName, UsageError

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
BUSY_SECONDS = 5
_BUSY = "this is being worked on; ask again"
_FAILED = "something went wrong here; the service's log has it under the reference"
_LONGEST_DETAIL = 500
_MOST_ERRORS = 20


class Refusal(HTTPException):
    """What was asked for is refused. `audited`: the audit log is to name it."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, audited: bool = False
    ) -> None:
        super().__init__(status, detail, headers)
        self.audited = audited


def problem(
    status: int, detail: str | None = None, *, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """A problem document as an answer; `more` are members of its own."""
    return JSONResponse(_document(status, detail, **more), status, dict(headers or {}), MEDIA_TYPE)


def _document(status: int, detail: str | None, **more: Any) -> dict[str, Any]:
    document = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    if detail:
        document["detail"] = detail[:_LONGEST_DETAIL]
    return document | more


def of_error(error: BaseException) -> Response:
    """The answer for an exception that ended a request."""
    document, headers = document_of(error)
    return JSONResponse(document, document["status"], dict(headers), MEDIA_TYPE)


def document_of(error: BaseException) -> tuple[dict[str, Any], Mapping[str, str]]:
    """The problem document for an exception that ended a request, and the headers that go with it.

    Of what is inside there is a reference alone.
    """
    if isinstance(error, HTTPException):
        return _document(error.status_code, str(error.detail)), error.headers or {}
    if isinstance(error, RequestValidationError):
        return _document(422, "what was sent is not as it should be", errors=_places(error)), {}
    if isinstance(error, LeaseTaken):
        return _document(503, _BUSY), {"Retry-After": str(BUSY_SECONDS)}
    if isinstance(error, ThermiteError) and not _is_of_this_machine(error):
        status = 404 if isinstance(error, UnknownName) else 422 if isinstance(error, UsageError) else 409
        return _document(status, error.what), {}
    return _document(500, _FAILED, reference=_logged(error)), {}


def told(error: BaseException) -> str:
    """The same for whoever called a tool: one line that says what is wrong and what to do."""
    if isinstance(error, HTTPException):
        return str(error.detail)
    if isinstance(error, LeaseTaken):
        return _BUSY
    if isinstance(error, ThermiteError) and not _is_of_this_machine(error):
        return " ".join(f"{error.what} — {error.do}".split()) if error.do else " ".join(error.what.split())
    return f"{_FAILED} {_logged(error)}"


def add_to(app: FastAPI) -> None:
    """Let every error that routes raise become a problem document."""
    for kind in (HTTPException, RequestValidationError, ThermiteError, Exception):
        app.add_exception_handler(kind, _handle)


async def _handle(request: Request, error: Exception) -> Response:
    if isinstance(error, Refusal) and error.audited:
        request.state.refused = True  # the guard writes it down
    return of_error(error)


def _is_of_this_machine(error: ThermiteError) -> bool:
    """Whether a message is about a file, a database or a disk here: what it says is for those who run the service."""
    return error.where.startswith("/") or "://" in error.where or error.__cause__ is not None


def _logged(error: BaseException) -> str:
    """The reference under which the log has an error: with its kind and line, and no texts, which may be agents'."""
    reference = secrets.token_hex(6)
    said = f": {error}" if isinstance(error, ThermiteError) else ""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    logger.error("request %s failed: %s%s%s", reference, type(error).__name__, where, said)
    return reference


def _places(error: RequestValidationError) -> list[dict[str, str]]:
    """What is wrong where, without what was sent."""
    return [
        {"where": "/".join(str(part)[:100] for part in one["loc"]), "what": str(one["msg"])[:200]}
        for one in error.errors()[:_MOST_ERRORS]
    ]
