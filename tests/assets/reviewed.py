"""What tests of reviews through Dagster share: a campaign with facts that belong together, and a model that answers."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.atoms.talking import a_run
from tests.support.homes import Home
from tests.support.openai_server import Asked, OpenAIServer, Reply, openai_server, says
from tests.support.pipelines import Pipelines, open_pipelines
from tests.synthesis.saying import say_note
from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.knowledge.home import open_home

CAMPAIGN = "speed-up"
BACKFILL = {"dagster/backfill": "abc"}
MARKER = "zzwarmup"
NOTES = (
    "The loader reads {marker} shards from the replica disk in 4 ms when its cache is cold.",
    "The loader reads {marker} shards from the replica disk in 4 ms when the cache is cold.",
    "After a restart the {marker} cache is cold, and the loader waits for the replica disk for a minute.",
    "Pinning {marker} shards in the loader's cache ends the wait for the replica disk after a restart.",
    "The optimizer state of Adam takes 6 GB on the {marker} card.",
    "With 8 bits the optimizer state of Adam takes 2 GB on the {marker} card, and the loss stays.",
    "Activations grow with the batch: at 64 they take 11 GB on the {marker} card, besides the optimizer state.",
)
SYNTHESIS = ("pruned_facts", "distilled", "raptor", "methodologies")


def say_facts(home: Home, run: str = "run-1", marker: str = MARKER) -> None:
    """Notes of a run that become facts: some say the same, some belong together."""
    rig = a_run(home, run=run)
    for text in NOTES:
        say_note(rig, "lesson", text.format(marker=marker), run)
    rig.send()


@contextmanager
def reviewing(home: Home, patch: pytest.MonkeyPatch, **settings: object) -> Iterator[Pipelines]:
    """The rules answer; the campaign's facts are made, and not reviewed yet."""
    say_facts(home)
    with open_pipelines(home, patch, home.settings.dagster_home, **settings) as pipelines:
        pipelines.done("take_reports", "rig-a")
        pipelines.done("refresh_campaign", CAMPAIGN)
        yield pipelines


@contextmanager
def asking(
    home: Home, patch: pytest.MonkeyPatch, script: Callable[[Asked], Reply], **settings: object
) -> Iterator[tuple[Pipelines, OpenAIServer]]:
    """The same with a model behind a wire."""
    patch.setenv("OPENAI_API_KEY", "none")
    with openai_server(script) as server:
        wanted = {"llm_model": "openai/big-one", "llm_api_base": server.url, "llm_concurrency": 1} | settings
        with reviewing(home, patch, **wanted) as pipelines:
            yield pipelines, server


def shown_facts(asked: Asked) -> dict[str, Any]:
    """What stands beside the prompt of the first question about an item."""
    return json.loads(asked.body["messages"][1]["content"])


def step_of(asked: Asked) -> str:
    """The kind of item that a model is asked about."""
    shown = shown_facts(asked)
    if "synthesis" in shown:
        return "hypothesize"
    if "transitions" in shown or "members" in shown:
        return "reflect" if "transitions" in shown else "discover"
    properties = asked.body["response_format"]["json_schema"]["schema"]["properties"]
    return "prune" if "decisions" in properties else "distill"


def answer(asked: Asked) -> Reply:
    """Keep all that is to be judged, and a synthesis of the first two facts that are to be distilled."""
    step = step_of(asked)
    if step == "prune":
        records = shown_facts(asked)["facts"]
        kept = [{"path": one["path"], "action": "keep"} for one in records]
        return says({"decisions": kept}, usage=(1000, 1000))
    if step == "distill":
        refs = sorted(one["path"] for one in shown_facts(asked)["facts"])[:2]
        told = {"title": f"Both of {len(refs)}", "body": f"{MARKER} belongs together.", "type": "synthesis"}
        synthesis = told | {"refs": refs, "confidence": 0.7, "domain": [], "entities": []}
        return says({"synthesize": [synthesis], "retract": []}, usage=(1000, 1000))
    if step == "reflect":
        return says({"reasoning": "-", "reinforce": [], "propose": []}, usage=(1000, 1000))
    return says({"proposals": []} if step == "discover" else {"hypothesis": None}, usage=(1000, 1000))


def table(name: str, campaign: str = CAMPAIGN) -> list[dict[str, Any]]:
    """The rows of a derived table, sorted by their first column."""
    rows = DerivedReader(open_home()).rows(campaign, name)
    return sorted(rows, key=lambda row: str(next(iter(row.values()))))
