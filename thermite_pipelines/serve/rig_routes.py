"""What rigs that stand elsewhere ask for: their reports taken, and for each run its knowledge, briefs and command.

All of it for a rig's own token alone. Answers carry a tag, so that asking again costs nothing where nothing is new.
"""

import os
from collections.abc import Iterator
from typing import Annotated, BinaryIO

from fastapi import Header, Request
from starlette.responses import Response, StreamingResponse

from thermite_pipelines.serve import run_files
from thermite_pipelines.serve.access import HomeOf, is_for, router
from thermite_pipelines.serve.documents import PROBLEMS, TakenDocument, content
from thermite_pipelines.serve.guard import declared_length
from thermite_pipelines.serve.problems import Refusal
from thermite_pipelines.serve.roles import RIG
from thermite_pipelines.serve.run_files import Served
from thermite_pipelines.serve.uploads import Uploads

routes = router()

NoneMatch = Annotated[str | None, Header(alias="If-None-Match", description="Tags that are known already.")]
_RUN = "/rigs/{rig}/runs/{run}"
NOT_CHANGED = {304: {"description": "It is as the tag says."}}
_PIECE = 1 << 16
_ENCODINGS = ("", "identity", "gzip", "zstd")
_BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}}


@routes.post(
    "/rigs/{rig}/reports", status_code=202, responses=PROBLEMS, openapi_extra=is_for(*RIG, **_BODY), tags=["rigs"]
)
async def take_report(rig: str, request: Request) -> TakenDocument:
    """Take a report: the file, plain or compressed with gzip or zstd. It lies in the inbox whole, or not at all.

    The same file again is fine. What becomes of it is intake's to judge, as of any file in the inbox.
    """
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        raise Refusal(415, "send the report plain, or compressed with gzip or zstd")
    uploads: Uploads = request.app.state.uploads
    taken = await uploads.take(rig, request.stream(), declared_length(request.scope))
    return TakenDocument(sha256=taken.sha256, name=taken.name)


@routes.get(
    "/rigs/{rig}/runs",
    responses={**PROBLEMS, **NOT_CHANGED, **content("application/json")},
    openapi_extra=is_for(*RIG),
    tags=["rigs"],
    response_class=Response,
)
def list_runs(rig: str, home: HomeOf, none_match: NoneMatch = None) -> Response:
    """The runs that control assigned to the rig, each with its campaign and the id of its command."""
    return tagged(run_files.runs_of(home, rig, none_match), "application/json")


@routes.get(
    f"{_RUN}/command",
    responses={**PROBLEMS, **NOT_CHANGED, **content("application/json")},
    openapi_extra=is_for(*RIG),
    tags=["rigs"],
    response_class=Response,
)
def read_command(rig: str, run: str, home: HomeOf, none_match: NoneMatch = None) -> Response:
    """The run's signed command: a DSSE envelope with control's key."""
    place = run_files.place_of(home, rig, run)
    return tagged(run_files.command(home, place, none_match), "application/json")


@routes.get(
    f"{_RUN}/briefs/{{reader}}",
    responses={**PROBLEMS, **NOT_CHANGED, **content("text/markdown", "application/json")},
    openapi_extra=is_for(*RIG),
    tags=["rigs"],
    response_class=Response,
)
def read_brief(rig: str, run: str, reader: str, home: HomeOf, none_match: NoneMatch = None) -> Response:
    """The brief of a reader of the run (`lane-1`, `planner` …); `<reader>.json` is what it lists, for `brief_given`."""
    place = run_files.place_of(home, rig, run)
    media = "application/json" if reader.endswith(".json") else "text/markdown"
    return tagged(run_files.brief(home, place, reader, none_match), media)


@routes.get(
    f"{_RUN}/knowledge/manifest",
    responses={**PROBLEMS, **NOT_CHANGED, **content("application/json")},
    openapi_extra=is_for(*RIG),
    tags=["rigs"],
    response_class=Response,
)
def read_manifest(rig: str, run: str, home: HomeOf, none_match: NoneMatch = None) -> Response:
    """What the run's `knowledge/` holds: path, item, version and SHA-256 of each file, as `.manifest.json` has it."""
    place = run_files.place_of(home, rig, run)
    with run_files.manifest(home, place) as (descriptor, etag):
        if run_files.matches(none_match, etag):
            return _unchanged(etag)
        # Its own descriptor, which lives as long as the answer: the file may be replaced meanwhile.
        own = open(os.dup(descriptor), "rb")  # noqa: SIM115 - as long as the answer
    own.seek(0)
    return StreamingResponse(_pieces(own), media_type="application/json", headers=_headers(etag))


@routes.get(
    f"{_RUN}/knowledge/files/{{path:path}}",
    responses={**PROBLEMS, **NOT_CHANGED, **content("text/markdown")},
    openapi_extra=is_for(*RIG),
    tags=["rigs"],
    response_class=Response,
)
def read_knowledge(rig: str, run: str, path: str, home: HomeOf, none_match: NoneMatch = None) -> Response:
    """A file of the run's `knowledge/`: one that the manifest lists, or `README.md`. Its tag is its SHA-256."""
    place = run_files.place_of(home, rig, run)
    return tagged(run_files.knowledge_file(home, place, path, none_match), "text/markdown")


def tagged(served: Served, media: str) -> Response:
    """An answer with its tag; without bytes where the tag was known."""
    if served.data is None:
        return _unchanged(served.etag)
    return Response(served.data, media_type=media, headers=_headers(served.etag))


def _unchanged(etag: str) -> Response:
    return Response(status_code=304, headers=_headers(etag))


def _headers(etag: str) -> dict[str, str]:
    return {"ETag": f'"{etag}"', "Cache-Control": "private, no-cache"}


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece
