"""Settings: defaults, values from the environment, and values that make no sense."""

from pathlib import Path

import pytest

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.settings import load_settings


def test_kb_51_the_sync_period_is_180_by_default(tmp_path: Path) -> None:
    assert load_settings(tmp_path).kb_sync_seconds == 180


def test_kb_51_another_period_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_KB_SYNC_SECONDS", "30")
    assert load_settings(tmp_path).kb_sync_seconds == 30


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("THERMITE_KB_SYNC_SECONDS", "0"),
        ("THERMITE_KB_SYNC_SECONDS", "-5"),
        ("THERMITE_KB_SYNC_SECONDS", "soon"),
        ("THERMITE_KB_SYNC_SECONDS", "1.5"),
        ("THERMITE_ARRIVAL_SECONDS", "0"),
        ("THERMITE_SETTLE_SECONDS", "-1"),
        ("THERMITE_SETTLE_SECONDS", "nan"),
        ("THERMITE_MAX_REPORT_BYTES", "64 MiB"),
        ("THERMITE_MIN_FREE_BYTES", ""),
        ("THERMITE_LAG_WARN_SECONDS", "inf"),
    ],
)
def test_kb_51_a_value_that_makes_no_sense_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ThermiteError) as caught:
        load_settings(tmp_path)
    assert name in str(caught.value) and "\n" not in str(caught.value)


def test_the_home_is_below_the_current_directory_and_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load_settings()
    assert settings.home == tmp_path / ".thermite"
    assert settings.lake == str(tmp_path / ".thermite" / "lake")
    assert settings.control == f"sqlite:///{tmp_path}/.thermite/control.db"


def test_settings_come_from_a_dotenv_file_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("THERMITE_KB_SYNC_SECONDS=45\n")
    assert load_settings().kb_sync_seconds == 45


def test_an_empty_path_counts_as_not_set_and_never_as_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "RESULTS_REPO", "LAKE_URL", "CONTROL_URL"):
        monkeypatch.setenv(f"THERMITE_{name}", "")
    settings = load_settings()
    assert settings.home == tmp_path / ".thermite" and settings.results_repo is None
    assert settings.lake == str(tmp_path / ".thermite" / "lake")
