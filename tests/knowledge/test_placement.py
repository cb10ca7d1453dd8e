from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.knowledge.placement import Placement, PlacementFacts, RunFacts, place

CONTROL = PlacementFacts(
    assignments={("rig-a", "run-1"): "assigned", ("rig-b", "run-9"): "assigned"},
    campaigns=frozenset({"assigned", "free"}),
)


def test_kb_34_an_assignment_decides_whatever_the_event_names() -> None:
    for named in (None, "free", "assigned", "nowhere"):
        assert place(RunFacts("rig-a", "run-1", named), CONTROL) == Placement("assigned")


def test_kb_35_without_an_assignment_only_a_campaign_assigned_to_no_rig_is_used() -> None:
    assert place(RunFacts("rig-a", "smoke-1", "free"), CONTROL) == Placement("free")
    assert place(RunFacts("rig-a", "smoke-1", "assigned"), CONTROL) == Placement(None, "campaign-assigned")
    assert place(RunFacts("rig-a", "smoke-1", "nowhere"), CONTROL) == Placement(None, "unknown-campaign")
    assert place(RunFacts("rig-a", "smoke-1", None), CONTROL) == Placement(None, "no-campaign")


def test_an_assignment_is_for_one_run_of_one_rig() -> None:
    assert place(RunFacts("rig-b", "run-1", "free"), CONTROL) == Placement("free")


def test_kb_35_a_later_assignment_places_the_run_and_moves_out_those_that_lay_there_unassigned() -> None:
    later = PlacementFacts({**CONTROL.assignments, ("rig-a", "smoke-1"): "free"}, CONTROL.campaigns)
    assert place(RunFacts("rig-a", "smoke-1", None), later) == Placement("free")
    assert place(RunFacts("rig-b", "smoke-2", "free"), later) == Placement(None, "campaign-assigned")


names = st.sampled_from(["a", "b", "c"])


@given(st.dictionaries(st.tuples(names, names), names), st.frozensets(names), names, names, st.none() | names)
def test_kb_27_a_run_has_one_folder_or_one_reason(
    assignments: dict[tuple[str, str], str], known: frozenset[str], rig: str, run: str, named: str | None
) -> None:
    campaigns = known | set(assignments.values())  # control assigns only campaigns that it knows
    placed = place(RunFacts(rig, run, named), PlacementFacts(assignments, campaigns))
    assert (placed.campaign is None) != (placed.why is None)
    assert placed.campaign is None or placed.campaign in campaigns
    if (rig, run) in assignments:
        assert placed.campaign == assignments[rig, run]
