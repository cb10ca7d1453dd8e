"""Proposals and gestalts: judged one by one, kept in control's record, in the tables at once."""

import threading
from typing import Any

import pytest

from tests.atoms.talking import CAMPAIGN, a_run, arrive, day, derived, log, mine, opened, rows, say_session, uuid
from tests.support.homes import Home
from thermite_pipelines.atoms.grouping import group
from thermite_pipelines.atoms.inspection import quote_findings, step_findings
from thermite_pipelines.atoms.proposals import ProposalResult, propose
from thermite_pipelines.atoms.store import rebuild_tables
from thermite_pipelines.control import audit
from thermite_pipelines.control.leases import LeaseTaken, lease
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.times import parse_rfc3339

NOW = parse_rfc3339("2026-05-06T23:59:59Z")
Row = dict[str, Any]


def a_proposal(statement: str = "The sessions column counts logged-in visits alone.", **more: Any) -> Row:
    fields = {"type": "finding", "statement": statement, "domain": ["web-metrics"], "conditions": "on staging"}
    return fields | {"verbatim_quote": statement} | more


def offer(home: Home, *documents: Any, campaign: str = CAMPAIGN) -> list[ProposalResult]:
    document = documents[0] if len(documents) == 1 else {"atoms": list(documents)}
    return propose(opened(home), campaign, document, by="ada", clock=lambda: NOW)


def test_at_16_the_stored_row_equals_the_proposal_plus_an_id_and_a_date(home: Home) -> None:
    home.campaign(CAMPAIGN)
    correction = {
        "type": "correction",
        "statement": "The sessions column counts logged-in visits alone.",
        "domain": ["web-metrics"],
        "conditions": "on staging",
        "wrongAssumption": "the sessions column counts all traffic",
        "whyConfused": "its name says nothing of logins",
        "verbatimQuote": "sessions only has logged-in visits",
        "source": "person:grace",
    }
    [result] = offer(home, correction)
    assert result.outcome == "stored"
    [atom] = rows(home, "atoms")
    assert atom["atom"] == result.atom
    assert str(result.atom).startswith(f"atom:{CAMPAIGN}/")
    assert (atom["established"], atom["quote_checked"], atom["origin"]) == ("2026-05-06", False, "proposed")
    for name in ("type", "statement", "domain", "conditions", "source"):
        assert atom[name] == correction[name]
    assert atom["wrong_assumption"] == correction["wrongAssumption"]
    assert atom["verbatim_quote"] == correction["verbatimQuote"]
    assert log(home) == [atom]
    with home.control.read() as connection:
        entry = audit.entries(connection)[-1]
    assert (entry["by"], entry["action"], entry["subject"]) == ("ada", "propose", CAMPAIGN)
    assert entry["detail"]["atoms"] == [result.atom]
    assert "logged-in" not in str(entry)


def test_at_17_two_bad_ones_of_ten_spoil_nothing(home: Home) -> None:
    home.campaign(CAMPAIGN)
    documents = [a_proposal(f"Column number {n} counts visits.", established=f"2026-04-0{n + 1}") for n in range(9)]
    documents[3] = a_proposal("Column number 3 counts visits.", domain=[])
    documents[6] = a_proposal("Column number 6 counts visits.", established="last May")
    results = offer(home, *documents, a_proposal("column NUMBER 8 counts  visits"))
    assert [result.outcome for result in results] == [
        "stored", "stored", "stored", "refused", "stored", "stored", "refused", "stored", "stored", "duplicate",
    ]  # fmt: skip
    assert [str(results[place].reason).split(":")[0] for place in (3, 6)] == ["no-domain", "established"]
    assert results[9].atom == results[8].atom
    assert sorted(row["established"] for row in rows(home, "atoms")) == [f"2026-04-0{n}" for n in (1, 2, 3, 5, 6, 8, 9)]


def test_at_10_at_17_odd_documents_are_refused_in_one_line(home: Home) -> None:
    home.campaign(CAMPAIGN)
    for odd in ("x", None, {}, [], {"type": 3}, {"statement": {"a": 1}}):
        [result] = propose(opened(home), CAMPAIGN, {"atoms": [odd]}, by="ada")
        assert (result.outcome, result.atom) == ("refused", None)
        assert result.reason
    for odd in ("x", 3, [a_proposal()], None):
        with pytest.raises(ThermiteError, match="no proposal"):
            propose(opened(home), CAMPAIGN, odd, by="ada")
    with pytest.raises(ThermiteError, match="no campaign"):
        propose(opened(home), "unheard-of", a_proposal(), by="ada")
    assert derived(home) == {}


def test_a_named_session_must_hold_the_quote(home: Home) -> None:
    rig = a_run(home)
    told = "Sessions has logged-in visits only."
    say_session(rig, uuid(1), f"h:hm\n{told}", "a:ok", "h:thanks", at=day(4))
    arrive(home)
    mine(home)
    result, *refused = offer(
        home,
        a_proposal(verbatim_quote=told, session=uuid(1)),
        a_proposal("Visits are counted twice.", session=uuid(1)),
        a_proposal("Visits are counted daily.", verbatim_quote=told, session=uuid(2)),
        a_proposal("Visits are counted daily.", verbatim_quote=told, session=uuid(1), established="2026-05-06"),
        a_proposal("Visits are counted daily.", verbatim_quote=told, session=uuid(1), message="2"),
    )
    assert result.outcome == "stored"
    [atom] = rows(home, "atoms")
    assert (atom["session"], atom["message"], atom["place"], atom["quote_checked"]) == (uuid(1), "0", 0, True)
    assert (atom["established"], atom["sessions"], atom["run"]) == ("2026-01-05", [uuid(1)], "run-1")
    assert [str(one.reason).split(":")[0] for one in refused] == [
        "quote-not-said",
        "unknown-session",
        "established",
        "quote-not-said",
    ]
    assert quote_findings(opened(home), CAMPAIGN) == []


def a_correction(statement: str, wrong: str, **more: Any) -> Row:
    return a_proposal(statement, type="correction", wrong_assumption=wrong, why_confused="the name misleads", **more)


def test_at_31_a_proposed_correction_names_what_it_corrects_and_no_circle_is_closed(home: Home) -> None:
    home.campaign(CAMPAIGN)
    [first] = offer(home, a_correction("Visits are counted hourly.", "visits are counted daily"))
    [second] = offer(home, a_correction("Visits are counted weekly.", "other", supersedes=first.atom))
    by_id = {row["atom"]: row for row in rows(home, "atoms")}
    assert by_id[second.atom]["supersedes"] == first.atom
    assert by_id[first.atom]["superseded_by"] == second.atom
    results = offer(
        home,
        a_correction("Visits are counted yearly.", "other", supersedes="atom:speed-up/0123456789abcdef"),
        a_correction("Visits are counted yearly.", "other", supersedes=second.atom),
    )
    assert [result.outcome for result in results] == ["refused", "stored"]
    from thermite_pipelines.atoms.statements import digest

    own = f"atom:{CAMPAIGN}/{digest('Visits are counted monthly.')[:16]}"
    [result] = offer(home, a_correction("Visits are counted monthly.", "other", supersedes=own))
    assert result.outcome == "refused", "an atom can't take its own place"


def test_an_extracted_statement_makes_a_proposal_a_duplicate_in_either_order(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), "h:FACT visits are counted hourly", at=day(4))
    arrive(home)
    document = a_proposal("Visits are counted hourly.", source="person:grace")
    [early] = offer(home, document)
    mine(home)
    [late] = offer(home, document)
    assert (early.outcome, late.outcome, early.atom) == ("stored", "duplicate", late.atom)
    [atom] = rows(home, "atoms")
    assert (atom["origin"], atom["source"], atom["established"]) == ("extracted", "campaign", "2026-01-05")


def test_proposals_outlive_a_rebuild(home: Home) -> None:
    home.campaign(CAMPAIGN)
    offer(home, a_proposal())
    before = derived(home)
    for path in before:
        home.lake.delete(path)
    rebuild_tables(opened(home), CAMPAIGN)
    assert derived(home) == before
    assert step_findings(opened(home), CAMPAIGN) == []


def test_a_proposal_waits_a_little_for_an_extraction(home: Home) -> None:
    home.campaign(CAMPAIGN)
    with lease(home.control, f"atoms:{CAMPAIGN}", owner="another"), pytest.raises(LeaseTaken):
        propose(opened(home), CAMPAIGN, a_proposal(), by="ada", wait=0)
    begun, done = threading.Event(), threading.Event()

    def work() -> None:
        with lease(home.control, f"atoms:{CAMPAIGN}", owner="another"):
            begun.set()
            done.wait(10)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(10)
    threading.Timer(0.1, done.set).start()
    assert propose(opened(home), CAMPAIGN, a_proposal(), by="ada", wait=20)[0].outcome == "stored"
    thread.join()


def test_at_07_grouping_gives_a_gestalt_with_the_ids_of_its_members(home: Home) -> None:
    home.campaign(CAMPAIGN)
    offer(home, *[a_proposal(f"Column number {n} counts visits.", established=f"2026-04-0{n + 1}") for n in range(3)])
    members = sorted(row["atom"] for row in rows(home, "atoms"))
    [result] = group(opened(home), CAMPAIGN, by="ada")
    [gestalt] = [row for row in rows(home, "atoms") if row["type"] == "gestalt"]
    assert (gestalt["atom"], gestalt["members"], gestalt["origin"]) == (result.atom, members, "grouped")
    assert (gestalt["domain"], gestalt["established"], gestalt["verbatim_quote"]) == (
        ["web-metrics"],
        "2026-04-03",
        None,
    )
    assert "Column number 1 counts visits. (holds: on staging)" in gestalt["statement"]
    assert group(opened(home), CAMPAIGN, by="ada") == []
    assert group(opened(home), CAMPAIGN, "lore", by="ada") == []
    offer(home, a_proposal("Column number 9 counts visits."))
    [newer] = group(opened(home), CAMPAIGN, "web-metrics", by="ada")
    by_id = {row["atom"]: row for row in rows(home, "atoms")}
    assert by_id[gestalt["atom"]]["superseded_by"] == newer.atom
    assert len(by_id[newer.atom]["members"]) == 4


def test_few_atoms_give_no_gestalt(home: Home) -> None:
    home.campaign(CAMPAIGN)
    offer(home, a_proposal(), a_proposal("Visits are counted hourly."))
    assert group(opened(home), CAMPAIGN, by="ada") == []
    assert len(group(opened(home), CAMPAIGN, by="ada", at_least=2)) == 1
