"""What a rig is to report for the agents of its runs: help requests and learnings that they said over the service."""

import json

from starlette.responses import Response

from thermite_pipelines.control.outgoing import waiting
from thermite_pipelines.serve import run_files
from thermite_pipelines.serve.access import HomeOf, is_for, router
from thermite_pipelines.serve.documents import PROBLEMS, content
from thermite_pipelines.serve.rig_routes import NOT_CHANGED, NoneMatch, tagged
from thermite_pipelines.serve.roles import RIG

routes = router()


@routes.get(
    "/rigs/{rig}/runs/{run}/outgoing",
    responses={**PROBLEMS, **NOT_CHANGED, **content("application/json")},
    openapi_extra=is_for(*RIG),
    tags=["rigs"],
    response_class=Response,
)
def read_outgoing(rig: str, run: str, home: HomeOf, none_match: NoneMatch = None) -> Response:
    """What agents of the run said over the service and no accepted report holds yet: carry each in the next report.

    An event is handed out until it came back in one, so remember the ids that were carried (`Emitter.carry` does).
    """
    place = run_files.place_of(home, rig, run)
    events = waiting(home.control, place.rig, place.run)
    data = json.dumps({"events": events}, ensure_ascii=False).encode()
    return tagged(run_files.served(data, none_match), "application/json")
