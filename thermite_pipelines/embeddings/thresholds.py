"""From which cosine on two texts count as alike: values that belong to one embedding model each.

The same cosine means little across models: what is a near copy for one is any text on the same subject for another.
"""

import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Self

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.tables.lake import Lake, LakeMissing

FOLDER = "embeddings"
"""Where a lake keeps thresholds that were calibrated there: `<folder>/<model>.json`."""


@dataclass(frozen=True)
class Thresholds:
    """Cosines: a near copy; a methodology that is known; an edge between facts; the least that a search gives.

    `rerank_high` and `rerank_low`: a search with filters looks at five times as many of the nearest as it gives; at
    three times as many where the least cosine that was asked for is above the lower one, at twice above the higher.
    """

    dedup: float
    reflect_novelty: float
    similar_to: float
    search_floor: float
    rerank_high: float
    rerank_low: float

    def __post_init__(self) -> None:
        if not all(-1 <= value <= 1 for value in asdict(self).values()):  # false for NaN, too
            raise ValueError("a threshold is a cosine, between -1 and 1")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Of a JSON object with all names. Raises `ValueError` for another one."""
        names = cls.__dataclass_fields__
        if set(values) != set(names) or not all(type(value) in (int, float) for value in values.values()):
            raise ValueError(f"thresholds need numbers named {', '.join(names)}")
        return cls(**{name: float(value) for name, value in values.items()})


FALLBACK = Thresholds(0.92, 0.85, 0.60, 0.40, 0.70, 0.50)
"""For a model that nobody calibrated. Too high for most, so that rather too little is merged than too much."""

# Values that are in use elsewhere for these models, by a part of the model's name.
_KNOWN = {
    "embeddinggemma": Thresholds(0.82, 0.69, 0.18, 0.05, 0.43, 0.10),
    "nomic-embed-text": FALLBACK,
}


def thresholds_of(model: str, lake: Lake | None = None) -> Thresholds:
    """The thresholds of a model: those calibrated in this lake, else those that ship; `FALLBACK`, with a warning, else.

    Raises `ThermiteError` for a file of the lake that can't be read: other thresholds would merge other facts.
    """
    if lake is not None and (own := _calibrated(model, lake)) is not None:
        return own
    if model in shipped():
        return Thresholds.of(shipped()[model]["thresholds"])
    for name, known in _KNOWN.items():
        if name in model.lower():
            return known
    warnings.warn(
        f"the embedding model {model} has no calibrated thresholds, those for unknown models are used"
        f" (a methodology is too near from {FALLBACK.reflect_novelty} on): run `thermite embed calibrate --write`",
        UserWarning,
        stacklevel=2,
    )
    return FALLBACK


def calibration_path(model: str) -> str:
    """Where a lake keeps the calibration of a model."""
    return f"{FOLDER}/{''.join(sign if sign.isalnum() or sign in '.-' else '_' for sign in model)}.json"


def _calibrated(model: str, lake: Lake) -> Thresholds | None:
    path = calibration_path(model)
    try:
        held = json.loads(lake.get(path))
        # Two names may make one file name.
        return Thresholds.of(held["thresholds"]) if held["model"] == model else None
    except LakeMissing:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ThermiteError(
            f"these thresholds can't be read: {error}",
            where=lake.address(path),
            do="run `thermite embed calibrate --write`, or remove the file",
        ) from None


@cache
def shipped() -> Mapping[str, Mapping[str, Any]]:
    """The calibrations that ship with the package, by model."""
    folder = files("thermite_pipelines.embeddings") / "data"
    found = [json.loads(file.read_text(encoding="utf-8")) for file in folder.iterdir() if file.name.endswith(".json")]
    return {calibration["model"]: calibration for calibration in found}
