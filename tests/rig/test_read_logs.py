"""Each form of log gives its rows; rows that cannot be read are counted and named; content never raises."""

import gzip
from pathlib import Path

import pytest

from tests.rig.logs import CLASSIC, FLAT_JSON, KEPT_JSON, NESTED_JSON, PI_JSON, PROSE
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.rig.importers.autoresearch import read_autoresearch
from thermite_pipelines.rig.importers.rows import ImportedLog
from thermite_pipelines.times import parse_rfc3339


def read(tmp_path: Path, content: str | bytes, name: str = "results.tsv") -> ImportedLog:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_autoresearch(path)


def figures(log: ImportedLog) -> list[tuple[object, ...]]:
    return [(row.commit, row.metric, row.value, row.status, row.verdict, row.title) for row in log.rows]


EXPECTED = [
    ("aa11bb2", "val_bpb", 1.21, "improved", "accepted", "baseline"),
    ("bb22cc3", "val_bpb", 1.19, "improved", "accepted", "wider feed-forward layer"),
    ("cc33dd4", "val_bpb", 1.23, "worse", "rejected", "no weight decay"),
    ("dd44ee5", "val_bpb", None, "failed", "invalid", "batch of 512 (out of memory)"),
]


def test_the_classic_table(tmp_path: Path) -> None:
    log = read(tmp_path, CLASSIC)
    assert figures(log) == EXPECTED
    assert [row.line for row in log.rows] == [2, 3, 4, 5]
    assert ("memory_gb", "40.1") in log.rows[0].extras
    assert not log.skipped


@pytest.mark.parametrize("order", [[4, 3, 2, 1, 0], [3, 0, 4, 2, 1], [1, 2, 0, 4, 3]])
def test_columns_stand_in_any_order(tmp_path: Path, order: list[int]) -> None:
    lines = [line.split("\t") for line in CLASSIC.splitlines()]
    table = "\n".join("\t".join(cells[place] for place in order) for cells in lines)
    assert figures(read(tmp_path, table)) == EXPECTED


@pytest.mark.parametrize(
    ("change", "notice"),
    [
        (lambda text: b"\xef\xbb\xbf" + text.encode(), None),
        (lambda text: text.replace("\n", "\r\n").encode(), None),
        (lambda text: text.replace("\n", "\r").encode(), None),
        (lambda text: text.encode("utf-16"), "UTF-16"),
        (lambda text: gzip.compress(text.encode()), None),
        (lambda text: text.replace("\n", "\n\n").encode(), None),
        (lambda text: text.rstrip("\n").encode(), None),
        (lambda text: text.replace("\t", ",").encode(), None),
        (lambda text: text.replace("\t", ";").encode(), None),
    ],
)
def test_encodings_line_ends_packing_and_delimiters_change_nothing(tmp_path: Path, change, notice: str | None) -> None:
    log = read(tmp_path, change(CLASSIC))
    assert figures(log) == EXPECTED
    assert not log.skipped
    assert bool(log.notices) == bool(notice)


def test_other_column_names(tmp_path: Path) -> None:
    log = read(
        tmp_path,
        "exp_id\tphase\tdescription\tmetric\tvalue\tstatus\tnotes\ttimestamp\n"
        "E01\t1\tridge\tmae\t4.5\tKEEP\tn=50\t2026-02-01T10:00:00\n"
        "E02\t1\tforest\tmae\t17/20\tREVERT\t\t2026-02-01T11:00:00\n",
    )
    first, second = log.rows
    assert (first.key, first.title, first.metric, first.value, first.status) == ("E01", "ridge", "mae", 4.5, "improved")
    assert first.notes[0].text == "n=50"
    assert first.at == parse_rfc3339("2026-02-01T10:00:00Z")
    assert (second.value, second.verdict, second.notes) == (None, "rejected", ())
    assert ("value", "17/20") in second.extras


def test_before_and_after_are_baseline_and_value(tmp_path: Path) -> None:
    log = read(
        tmp_path,
        "commit\tmetric_before\tmetric_after\tdelta\tstatus\tdescription\n"
        "none\t17\t17\t0\trejected\tno licence header\n"
        "ab12cd3\t17\t19\t2\tkept\tmore tests\n",
    )
    assert [(row.commit, row.baseline, row.value, row.status, row.verdict) for row in log.rows] == [
        (None, 17, 17, "no_change", "rejected"),
        ("ab12cd3", 17, 19, "improved", "accepted"),
    ]


def test_a_kept_column_of_true_and_false(tmp_path: Path) -> None:
    log = read(tmp_path, "experiment_id,description,mae_mean,kept\nE0,ridge,7.3,True\nE1,forest,7.9,False\n", "r.csv")
    assert [row.verdict for row in log.rows] == ["accepted", "rejected"]


def test_unknown_status_words_are_taken_and_said(tmp_path: Path) -> None:
    log = read(tmp_path, "commit\tval_bpb\tstatus\tdescription\naa11bb2\t1.2\tHDR\tx\nbb22cc3\t1.1\tHDR\ty\n")
    assert [(row.status, row.word) for row in log.rows] == [("no_change", "HDR")] * 2
    assert any("HDR (2)" in notice for notice in log.notices)


def test_a_verdict_in_capitals_in_a_note_counts_where_there_is_no_status_column(tmp_path: Path) -> None:
    log = read(
        tmp_path, "exp_id\tdescription\tcv_auc\tnotes\nH1\ta\t0.6\tREVERT delta=-0.1\nH2\tb\t0.7\t5 folds, KEEP\n"
    )
    assert [row.verdict for row in log.rows] == ["rejected", "accepted"]


def test_a_log_without_a_header_is_read_by_what_it_holds(tmp_path: Path) -> None:
    log = read(tmp_path, "\n".join(CLASSIC.splitlines()[1:]) + "\n")
    assert figures(log) == EXPECTED
    assert any("no header" in notice for notice in log.notices)


def test_a_row_in_another_order_than_its_header_is_read_by_what_it_holds(tmp_path: Path) -> None:
    log = read(tmp_path, CLASSIC + "ee55ff6\tkeep\t1.1500\t40.0\tcosine schedule\n")
    assert figures(log)[-1] == ("ee55ff6", "val_bpb", 1.15, "improved", "accepted", "cosine schedule")
    assert any("line 6" in notice for notice in log.notices)


def test_bad_rows_are_counted_and_named_and_stop_nothing(tmp_path: Path) -> None:
    log = read(tmp_path, CLASSIC + "import os\nthis is\tnot a row\n" + CLASSIC + "ff66aa7\t1.1")
    assert figures(log) == EXPECTED + EXPECTED
    assert [entry["line"] for entry in log.skipped] == [6, 7, 8, 13]
    assert log.skipped[2]["reason"] == "the header again"
    assert "torn" in log.skipped[3]["reason"]


def test_a_log_that_begins_again_with_other_columns(tmp_path: Path) -> None:
    log = read(tmp_path, CLASSIC + "commit\tstatus\tdescription\taccuracy\nee55ff6\tkeep\tnew task\t0.9\n")
    assert figures(log)[-1] == ("ee55ff6", "accuracy", 0.9, "improved", "accepted", "new task")


def test_tabs_in_the_last_text_and_stray_quotes(tmp_path: Path) -> None:
    log = read(
        tmp_path,
        CLASSIC + 'ee55ff6\t1.1\t40\tkeep\t"quoted" start\tand a tab\n"""unclosed\nff66aa7\t1.0\t40\tkeep\tz\n',
    )
    assert [row.title for row in log.rows[4:]] == ['"quoted" start and a tab', "z"]
    assert [entry["line"] for entry in log.skipped] == [7]


def test_quoted_cells_over_several_lines(tmp_path: Path) -> None:
    log = read(
        tmp_path,
        'task,accuracy,status,description\nsums,0.5,success,"two\nlines, ""quoted"""\nsums,0.6,ok,b\n',
        "r.csv",
    )
    assert [(row.line, row.value) for row in log.rows] == [(2, 0.5), (4, 0.6)]
    assert log.rows[0].description == 'two\nlines, "quoted"'


def test_windows_paths_are_left_as_they_are(tmp_path: Path) -> None:
    log = read(tmp_path, CLASSIC + "ee55ff6\t1.1\t40\tkeep\tdata in C:\\new\\table\n")
    assert log.rows[-1].title == "data in C:\\new\\table"
    proper = read(tmp_path, '{"status": "keep", "title": "x", "path": "C:\\\\Users\\\\me"}\n', "a.jsonl")
    assert ("path", "C:\\Users\\me") in proper.rows[0].extras
    broken = read(tmp_path, '{"status": "keep", "title": "x", "path": "C:\\Users\\new\\table"}\n', "b.jsonl")
    assert ("path", "C:\\Users\\new\\table") in broken.rows[0].extras
    assert not broken.skipped
    assert any("Windows path" in notice for notice in broken.notices)


def test_bytes_that_are_no_utf8_and_nul_are_mended_and_said(tmp_path: Path) -> None:
    log = read(tmp_path, CLASSIC.encode() + b"ee55ff6\t1.1\t40\tkeep\tna\xefve\n\0\0\0\nff66aa7\t1.0\t40\tkeep\ta\0b\n")
    assert [row.title for row in log.rows[4:]] == ["na\ufffdve", "ab"]
    assert [entry["line"] for entry in log.skipped] == [7]
    assert any("not UTF-8" in notice for notice in log.notices)
    assert any("NUL" in notice for notice in log.notices)


def test_flat_json_lines(tmp_path: Path) -> None:
    log = read(tmp_path, FLAT_JSON, "log.jsonl")
    assert [(row.key, row.metric, row.value, row.status) for row in log.rows] == [
        ("1", "score", 71.5, "no_change"),
        ("2", "score", 74, "improved"),
        ("3", None, None, "no_change"),
    ]
    assert [row.runtime for row in log.rows] == ["claude_code", "codex", None]
    assert log.rows[0].at == parse_rfc3339("2026-02-01T09:00:00Z")
    assert ("metrics.recall", "0.8") in log.rows[1].extras


def test_nested_json_lines(tmp_path: Path) -> None:
    row = read(tmp_path, NESTED_JSON, "log.jsonl").rows[0]
    assert (row.title, row.metric, row.value, row.unit) == ("cold cache", "read.latency_us", 12.5, "µs")
    assert row.at == parse_rfc3339("2026-02-01T10:00:00Z")
    assert ("config.threads", "4") in row.extras


def test_a_config_line_names_metric_unit_and_title(tmp_path: Path) -> None:
    log = read(tmp_path, PI_JSON, "autoresearch.jsonl")
    assert log.title == "Faster parser"
    assert [(row.metric, row.unit, row.value, row.runtime) for row in log.rows] == [
        ("parse_µs", "µs", 900, "pi"),
        ("parse_µs", "µs", 950, "pi"),
    ]
    assert log.rows[0].at == parse_rfc3339("2026-02-01T10:00:00Z")
    assert not log.skipped


def test_kept_with_a_reason(tmp_path: Path) -> None:
    log = read(tmp_path, KEPT_JSON, "log.jsonl")
    assert [(row.status, row.verdict, row.value, row.baseline, row.unit) for row in log.rows] == [
        ("improved", "accepted", 900, 1000, "ns"),
        ("worse", "rejected", 950, 900, "ns"),
        ("failed", "invalid", None, 900, None),
        ("no_change", "rejected", None, 900, None),
    ]
    assert log.rows[0].notes[0].text == "The loop is short."
    assert "diff" not in dict(log.rows[0].extras)


def test_json_lines_that_are_broken_are_named(tmp_path: Path) -> None:
    deep = '{"a":' * 3000 + "1" + "}" * 3000
    log = read(
        tmp_path,
        FLAT_JSON + f'null\n"text"\n[1]\n{{"a": 1}}\nnot json\n{deep}\n' + '{"status": "keep", "title": "tor',
        "log.jsonl",
    )
    assert len(log.rows) == 3
    assert [entry["line"] for entry in log.skipped] == [4, 5, 6, 7, 8, 9, 10]
    assert "torn" in log.skipped[-1]["reason"]


def test_two_objects_on_a_line_and_values_beyond_json(tmp_path: Path) -> None:
    log = read(tmp_path, '{"title": "a", "score": NaN}{"title": "b", "score": 1e999, "x": "\\ud800"}\n', "log.jsonl")
    assert [(row.title, row.value) for row in log.rows] == [("a", None), ("b", None)]


@pytest.mark.parametrize(
    "document",
    [
        '[{"title": "a", "score": 1}]',
        '{\n"experiments": [\n{"title": "a", "score": 1}]}',
        '{\n"title": "a", "score": 1}',
    ],
)
def test_a_file_that_is_one_json_document(tmp_path: Path, document: str) -> None:
    log = read(tmp_path, document, "log.json")
    assert [(row.title, row.value) for row in log.rows] == [("a", 1)]


def test_ideas_and_findings_become_what_they_are(tmp_path: Path) -> None:
    ideas = read(
        tmp_path, '{"Name": "x", "Title": "A wider net", "Experiment": "Double the width.", "Novelty": 3}\n', "i.jsonl"
    )
    assert (ideas.rows[0].title, ideas.rows[0].description, ideas.rows[0].status, ideas.rows[0].value) == (
        *("A wider net", "Double the width."),
        *(None, None),
    )
    findings = read(tmp_path, '{"round": 1, "findings_text": "It holds.", "direction": "Try primes."}\n', "f.jsonl")
    assert not findings.rows[0].is_experiment
    assert [note.kind for note in findings.rows[0].notes] == ["observation", "decision"]


def test_a_log_kept_in_git_as_added_lines(tmp_path: Path) -> None:
    log = read(
        tmp_path,
        '{"commit": "f1", "at": "2026-02-01T10:00:00+00:00", "added": ["commit\\tval_bpb\\tstatus\\tdescription"]}\n'
        '{"commit": "f2", "at": "2026-02-01T11:00:00+00:00", "added": ["aa11bb2\\t1.2\\tkeep\\tbaseline"]}\n',
        "replay.jsonl",
    )
    assert [(row.line, row.commit, row.value, row.at) for row in log.rows] == [
        (2, "aa11bb2", 1.2, parse_rfc3339("2026-02-01T11:00:00Z"))
    ]


def test_prose_gives_notes_and_its_tables_experiments(tmp_path: Path) -> None:
    log = read(tmp_path, PROSE, "experiment_log.md")
    assert log.title == "Field log of the parser work"
    experiments = [row for row in log.rows if row.is_experiment]
    assert [(row.key, row.title, row.value, row.verdict, row.line) for row in experiments] == [
        ("T01", "table lookup", 12.5, "accepted", 13),
        ("T02", "two passes", 14.0, "rejected", 14),
        ("3", "Run 3: larger table", None, None, 20),
    ]
    notes = [note for row in log.rows for note in row.notes]
    assert [note.kind for note in notes] == ["observation", "observation", "lesson", "observation"]
    assert "Memory traffic" in notes[2].text


def test_a_long_markdown_text_in_a_json_line_is_read_as_prose(tmp_path: Path) -> None:
    text = "# Notes\\n## Run 1: first\\n" + "It went well. " * 400
    log = read(tmp_path, f'{{"campaign": "x", "text": "{text}"}}\n', "notes.jsonl")
    assert [row.title for row in log.rows if row.is_experiment] == ["Run 1: first"]
    assert {row.line for row in log.rows} == {1}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no rows yet"),
        ("commit\tval_bpb\tstatus\n", "no rows yet"),
        ("B\tH\tlatency_us\nTraceback (most recent call last):\n", "none of its 1 rows"),
        ("hello\n", "none of its 1 rows"),
        ('{"type": "user", "message": {"x": 1}}\n', "none of its 1 rows"),
        (b"PK\x03\x04 zip", "unpack it"),
    ],
)
def test_a_log_without_usable_rows_is_refused_with_what_to_do(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(ThermiteError, match=words) as caught:
        read(tmp_path, content)
    assert caught.value.do


def test_a_torn_archive_gives_what_is_there_and_says_so(tmp_path: Path) -> None:
    rows = "".join(f"{place:07x}\t1.{place}\tkeep\ttry {place * 7919}\n" for place in range(2000))
    packed = gzip.compress(("commit\tval_bpb\tstatus\tdescription\n" + rows).encode())
    log = read(tmp_path, packed[: len(packed) // 2], "results.tsv.gz")
    assert 100 < len(log.rows) < 2000
    assert "ends early" in log.skipped[-1]["reason"]


def test_a_folder_means_the_log_in_it(tmp_path: Path) -> None:
    with pytest.raises(ThermiteError, match="no log"):
        read_autoresearch(tmp_path)
    (tmp_path / "mine.tsv").write_text(CLASSIC)
    assert read_autoresearch(tmp_path).title == "mine.tsv"
    (tmp_path / "other.csv").write_text(CLASSIC)
    with pytest.raises(ThermiteError, match="several logs"):
        read_autoresearch(tmp_path)
    (tmp_path / "results.tsv").write_text(CLASSIC)
    assert read_autoresearch(tmp_path).title == "results.tsv"
    with pytest.raises(ThermiteError, match="no such file"):
        read_autoresearch(tmp_path / "none.tsv")
