"""The fold: dedup, chains, checkpoints, ids; each from plain values."""

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.atoms import fold as folding
from thermite_pipelines.atoms.fold import Proposed, SessionFacts, Taken, fold
from thermite_pipelines.atoms.statements import digest

Row = dict[str, Any]


def facts(name: str, day: str = "2026-03-01", human: int = 1) -> SessionFacts:
    return SessionFacts(name, day, human)


def atom(statement: str, place: int = 0, kind: str = "finding", wrong: str | None = None, **more: Any) -> Row:
    return {
        "type": kind,
        "statement": statement,
        "domain": ["web-metrics"],
        "conditions": "none stated",
        "verbatim_quote": statement,
        "quote_checked": True,
        "wrong_assumption": wrong,
        "why_confused": "the name" if wrong else None,
        "message": str(place),
        "time_bound": False,
        "digest": digest(statement),
        "supersedes": None,
        "members": [],
        "place": place,
    } | more


def taken(*atoms: Row, first: int = 0, count: int = 1, **refused: int) -> list[Taken]:
    return [Taken(first, count, "rules", "v1", atoms, [], refused)]


def proposed(statement: str, day: str = "2026-03-05", supersedes: str | None = None, **more: Any) -> Proposed:
    fields = atom(statement) | {"source": "campaign", "session": None, "message": None, "place": None}
    fields |= {"established": day, "supersedes": supersedes and digest(supersedes), "quote_checked": False} | more
    return Proposed(digest(statement), more.get("origin", "proposed"), fields)


def by_statement(rows: list[Row]) -> dict[str, Row]:
    return {row["statement"]: row for row in rows}


def chain(rows: list[Row], statement: str) -> list[str]:
    """Statements from one to the newest of its chain."""
    found, ids = [statement], {row["atom"]: row for row in rows}
    while (after := by_statement(rows)[found[-1]]["superseded_by"]) is not None:
        found.append(ids[after]["statement"])
    return found


def test_at_31_three_successive_corrections_form_one_chain() -> None:
    sessions = [facts(f"s{number}", f"2026-03-0{number}") for number in range(1, 5)]
    rows = fold(
        "c",
        sessions,
        {
            "s1": taken(atom("users counts visitors")),
            "s2": taken(atom("users counts logins", kind="correction", wrong="Users counts visitors.")),
            "s3": taken(atom("users counts accounts", kind="correction", wrong="users counts logins")),
            "s4": taken(atom("users counts paid accounts", kind="correction", wrong="users counts  accounts")),
        },
        [],
    ).atoms
    assert chain(rows, "users counts visitors") == [
        "users counts visitors",
        "users counts logins",
        "users counts accounts",
        "users counts paid accounts",
    ]
    assert [row["supersedes"] for row in rows if row["statement"] == "users counts visitors"] == [None]


def test_at_31_what_would_close_a_circle_is_not_linked() -> None:
    rows = fold(
        "c",
        [facts("s1")],
        {"s1": taken(atom("a"), atom("b", 1, "correction", "a"))},
        [proposed("x", supersedes="b"), proposed("a", supersedes="x"), proposed("y", supersedes="y")],
    ).atoms
    found = by_statement(rows)
    for row in rows:
        seen, at = set(), row["supersedes"]
        while at is not None:
            assert at not in seen, "a circle"
            seen.add(at)
            at = next(one["supersedes"] for one in rows if one["atom"] == at)
    assert found["y"]["supersedes"] is None
    assert found["a"]["supersedes"] is not None, "what a person said explicitly counts before the rule"


def test_an_extracted_statement_counts_before_a_proposed_one() -> None:
    sessions = [facts("s1", "2026-03-01"), facts("s2", "2026-03-02")]
    cites = {"session": "s2", "rig": None, "ledger": None, "run": None}
    proposal = proposed("a", "2026-02-01", session="s2", source="person:ada", cites=cites)
    [row] = fold("c", sessions, {"s1": taken(atom("a"))}, [proposal]).atoms
    assert (row["origin"], row["source"], row["established"]) == ("extracted", "campaign", "2026-03-01")
    assert row["sessions"] == ["s1", "s2"]
    [row] = fold("c", sessions, {}, [proposal]).atoms
    assert (row["origin"], row["source"], row["established"]) == ("proposed", "person:ada", "2026-03-02")


def test_ids_are_longer_only_where_digests_begin_alike(monkeypatch: Any) -> None:
    alike = {"a": "0" * 16 + "1" * 48, "b": "0" * 16 + "2" * 48, "c": "3" * 64}
    monkeypatch.setattr(folding, "digest", alike.__getitem__)
    atoms = [atom(name, place) | {"digest": alike[name]} for place, name in enumerate("abc")]
    rows = by_statement(fold("speed", [facts("s1")], {"s1": taken(*atoms)}, []).atoms)
    assert rows["a"]["atom"] == "atom:speed/" + "0" * 16 + "1" * 8
    assert rows["b"]["atom"] == "atom:speed/" + "0" * 16 + "2" * 8
    assert rows["c"]["atom"] == "atom:speed/" + "3" * 16


def test_at_12_at_24_checkpoints_every_ten_sessions_and_for_the_remainder() -> None:
    sessions = [facts(f"s{number:02d}", f"2026-03-{number:02d}", human=4) for number in range(1, 26)]
    told = {
        one.session: taken(
            atom(f"only {one.session}"),
            atom("everybody says so", 1, "pattern", domain=["lore"]),
            count=4,
            **({"no-quote": 2} if one.session == "s11" else {}),
        )
        for one in sessions
    }
    first, second, last = fold("c", reversed(sessions), told, []).checkpoints
    assert (first["sessions"], first["first_session"], first["last_session"]) == (10, "s01", "s10")
    assert (first["human_messages"], first["atoms"], first["duplicates"]) == (40, 11, 9)
    assert (first["signal_to_noise"], first["duplicate_rate"]) == (11 / 40, 9 / 20)
    assert first["types"] == [{"type": "finding", "atoms": 10}, {"type": "pattern", "atoms": 1}]
    assert first["domains"] == [{"domain": "lore", "atoms": 1}, {"domain": "web-metrics", "atoms": 10}]
    assert (first["oldest_day"], first["newest_day"], first["age_range_days"]) == ("2026-03-01", "2026-03-10", 9)
    assert (first["is_final"], second["is_final"], last["is_final"]) == (False, False, True)
    assert (second["checkpoint"], second["first_session"], second["refused"]) == (
        2,
        "s11",
        [{"rule": "no-quote", "candidates": 2}],
    )
    assert (last["sessions"], last["atoms"], last["duplicates"], last["duplicate_rate"]) == (5, 5, 5, 0.5)
    assert (last["oldest_day"], last["newest_day"], last["age_range_days"]) == ("2026-03-21", "2026-03-25", 4)


def test_at_07_five_hundred_messages_give_no_gestalt() -> None:
    told = taken(*[atom(f"fact {number}", number) for number in range(500)], count=500)
    assert not [row for row in fold("c", [facts("s", human=500)], {"s": told}, []).atoms if row["type"] == "gestalt"]


_STATEMENTS = st.sampled_from(["a", "b", "c", "d"])


@st.composite
def records(draw: st.DrawFn) -> tuple[list[SessionFacts], dict[str, list[Taken]], list[Proposed]]:
    sessions = [facts(f"s{n}", f"2026-03-0{draw(st.integers(1, 4))}", 2) for n in range(draw(st.integers(0, 4)))]
    told = {}
    for one in sessions:
        atoms = []
        for place in range(2):
            statement, wrong = draw(_STATEMENTS), draw(st.none() | _STATEMENTS)
            atoms.append(atom(statement, place, "correction" if wrong else "finding", wrong))
        told[one.session] = taken(*atoms, count=2)
    names = draw(st.lists(_STATEMENTS, unique=True, max_size=3))
    proposals = [proposed(name, supersedes=draw(st.none() | _STATEMENTS)) for name in names]
    return sessions, told, proposals


@given(records(), st.randoms(use_true_random=False))
def test_order_never_matters(record: Any, chance: random.Random) -> None:
    sessions, told, proposals = record
    wanted = fold("c", sessions, told, proposals)
    shuffled = list(sessions), list(proposals)
    for one in shuffled:
        chance.shuffle(one)
    assert fold("c", shuffled[0], told, shuffled[1]) == wanted
    ids = {row["atom"] for row in wanted.atoms}
    for row in wanted.atoms:
        assert {row["supersedes"], row["superseded_by"]} - {None} <= ids
        assert row["established"] is not None
