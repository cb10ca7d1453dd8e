"""Settings: defaults, values from the environment, and values that make no sense."""

from pathlib import Path

import pytest

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.settings import TYPE_WEIGHTS, load_settings, parse_transcripts, parse_weights


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
        ("THERMITE_LLM_MODEL", "  "),
        ("THERMITE_LLM_FALLBACKS", "a,,b"),
        ("THERMITE_LLM_API_BASE", "foo"),
        ("THERMITE_LLM_API_BASE", "ftp://x"),
        ("THERMITE_LLM_API_BASE", "http://"),
        ("THERMITE_LLM_PRICE", "1"),
        ("THERMITE_LLM_PRICE", "1,-2"),
        ("THERMITE_LLM_PRICE", "nan,1"),
        ("THERMITE_LLM_BUDGET_USD", "0"),
        ("THERMITE_LLM_BUDGET_USD", "inf"),
        ("THERMITE_LLM_CONCURRENCY", "0"),
        ("THERMITE_LLM_TIMEOUT_SECONDS", "0"),
        ("THERMITE_LLM_DEADLINE_SECONDS", "soon"),
        ("THERMITE_TRANSCRIPTS", "Not-A-Name=/x"),
        ("THERMITE_TRANSCRIPTS", "speed-up="),
        ("THERMITE_ATOM_WEIGHT", "0"),
        ("THERMITE_ATOM_THRESHOLD", "-1"),
        ("THERMITE_ATOM_TYPE_WEIGHTS", "insight=1"),
        ("THERMITE_ATOM_TYPE_WEIGHTS", "correction=0"),
        ("THERMITE_ATOM_TYPE_WEIGHTS", "correction=1,correction=2"),
        ("THERMITE_ATOM_SOURCE_WEIGHTS", "person"),
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


def test_folders_of_transcripts_name_their_campaign_or_none(tmp_path: Path) -> None:
    assert parse_transcripts("speed-up=/a; /b/c=d ;./e=f") == [
        ("speed-up", Path("/a")),
        (None, Path("/b/c=d")),
        (None, Path("./e=f")),
    ]


def test_weights_that_are_not_given_stay_as_documented() -> None:
    weights = parse_weights("correction = 2, gestalt=1", TYPE_WEIGHTS)
    assert weights == TYPE_WEIGHTS | {"correction": 2.0, "gestalt": 1.0}
