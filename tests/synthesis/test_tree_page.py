"""The page of a campaign's tree: from a synthesis down to its notes, whatever agents wrote."""

import os
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine

from tests.support.homes import Home
from tests.support.killing import Points, in_child
from tests.synthesis.planting import (
    CAMPAIGN,
    NUMBERED,
    Page,
    Row,
    fact,
    grown,
    hypothesis,
    methodology,
    name,
    names,
    page,
    pages,
    synthesis,
    tree_rows,
)
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge.derived import derived_folder, derived_scope
from thermite_pipelines.synthesis.tree_page import FOLDER, tree_pages, write_pages, write_tree_page
from thermite_pipelines.tables.derived import DERIVED_TABLES
from thermite_pipelines.tables.parquet import arrange

HARMLESS = """html head meta title style body main section nav h1 h2 h3 h4 h5 h6 p div span bdi b code a ul li dl dt dd
article details summary input label svg g path text tspan"""
ATTRIBUTES = """lang charset http-equiv content name class id href dir role type for aria-label xmlns width height
viewbox font-family font-size fill stroke stroke-width opacity d x y text-anchor"""
LETTERS = st.text(max_size=80) | st.text(
    "<>&\"'/=\n\r\t`{}\\ aא\x00\x1b\x85\u2028\u202e\u2066\u200b\ufeff\ud800", max_size=80
)


def looked_at(found: Page) -> None:
    """Nothing runs, nothing is fetched, and each link leads somewhere in the same folder."""
    assert set(found.tags) <= set(HARMLESS.split())
    assert {key for _, key, _ in found.attributes} <= set(ATTRIBUTES.split())
    assert all(re.fullmatch(r"([a-z][a-z0-9.-]*\.html)?(#f-[0-9a-f]+)?", href) for href in found.values("href"))
    assert all(href[1:] in found.where for href in found.values("href") if href.startswith("#"))


def written(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / FOLDER).glob("*.html")}


def test_one_looks_from_a_synthesis_down_to_its_notes() -> None:
    by_model = {"answered_by": "model", "model": "acme/large", "prompt_version": "distill/3", "confidence": 0.75}
    rows = [fact(1), fact(2), fact(3), synthesis(10, 0, [1, 2], **by_model), synthesis(11, 1, [10, 3])]
    found = page(*rows)
    looked_at(found)
    assert found.where[NUMBERED.format(1)] == [NUMBERED.format(11), NUMBERED.format(10)]
    assert found.where[NUMBERED.format(3)] == [NUMBERED.format(11)]
    for words in (
        "note:rig-a/run-1/n1",
        name(1),
        "observation · note of rig-a/run-1 · by lane-1 · 2026-11-30 · confidence 0.60 · 1 source",
        "Shard 1 loads in 1 ms.",
        "In short: Shards of group 10 load alike.",
        "answered bymodel acme/large (distill/3)",
        "answered byrules (rules/1)",
        "decided at2026-11-30",
        f"decision:{CAMPAIGN}/10",
        "evidence weight0.50",
        "confidence0.75",
        "thermite explain ID",
    ):
        assert words in found.text, words


def test_a_shared_fact_is_written_once_and_linked() -> None:
    found = page(fact(1), fact(2), synthesis(10, 0, [1, 2]), synthesis(11, 0, [2, 1]), synthesis(12, 1, [11]))
    looked_at(found)
    assert found.text.count("Shard 2 loads in 2 ms.") == 2, "once in full, once as the words of a link"
    assert found.values("href").count(f"#{NUMBERED.format(2)}") == 1


def test_cycles_stand_on_the_page_once() -> None:
    found = page(fact(1), synthesis(10, 1, [11, 1]), synthesis(11, 1, [10, 11]))
    looked_at(found)
    assert found.where[NUMBERED.format(11)] == [NUMBERED.format(10)]


def test_what_was_taken_back_says_so() -> None:
    gone = fact(1, retracted_by=f"decision:{CAMPAIGN}/7", superseded_by=name(10))
    refuted = hypothesis(20, retracted_by="hypothesis:rig-a/run-1/h1", retracted_as="refuted")
    found = page(gone, fact(2), synthesis(10, 0, [1, 2]), refuted)
    looked_at(found)
    assert f"It was retracted by decision:{CAMPAIGN}/7, superseded by depth 0: Shards of group 10" in found.text
    assert "It was refuted, retracted by hypothesis:rig-a/run-1/h1." in found.text


def test_facts_that_were_merged_lead_to_what_they_were() -> None:
    merged = fact(3, "Both shards are slow.", item=None, rig=None, run=None, written_by=None, created_at=None)
    before = [fact(number, retracted_by="decision:x/1", superseded_by=name(3)) for number in (1, 2)]
    found = page(*before, merged, fact(4), synthesis(10, 0, [3, 4]))
    looked_at(found)
    assert "What these facts rest on: 2" in found.text
    assert found.where[NUMBERED.format(1)] == [NUMBERED.format(10)]
    assert "note:rig-a/run-1/n2" in found.text


def test_hypotheses_and_ways_of_reasoning_have_sections_of_their_own() -> None:
    found = page(fact(1), fact(2), synthesis(10, 0, [1, 2]), hypothesis(20, refs=names([10])), methodology(21))
    looked_at(found)
    assert found.where[NUMBERED.format(20)] == found.where[NUMBERED.format(21)] == []
    order = [
        "Shards of group 10",
        "Hypotheses and",
        "A faster disk halves it.",
        "Ways of reasoning",
        "Look at the disk",
    ]
    body = found.text[found.text.index("Syntheses\n") :]
    assert [body.index(words) for words in order] == sorted(body.index(words) for words in order)


def test_a_campaign_without_syntheses_has_a_page() -> None:
    found = page(fact(1))
    looked_at(found)
    assert "There is no synthesis yet." in found.text
    assert "Shard 1" not in found.text


@given(LETTERS, LETTERS, LETTERS, LETTERS)
def test_no_text_is_more_than_text(title: str, body: str, other: str, ref: str) -> None:
    said: Row = {"title": title, "body": body, "domain": [other], "refs": [ref, other, name(2)]}
    rows = [fact(1, **said, written_by=other), fact(2), synthesis(10, 0, [1, 2], model=other, prompt_version=title)]
    rows += [synthesis(11, 1, []) | said | {"refs": [*names([10]), ref]}]
    rows += [hypothesis(20, **said, prediction=other, falsifier=ref, retracted_by=other), methodology(21, **said)]
    (text,) = tree_pages(CAMPAIGN, tree_rows(*rows)).values()
    found = Page(text)
    looked_at(found)
    assert found.tags["article"] == 4
    assert found.tags["details"] == 4
    text.encode()
    unseen = set("\x00\x1b\x85\u2028\u202e\u2066\u200b\ufeff\ud800")
    assert not unseen & set(found.text)


def test_hostile_words_are_seen_as_they_are() -> None:
    hostile = "</style></details><script>alert('x')</script><img src=x onerror=alert(1)>&lt; \u202egnp.exe"
    found = page(fact(1, hostile), fact(2), synthesis(10, 0, [1, 2], hostile))
    looked_at(found)
    assert hostile.replace("\u202e", "\\u202e") in found.text
    assert found.values("http-equiv") == ["Content-Security-Policy"]
    policy = next(value for value in found.values("content") if "default-src" in value)
    assert re.fullmatch(r"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'", policy)


def test_huge_texts_are_cut_and_the_page_says_so() -> None:
    rows = [fact(1, body="x" * 50_000, title="y" * 9_000), fact(2), synthesis(10, 0, [1, 2], body="z" * 90_000)]
    found = page(*rows)
    looked_at(found)
    assert "48,000 more characters: thermite explain note:rig-a/run-1/n1 shows all." in found.text
    assert f"82,000 more characters: thermite explain {name(10)} shows all." in found.text
    assert len(found.text) < 20_000


def test_many_facts_are_shared_out_over_parts() -> None:
    found = pages(*grown(400), hypothesis(9_000, refs=names([1])), page_bytes=100_000)
    index = found.pop(f"{CAMPAIGN}.html")
    assert len(found) > 2
    everywhere = {file: set(part.where) for file, part in found.items()}
    assert sum(map(len, everywhere.values())) == len(set().union(*everywhere.values())), "everything once"
    for part in [index, *found.values()]:
        looked_at(part)
        for href in part.values("href"):
            file, _, id = href.partition("#")
            assert not file or file == f"{CAMPAIGN}.html" or not id or id in everywhere[file]
    assert all(NUMBERED.format(number) in set().union(*everywhere.values()) for number in [*range(400), 9_000])


@pytest.mark.full
def test_ten_thousand_facts_give_pages_that_open() -> None:
    found = tree_pages(CAMPAIGN, tree_rows(*grown(10_000)))
    assert max(len(text.encode()) for text in found.values()) < 2_300_000
    assert len(found) < 12


def test_the_same_rows_give_the_same_bytes() -> None:
    rows = [*grown(80), hypothesis(900), hypothesis(901), methodology(902)]
    first = [tree_pages(CAMPAIGN, tree_rows(*rows), size) for size in (2_000_000, 30_000)]
    random.Random(7).shuffle(rows)
    assert [tree_pages(CAMPAIGN, tree_rows(*rows), size) for size in (2_000_000, 30_000)] == first


def test_a_kill_leaves_the_old_page_or_the_new_one_whole(tmp_path: Path) -> None:
    old, new = tree_rows(*grown(60)), tree_rows(*grown(90))
    engine = create_engine("sqlite://")

    def kill_at(place: int, after: bool, folder: Path) -> int:
        def work() -> None:
            with Points(place, after=after).watched(engine):
                write_pages(folder, CAMPAIGN, new, 30_000)

        return in_child(work)

    whole = {kind: tree_pages(CAMPAIGN, rows, 30_000) for kind, rows in (("old", old), ("new", new))}
    index = f"{CAMPAIGN}.html"
    seen = set[str]()
    ended = False
    for place in range(40):
        for after in (False, True):
            folder = tmp_path / f"{place}-{after}"
            write_pages(folder, CAMPAIGN, old, 30_000)
            ended = kill_at(place, after, folder) == 0
            found = written(folder)
            kind = next(kind for kind, files in whole.items() if files[index].encode() == found[index])
            seen.add(kind)
            assert all(found[file] == text.encode() for file, text in whole[kind].items())
            write_pages(folder, CAMPAIGN, new, 30_000)
            assert written(folder).keys() == whole["new"].keys()
            assert not list(folder.rglob(".tmp-*"))
        if ended:
            break
    assert ended
    assert seen == {"old", "new"}


def test_parts_of_other_campaigns_stay(tmp_path: Path) -> None:
    write_pages(tmp_path, f"{CAMPAIGN}-2", tree_rows(*grown(60)), 30_000)
    others = written(tmp_path)
    write_pages(tmp_path, CAMPAIGN, tree_rows(*grown(60)), 30_000)
    write_pages(tmp_path, CAMPAIGN, tree_rows(fact(1)))
    assert {file: data for file, data in written(tmp_path).items() if file != f"{CAMPAIGN}.html"} == others


def test_a_name_that_is_none_leads_nowhere(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        write_pages(tmp_path, "../x", tree_rows())
    assert not list(tmp_path.iterdir())


def _store(home: Home, campaign: str, table: str, rows: list[Row]) -> None:
    files = LakeFiles(home.control, home.lake, derived_scope(campaign, table))
    path = f"{derived_folder(table, campaign)}/{table}.parquet"
    files.stage(path, DERIVED_TABLES[table], arrange(DERIVED_TABLES[table], rows))
    files.publish()
    with home.control.write() as connection:
        files.confirm(connection)


def test_the_page_of_a_campaign_holds_its_own_texts_alone(home: Home) -> None:
    _store(home, CAMPAIGN, "facts", [fact(1), fact(2)])
    _store(home, CAMPAIGN, "syntheses", [synthesis(10, 0, [1, 2])])
    _store(home, "others", "facts", [fact(3, "A secret of others")])
    path = write_tree_page(home.opened, CAMPAIGN)
    assert path == f"pages/synthesis/{CAMPAIGN}.html"
    whole = home.settings.home / path
    found = Page(whole.read_text())
    looked_at(found)
    assert "Shard 2 loads in 2 ms." in found.text
    assert "A secret" not in found.text
    assert whole.stat().st_mode & 0o777 & ~0o644 == 0
    before = os.stat(whole)
    write_tree_page(home.opened, CAMPAIGN)
    assert os.stat(whole) == before, "nothing changed, so nothing is written"
