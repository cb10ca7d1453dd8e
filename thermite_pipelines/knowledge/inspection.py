"""Looking whether folders and syncs are what they should be: for checks and `doctor`. Nothing here changes anything.

Findings are rows of ids, counts and hashes; never texts.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from sqlalchemy import select

from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import Assignment, LakeFile, Record
from thermite_pipelines.knowledge.fold import opens, target
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.items import KINDS, item_id
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.run_events import run_events
from thermite_pipelines.knowledge.state import all_runs, campaign_lags
from thermite_pipelines.names import RIG
from thermite_pipelines.tables.lake import LakeMissing
from thermite_pipelines.tables.parquet import decode

MAX_FINDINGS = 50
_NEVER_NULL = ("item", "rig", "run", "written_by", "created_at")

Row = dict[str, Any]


def unverified_quotes(home: Home) -> list[Row]:
    """Per campaign, how many of its quotes do not stand in the archived text of their source."""
    found = []
    for campaign in _campaigns(home):
        total = unverified = 0
        for part in _parts(home, campaign, "claim", ["quotes"]):
            for quotes in part["quotes"].to_pylist():
                total += len(quotes or ())
                unverified += sum(not quote["verified"] for quote in quotes or ())
        if total:
            share = round(unverified / total, 4)
            found.append({"campaign": campaign, "quotes": total, "unverified": unverified, "share": share})
    return found


def folders_unlike_events(home: Home) -> list[Row]:
    """Runs whose folder holds other items than their verified events open, in folders that are not behind."""
    with home.control.read() as connection:
        lags = campaign_lags(connection)
    found: list[Row] = []
    for campaign, lag in lags.items():
        if lag.is_behind:
            continue
        held: Counter[tuple[str, str]] = Counter()
        for kind in KINDS:
            for part in _parts(home, campaign, kind, ["ledger", "run", "rig"]):
                held.update(
                    zip(
                        map(
                            "/".join,
                            zip(
                                part["rig"].to_pylist(),
                                part["ledger"].to_pylist(),
                                part["run"].to_pylist(),
                                strict=True,
                            ),
                        ),
                        [kind] * part.num_rows,
                        strict=True,
                    )
                )
        for run in lag.runs:
            due = Counter(_opened(home, run))
            for kind in KINDS:
                has = held[f"{run.rig}/{run.ledger}/{run.run}", kind]
                if has != due[kind]:
                    found.append(
                        {
                            "campaign": campaign,
                            "rig": run.rig,
                            "run": run.label,
                            "kind": kind,
                            "items": has,
                            "due": due[kind],
                        }
                    )
    return found[:MAX_FINDINGS]


def _opened(home: Home, run: Any) -> Iterator[str]:
    """The kind of each item that a run's verified events open."""
    documents = set()
    for events in run_events(home.control, home.lake, run, 0):
        for event in events:
            key = target(run.run_id, event)
            if key is None or not opens(event) or (key[0] == "document" and key[1] in documents):
                continue
            if key[0] == "document":
                documents.add(key[1])
            yield key[0]


def changed_files(home: Home) -> list[Row]:
    """Files of folders that are not what the pipeline wrote."""
    return [
        {"campaign": campaign, "file": path, "wrong": "changed or gone"}
        for campaign in _campaigns(home)
        for path in LakeFiles(home.control, home.lake, f"campaign:{campaign}").damaged(thorough=True)
    ][:MAX_FINDINGS]


def incomplete_items(home: Home) -> list[Row]:
    """Files with items that lack rig, run, writer or time (their campaign is their path)."""
    found = []
    for campaign in _campaigns(home):
        for kind in KINDS:
            nulls: Counter[str] = Counter()
            for part in _parts(home, campaign, kind, list(_NEVER_NULL)):
                nulls.update({name: part[name].null_count for name in _NEVER_NULL if part[name].null_count})
            found += [
                {"campaign": campaign, "file": f"{kind}: {name}", "wrong": f"{n} nulls"} for name, n in nulls.items()
            ]
    return found[:MAX_FINDINGS]


def notes_before_round_end(home: Home) -> list[Row]:
    """Notes about a round whose end came after the note, or has not come."""
    found: list[Row] = []
    with home.control.read() as connection:
        runs = {run.run_key: run for run in all_runs(connection)}
        with_rounds = connection.execute(select(Record.run_key).where(Record.kind == "round").distinct()).scalars()
        keys = [key for key in with_rounds if key in runs]
    for key in keys:
        run = runs[key]
        ended: set[str] = set()
        for events in run_events(home.control, home.lake, run, 0):
            for event in events:
                about = event.data.get("about") if event.type == "journal_note" else None
                if event.type == "round_ended":
                    ended.add(event.data["round"])
                elif about and about["kind"] == "round" and about["id"] not in ended:
                    note = item_id("note", run.rig, run.label, event.data["note"])
                    found.append({"campaign": run.campaign, "note": note, "round": about["id"], "n": event.n})
    return found[:MAX_FINDINGS]


def other_briefings(home: Home) -> list[Row]:
    """Assigned runs whose `run_created` carries another briefing than the signed command gave."""
    reader = FolderReader(home.control, home.lake)
    found = []
    with home.control.read() as connection:
        given = {(row.rig, row.run): row.command.get("briefing", []) for row in connection.execute(select(Assignment))}
        runs = [run for run in all_runs(connection) if (run.rig, run.run) in given]
    for run in runs:
        row = reader.find(item_id("run", run.rig, run.label, run.run))
        briefed = [(entry["item"], entry["text"]) for entry in (row or {}).get("briefing") or []]
        assigned = [(entry["item"], entry["text"]) for entry in given[run.rig, run.run]]
        if row is not None and briefed != assigned:
            found.append({"rig": run.rig, "run": run.label, "assigned": len(assigned), "created_with": len(briefed)})
    return found[:MAX_FINDINGS]


def changed_sync_files(home: Home) -> list[Row]:
    """Files of running runs' `knowledge/` that are not what their manifest says."""
    from thermite_pipelines.knowledge.sync import Syncer

    return [
        {"rig": rig, "run": run, "file": _nameless(path)} for rig, run, path in Syncer(home).differences(MAX_FINDINGS)
    ]


def changed_briefs(home: Home) -> list[Row]:
    """Files of running runs' `briefs/` that are not as they were written; what a stranger put there has no name."""
    from thermite_pipelines.knowledge.briefs import Briefer

    return [{"rig": rig, "run": run, "file": file} for rig, run, file in Briefer(home).differences(MAX_FINDINGS)]


def _nameless(path: str) -> str:
    """A path below `knowledge/` without what titles, or a stranger, gave it: its folder and the hash of the item."""
    folder, _, name = path.rpartition("/")
    match = re.fullmatch(r"(?:.*-)?([0-9a-f]{16})\.md", name)
    known = name in ("README.md", ".manifest.json") and not folder
    parts = folder.split("/") if folder else []
    place = "/".join(parts) if len(parts) == 2 and parts[1] in KINDS and RIG.fullmatch(parts[0]) else "another place"
    return name if known else f"{place}/{match.group(1) if match else 'another name'}"


def _campaigns(home: Home) -> list[str]:
    with home.control.read() as connection:
        return campaign_names(connection)


def _parts(home: Home, campaign: str, kind: str, columns: list[str]) -> Iterator[pa.Table]:
    """Some columns of each file of one kind in a folder; a file that went meanwhile is another check's finding."""
    with home.control.read() as connection:
        query = select(LakeFile.path).where(
            LakeFile.scope == f"campaign:{campaign}", LakeFile.path.like(f"folders/{kind}/campaign=%")
        )
        paths = sorted(connection.execute(query).scalars())
    for path in paths:
        try:
            yield decode(home.lake.get(path), columns)
        except LakeMissing:
            continue
