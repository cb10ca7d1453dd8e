"""What agents wrote is text on every page: it is shown, and nothing of it acts."""

import hashlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.test_ui import browser_page
from tests.knowledge.briefed import BriefHome
from tests.learnings.telling import ask, propose
from tests.serve.pages.browsing import ROOT, visitor
from tests.serve.pages.conftest import fill
from tests.serve.serving import ServedHome, answering
from tests.support.homes import Home
from thermite_pipelines.knowledge.listing import item_rows
from thermite_pipelines.knowledge.readable import Reader
from thermite_pipelines.learnings.folding import refresh_channels
from thermite_pipelines.serve.pages import item_pages

ATTACKS = (
    "<script>document.title='run'</script>",
    '"><img src=x onerror="document.title=\'run\'">',
    "' onfocus='document.title=1' autofocus='",
    "</textarea></title></style><svg/onload=document.title='run'>",
    "[look](javascript:document.title='run') javascript:document.title='run'",
    "{{ 7 * 7 }} {% include 'base.html' %} ${7*7}",
    "&lt;script&gt; &#x3c;b&#x3e;",
    "turned \u202egnirts\u202c and \u2066hidden\u2069 and a zero\u200bwidth",
)
HOSTILE = " ".join(ATTACKS)
PATHS = (
    "",
    "/folders/a",
    "/runs/rig-a/r1",
    "/runs/rig-a/r1/items?kind=source",
    "/runs/rig-a/r1/items?kind=report",
    "/search?words=script",
    "/search?folder=a",
    "/search?words=script&fragment=true",
    "/help",
    "/learnings",
)


@pytest.fixture
def hostile(home: Home) -> Iterator[ServedHome]:
    """A home in which every text that an agent can write holds attacks."""
    story = fill(home)
    rig = home.rig("rig-a")
    story.write(HOSTILE, kind="lesson")
    rig.say("experiment_queued", {"experiment": "x9", "title": HOSTILE, "description": HOSTILE}, run="r1", by="planner")
    trial = next(row["item"].rpartition("/")[2] for row in _items(story, "trial"))
    rig.say("experiment_started", {"experiment": "x9", "trial": trial}, run="r1")
    done = {"experiment": "x9", "status": "failed", "metric": "<b>loss</b>", "value": 1.0, "summary": HOSTILE}
    rig.say("experiment_finished", done, run="r1")
    rig.say("attempt_submitted", {"attempt": "s9", "trial": trial, "summary": HOSTILE}, run="r1")
    ask(rig, "r1", HOSTILE[:200], detail=HOSTILE, agent="other")
    propose(rig, "r1", "The loader <b>is</b> slow when \"two\" workers 'start' & wait", agent="other")
    story.bring("rig-a")
    refresh_channels(home.opened)
    with answering(home) as url:
        served = ServedHome(story, url)
        yield served
        for client in served.clients:
            client.close()


def _items(story: BriefHome, kind: str) -> list[dict[str, Any]]:
    return list(item_rows(story.home.opened, Reader.owner(), "a", [kind]))


def pages_of(served: ServedHome) -> list[str]:
    """All pages that show something of an agent."""
    items = [row["item"] for kind in ("note", "experiment", "attempt") for row in _items(served.story, kind)]
    return [*PATHS, *(f"/item?id={item}" for item in items), f"/explain?id={items[0]}"]


def test_every_page_escapes_what_agents_wrote_and_writes_out_what_cannot_be_seen(hostile: ServedHome) -> None:
    browser = visitor(hostile)
    shown = 0
    for path in pages_of(hostile):
        page = browser.client.get(f"{ROOT}{path}")
        assert page.status_code == 200, path
        for raw in ("<script>doc", "<img src=x", "<svg/on", "<b>loss", "<b>is</b>", "' onfocus='"):
            assert raw not in page.text, (path, raw)
        assert not {"\u202e", "\u2066", "\u200b"} & set(page.text), path
        assert 'href="javascript' not in page.text and " 49 " not in page.text
        shown += "&lt;script&gt;document" in page.text
        if "&lt;script&gt;document" in page.text and "turned" in page.text:
            assert "\\u202e" in page.text, path
    assert shown >= 9, "the attacks are there, as text"


def test_long_texts_are_cut_with_a_way_to_see_all(own: ServedHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_pages, "WHOLE", 5_000)
    text = "\n".join(f"line {number} of a long note" for number in range(300))
    note = text[:1_900]
    document = {"document": "long.md", "lane": "lane-1", "text": text}
    document |= {"text_sha256": hashlib.sha256(text.encode()).hexdigest()}
    own.home.rig("rig-a").say("document_written", document, run="r1")
    own.story.write(note, kind="lesson")
    own.story.bring("rig-a")
    browser = visitor(own, "reader")
    assert f"Show all {len(note):,} characters" in browser.get("/runs/rig-a/r1").text
    (item,) = [row["item"] for row in _items(own.story, "document")]
    for page in (browser.get("/runs/rig-a/r1/items", kind="document").text, browser.get("/item", id=item).text):
        assert f"Show all {len(text):,} characters" in page and "line 299 " not in page
    assert "line 299 " in browser.get("/item", id=item, whole="true").text


@pytest.mark.browser
@pytest.mark.full
def test_nothing_that_agents_wrote_acts_in_a_browser(hostile: ServedHome) -> None:
    with browser_page() as page:
        said: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message) or dialog.dismiss())
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{hostile.url}/")
        page.fill("#token", hostile.token("operator"))
        page.press("#token", "Enter")
        page.wait_for_url(f"{hostile.url}{ROOT}")
        for path in (path for path in pages_of(hostile) if "fragment" not in path):
            page.goto(f"{hostile.url}{ROOT}{path}")
            assert page.title() not in ("run", "1"), path
            assert page.evaluate("document.querySelectorAll('img, script:not([src]), b > b, [onfocus]').length") == 0
        page.goto(f"{hostile.url}{ROOT}")
        page.fill("#words", "script")
        page.locator("#results li").first.wait_for()
        assert page.evaluate("document.querySelectorAll('#results img, #results script').length") == 0
        assert page.title() == "Folders · Knowledge"
        assert said == []
        assert all(url.startswith(hostile.url) for url in asked)
