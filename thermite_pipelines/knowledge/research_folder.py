"""The research folder of a finished run, as exports hold it: `research/<run>/`."""

from collections.abc import Iterable

from thermite_pipelines.knowledge.export_files import ExportFolder, item_document
from thermite_pipelines.knowledge.items import Row, record_of
from thermite_pipelines.knowledge.portable_names import portable_paths
from thermite_pipelines.safety.quoting import yaml_value

RESEARCH_KINDS = ("report", "source", "claim", "research_note", "document")
"""The kinds of items that a research folder is made of."""

_SOURCE_HEAD = ("item", "title", "url", "media_type", "fetched_at", "text_sha256", "written_by")


def has_research_folder(mode: str, rows: Iterable[Row]) -> bool:
    """Whether a finished run gets a research folder.

    A research run's always, a hill-climb or goal run's when it recorded sources, claims or research notes; no other's.
    """
    if mode == "research":
        return True
    return mode in ("hill_climb", "goal") and any(row["kind"] in ("source", "claim", "research_note") for row in rows)


def write_research_folder(folder: ExportFolder, label: str, rows: list[Row]) -> None:
    """Write a run's research folder from its items; `label` is the run as written in item ids.

    `report.md` is its last report. Documents stand under their own paths (see `portable_names`), but for what lies
    below `knowledge/`: that is past research the run was given, not its own.
    """
    root = f"research/{label}"
    of_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in RESEARCH_KINDS}
    names = [f"{root}/claims.jsonl", f"{root}/notes.jsonl"]
    folder.open_lines(*names)
    folder.add(names[0], *map(item_document, of_kind["claim"]))
    folder.add(names[1], *map(item_document, of_kind["research_note"]))
    folder.close_lines(names)
    if of_kind["report"]:
        last = max(of_kind["report"], key=lambda row: row["n"])
        folder.put(f"{root}/report.md", last["text"] or "")
    sources = {f"{record_of(row)}.md": row for row in of_kind["source"]}
    for name, path in portable_paths(sources).items():
        folder.put(f"{root}/sources/{path}", _source_page(sources[name]))
    documents = {record_of(row): row for row in of_kind["document"]}
    own = [name for name in documents if name.partition("/")[0].casefold() != "knowledge" or "/" not in name]
    for name, path in portable_paths(own).items():
        folder.put(f"{root}/documents/{path}", documents[name]["text"] or "")


def _source_page(row: Row) -> str:
    """A source as Markdown: where it came from as YAML front matter, then the archived text, untouched."""
    document = item_document(row)
    head = [f"{name}: {yaml_value(document[name])}" for name in _SOURCE_HEAD if document[name] is not None]
    return "\n".join(["---", *head, "---", "", row["text"] or ""])
