"""Every way to ask for past research, by name: what the tests of grants try, and the home that they try it in.

A new way in belongs here: then nothing unreadable may come out of it, nor change what comes out of it.
"""

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx
from sqlalchemy import delete

from tests.knowledge.briefed import BriefHome
from tests.knowledge.indexing import index
from tests.serve.mcp.calling import Calls
from tests.serve.serving import ServedHome
from tests.support.atoms import atom_row, put_atoms
from tests.support.homes import Home, make_home
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.knowledge.picker import offered
from thermite_pipelines.knowledge.search import SearchQuery, SearchResults, search, search_for_run

CAMPAIGNS = ("a", "b", "c")
RUNS = {"a": ("rig-a", "r1"), "b": ("rig-b", "r3"), "c": ("rig-b", "r4")}
"""A run of each campaign, whose agents ask."""
TEXTS = (
    "warm caches help every batch",
    "the cold shard was fused",
    "预热缓存",
    "黒い猫 on shard 4711",
    "a batch of 4711 cold batches",
    "warm warm warm",
)
WORDS = (
    *("warm", "cold", "batch", "caches", "shard", "fused", "缓存", "猫", "wram", "4711"),
    *("mark7a", "mark7b", "mark7c"),
)
Document = dict[str, Any]


def mark(campaign: str) -> str:
    """A word that stands in each text of a campaign and nowhere else; with its digit it is guessed at by no search."""
    return f"mark7{campaign}"


@dataclass
class Asking:
    """A home that is asked by campaigns and by their runs' agents; clients are kept from question to question."""

    place: ServedHome
    clients: dict[str, httpx.Client] = field(default_factory=dict)
    callers: dict[tuple[str, str, str], Calls] = field(default_factory=dict)
    references: dict[frozenset[str], Home] = field(default_factory=dict)
    """Homes that hold some campaigns' texts alone."""

    @property
    def home(self) -> Home:
        return self.place.home

    def client(self, role: str, rig: str | None = None, run: str | None = None) -> httpx.Client:
        """A client with a token of a role."""
        key = f"{role} {rig} {run}"
        if key not in self.clients:
            self.clients[key] = self.place.client(role, rig=rig, run=run)
        return self.clients[key]

    def calls(self, role: str, rig: str, run: str) -> Calls:
        """Calls over MCP with a token of a role for a run."""
        key = (role, rig, run)
        if key not in self.callers:
            self.callers[key] = Calls.to(self.place.url, self.place.token(role, rig, run))
        return self.callers[key]

    def close(self) -> None:
        """Let go of clients and of the homes that were made."""
        with ExitStack() as stack:
            for one in (self.home, *self.references.values(), *self.place.clients):
                stack.callback(one.close)
            for calls in self.callers.values():
                stack.push(calls)

    def grant(self, grants: set[tuple[str, str]]) -> None:
        """Let these grants hold and no others: pairs of reader and source."""
        for reader in CAMPAIGNS:
            for source in CAMPAIGNS:
                if reader != source:
                    (self.place.story.grant if (reader, source) in grants else self.place.story.revoke)(reader, source)

    def holding(self, campaigns: frozenset[str]) -> Home:
        """A copy of the home in which these campaigns may read each other, and no text of another is there."""
        if campaigns not in self.references:
            path = self.home.settings.home.parent / "-".join(sorted(campaigns))
            shutil.copytree(self.home.settings.home, path)
            copy = make_home(path)
            others = [name for name in CAMPAIGNS if name not in campaigns]
            scopes = [f"{kind}:{name}" for name in others for kind in ("campaign", "atoms", "synthesis")]
            with copy.control.write() as connection:
                connection.execute(delete(LakeFile).where(LakeFile.scope.in_(scopes)))
            granted = {(one, other) for one in campaigns for other in campaigns}
            Asking(ServedHome(BriefHome(copy), "")).grant(granted)
            self.references[campaigns] = copy
        return self.references[campaigns]


def make_asking(place: ServedHome) -> Asking:
    """A home with runs of three campaigns that say much the same, of which two are indexed."""
    story = place.story
    for campaign, rig, run in (("a", "rig-a", "r1"), ("a", "rig-b", "r2"), ("b", "rig-b", "r3"), ("c", "rig-b", "r4")):
        story.home.campaign(campaign)
        story.rig(rig).say_run(run)
        story.assign(run, campaign, rig)
        for number, text in enumerate(TEXTS):
            if (number + len(run) + ord(run[-1])) % 3:
                story.rig(rig).say_note(f"{text} {mark(campaign)}", run=run)
    for rig in ("rig-a", "rig-b"):
        story.send(rig)
    story.fold()
    for campaign in CAMPAIGNS:
        put_atoms(story.home, campaign, *[atom_row(f"{text} {mark(campaign)}", campaign) for text in TEXTS[:3]])
    index(story.home, "a")
    index(story.home, "b")
    return Asking(place)


# Ways to ask. Each answers {"results": [...], "atoms": [...]}.

AskForCampaign = Callable[[Asking, str, SearchQuery], Document]
AskForRun = Callable[[Asking, str, str, SearchQuery], Document]


def lists(found: SearchResults) -> Document:
    """What a search found, as all ways give it."""
    return {"results": found.results, "atoms": found.atoms}


def _library(asking: Asking, campaign: str, query: SearchQuery) -> Document:
    return lists(of_campaign(asking.home, campaign, query))


def of_campaign(home: Home, campaign: str, query: SearchQuery) -> SearchResults:
    """What a campaign finds, by the function that all ways go through."""
    return search(home.opened, SearchQuery(query.words, kinds=query.kinds, limit=query.limit, as_campaign=campaign))


def _over_http(role: str, asking: Asking, campaign: str, query: SearchQuery) -> Document:
    params = {"words": query.words, "limit": query.limit, "as": campaign, "kind": list(query.kinds)}
    answer = asking.client(role).get("/search", params=params)
    assert answer.status_code == 200
    return {name: answer.json()[name] for name in ("results", "atoms")}


def _picker(asking: Asking, campaign: str, query: SearchQuery) -> Document:
    return lists(offered(asking.home.opened, campaign, query.words, limit=query.limit))


def _picker_over_http(asking: Asking, campaign: str, query: SearchQuery) -> Document:
    params = {"words": query.words, "limit": query.limit, "campaign": campaign}
    answer = asking.client("operator").get("/search/briefing", params=params)
    assert answer.status_code == 200
    return {"results": answer.json()["results"], "atoms": []}


def _agents(asking: Asking, rig: str, run: str, query: SearchQuery) -> Document:
    return lists(search_for_run(asking.home.opened, rig, run, query))


def _agents_over_mcp(role: str, asking: Asking, rig: str, run: str, query: SearchQuery) -> Document:
    found = asking.calls(role, rig, run).call("search_past_research", words=query.words, limit=query.limit)
    return {name: found[name] for name in ("results", "atoms")}


FOR_CAMPAIGNS: dict[str, AskForCampaign] = {
    "library": _library,
    **{f"http as {role}": partial(_over_http, role) for role in ("owner", "operator", "reader")},
}
PICKERS: dict[str, AskForCampaign] = {"library": _picker, "http": _picker_over_http}
"""These offer `PICKED_KINDS` alone."""
FOR_RUNS: dict[str, AskForRun] = {
    "library": _agents,
    **{f"mcp as {role}": partial(_agents_over_mcp, role) for role in ("agent", "advisor")},
}
"""What the agents of a run ask with."""
