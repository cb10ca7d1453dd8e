"""`thermite review` and `thermite hypothesize`: what they print, and how they end."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.assets.reviewed import CAMPAIGN, MARKER, NOTES, answer, asking, say_facts, table
from tests.cli.commands import Cli
from tests.support.homes import Home
from tests.support.openai_server import Asked, Reply, fails, openai_server
from tests.support.pipelines import environment
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.synthesis.opening import open_synthesis
from thermite_pipelines.synthesis.work import Request

pytestmark = pytest.mark.full  # each test lets whole programs work

NONE = {"0": 0, "1": 0, "2": 0, "3": 0}
FREE = {"calls": 0, "cached": 0, "usd": 0.0}


@pytest.fixture
def spoken(cli: Cli) -> Cli:
    """A home with facts, taken up and not reviewed."""
    say_facts(cli.home)
    assert cli.json("refresh", "--no-llm")["ok"]
    return cli


def count_of(home: Home, rows: str) -> int:
    return sum(row["retracted_by"] is None and row["superseded_by"] is None for row in table(rows))


def test_a_review_says_what_it_decided(spoken: Cli) -> None:
    first = spoken.json("review", "--campaign", CAMPAIGN)
    assert list(first) == [
        *["campaign", "pruned", "merged", "updated", "synthesized", "reinforced", "methodologies"],
        *["calls", "cached", "usd"],
    ]
    assert first["merged"] > 0 and first["synthesized"]["0"] > 0
    assert len(table("facts")) == len(NOTES)
    assert sum(first["synthesized"].values()) == len(table("syntheses"))
    again = spoken.json("review", "--campaign", CAMPAIGN, "--effort", "normal")
    nothing = dict.fromkeys(("pruned", "merged", "updated", "reinforced", "methodologies"), 0)
    assert again == {"campaign": CAMPAIGN, "synthesized": NONE} | nothing | FREE
    assert "syntheses: none new" in spoken.say("review", "--campaign", CAMPAIGN)
    walked = spoken.json("hypothesize", "--campaign", CAMPAIGN)
    live = count_of(spoken.home, "syntheses")
    assert walked == {"campaign": CAMPAIGN, "walked": live, "skipped": live, "hypotheses": 0} | FREE


def test_a_dry_run_asks_nobody_and_writes_nothing(spoken: Cli) -> None:
    before = spoken.home.files("")
    planned = spoken.json("review", "--campaign", CAMPAIGN, "--dry-run")
    assert set(planned["items"]) == {"prune", "distill"}
    assert planned == {"campaign": CAMPAIGN, "items": planned["items"], "calls": 0, "tokens": 0, "usd": 0.0}
    assert spoken.json("hypothesize", "--campaign", CAMPAIGN, "--dry-run")["items"] == {}
    assert spoken.home.files("") == before
    assert spoken.json("refresh")["runs"][0]["job"] == "review_campaign"
    assert spoken.json("review", "--campaign", CAMPAIGN, "--dry-run")["items"] == {}
    assert "items: none" in spoken.say("review", "--campaign", CAMPAIGN, "--dry-run")
    walks = spoken.json("hypothesize", "--campaign", CAMPAIGN, "--dry-run")["items"]["hypothesize"]
    assert walks == count_of(spoken.home, "syntheses")


def test_wrong_usage_and_what_can_not_be_done(spoken: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("review", "hypothesize"):
        assert "normal, medium, high" in spoken.fail(command, "--campaign", CAMPAIGN, "--effort", "some", code=2)
        assert "no campaign" in spoken.fail(command, "--campaign", "nowhere")
        spoken.fail(command, "--campaign", "No/Name", code=2)
    queue = open_synthesis(open_home()).queue
    queue.start(Request(CAMPAIGN, "review", "http"))
    assert "is being answered over http" in spoken.fail("review", "--campaign", CAMPAIGN)
    monkeypatch.setenv("THERMITE_EMBED_MODEL", "none")
    for words in (("review", "--campaign", CAMPAIGN), ("hypothesize", "--campaign", CAMPAIGN), ("refresh",)):
        assert "THERMITE_EMBED_MODEL" in spoken.fail(*words)
    assert spoken.json("refresh", "--no-llm")["ok"]


def test_refresh_reviews_what_is_behind_and_nothing_else(spoken: Cli) -> None:
    jobs = [run["job"] for run in spoken.json("refresh")["runs"]]
    assert jobs[0] == "review_campaign" and "hypothesize_campaign" not in jobs
    assert spoken.json("refresh")["runs"] == []
    path = spoken.home.settings.home / "lake" / "derived" / "syntheses" / f"campaign={CAMPAIGN}" / "syntheses.parquet"
    before = path.read_bytes()
    path.write_bytes(b"no table")
    assert [run["job"] for run in spoken.json("refresh")["runs"]][:1] == ["review_campaign"]
    assert path.read_bytes() == before


def test_a_rebuild_replays_decisions_to_the_same_tables(spoken: Cli) -> None:
    spoken.json("refresh")
    before, decisions = spoken.home.files("derived"), len(table("decisions"))
    jobs = [run["job"] for run in spoken.json("rebuild", "--campaign", CAMPAIGN)["runs"]]
    assert jobs[-1] == "review_campaign"
    assert spoken.home.files("derived") == before and len(table("decisions")) == decisions


def test_an_item_without_an_answer_is_an_error_after_the_counts(
    home: Home, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asking(cli.home, monkeypatch, lambda asked: fails(401)) as (_, server):
        ended = cli.run("review", "--campaign", CAMPAIGN, "--json")
        assert ended.code == 1
        document = json.loads(ended.out)
        assert (document["usd"], document["cached"]) == (0.0, 0) and document["merged"] > 0
        assert "no answer that counts" in ended.err.splitlines()[-1] and MARKER not in ended.err
        server.script = answer
        document = cli.json("review", "--campaign", CAMPAIGN)
        assert document["synthesized"]["0"] > 0 and document["calls"] > 0 and document["usd"] is None


@pytest.fixture
def patient(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Cli, threading.Event, threading.Event]]:
    """A model that answers one question, and then lets wait until it is told otherwise."""
    asked, go_on = threading.Event(), threading.Event()

    def script(question: Asked) -> Reply:
        if question.number >= 1 and not go_on.is_set():
            asked.set()
            go_on.wait(300)
        return answer(question)

    say_facts(cli.home)
    with openai_server(script) as server:
        for name, value in (("MODEL", "openai/big-one"), ("API_BASE", server.url), ("CONCURRENCY", "1")):
            monkeypatch.setenv(f"THERMITE_LLM_{name}", value)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        assert cli.json("refresh", "--no-llm")["ok"]
        yield cli, asked, go_on
        go_on.set()


def test_a_review_that_is_killed_is_taken_up_by_the_next(
    patient: tuple[Cli, threading.Event, threading.Event],
) -> None:
    cli, asked, go_on = patient
    llm = {name: value for name, value in os.environ.items() if name.startswith("THERMITE_LLM_")}
    command = "from thermite_pipelines.cli.main import main; main()"
    child = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", command, "review", "--campaign", CAMPAIGN],
        env=environment(cli.home, **llm),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert asked.wait(300), child.poll()
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    go_on.set()
    half = len(table("decisions")) if (cli.home.settings.home / "lake" / "derived" / "decisions").exists() else 0
    document = cli.json("review", "--campaign", CAMPAIGN)
    assert document["calls"] > 0 and len(table("decisions")) > half
    with cli.home.control.read() as connection:
        statuses = connection.exec_driver_sql("SELECT status, COUNT(*) FROM synthesis_sessions GROUP BY 1").all()
    assert [tuple(row) for row in statuses] == [("completed", 1)]
    assert cli.json("review", "--campaign", CAMPAIGN)["calls"] == 0
