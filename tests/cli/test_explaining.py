"""`thermite explain` for facts and decisions, as people and programs use it."""

from tests.cli.commands import Cli
from tests.synthesis.deciding import history, tables
from tests.synthesis.saying import CAMPAIGN

EXPLAINED = ["id", "kind", "text", "decisions", "from", "reports", "verified"]


def test_people_see_decisions_and_what_lies_below_indented(cli: Cli) -> None:
    ids = history(cli.home)
    tables(cli.home).refresh()
    shown = cli.say("explain", ids["deeper"]).splitlines()
    assert shown[0] == f"synthesis {ids['deeper']}: verified"
    assert any(line.startswith(f"    decision:{CAMPAIGN}/") and "synthesize (distill)" in line for line in shown)
    assert any("by small-model with distill/3" in line for line in shown)
    assert f"    synthesis {ids['synthesis']}: verified" in shown
    assert f"    fact {ids['claim:c1']}: verified" in shown
    assert "        claim claim:rig-a/run-1/c1: verified" in shown
    assert any(line.startswith("            rig-a L1 report 1, payload ") for line in shown)


def test_people_see_what_became_of_a_fact_and_what_a_decision_wrote(cli: Cli) -> None:
    ids = history(cli.home)
    tables(cli.home).refresh()
    shown = cli.say("explain", ids["finding:f1"])
    assert f"replaced by {ids['synthesis']}" in shown and "taken back by decision:" in shown
    assert "taken back as refuted by" in cli.say("explain", ids["hypothesis:h2"])
    (made,) = cli.json("explain", ids["synthesis"])["decisions"]
    assert f"writes {ids['synthesis']}" in cli.say("explain", made["id"])
    found = cli.json("explain", made["id"])
    assert list(found)[: len(EXPLAINED)] == EXPLAINED and found["kind"] == "decision"


def test_wrong_and_unknown_ids_are_told_apart(cli: Cli) -> None:
    cli.home.campaign(CAMPAIGN)
    cli.fail("explain", f"{CAMPAIGN}/0123456789ab")
    cli.fail("explain", f"decision:{CAMPAIGN}/1")
    cli.fail("explain", f"{CAMPAIGN}/01", code=2)
    cli.fail("explain", "decision:1", code=2)
