"""docs/atoms.md: its commands run as they stand, in order, and its tables are those of the code."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.pages import blocks, read_page, run_script, tables, words_in
from tests.support.homes import make_home
from tests.support.rigs import seed_of
from thermite_pipelines.atoms.inspection import LEAST_SIGNAL, MOST_DUPLICATES
from thermite_pipelines.atoms.model import ATOM_TYPES
from thermite_pipelines.atoms.proposals import WHY_PROPOSALS
from thermite_pipelines.atoms.quality import WHY
from thermite_pipelines.knowledge.initialise import initialise
from thermite_pipelines.settings import SOURCE_WEIGHTS, TYPE_WEIGHTS

PAGE = "docs/atoms.md"
SESSION = "0b54f0d3-7f8c-4e0c-9a3b-2f3a2a9f1c11"
TALK = [
    ("assistant", "I assume that the warm-up schedule counts samples, so I will leave its length as it is."),
    ("user", "No, that's wrong: the warm-up schedule counts optimizer steps, so a larger batch makes it longer."),
    ("assistant", "Then I will shorten it."),
    ("user", "We decided to keep the warm-up schedule at 400 steps because shorter ones diverged."),
]


@dataclass(frozen=True)
class Story:
    """The folder in which the page's commands ran, and what each block printed, by its first command."""

    folder: Path
    printed: str


def transcript() -> str:
    lines = [
        {
            "type": role,
            "uuid": f"m{number}",
            "sessionId": SESSION,
            "isSidechain": False,
            "userType": "external",
            "timestamp": f"2026-11-29T10:0{number}:00Z",
            "message": {"role": role, "content": text},
        }
        for number, (role, text) in enumerate(TALK)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture(scope="module", params=[pytest.param(None, marks=pytest.mark.full)], ids=[PAGE])
def story(tmp_path_factory: pytest.TempPathFactory, ready_record: Path) -> Iterator[Story]:
    """All blocks of the page that may be run, one after another, in one home."""
    folder = tmp_path_factory.mktemp("atoms")
    home = make_home(folder / ".thermite", ready_record)
    initialise(home.settings)
    home.rig("rig-a")
    home.campaign("speed-up")
    (folder / "rig-a.key").write_text(seed_of("rig-a").hex() + "\n")
    (folder / "sessions").mkdir()
    (folder / "sessions" / f"{SESSION}.jsonl").write_text(transcript())
    (folder / "atom.json").write_text(blocks(PAGE, "json")[0].text)
    script = "".join(block.text for block in blocks(PAGE, "sh") if block.runs)
    yield Story(folder, run_script(script, folder, THERMITE_SETTLE_SECONDS="0"))
    home.close()


def test_every_block_was_run(story: Story) -> None:
    assert "FAILURE" not in story.printed
    assert "0 calls, 0 tokens" in story.printed  # the dry run
    assert "1 sessions done" in story.printed
    assert "Knowledge atoms" in story.printed
    assert "counts optimizer steps" in story.printed
    assert story.printed.count("stored") >= 2  # the proposal, and a gestalt


def test_rules_are_the_codes() -> None:
    shown = {words_in(row[0])[0]: row[1] for row in tables(PAGE, "Quality rules")}
    assert shown == {**WHY, **WHY_PROPOSALS}


def test_types_and_weights_are_the_codes() -> None:
    types = [words_in(row[0])[0] for row in tables(PAGE, "The eight types")]
    assert types == list(ATOM_TYPES)
    rows = tables(PAGE, "How atoms are ranked")
    assert {words_in(row[0])[0]: float(row[1]) for row in rows[:8]} == TYPE_WEIGHTS
    assert [float(row[1]) for row in rows[8:]] == list(SOURCE_WEIGHTS.values())


def test_figures_in_the_text_are_the_codes() -> None:
    text = read_page(PAGE)
    assert LEAST_SIGNAL == 0.5 and "less than half of the signal" in text
    assert f"{MOST_DUPLICATES} more" in text
