"""The dial of discovery: how many sets of facts are asked about, and how good a set must be."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from thermite_pipelines.settings import Settings
from thermite_pipelines.synthesis.work import Effort

Bridge = Literal["domain", "entity", "both"]
BUDGETS: Mapping[Effort, int] = {"normal": 0, "medium": 12, "high": 48}
"""Sets that a session asks about at most, by its effort. The largest stays below the 90 places before reflect."""


@dataclass(frozen=True)
class Weights:
    """What each measure of a set counts."""

    coh: float = 1.0
    gap: float = 1.0
    spec: float = 1.0


@dataclass(frozen=True)
class Dial:
    """What facts are brought together by, and what a set must be: of so many facts at most, joined so well, so good.

    `coh_floor` is the least share of pairs that are alike, `quality_floor` the least quality; both are reached, not
    passed.
    """

    bridge: Bridge = "both"
    coh_floor: float = 0.5
    max_members: int = 5
    quality_floor: float = 0.0
    weights: Weights = Weights()

    @classmethod
    def of(cls, settings: Settings) -> "Dial":
        """The dial as it is set; all but the bridge are constants."""
        return cls(bridge=settings.discovery_bridge)
