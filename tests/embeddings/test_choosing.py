"""Which model the settings choose, and which thresholds each has."""

import json
import warnings
from dataclasses import asdict, astuple
from pathlib import Path

import pytest

from thermite_pipelines.embeddings.embedder import BUILT_IN, embedder_of
from thermite_pipelines.embeddings.thresholds import FALLBACK, Thresholds, calibration_path, thresholds_of
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.settings import Settings, load_settings
from thermite_pipelines.tables.lake import Lake

GEMMA, NOMIC = "ollama/embeddinggemma", "ollama/nomic-embed-text"
OWN = Thresholds(0.8, 0.7, 0.3, 0.05, 0.4, 0.1)


def settings(tmp_path: Path, **more: str) -> Settings:
    return Settings(home=tmp_path, **more)  # pyright: ignore[reportArgumentType]


def keep(lake: Path, model: str, held: object) -> None:
    Lake(str(lake)).put(calibration_path(model), json.dumps(held).encode())


@pytest.mark.parametrize("none", ["none", "None", " none "])
def test_sy_44_without_a_model_there_is_a_clear_error(
    none: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THERMITE_EMBED_MODEL", none)
    with pytest.raises(
        ThermiteError, match=f"THERMITE_EMBED_MODEL .* synthesis needs an embedding model — .*{BUILT_IN}"
    ):
        embedder_of(load_settings(tmp_path))


def test_an_empty_name_is_a_wrong_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_EMBED_MODEL", "")
    with pytest.raises(ThermiteError, match="THERMITE_EMBED_MODEL"):
        load_settings(tmp_path)


def test_an_address_that_is_none_is_a_wrong_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_EMBED_API_BASE", "here")
    with pytest.raises(ThermiteError, match="THERMITE_EMBED_API_BASE"):
        load_settings(tmp_path)


def test_the_default_is_built_in_and_calibrated(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = embedder_of(settings(tmp_path))
        assert (model.name, model.dimension) == (BUILT_IN, 512)
        assert model.thresholds != FALLBACK


def test_the_prefix_of_litellm_is_no_part_of_the_name(tmp_path: Path) -> None:
    models = [embedder_of(settings(tmp_path, embed_model=name)) for name in (f"litellm/{GEMMA}", GEMMA)]
    assert [model.name for model in models] == [GEMMA, GEMMA]


def test_behaviour_28_gemmas_thresholds_are_all_lower_than_nomics() -> None:
    gemma, nomic = thresholds_of(GEMMA), thresholds_of(NOMIC)
    assert all(low < high for low, high in zip(astuple(gemma), astuple(nomic), strict=True))
    assert 0.77 <= gemma.dedup <= 0.95


def test_sy_26_the_limit_of_a_methodology_is_the_models_own(tmp_path: Path) -> None:
    limits = {
        name: embedder_of(settings(tmp_path, embed_model=name)).thresholds.reflect_novelty
        for name in (BUILT_IN, GEMMA, NOMIC)
    }
    assert limits[GEMMA] == 0.69
    assert len(set(limits.values())) == 3


def test_sy_26_a_model_that_nobody_calibrated_has_the_fixed_limit_and_a_warning(tmp_path: Path) -> None:
    model = embedder_of(settings(tmp_path, embed_model="openai/text-embedding-3-small"))
    with pytest.warns(UserWarning, match=r"text-embedding-3-small .* from 0\.85 on.* embed calibrate --write"):
        assert model.thresholds.reflect_novelty == 0.85
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is said once
        assert model.thresholds == FALLBACK


def test_thresholds_that_were_calibrated_in_the_lake_come_first(tmp_path: Path) -> None:
    for name in (BUILT_IN, GEMMA, "openai/text-embedding-3-small"):
        keep(tmp_path / "lake", name, {"model": name, "thresholds": asdict(OWN)})
        assert embedder_of(settings(tmp_path, embed_model=name)).thresholds == OWN


def test_those_of_another_model_with_the_same_file_name_do_not_count(tmp_path: Path) -> None:
    assert calibration_path("ollama_embeddinggemma") == calibration_path(GEMMA)
    keep(tmp_path, "ollama_embeddinggemma", {"model": "ollama_embeddinggemma", "thresholds": asdict(OWN)})
    assert thresholds_of(GEMMA, Lake(str(tmp_path))).dedup == 0.82


@pytest.mark.parametrize(
    "held",
    [
        [],
        {},
        {"model": BUILT_IN},
        {"model": BUILT_IN, "thresholds": {"dedup": 0.8}},
        {"model": BUILT_IN, "thresholds": asdict(OWN) | {"dedup": "0.8"}},
        {"model": BUILT_IN, "thresholds": asdict(OWN) | {"dedup": 1.2}},
        {"model": BUILT_IN, "thresholds": asdict(OWN) | {"dedup": float("nan")}},
    ],
)
def test_harmed_thresholds_are_an_error_and_no_others_are_used(held: object, tmp_path: Path) -> None:
    keep(tmp_path, BUILT_IN, held)
    with pytest.raises(ThermiteError, match=r"embeddings/use-multilingual-v3.json: .* embed calibrate --write"):
        thresholds_of(BUILT_IN, Lake(str(tmp_path)))
