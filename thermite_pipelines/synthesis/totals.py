"""What a run of a tool decided, and what became of its items: counts from the log of decisions and from the queue."""

from collections import Counter
from dataclasses import dataclass, field

from sqlalchemy import Connection, func, select

from thermite_pipelines.control.synthesis_models import Decision as Row
from thermite_pipelines.control.synthesis_models import WorkItem
from thermite_pipelines.synthesis import decision_log
from thermite_pipelines.synthesis.decisions import DEDUP, counts_of
from thermite_pipelines.synthesis.queue import GIVEN_UP
from thermite_pipelines.synthesis.work import MAX_DEPTH, StepType

_DERIVING = ("synthesize", "discover", "propose")


@dataclass(frozen=True)
class Totals:
    """Counts of decisions: facts retracted, merges, changed confidences, syntheses by the depth of their item.

    `near_duplicates` are those of the merges that nobody was asked about; `discovered` those of the syntheses, and of
    other facts, that discovery wrote.
    """

    pruned: int = 0
    merged: int = 0
    near_duplicates: int = 0
    updated: int = 0
    synthesized: dict[int, int] = field(default_factory=lambda: dict.fromkeys(range(MAX_DEPTH + 1), 0))
    discovered: int = 0
    reinforced: int = 0
    methodologies: int = 0
    hypotheses: int = 0
    decisions: int = 0


def decided_after(connection: Connection, campaign: str, number: int, upto: int | None = None) -> Totals:
    """The totals of a campaign's decisions past a number, up to another one. Raises `ThermiteError` as the log does."""
    found = [one for one in decision_log.read(connection, campaign, number) if upto is None or one.number <= upto]
    counts, verbs = counts_of(found), Counter(one.verb for one in found)
    derived = [one.fact for one in found if one.fact is not None and one.verb in _DERIVING]
    # An answer may also write a fact of another type, which stands in no tree.
    depths = Counter(fact.depth or 0 for fact in derived if fact.type == "synthesis")
    return Totals(
        pruned=counts.pruned,
        merged=counts.merged,
        near_duplicates=sum(one.verb == "merge" and one.step == DEDUP for one in found),
        updated=counts.updated,
        synthesized={depth: depths[depth] for depth in range(MAX_DEPTH + 1)},
        discovered=verbs["discover"],
        reinforced=verbs["reinforce"],
        methodologies=sum(fact.type == "methodology" for fact in derived),
        hypotheses=verbs["hypothesize"],
        decisions=len(found),
    )


@dataclass(frozen=True)
class ItemNumbers:
    """Items of one step and depth of a session: all, those answered, those given up, and those that failed so far."""

    step: StepType
    depth: int
    items: int
    answered: int
    given_up: int
    failing: int


def item_numbers(connection: Connection, session: str) -> list[ItemNumbers]:
    """The items of a session by step and depth."""
    is_given_up = WorkItem.response.startswith(GIVEN_UP, autoescape=True)
    columns = (
        func.count(WorkItem.answered_at).filter(~is_given_up).label("answered"),
        func.count().filter(is_given_up).label("given_up"),
        func.count().filter(WorkItem.answered_at.is_(None), WorkItem.failures > 0).label("failing"),
    )
    query = select(WorkItem.step_type, WorkItem.depth, func.count().label("items"), *columns)
    query = query.where(WorkItem.session == session).group_by(WorkItem.step_type, WorkItem.depth)
    rows = connection.execute(query.order_by(WorkItem.depth, WorkItem.step_type))
    return [ItemNumbers(row.step_type, row.depth, row.items, row.answered, row.given_up, row.failing) for row in rows]


def walked_since(connection: Connection, session: str, since: int) -> tuple[int, int]:
    """The syntheses of a session that were walked from a time (microseconds) on, and how many of these were skipped.

    One that led to a decision was not skipped; one that was given up was not walked.
    """
    query = select(WorkItem.item).where(
        WorkItem.session == session,
        WorkItem.step_type == "hypothesize",
        WorkItem.answered_at >= since,
        ~WorkItem.response.startswith(GIVEN_UP, autoescape=True),
    )
    items = set(connection.execute(query).scalars())
    decided = select(Row.item).where(Row.session == session, Row.item.is_not(None)).distinct()
    return len(items), len(items - set(connection.execute(decided).scalars()))
