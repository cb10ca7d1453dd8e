"""The page of a campaign's tree in a real browser: on a phone and on a wide screen, from a file, without a script."""

from pathlib import Path

import pytest

from tests.browser.test_ui import browser_page
from tests.synthesis.planting import CAMPAIGN, NUMBERED, fact, grown, hypothesis, synthesis, tree_rows
from thermite_pipelines.synthesis.tree_page import write_pages

pytestmark = pytest.mark.browser


@pytest.mark.full
def test_the_page_opens_from_a_file_and_runs_nothing(tmp_path: Path) -> None:
    hostile = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">" + "long" * 200
    rows = [*grown(60), fact(900, hostile), synthesis(901, 0, [900, 1], hostile), hypothesis(902)]
    file = tmp_path / write_pages(tmp_path, CAMPAIGN, tree_rows(*rows))
    with browser_page() as page:
        asked: list[str] = []
        said: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 23, 28)")):
            page.emulate_media(color_scheme=scheme)
            for width in (400, 1400):
                page.set_viewport_size({"width": width, "height": 900})
                page.goto(f"{file.as_uri()}#{NUMBERED.format(900)}")
                assert page.evaluate("document.documentElement.scrollWidth") == width, (
                    "nothing is wider than the screen"
                )
                assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
                assert page.locator(f"#{NUMBERED.format(900)}").is_visible(), "a link opens what it leads into"
        assert page.title() == f"Syntheses of {CAMPAIGN}"
        assert {url.partition("#")[0] for url in asked} == {file.as_uri()}
        assert said == []
