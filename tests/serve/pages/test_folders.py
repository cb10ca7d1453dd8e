"""All folders, and one folder: counts, runs, grants given and taken."""

import re

from sqlalchemy import text

from tests.serve.pages.browsing import counts_of, values, visitor, words_of
from tests.serve.serving import ServedHome


def test_kb_39_the_page_of_all_folders_is_what_sql_over_folders_and_grants_says(shared: ServedHome) -> None:
    page = visitor(shared, "reader").get().text
    cards = {found[1]: found[2] for found in re.finditer(r'(?s)data-folder="([a-z]+)">(.*?)</article>', page)}
    with shared.home.control.read() as connection:
        names = list(connection.execute(text("SELECT campaign FROM campaigns ORDER BY campaign")).scalars())
        assert list(cards) == names == ["a", "b", "c"]
        for name, card in cards.items():
            files = "SELECT path, rows FROM lake_files WHERE path LIKE :like AND rows > 0"
            counted: dict[str, int] = {}
            for row in connection.execute(text(files), {"like": f"folders/%/campaign={name}/%"}):
                kind = row.path.split("/")[1]
                counted[kind] = counted.get(kind, 0) + row.rows
            assert counts_of(card) == counted
            runs = connection.execute(
                text("SELECT count(*) FROM runs JOIN assignments USING (rig, run) WHERE campaign = :name"),
                {"name": name},
            ).scalar()
            assert f"Runs {runs}" in words_of(card)
            for heading, column, other in (("Reads", "reader", "source"), ("Read by", "source", "reader")):
                query = f"SELECT {other} FROM grants WHERE {column} = :name ORDER BY 1"
                granted = list(connection.execute(text(query), {"name": name}).scalars())
                shown = re.search(rf"(?s)<dt>{heading}</dt><dd>(.*?)</dd>", card)
                assert shown is not None and re.findall(r">([a-z]+)</a>", shown[1]) == granted


def test_kb_41_the_page_of_a_campaign_has_its_own_counts_and_no_item_of_another(shared: ServedHome) -> None:
    browser = visitor(shared, "reader")
    page = browser.get("/folders/a").text
    counts = shared.client("reader").get("/folders?campaign=a").json()["folders"][0]["items"]
    assert counts_of(page) == counts == {"run": 1, "trial": 1, "experiment": 2, "attempt": 1, "note": 3}
    assert values(page, "data-run") == ["rig-a/r1"]
    for kind, number in counts.items():
        items = browser.get("/search", folder="a", kind=kind).text
        assert len(values(items, "data-item")) == number
        for other in ("Batch 512", "Batch 128", "rig-b", "third"):
            assert other not in items and other not in page


def test_a_run_in_no_folder_is_explained_in_words_with_what_to_do(own: ServedHome) -> None:
    own.home.rig("rig-a").say_run("loose", campaign="a")
    own.story.bring("rig-a")
    browser = visitor(own, "reader")
    for path in ("", "/runs/rig-a/loose"):
        told = words_of(browser.get(path).text)
        assert "nobody assigned this one" in told and "campaign-assigned" not in told
        assert "thermite assign --rig rig-a --run loose --campaign a" in told


def test_kb_45_a_grant_is_given_and_taken_on_the_page_of_a_campaign(own: ServedHome) -> None:
    ada = visitor(own, "operator", name="Ada")
    for reader, source, here, action in (("a", "b", "a", "grant"), ("b", "a", "a", "grant"), ("a", "b", "b", "revoke")):
        done = ada.post("/grants", {"do": action, "reader": reader, "source": source, "here": here})
        assert (done.status_code, done.headers["location"]) == (303, f"/knowledge/folders/{here}#grants")
        entry = own.audited(action)[-1]
        assert (entry["by"], entry["detail"]["reader"], entry["detail"]["source"]) == ("Ada", reader, source)
        assert f"{reader} may" in words_of(ada.get(f"/folders/{here}").text)
    assert "was so before" not in ada.get("/folders/a").text
    again = {"do": "revoke", "reader": "a", "source": "b", "here": "a"}
    assert ada.post("/grants", again).status_code == 303
    assert "that was so before" in ada.get("/folders/a").text
    granted = own.client("owner").get("/grants").json()["grants"]
    assert {(row["reader"], row["source"]) for row in granted} == {("a", "c"), ("b", "a")}
    assert ada.post("/grants", {"do": "grant", "reader": "a", "source": "a", "here": "a"}).status_code == 409
    assert ada.post("/grants", {"do": "grant", "reader": "a", "source": "none", "here": "a"}).status_code == 404


def test_whoever_only_looks_sees_no_form_that_changes_anything(shared: ServedHome) -> None:
    reader, operator = visitor(shared, "reader"), visitor(shared, "operator")
    for path, words in (("/folders/a", "Revoke"), ("/help", "Resolve"), ("/learnings", "Keep")):
        assert words in operator.get(path).text
        page = reader.get(path).text
        assert words not in page
        assert set(values(page, "action")) <= {"/knowledge/sign-out", "/knowledge/search"}
