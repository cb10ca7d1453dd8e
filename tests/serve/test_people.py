"""What people look at and decide over HTTP: the same as with the commands, in the name of who holds the token."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.cli.commands import Cli
from tests.learnings.telling import ask, propose
from tests.serve.serving import ServedHome, answering
from tests.support.homes import Home, make_home
from thermite_pipelines.control.channel_models import HelpAction, LearningAction
from thermite_pipelines.control.models import Assignment, Grant, core_table
from thermite_pipelines.learnings.folding import refresh_channels

ATOM = {
    "type": "correction",
    "statement": "A warm-up of 500 steps is needed before the rate is raised",
    "established": "2026-11-01",
    "wrong_assumption": "No warm-up is needed",
    "why_confused": "Short runs look fine without one",
    "domain_tags": ["training"],
}


@pytest.fixture
def told(served: ServedHome) -> ServedHome:
    """Run `r1` noted something, asked for help and proposed a learning; both runs' items are folded."""
    served.story.note("r1", "the cache was cold")
    served.story.note("other", "batch 64 fits", rig="rig-b")
    rig = served.home.rig("rig-a")
    ask(rig, "r1", detail="There is no token for the registry")
    propose(rig, "r1")
    rig.send()
    served.home.intake("rig-a")
    refresh_channels(served.home.opened)
    return served


@pytest.fixture
def cli(told: ServedHome, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Commands on the same home."""
    monkeypatch.setenv("THERMITE_HOME", str(told.home.settings.home))
    return Cli(told.home, capsys)


def rows(home: Home, model: Any, *left_out: str) -> list[dict[str, Any]]:
    with home.control.read() as connection:
        found = [dict(row._mapping) for row in connection.execute(select(core_table(model)))]
    return [{name: value for name, value in row.items() if name not in left_out} for row in found]


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("/folders", ["folders"]),
        ("/folders?campaign=a", ["folders", "--campaign", "a"]),
        ("/items", ["items", "--limit", "100"]),
        ("/items?campaign=a&kind=note&kind=run", ["items", "--campaign", "a", "--kind", "note", "--kind", "run"]),
        ("/items?run=other&limit=1", ["items", "--run", "other", "--limit", "1"]),
        ("/search?words=cache", ["search", "cache", "--limit", "20"]),
        ("/search?words=64&as=a&kind=note", ["search", "64", "--as", "a", "--kind", "note"]),
        (
            "/search?words=batch&folder=b&until=2026-12-31",
            ["search", "batch", "--folder", "b", "--until", "2026-12-31"],
        ),
        ("/grants", ["grants"]),
        ("/explain?id=run:rig-a/r1/r1", ["explain", "run:rig-a/r1/r1"]),
        ("/learnings", ["learnings", "list"]),
        ("/learnings?state=lapsed", ["learnings", "list", "--state", "lapsed"]),
    ],
)
def test_kb_32_pages_and_commands_read_the_same(told: ServedHome, cli: Cli, path: str, command: list[str]) -> None:
    served, printed = told.client("reader").get(path), cli.json(*command)
    assert served.status_code == 200
    document = served.json()
    assert document.pop("notices", []) == []
    assert document == printed
    assert any(printed.values()) or "lapsed" in path or "as=a" in path or path == "/grants"


def test_help_requests_are_listed_as_by_the_command(told: ServedHome, cli: Cli) -> None:
    served = told.client("reader").get("/help", params={"open": "true", "campaign": "a"}).json()["requests"]
    assert served == cli.json("requests", "list", "--open")["requests"]
    assert [row["run"] for row in served] == ["r1"]
    assert told.client("reader").get("/help?run=nobody").json() == {"requests": []}


def test_a_grant_is_given_and_taken_in_the_name_of_whoever_holds_the_token(told: ServedHome) -> None:
    ada = told.client("operator", name="Ada")
    assert ada.put("/grants/a/b").json() == {"changed": True, "reader": "a", "source": "b"}
    assert ada.put("/grants/a/b").json()["changed"] is False
    assert [row["granted_by"] for row in rows(told.home, Grant)] == ["Ada"]
    assert ada.delete("/grants/a/b").json()["changed"] is True
    assert ada.delete("/grants/a/b").json()["changed"] is False
    for action in ("grant", "revoke"):
        (entry,) = told.audited(action)
        assert (entry["by"], entry["subject"]) == ("Ada", "a")
        assert entry["detail"]["from"].startswith("http 127.0.0.1 token ")
    for path in ("/grants/a/none", "/grants/none/a"):
        assert ada.put(path).status_code == 404
    assert ada.put("/grants/a/a").status_code == 409
    assert ada.put("/grants/A/b").status_code == 422


def test_kb_60_a_run_is_assigned_with_a_briefing_in_controls_own_words(told: ServedHome) -> None:
    client = told.client("owner", name="Ada")
    note = client.get("/items?campaign=a&kind=note").json()["items"][0]
    secret = client.get("/items?campaign=b&kind=note").json()["items"][0]["item"]
    body = {"rig": "rig-a", "run": "r7", "campaign": "a", "brief": [note["item"]], "flags": ["--fast"]}
    refused = client.post("/assignments", json=body | {"brief": [secret]})
    assert (refused.status_code, secret in refused.json()["detail"]) == (409, True)
    done = client.post("/assignments", json=body)
    assert done.json() == {
        "rig": "rig-a",
        "run": "r7",
        "campaign": "a",
        "command": "commands/rig-a/r7.dsse.json",
        "changed": True,
        "notices": [],
    }
    (row,) = [row for row in rows(told.home, Assignment) if row["run"] == "r7"]
    assert [picked["text"] for picked in row["command"]["briefing"]] == ["the cache was cold"]
    assert row["assigned_by"] == "Ada"
    assert client.post("/assignments", json=body).json()["changed"] is False
    assert client.post("/assignments", json=body | {"campaign": "b"}).status_code == 409
    assert client.post("/assignments", json=body | {"briefing": "my own words"}).status_code == 422
    assert "r7" in {row["run"] for row in client.get("/assignments").json()["assignments"]}


def test_hl_16_a_reply_over_http_does_what_the_command_does(told: ServedHome, cli: Cli, tmp_path: Path) -> None:
    client = told.client("operator", name="Ada")
    shutil.copytree(told.home.settings.home, tmp_path / "other-home")
    other = make_home(tmp_path / "other-home")
    body = {"run": "r1", "text": "Use the mirror", "flags": ["--mirror"]}
    with answering(other) as url:
        client.base_url = url
        served = client.post("/help/reply", json=body).json()
    printed = cli.json("requests", "reply", "r1", "--text", "Use the mirror", "--by", "Ada", "--flag", "--mirror")
    assert served.pop("notices") == []
    random = {"reply", "command"}
    assert {name: served[name] for name in served.keys() - random} == {
        name: printed[name] for name in printed.keys() - random
    }
    assert served["changed"] and served["reply"].startswith("reply-")
    for model, left_out in ((HelpAction, ("reply", "at")), (Assignment, ("run", "command", "assigned_at"))):
        assert rows(other, model, *left_out) == rows(told.home, model, *left_out)
    commands = [
        {name: value for name, value in row["command"].items() if name not in ("id", "at", "run")}
        for home in (other, told.home)
        for row in rows(home, Assignment)
        if row["run"].startswith("reply-")
    ]
    assert commands[0] == commands[1]
    other.close()


def test_requests_are_resolved(told: ServedHome) -> None:
    client = told.client("operator")
    assert client.post("/help/resolve", json={"run": "r1"}).json()["changed"] is True
    assert client.post("/help/resolve", json={"run": "r1"}).json()["changed"] is False
    assert client.get("/help?open=true").json() == {"requests": []}
    assert client.post("/help/resolve", json={"run": "nobody"}).status_code == 404
    assert client.post("/help/reply", json={"run": "r1", "text": " "}).status_code == 422


def test_hl_27_a_learning_is_kept_or_dropped_over_http(told: ServedHome) -> None:
    client = told.client("operator", name="Ada")
    (row,) = client.get("/learnings").json()["learnings"]
    url = f"/learnings/{row['id']}"
    kept = client.patch(url, json={"decision": "keep"})
    assert kept.json() == {"changed": True, "id": row["id"], "campaign": "a", "agent": "worker", "state": "confirmed"}
    assert client.patch(url, json={"decision": "keep"}).json()["changed"] is False
    assert client.patch(url, json={"decision": "drop", "confirm": True}).json()["state"] == "rejected"
    assert [row["by"] for row in rows(told.home, LearningAction)] == ["Ada", "Ada"]
    again = client.patch(url, json={"decision": "keep"})
    assert (again.status_code, "a person dropped it" in again.json()["detail"]) == (409, True)
    assert client.patch("/learnings/rig-a/r1/none", json={"decision": "keep"}).status_code == 404


def test_hl_28_dropping_asks_for_confirmation_and_keeping_does_not(told: ServedHome) -> None:
    client = told.client("operator")
    url = f"/learnings/{client.get('/learnings').json()['learnings'][0]['id']}"
    for body in ({"decision": "drop"}, {"decision": "drop", "confirm": False}):
        answer = client.patch(url, json=body)
        assert (answer.status_code, "confirm" in answer.json()["detail"]) == (409, True)
    for body in ({"decision": "drop", "confirm": "yes"}, {"decision": "reject"}, {}, []):
        assert client.patch(url, json=body).status_code == 422
    assert rows(told.home, LearningAction) == []
    assert client.patch(url, json={"decision": "keep"}).status_code == 200


def test_at_17_atoms_are_proposed_one_by_one_and_many_at_once(told: ServedHome) -> None:
    client = told.client("operator", name="Ada")
    one = client.post("/knowledge-atoms/propose", params={"campaign": "a"}, json=ATOM)
    assert [row["outcome"] for row in one.json()["results"]] == ["stored"], one.text
    assert client.post("/knowledge-atoms/propose?campaign=a", json=ATOM).json()["changed"] is False
    statements = [f"Shard {number} is read in {number + 3} seconds by one worker" for number in range(4)]
    batch: list[dict[str, Any]] = [ATOM | {"statement": statement} for statement in statements]
    batch[1] = {"type": "rumour"}
    many = client.post("/knowledge-atoms/propose-batch?campaign=a", json={"atoms": batch}).json()["results"]
    assert [row["outcome"] for row in many] == ["stored", "refused", "stored", "stored"]
    assert many[1]["reason"]
    assert {entry["by"] for entry in told.audited("propose")} == {"Ada"}


def test_at_18_proposing_needs_a_key(told: ServedHome) -> None:
    for role in (None, "reader", "rig", "agent"):
        for way in ("propose", "propose-batch"):
            answer = told.client(role).post(f"/knowledge-atoms/{way}?campaign=a", json=ATOM)
            assert answer.status_code == (401 if role is None else 403)
    assert told.audited("propose") == []


def test_what_is_proposed_in_another_form_is_refused(told: ServedHome) -> None:
    client = told.client("operator")
    for way, body in (
        ("propose", b"{"),
        ("propose", b'{"type": "finding", "type": "pattern"}'),
        ("propose", b'{"atoms": []}'),
        ("propose", b"\xff"),
        ("propose-batch", b"[]"),
        ("propose-batch", b'{"atoms": {}}'),
        ("propose-batch", b"[" * 100_000),
    ):
        assert client.post(f"/knowledge-atoms/{way}?campaign=a", content=body).status_code == 422, body[:30]
    assert client.post("/knowledge-atoms/propose?campaign=none", json=ATOM).status_code == 404
    assert client.post("/knowledge-atoms/propose", json=ATOM).status_code == 422


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/folders?campaign=none", 404),
        ("/folders?campaign=A%20B", 422),
        ("/items?kind=thing", 422),
        ("/items?limit=0", 422),
        ("/items?limit=100000", 422),
        ("/items?run=..%2F..", 422),
        ("/search?words=%20", 422),
        ("/search?words=x&kind=odd", 422),
        ("/search?words=x&folder=none", 404),
        ("/search?words=x&as=none", 404),
        ("/search?words=x&rig=none", 404),
        ("/search?words=x&since=1", 422),
        ("/search?words=x&limit=9999", 422),
        ("/explain", 422),
        ("/explain?id=nonsense", 422),
        ("/explain?id=note:rig-a/r1/none", 404),
        ("/explain?id=a/ffffffffffff", 404),
        ("/learnings?state=odd", 422),
        ("/audit?since=yesterday", 422),
        ("/folders/none", 404),
    ],
)
def test_wrong_questions_get_problem_documents_without_internals(told: ServedHome, path: str, status: int) -> None:
    answer = told.client("owner").get(path)
    assert (answer.status_code, answer.json()["status"]) == (status, status), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert str(told.home.settings.home) not in answer.text
    assert "Traceback" not in answer.text


def test_the_audit_log_is_for_those_who_decide(told: ServedHome, cli: Cli) -> None:
    client = told.client("owner")
    assert client.get("/audit").json() == cli.json("audit")
    assert client.get("/audit?since=2100-01-01T00:00:00Z").json() == {"entries": []}
    assert "thermite_" not in client.get("/audit").text
