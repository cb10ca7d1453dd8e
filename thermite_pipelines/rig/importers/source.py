"""From a path to numbered lines of text: folders, compression, encodings and line ends."""

import gzip
import io
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from thermite_pipelines.errors import ThermiteError

MAX_BYTES = 512 * 1024 * 1024
"""Largest log that is read, in bytes after decompression."""

# Names that autoresearch-style loops give their log, the most telling first.
_KNOWN = [
    "results.tsv",
    "loop_results.tsv",
    "autoresearch.jsonl",
    "autoresearch-results.jsonl",
    "experiments.jsonl",
    "experiments_full.jsonl",
    "experiment_log.jsonl",
    "journal.jsonl",
    "results.jsonl",
    "overall_results.csv",
    "results.csv",
    "experiment_log.md",
]
_ENDINGS = (".tsv", ".jsonl", ".ndjson", ".csv", ".tsv.gz", ".jsonl.gz", ".csv.gz")


@dataclass
class Source:
    """A log as numbered lines (from 1, without their ends), and what had to be mended to read it."""

    path: Path
    lines: list[str]
    ends_whole: bool
    modified_at: int
    notices: list[str] = field(default_factory=list)
    torn_archive: bool = False


def find_log(path: Path) -> Path:
    """The log that `path` means: a file itself, or the one log of a folder. Raises `ThermiteError` if there is none."""
    if path.is_file():
        return path
    if not path.exists():
        raise ThermiteError("there is no such file", where=str(path), do="give the path of a log, such as results.tsv")
    if not path.is_dir():
        raise ThermiteError("this is neither a file nor a folder", where=str(path), do="give the path of a log")
    try:
        by_name = {entry.name.lower(): entry for entry in sorted(path.iterdir(), reverse=True) if entry.is_file()}
    except OSError as error:
        raise ThermiteError(
            f"the folder cannot be read ({error.strerror})", where=str(path), do="check its permissions"
        ) from None
    for name in _KNOWN:
        for candidate in (name, f"{name}.gz"):
            if candidate in by_name:
                return by_name[candidate]
    others = sorted(entry for name, entry in by_name.items() if name.endswith(_ENDINGS) and not name.startswith("."))
    if len(others) == 1:
        return others[0]
    if not others:
        raise ThermiteError(
            "this folder holds no log that is known by its name", where=str(path), do="give the path of the log itself"
        )
    names = ", ".join(entry.name for entry in others[:5])
    raise ThermiteError(f"this folder holds several logs ({names})", where=str(path), do="give the path of one of them")


def read_source(path: Path) -> Source:
    """Read a log. Raises `ThermiteError` if it cannot be opened, is too large or is no text at all."""
    try:
        stat = path.stat()
        if stat.st_size > MAX_BYTES:
            raise ThermiteError(f"the log is larger than {MAX_BYTES >> 20} MiB", where=str(path), do="split it")
        raw = path.read_bytes()
    except OSError as error:
        raise ThermiteError(
            f"the log cannot be read ({error.strerror})", where=str(path), do="check the path and its permissions"
        ) from None
    torn = False
    if raw[:2] == b"\x1f\x8b":
        raw, torn = _gunzip(raw, path)
    elif raw[:4] == b"\x28\xb5\x2f\xfd" or raw[:2] == b"PK" or raw[:6] == b"\xfd7zXZ\x00":
        raise ThermiteError("the log is packed in a way that is not read here", where=str(path), do="unpack it first")
    # Whole microseconds: the same file gives the same times wherever it is read.
    source = Source(path, [], ends_whole=True, modified_at=stat.st_mtime_ns // 1000, torn_archive=torn)
    _split(raw, source)
    return source


def _gunzip(raw: bytes, path: Path) -> tuple[bytes, bool]:
    """The unpacked bytes, as far as they go, and whether the archive ends early."""
    out = bytearray()
    with gzip.GzipFile(fileobj=io.BytesIO(raw)) as stream:
        try:
            while chunk := stream.read1(1 << 20):
                out += chunk
                if len(out) > MAX_BYTES:
                    raise ThermiteError(
                        f"the log is larger than {MAX_BYTES >> 20} MiB when unpacked", where=str(path), do="split it"
                    )
        except (OSError, EOFError, zlib.error):
            return bytes(out), True
    return bytes(out), False


def _split(raw: bytes, source: Source) -> None:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        # Windows PowerShell writes UTF-16 when output is redirected.
        raw = raw.decode("utf-16", "replace").encode("utf-8", "replace")
        source.notices.append("the log is UTF-16: read as such")
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if b"\n" not in raw and b"\r" in raw:
        raw = raw.replace(b"\r", b"\n")
    source.ends_whole = raw.endswith(b"\n") or not raw
    pieces = raw.split(b"\n")
    if source.ends_whole:
        pieces.pop()
    replaced: list[int] = []
    with_nul: list[int] = []
    for position, piece in enumerate(pieces, start=1):
        line = piece.removesuffix(b"\r")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            text = line.decode("utf-8", "replace")
            replaced.append(position)
        if "\0" in text:
            with_nul.append(position)
        source.lines.append(text)
    if replaced:
        source.notices.append(f"bytes that are not UTF-8 were replaced in {_where(replaced)}")
    if with_nul:
        source.notices.append(f"NUL characters were left out in {_where(with_nul)}")


def _where(lines: list[int]) -> str:
    shown = ", ".join(map(str, lines[:5]))
    more = f" and {len(lines) - 5} more" if len(lines) > 5 else ""
    return f"line{'s' if len(lines) > 1 else ''} {shown}{more}"
