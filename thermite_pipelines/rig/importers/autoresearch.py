"""Logs of autoresearch-style loops, in the many forms that people and agents give them."""

from pathlib import Path

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.rig.importers.delimited import read_table
from thermite_pipelines.rig.importers.json_lines import read_json_lines
from thermite_pipelines.rig.importers.markdown import read_prose
from thermite_pipelines.rig.importers.rows import ImportedLog
from thermite_pipelines.rig.importers.source import Source, find_log, read_source
from thermite_pipelines.rig.importers.words import judge_word

_PROSE = (".md", ".markdown", ".txt")


def read_autoresearch(path: Path) -> ImportedLog:
    """Read a log: TSV, CSV, JSON lines (flat, nested, with config lines), a JSON document or Markdown; gzip or not.

    What a row says is found by the names of its columns, whatever their order. Rows that cannot be read are in
    `skipped`; content never raises. Raises `ThermiteError` if the path is no log, or if no row of it could be used.
    """
    source = read_source(find_log(path))
    log = ImportedLog(title=source.path.name, notices=source.notices, modified_at=source.modified_at)
    form = _form(source)
    if form == "json":
        read_json_lines(source, log)
    elif form == "prose":
        read_prose(log, source.lines)
    else:
        read_table(source, log)
    if source.torn_archive:
        log.skip(len(source.lines), "the compressed file ends early: what is behind this line is lost")
    if not log.rows:
        raise _no_rows(log, source)
    _count_unknown_words(log)
    return log


def _form(source: Source) -> str:
    name = source.path.name.lower().removesuffix(".gz")
    first = next((line.strip("\0 \t") for line in source.lines if line.strip("\0 \t")), "")
    if first.startswith(("{", "[")) or name.endswith((".jsonl", ".ndjson", ".json")):
        return "json"
    if name.endswith(_PROSE) or first.startswith("# "):
        return "prose"
    return "table"


def _no_rows(log: ImportedLog, source: Source) -> ThermiteError:
    where = str(source.path)
    if not log.skipped:
        return ThermiteError("the log has no rows yet", where=where, do="import it again once experiments have run")
    first = log.skipped[0]
    return ThermiteError(
        f"none of its {len(log.skipped)} rows could be read (line {first['line']}: {first['reason']})",
        where=where,
        do="give a table with a header such as commit, val_bpb, status, description, or JSON lines with such names",
    )


def _count_unknown_words(log: ImportedLog) -> None:
    for row in log.rows:
        if row.word and judge_word(row.word) is None:
            word = row.word[:40]
            log.unknown_words[word] = log.unknown_words.get(word, 0) + 1
    if log.unknown_words:
        words = ", ".join(f"{word} ({count})" for word, count in list(log.unknown_words.items())[:8])
        log.notices.append(f"status words that are not known were taken as no_change: {words}")
