"""Settings of synthesis: defaults, limits, and values that make no sense."""

from pathlib import Path

import pytest

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.settings import load_settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("METHODOLOGY_MIN_SCORE", value) for value in ("some", "-0.1", "1.1", "nan")),
        *(("DISCOVERY_EFFORT_DEFAULT", value) for value in ("bogus", "High")),
        *(("DISCOVERY_BRIDGE", value) for value in ("tags", "domain,entity")),
        *(("DISCOVERY_CONFIDENCE_THRESHOLD", value) for value in ("1.5", "-1", "nan", "half")),
        *(("DISCOVERY_BLAST_RADIUS_THRESHOLD", value) for value in ("-1", "0.5", "many")),
    ],
)
def test_behaviour_93_a_value_that_makes_no_sense_stops_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"THERMITE_{name}", value)
    with pytest.raises(ThermiteError, match=f"THERMITE_{name}"):
        load_settings(tmp_path)


def test_what_is_not_set_has_its_default_and_nothing_is_a_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("methodology_min_score", "reflect_propose_cap", "discovery_confidence_threshold")
    names = (*names, "discovery_blast_radius_threshold", "reflect_novelty_threshold")
    settings = load_settings(tmp_path)
    assert [getattr(settings, name) for name in names] == [0.15, 1, 0.5, 1, None]
    for name in names:
        monkeypatch.setenv(f"THERMITE_{name.upper()}", "0")
    settings = load_settings(tmp_path)
    assert [getattr(settings, name) for name in names] == [0, 0, 0, 0, 0]


def test_an_empty_word_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISCOVERY_EFFORT_DEFAULT", "DISCOVERY_BRIDGE"):
        monkeypatch.setenv(f"THERMITE_{name}", "")
    settings = load_settings(tmp_path)
    assert (settings.discovery_effort_default, settings.discovery_bridge) == ("normal", "both")


@pytest.mark.parametrize(
    ("name", "value", "default"),
    [
        *(("REFLECT_PROPOSE_CAP", value, 1) for value in ("-1", "few", "1.5")),
        *(("REFLECT_NOVELTY_THRESHOLD", value, None) for value in ("1.2", "-0.5", "near", "nan", "")),
    ],
)
def test_limits_of_reflect_fall_back_with_a_warning(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    name: str,
    value: str,
    default: object,
) -> None:
    monkeypatch.setenv(f"THERMITE_{name}", value)
    assert getattr(load_settings(tmp_path), name.lower()) == default
    assert [name in record.getMessage() for record in caplog.records] == [True]
