"""Proposals and gestalts: judged one by one, kept in control's record, in the tables at once."""

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.atoms.talking import (
    CAMPAIGN,
    a_run,
    arrive,
    claude_lines,
    day,
    derived,
    log,
    mine,
    opened,
    put_file,
    rebuild_tables,
    rows,
    say_session,
    uuid,
)
from tests.knowledge.filing import assign_run
from tests.support.homes import Home
from thermite_pipelines.atoms.grouping import group
from thermite_pipelines.atoms.inspection import day_findings, quote_findings, step_findings
from thermite_pipelines.atoms.proposals import WHY_PROPOSALS, ProposalResult, parse_document, propose
from thermite_pipelines.atoms.quality import WHY
from thermite_pipelines.atoms.store import AtomTables, stored_proposals
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


def test_a_cited_session_is_found_whatever_it_is_called(home: Home) -> None:
    told = "Sessions has logged-in visits only."
    for name in ("rig-a", "rig-b"):
        rig = a_run(home, name, "r")
        say_session(rig, uuid(1), f"h:{told}", f"h:{name}", run="r", at=day(4 if name == "rig-a" else 9))
    arrive(home, "rig-a")
    mine(home)
    assert offer(home, a_proposal(verbatim_quote=told, session=uuid(1)))[0].outcome == "stored"
    cited = {"run": "r", "rig": "rig-a", "quote_checked": True, "message": "0", "place": 0, "established": "2026-01-05"}

    def expect(session: str | None, **fields: Any) -> None:
        [atom] = rows(home, "atoms")
        assert (atom["session"], {name: atom[name] for name in fields}) == (session, fields)
        assert atom["sessions"] == ([session] if fields["rig"] else [])
        assert quote_findings(opened(home), CAMPAIGN) == day_findings(opened(home), CAMPAIGN) == []

    expect(uuid(1), **cited)
    arrive(home, "rig-b")
    mine(home)
    expect(f"{uuid(1)}@rig-a/r", **cited)
    assign_run(home, "rig-b", "r", "other")
    mine(home)
    expect(uuid(1), **cited)
    assign_run(home, "rig-b", "r", CAMPAIGN)
    assign_run(home, "rig-a", "r", "other")
    mine(home)
    expect(None, rig=None, run=None, quote_checked=False, message=None, established="2026-01-05")
    assign_run(home, "rig-a", "r", CAMPAIGN)
    mine(home)
    expect(f"{uuid(1)}@rig-a/r", **cited)


def test_what_is_proposed_of_a_session_with_two_claims_stays_with_its_own(home: Home) -> None:
    for name in ("rig-a", "rig-b"):
        say_session(a_run(home, name, "r"), uuid(1), f"h:Sessions of {name} has logged-in visits only.", run="r")
    arrive(home, "rig-a", "rig-b")
    mine(home)
    quote = "Sessions of rig-b has logged-in visits only."
    assert offer(home, a_proposal(verbatim_quote=quote, session=uuid(1)))[0].outcome == "stored"
    assign_run(home, "rig-a", "r", "other")
    mine(home)
    [atom] = rows(home, "atoms")
    assert (atom["session"], atom["rig"], atom["quote_checked"]) == (uuid(1), "rig-b", True)


def test_a_signed_session_stands_for_the_transcript_that_was_cited(home: Home, tmp_path: Path) -> None:
    told = "Sessions has logged-in visits only."
    home.settings = home.settings.model_copy(update={"transcripts": f"{CAMPAIGN}={tmp_path / 'talk'}"})
    put_file(tmp_path / "talk" / "one.jsonl", claude_lines(uuid(1), f"h:{told}"))
    home.campaign(CAMPAIGN)
    mine(home)
    assert offer(home, a_proposal(verbatim_quote=told, session=uuid(1)))[0].outcome == "stored"
    say_session(a_run(home), uuid(1), f"h:{told}")
    arrive(home)
    mine(home)
    [atom] = rows(home, "atoms")
    assert (atom["session"], atom["sessions"], atom["rig"]) == (uuid(1), [uuid(1)], "rig-a")
    assert not atom["quote_checked"], "its messages are called otherwise"
    assert quote_findings(opened(home), CAMPAIGN) == []


def test_fields_that_can_hold_nothing_are_refused(home: Home) -> None:
    home.campaign(CAMPAIGN)
    results = offer(
        home,
        a_proposal(message="0"),
        *(a_proposal(verbatim_quote=f"sessions{char}only") for char in "\0\x1b\x07\x7f\x9b"),
        a_proposal(established="2026-05-07"),
        a_proposal(established="9999-12-31"),
        a_proposal(session=uuid(9)),
    )
    reasons = [str(result.reason).split(":")[0] for result in results]
    assert reasons == ["bad-field"] * 6 + ["established"] * 2 + ["unknown-session"]
    assert not WHY_PROPOSALS.keys() & WHY.keys()
    assert set(reasons) <= WHY_PROPOSALS.keys() | WHY.keys()
    clean = a_proposal("Visits\0 are\x1b counted.", verbatim_quote="one\ntwo\tthree", established="2026-05-06")
    assert offer(home, clean | {"conditions": "on\0 staging"})[0].outcome == "stored"
    [atom] = rows(home, "atoms")
    assert (atom["statement"], atom["conditions"]) == ("Visits are counted.", "on staging")


@pytest.mark.parametrize("place", [f"derived/atoms/campaign={CAMPAIGN}", f"derived/atoms_log/campaign={CAMPAIGN}"])
def test_nothing_is_recorded_where_the_tables_cant_be_written(home: Home, place: str) -> None:
    home.campaign(CAMPAIGN)
    home.lake.put(place, b"a file where a folder should be")
    with home.control.read() as connection:
        before = audit.entries(connection)
    with pytest.raises(ThermiteError, match="can't write"):
        offer(home, a_proposal())
    with home.control.read() as connection:
        assert (stored_proposals(connection, CAMPAIGN), audit.entries(connection)) == ([], before)
    home.lake.delete(place)
    assert offer(home, a_proposal())[0].outcome == "stored"
    assert len(rows(home, "atoms")) == len(log(home)) == 1
    assert not [path for path in home.files("derived") if "probe" in path]


def test_a_disk_that_fills_while_the_tables_are_written_undoes_the_proposal(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.campaign(CAMPAIGN)

    def full(self: Any) -> None:
        raise ThermiteError("can't write: No space left on device")

    with monkeypatch.context() as patch, pytest.raises(ThermiteError, match="No space"):
        patch.setattr(AtomTables, "refresh", full)
        offer(home, a_proposal())
    mine(home)
    assert rows(home, "atoms") == []
    with home.control.read() as connection:
        assert [entry["action"] for entry in audit.entries(connection)][-2:] == ["propose", "propose-undone"]
    assert offer(home, a_proposal())[0].outcome == "stored"


def test_a_document_is_read_strictly() -> None:
    assert parse_document(b'\xef\xbb\xbf{"atoms": [{"type": "finding"}]}') == {"atoms": [{"type": "finding"}]}
    for raw, why in (
        (b'{"type": "finding", "type": "pattern"}', "duplicate key 'type'"),
        (b'{"atoms": [{"domain": [], "domain": []}]}', "duplicate key 'domain'"),
        (b'{"a": "\\u0000"}', "NUL"),
        (b"{", "no JSON"),
        (b"\xff", "UTF-8"),
    ):
        with pytest.raises(ThermiteError, match=why) as raised:
            parse_document(raw)
        assert "\n" not in str(raised.value)


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
