"""Known corrections, asked for as an agent would, and weights that nobody tried."""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.atoms import atom_row, correction_row, put_atoms
from tests.support.homes import Home
from thermite_pipelines.atoms.calibration import Ranked, calibrate, weights_calibrated
from thermite_pipelines.control.atom_models import Calibration
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home as Opened
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.search import SearchQuery, search

DISTINCTION = Path(__file__).parent / "data" / "distinction.json"


def opened(home: Home, **changes: Any) -> Opened:
    return open_home(home.settings.model_copy(update=changes))


def kept(home: Home) -> list[tuple[int, bool]]:
    with home.control.read() as connection:
        rows = connection.execute(select(Calibration).order_by(Calibration.calibration))
        return [(row.queries, row.passed) for row in rows]


def lines(*pairs: tuple[str, str]) -> list[str]:
    return [json.dumps({"query": query, "atom": atom}) for query, atom in pairs]


@pytest.fixture
def known(home: Home) -> Home:
    """Campaign a with two corrections about caches and a finding, campaign b with one of its own."""
    home.campaign("a", "b")
    put_atoms(
        home,
        "a",
        correction_row("caches hold rows", atom="atom:a/01"),
        correction_row("caches hold pages of rows", atom="atom:a/02"),
        atom_row("caches hold whole pages of many other rows of the plan", atom="atom:a/03"),
    )
    put_atoms(home, "b", correction_row("caches hold rows", "b", atom="atom:b/01"))
    return home


def test_at_37_each_rank_is_told_and_all_must_be_in_the_top_two(known: Home) -> None:
    good = calibrate(
        opened(known), lines(("do caches hold rows?", "atom:a/01"), ("what is in the caches", "atom:b/01"))
    )
    assert good.queries == [
        Ranked("do caches hold rows?", "atom:a/01", 1),
        Ranked("what is in the caches", "atom:b/01", 1),
    ]
    assert good.ok
    assert good.document() == {"queries": [vars(query) for query in good.queries], "ok": True}
    bad = calibrate(opened(known), lines(("caches", "atom:a/01"), ("caches", "atom:a/03"), ("plans", "atom:b/01")))
    assert [query.rank for query in bad.queries] == [1, 3, None] and not bad.ok
    assert kept(known) == [(2, True), (3, False)]


def test_at_38_changed_weights_need_a_calibration_that_passed(known: Home) -> None:
    assert weights_calibrated(opened(known)) == []
    for changes in (
        {"atom_type_weights": "correction=1.5"},
        {"atom_source_weights": "person=1.5"},
        {"atom_weight": 2.0},
        {"atom_threshold": 0.001},
    ):
        changed = opened(known, **changes)
        (finding,) = weights_calibrated(changed)
        assert finding["calibrated"] is False and len(finding["weights_sha256"]) == 64
        calibrate(changed, lines(("plans", "atom:a/01")))
        (finding,) = weights_calibrated(changed)
        assert finding["calibrated"] is True
        calibrate(changed, lines(("caches", "atom:a/01")))
        assert weights_calibrated(changed) == []
    assert weights_calibrated(opened(known, atom_weight=3.0)) != []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n \n",
        "x",
        "[]",
        '{"query": "x"}',
        '{"query": "", "atom": "atom:a/01"}',
        '{"query": 1, "atom": 2}',
        '{"query": "x", "atom": "note:a/1"}',
        '{"query": "x", "atom": "atom:zzz/1"}',
        "[" * 100_000,
    ],
)
def test_what_is_no_calibration_is_an_error_and_leaves_nothing(known: Home, text: str) -> None:
    with pytest.raises(ThermiteError):
        calibrate(opened(known), [*lines(("caches", "atom:a/01"))[: bool(text.strip())], *text.split("\n")])
    assert kept(known) == []


def test_at_39_the_correction_is_returned_for_every_phrasing_of_the_question(home: Home) -> None:
    case = json.loads(DISTINCTION.read_text(encoding="utf-8"))
    home.campaign("a")
    target = correction_row(case["correction"], domain=["web-metrics"])
    others = [
        atom_row(f"The {name} column of the daily table is filled by the nightly job")
        for name in ("visits", "orders", "revenue", "bounce", "device", "country", "landing", "exit", "session", "user")
    ]
    others += [
        atom_row("Traffic from mail partners is direct traffic for the collector"),
        atom_row("A single source of truth for channels is the daily_channels table"),
        atom_row("Sessions are counted by visit, and every source of traffic has its own filter"),
    ]
    put_atoms(home, "a", target, *others)
    assert len(case["queries"]) >= 5
    for query in case["queries"]:
        found = search(opened(home), SearchQuery(query, as_campaign="a")).atoms
        assert target["atom"] in [atom["atom"] for atom in found[:2]], query
    assert calibrate(opened(home), lines(*((query, target["atom"]) for query in case["queries"]))).ok
