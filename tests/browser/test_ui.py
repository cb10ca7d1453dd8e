"""A real browser opens Dagster's UI: the asset graph, an asset's numbers, tables and pictures, its checks."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.knowledge.exporting import ExportHome
from tests.support.commands import served, thermite
from tests.support.homes import Home
from thermite_pipelines.times import format_rfc3339, now_micros

pytestmark = [pytest.mark.browser, pytest.mark.full]

# It runs as root too, asks nobody outside, and has no screen.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WAIT = 60_000  # milliseconds, on a busy machine


@contextmanager
def browser_page() -> Iterator[Any]:
    """A page of a headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["THERMITE_TEST_CHROMIUM"], args=FLAGS)
        page = browser.new_page(viewport={"width": 1500, "height": 1200})
        page.set_default_timeout(WAIT)
        yield page
        browser.close()


def test_the_graph_and_what_is_known_of_an_asset(home: Home, tmp_path: Path) -> None:
    home.campaign("speed-up")
    home.rig().say_run()
    home.rig().say_note()
    told = "We decided to keep the batch at 64 because smaller ones made the loss too noisy."
    home.rig().say("owner_message", {"message": "m1", "text": told}, by="owner", run="run-1")
    asked = {"request": "q1", "agent": "worker", "blocker": "access", "summary": "no key for the registry"}
    home.rig().say("help_requested", asked | {"fatal": True}, at=format_rfc3339(now_micros() - 2 * 3_600_000_000))
    found = {"learning": "l1", "agent": "worker", "text": "The loader is slower with two workers.", "impact": "low"}
    home.rig().say("learning_proposed", found, at=format_rfc3339(now_micros()))
    home.rig().send()
    ExportHome(home).assign("run-1", "speed-up")
    refreshed = thermite(home, "refresh")
    assert refreshed.wait(180) == 0, refreshed.stderr
    with served(home, tmp_path / "log") as up, browser_page() as page:
        page.goto(f"{up.url}/asset-groups")
        for group in ("intake", "knowledge", "sync", "exports", "atoms", "help"):
            page.get_by_text(group, exact=True).first.wait_for()
        page.screenshot(path=tmp_path / "graph.png")

        page.goto(f"{up.url}/assets/knowledge/campaign_folder")
        page.get_by_text("All items of a campaign's runs").first.wait_for()
        page.get_by_text("accepted_to_folded_seconds").first.wait_for()
        table = page.locator("table", has_text="kind").filter(has_text="note")
        assert table.count() >= 1
        picture = page.locator("img[alt='items of speed-up by kind']")
        picture.wait_for()
        # A picture that could not be read has no width of its own.
        assert picture.evaluate("image => image.complete && image.naturalWidth") > 100
        page.screenshot(path=tmp_path / "asset.png")

        page.goto(f"{up.url}/assets/knowledge/campaign_folder?view=checks")
        page.get_by_text("folder_equals_events").first.wait_for()
        page.screenshot(path=tmp_path / "checks.png")

        page.goto(f"{up.url}/assets/atoms/atoms")
        newest = page.locator("table", has_text="session").filter(has_text="owner:rig-a/run-1")
        newest.first.wait_for()
        picture = page.locator("img[alt='atoms of speed-up by type']")
        picture.wait_for()
        assert picture.evaluate("image => image.complete && image.naturalWidth") > 100
        page.screenshot(path=tmp_path / "atoms.png")

        for asset, picture, counted in (
            ("help_requests", "open help requests by blocker", "access"),
            ("learnings", "learnings by state", "provisional"),
        ):
            page.goto(f"{up.url}/assets/help/{asset}")
            page.locator("table").filter(has_text=counted).first.wait_for()
            shown = page.locator(f"img[alt='{picture}']")
            shown.wait_for()
            assert shown.evaluate("image => image.complete && image.naturalWidth") > 100
            page.screenshot(path=tmp_path / f"{asset}.png")
            assert "registry" not in page.content() and "two workers" not in page.content()
        page.goto(f"{up.url}/assets/help/help_requests?view=checks")
        page.get_by_text("fatal_requests_answered").first.wait_for()
        page.goto(f"{up.url}/assets/sync/run_briefs")
        page.locator("table", has_text="written").filter(has_text="run-1").first.wait_for()

        page.goto(f"{up.url}/automation")
        page.get_by_text("campaigns_behind").first.wait_for()
        page.screenshot(path=tmp_path / "automation.png")
        assert up.end() == 0
    assert (tmp_path / "graph.png").stat().st_size > 10_000
