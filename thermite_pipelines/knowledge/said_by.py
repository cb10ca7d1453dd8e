"""Who said what a derived fact rests on: the runs whose items, and the atoms, at the ends of what it cites. Pure.

Where a run alone said all of it, a synthesis is nothing but that run's own words, which its agents have already.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge.items import parse_item_id

Row = dict[str, Any]

LINEAGE_COLUMNS = ("fact", "type", "refs", "item", "atom", "rig", "run", "retracted_by", "superseded_by")
"""What is needed of every fact of a campaign, taken back or not."""
_ATOM = "atom:"
_DECISION = "decision:"
_METHODOLOGY = "methodology"
_DERIVED = frozenset(["synthesis", _METHODOLOGY])
"""Types that are made of what they cite, also where they took the place of what an item said."""


@dataclass(frozen=True)
class Own:
    """What is a run's own in a campaign: its records, in any ledger of its rig, and its sessions."""

    rig: str
    run: str
    sessions: AbstractSet[str] = frozenset()


class Lineage:
    """What each fact of a campaign rests on.

    A fact that was made from an item or an atom rests on that, and on the facts merged into it; any other one on what
    it cites and what it stands for. A methodology that a fact cites speaks for no fact. Addresses, and facts that are
    not there, say nothing of who said it.
    """

    def __init__(self, facts: Iterable[Row], atoms: Iterable[Row]) -> None:
        """`facts` have `LINEAGE_COLUMNS`; `atoms` have `atom` and `sessions`."""
        self._facts = {row["fact"]: row for row in facts}
        self._sessions: Mapping[str, frozenset[str]] = {row["atom"]: frozenset(row["sessions"] or ()) for row in atoms}
        self._taken_over: dict[str, list[str]] = defaultdict(list)
        for name, row in self._facts.items():
            # An atom that took the place of another corrects it: the two do not say the same.
            if row["superseded_by"] is not None and (row["retracted_by"] or "").startswith(_DECISION):
                self._taken_over[row["superseded_by"]].append(name)

    def is_only(self, fact: str, own: Own) -> bool:
        """Whether the run itself said all that a fact rests on, and at least something of it is known."""
        seen, ahead, is_known = {fact}, [fact], False
        while ahead:
            name = ahead.pop()
            row = self._facts.get(name)
            is_own = self._is_own(name, row, own)
            if is_own is False:
                return False
            is_known = is_known or is_own is True
            if row is not None:
                new = [cited for cited in self._onward(name, row) if cited not in seen]
                seen.update(new)
                ahead += new
        return is_known

    def _onward(self, name: str, row: Row) -> list[str]:
        is_source = row["type"] not in _DERIVED and (row["item"] is not None or row["atom"] is not None)
        cited = () if is_source else row["refs"] or ()
        found = [*cited, *self._taken_over.get(name, ())]
        return [ref for ref in found if self._facts.get(ref, {}).get("type") != _METHODOLOGY]

    def _is_own(self, name: str, row: Row | None, own: Own) -> bool | None:
        """Whether a fact or a reference is the run's own word; None where it is nobody's."""
        if row is not None and row["atom"] is None:
            return None if row["item"] is None else (row["rig"], row["run"]) == (own.rig, own.run)
        atom = name if row is None else row["atom"]
        if atom.startswith(_ATOM):
            said_in = self._sessions.get(atom, frozenset())
            return bool(said_in) and said_in <= own.sessions
        try:
            item = parse_item_id(name)
        except UsageError:
            # An address, or a fact that is not there: nothing is known of who said it.
            return None
        return (item.rig, item.run) == (own.rig, own.run)
