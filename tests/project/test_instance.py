"""The settings of Dagster that come with the project."""

import shutil
from importlib import resources
from pathlib import Path

import dagster as dg
import pytest
import yaml

from tests.project.tree import ROOT


@pytest.fixture
def instance(tmp_path: Path) -> dg.DagsterInstance:
    shutil.copy(ROOT / "dagster.yaml", tmp_path)
    return dg.DagsterInstance.from_config(str(tmp_path))


def test_a_new_home_gets_the_same_text() -> None:
    template = resources.files("thermite_pipelines") / "resources" / "dagster.yaml"
    assert template.read_bytes() == (ROOT / "dagster.yaml").read_bytes()


def test_dagster_takes_the_settings(instance: dg.DagsterInstance) -> None:
    assert not instance.telemetry_enabled
    assert not instance.nux_enabled
    assert not instance.run_retries_enabled
    assert instance.run_monitoring_enabled
    assert instance.run_monitoring_max_runtime_seconds == 14400
    assert instance.managed_python_loggers == ["thermite_pipelines"]
    assert instance.code_server_settings["local_startup_timeout"] == 240


def test_one_run_at_a_time_for_each_partition(instance: dg.DagsterInstance) -> None:
    queue = instance.get_concurrency_config().run_queue_config
    assert queue is not None
    assert queue.tag_concurrency_limits == [
        {"key": "dagster/partition", "value": {"applyLimitPerUniqueValue": True}, "limit": 3},
        {"key": "thermite/asks-models", "limit": 2},
    ]


def test_the_root_settings_ask_for_no_variable() -> None:
    """Dagster's tools read this file on a clean clone, where nothing is set."""
    assert "env:" not in (ROOT / "dagster.yaml").read_text()


def test_the_workspace_names_the_module_that_pyproject_names() -> None:
    workspace = yaml.safe_load((ROOT / "workspace.yaml").read_text())
    modules = [entry["python_module"]["module_name"] for entry in workspace["load_from"]]
    assert modules == ["thermite_pipelines.definitions"]
    assert 'code_location_target_module = "thermite_pipelines.definitions"' in (ROOT / "pyproject.toml").read_text()
