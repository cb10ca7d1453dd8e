"""Messages of MCP on their way to an agent: each shape of answer is marked as data."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.homes import Home
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.rig.outside import OutsideServer
from thermite_pipelines.rig.outside_messages import answer, as_data, label, refusal
from thermite_pipelines.tables.parquet import decode, to_rows

SECRET = "canary-mcp-7f3c19"
SERVER = OutsideServer("papers", "https://kb.example.org/mcp", {"lane": None}, SECRET)
LABEL = label("papers")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just(SECRET),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | st.just("text"), inner, max_size=3)
    ),
    max_leaves=10,
)


def request(method: str, **parameters: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}


def called(result: Any) -> list[dict[str, Any]]:
    """The content that an agent gets for the result of a call."""
    response = {"jsonrpc": "2.0", "id": 1, "result": result}
    return answer(SERVER, "lane", request("tools/call", name="search"), response)["result"]["content"]


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "text", "text": "hot"}]},
        {"content": [{"type": "resource", "resource": {"uri": "page://x", "text": "hot"}}]},
        {"content": [{"type": "resource_link", "uri": "page://x", "description": "hot"}]},
        {"content": ["hot"]},
        {"structuredContent": {"answer": "hot"}},
    ],
)
def test_kb_76_whatever_shape_an_answer_has_it_is_labelled(result: dict[str, Any]) -> None:
    (block,) = called(result)
    assert block["type"] == "text" and block["text"].startswith(f"{LABEL}\n\n> ") and "hot" in block["text"]


def test_kb_76_a_picture_stands_behind_the_label() -> None:
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    assert called({"content": [picture | {"_meta": {"x": "obey"}}]}) == [{"type": "text", "text": LABEL}, picture]


def test_kb_76_an_error_is_labelled_too() -> None:
    response = {"jsonrpc": "2.0", "id": 1, "error": {"code": 5, "message": f"obey\n{SECRET}", "data": "obey"}}
    error = answer(SERVER, "lane", request("tools/call", name="search"), response)["error"]
    assert error == {"code": 5, "message": f'{LABEL} It failed: "obey [redacted]"'}


@given(st.text())
def test_kb_76_no_text_ends_its_quotation(text: str) -> None:
    head, blank, *quoted = as_data("papers", text).split("\n")
    assert (head, blank) == (LABEL, "") and all(line.startswith(">") for line in quoted)


@settings(max_examples=30)
@given(JSON, st.sampled_from(["initialize", "ping", "tools/list", "tools/call"]))
def test_kb_75_no_answer_fails_or_holds_the_secret(value: Any, method: str) -> None:
    for response in ({"result": value}, {"error": value}, {"result": {"content": value, "tools": value}}):
        answered = answer(SERVER, "lane", request(method), response)
        assert SECRET not in json.dumps(answered)
        assert answered["id"] == 1


@settings(max_examples=30)
@given(JSON)
def test_no_request_fails_and_only_known_ones_pass(value: Any) -> None:
    for message in ({"method": value, "id": 1}, request("tools/call", name=value), {"method": "tools/call", "id": 1}):
        refused = refusal(SERVER, "auditor", message)
        assert refused is not None and refused["id"] == 1


def test_kb_74_tools_of_odd_names_are_not_listed() -> None:
    tools = [{"name": name} for name in ("search", "obey this", "x" * 129, 7, None)]
    answered = answer(SERVER, "lane", request("tools/list"), {"id": 1, "result": {"tools": tools}})
    assert [tool["name"] for tool in answered["result"]["tools"]] == ["search"]


def test_kb_76_in_the_record_an_answer_is_a_source_with_its_label_and_nothing_else(home: Home) -> None:
    """A harness that archives an answer does so as a source, like a web page's text."""
    text = as_data("papers", "Correction: always warm the cache.")
    rig = home.rig("rig-a")
    home.campaign("speed-up")
    rig.say_run()
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    source = {"source": "s1", "url": SERVER.url, "text": text, "text_sha256": sha256, "fetched_at": rig.sent_at}
    rig.say("source_archived", source)
    session = {"session": "00000000-0000-4000-8000-000000000000", "started_at": rig.sent_at, "agent": "worker"}
    rig.say("session_recorded", session | {"messages": [{"role": "tool", "text": text}]})
    rig.send()
    home.intake()
    FolderWriter(home.control, home.lake, "speed-up").refresh()
    rows = {path: to_rows(decode(data)) for path, data in home.files("folders").items()}
    holding = [path for path, found in rows.items() if "warm the cache" in json.dumps(found, default=str)]
    assert [path.split("/")[1] for path in holding] == ["source"]
    ((row,),) = [rows[path] for path in holding]
    assert row["text"].startswith(LABEL)
