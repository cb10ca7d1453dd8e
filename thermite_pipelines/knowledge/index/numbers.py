"""How an index stands, and whether it holds what its folder holds: for people, checks and `doctor`. Never a text."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.lake_files import DamagedFile
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.index import manifest as files
from thermite_pipelines.knowledge.index.files import BrokenFile
from thermite_pipelines.knowledge.index.open_index import Index, found_broken, open_index
from thermite_pipelines.knowledge.index.texts import entries, read, sources
from thermite_pipelines.knowledge.index_targets import held, index_folder, indexes_behind

Row = dict[str, Any]
MAX_FINDINGS = 50


@dataclass(frozen=True)
class IndexNumbers:
    """What an index holds: texts by kind, how many lack a vector, its model, files and bytes, a hash of all."""

    folder: Path
    content: str
    texts: dict[str, int]
    without_vector: int
    model: str
    segments: int
    bytes: int


def index_numbers(home: Home, campaign: str) -> IndexNumbers:
    """The numbers of a folder's index. Raises `BrokenFile` where it can't be read."""
    folder = index_folder(home.settings, campaign)
    index = open_index(folder)
    texts: Counter[str] = Counter()
    for part in index.parts:
        codes = np.bincount(part.segment.arrays["kind"][part.kept], minlength=len(part.segment.meta["kind"]))
        texts.update({kind: int(n) for kind, n in zip(part.segment.meta["kind"], codes, strict=True) if n})
    manifest = index.manifest
    return IndexNumbers(
        folder,
        manifest.content,
        dict(sorted(texts.items())),
        sum(int(part.kept.sum()) for part in index.parts if part.vectors is None) if manifest.model else 0,
        manifest.model,
        len(index.parts),
        sum(file.bytes for file in manifest.files),
    )


def damaged_indexes(home: Home, *, thorough: bool = False) -> list[Row]:
    """Indexes that can't be read; with `thorough` every byte of every file is compared with what was written.

    Those of which a file is not are marked, so that the next refresh makes them anew.
    """
    found = []
    for campaign in _campaigns(home):
        folder = index_folder(home.settings, campaign)
        try:
            manifest = open_index(folder).manifest
        except BrokenFile as error:
            found.append({"campaign": campaign, "file": "", "wrong": str(error)})
            continue
        names = files.damaged(folder, manifest) if thorough else []
        # Files of an index that another took the place of meanwhile are rightly gone.
        if names and held(home.settings, campaign).sha256 in ("", manifest.sha256):
            files.mark(folder, manifest)
            found += [{"campaign": campaign, "file": name, "wrong": f"{name} was changed or is gone"} for name in names]
    return found[:MAX_FINDINGS]


def indexes_unlike_folders(home: Home) -> list[Row]:
    """Files of folders of which an index holds other texts than they do; of those that are not behind, all are read."""
    found: list[Row] = []
    behind = indexes_behind(home)
    for campaign in _campaigns(home):
        try:
            index = open_index(index_folder(home.settings, campaign))
            found += _unlike(home, campaign, index, campaign in behind)
        except BrokenFile as error:
            found_broken(error)  # the damage is a finding of its own
    return found[:MAX_FINDINGS]


def _unlike(home: Home, campaign: str, index: Index, is_behind: bool) -> list[Row]:
    with home.control.read() as connection:
        now = [one for one in sources(connection, campaign) if index.manifest.sources.get(one.path) == one.content]
    found, texts = list[Row](), _texts(index)
    for source in now:
        try:
            due = Counter(entry.said for entry in entries(source, read(home, source)))
        except DamagedFile:
            continue  # that of the lake's files tells
        has = texts.get(source.path, Counter())
        missing, foreign = (due - has).total(), (has - due).total()
        if missing or foreign:
            found.append({"campaign": campaign, "file": source.path, "missing": missing, "foreign": foreign})
    if not is_behind:
        gone = texts.keys() - {source.path for source in now}
        found += [{"campaign": campaign, "file": path, "missing": 0, "foreign": texts[path].total()} for path in gone]
    return found


def _texts(index: Index) -> dict[str, Counter[bytes]]:
    """What an index holds, by file of the lake."""
    found: dict[str, Counter[bytes]] = {}
    for part in index.parts:
        segment = part.segment
        for place in np.flatnonzero(part.kept).tolist():
            path = segment.meta["source"][segment.arrays["source"][place]]
            found.setdefault(path, Counter())[segment.arrays["said"][place].tobytes()] += 1
    return found


def _campaigns(home: Home) -> list[str]:
    with home.control.read() as connection:
        return campaign_names(connection)
