"""From facts and decisions down to the signed reports, through every decision that wrote or took back a fact."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import delete

from tests.atoms.talking import Listener, arrive, mine, opened, say_session, uuid
from tests.knowledge.filing import assign_run, refresh
from tests.support.homes import Home
from tests.synthesis.deciding import MODEL, decide, distilled, history, judged, record, some_research, tables
from tests.synthesis.saying import CAMPAIGN, facts, make
from thermite_pipelines.control.models import RigKey
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.explain import explain
from thermite_pipelines.knowledge.readable import Reader
from thermite_pipelines.synthesis.answers import Merge, Replacement
from thermite_pipelines.synthesis.decisions import Decision, fact_output
from thermite_pipelines.synthesis.facts import Fact

FORM = ["id", "kind", "text", "decisions", "from", "reports", "verified"]
DECISION = ["id", "number", "at", "verb", "step", "answered_by", "model", "prompt_version", "cache_key", "session"]
Row = dict[str, Any]


def document(home: Home, id: str) -> Row:
    return json.loads(json.dumps(explain(opened(home), id, Reader.owner()).document()))


def steps(found: Row) -> Iterator[Row]:
    """A document and all that are nested in it."""
    yield found
    for source in found["from"]:
        yield from steps(source)


@pytest.fixture
def told(home: Home) -> tuple[Home, dict[str, str]]:
    ids = history(home)
    tables(home).refresh()
    return home, ids


def test_a_synthesis_leads_through_its_decisions_to_items_and_the_signed_reports(any_home: Home) -> None:
    ids = history(any_home)
    tables(any_home).refresh()
    found = document(any_home, ids["deeper"])
    assert list(found)[: len(FORM)] == FORM
    assert (found["kind"], found["verified"], found["title"]) == ("synthesis", True, "It all does")
    (made,) = found["decisions"]
    assert list(made)[: len(DECISION)] == DECISION
    assert (made["verb"], made["step"], made["model"], made["cache_key"]) == (
        "synthesize",
        "distill",
        MODEL.model,
        MODEL.cache_key,
    )
    assert {one["fact"] for one in made["inputs"]} == {ids["synthesis"], ids["claim:c1"]}
    assert {source["id"] for source in found["from"]} == {ids["synthesis"], ids["claim:c1"]}
    below = {step["id"]: step for step in steps(found)}
    assert [step["kind"] for step in below[ids["claim:c1"]]["from"]] == ["claim"]
    assert below["claim:rig-a/run-1/c1"]["text"] == "Cold reads take 4 ms."
    merged = below[ids["merged"]]
    assert [one["verb"] for one in merged["decisions"]] == ["merge"] and len(merged["from"]) == 2
    for step in steps(found):
        assert step["verified"] and step["reports"] == found["reports"]
    (report,) = found["reports"]
    assert (report["rig"], report["seq"], report["verified"]) == ("rig-a", 1, True)


def test_a_fact_that_was_taken_back_is_still_explained(told: tuple[Home, dict[str, str]]) -> None:
    home, ids = told
    found = document(home, ids["finding:f1"])
    assert (found["kind"], found["verified"], found["superseded_by"]) == ("fact", True, ids["synthesis"])
    assert [one["verb"] for one in found["decisions"]] == ["retract"]
    assert found["retracted_by"] == found["decisions"][0]["id"]
    assert [source["id"] for source in found["from"]] == ["finding:rig-a/run-1/f1"]
    note = next(name for name in ids if name.startswith("note:"))
    gone = document(home, ids[note])
    assert gone["superseded_by"] == ids["merged"]
    assert [source["kind"] for source in gone["from"]] == ["note"], "what it went into is not what it came from"


def test_a_merge_leads_to_what_was_merged_in(told: tuple[Home, dict[str, str]]) -> None:
    home, ids = told
    pair = {ids["experiment:e0"], ids["experiment:e1"]}
    found = next(one for one in (document(home, id) for id in sorted(pair)) if one["retracted_by"] is None)
    assert [source["kind"] for source in found["from"]] == ["experiment", "fact"]
    assert found["from"][1]["id"] in pair - {found["id"]}
    assert (found["decisions"][0]["answered_by"], found["decisions"][0]["model"]) == ("engine", None)


def test_methodologies_and_predictions_lead_to_what_they_were_made_of(told: tuple[Home, dict[str, str]]) -> None:
    home, ids = told
    methodology = document(home, ids["methodology"])
    assert methodology["kind"] == "methodology" and methodology["verified"]
    assert {source["id"] for source in methodology["from"]} == {ids["hypothesis:h1"], ids["hypothesis:h2"]}
    # Each of the two cites the methodology since, and is none of its works.
    assert all(source["from"][0]["kind"] == "hypothesis" for source in methodology["from"])
    assert [one["verb"] for one in methodology["from"][0]["decisions"]] == ["reinforce"]
    prediction = document(home, ids["prediction"])
    assert prediction["kind"] == "prediction"
    assert {source["kind"] for source in prediction["from"]} == {"synthesis", "fact"}
    assert document(home, ids["hypothesis:h2"])["kind"] == "fact"


def test_a_decision_leads_to_the_facts_it_rests_on(told: tuple[Home, dict[str, str]]) -> None:
    home, ids = told
    number = document(home, ids["synthesis"])["decisions"][0]["number"]
    found = document(home, f"decision:{CAMPAIGN}/{number}")
    assert list(found)[: len(FORM)] == FORM
    assert (found["kind"], found["text"], found["verified"]) == ("decision", "synthesize: Warming pays", True)
    assert (found["writes"], found["decisions"][0]["id"]) == (ids["synthesis"], found["id"])
    assert {source["id"] for source in found["from"]} == {ids["merged"], ids["finding:f1"]}
    stale = Decision(verb="keep", step="prune", inputs=((f"{CAMPAIGN}/{'0' * 12}", "0" * 16),))
    record(home, [stale])
    tables(home).refresh()
    last = document(home, f"decision:{CAMPAIGN}/{number + 8}")
    (told_of,) = last["decisions"]
    assert (told_of["applies"], last["verified"], last["from"][0]["verified"]) == (False, False, False)
    assert "there is no fact" in told_of["why_not"]


def test_a_base_fact_is_explained_before_any_review(home: Home) -> None:
    some_research(home)
    say_session(home.rig(), uuid(1), "h:FACT tea is hot")
    arrive(home)
    refresh(home, CAMPAIGN)
    mine(home, Listener())
    make(home)
    ids = {name: one.fact.fact for name, one in facts(home).items()}
    found = document(home, ids["finding:f1"])
    assert (found["kind"], found["decisions"], found["verified"]) == ("fact", [], True)
    assert [source["id"] for source in found["from"]] == ["finding:rig-a/run-1/f1"]
    observed = document(home, ids["hypothesis:h1+"])
    assert [source["id"] for source in observed["from"]] == ["hypothesis:rig-a/run-1/h1"] and observed["verified"]
    atom = next(id for name, id in ids.items() if name.startswith("atom:"))
    said = document(home, atom)
    assert [step["kind"] for step in steps(said)] == ["fact", "atom", "message", "session"]
    assert said["verified"] and len(said["reports"]) == 1


def test_nothing_above_a_report_that_fails_is_verified(told: tuple[Home, dict[str, str]]) -> None:
    home, ids = told
    with home.control.write() as connection:
        connection.execute(delete(RigKey))
    for step in steps(document(home, ids["deeper"])):
        assert not step["verified"] and not any(report["verified"] for report in step["reports"])


def test_a_fact_whose_item_is_gone_is_not_verified(told: tuple[Home, dict[str, str]]) -> None:
    home, ids = told
    assign_run(home, "rig-a", "run-1", "elsewhere")
    refresh(home, CAMPAIGN)
    found = document(home, ids["deeper"])
    assert not found["verified"]
    gone = [step for step in steps(found) if step["id"] == "claim:rig-a/run-1/c1"]
    assert gone and not any(step["verified"] or step["text"] for step in gone)


def test_what_was_made_of_itself_ends_and_shared_facts_are_told_once(home: Home) -> None:
    some_research(home)
    ids = {name: one.fact.fact for name, one in facts(home).items()}
    pair = (ids["claim:c1"], ids["claim:c2"])
    written = [decide(home, "distill", pair, distilled(title, *pair))[0] for title in ("One", "Two", "Three")]
    (top,) = decide(home, "distill", written, distilled("All", *written))
    text = Replacement(path=pair[0], title="Cold reads", body="As all say.", type="reference")
    decide(home, "prune", [pair[0], top], judged(merges=(Merge(paths=(pair[0], top), merged=text),)))
    tables(home).refresh()
    for id in (pair[0], top, written[0]):
        found = document(home, id)
        assert found["verified"]
        trail(found, ())
        told = [step for step in steps(found) if step["id"] == pair[1]]
        assert [bool(step["from"]) for step in told] == [True] + [False] * (len(told) - 1)
        assert all(step.get("is_cut", False) != bool(step["from"]) for step in told)


def trail(step: Row, above: tuple[str, ...]) -> None:
    assert step["id"] not in above
    for source in step["from"]:
        trail(source, (*above, step["id"]))


def test_a_lineage_of_any_length_is_explained(home: Home) -> None:
    """Hundreds of steps: verified down to the last, told as far as people follow, and no stack runs out."""
    some_research(home)
    base = {name: one.fact for name, one in facts(home).items()}
    below, other = base["claim:c1"], base["claim:c2"]
    decisions = []
    for number in range(600):
        new = Fact(
            fact=f"{CAMPAIGN}/{number:012x}", type="synthesis", title=f"Step {number}", body="", origin="distilled"
        )
        output = fact_output(new)
        decisions.append(Decision(verb="synthesize", step="distill", inputs=(below.key, other.key), output=output))
        below = new
    record(home, decisions)
    tables(home).refresh()
    found = document(home, below.fact)
    assert found["verified"] and len(found["reports"]) == 1
    assert sum(step.get("is_cut", False) for step in steps(found)) > 1
    with home.control.write() as connection:
        connection.execute(delete(RigKey))
    assert not document(home, below.fact)["verified"]


@pytest.mark.parametrize("id", ["decision:a", "decision:a/0", "decision:a/x", "decision:A/1", "a/00", "A/0123456789ab"])
def test_what_is_no_id_of_a_fact_or_decision_is_wrong_usage(home: Home, id: str) -> None:
    with pytest.raises(UsageError):
        document(home, id)


@pytest.mark.parametrize("id", ["speed-up/0123456789ab", "nobody/0123456789ab", "decision:speed-up/9", "decision:no/1"])
def test_what_is_not_there_is_an_error(home: Home, id: str) -> None:
    home.campaign(CAMPAIGN)
    with pytest.raises(ThermiteError, match="there is no"):
        document(home, id)
