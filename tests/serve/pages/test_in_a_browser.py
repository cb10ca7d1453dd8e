"""The pages in a real browser: with a script and without, by keyboard, on a phone, in the dark."""

from typing import Any

import pytest

from tests.browser.test_ui import browser_page
from tests.serve.pages.browsing import ROOT
from tests.serve.serving import ServedHome
from thermite_pipelines.serve.pages import feed

pytestmark = [pytest.mark.browser, pytest.mark.full]


def sign_in(page: Any, served: ServedHome, role: str = "operator") -> None:
    page.goto(f"{served.url}/")
    page.fill("#token", served.token(role, name="Ada"))
    page.press("#token", "Enter")
    page.wait_for_url(f"{served.url}{ROOT}")


def test_searching_as_one_types_picking_and_the_live_feed(own: ServedHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "POLL_SECONDS", 0.05)
    with browser_page() as page:
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        sign_in(page, own)
        assert page.evaluate("document.cookie") == "", "no script reads the session"
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "words"
        page.keyboard.type("cache")
        page.locator("#results li", has_text="The cache was cold").wait_for()
        page.select_option("#folder", "b")
        page.locator("#results li", has_text="The cache was cold").wait_for(state="detached")

        page.goto(f"{own.url}{ROOT}/folders/a/start")
        page.fill("#words", "precision")
        found = page.locator("#picks li", has_text="Batch 128")
        found.locator("input").check()
        page.locator("#picked li", has_text="lesson").wait_for()
        page.fill("#words", "cache")
        page.locator("#picks li", has_text="The cache was cold").wait_for()
        assert page.locator("#picked input:checked").count() == 1
        page.fill("#run", "r9")
        page.get_by_role("button", name="Start the run").click()
        page.wait_for_url(f"{own.url}{ROOT}/runs/rig-a/r9")
        assert "is assigned to a" in page.locator("[role=status]").inner_text()

        page.goto(f"{own.url}{ROOT}/runs/rig-a/r1")
        page.get_by_text("Notes appear here as they arrive.").wait_for()
        for number in (1, 2):
            own.story.write(f"New note {number}", kind="surprise")
            own.story.send("rig-a")
            page.locator("#feed li", has_text=f"noted (surprise): New note {number}").wait_for()
        lines = page.locator("#feed li > span:first-child").all_inner_texts()
        assert lines[-2:] == ["noted (surprise): New note 1", "noted (surprise): New note 2"]
        assert len(lines) == len(set(lines)) == 5
        assert said == []


def test_every_page_fits_a_phone_and_is_dark_where_that_is_wished(shared: ServedHome) -> None:
    with browser_page() as page:
        sign_in(page, shared)
        for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 28)")):
            page.emulate_media(color_scheme=scheme)
            for path in ("", "/folders/a", "/runs/rig-a/r1", "/folders/a/start", "/help", "/learnings", "/search"):
                page.goto(f"{shared.url}{ROOT}{path}")
                for width in (400, 1400):
                    page.set_viewport_size({"width": width, "height": 900})
                    assert page.evaluate("document.documentElement.scrollWidth") == width, (path, width)
                assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
                unnamed = page.evaluate(
                    "[...document.querySelectorAll('input:not([type=hidden]), select, textarea')]"
                    ".filter(field => !field.labels.length).map(field => field.name)"
                )
                assert unnamed == [], path
        page.goto(f"{shared.url}{ROOT}/folders/a")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"


def test_without_a_script_all_of_it_works_by_links_and_forms(own: ServedHome) -> None:
    with browser_page() as with_script:
        page = with_script.context.browser.new_context(java_script_enabled=False).new_page()
        sign_in(page, own)
        page.fill("#words", "cache")
        page.get_by_role("button", name="Search").click()
        page.locator("#results li", has_text="The cache was cold").first.wait_for()
        page.goto(f"{own.url}{ROOT}/folders/a/start")
        page.fill("#words", "precision")
        page.press("#words", "Enter")
        page.locator("#picks li", has_text="Batch 128").locator("input").check()
        page.fill("#run", "r8")
        page.get_by_role("button", name="Start the run").click()
        page.wait_for_url(f"{own.url}{ROOT}/runs/rig-a/r8")
        page.goto(f"{own.url}{ROOT}/learnings")
        page.get_by_role("button", name="Drop").click()
        page.get_by_text("Drop this learning for good?").wait_for()
        page.get_by_role("link", name="No, leave it").click()
        page.get_by_role("button", name="Keep").click()
        page.locator("[role=status]", has_text="is kept").wait_for()
        page.goto(f"{own.url}{ROOT}/help")
        page.fill("textarea", "Use the mirror")
        page.get_by_text("Flags for the new run").click()
        page.fill("[name=flags]", "--mirror")
        page.get_by_role("button", name="Reply").click()
        page.locator("[role=status]", has_text="1 answered").wait_for()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(f"{own.url}{ROOT}/sign-in")
