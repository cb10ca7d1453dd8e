"""What comes of each kind of answer, through litellm, of a server on loopback."""

import json
from pathlib import Path

import pytest

from tests.support.models import KEY, PARIS, SECRET, asked_of, question
from tests.support.openai_server import Reply, fails, openai_server, says
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.errors import BadAnswer, ModelError, Refused, Truncated, Unavailable

PRICE = (1.0, 2.0)
TEXT = json.dumps(PARIS)


def test_a_plain_answer_is_typed_counted_and_recorded(tmp_path: Path) -> None:
    with openai_server([says(PARIS, usage=(100, 7))]) as server:
        it = asked_of(server, tmp_path, price=PRICE)
        answer = it.model.ask(question())
    assert answer.value.model_dump() == PARIS
    assert (answer.model, answer.cached, answer.tokens_in, answer.tokens_out) == ("openai/first", False, 100, 7)
    assert answer.usd == pytest.approx(114e-6)
    [record] = it.records
    assert (record.outcome, record.attempts, record.cached, record.prompt) == ("answered", 1, False, "ask_city/1")
    assert (record.usd, record.tokens_in, record.cache_key) == (answer.usd, 100, answer.cache_key)
    assert SECRET not in repr(record)


def test_the_schema_goes_to_the_provider_and_into_the_prompt_whole_and_flat(tmp_path: Path) -> None:
    with openai_server([says(PARIS)]) as server:
        asked_of(server, tmp_path).model.ask(question())
        body = server.asked[0].body
    sent = body["response_format"]["json_schema"]
    assert (sent["strict"], sent["schema"]["required"]) == (True, ["name", "people"])
    assert json.loads(body["messages"][0]["content"].splitlines()[-1]) == sent["schema"]
    assert (body["max_tokens"], body["temperature"], body.get("stream")) == (100, 0.0, None)


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}```",
        f"Here it is:\n```json\n{TEXT}\n```\nBye",
        f"It is {TEXT}.",
        f" {TEXT}\n",
        f"<think>{{maybe}}</think>\n{TEXT}",
    ],
)
def test_fences_and_words_around_the_json_are_taken_off(tmp_path: Path, text: str) -> None:
    with openai_server([Reply(text)]) as server:
        it = asked_of(server, tmp_path)
        assert it.model.ask(question()).value.model_dump() == PARIS
    assert (it.outcomes, len(server.asked)) == (["answered"], 1)


def test_an_answer_at_the_limit_of_tokens_is_an_error_even_if_it_is_json(tmp_path: Path) -> None:
    with openai_server([Reply(TEXT, finish="length")]) as server:
        it = asked_of(server, tmp_path, price=PRICE)
        with pytest.raises(Truncated):
            it.model.ask(question())
    assert (it.outcomes, len(server.asked), it.waits) == (["truncated"], 1, [])
    assert it.records[0].usd == pytest.approx(20e-6)


@pytest.mark.parametrize("wrong", ['{"name": "Paris"}', '{"name": 1, "people": 2}', "no JSON at all", "", "[1, 2]"])
def test_a_wrong_form_gets_one_repair_question(tmp_path: Path, wrong: str) -> None:
    with openai_server([Reply(wrong), says(PARIS)]) as server:
        it = asked_of(server, tmp_path, price=PRICE)
        answer = it.model.ask(question())
    assert (answer.value.model_dump(), answer.attempts) == (PARIS, 2)
    assert (it.outcomes, answer.tokens_in, answer.tokens_out, answer.usd) == (
        ["repaired"],
        20,
        10,
        pytest.approx(40e-6),
    )
    first, second = (asked.body["messages"] for asked in server.asked)
    assert second[: len(first)] == first
    assert [message["role"] for message in second[len(first) :]] == ["assistant", "user"]


def test_a_wrong_form_twice_is_an_error_and_is_not_cached(tmp_path: Path) -> None:
    with openai_server([Reply(f"no {SECRET}")]) as server:
        it = asked_of(server, tmp_path)
        with pytest.raises(BadAnswer) as error:
            it.model.ask(question())
        assert (len(server.asked), it.outcomes) == (2, ["bad_answer"])
        with pytest.raises(BadAnswer):
            it.model.ask(question())
        assert len(server.asked) == 4
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("reply", [Reply(None, refusal="I will not"), Reply(TEXT, finish="content_filter")])
def test_a_refusal_is_no_reason_to_ask_again_or_somebody_else(tmp_path: Path, reply: Reply) -> None:
    with openai_server([reply]) as server:
        it = asked_of(server, tmp_path, models=("openai/first", "openai/second"))
        with pytest.raises(Refused):
            it.model.ask(question())
    assert (it.outcomes, len(server.asked), it.records[0].tokens_in) == (["refused"], 1, 10)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, Refused), (413, Refused), (422, Refused), (401, Unavailable), (403, Unavailable), (404, Unavailable)],
)
def test_errors_of_ours_are_not_tried_again(tmp_path: Path, status: int, kind: type[ModelError]) -> None:
    with openai_server([fails(status, f"wrong: {SECRET} {KEY}")]) as server:
        it = asked_of(server, tmp_path, price=PRICE)
        with pytest.raises(kind) as error:
            it.model.ask(question())
    assert (len(server.asked), it.waits, it.records[0].attempts, it.records[0].usd) == (1, [], 1, 0.0)
    assert str(status) in str(error.value)
    assert SECRET not in str(error.value)


def test_a_model_without_schemas_is_asked_without_one_and_remembered(tmp_path: Path) -> None:
    def script(asked: object) -> Reply:
        body = asked.body  # type: ignore[attr-defined]
        return fails(400, "'response_format' is not supported") if "response_format" in body else says(PARIS)

    with openai_server(script) as server:
        it = asked_of(server, tmp_path)
        answers = [it.model.ask(question(number)) for number in range(3)]
    assert [answer.attempts for answer in answers] == [2, 1, 1]
    assert ["response_format" in asked.body for asked in server.asked] == [True, False, False, False]


def test_a_server_that_goes_on_about_schemas_refuses(tmp_path: Path) -> None:
    with openai_server([fails(400, "response_format")]) as server:
        with pytest.raises(Refused):
            asked_of(server, tmp_path).model.ask(question())
        assert len(server.asked) == 2


def test_a_name_that_litellm_knows_no_provider_of_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(ThermiteError, match="knows no provider") as error:
        asked_of("http://127.0.0.1:9", tmp_path, models=("nobody/knows",)).model.ask(question())
    assert not isinstance(error.value, ModelError)


def test_no_key_and_no_text_is_in_errors_records_files_or_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    caplog.set_level("DEBUG")
    script = [fails(500, KEY), says(PARIS), fails(401, f"Incorrect API key: {KEY} {SECRET}")]
    said: list[str] = []
    with openai_server(script) as server:
        it = asked_of(server, tmp_path)
        said.append(repr(it.model.ask(question())))
        with pytest.raises(Unavailable) as error:
            it.model.ask(question(1))
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    said += [str(error.value), repr(error.value.__cause__), repr(it.records), repr(it.model.config), caplog.text]
    said += [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert capfd.readouterr() == ("", "")
    assert not [text for text in said if KEY in text or SECRET in text]
