"""A run's page, and its live feed."""

import json
import re

import httpx
import pytest

from tests.serve.pages.browsing import ROOT, Visitor, counts_of, values, visitor, words_of
from tests.serve.serving import ServedHome
from thermite_pipelines.control.tokens import revoke_token, tokens
from thermite_pipelines.serve.pages import feed

FEED = f"{ROOT}/runs/rig-a/r1/feed"
LINES = [
    "noted (lesson): The cache was cold",
    "noted (question): Why is the loader slow?",
    "noted (observation): Batch 64 fits on one card",
]


@pytest.fixture(autouse=True)
def looked_at_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let feeds look for news every few milliseconds."""
    monkeypatch.setattr(feed, "POLL_SECONDS", 0.02)


def events(text: str) -> list[dict[str, str]]:
    """The notes of a feed, each with the number that a browser shows when it comes again."""
    found = re.findall(r"id: (\d+)\nevent: note\ndata: (.*)\n", text)
    assert [int(id) for id, _ in found] == [json.loads(data)["n"] for _, data in found]
    return [json.loads(data) for _, data in found]


def lines(text: str) -> list[str]:
    return [event["line"] for event in events(text)]


def test_kb_21_the_journal_stands_between_experiments_and_attempts(shared: ServedHome) -> None:
    page = visitor(shared, "reader").get("/runs/rig-a/r1").text
    assert values(page, "data-section") == ["experiment", "note", "attempt"]
    assert re.findall(r'<h2 id="(?:experiment|note|attempt)">([A-Z][a-z]+) ', page) == [
        "Experiments",
        "Journal",
        "Attempts",
    ]
    journal = page.partition('data-section="note"')[2].partition("</section>")[0]
    assert re.findall(r'<div class="said" dir="auto">(.*)</div>', journal) == [line.split(": ")[1] for line in LINES]


def test_kb_32_the_counts_of_runs_are_those_of_their_folders(shared: ServedHome) -> None:
    browser = visitor(shared, "reader")
    folders = shared.client("reader").get("/folders").json()["folders"]
    for folder in folders:
        (run,) = folder["runs"]
        page = browser.get(f"/runs/{run['rig']}/{run['run']}").text
        assert counts_of(page) == folder["items"] != {}
        for kind, number in folder["items"].items():
            items = browser.get(f"/runs/{run['rig']}/{run['run']}/items", kind=kind).text
            assert len(values(items, "data-item")) == number


def test_kb_20_the_live_feed_has_one_line_for_each_note_in_order(
    shared: ServedHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = visitor(shared, "reader")
    shown = browser.get("/runs/rig-a/r1").text
    assert re.findall(r"(noted \([a-z]+\): [^<]*)<", shown) == LINES
    monkeypatch.setattr(feed, "STREAM_SECONDS", 0.1)
    whole = browser.client.get(FEED)
    assert whole.headers["content-type"].startswith("text/event-stream")
    assert lines(whole.text) == LINES
    # Whoever comes again gets what is new alone: by the address of the page, or by the number that browsers show.
    numbers = [int(event["n"]) for event in events(whole.text)]
    assert lines(browser.client.get(FEED, params={"after": numbers[0]}).text) == LINES[1:]
    assert lines(browser.client.get(FEED, headers={"Last-Event-ID": str(numbers[1])}).text) == LINES[2:]
    assert lines(browser.client.get(FEED, params={"after": values(shown, "data-after")[0]}).text) == []


def test_kb_20_a_line_comes_while_one_looks_on_also_before_the_note_is_in_the_folder(own: ServedHome) -> None:
    browser = visitor(own, "reader")
    with browser.client.stream("GET", FEED) as answer:
        parts = answer.iter_lines()
        seen = [line for line in (next(parts) for _ in range(14)) if line.startswith("data: ")]
        assert len(seen) == len(LINES)
        own.story.write("A new one", kind="surprise")
        own.story.send("rig-a")
        new = next(line for line in parts if line.startswith("data: "))
        assert json.loads(new.removeprefix("data: "))["line"] == "noted (surprise): A new one"
    assert "A new one" not in browser.get("/runs/rig-a/r1").text
    own.story.fold()
    assert "A new one" in browser.get("/runs/rig-a/r1").text


def test_a_feed_ends_when_its_token_is_revoked(own: ServedHome) -> None:
    browser = visitor(own, "reader")
    with browser.client.stream("GET", FEED, params={"after": 10_000}) as answer:
        parts = answer.iter_lines()
        assert next(parts).startswith("retry: ")
        with own.home.control.write() as connection:
            revoke_token(connection, tokens(connection)[-1]["id"], "tester")
        own.story.write("Not for them")
        own.story.send("rig-a")
        assert "Not for them" not in "".join(parts)
    assert browser.client.get(FEED).status_code == 303


def test_a_feed_ends_when_its_reader_signs_out(own: ServedHome) -> None:
    browser = visitor(own, "reader")
    with browser.client.stream("GET", FEED, params={"after": 10_000}) as answer:
        parts = answer.iter_lines()
        assert next(parts).startswith("retry: ")
        browser.post("/sign-out", {})
        own.story.write("Not for them")
        own.story.send("rig-a")
        assert "Not for them" not in "".join(parts)


def test_feeds_are_bounded_and_do_not_ask_the_record_each_for_itself(
    shared: ServedHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MOST_OF_TOKEN", 2)
    monkeypatch.setattr(feed, "POLL_SECONDS", 0.2)
    monkeypatch.setattr(feed, "STREAM_SECONDS", 1.0)
    asked: list[list[int]] = []
    ask = feed.Feeds._ask
    monkeypatch.setattr(feed.Feeds, "_ask", lambda self, keys: asked.append(list(keys)) or ask(self, keys))
    browser = visitor(shared, "reader")
    with browser.client.stream("GET", FEED) as one, browser.client.stream("GET", FEED) as two:
        first, second = one.iter_lines(), two.iter_lines()
        assert next(first) and next(second)
        refused = browser.client.get(FEED)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "10")
        assert len([*first]) > 0 and len([*second]) > 0
    assert 1 <= len(asked) <= 1 + 2 * 1.5 / 0.2
    assert browser.client.get(FEED).status_code == 200


def test_a_run_that_has_reported_nothing_has_a_page_and_no_feed(own: ServedHome) -> None:
    own.story.pick("later", campaign="a")
    browser = visitor(own, "reader")
    page = browser.get("/runs/rig-a/later").text
    assert "assigned" in page and "data-feed" not in page
    assert "rig-a has reported nothing of this run yet" in page and "commands/rig-a/later.dsse.json" in page
    assert browser.get("/runs/rig-a/later/feed").status_code == 404
    assert "rig-a/later" in values(browser.get("/folders/a").text, "data-run")
    assert browser.get("/runs/rig-a/later~zzz").status_code == 404, "it has no ledger yet"


def test_a_run_shows_its_title_its_times_and_what_was_picked_for_it(own: ServedHome) -> None:
    title = "<b>Warm</b> caches"
    (item, *_) = [row["item"] for row in own.client("reader").get("/items?kind=note&campaign=a").json()["items"]]
    own.story.pick("r5", item)
    rig = own.home.rig("rig-a")
    rig.say_run("r5", "hill_climb", data={"title": title, "kit": "gpu"})
    rig.say("run_started", {}, run="r5")
    own.story.bring("rig-a")
    browser = visitor(own, "reader")
    page, folder = browser.get("/runs/rig-a/r5").text, browser.get("/folders/a").text
    for shown in (page, folder):
        assert "<bdi>&lt;b&gt;Warm&lt;/b&gt; caches</bdi>" in shown and title not in shown
    for words in ("mode hill_climb", "kit gpu", "created 20", "started 20"):
        assert words in words_of(page)
    assert any(address.endswith(item.replace(":", "%3A").replace("/", "%2F")) for address in values(page, "href"))
    assert "data-feed" in page
    rig.say("run_finished", {"outcome": "completed"}, run="r5")
    own.story.bring("rig-a")
    ended = browser.get("/runs/rig-a/r5").text
    assert "data-feed" not in ended and "ended 20" in words_of(ended)


def test_whoever_has_not_signed_in_gets_no_feed(shared: ServedHome) -> None:
    assert Visitor(shared.url).client.get(FEED).status_code == 303
    bearer = {"Authorization": f"Bearer {shared.token('owner')}"}
    assert httpx.get(f"{shared.url}{FEED}", headers=bearer, trust_env=False).status_code == 303
