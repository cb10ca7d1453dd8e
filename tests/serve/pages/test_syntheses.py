"""Syntheses on the page: in the folder, one of them down to its notes, and the tree that synthesis wrote."""

from urllib.parse import unquote

import httpx

from tests.serve.pages.browsing import Visitor, values, visitor, words_of
from tests.serve.serving import ServedHome
from tests.support.synthesis import Row, fact_row, put_facts, synthesis_row
from thermite_pipelines.synthesis.tree_page import write_tree_page
from thermite_pipelines.tables.derived import FACTS, SYNTHESES

HOSTILE = "<script>alert(1)</script> & <b>bold</b>"


def grown(served: ServedHome, *more: Row) -> dict[str, Row]:
    """Two notes, a synthesis of both, and one above it that cites it and a third note of folder `a`."""
    one, other = fact_row("Warm caches help"), fact_row("Cold caches cost a minute")
    third = fact_row(HOSTILE, body=HOSTILE)
    low = synthesis_row("Caches matter", cites=(one, other))
    high = synthesis_row("Start warm", cites=(low, third), depth=1)
    put_facts(served.home, "a", FACTS, one, other, third, *more)
    put_facts(served.home, "a", SYNTHESES, low, high)
    write_tree_page(served.home.opened, "a")
    return {"one": one, "other": other, "third": third, "low": low, "high": high}


def page_of(browser: Visitor, row: Row, campaign: str = "a") -> httpx.Response:
    return browser.get(f"/folders/{campaign}/syntheses/{row['fact'].rpartition('/')[2]}")


def test_a_folder_names_its_highest_syntheses_first(own: ServedHome) -> None:
    rows = grown(own)
    browser = visitor(own, "reader")
    page = browser.get("/folders/a").text
    named = [one for one in values(page, "href") if "/syntheses/" in one]
    assert [one.rpartition("/")[2] for one in named] == [
        rows[name]["fact"].rpartition("/")[2] for name in ("high", "low")
    ]
    assert all(browser.client.get(address).status_code == 200 for address in named)
    assert "/syntheses/" not in browser.get("/folders/b").text


def test_a_folder_says_how_many_syntheses_there_are_and_leads_to_all(own: ServedHome) -> None:
    fact = fact_row("Warm caches help")
    put_facts(own.home, "a", FACTS, fact)
    put_facts(own.home, "a", SYNTHESES, *(synthesis_row(f"Thing {number}", cites=(fact,)) for number in range(8)))
    browser = visitor(own, "reader")
    page = browser.get("/folders/a").text
    assert "Syntheses 6 of 8" in words_of(page) and "All 8 syntheses" in page
    assert "8 items" in words_of(browser.get("/search", folder="a", kind="synthesis").text)


def test_one_looks_from_a_synthesis_down_to_the_notes_it_rests_on(own: ServedHome) -> None:
    rows = grown(own)
    browser = visitor(own, "reader")
    answer = page_of(browser, rows["high"])
    told = words_of(answer.text)
    for title in ("Start warm", "Caches matter", "Warm caches help", "Cold caches cost a minute"):
        assert title in told
    assert "facts below 3" in told and told.index("Caches matter") < told.index("Warm caches help")
    linked = unquote(" ".join(values(answer.text, "href")))
    assert all(rows[name]["item"] in linked for name in ("one", "other", "third"))
    below = page_of(browser, rows["low"]).text
    assert "Cited by Start warm" in words_of(below) and HOSTILE not in below


def test_words_of_agents_in_a_synthesis_are_escaped(own: ServedHome) -> None:
    rows = grown(own)
    page = page_of(visitor(own, "reader"), rows["high"]).text
    assert "<script>alert" not in page and "<b>bold" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 1


def test_the_tree_that_synthesis_wrote_is_served_as_it_stands(own: ServedHome) -> None:
    rows = grown(own)
    browser = visitor(own, "reader")
    (address,) = {one for one in values(page_of(browser, rows["high"]).text, "href") if "/trees/" in one}
    page, _, anchor = address.partition("#")
    answer = browser.client.get(page)
    assert answer.status_code == 200 and "default-src 'none'" in answer.headers["content-security-policy"]
    assert f'id="{anchor}"' in answer.text and "Start warm" in answer.text
    assert answer.content == (own.home.settings.home / "pages/synthesis/a.html").read_bytes()


def test_a_synthesis_of_another_folder_is_not_told_under_this_one(own: ServedHome) -> None:
    rows = grown(own)
    browser = visitor(own, "reader")
    assert page_of(browser, rows["high"], campaign="b").status_code == 404
    for digits in ("0" * 12, "..%2F..", "F" * 12, "1"):
        answer = browser.get(f"/folders/a/syntheses/{digits}")
        assert answer.status_code in (404, 422), digits
        assert answer.headers["content-type"].startswith("text/html")


def test_a_synthesis_with_many_facts_says_that_one_page_does_not_show_all(own: ServedHome) -> None:
    facts = [fact_row(f"Shard {number} loads in {number} ms") for number in range(250)]
    wide = synthesis_row("All shards load", cites=tuple(facts))
    put_facts(own.home, "a", FACTS, *facts)
    put_facts(own.home, "a", SYNTHESES, wide)
    page = page_of(visitor(own, "reader"), wide)
    assert page.status_code == 200
    assert "facts below 250" in words_of(page.text) and "more below than one page shows" in page.text
