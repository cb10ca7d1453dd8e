"""Answers to discover items: mostly nothing. What can't be read says nothing either, and never blocks the queue."""

import json
from collections.abc import Mapping
from typing import Any

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.answers import DiscoverAnswer, Proposal
from thermite_pipelines.synthesis.gate.reading import NoObject, convert, named, read_object
from thermite_pipelines.synthesis.gate.refs import malformed
from thermite_pipelines.synthesis.work import Item

WANTED = {"forward": "synthesis", "backward": "hypothesis"}
"""The type that a proposal must have, by the direction of its item."""


def judge(item: Item, text: str) -> tuple[DiscoverAnswer, tuple[str, ...]]:
    """Decode and check an answer: the proposals that pass, and why each other one was left out.

    Raises `Refused` for an object that lacks a key of the schema, and `ThermiteError` for a damaged item.
    """
    direction, members = _payload(item)
    try:
        value = read_object(text)
    except NoObject as error:
        return DiscoverAnswer(), (f"no proposals: {error}",) if text.strip() else ()
    answer = convert(item, value, DiscoverAnswer)
    kept: list[Proposal] = []
    warnings: list[str] = []
    for place, proposal in enumerate(answer.proposals):
        why = _why_not(proposal, direction, members, f"proposals[{place}]")
        warnings += why
        if not why:
            kept.append(proposal)
    return DiscoverAnswer(proposals=tuple(kept)), tuple(warnings)


def _payload(item: Item) -> tuple[str, list[str]]:
    try:
        payload: Mapping[str, Any] = json.loads(item.facts)
        members = [member["path"] for member in payload["bridge"]["members"]]
        direction = payload["direction"]
        _ = WANTED[direction]
    except (ValueError, KeyError, TypeError):
        raise ThermiteError("the stored item is damaged", where=f"item {item.item}", do="start a new session") from None
    return direction, members


def _why_not(proposal: Proposal, direction: str, members: list[str], place: str) -> list[str]:
    if proposal.type != WANTED[direction]:
        return [f"{place} has type {named(proposal.type)}, a {direction} proposal is a {WANTED[direction]}"]
    if missing := [path for path in members if path not in proposal.refs]:
        return [f"{place}.refs leave out {', '.join(map(named, missing))}"]
    return malformed(proposal.refs, place)
