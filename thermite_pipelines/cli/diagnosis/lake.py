"""The lake and what is folded from it: files, folders, runs, quotes."""

from collections import defaultdict
from collections.abc import Iterator

from sqlalchemy import select

from thermite_pipelines.cli.diagnosis.finding import Finding, Level, count, some
from thermite_pipelines.cli.diagnosis.search_index import index_behind, index_damaged
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import LakeFile, Receipt
from thermite_pipelines.intake.vault import split_place
from thermite_pipelines.knowledge import inspection
from thermite_pipelines.knowledge.catalog import catalog
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.state import unplaced_runs
from thermite_pipelines.tables.schemas import EVENT_TABLES

UNVERIFIED_SHARE = 0.2
_TABLE_FOLDERS = (*EVENT_TABLES, "folders", "tables")


def raw(home: Home) -> Iterator[Finding]:
    """The bytes of every accepted report are kept."""
    query = select(Receipt.receipt, Receipt.kept).where(Receipt.outcome == "accepted").order_by(Receipt.receipt)
    with home.control.read() as connection:
        rows = connection.execute(query).all()
    if not rows:
        return
    there = {entry.path for entry in home.lake.list("reports")}
    gone = [row.receipt for row in rows if split_place(row.kept or "")[0] not in there]
    if gone:
        what = f"the kept bytes of {count(len(gone), 'accepted report')} are gone: receipts {some(gone)}"
        yield Finding("error", what, "a rebuild from the reports is not possible", "restore lake/reports from a backup")


def damaged(home: Home) -> Iterator[Finding]:
    """Every file that control vouches for is what was written, and every search index can be read."""
    with home.control.read() as connection:
        scopes = list(connection.execute(select(LakeFile.scope).distinct().order_by(LakeFile.scope)).scalars())
    for scope in scopes:
        paths = LakeFiles(home.control, home.lake, scope).damaged()
        if paths:
            what = f"{count(len(paths), 'file')} of the lake changed or gone: {some(paths)}"
            kind, _, name = scope.partition(":")
            do = {
                "campaign": f"`thermite rebuild --campaign {name}`",
                "tables": "`thermite tables`",
                "atoms": "`thermite refresh`",
                "models": "`thermite refresh`",
                "synthesis": "`thermite refresh`",
            }.get(kind, "`thermite rebuild --all`")
            yield Finding("error", what, "they are not what the pipeline wrote; it makes them again", do)
    yield from index_damaged(home)


def foreign(home: Home) -> Iterator[Finding]:
    """No file lies among the tables that the pipeline did not write: whoever scans the folder would read it."""
    with home.control.read() as connection:
        known = set(connection.execute(select(LakeFile.path)).scalars())
    found = [entry.path for folder in _TABLE_FOLDERS for entry in home.lake.list(folder) if entry.path not in known]
    if found:
        what = f"{count(len(found), 'file')} in the lake's tables not written by the pipeline: {some(found)}"
        ours = "; `thermite refresh` does that below lake/folders"
        do = "remove them" + ours * any(path.startswith("folders/") for path in found)
        yield Finding("warning", what, "whoever scans the folder reads them too", do)


def behind(home: Home) -> Iterator[Finding]:
    """No campaign, and no search index, is behind for longer than the setting allows."""
    limit = home.settings.lag_warn_seconds
    for row in catalog(home.control):
        if row["behind"] and row["lag_seconds"] > limit:
            name, number, seconds = row["campaign"], count(row["behind"], "event"), row["lag_seconds"]
            what = f"campaign {name} is {number} behind, for {seconds} seconds"
            why = f"more than THERMITE_LAG_WARN_SECONDS ({limit})"
            yield Finding("warning", what, why, "`thermite refresh`, and see that `thermite up` runs")
    yield from index_behind(home)


def unplaced(home: Home) -> Iterator[Finding]:
    """Every run is in some folder."""
    with home.control.read() as connection:
        runs = unplaced_runs(connection)
    by_why: dict[str, list[str]] = defaultdict(list)
    for run in runs:
        by_why[str(run.why)].append(f"{run.rig}/{run.run}")
    for why, names in sorted(by_why.items()):
        reason = {
            "campaign-assigned": "the campaign that they name is one that control assigns runs to",
            "unknown-campaign": "they name a campaign that control does not know",
            "no-campaign": "they name no campaign",
        }.get(why, why)
        do = "place them with `thermite assign --rig RIG --run RUN --campaign CAMPAIGN`"
        yield Finding("warning", f"{count(len(names), 'run')} in no folder ({why}): {some(names)}", reason, do)


def quotes(home: Home) -> Iterator[Finding]:
    """Quotes that do not stand in their source."""
    for row in inspection.unverified_quotes(home):
        if row["unverified"]:
            level: Level = "warning" if row["share"] > UNVERIFIED_SHARE else "note"
            what = f"{row['unverified']} of {row['quotes']} quotes in {row['campaign']} do not stand in their source"
            do = f"look at `thermite items --campaign {row['campaign']} --kind claim --json`"
            yield Finding(level, what, "the claims are kept, and marked", do)


def briefings(home: Home) -> Iterator[Finding]:
    """Runs begin with the briefing that their command gave."""
    names = [f"{row['rig']}/{row['run']}" for row in inspection.other_briefings(home)]
    if names:
        what = f"{count(len(names), 'run')} created with another briefing than the command's: {some(names)}"
        yield Finding("warning", what, "briefs show control's words, exports the run's", "look at the rig's harness")


def rounds(home: Home) -> Iterator[Finding]:
    """Notes about a round are written after it ended."""
    names = [row["note"] for row in inspection.notes_before_round_end(home)]
    if names:
        what = f"{count(len(names), 'note')} about a round that had not ended: {some(names)}"
        yield Finding("warning", what, "notes of a round in progress could steer it", "look at the rig's harness")
