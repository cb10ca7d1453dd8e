"""Rules that hold for every asset, check, job and sensor, whatever they do."""

import dagster as dg
import pytest
from dagster._core.definitions.partitions.definition import DynamicPartitionsDefinition

from tests.support.pipelines import repository

RIG_ASSETS = {
    "intake/raw_reports",
    "intake/verified_events",
    "intake/rejected_events",
    "intake/unknown_events",
    "exports/journal_jsonl",
    "exports/research_notes_jsonl",
    "exports/briefing_jsonl",
    "exports/knowledge_jsonl",
    "exports/research_folders",
    "exports/results_repository",
}
CAMPAIGN_ASSETS = {
    "knowledge/placed_events",
    "knowledge/campaign_folder",
    "knowledge/knowledge_index",
    "sync/knowledge_sync",
    "sync/run_briefs",
    "atoms/said_events",
    "atoms/session_transcripts",
    "atoms/atoms",
    "atoms/intents",
    "atoms/checkpoints",
    "synthesis/base_facts",
    "synthesis/pruned_facts",
    "synthesis/distilled",
    "synthesis/raptor",
    "synthesis/methodologies",
    "synthesis/hypotheses",
}
REVIEWED = {"synthesis/pruned_facts", "synthesis/distilled", "synthesis/raptor", "synthesis/methodologies"}
REPORTED = {"knowledge/placed_events", "atoms/said_events"}
WHOLE_ASSETS = {"knowledge/folder_catalog", "knowledge/tables", "help/help_requests", "help/learnings"}
SPECS = {
    spec.key.to_user_string(): spec for definition in repository().asset_graph.assets_defs for spec in definition.specs
}
JOBS = {job.name: job for job in repository().get_all_jobs()}


def partitions_of(key: str) -> str | None:
    found = SPECS[key].partitions_def
    return found.name if isinstance(found, DynamicPartitionsDefinition) else None


def test_the_keys_are_those_that_outside_checks_rely_on() -> None:
    assert set(SPECS) == RIG_ASSETS | CAMPAIGN_ASSETS | WHOLE_ASSETS


@pytest.mark.parametrize("key", sorted(SPECS))
def test_each_asset_says_what_it_is(key: str) -> None:
    spec = SPECS[key]
    assert spec.description and spec.description.strip().endswith(".")
    assert spec.group_name == key.split("/")[0]
    assert spec.owners == ["team:data"]
    assert spec.kinds
    assert spec.automation_condition is None  # sensors ask, see the module on campaigns
    assert (spec.code_version is None) == (key in REPORTED)  # which no run makes


def test_partitions_are_rigs_and_campaigns_alone() -> None:
    wanted = dict.fromkeys(RIG_ASSETS, "rigs") | dict.fromkeys(CAMPAIGN_ASSETS, "campaigns")
    assert {key: partitions_of(key) for key in SPECS} == wanted | dict.fromkeys(WHOLE_ASSETS)


def test_between_rigs_and_campaigns_stand_the_placed_events_alone() -> None:
    crossing = {
        (dep.asset_key.to_user_string(), key)
        for key, spec in SPECS.items()
        for dep in spec.deps
        if partitions_of(key) == "campaigns" and partitions_of(dep.asset_key.to_user_string()) == "rigs"
    }
    assert crossing == {("intake/verified_events", "knowledge/placed_events")}
    assert not repository().asset_graph.get(SPECS["knowledge/placed_events"].key).is_executable


def test_the_columns_of_each_table_are_shown() -> None:
    for key in ("intake/verified_events", "intake/rejected_events", "intake/unknown_events"):
        assert SPECS[key].metadata["dagster/column_schema"].columns
    shown = [name for name in SPECS["knowledge/campaign_folder"].metadata if name.startswith("columns_of_")]
    assert len(shown) == 12


def test_the_checks() -> None:
    found = {f"{key.asset_key.to_user_string()}:{key.name}" for key in repository().asset_graph.asset_check_keys}
    assert found == {
        "intake/raw_reports:clocks_agree",
        "intake/raw_reports:no_forks",
        "intake/raw_reports:no_old_gaps",
        "intake/rejected_events:few_rejected",
        "atoms/atoms:days_are_their_sessions",
        "atoms/atoms:quotes_are_their_words",
        "atoms/atoms:stores_in_step",
        "atoms/atoms:weights_were_calibrated",
        "atoms/checkpoints:checkpoints_are_steady",
        "atoms/session_transcripts:sessions_read_and_asked",
        "help/help_requests:fatal_requests_answered",
        "help/learnings:learnings_are_kept",
        "knowledge/placed_events:all_runs_placed",
        "knowledge/campaign_folder:briefing_as_assigned",
        "knowledge/campaign_folder:files_as_written",
        "knowledge/campaign_folder:folder_equals_events",
        "knowledge/campaign_folder:notes_follow_their_round",
        "knowledge/campaign_folder:quotes_verified",
        "knowledge/folder_catalog:no_campaign_behind",
        "knowledge/knowledge_index:index_matches_folders",
        "synthesis/distilled:syntheses_rest_on_facts",
        "synthesis/pruned_facts:decisions_apply",
        "synthesis/pruned_facts:no_review_behind",
        "sync/knowledge_sync:sync_as_written",
        "sync/run_briefs:briefs_as_written",
    }


def test_the_jobs_and_what_is_in_them() -> None:
    made = {
        name: {key.to_user_string() for key in job.asset_layer.executable_asset_keys}
        for name, job in JOBS.items()
        if name != "__ASSET_JOB"
    }
    exports = {key for key in RIG_ASSETS if key.startswith("exports/")}
    assert made == {
        "take_reports": {key for key in RIG_ASSETS if key.startswith("intake/")},
        "refresh_campaign": {
            "knowledge/campaign_folder",
            "knowledge/folder_catalog",
            "help/help_requests",
            "help/learnings",
            "synthesis/base_facts",
            "sync/knowledge_sync",
            "sync/run_briefs",
            "knowledge/knowledge_index",
        },
        "index_campaign": {"knowledge/knowledge_index"},
        "sync_campaign": {"sync/knowledge_sync", "sync/run_briefs"},
        "refresh_help": {"help/help_requests", "help/learnings"},
        "read_transcripts": {"atoms/session_transcripts"},
        "extract_atoms": {key for key in CAMPAIGN_ASSETS - REPORTED if key.startswith("atoms/")},
        "review_campaign": {"synthesis/base_facts", *REVIEWED},
        "hypothesize_campaign": {"synthesis/hypotheses"},
        "export_rig": exports,
        "write_tables": {"knowledge/tables"},
        "check_often": set(),
        "check_all": set(),
        "take_unknown_reports": set(),
        "purge_old_runs": set(),
        "prune_requests": set(),
    }


@pytest.mark.parametrize("name", sorted(JOBS))
def test_every_job_runs_in_one_process(name: str) -> None:
    """The one that the UI's button starts too: in a process for each step, the run's lease would die with each."""
    assert JOBS[name].executor_def.name == "in_process"


def test_what_happens_by_itself() -> None:
    sensors = {sensor.name: sensor.minimum_interval_seconds for sensor in repository().sensor_defs}
    assert sensors == {
        "reports_arrived": 15,
        "campaigns_behind": 10,
        "syncs_behind": 60,
        "indexes_behind": 60,
        "atoms_behind": 30,
        "reviews_behind": 30,
        "exports_due": 300,
        "dead_runs": 30,
        "failed_runs": 30,
    }
    assert {sensor.default_status for sensor in repository().sensor_defs} == {dg.DefaultSensorStatus.RUNNING}
    schedules = {one.name: one.default_status for one in repository().schedule_defs}
    assert schedules == dict.fromkeys(
        [
            "check_often_schedule",
            "check_all_schedule",
            "write_tables_schedule",
            "purge_old_runs_schedule",
            "prune_requests_schedule",
        ],
        dg.DefaultScheduleStatus.RUNNING,
    )


def test_nothing_that_happens_by_itself_exports_but_its_own_sensor() -> None:
    by_job = {target.job_name: sensor.name for sensor in repository().sensor_defs for target in sensor.targets}
    assert by_job["export_rig"] == "exports_due"


def test_the_graph_of_synthesis() -> None:
    deps = {
        key.removeprefix("synthesis/"): {dep.asset_key.path[-1] for dep in spec.deps}
        for key, spec in SPECS.items()
        if key.startswith("synthesis/")
    }
    assert deps == {
        "base_facts": {"campaign_folder", "atoms"},
        "pruned_facts": {"base_facts"},
        "distilled": {"pruned_facts"},
        "raptor": {"distilled"},
        "methodologies": {"pruned_facts"},
        "hypotheses": {"distilled", "raptor"},
    }


def test_sy_37_only_a_person_starts_hypothesize() -> None:
    """No sensor, schedule or automation condition targets it, and no other job has it in it."""
    hypotheses = SPECS["synthesis/hypotheses"].key
    jobs = {name for name, job in JOBS.items() if hypotheses in job.asset_layer.executable_asset_keys}
    assert jobs == {"hypothesize_campaign", "__ASSET_JOB"}
    by_itself = {target.job_name for sensor in repository().sensor_defs for target in sensor.targets}
    by_itself |= {schedule.job_name for schedule in repository().schedule_defs}
    assert by_itself.isdisjoint(jobs)
    assert SPECS["synthesis/hypotheses"].automation_condition is None


def test_a_value_that_is_returned_by_mistake_is_not_pickled() -> None:
    @dg.asset
    def returns_a_value() -> int:
        return 1

    definitions = repository().get_top_level_resources()["io_manager"]
    result = dg.materialize([returns_a_value], resources={"io_manager": definitions}, raise_on_error=False)
    assert not result.success
