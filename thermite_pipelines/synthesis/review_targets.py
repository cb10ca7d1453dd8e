"""How far each campaign's review is: the base facts that there are, beside those that the last whole review saw."""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.synthesis_models import SynthesisSession, Watermark
from thermite_pipelines.synthesis.sessions import IDLE_SECONDS
from thermite_pipelines.synthesis.work import BY_HAND
from thermite_pipelines.tables.derived import BASE_FACTS
from thermite_pipelines.times import now_micros

NOTHING = ""
"""The target of a campaign without base facts, and what one has seen that was never reviewed."""


@dataclass(frozen=True)
class ReviewLag:
    """A hash of a campaign's base facts, and of those that the last completed review without a scope saw.

    `is_by_hand`: somebody answers a review of it over MCP or HTTP, so that runs leave it alone.
    """

    target: str
    done: str
    is_by_hand: bool = False

    @property
    def is_behind(self) -> bool:
        """Whether there are facts that no review saw, or some left that one saw."""
        return self.target != self.done


def review_lags(connection: Connection, *campaigns: str) -> dict[str, ReviewLag]:
    """The state of each campaign that has base facts, or had some; of all or of those named."""
    bases = select(DerivedState.campaign, DerivedState.content, DerivedState.rows)
    bases = bases.where(DerivedState.name == BASE_FACTS.name)
    marks = select(Watermark.campaign, Watermark.base_content).where(Watermark.tool == "review")
    targets = {row.campaign: row.content if row.rows else NOTHING for row in connection.execute(bases)}
    done = {row.campaign: row.base_content or NOTHING for row in connection.execute(marks)}
    used_since = now_micros() - IDLE_SECONDS * 1_000_000
    by_hand = select(SynthesisSession.campaign).where(
        SynthesisSession.tool == "review",
        SynthesisSession.status == "active",
        SynthesisSession.opened_by.in_(BY_HAND),
        SynthesisSession.last_used_at >= used_since,
    )
    taken = set(connection.execute(by_hand).scalars())
    return {
        name: ReviewLag(targets[name], done.get(name, NOTHING), name in taken)
        for name in sorted(targets)
        if not campaigns or name in campaigns
    }
