"""Files of JSON lines: one object a line, each with its line end."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from thermite_pipelines.errors import ThermiteError

Row = dict[str, Any]

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def to_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """The rows as JSON lines, keys in the order given: the same rows give the same bytes."""
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def read_lines(path: Path, fields: Iterable[str] = ()) -> Iterator[Row]:
    """The rows of a file, each with at least these fields; none where there is no file.

    A last line without its end was torn by whatever wrote the file: it is read past, with one warning. Raises
    `ThermiteError` that names the line for any other line that is no such object.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise ThermiteError(f"can't be read: {error.strerror}", where=str(path), do="check its rights") from None
    *lines, rest = data.split(b"\n")
    wanted = frozenset(fields)
    for number, line in enumerate(lines, 1):
        try:
            row = _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            row = {}
        if not row or not wanted <= row.keys():
            do = "restore the file, or remove it: `thermite refresh` writes it anew"
            raise ThermiteError("the line is broken", where=f"{path}:{number}", do=do)
        yield row
    if rest:
        what = f"{path}:{len(lines) + 1}: the last line is torn and was left out"
        warnings.warn(f"{what} — `thermite refresh` writes the file anew", UserWarning, stacklevel=2)
