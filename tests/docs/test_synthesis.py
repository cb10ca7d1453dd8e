"""docs/synthesis.md: its commands run as they stand, in order, and its tables and figures are those of the code."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.assets.reviewed import say_facts
from tests.docs.pages import blocks, read_page, run_script, tables, words_in
from tests.support.homes import make_home
from thermite_pipelines.definitions import build_defs
from thermite_pipelines.knowledge.initialise import initialise
from thermite_pipelines.synthesis.chunking import ITEM_BYTES
from thermite_pipelines.synthesis.paging import FACT_BYTES
from thermite_pipelines.synthesis.queue import MOST_FAILURES
from thermite_pipelines.synthesis.work import MAX_DEPTH
from thermite_pipelines.tables.derived import DERIVED_TABLES

PAGE = "docs/synthesis.md"


@pytest.fixture(scope="module", params=[pytest.param(None, marks=pytest.mark.full)], ids=[PAGE])
def printed(tmp_path_factory: pytest.TempPathFactory, ready_record: Path) -> Iterator[str]:
    """What all blocks of the page that may be run print, one after another, in one home."""
    folder = tmp_path_factory.mktemp("synthesis")
    home = make_home(folder / ".thermite", ready_record)
    initialise(home.settings)
    say_facts(home)
    script = "".join(block.text for block in blocks(PAGE, "sh") if block.runs)
    yield run_script(f"thermite refresh --no-llm\n{script}", folder, THERMITE_SETTLE_SECONDS="0")
    home.close()


def test_every_block_was_run(printed: str) -> None:
    assert "FAILURE" not in printed
    for words in ("items: ", "of depth 0", "syntheses walked", "review_campaign"):
        assert words in printed, words


def test_assets_and_tables_are_the_codes() -> None:
    rows = tables(PAGE, "The assets")
    keys = {key.to_user_string() for key in build_defs().resolve_asset_graph().get_all_asset_keys()}
    shown = [words_in(row[0])[0] for row in rows]
    assert set(shown) == {key for key in keys if key.startswith("synthesis/")}
    assert {words_in(row[2])[0] for row in rows} <= DERIVED_TABLES.keys()


def test_figures_are_the_codes() -> None:
    page = read_page(PAGE)
    assert (ITEM_BYTES, FACT_BYTES, MAX_DEPTH) == (256 * 1024, 24 * 1024, 3)
    assert "256 KiB" in page and "24 KiB" in page and "3 levels deep" in page
    assert MOST_FAILURES == 3 and "given up after three" in page
