"""Synthesis over HTTP: the tools `review` and `hypothesize` with the same documents as over MCP."""

from typing import Any

from fastapi import Request

from thermite_pipelines.serve.access import is_for, router
from thermite_pipelines.serve.documents import PROBLEMS, CampaignName, WorkBody
from thermite_pipelines.serve.problems import Refusal
from thermite_pipelines.serve.reviews import Reviews
from thermite_pipelines.serve.roles import DECIDERS
from thermite_pipelines.synthesis.work import Refused, Tool

routes = router()

_WORK: dict[str, Any] = {"responses": PROBLEMS, "openapi_extra": is_for(*DECIDERS), "tags": ["synthesis"]}
Document = dict[str, Any]


@routes.post("/synthesis/{campaign}/review", **_WORK)
def review(campaign: CampaignName, body: WorkBody, request: Request) -> Document:
    """Start a review of a campaign's facts, or answer its current item: the next one, or `done` with the totals."""
    return _called("review", campaign, body, request)


@routes.post("/synthesis/{campaign}/hypothesize", **_WORK)
def hypothesize(campaign: CampaignName, body: WorkBody, request: Request) -> Document:
    """Start a walk of a campaign's syntheses for hypotheses, or answer its current item: the next one, or `done`."""
    return _called("hypothesize", campaign, body, request)


def _called(tool: Tool, campaign: str, body: WorkBody, request: Request) -> Document:
    reviews: Reviews = request.app.state.reviews
    try:
        return reviews.call(tool, campaign, body, "http")
    except Refused as refused:
        raise Refusal(409, f"{refused.what} — {refused.do}" if refused.do else refused.what) from None
