"""Answered once, an answer is kept: asked again nobody is asked, also after a kill."""

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.support.models import PARIS, SECRET, City, asked_of, question
from tests.support.openai_server import Asked, Reply, openai_server, says
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.cache import AnswerCache, cache_key
from thermite_pipelines.llm.questions import Answer, Question
from thermite_pipelines.tables.lake import Lake, disk_error


def files_of(lake: Path) -> dict[str, bytes]:
    """Every file of the cache and its bytes."""
    return {str(path.relative_to(lake)): path.read_bytes() for path in lake.rglob("*.json")}


def test_a_repeat_asks_nobody_and_gives_the_same_bytes(tmp_path: Path) -> None:
    questions = [question(number) for number in range(5)]
    with openai_server([says(PARIS)]) as server:
        first = asked_of(server, tmp_path, price=(1.0, 2.0))
        given = dict(first.model.ask_all(questions))
        before = files_of(tmp_path)
        again = asked_of(server, tmp_path, price=(1.0, 2.0))
        repeated = dict(again.model.ask_all(questions))
        assert len(server.asked) == 5
    assert files_of(tmp_path) == before
    for place, answer in given.items():
        repeat = repeated[place]
        assert isinstance(answer, Answer) and isinstance(repeat, Answer)
        assert repeat.value.model_dump_json() == answer.value.model_dump_json()
        assert (repeat.cached, repeat.usd, repeat.tokens_in, repeat.attempts) == (True, 0.0, 0, 0)
        assert repeat.cache_key == answer.cache_key
        assert f"model_cache/{answer.cache_key[:2]}/{answer.cache_key}.json" in before
    assert (again.outcomes, again.model.usage.cached, again.model.usage.calls) == (["cached"] * 5, 5, 0)


def test_the_cache_holds_no_text_of_the_question(tmp_path: Path) -> None:
    with openai_server([says(PARIS)]) as server:
        asked_of(server, tmp_path).model.ask(question())
    assert not [data for data in files_of(tmp_path).values() if SECRET.encode() in data]


class Town(City):
    """The same fields under another name, and one more."""

    mayor: str


def test_all_that_an_answer_depends_on_is_in_the_key() -> None:
    plain = question()
    others = [
        question(1),
        question(max_tokens=99),
        Question(plain.messages, City, "ask_city/2", 100),
        Question(plain.messages, Town, "ask_city/1", 100),
        Question(plain.messages, City, "ask_city/1", 100, temperature=0.5),
        Question((*plain.messages, ("assistant", "")), City, "ask_city/1", 100),
    ]
    keys = [cache_key("a", one) for one in [plain, *others]] + [cache_key("b", plain)]
    assert len(set(keys)) == len(keys)
    assert cache_key("a", question()) == keys[0]


@pytest.mark.parametrize("harm", ["torn", "changed", "empty", "other", "list", "binary"])
def test_a_harmed_file_counts_as_absent(tmp_path: Path, harm: str) -> None:
    cache = AnswerCache(Lake(str(tmp_path)))
    key = cache.put("m", question(), City(name="Paris", people=2))
    other = cache.put("m", question(1), City(name="Rome", people=3))
    path, foreign = (tmp_path / "model_cache" / one[:2] / f"{one}.json" for one in (key, other))
    data = path.read_bytes()
    harmed = {
        "torn": data[:-20],
        "changed": data.replace(b"Paris", b"Parys"),
        "empty": b"",
        "other": foreign.read_bytes(),
        "list": b"[]",
        "binary": b"\xff\xfe",
    }
    path.write_bytes(harmed[harm])
    assert cache.find(["m"], question()) is None
    cache.put("m", question(), City(name="Paris", people=2))
    hit = cache.find(["n", "m"], question())
    assert hit is not None and (hit.value.name, hit.model, hit.key) == ("Paris", "m", key)


def test_a_folder_in_place_of_a_file_ends_no_run(tmp_path: Path) -> None:
    key = cache_key("openai/first", question())
    (tmp_path / "model_cache" / key[:2] / f"{key}.json" / "in the way").mkdir(parents=True)
    with openai_server([says(PARIS)]) as server:
        it = asked_of(server, tmp_path)
        results = dict(it.model.ask_all([question(), question(1)]))
        assert [isinstance(one, Answer) for one in results.values()] == [True, True]
        it.model.ask(question())
        assert (len(server.asked), it.outcomes) == (3, ["answered"] * 3)


def test_a_file_in_place_of_a_folder_ends_no_run(tmp_path: Path) -> None:
    (tmp_path / "model_cache").write_text("in the way")
    with openai_server([says(PARIS)]) as server:
        assert asked_of(server, tmp_path).model.ask(question()).value.model_dump() == PARIS


def test_a_full_disk_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise disk_error(tmp_path, OSError(errno.ENOSPC, "no space")) from OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(Lake, "put", full)
    with openai_server([says(PARIS)]) as server:
        it = asked_of(server, tmp_path)
        with pytest.raises(ThermiteError, match="no space"):
            it.model.ask(question())
    assert it.outcomes == ["answered"]


def test_models_are_looked_up_in_order(tmp_path: Path) -> None:
    cache = AnswerCache(Lake(str(tmp_path)))
    cache.put("second", question(), City(name="Rome", people=3))
    cache.put("first", question(), City(name="Paris", people=2))
    hit = cache.find(["first", "second"], question())
    assert hit is not None and hit.model == "first"


CHILD = """
import sys
from pathlib import Path
from tests.support.models import asked_of, question
it = asked_of(sys.argv[1], Path(sys.argv[2]), concurrency=1)
for _ in it.model.ask_all([question(number) for number in range(6)]):
    pass
"""


@pytest.mark.full
def test_after_a_kill_only_what_is_missing_is_asked(tmp_path: Path) -> None:
    started = threading.Event()
    children: list[subprocess.Popen[bytes]] = []

    def script(asked: Asked) -> Reply:
        if asked.number == 3:  # in the middle of the fourth call
            started.wait(60)
            os.kill(children[0].pid, signal.SIGKILL)
        return says({"name": f"City {asked.number}", "people": 1})

    with openai_server(script) as server:
        command = [sys.executable, "-c", CHILD, server.url, str(tmp_path)]
        children.append(subprocess.Popen(command, cwd=Path(__file__).parents[2]))
        started.set()
        try:
            assert children[0].wait(120) == -signal.SIGKILL
        finally:
            children[0].kill()
        kept = files_of(tmp_path)
        assert (len(kept), len(server.asked)) == (3, 4)
        it = asked_of(server, tmp_path, concurrency=1)
        answers = dict(it.model.ask_all([question(number) for number in range(6)]))
        asked = [asked.last.split("?")[0] for asked in server.asked[4:]]
    assert (it.outcomes, asked) == (["cached"] * 3 + ["answered"] * 3, ["City 3", "City 4", "City 5"])
    assert len(answers) == 6
    assert kept.items() <= files_of(tmp_path).items()
