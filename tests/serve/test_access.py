"""Who gets in, who does not, and what the audit log says of it."""

import logging
from collections.abc import Iterator

import httpx
import pytest

from tests.serve.serving import ROLES, ServedHome, answering
from tests.support.homes import make_home
from thermite_pipelines.control.tokens import revoke_token, tokens
from thermite_pipelines.serve import connections, guard, refusals
from thermite_pipelines.serve.access import GuardedRoute, router
from thermite_pipelines.serve.app import all_routes
from thermite_pipelines.serve.roles import ANYONE

PLACES = {"rig": "rig-a", "run": "r1", "reader": "a", "source": "b", "id": "rig-a/r1/l1", "path": "README.md"}


def asked(route: GuardedRoute) -> tuple[str, str]:
    """Method and path of a request that a route is for."""
    method, path = route.requests[0].split(" ")
    return method, "/".join(PLACES.get(part.strip("{}"), part) for part in path.split("/"))


@pytest.mark.parametrize("role", [*ROLES, None])
def test_kb_45_each_role_can_ask_for_what_its_routes_say_and_for_nothing_else(
    served: ServedHome, role: str | None
) -> None:
    """KB-45, AT-18: grants are given and taken by owners and operators alone; without a token nothing is."""
    client = served.client(role)
    for route in all_routes():
        method, path = asked(route)
        answer = client.request(method, path, content=b"{")
        if route.roles == ANYONE:
            assert answer.status_code == 200
        elif role is None:
            assert answer.status_code == 401, path
            assert answer.headers["www-authenticate"] == "Bearer"
        elif role in route.roles:
            assert answer.status_code not in (401, 403), (path, answer.text)
        else:
            assert answer.status_code == 403, (path, answer.text)
            assert answer.json()["title"] == "Forbidden"


def test_kb_44_no_role_but_owner_and_operator_can_make_a_grant(served: ServedHome) -> None:
    for role in ("reader", "agent", "advisor", "rig", None):
        assert served.client(role).put("/grants/a/b").status_code in (401, 403)
    assert served.client("owner").get("/grants").json() == {"grants": []}
    assert served.audited("grant") == []


def test_a_token_that_is_revoked_counts_no_more_from_the_next_request_on(served: ServedHome) -> None:
    client = served.client("reader")
    assert client.get("/folders").status_code == 200
    with served.home.control.write() as connection:
        (row,) = tokens(connection)
        assert revoke_token(connection, row["id"], "tester")
    assert client.get("/folders").status_code == 401


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Basic {}", "Bearer {}x", "bearer {} {}", "Bearer {short}", "{}", "Bearer thermite_' OR 1=1"],
)
def test_what_is_no_token_is_refused(served: ServedHome, header: str) -> None:
    secret = served.token("owner")
    header = header.replace("{short}", secret[:-1]).replace("{}", secret)
    client = served.client()
    assert client.get("/folders", headers={"Authorization": header}).status_code == 401


def test_two_tokens_at_once_are_none(served: ServedHome) -> None:
    first, second = served.token("owner"), served.token("reader")
    headers = [("Authorization", f"Bearer {first}"), ("Authorization", f"Bearer {second}")]
    assert served.client().get("/folders", headers=headers).status_code == 401


def test_what_is_not_there_is_hidden_from_whoever_shows_no_token(served: ServedHome) -> None:
    assert served.client().get("/nothing").status_code == 401
    assert served.client().get("/health/../folders").status_code == 401
    assert served.client("owner").get("/nothing").status_code == 404


def test_a_token_of_a_run_counts_only_while_the_run_is_assigned(served: ServedHome) -> None:
    from sqlalchemy import delete

    from thermite_pipelines.control.models import Assignment

    client = served.client("agent")
    assert client.get("/folders").status_code == 403
    with served.home.control.write() as connection:
        connection.execute(delete(Assignment).where(Assignment.run == "r1"))
    assert client.get("/folders").status_code == 401


def test_another_rigs_run_is_404_and_audited(served: ServedHome) -> None:
    client = served.client("rig", name="the rig")
    ways = ("reports", "runs/other/command", "runs/other/knowledge/manifest", "runs/other/briefs/planner")
    answers = [client.get(f"/rigs/rig-b/{way}") for way in ways[1:]]
    answers += [client.post("/rigs/rig-b/reports", content=b"x")]
    # A run of the other rig under one's own name, one that is nowhere, a rig that is nowhere: all look the same.
    places = ("rig-a/runs/other/command", "rig-a/runs/none/command", "rig-c/runs/r1/command")
    answers += [client.get(f"/rigs/{place}") for place in places]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    refused = served.audited("refuse")
    assert len(refused) == len(answers)
    assert {(entry["by"], entry["detail"]["status"], entry["detail"]["role"]) for entry in refused} == {
        ("the rig", 404, "rig")
    }
    assert "GET /rigs/rig-b/runs/other/command" in {entry["subject"] for entry in refused}
    assert {entry["detail"]["from"] for entry in refused} == {"127.0.0.1"}
    assert served.inbox("rig-b").keys() == set()


def test_refusals_do_not_fill_the_audit_log(served: ServedHome) -> None:
    client, stranger = served.client("reader"), served.client()
    for number in range(10):
        assert client.put("/grants/a/b").status_code == 403
        assert stranger.get(f"/folders/{number}").status_code == 401
    refused = served.audited("refuse")
    assert [(entry["subject"], entry["detail"]["status"]) for entry in refused] == [
        ("PUT /grants/a/b", 403),
        ("GET /folders/0", 401),
    ]
    assert refused[1]["by"] == "unknown"


def test_a_token_fills_no_audit_log_by_asking_for_ever_other_things(served: ServedHome) -> None:
    agent = served.client("agent")
    for number in range(refusals.ENTRIES_PER_MINUTE + 5):
        assert agent.get(f"/rigs/x{number}/runs").status_code == 403
    assert len(served.audited("refuse")) == refusals.ENTRIES_PER_MINUTE


@pytest.mark.parametrize("sent", [b"", b"GET /health HT", b"GET /health HTTP/1.1\r\nHost: a\r\n"])
def test_a_connection_that_does_not_come_to_the_end_of_asking_is_closed(
    served: ServedHome, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connections, "IDLE_SECONDS", 0.05)
    assert served.raw(sent) == b""


def test_a_connection_stays_open_for_the_next_request(served: ServedHome) -> None:
    request = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
    last = request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    assert served.raw(request + last).count(b'{"ok":true}') == 2


def test_strangers_are_slowed_down_and_whoever_has_a_token_is_not(
    served: ServedHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "STRANGERS_PER_MINUTE", 1)
    headers = {"Authorization": f"Bearer {served.token('reader')}"}
    with answering(served.home) as url, httpx.Client(base_url=url, trust_env=False) as client:
        assert client.get("/folders").status_code == 401
        slowed = client.get("/folders")
        assert (slowed.status_code, slowed.json()["title"]) == (429, "Too Many Requests")
        assert 1 <= int(slowed.headers["retry-after"]) <= 61
        assert client.get("/folders", headers=headers).status_code == 200


def test_a_token_has_so_many_requests_a_minute(served: ServedHome) -> None:
    few = make_home(served.home.settings.home, serve_requests_per_minute=2)
    first, second = ({"Authorization": f"Bearer {served.token('reader')}"} for _ in range(2))
    with answering(few) as url, httpx.Client(base_url=url, trust_env=False) as client:
        codes = [client.get("/grants", headers=headers).status_code for headers in (first, first, first, second)]
    few.close()
    assert codes == [200, 200, 429, 200]


def test_bodies_have_a_size_and_a_time(served: ServedHome, monkeypatch: pytest.MonkeyPatch) -> None:
    client = served.client("owner")

    def endless() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 2**17

    for body in (b" " * (guard.BODY_BYTES + 1), endless()):
        answer = client.post("/help/reply", content=body)
        assert (answer.status_code, answer.json()["status"]) == (413, 413)
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.3)
    head = f"POST /help/reply HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {served.token('owner')}\r\n"
    head += "Content-Type: application/json\r\nConnection: close\r\nContent-Length: 9\r\n\r\n"
    raw = served.raw(head.encode() + b"{")
    assert raw.startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize(
    "request_line",
    ["GET /folders HTTP/9.9", "GET  HTTP/1.1", "\x00\x01", "GET /folders HTTP/1.1\r\nX: " + "a" * 60_000],
)
def test_what_is_no_request_is_no_harm(served: ServedHome, request_line: str) -> None:
    assert served.raw(f"{request_line}\r\nHost: x\r\nConnection: close\r\n\r\n".encode()).startswith(b"HTTP/1.1 4")
    assert served.client().get("/health").json() == {"ok": True}


def test_every_answer_carries_the_headers_that_keep_browsers_out(served: ServedHome) -> None:
    answers = [served.client().get("/health"), served.client().get("/x"), served.client("owner").get("/folders")]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


def test_a_route_that_names_no_roles_cannot_be_made() -> None:
    with pytest.raises(RuntimeError, match="does not say whom it is for"):
        router().add_api_route("/open", lambda: None)


def test_errors_inside_give_a_reference_and_no_more(
    served: ServedHome, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from thermite_pipelines.knowledge import listing

    def fail(*_: object) -> None:
        raise ValueError(f"secret words of {served.home.settings.home}")

    monkeypatch.setattr(listing, "folder_rows", fail)
    with caplog.at_level(logging.ERROR):
        answer = served.client("owner").get("/folders")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["reference"] in caplog.text
    assert "secret words" not in answer.text + caplog.text


def test_a_record_that_cannot_be_read_lets_nobody_in_and_shows_no_path(
    served: ServedHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = served.client("owner")
    served.home.control.engine.dispose()
    (served.home.settings.home / "control.db").write_bytes(b"no database at all, but long enough" * 100)
    answer = client.get("/folders")
    assert answer.status_code == 500
    assert str(served.home.settings.home) not in answer.text
