"""Group exports: JSONL for results repositories, a rig a partition.

One step writes one export. Materializing again is the next export; nothing rebuilds an old one.
"""

from collections.abc import Iterator, Mapping

import dagster as dg

from thermite_pipelines.assets.intake import OWNERS
from thermite_pipelines.assets.metadata import bar_chart, small_table
from thermite_pipelines.assets.partitions import rigs
from thermite_pipelines.knowledge.exports import Exporter
from thermite_pipelines.knowledge.results_repository import commit_exports
from thermite_pipelines.resources.home import HomeResource, explained

_PARTS = {
    "journal_jsonl": ("journal.jsonl", "The field notes recorded since the last export."),
    "research_notes_jsonl": ("research-notes.jsonl", "The research notes since the last export."),
    "briefing_jsonl": ("briefing.jsonl", "The briefing of each run created since the last export."),
    "knowledge_jsonl": ("knowledge.jsonl", "Each item added or changed since the last export."),
    "research_folders": ("research/", "Report, sources, claims, notes and documents of runs finished since."),
}


def _spec(name: str, description: str) -> dg.AssetSpec:
    return dg.AssetSpec(
        dg.AssetKey(["exports", name]),
        description=description,
        deps=[dg.AssetKey(["intake", "verified_events"])],
        group_name="exports",
        owners=OWNERS,
        kinds={"file" if name == "research_folders" else "json"},
        code_version="1",
        partitions_def=rigs,
        skippable=True,
    )


@dg.multi_asset(
    name="export",
    specs=[_spec(name, description) for name, (_, description) in _PARTS.items()],
    can_subset=False,
)
def export(context: dg.AssetExecutionContext, home: HomeResource) -> Iterator[dg.MaterializeResult]:
    """Write the rig's next export from its own verified events."""
    rig = context.partition_key
    opened = home.opened
    with explained(opened, context.run.run_id):
        if not home.take(context, f"rig:{rig}"):
            return
        exported = Exporter(opened).export(rig)
    counts = _rows_by_file(exported.files)
    rows = [{"file": name, "rows": count} for name, count in counts.items()]
    shown = {"files": small_table(rows, ["file", "rows"]), "picture": bar_chart(counts, "rows by file")}
    for name, (file, _) in _PARTS.items():
        yield dg.MaterializeResult(
            asset_key=["exports", name],
            data_version=dg.DataVersion(f"{exported.number}-{exported.manifest_sha256[:16]}"),
            metadata={
                "dagster/row_count": sum(count for path, count in exported.files.items() if path.startswith(file)),
                "dagster/uri": str(opened.settings.home / exported.path / file),
                "number": exported.number,
                **shown,
            },
        )


def _rows_by_file(files: Mapping[str, int]) -> dict[str, int]:
    """Rows of an export by file, research folders one line a run: agents choose the names of what lies in them."""
    counts: dict[str, int] = {}
    for path, rows in sorted(files.items()):
        name = "/".join(path.split("/")[:2]) + "/" if path.startswith("research/") else path
        counts[name] = counts.get(name, 0) + rows
    return counts


@dg.asset(
    key=["exports", "results_repository"],
    deps=[dg.AssetKey(["exports", name]) for name in _PARTS],
    partitions_def=rigs,
    group_name="exports",
    owners=OWNERS,
    kinds={"git"},
    code_version="1",
    output_required=False,
)
def results_repository(context: dg.AssetExecutionContext, home: HomeResource) -> Iterator[dg.MaterializeResult]:
    """One commit an export in the repository of THERMITE_RESULTS_REPO; without that setting nothing is materialized."""
    opened = home.opened
    if opened.settings.results_repo is None:
        context.log.info("THERMITE_RESULTS_REPO is not set: no commit is made")
        return
    with explained(opened, context.run.run_id):
        if not home.take(context, "results-repository"):
            return
        commits = commit_exports(opened, context.partition_key)
    yield dg.MaterializeResult(
        data_version=dg.DataVersion(commits[-1].commit if commits else "unchanged"),
        metadata={
            "dagster/row_count": len(commits),
            "commits": small_table(
                [{"number": item.number, "commit": item.commit[:12]} for item in commits], ["number", "commit"]
            ),
        },
    )
