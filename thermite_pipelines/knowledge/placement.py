"""Which campaign's folder a run's items go in: control's record decides, an event never overrules it.

1. Control assigned the run: that campaign, whatever the events say, in every ledger of the rig.
2. It did not; the run names a campaign that control knows and has assigned to no rig at all: that campaign.
3. Else no folder, with the reason. Judged anew at every refresh, so a later assignment places the run.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Why = Literal["campaign-assigned", "unknown-campaign", "no-campaign"]


@dataclass(frozen=True)
class RunFacts:
    """What placement needs of one run: its rig, its id, and the campaign that its `run_created` names (None: none)."""

    rig: str
    run: str
    named: str | None


@dataclass(frozen=True)
class PlacementFacts:
    """What placement needs of control's record as it stands now.

    `assignments` is the campaign of each assigned (rig, run), seen or not, or at least of the runs to be placed;
    `campaigns` are those that control knows. `assigned` are the campaigns that people assigned runs to, where that is
    not what `assignments` says.
    """

    assignments: Mapping[tuple[str, str], str]
    campaigns: AbstractSet[str]
    assigned: AbstractSet[str] | None = None

    @cached_property
    def assigned_campaigns(self) -> AbstractSet[str]:
        """The campaigns that are assigned to some rig."""
        return frozenset(self.assignments.values()) if self.assigned is None else self.assigned


@dataclass(frozen=True)
class Placement:
    """The campaign whose folder holds the run's items, or None and why not."""

    campaign: str | None
    why: Why | None = None


def place(run: RunFacts, control: PlacementFacts) -> Placement:
    """The folder of a run, by the three rules above."""
    assigned = control.assignments.get((run.rig, run.run))
    if assigned is not None:
        return Placement(assigned)
    if run.named is None:
        return Placement(None, "no-campaign")
    if run.named not in control.campaigns:
        return Placement(None, "unknown-campaign")
    if run.named in control.assigned_campaigns:
        return Placement(None, "campaign-assigned")
    return Placement(run.named)
