"""The rules of help requests and learnings once more, as plainly as they can be written: slow, and from scratch.

Events are taken from the reports as they were signed, people's decisions and placement from control's record.
"""

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from tests.support.homes import Home
from tests.support.rigs import Sealed
from thermite_pipelines.control.channel_models import HelpAction, LearningAction
from thermite_pipelines.control.models import Assignment, Run
from thermite_pipelines.learnings import lifecycle
from thermite_pipelines.learnings.sameness import same
from thermite_pipelines.times import format_rfc3339, parse_rfc3339

Rows = list[dict[str, Any]]
_TYPES = ("help_requested", "learning_proposed", "brief_given")


@dataclass
class Said:
    """A verified channel event with all that is known of it."""

    order: tuple[int, str, str, int]
    run: tuple[str, str, str]
    named: str
    campaign: str
    type: str
    data: dict[str, Any]
    own_time: int
    number: int
    accepted_at: int


@dataclass
class Found:
    """An insight."""

    id: str
    text: str
    impact: str
    first: int
    last: int
    since: str
    state: str = "provisional"
    left: int = 0
    proposals: int = 1
    finders: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


def all_said(home: Home, reports: dict[str, list[Sealed]], refused: set[str]) -> list[Said]:
    """All verified channel events of placed runs, in the one order; texts in `refused` are marked so."""
    with home.control.read() as connection:
        assigned = {(row.rig, row.run): row.campaign for row in connection.execute(select(Assignment))}
        labels = {(row.rig, row.ledger, row.run): row.label for row in connection.execute(select(Run))}
    accepted = {(row["rig"], row["payload_sha256"]): row for row in home.receipts(outcome="accepted")}
    found: list[Said] = []
    for rig, sealed in reports.items():
        verified = {(row["ledger"], row["n"]) for row in home.events(rig)}
        largest: dict[str, int] = {}
        for one in sealed:
            receipt, ledger = accepted[rig, one.sha256], json.loads(one.payload)["ledger"]
            for event in one.events:
                own = parse_rfc3339(event["at"])
                largest[ledger] = max(own, largest.get(ledger, own))
                campaign = assigned.get((rig, event["run"]))
                if event["type"] not in _TYPES or (ledger, event["n"]) not in verified or campaign is None:
                    continue
                order = (min(largest[ledger], receipt["accepted_at"]), rig, ledger, event["n"])
                run = (rig, ledger, event["run"])
                data = event["data"] | ({"refused": True} if event["data"].get("text") in refused else {})
                more = (own, receipt["accepted_number"], receipt["accepted_at"])
                found.append(Said(order, run, f"{rig}/{labels[run]}", campaign, event["type"], data, *more))
    return sorted(found, key=lambda said: said.order)


def by_agent(said: list[Said]) -> dict[tuple[str, str], list[Said]]:
    groups: dict[tuple[str, str], list[Said]] = defaultdict(list)
    for one in said:
        groups[one.campaign, one.data["agent"]].append(one)
    return dict(sorted(groups.items()))


def learnings(home: Home, said: list[Said]) -> Rows:
    """The rows of `learnings.jsonl`."""
    with home.control.read() as connection:
        decisions = list(connection.execute(select(LearningAction).order_by(LearningAction.action)))
    everywhere = {(one.campaign, one.named) for one in said}

    def placed(row: Any, campaign: str) -> bool:
        return any((campaign, name.rpartition("/")[0]) in everywhere for name in (row.learning, *row.others))

    rows = []
    for (campaign, agent), events in by_agent(said).items():
        here = {one.named for one in events}
        taken, gone = [], []
        for row in decisions:
            names = [name for name in (row.learning, *row.others) if name.rpartition("/")[0] in here]
            if row.agent == agent and names:
                taken.append((names[0], row.verb, row.receipt_number))
            elif (row.campaign, row.agent, row.verb) == (campaign, agent, "drop") and not placed(row, campaign):
                gone.append(row.text)
        rows += [_row(campaign, agent, one) for one in _live(events, taken, gone) if one.id]
    return rows


def _live(events: list[Said], taken: list[tuple[str, str, int]], gone: list[str]) -> list[Found]:
    after: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for name, verb, number in taken:
        before = [index for index, event in enumerate(events) if event.number <= number]
        after[max(before, default=-1)].append((name, verb))
    insights = [Found("", text, "low", 0, 0, "", state="rejected") for text in gone]
    shown: dict[str, set[str]] = {}
    for index, event in enumerate(events):
        if event.type == "brief_given":
            _brief(event, insights, shown)
        elif event.type == "learning_proposed" and "refused" not in event.data:
            _propose(event, insights, shown)
        for name, verb in after[index]:
            for one in insights:
                if name in one.names and one.state != "rejected":
                    one.state = "confirmed" if verb == "keep" else "rejected"
    return insights


def _brief(event: Said, insights: list[Found], shown: dict[str, set[str]]) -> None:
    if event.named not in shown:
        for one in insights:
            if one.state == "provisional":
                one.left -= 1
                one.state = "provisional" if one.left else "lapsed"
    shown.setdefault(event.named, set()).update(event.data["learnings"])


def _propose(event: Said, insights: list[Found], shown: dict[str, set[str]]) -> None:
    text, name, time = event.data["text"], f"{event.named}/{event.data['learning']}", event.order[0]
    for one in sorted(insights, key=lambda insight: insight.state != "rejected"):
        if same(one.text, text):
            one.names.add(name)
            told = event.named in one.finders or shown.get(event.named, set()) & one.names
            if one.state == "lapsed" and not told:
                one.finders.append(event.named)
                one.proposals, one.last, one.since, one.left = one.proposals + 1, time, event.named, lifecycle.RUNS
                one.state = "confirmed" if len(one.finders) == 3 else "provisional"
            return
    insights.append(Found(name, text, event.data["impact"], time, time, event.named, left=lifecycle.RUNS, names={name}))


def _row(campaign: str, agent: str, one: Found) -> dict[str, Any]:
    return {
        "id": one.id,
        "campaign": campaign,
        "agent": agent,
        "text": one.text,
        "state": one.state,
        "impact": one.impact,
        "proposals": one.proposals,
        "runs_left": {"provisional": one.left, "lapsed": 0}.get(one.state),
        "first_at": format_rfc3339(one.first),
        "last_at": format_rfc3339(one.last),
        "since_run": one.since,
    }


def requests(home: Home, said: list[Said]) -> Rows:
    """The rows of all days' requests, but for the key that tells them apart, in the order of rig, run and first ask."""
    with home.control.read() as connection:
        actions = list(connection.execute(select(HelpAction).order_by(HelpAction.action)))
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    asked: dict[tuple[str, ...], int] = {}
    for one in said:
        if one.type != "help_requested":
            continue
        data, (rig, ledger, run) = one.data, one.run
        blocker, summary = data.get("blocker") or "other", " ".join(data["summary"].split())
        key = (*one.run, data["agent"], blocker, summary.lower())
        row = {"rig": rig, "ledger": ledger, "run": run, "campaign": one.campaign, "agent": data["agent"]}
        row |= {"blocker": blocker, "summary": summary, "detail": data.get("detail"), "fatal": False, "count": 0}
        row = rows.setdefault(key, row | {"at": format_rfc3339(one.own_time)})
        row["count"] += 1
        row["fatal"] = row["fatal"] or data["fatal"]
        asked[key] = max(one.number, asked.get(key, 0))
    for key, row in rows.items():
        name = hashlib.sha256("\n".join(key[3:]).encode()).hexdigest()[:16]
        taken = [action for action in actions if (action.rig, action.ledger, action.run) == key[:3]]
        taken = [action for action in taken if action.request == name]
        replies = [action.reply for action in taken if action.reply]
        row["resolved_at"] = format_rfc3339(taken[-1].at) if taken else None
        row["reply"] = replies[-1] if replies else None
        row["asked_again"] = bool(taken) and asked[key] > taken[-1].receipt_number
        row["request"] = name
    return list(rows.values())


def refusals(said: list[Said]) -> Rows:
    """The rows of `refused.jsonl`, but for reasons and hashes."""
    rows = []
    for (campaign, agent), events in by_agent(said).items():
        for one in events:
            if "refused" in one.data:
                later = [event for event in events if event.type == "brief_given" and event.run != one.run]
                told = any(event.order[0] > one.accepted_at for event in later)
                rig, ledger, run = one.run
                row = {"campaign": campaign, "agent": agent, "rig": rig, "ledger": ledger, "run": run}
                row |= {"learning": one.data["learning"], "at": format_rfc3339(one.order[0]), "told": told}
                rows.append(row)
    return rows
