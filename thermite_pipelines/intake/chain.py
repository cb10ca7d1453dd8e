"""Chains of reports, as pure functions: which waiting report is next, and what becomes of all others.

The outcome depends on the set of candidates and the head alone, never on names or order of arrival.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace

MAX_AHEAD = 10_000
MAX_WAITING = 1_000
MAX_WAITING_BYTES = 2**30


@dataclass(frozen=True)
class Link:
    """A signed report as the chain sees it. `token` is the caller's name for the file."""

    token: int
    ledger: str
    seq: int
    prev: str | None
    payload_sha256: str
    file_sha256: str
    name: str
    first_n: int | None  # None: a report without events
    events: int
    sent_at: int
    size: int

    @property
    def order(self) -> tuple[str, str, int]:
        """Of copies of one payload the smallest counts as the arrival."""
        return self.file_sha256, self.name, self.token


@dataclass(frozen=True)
class ChainHead:
    """Where a ledger stands; `seq` 0 before its first report."""

    seq: int = 0
    n: int = 0
    payload_sha256: str | None = None
    first_sent_at: int = 0


@dataclass(frozen=True)
class Verdict:
    """What becomes of one candidate."""

    outcome: str
    reason: str | None = None
    detail: str | None = None
    conflicts_with: str | None = None


@dataclass
class ChainResult:
    """Verdicts by token, accepted links in the order of acceptance, and the new heads."""

    verdicts: dict[int, Verdict] = field(default_factory=dict)
    accepted: list[Link] = field(default_factory=list)
    heads: dict[str, ChainHead] = field(default_factory=dict)


def extend(links: list[Link], heads: dict[str, ChainHead], accepted_hash: dict[tuple[str, int], str]) -> ChainResult:
    """Steps 5 (duplicate, fork) to 7 for all candidates of a rig: new files and those that wait.

    `accepted_hash` gives the payload hash of accepted reports by (ledger, seq), at least for the places that candidates
    name. Ledgers are extended in the order of their names, so that acceptance numbers do not depend on arrival.
    """
    result = ChainResult(heads=dict(heads))
    ledgers: dict[str, list[Link]] = defaultdict(list)
    for link in links:
        ledgers[link.ledger].append(link)
    waiting: list[Link] = []
    for ledger in sorted(ledgers):
        waiting += _extend_ledger(ledger, ledgers[ledger], result, accepted_hash)
    _bound_waiting(waiting, result)
    return result


def _extend_ledger(
    ledger: str, links: list[Link], result: ChainResult, accepted_hash: dict[tuple[str, int], str]
) -> list[Link]:
    head = result.heads.get(ledger, ChainHead())
    places: dict[int, list[Link]] = defaultdict(list)
    for link in links:
        if link.seq <= head.seq:
            result.verdicts[link.token] = _against_accepted(link, accepted_hash[ledger, link.seq])
        else:
            places[link.seq].append(link)
    while head.seq + 1 in places:
        rivals = places.pop(head.seq + 1)
        winner = _winner(rivals, head)
        if winner is None:
            for link in rivals:
                result.verdicts[link.token] = Verdict("quarantined", "broken-chain", _why_broken(link, head))
            break
        head = _accept(winner, rivals, head, result)
    result.heads[ledger] = head
    return [link for rivals in places.values() for link in rivals]


def _winner(rivals: list[Link], head: ChainHead) -> Link | None:
    fitting = [link for link in rivals if _goes_on(link, head)]
    return min(fitting, key=lambda link: (link.payload_sha256, link.order), default=None)


def _goes_on(link: Link, head: ChainHead) -> bool:
    return link.prev == head.payload_sha256 and link.first_n in (None, head.n + 1)


def _why_broken(link: Link, head: ChainHead) -> str:
    if link.prev != head.payload_sha256:
        return f"prev is not the hash of report {head.seq}" if head.seq else "prev of seq 1 is not null"
    return f"its first event is {link.first_n}, due is {head.n + 1}"


def _accept(winner: Link, rivals: list[Link], head: ChainHead, result: ChainResult) -> ChainHead:
    for link in rivals:
        if link.token != winner.token:
            result.verdicts[link.token] = _against_accepted(link, winner.payload_sha256)
    result.verdicts[winner.token] = Verdict("accepted")
    result.accepted.append(winner)
    return replace(
        head,
        seq=winner.seq,
        n=head.n + winner.events,
        payload_sha256=winner.payload_sha256,
        first_sent_at=winner.sent_at if winner.seq == 1 else head.first_sent_at,
    )


def _against_accepted(link: Link, accepted: str) -> Verdict:
    if link.payload_sha256 == accepted:
        return Verdict("duplicate")
    return Verdict("quarantined", "fork", f"another payload is accepted for seq {link.seq}", accepted)


def _bound_waiting(waiting: list[Link], result: ChainResult) -> None:
    """Let the nearest wait while there is room; those farther ahead make way."""
    room, space = MAX_WAITING, MAX_WAITING_BYTES

    def distance(link: Link) -> int:
        return link.seq - result.heads[link.ledger].seq

    for link in sorted(waiting, key=lambda link: (distance(link), link.ledger, link.payload_sha256, link.order)):
        if distance(link) > MAX_AHEAD:
            detail = f"seq {link.seq} is more than {MAX_AHEAD} ahead of {result.heads[link.ledger].seq}"
        elif room < 1 or space < link.size:
            detail, room = "no room is left for waiting reports", 0
        else:
            room, space = room - 1, space - link.size
            result.verdicts[link.token] = Verdict("waiting")
            continue
        result.verdicts[link.token] = Verdict("quarantined", "too-far-ahead", detail)
