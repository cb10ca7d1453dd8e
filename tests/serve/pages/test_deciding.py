"""What people decide on pages: runs started from past research, help requests answered, learnings kept and dropped."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.serve.pages.browsing import ROOT, values, visitor, words_of
from tests.serve.serving import ServedHome, answering
from tests.support.homes import Home, make_home
from thermite_pipelines.control.channel_models import HelpAction, LearningAction
from thermite_pipelines.control.models import Assignment, core_table

START = "/folders/a/start"


def rows(home: Home, model: Any, *left_out: str) -> list[dict[str, Any]]:
    with home.control.read() as connection:
        found = [dict(row._mapping) for row in connection.execute(select(core_table(model)))]
    return [{name: value for name, value in row.items() if name not in left_out} for row in found]


@pytest.mark.parametrize("words", ["fits", "batch", "cache", "registry", "precision"])
def test_kb_60_the_picker_finds_what_the_campaign_may_read_and_nothing_else(shared: ServedHome, words: str) -> None:
    query = {"words": words, "as": "a", "limit": "30"}
    kinds = [("kind", kind) for kind in ("note", "finding", "claim", "research_note", "report", "experiment")]
    wanted = shared.client("reader").get("/search", params=[*query.items(), *kinds]).json()["results"]
    browser = visitor(shared)
    page = browser.post(START, {"do": "search", "words": words}).text
    assert values(page, "data-item") == [row["item"] for row in wanted]
    assert values(browser.get(f"{START}/results", words=words).text, "data-item") == [row["item"] for row in wanted]
    assert "Batch 512" not in page
    if words == "fits":
        assert "Batch 128" in page, "a may read c"


def test_kb_60_a_run_starts_with_what_was_picked_in_controls_own_words(own: ServedHome) -> None:
    ada = visitor(own, "operator", name="Ada")
    items = {row["text"]: row["item"] for row in own.client("reader").get("/items?kind=note").json()["items"]}
    mine, secret = items["Batch 128 fits in half precision"], items["Batch 512 does not fit"]
    fields = {"do": "start", "rig": "rig-a", "run": "r7", "agents": "yes", "flags": "--fast --quiet", "kit": ""}
    refused = ada.post(START, fields | {"pick": [mine, secret]})
    assert (refused.status_code, secret in refused.text) == (409, True)
    assert "r7" not in {row["run"] for row in rows(own.home, Assignment)}
    # Searching again keeps what was picked, and says which of it can't be read.
    again = ada.post(START, fields | {"do": "search", "words": "cache", "pick": [mine, secret]}).text
    assert f"a can read no item {secret}" in words_of(again)
    assert "Batch 512" not in again
    done = ada.post(START, fields | {"pick": [mine]})
    assert (done.status_code, done.headers["location"]) == (303, f"{ROOT}/runs/rig-a/r7")
    (row,) = [row for row in rows(own.home, Assignment) if row["run"] == "r7"]
    assert [picked["text"] for picked in row["command"]["briefing"]] == ["Batch 128 fits in half precision"]
    assert (row["assigned_by"], row["command"]["flags"], row["command"]["kit"]) == ("Ada", ["--fast", "--quiet"], None)
    assert "its signed command is commands/rig-a/r7.dsse.json" in ada.get("/runs/rig-a/r7").text
    assert ada.post(START, fields | {"run": "not/legal"}).status_code == 422
    assert ada.post(START, fields | {"rig": "none"}).status_code == 404
    for far in ({"kit": "k" * 201}, {"flags": "f " * 201}, {"routes": "r" * 201}):
        assert ada.post(START, fields | {"run": "r8"} | far).status_code == 422, "as the route for the same"


def test_what_failed_half_way_is_not_called_undone(own: ServedHome) -> None:
    """The assignment holds, though its command could not be written."""
    ada = visitor(own, "operator")
    folder = own.home.settings.home / "commands" / "rig-b"
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("in the way")
    failed = ada.post(START, {"do": "start", "rig": "rig-b", "run": "r9", "agents": "yes"})
    assert (failed.status_code, "Nothing was changed" in failed.text) == (500, False)
    assert "Look whether it was done" in failed.text
    assert "r9" in {row["run"] for row in rows(own.home, Assignment)}


def test_hl_16_a_reply_on_the_page_does_what_post_help_reply_does(own: ServedHome, tmp_path: Path) -> None:
    ada, client = visitor(own, "operator", name="Ada"), own.client("operator", name="Ada")
    page = ada.get("/help").text
    assert "There is no token for the registry" in page and values(page, "data-run") == ["rig-a/r1"]
    shutil.copytree(own.home.settings.home, tmp_path / "other-home")
    other = make_home(tmp_path / "other-home")
    text = "Use the mirror.\nIt needs no token."
    with answering(other) as url:
        client.base_url = url
        body = {"run": "r1", "rig": "rig-a", "text": text, "flags": ["--mirror"]}
        assert client.post("/help/reply", json=body).json()["changed"] is True
    fields = {"rig": "rig-a", "run": "r1", "text": text.replace("\n", "\r\n"), "flags": " --mirror "}
    done = ada.post("/help/reply", fields)
    assert (done.status_code, done.headers["location"]) == (303, f"{ROOT}/help")
    for model, left_out in ((HelpAction, ("reply", "at")), (Assignment, ("run", "command", "assigned_at"))):
        assert rows(own.home, model, *left_out) == rows(other, model, *left_out)
    commands = [
        {name: value for name, value in row["command"].items() if name not in ("id", "at", "run")}
        for home in (own.home, other)
        for row in rows(home, Assignment)
        if row["run"].startswith("reply-")
    ]
    assert commands[0] == commands[1]
    after = ada.get("/help").text
    assert "1 answered" in after and "Nobody waits" in after and "answered by run" in after
    assert ada.post("/help/reply", fields | {"text": " "}).status_code == 422
    other.close()


def test_requests_are_resolved_on_the_page(own: ServedHome) -> None:
    ada = visitor(own)
    assert "1 run waits" in words_of(ada.get().text)
    for said in ("1 of rig-a/r1 marked as dealt with", "Nothing was open"):
        assert ada.post("/help/resolve", {"rig": "rig-a", "run": "r1"}).status_code == 303
        assert said in ada.get("/help").text
    assert ada.post("/help/resolve", {"rig": "rig-a", "run": "none"}).status_code == 404
    assert len(own.audited("resolve")) == 1


def test_hl_28_dropping_asks_and_keeping_does_not(own: ServedHome) -> None:
    ada = visitor(own, "operator", name="Ada")
    (id,) = values(ada.get("/learnings").text, "data-learning")
    asks = ada.post("/learnings/drop", {"id": id})
    assert (asks.status_code, "Drop this learning for good?" in asks.text) == (200, True)
    assert rows(own.home, LearningAction) == []
    assert ada.post("/learnings/keep", {"id": id}).status_code == 303
    assert "confirmed" in ada.get("/learnings", state="confirmed").text
    assert "Keep" not in ada.get("/learnings").text.replace("What you keep", "")
    assert values(asks.text, "value").count("yes") == 1
    assert ada.post("/learnings/drop", {"id": id, "confirm": "yes"}).status_code == 303
    learnings = own.client("reader").get("/learnings").json()["learnings"]
    assert [row["state"] for row in learnings] == ["rejected"]
    assert [(row["verb"], row["by"]) for row in rows(own.home, LearningAction)] == [("keep", "Ada"), ("drop", "Ada")]
    assert ada.post("/learnings/keep", {"id": id}).status_code == 409
    assert ada.post("/learnings/drop", {"id": "rig-a/r1/none"}).status_code == 404


def test_hl_27_keeping_on_the_page_is_keeping_by_patch(own: ServedHome, tmp_path: Path) -> None:
    ada, client = visitor(own, name="Ada"), own.client("operator", name="Ada")
    (row,) = client.get("/learnings").json()["learnings"]
    shutil.copytree(own.home.settings.home, tmp_path / "other-home")
    other = make_home(tmp_path / "other-home")
    with answering(other) as url:
        client.base_url = url
        assert client.patch(f"/learnings/{row['id']}", json={"decision": "keep"}).status_code == 200
    assert ada.post("/learnings/keep", {"id": row["id"]}).status_code == 303
    assert rows(own.home, LearningAction, "at") == rows(other, LearningAction, "at")
    other.close()
