"""What people decide: grants, assignments, answers to help requests, learnings, atoms that they propose.

Each does what the command of the same name does. Who decided is whoever holds the token, whatever the request says.
"""

from typing import Annotated, Any

from anyio import to_thread
from fastapi import Query, Request

from thermite_pipelines.atoms.proposals import parse_document, propose
from thermite_pipelines.control import campaigns
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.briefing import assign_run
from thermite_pipelines.learnings import actions
from thermite_pipelines.serve.access import Caller, HomeOf, is_for, router
from thermite_pipelines.serve.documents import (
    PROBLEMS,
    AssignmentBody,
    CampaignName,
    LearningBody,
    ReplyBody,
    ResolveBody,
)
from thermite_pipelines.serve.problems import Refusal
from thermite_pipelines.serve.roles import DECIDERS

routes = router()

Document = dict[str, Any]
CampaignOfAtoms = Annotated[CampaignName, Query(description="Whose atoms they are to be.")]


def _decide(schema: Document | None = None) -> Document:
    """How a route of these is made; `schema`: of a body that it reads by itself."""
    body = {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}} if schema else {}
    return {"responses": PROBLEMS, "openapi_extra": is_for(*DECIDERS, **body), "tags": ["people"]}


@routes.put("/grants/{reader}/{source}", **_decide())
def give_grant(reader: CampaignName, source: CampaignName, home: HomeOf, caller: Caller) -> Document:
    """Let campaign `reader` read the folder of campaign `source`."""
    with home.control.write() as connection:
        changed = campaigns.grant(connection, reader, source, caller.name)
    return {"changed": changed, "reader": reader, "source": source}


@routes.delete("/grants/{reader}/{source}", **_decide())
def take_grant(reader: CampaignName, source: CampaignName, home: HomeOf, caller: Caller) -> Document:
    """Take a grant back; the next sync empties the part of `source` in the runs of `reader`."""
    with home.control.write() as connection:
        changed = campaigns.revoke(connection, reader, source, caller.name)
    return {"changed": changed, "reader": reader, "source": source}


@routes.post("/assignments", **_decide())
def assign(body: AssignmentBody, home: HomeOf, caller: Caller) -> Document:
    """Say which campaign a run belongs to, and sign its command. `brief` holds ids: the words are control's own."""
    done = assign_run(
        home,
        body.rig,
        body.run,
        body.campaign,
        by=caller.name,
        picks=body.brief,
        agents=body.agents,
        kit=body.kit,
        flags=body.flags,
        routes=body.routes,
        move=body.move,
    )
    names = ("rig", "run", "campaign", "command", "changed")
    return {name: getattr(done, name) for name in names} | {"notices": list(done.notices)}


@routes.post("/help/reply", **_decide())
def reply(body: ReplyBody, home: HomeOf, caller: Caller) -> Document:
    """Answer every open help request of a run: the same agent starts a new run with this text."""
    done = actions.reply(home, body.run, body.rig, text=body.text, by=caller.name, flags=tuple(body.flags))
    names = ("changed", "rig", "run", "reply", "agent", "command", "answered")
    return {name: getattr(done, name) for name in names} | {"notices": list(done.notices)}


@routes.post("/help/resolve", **_decide())
def resolve(body: ResolveBody, home: HomeOf, caller: Caller) -> Document:
    """Mark every open help request of a run as dealt with; nothing is started."""
    done = actions.resolve(home, body.run, body.rig, by=caller.name)
    return {name: getattr(done, name) for name in ("changed", "rig", "run", "resolved")}


@routes.patch("/learnings/{id:path}", **_decide())
def decide_learning(id: str, body: LearningBody, home: HomeOf, caller: Caller) -> Document:
    """Keep a learning, or drop it for good, which asks for `"confirm": true`."""
    if body.decision == "drop" and not body.confirm:
        raise Refusal(409, 'a learning is dropped for good: send "confirm": true with it')
    done = (actions.keep if body.decision == "keep" else actions.drop)(home, id, by=caller.name)
    return {name: getattr(done, name) for name in ("changed", "id", "campaign", "agent", "state")}


_ATOM = {"type": "object", "description": "An atom, as `thermite atoms propose` takes it; see docs/atoms.md."}
_BATCH = {"type": "object", "required": ["atoms"], "properties": {"atoms": {"type": "array", "items": {}}}}


@routes.post("/knowledge-atoms/propose", **_decide(_ATOM))
async def propose_one(campaign: CampaignOfAtoms, request: Request, home: HomeOf, caller: Caller) -> Document:
    """Propose one atom; the answer says what became of it."""
    document = _parsed(await request.body())
    if isinstance(document, dict) and "atoms" in document:
        raise UsageError("this is more than one atom: send it to /knowledge-atoms/propose-batch")
    return await _propose(home, campaign, document, caller.name)


@routes.post("/knowledge-atoms/propose-batch", **_decide(_BATCH))
async def propose_batch(campaign: CampaignOfAtoms, request: Request, home: HomeOf, caller: Caller) -> Document:
    """Propose many atoms, each judged by itself; answers come in their order."""
    document = _parsed(await request.body())
    if not isinstance(document, dict) or not isinstance(document.get("atoms"), list):
        raise UsageError('give {"atoms": [...]}')
    return await _propose(home, campaign, document, caller.name)


def _parsed(raw: bytes) -> Any:
    try:
        return parse_document(raw)
    except ThermiteError as error:
        raise UsageError(error.what) from None


async def _propose(home: HomeOf, campaign: str, document: Any, by: str) -> Document:
    results = await to_thread.run_sync(lambda: propose(home, campaign, document, by=by))
    rows = [{"outcome": one.outcome, "atom": one.atom, "reason": one.reason} for one in results]
    return {"results": rows, "changed": any(one.outcome == "stored" for one in results)}
