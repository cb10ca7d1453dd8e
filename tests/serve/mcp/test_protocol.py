"""MCP over HTTP as it is spoken: what is no message, what is bounded, what goes wrong inside."""

import json
import logging
from typing import Any

import httpx
import pytest
from mcp import MCPError

from tests.serve.mcp.calling import Calls
from tests.serve.serving import ServedHome
from tests.serve.test_people import ATOM
from thermite_pipelines.control.tokens import revoke_token, tokens
from thermite_pipelines.knowledge import listing
from thermite_pipelines.serve import guard
from thermite_pipelines.serve.mcp.http import PATH

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json", "Content-Type": "application/json"}


def post(served: ServedHome, body: Any, role: str | None = "owner", **headers: str) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return served.client(role).post(PATH, content=content, headers=ACCEPT | headers)


def test_a_message_is_one_request_with_one_document_and_no_session(shared: ServedHome) -> None:
    answer = post(shared, LIST)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert "mcp-session-id" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"
    names = [tool["name"] for tool in answer.json()["result"]["tools"]]
    assert "kb_grant" in names
    for tool in answer.json()["result"]["tools"]:
        assert tool["inputSchema"]["type"] == "object" and tool["inputSchema"]["additionalProperties"] is False
        assert tool["description"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff", [LIST, LIST], {"jsonrpc": "1.0"}, b"[" * 50_000, {**LIST, "method": 3}],
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_what_is_no_message_is_refused(shared: ServedHome, body: Any, version: str) -> None:
    answer = post(shared, body, **{"MCP-Protocol-Version": version})
    assert answer.status_code == 400, answer.text
    assert "Traceback" not in answer.text


def test_streams_and_sessions_are_not_offered(shared: ServedHome) -> None:
    client = shared.client("owner")
    for method in ("GET", "DELETE"):
        answer = client.request(method, PATH, headers={"Accept": "text/event-stream"})
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert post(shared, LIST, **{"Mcp-Session-Id": "made up"}).status_code == 200


def test_the_guard_stands_before_it(served: ServedHome) -> None:
    assert post(served, LIST, None).status_code == 401
    assert post(served, LIST, "rig").status_code == 403
    assert post(served, b" " * (guard.BODY_BYTES + 1)).status_code == 413
    secret = served.token("owner", name="going")
    with Calls.to(served.url, secret) as calls:
        assert calls.tools()
        with served.home.control.write() as connection:
            (row,) = [row for row in tokens(connection) if row["name"] == "going"]
            revoke_token(connection, row["id"], "tester")
        with pytest.raises(MCPError):
            calls.call("kb_folders")


def test_what_goes_wrong_inside_is_a_reference(
    served: ServedHome, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ValueError(f"secret words of {served.home.settings.home}")

    monkeypatch.setattr(listing, "folder_rows", fail)
    with Calls.to(served.url, served.token("owner")) as calls, caplog.at_level(logging.ERROR):
        line = calls.refusal("kb_folders")
    assert line.rpartition(" ")[2] in caplog.text
    assert "secret words" not in line + caplog.text


def test_tools_answer_as_the_routes_of_the_same_names(served: ServedHome) -> None:
    served.story.note("r1", "the cache was cold")
    people = served.client("owner")
    with Calls.to(served.url, served.token("operator", name="Ada")) as calls:
        label = calls.call("kb_folders").pop("data")
        assert calls.call("kb_folders") == people.get("/folders").json() | {"data": label}
        assert calls.call("kb_folders", campaign="b")["folders"] == people.get("/folders?campaign=b").json()["folders"]
        found = calls.call("kb_search", words="cache", kinds=["note"], folders=["a"], since="2020-01-01", limit=3)
        routed = people.get("/search?words=cache&kind=note&folder=a&since=2020-01-01&limit=3").json()
        assert found == routed | {"data": label} and len(found["results"]) == 1
        assert calls.call("kb_grant", reader="a", source="b") == {"changed": True, "reader": "a", "source": "b"}
        assert calls.call("kb_grant", reader="a", source="b")["changed"] is False
        assert calls.call("kb_revoke", reader="a", source="b")["changed"] is True
        for name, arguments, says in (
            ("kb_grant", {"reader": "a", "source": "none"}, "none"),
            ("kb_search", {"words": " "}, "no word"),
            ("kb_search", {"words": "x", "rig": "none"}, "none"),
            ("kb_search", {"words": "x", "limit": 1_000}, "limit: "),
            ("kb_search", {"words": "x", "kinds": ["odd"]}, "kinds/0: "),
            ("kb_folders", {"campaign": "none"}, "none"),
        ):
            assert says in calls.refusal(name, **arguments), name
    for action in ("grant", "revoke"):
        (entry,) = served.audited(action)
        assert entry["by"] == "Ada" and entry["detail"]["from"].startswith("http 127.0.0.1 token ")


def test_at_16_at_17_atoms_are_proposed_over_mcp(served: ServedHome) -> None:
    batch = [ATOM, {"type": "rumour"}, ATOM | {"statement": "Shard 7 is read in 9 seconds by one worker"}, "no atom"]
    with Calls.to(served.url, served.token("operator", name="Ada")) as calls:
        results = calls.call("atoms_propose", campaign="a", atoms=batch)["results"]
        assert [row["outcome"] for row in results] == ["stored", "refused", "stored", "refused"]
        assert all(row["reason"] for row in results if row["outcome"] == "refused")
        assert "none" in calls.refusal("atoms_propose", campaign="none", atoms=[ATOM])
    assert {entry["by"] for entry in served.audited("propose")} == {"Ada"}
