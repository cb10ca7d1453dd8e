"""Searching by words, by kind and by folder."""

import pytest

from tests.serve.pages.browsing import values, visitor
from tests.serve.serving import ServedHome

NOTES = {"cache": "The cache was cold", "loader": "Why is the loader slow?", "64": "Batch 64 fits on one card"}


def found(served: ServedHome, **query: str) -> set[str]:
    """The kinds and folders of what is shown, as `kind folder` with a number where there are several."""
    page = visitor(served, "reader").get("/search", **query)
    assert page.status_code == 200, page.text
    return set(values(page.text, "data-item"))


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"words": "cache"}, {"note:a:The cache was cold"}),
        ({"words": "loader"}, {"note:a:Why is the loader slow?"}),
        ({"words": "precision"}, {"note:c:Batch 128 fits in half precision"}),
        ({"words": "512"}, {"note:b:Batch 512 does not fit"}),
        ({"kind": "note"}, {"note"}),
        ({"kind": "experiment"}, {"experiment"}),
        ({"folder": "b"}, {":b:"}),
        ({"folder": "c"}, {":c:"}),
        ({"words": "fits", "kind": "note", "folder": "a"}, {"note:a:Batch 64 fits on one card"}),
        ({"words": "precision", "folder": "c"}, {"note:c:Batch 128 fits in half precision"}),
        ({"kind": "note", "folder": "b"}, {"note:b:Batch 512 does not fit"}),
        ({"words": "cache", "kind": "attempt", "folder": "b"}, set()),
    ],
)
def test_kb_40_by_words_by_kind_and_by_folder_singly_and_together(
    shared: ServedHome, query: dict[str, str], wanted: set[str]
) -> None:
    rows = shared.client("reader").get("/items").json()["items"]
    known = {row["item"]: f"{row['kind']}:{row['campaign']}:{row['text']}" for row in rows}
    shown = {known[item] for item in found(shared, **query)}
    if "words" in query:
        # What is near in meaning may come too, and only from where it was looked for.
        assert wanted <= shown
        for name in ("kind", "folder"):
            assert all(query[name] in one.split(":")[:2] for one in shown if name in query)
    else:
        every = {one for one in known.values() if all(part in one for part in wanted)}
        assert shown == {one for one in every if all(value in one.split(":")[:2] for value in query.values())}


def test_each_result_says_why_it_matched_and_a_fragment_is_the_results_alone(shared: ServedHome) -> None:
    browser = visitor(shared, "reader")
    whole, part = browser.get("/search", words="cache"), browser.get("/search", words="cache", fragment="true")
    assert "words: cache" in whole.text and "words: cache" in part.text
    assert "<main" in whole.text and "<main" not in part.text
    assert values(part.text, "data-item") == values(whole.text, "data-item") != []
    assert "Nothing matches" in browser.get("/search", words="cache", kind="attempt", folder="b").text
    assert "no word to search for" in browser.get("/search", words="???").text
    # A form without a script sends the fields that are empty, too.
    empty = browser.get("/search", words="cache", kind="", folder="")
    assert values(empty.text, "data-item") == values(whole.text, "data-item")
    assert browser.get("/search", kind="odd").status_code == 422
    assert browser.get("/search", folder="none", kind="note").status_code == 404


def test_an_item_shows_all_of_it_and_where_it_came_from(shared: ServedHome) -> None:
    browser = visitor(shared, "reader")
    item = shared.client("reader").get("/items?kind=experiment&campaign=a").json()["items"][0]
    page = browser.get("/item", id=item["item"]).text
    for words in (item["title"], item["status"], item["metric"], item["item"]):
        assert words in page
    assert "verified" in browser.get("/explain", id=item["item"]).text
    assert browser.get("/item", id="note:rig-a/r1/none").status_code == 404
    assert browser.get("/item", id="nonsense").status_code == 422
