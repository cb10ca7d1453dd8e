"""Grants hold in every way that past research can be asked for: nothing unreadable comes out, or changes what does."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.knowledge.briefed import BriefHome
from tests.serve.asking import (
    CAMPAIGNS,
    FOR_CAMPAIGNS,
    FOR_RUNS,
    PICKERS,
    RUNS,
    WORDS,
    Asking,
    Document,
    lists,
    make_asking,
    mark,
    of_campaign,
)
from tests.serve.serving import ServedHome, answering
from tests.support.homes import make_home
from thermite_pipelines.control.commands import ensure_control_key
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.briefing import compose
from thermite_pipelines.knowledge.explain import explain
from thermite_pipelines.knowledge.listing import folder_rows, item_rows
from thermite_pipelines.knowledge.picker import PICKED_KINDS
from thermite_pipelines.knowledge.readable import NotReadable, Reader
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.search import SearchQuery, search_for_run

PEOPLES_PATHS = (
    "/search?words=warm",
    "/items",
    "/folders",
    "/explain?id={id}",
    "/search/briefing?campaign=a&words=warm",
)


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, ready_record: Path) -> Iterator[Asking]:
    home = make_home(tmp_path_factory.mktemp("asked") / "home", ready_record)
    ensure_control_key(home.settings)
    with answering(home) as url:
        made = make_asking(ServedHome(BriefHome(home), url))
        yield made
        made.close()


pairs = [(reader, source) for reader in CAMPAIGNS for source in CAMPAIGNS if reader != source]
grants = st.sets(st.sampled_from(pairs))
questions = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


def readable(campaign: str, granted: set[tuple[str, str]]) -> frozenset[str]:
    return frozenset({campaign, *(source for reader, source in granted if reader == campaign)})


def says_nothing_of(campaigns: frozenset[str], *answers: Any) -> bool:
    """Whether no text of these campaigns stands in any of some answers."""
    shown = json.dumps(answers, ensure_ascii=False, default=str)
    return not any(mark(name) in shown for name in campaigns)


def check_searches(asking: Asking, campaign: str, seen: frozenset[str], query: SearchQuery) -> None:
    """All searches for a campaign answer as in a home where what it may not read is not there."""
    alone = asking.holding(seen)
    expected = lists(of_campaign(alone, campaign, query))
    for name, ask in FOR_CAMPAIGNS.items():
        assert ask(asking, campaign, query) == expected, name
    picked = SearchQuery(query.words, kinds=PICKED_KINDS, limit=query.limit)
    expected = lists(of_campaign(alone, campaign, picked))
    for name, ask in PICKERS.items():
        assert ask(asking, campaign, query) == expected, name


def check_run(asking: Asking, campaign: str, seen: frozenset[str], query: SearchQuery) -> list[Document]:
    """The sync of a campaign's run lists what it may read, and its agents find that, by scores of that alone."""
    rig, run = RUNS[campaign]
    story = asking.place.story
    story.syncer.sync_run(rig, run)
    files = asking.client("rig", rig=rig).get(f"/rigs/{rig}/runs/{run}/knowledge/manifest").json()["files"]
    listed = {file["item"] for file in files}
    hidden = frozenset(CAMPAIGNS) - seen
    assert {file["path"].partition("/")[0] for file in files} <= seen
    own = {row["item"] for row in item_rows(asking.home.opened, Reader.of(campaign), campaign, run=run)}
    everything = {row["item"] for name in seen for row in item_rows(asking.home.opened, Reader.owner(), name)}
    assert {item for item in listed if not item.startswith("atom:")} == everything - own
    alone = asking.holding(seen)
    BriefHome(alone).syncer.sync_run(rig, run)
    expected = lists(search_for_run(alone.opened, rig, run, query))
    answers = [ask(asking, rig, run, query) for ask in FOR_RUNS.values()]
    assert all(answer == expected for answer in answers)
    found = {row["item"] for row in expected["results"]} | {row["atom"] for row in expected["atoms"]}
    assert found <= listed
    assert says_nothing_of(hidden, files, *answers, story.files(run, rig).values())
    return answers


def check_single_reads(asking: Asking, campaign: str, seen: frozenset[str]) -> None:
    """Lists, explanations and briefings of what a campaign may read, and of nothing else."""
    home, reader = asking.home.opened, Reader.of(campaign)
    assert {row["campaign"] for row in item_rows(home, reader)} == seen
    assert {row["campaign"] for row in folder_rows(home, reader)} == seen
    for name in CAMPAIGNS:
        item = next(row["item"] for row in item_rows(home, Reader.owner(), name, ["note"]))
        if name in seen:
            assert mark(name) in (explain(home, item, reader).text or "")
            continue
        with pytest.raises(ThermiteError, match="there is no item"):
            explain(home, item, reader)
        with pytest.raises(NotReadable):
            item_rows(home, reader, name)
        with home.control.read() as connection, pytest.raises(ThermiteError, match="can read no item") as refused:
            compose(FolderReader(home.control, home.lake), connection, campaign, [item])
        assert says_nothing_of(frozenset({name}), str(refused.value))


def check(asking: Asking, granted: set[tuple[str, str]], campaign: str, words: str, limit: int) -> None:
    asking.grant(granted)
    seen = readable(campaign, granted)
    query = SearchQuery(words, limit=limit)
    check_searches(asking, campaign, seen, query)
    check_run(asking, campaign, seen, query)
    check_single_reads(asking, campaign, seen)


@given(grants, st.sampled_from(CAMPAIGNS), questions, st.integers(1, 30))
@settings(max_examples=6)
def test_kb_43_44_nothing_unreadable_comes_out_or_changes_anything(
    asking: Asking, granted: set[tuple[str, str]], campaign: str, words: str, limit: int
) -> None:
    check(asking, granted, campaign, words, limit)


@pytest.mark.full
@given(grants, st.sampled_from(CAMPAIGNS), questions, st.integers(1, 30))
@settings(max_examples=100)
def test_kb_43_44_nothing_unreadable_comes_out_or_changes_anything_in_many_tries(
    asking: Asking, granted: set[tuple[str, str]], campaign: str, words: str, limit: int
) -> None:
    check(asking, granted, campaign, words, limit)


@pytest.mark.parametrize("role", ["agent", "advisor", "rig"])
def test_kb_43_tokens_of_runs_and_rigs_read_no_folder_over_http(asking: Asking, role: str) -> None:
    """What they may see they ask for by their run: whatever people read is refused, and told as such."""
    client = asking.client(role, rig="rig-a", run=None if role == "rig" else "r1")
    item = next(row["item"] for row in item_rows(asking.home.opened, Reader.owner(), "a", ["note"]))
    for path in PEOPLES_PATHS:
        answer = client.get(path.format(id=item))
        assert answer.status_code == 403 and says_nothing_of(frozenset(CAMPAIGNS), answer.text), path


def test_kb_60_the_picker_offers_what_the_campaign_may_read_and_no_other_id_is_taken(asking: Asking) -> None:
    asking.grant({("a", "b")})
    owner = Reader.owner()
    opened = asking.home.opened
    expected = {row["item"] for name in "ab" for row in item_rows(opened, owner, name, PICKED_KINDS)}
    query = SearchQuery(" ".join(map(mark, CAMPAIGNS)))
    assert {row["item"] for row in PICKERS["library"](asking, "a", query)["results"]} == expected
    client = asking.client("operator")
    picks = client.get("/search/briefing", params={"campaign": "a", "words": query.words, "limit": 200}).json()
    assert {row["item"] for row in picks["results"]} == expected
    hidden = next(row["item"] for row in item_rows(opened, owner, "c", ["note"]))
    body = {"rig": "rig-a", "run": "r9", "campaign": "a"}
    refused = client.post("/assignments", json=body | {"brief": [picks["results"][0]["item"], hidden]})
    assert refused.status_code == 409 and "can read no item" in refused.json()["detail"]
    assert "r9" not in {row["run"] for row in client.get("/assignments").json()["assignments"]}
    wrong = client.get("/search/briefing", params={"campaign": "a", "words": "warm", "kind": "run"})
    assert wrong.status_code == 422
    assert client.get("/search/briefing", params={"campaign": "nobody", "words": "warm"}).status_code == 404
