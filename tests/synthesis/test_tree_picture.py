"""The picture of a campaign's tree: its shape and its counts, and not one word of anybody."""

import base64
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.synthesis.planting import CAMPAIGN, Row, fact, forest, grown, synthesis
from thermite_pipelines.synthesis.tree_picture import COLOURS, IN_PLACE_BYTES, MOST_BYTES, tree_svg

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*rows: Row, most_bytes: int = MOST_BYTES) -> ElementTree.Element:
    picture = tree_svg(forest(*rows), most_bytes)
    assert len(picture.encode()) <= most_bytes
    return ElementTree.fromstring(picture)


def words(picture: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]


def bars(picture: ElementTree.Element, colour: str) -> list[tuple[int, int]]:
    """Where each block of a colour begins and how wide it is."""
    found = []
    for path in picture.iter(f"{SVG}path"):
        if path.get("stroke") == colour:
            at = 0
            for move, x, wide in re.findall(r"([Mm])(\d+) \d+h(\d+)", path.get("d", "")):
                at = int(x) + (at if move == "m" else 0)
                found.append((at, int(wide)))
                at += int(wide)
    return found


def test_blocks_are_as_wide_as_the_facts_below_them() -> None:
    rows = [*map(fact, range(6)), synthesis(10, 0, [0, 1]), synthesis(11, 0, [2, 3, 4, 5]), synthesis(12, 1, [10, 11])]
    picture = drawn(*rows)
    assert bars(picture, COLOURS[1]) == [(0, 719)]
    assert bars(picture, COLOURS[0]) == [(0, 239), (240, 479)]
    assert len(bars(picture, "#777")) == 6
    assert words(picture)[:3] == ["6", "2", "4"]
    assert words(picture)[3:] == ["■ 1 of depth 1 · ■ 2 of depth 0", "■ 6 facts below"]


def test_what_several_rest_on_is_drawn_once_and_counted_for_each() -> None:
    picture = drawn(*map(fact, range(4)), synthesis(10, 0, [0, 1, 2]), synthesis(11, 0, [2, 3]))
    assert bars(picture, COLOURS[0]) == [(0, 539), (540, 179)]
    assert words(picture)[:2] == ["3", "2"]


def test_nothing_to_draw_is_said() -> None:
    assert words(drawn()) == ["no synthesis yet"]
    assert words(drawn(fact(1), fact(2))) == ["no synthesis yet", "2 facts in no synthesis"]


def test_retracted_facts_are_pale_and_counted() -> None:
    picture = drawn(fact(1), fact(2, retracted_by="d"), fact(3, superseded_by="x"), synthesis(10, 0, [1, 2, 3]))
    pale = [path for path in picture.iter(f"{SVG}path") if path.get("opacity") == "0.4"]
    assert len(pale) == 1
    assert "2 of them retracted" in words(picture)[-1]


def test_it_says_no_word_of_anybody() -> None:
    marks: dict[str, Any] = {"title": "MARKA", "body": "MARKB", "rig": "markc", "run": "MARKD", "written_by": "MARKE"}
    marks |= {"domain": ["MARKF"], "entities": ["MARKG"], "item": "note:markh/MARKI/MARKJ", "session": "MARKL"}
    said = {key: value for key, value in marks.items() if key != "session"}
    top = synthesis(10, 0, [1, 2], **marks, model="MARKK", answered_by="MARKM", retracted_by=None)
    rows = [fact(1, **said), fact(2, **said | {"item": "note:markh/MARKI/MARKN", "retracted_by": "MARKO"}), top]
    for most_bytes in (MOST_BYTES, IN_PLACE_BYTES):
        picture = tree_svg(forest(*rows), most_bytes)
        assert "mark" not in picture.lower()
        assert "loaders" not in picture
        assert not re.search(r"[0-9a-f]{12}", picture)


def test_synthesis_of_its_own_depth_stands_above() -> None:
    picture = drawn(fact(1), fact(2), synthesis(10, 0, [1, 2]), synthesis(11, 0, [10, 2]))
    lines = [path.get("d", "") for path in picture.iter(f"{SVG}path") if path.get("stroke") == COLOURS[0]]
    assert sorted(re.findall(r"M\d+ (\d+)", "".join(lines))) == ["11", "33"]


@pytest.mark.parametrize("facts", [3, 1_200, pytest.param(10_000, marks=pytest.mark.full)])
def test_it_stays_small(facts: int) -> None:
    rows = grown(facts)
    large, small = drawn(*rows), drawn(*rows, most_bytes=IN_PLACE_BYTES)
    assert f"■ {facts:,} facts below" in words(large)[-1]
    assert len(bars(small, COLOURS[0])) >= 1
    encoded = base64.b64encode(tree_svg(forest(*rows), IN_PLACE_BYTES).encode())
    assert len(f"![shape of the tree of {CAMPAIGN}](data:image/svg+xml;base64,)") + len(encoded) < 1_000


def test_several_blocks_that_are_drawn_as_one_are_marked() -> None:
    picture = drawn(*grown(1_200))
    assert "pale, ×n: several drawn as one" in words(picture)[-1]
    assert len(bars(picture, COLOURS[0])) <= 240
