"""Work items made of facts: their payloads, how large they grow, what they are called, when their turn comes.

An item for distilling holds 256 KiB of compact JSON at most, so a larger group becomes several; one for pruning is
never cut, since near-duplicates on two sides of a cut would never be seen. Neither is a setting. Pragmatic facts are
left out of every item, whoever puts them together.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.work import (
    MAX_DEPTH,
    REFLECT_PRIORITY,
    Inputs,
    NewItem,
    backward_priority,
    distill_priority,
    forward_priority,
    hypothesize_priority,
    prune_priority,
)

logger = logging.getLogger(__name__)

ITEM_BYTES = 256 * 1024


def compact(value: Any) -> str:
    """Compact JSON, as payloads are stored."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def chunks(facts: Sequence[Fact]) -> list[list[Fact]]:
    """Cut facts, in their order, so that each part's payload fits into an item; one that is larger stands alone."""
    parts: list[list[Fact]] = []
    size = 0
    for fact in facts:
        more = len(compact(fact.record()).encode()) + 1  # and a comma, or the closing bracket
        if not parts or size + more > ITEM_BYTES:
            parts.append([])
            size = 1
        parts[-1].append(fact)
        size += more
    return parts


def prune_items(clusters: Sequence[Sequence[Fact]]) -> list[NewItem]:
    """One item for each cluster of more than one epistemic fact, `cluster-<place>`, the larger ones first."""
    items = []
    for place, cluster in enumerate(clusters):
        facts = _epistemic(cluster)
        if len(facts) < 2:
            continue
        item = _of_facts("prune", f"cluster-{place}", facts, prune_priority(len(facts)))
        if (size := len(item.facts.encode())) > ITEM_BYTES:
            logger.warning("prune item %s holds %d bytes of facts", item.key, size)
        items.append(item)
    return items


def distill_items(group: str, facts: Sequence[Fact], depth: int = 0) -> list[NewItem]:
    """The items of one group, `<group>-<number of the part>`, in order; none below the deepest level there is.

    `group` names the cluster: `distill-c0`, `distill-rest`, or `raptor-d<depth>-c<place>`.
    """
    if depth > MAX_DEPTH:
        return []
    parts = chunks(_epistemic(facts))
    priority = distill_priority(depth)
    return [_of_facts("distill", f"{group}-{place}", part, priority, depth) for place, part in enumerate(parts)]


def raptor_items(clusters: Sequence[Sequence[Fact]], depth: int) -> list[NewItem]:
    """The items that follow from what an item one level above wrote; none past depth 3."""
    return [
        item
        for place, cluster in enumerate(clusters)
        for item in distill_items(f"raptor-d{depth}-c{place}", cluster, depth)
    ]


def hypothesize_items(syntheses: Sequence[Fact]) -> list[NewItem]:
    """One item for each synthesis, `synth-<place>`, in order; its payload is the record with `refs`, one object."""
    number = len(syntheses)
    return [
        NewItem(
            "hypothesize",
            f"synth-{place}",
            compact(fact.record() | {"refs": list(fact.refs)}),
            (fact.key,),
            hypothesize_priority(place, number),
        )
        for place, fact in enumerate(syntheses)
        if fact.type == "synthesis"
    ]


def reflect_item(transitions: Sequence[Mapping[str, Any]], inputs: Inputs) -> NewItem:
    """The one item of reflect: a record {path, original_type, action, detail?} for each hypothesis that moved on."""
    return NewItem("reflect", "reflect", compact(list(transitions)), inputs, REFLECT_PRIORITY)


def discover_item(bridge: Mapping[str, Any], facts: Sequence[Fact], rank: int, *, backward: bool) -> NewItem:
    """The item of one seed set: `bridge` holds `token` and `kind`, and `scope_label` where the session has a scope."""
    token = {name: bridge[name] for name in ("token", "kind")}
    payload: dict[str, Any] = {
        "direction": "backward" if backward else "forward",
        "bridge": token | {"members": [fact.record() for fact in facts]},
    }
    if bridge.get("scope_label"):
        payload["scope_label"] = bridge["scope_label"]
    key = f"discover-{'bwd' if backward else 'fwd'}-{rank}"
    priority = backward_priority(rank) if backward else forward_priority(rank)
    return NewItem("discover", key, compact(payload), tuple(fact.key for fact in facts), priority)


def _epistemic(facts: Sequence[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact.kind == "epistemic"]


def _of_facts(step: Any, key: str, facts: Sequence[Fact], priority: float, depth: int = 0) -> NewItem:
    payload = compact([fact.record() for fact in facts])
    return NewItem(step, key, payload, tuple(fact.key for fact in facts), priority, depth)
