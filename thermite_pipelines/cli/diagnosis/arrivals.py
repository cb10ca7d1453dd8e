"""What lies in the inboxes, and what became of what arrived."""

import contextlib
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import func, select

from thermite_pipelines.cli.diagnosis.finding import Finding, Level, count, some
from thermite_pipelines.control.models import Head, Receipt, RigKey, RigState
from thermite_pipelines.control.rigs import rig_names
from thermite_pipelines.intake.inbox import is_report_name
from thermite_pipelines.intake.overview import forks, old_gaps, rejected_shares, skewed_clocks
from thermite_pipelines.intake.receipt_rows import storable
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.names import RIG
from thermite_pipelines.times import format_rfc3339, now_micros

# Quarantined files stay listed for ever; after so long they are history and no alarm any more.
RECENT_DAYS = 7
FORK_DAYS = 30
REJECTED_SHARE = 0.05
_DAY = 86_400
_IN_PROGRESS = (".tmp", ".part")

_QUARANTINE_DO = {
    "unknown-key": "register the key with `thermite rig add`, then `thermite reports retry RECEIPT`",
    "unknown-rig": "register the rig with `thermite rig add`, then `thermite reports retry RECEIPT`",
    "revoked-key": "let the rig sign with a key that is not revoked",
    "unsafe-file": "look at it, then remove it from the inbox",
    "too-far-ahead": "wait for the reports between; it is judged again by itself",
}


def strays(home: Home) -> Iterator[Finding]:
    """Things in the inbox that no intake takes."""
    inbox = home.settings.inbox
    with home.control.read() as connection:
        known = set(rig_names(connection))
    groups: dict[str, list[str]] = defaultdict(list)
    try:
        entries = sorted(os.scandir(inbox), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        name = storable(entry.name)
        if entry.is_symlink():
            groups["link"].append(name)
        elif not entry.is_dir(follow_symlinks=False):
            groups["plain"].append(name)
        else:
            if not RIG.fullmatch(entry.name):
                groups["name"].append(name)
            elif entry.name not in known:
                groups["unknown"].append(name)
            _look_into(entry.path, name, groups)
    for group, (level, what, why, do) in _STRAYS.items():
        if groups[group]:
            yield Finding(level, f"{what}: {some(groups[group])}", why, do)


def _look_into(path: str, rig: str, groups: dict[str, list[str]]) -> None:
    """Sort what lies in one inbox folder and is not about to be taken."""
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    except OSError:
        groups["closed"].append(rig)
        return
    for entry in entries:
        name = f"{rig}/{storable(entry.name)}"
        if is_report_name(entry.name):
            if not entry.is_file(follow_symlinks=False):
                groups["unsafe"].append(name)
        elif entry.name.startswith(".") or entry.name.endswith(_IN_PROGRESS):
            if _age(entry) > _DAY:
                groups["unfinished"].append(name)
        else:
            groups["other"].append(name)


def _age(entry: os.DirEntry[str]) -> float:
    try:
        return time.time() - entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return 0


_STRAYS: dict[str, tuple[Level, str, str, str]] = {
    "plain": (
        "warning",
        "files lie directly in inbox/",
        "only inbox/<rig>/ is looked at",
        "move them to a rig's folder",
    ),
    "link": (
        "warning",
        "links lie in inbox/",
        "an inbox that is a link is not followed",
        "make a plain folder instead",
    ),
    "name": (
        "warning",
        "inbox folders whose name no rig can have",
        "what lies there is quarantined",
        "correct the name",
    ),
    "unknown": (
        "warning",
        "inboxes of rigs that control does not know",
        "what lies there is quarantined as unknown-rig",
        "add the rig with `thermite rig add`, or remove the folder",
    ),
    "closed": ("error", "inbox folders that can't be read", "nothing is taken from there", "correct their rights"),
    "unsafe": (
        "warning",
        "links, folders or devices under a report's name",
        "they are never opened, and stay where they are",
        "look at them, then remove them",
    ),
    "other": (
        "warning",
        "inbox files that have no report's name",
        "reports end in .dsse.json, .dsse.json.gz or .dsse.json.zst; all else is left alone",
        "rename or remove them",
    ),
    "unfinished": (
        "note",
        "inbox writes that were never finished",
        "they are older than a day",
        "remove them if no rig needs them",
    ),
}


def untaken(home: Home) -> Iterator[Finding]:
    """Reports of known rigs that lie in the inbox although intake should have taken them long ago."""
    limit = home.settings.lag_warn_seconds
    with home.control.read() as connection:
        rigs = rig_names(connection)
    for rig in rigs:
        # The time of arrival here, not that of writing, which a copy may keep.
        old = [age for age in _report_ages(home.settings.inbox / rig) if age > limit]
        if old:
            what = f"{count(len(old), 'report')} of {rig} in the inbox for up to {max(old):.0f} seconds"
            why = f"longer than THERMITE_LAG_WARN_SECONDS ({limit}): nothing takes them"
            yield Finding("warning", what, why, "`thermite refresh`, and see that `thermite up` runs")


def unwritten(home: Home) -> Iterator[Finding]:
    """Rigs whose accepted reports should have become events long ago: the second half of their intake fails."""
    limit = home.settings.lag_warn_seconds
    query = (
        select(Receipt.rig, func.count().label("number"), func.min(Receipt.accepted_at).label("since"))
        .join(RigState, RigState.rig == Receipt.rig, isouter=True)
        .where(Receipt.accepted_number > func.coalesce(RigState.events_through, 0))
        .group_by(Receipt.rig)
        .order_by(Receipt.rig)
    )
    with home.control.read() as connection:
        rows = connection.execute(query).all()
    for row in rows:
        if now_micros() - row.since > limit * 1_000_000:
            what = f"the events of {count(row.number, 'accepted report')} of {row.rig} are not written yet"
            why = f"since {format_rfc3339(row.since)}, longer than THERMITE_LAG_WARN_SECONDS ({limit})"
            yield Finding("warning", what, why, f"`thermite refresh --rig {row.rig}` says what stands in the way")


def _report_ages(folder: Path) -> Iterator[float]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if is_report_name(entry.name) and entry.is_file(follow_symlinks=False):
                yield time.time() - entry.stat(follow_symlinks=False).st_ctime


def quarantine(home: Home) -> Iterator[Finding]:
    """Reports that were quarantined, by rig and reason; forks have a check of their own."""
    since = now_micros() - RECENT_DAYS * _DAY * 1_000_000
    query = (
        select(
            Receipt.rig,
            Receipt.reason,
            func.count().label("number"),
            func.max(Receipt.receipt).label("newest"),
            func.max(Receipt.arrived_at).label("last"),
        )
        .where(Receipt.outcome == "quarantined", Receipt.reason != "fork")
        .group_by(Receipt.rig, Receipt.reason)
        .order_by(Receipt.rig, Receipt.reason)
    )
    with home.control.read() as connection:
        rows = connection.execute(query).all()
    for row in rows:
        what = f"{count(row.number, 'report')} of {row.rig} quarantined as {row.reason}, newest is receipt {row.newest}"
        why = f"the last arrived at {format_rfc3339(row.last)}; nothing reads them, their bytes are kept"
        do = _QUARANTINE_DO.get(str(row.reason), "look at `thermite reports --outcome quarantined`")
        yield Finding("warning" if row.last >= since else "note", what, why, do)


def forked(home: Home) -> Iterator[Finding]:
    """Rigs that signed two payloads for one place of a chain."""
    since = now_micros() - FORK_DAYS * _DAY * 1_000_000
    with home.control.read() as connection:
        revoked = set(connection.execute(select(RigKey.keyid).where(RigKey.revoked_at.is_not(None))).scalars())
        rows = forks(connection)
    by_rig: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for row in rows:
        by_rig[row.rig, row.keyid in revoked or row.arrived_at < since].append(row.receipt)
    for (rig, settled), receipts in sorted(by_rig.items()):
        what = f"{rig} signed two payloads for one place of its chain: receipts {some(receipts)}"
        why = (
            "either its state went back (a restored disk), or its key is in other hands; the first accepted one counts"
        )
        do = f"find out which; if the key is stolen, `thermite rig revoke {rig} KEYID`"
        yield Finding("note" if settled else "error", what, why, do)


def chains(home: Home) -> Iterator[Finding]:
    """Chains that stand: behind a quarantined report, or waiting for one that is missing."""
    stuck = set()
    for rig, ledger, seq, reason, receipt in _standing(home):
        stuck.add((rig, ledger))
        what = (
            f"ledger {ledger} of {rig} stands before report {seq}, which is quarantined as {reason} (receipt {receipt})"
        )
        why = "every later report of that ledger waits for it"
        do = f"put the cause right, then `thermite reports retry {receipt}`, or let the rig send it again"
        yield Finding("error", what, why, do)
    with home.control.read() as connection:
        gaps = old_gaps(connection, now_micros())
    for gap in gaps:
        if (gap.rig, gap.ledger) not in stuck:
            since = format_rfc3339(gap.since)
            what = f"{count(gap.waiting, 'report')} of ledger {gap.ledger} of {gap.rig} waiting since {since}"
            why = f"a report before {gap.first_waiting} never arrived"
            yield Finding("warning", what, why, "let the rig send what is missing")


def _standing(home: Home) -> list[tuple[str, str, int, str, int]]:
    """Rig, ledger, seq, reason and receipt of each quarantined report that is the next of its chain."""
    with home.control.read() as connection:
        heads = {(row.rig, row.ledger): row.seq for row in connection.execute(select(Head.rig, Head.ledger, Head.seq))}
        query = (
            select(Receipt.rig, Receipt.ledger, Receipt.seq, Receipt.reason, func.max(Receipt.receipt).label("receipt"))
            .where(Receipt.outcome == "quarantined", Receipt.payload_rig == Receipt.rig, Receipt.reason != "fork")
            .group_by(Receipt.rig, Receipt.ledger, Receipt.seq, Receipt.reason)
            .order_by(Receipt.rig, Receipt.ledger, Receipt.seq)
        )
        rows = connection.execute(query).all()
        known = set(rig_names(connection))
    return [
        (row.rig, row.ledger, row.seq, str(row.reason), row.receipt)
        for row in rows
        if row.rig in known and row.seq == heads.get((row.rig, row.ledger), 0) + 1
    ]


def events(home: Home) -> Iterator[Finding]:
    """Events that were rejected, and of types that this version does not know."""
    with home.control.read() as connection:
        shares = rejected_shares(connection)
        unknown = connection.execute(select(RigState.rig, RigState.unknown).order_by(RigState.rig)).all()
    for row in shares:
        if row["rejected"]:
            level: Level = "warning" if row["share"] > REJECTED_SHARE else "note"
            what = f"{count(row['rejected'], 'event')} of {row['rig']} rejected ({row['share']:.1%})"
            do = f"look at `thermite events --rejected --rig {row['rig']}`"
            yield Finding(level, what, "an event that breaks a rule of its type is kept, and read by nothing", do)
    for row in unknown:
        if row.unknown:
            what = f"{count(row.unknown, 'event')} of {row.rig} of types that this version does not know"
            why = "they are kept for a later version; a rebuild judges them again"
            yield Finding("note", what, why, f"look at `thermite events --unknown --rig {row.rig}`")


def clocks(home: Home) -> Iterator[Finding]:
    """Rigs whose clock runs ahead."""
    with home.control.read() as connection:
        rows = skewed_clocks(connection)
    for row in rows:
        what = f"the clock of {row['rig']} ran {row['seconds_ahead']} seconds ahead of control's"
        yield Finding("warning", what, "nothing is lost, but its times are wrong", "set the rig's clock")
