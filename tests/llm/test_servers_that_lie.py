"""Servers that lie about what they took, trickle, point elsewhere or answer with far too much."""

import gzip
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.models import KEY, PARIS, SECRET, Asked, asked_of, question
from tests.support.openai_server import Reply, fails, openai_server, raw_server, says
from thermite_pipelines.llm import wire
from thermite_pipelines.llm.errors import BadAnswer, OutOfTime, Unavailable
from thermite_pipelines.llm.questions import Answer

PRICE = (1.0, 2.0)
TEXT = json.dumps(PARIS)
NAN, INF = float("nan"), float("inf")
ODD: dict[str, Any] = {
    "nothing": None,
    "in alone": {"prompt_tokens": 10},
    "out 0": {"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 10},
    "out null": {"prompt_tokens": 10, "completion_tokens": None, "total_tokens": None},
    "in 0": {"prompt_tokens": 0, "completion_tokens": 5, "total_tokens": 5},
    "in below 0": {"prompt_tokens": -1_000_000, "completion_tokens": 5, "total_tokens": 1},
    "out below 0": {"prompt_tokens": 10, "completion_tokens": -1_000_000, "total_tokens": 1},
    "texts": {"prompt_tokens": "10", "completion_tokens": "5", "total_tokens": "15"},
    "words": {"prompt_tokens": "many", "completion_tokens": "5", "total_tokens": "15"},
    "parts": {"prompt_tokens": 10.5, "completion_tokens": 5.5, "total_tokens": 16},
    "no number": {"prompt_tokens": NAN, "completion_tokens": 5, "total_tokens": 16},
    "endless": {"prompt_tokens": 10, "completion_tokens": INF, "total_tokens": 16},
    "large": {"prompt_tokens": 10, "completion_tokens": 10**19, "total_tokens": 16},
    "very large": {"prompt_tokens": 10, "completion_tokens": 10**400, "total_tokens": 16},
    "yes": {"prompt_tokens": True, "completion_tokens": True, "total_tokens": 2},
    "a list": [1, 2],
    "a key": f"Bearer {KEY}",
}


def completion(content: Any = TEXT, usage: Any = None) -> dict[str, Any]:
    """The body of an answer."""
    made: dict[str, Any] = Reply(TEXT, usage=None).made("first")
    made["choices"][0]["message"]["content"] = content
    return made if usage is None else made | {"usage": usage}


def whole(body: bytes, head: str = "HTTP/1.1 200 OK") -> bytes:
    """The bytes of a response."""
    return f"{head}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize("usage", ODD.values(), ids=ODD)
@pytest.mark.parametrize(("model", "price"), [("openai/first", PRICE), ("openai/gpt-4o-mini", None)])
def test_usage_that_can_not_be_believed_is_unknown_and_stays_charged_at_its_greatest(
    tmp_path: Path, model: str, price: tuple[float, float] | None, usage: Any
) -> None:
    with openai_server([Reply(body=completion(usage=usage))]) as server:
        it = asked_of(server, tmp_path, models=(model,), price=price, budget_usd=1.0)
        most = it.model.estimate([question()]).usd
        answer = it.model.ask(question())
    assert (answer.value.model_dump(), answer.usd, answer.attempts) == (PARIS, None, 1)
    assert (answer.tokens_in, answer.tokens_out) == (None, None)
    assert it.model.budget.spent == pytest.approx(most, rel=1e-9)


@pytest.mark.parametrize(
    "more", [{"total_tokens": "x"}, {"prompt_tokens_details": {"cached_tokens": -5}}, {"cost": -4}]
)
@pytest.mark.parametrize(("model", "price"), [("openai/first", PRICE), ("openai/gpt-4o-mini", None)])
def test_other_oddities_of_usage_make_no_cost_below_0(
    tmp_path: Path, model: str, price: tuple[float, float] | None, more: dict[str, Any]
) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5.0, "total_tokens": 15} | more
    with openai_server([Reply(body=completion(usage=usage))]) as server:
        answer = asked_of(server, tmp_path, models=(model,), price=price).model.ask(question())
    sent, answered = price or (0.15, 0.6)
    assert (answer.tokens_in, answer.tokens_out) == (10, 5)
    assert answer.usd == pytest.approx((10 * sent + 5 * answered) / 1e6)


def test_content_in_parts_is_read_as_one_text(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": TEXT[:9]},
        {"type": "thinking", "thinking": "{"},
        {"type": "text", "text": TEXT[9:]},
    ]
    with openai_server([Reply(body=completion(parts, {"prompt_tokens": 10, "completion_tokens": 5}))]) as server:
        answer = asked_of(server, tmp_path, price=PRICE).model.ask(question())
    assert (answer.value.model_dump(), answer.tokens_out) == (PARIS, 5)


LOUD = """
import sys, warnings
from pathlib import Path
from tests.support.models import asked_of, question
it = asked_of(sys.argv[1], Path(sys.argv[2]), max_attempts=1)
for number in range(5):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        results = list(it.model.ask_all([question(number)]))
print(len(it.records))
"""


@pytest.mark.full
def test_no_warning_says_what_an_answer_or_a_header_holds(tmp_path: Path) -> None:
    script = [
        Reply(body=completion({"x": SECRET})),
        Reply(body=completion(usage=f"Bearer {KEY}") | {"created": KEY, "id": [SECRET]}),
        Reply(body=completion() | {"choices": [{"message": SECRET, "finish_reason": [KEY]}]}),
        Reply(body=completion([{"type": "text", "text": {"x": SECRET}}])),
        fails(500, f"{KEY} {SECRET}"),
    ]
    with openai_server(script) as server:
        command = [sys.executable, "-W", "always", "-c", LOUD, server.url, str(tmp_path)]
        done = subprocess.run(
            command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True, timeout=180
        )
    assert done.stdout == "5\n"
    assert not [text for text in (KEY, SECRET, "input_value", "Pydantic") if text in done.stderr], done.stderr


def trickled(connection: socket.socket, closing: threading.Event) -> None:
    """A whole answer, head and all, one byte at a time."""
    for byte in whole(json.dumps(completion()).encode()):
        connection.sendall(bytes([byte]))
        if closing.wait(0.05):
            return


def continued(connection: socket.socket, closing: threading.Event) -> None:
    """Leave to go on, again and again."""
    while not closing.wait(0.05):
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")


def headed(connection: socket.socket, closing: threading.Event) -> None:
    """A head without an end."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not closing.wait(0.05):
        connection.sendall(b"X-More: 1\r\n")


@pytest.mark.parametrize("model", ["openai/first", "anthropic/claude-first"])
@pytest.mark.parametrize("act", [trickled, continued, headed])
def test_a_server_that_trickles_holds_no_call_beyond_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Any, model: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    wire.load()
    with raw_server(act) as url:
        it = asked_of(url, tmp_path, models=(model,), price=PRICE, budget_usd=1.0, deadline_seconds=0.3)
        started = time.monotonic()
        with pytest.raises((OutOfTime, Unavailable)):
            it.model.ask(question())
        assert time.monotonic() - started < 4
    assert it.records[0].usd is None
    assert it.model.budget.spent > 0


@pytest.mark.parametrize("status", [301, 302, 303, 304, 307, 308])
@pytest.mark.parametrize("model", ["openai/first", "anthropic/claude-first"])
def test_a_redirect_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, status: int) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    visits: list[int] = []

    def elsewhere(_: socket.socket, __: threading.Event) -> None:
        visits.append(1)

    with raw_server(elsewhere) as other:
        target = other.replace("127.0.0.1", "localhost")

        def act(connection: socket.socket, _: threading.Event) -> None:
            connection.sendall(whole(b"", f"HTTP/1.1 {status} Elsewhere\r\nLocation: {target}/steal"))

        with raw_server(act) as url:
            it = asked_of(url, tmp_path, models=(model,))
            with pytest.raises(Unavailable, match=f"HTTP {status}"):
                it.model.ask(question())
    assert (visits, it.records[0].attempts) == ([], 1)


def test_where_a_server_points_elsewhere_the_next_model_is_asked(tmp_path: Path) -> None:
    def script(asked: Any) -> Reply:
        return Reply(status=307, body={}) if asked.model == "first" else says(PARIS)

    with openai_server(script) as server:
        it = asked_of(server, tmp_path, models=("openai/first", "openai/second"))
        assert (it.model.ask(question()).model, len(server.asked)) == ("openai/second", 2)


@pytest.mark.parametrize(
    "text", ["x" * 70_000, TEXT[:-1] + "\n" * 70_000 + "}", '{"name": "' + "é" * 40_000 + '", "people": 2}']
)
def test_more_text_than_the_limit_of_tokens_can_hold_is_no_answer(tmp_path: Path, text: str) -> None:
    with openai_server([Reply(text)]) as server:
        it = asked_of(server, tmp_path, price=PRICE)
        with pytest.raises(BadAnswer, match="more text"):
            it.model.ask(question())
        assert (len(server.asked), it.outcomes, it.records[0].usd) == (1, ["bad_answer"], pytest.approx(20e-6))
        assert isinstance(it.model.ask(question(max_tokens=10_000)), Answer) if text[0] == "{" else True


def test_a_head_that_is_no_ascii_and_a_packed_body_are_read(tmp_path: Path) -> None:
    body = gzip.compress(json.dumps(completion(usage={"prompt_tokens": 10, "completion_tokens": 5})).encode())

    def act(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(whole(body, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX-Half: ½"))

    with raw_server(act) as url:
        answer = asked_of(url, tmp_path, max_attempts=1).model.ask(question())
    assert (answer.value.model_dump(), answer.tokens_in) == (PARIS, 10)


def test_an_endless_answer_is_given_up(tmp_path: Path) -> None:
    def act(connection: socket.socket, closing: threading.Event) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        piece = b" " * 2**20
        while not closing.is_set():
            connection.sendall(piece)

    with raw_server(act) as url:
        it: Asked = asked_of(url, tmp_path, max_attempts=1)
        with pytest.raises(Unavailable):
            it.model.ask(question())
    assert it.records[0].usd is None
