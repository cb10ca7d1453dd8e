"""Gestalts by rule: the live atoms of one domain, put together into a briefing that names them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from thermite_pipelines.atoms.fold import order_of
from thermite_pipelines.atoms.model import NONE_STATED
from thermite_pipelines.atoms.proposals import WAIT_SECONDS, Book, Clock, ProposalResult
from thermite_pipelines.atoms.session_store import scope_of
from thermite_pipelines.atoms.statements import digest, is_time_bound
from thermite_pipelines.control.campaigns import require_campaign
from thermite_pipelines.control.leases import lease
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.times import now_micros

AT_LEAST = 3
MOST_MEMBERS = 50
"""A briefing is read whole: of a larger domain it holds the newest atoms."""

Row = dict[str, Any]


def group(
    home: Home,
    campaign: str,
    domain: str | None = None,
    *,
    by: str,
    at_least: int = AT_LEAST,
    clock: Clock = now_micros,
    wait: float = WAIT_SECONDS,
) -> list[ProposalResult]:
    """Compose a gestalt for each domain tag (or one) that enough live atoms have; one answer for each that is new.

    The newer gestalt of a domain takes the place of the older one; where no member changed, nothing is made. Raises
    `ThermiteError` for an unknown campaign, and `LeaseTaken`.
    """
    with home.control.read() as connection:
        require_campaign(connection, campaign)
    with lease(home.control, scope_of(campaign), wait=wait):
        book = Book(home, campaign)
        live = [row for row in book.atoms if row["superseded_by"] is None]
        by_domain: dict[str, list[Row]] = defaultdict(list)
        for row in live:
            if row["type"] != "gestalt":
                for tag in row["domain"]:
                    by_domain[tag].append(row)
        wanted = sorted(by_domain) if domain is None else [domain]
        results = []
        for tag in wanted:
            if len(by_domain[tag]) >= at_least:
                result = _compose(book, tag, by_domain[tag], live)
                results += [] if result is None else [result]
        book.save(by, "propose", clock())
    return book.settled(results)


def _compose(book: Book, domain: str, atoms: Sequence[Row], live: Sequence[Row]) -> ProposalResult | None:
    in_order = sorted(atoms, key=lambda row: order_of(row | {"digest": row["statement_sha256"]}))
    members = in_order[-MOST_MEMBERS:]
    ids = sorted(row["atom"] for row in members)
    before = [row for row in live if row["origin"] == "grouped" and row["domain"] == [domain]]
    if any(row["members"] == ids for row in before):
        return None
    statement = briefing(domain, members)
    own = digest(statement)
    if own in book.digests.values():
        return None
    older = max(before, key=lambda row: (row["established"], row["atom"]), default=None)
    fields = {
        "type": "gestalt",
        "statement": statement,
        "domain": [domain],
        "conditions": NONE_STATED,
        "verbatim_quote": None,
        "quote_checked": False,
        "wrong_assumption": None,
        "why_confused": None,
        "time_bound": is_time_bound(statement),
        "source": "campaign",
        "session": None,
        "message": None,
        "place": None,
        # As old as the newest of what it says.
        "established": members[-1]["established"],
        "supersedes": None if older is None else book.digests[older["atom"]],
        "members": sorted(row["statement_sha256"] for row in members),
    }
    return book.add(own, fields, "grouped")


def briefing(domain: str, members: Sequence[Row]) -> str:
    """The statements of a domain, the oldest first, each with its conditions."""
    lines = [f"What is known of {domain}:"]
    for row in members:
        held_when = "" if row["conditions"] == NONE_STATED else f" (holds: {row['conditions']})"
        lines.append(f"- {row['statement']}{held_when}")
    return "\n".join(lines)
