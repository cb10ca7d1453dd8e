"""Writes one run's `knowledge/` folder from items that are handed to it. It asks control nothing and no network.

Markdown files first, then README and the manifest. Whoever calls notes before and after that a write is under way: a
folder in which one was cut off is made anew with `make`, which looks at every file.
"""

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from thermite_pipelines.knowledge.derived_files import DERIVED_KINDS
from thermite_pipelines.knowledge.items import Row
from thermite_pipelines.knowledge.markdown import file_path, item_hash, readme, render
from thermite_pipelines.knowledge.sync_files import SyncFolder
from thermite_pipelines.knowledge.sync_manifest import NAME, BadManifest, Entry, Manifest, entry_line, whole

README = "README.md"
FOLDER = "knowledge"
_VERSION_CHARACTERS = 16

Group = tuple[str, str]
"""A campaign, and the run (`<rig>/<run>` as in item ids) whose items lie in its folder, or a kind of derived things."""


@dataclass(frozen=True)
class Title:
    """Whose folder it is, and the hash of what it is made from."""

    rig: str
    run: str
    campaign: str
    signature: str


@dataclass
class Outcome:
    """What one write did, in item files, and the manifest's version after it."""

    written: int = 0
    removed: int = 0
    items: int = 0
    manifest: str = ""


class Change(NamedTuple):
    """An item or derived thing that is to be written.

    `was_there`: it was written before, maybe under another name, and no plan says that what was written is leaving.
    """

    row: Row
    was_there: bool = False


class KnowledgeWriter:
    """Writes `<root>/<rig>/<run>/knowledge`. The caller sees to it that nobody else does meanwhile."""

    def __init__(self, root: Path, rig: str, run: str) -> None:
        self._folder = SyncFolder(root, rig, run, FOLDER)

    def __enter__(self) -> "KnowledgeWriter":
        self._folder.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._folder.__exit__(None, None, None)

    def manifest_version(self) -> str | None:
        """What changes whenever the manifest on disk does; None where there is none."""
        return self._folder.version(NAME)

    def counts(self, version: str) -> Mapping[str, Mapping[str, int]] | None:
        """How many files of each campaign and kind the manifest counts; None where it is not of that version."""
        if self.manifest_version() != version:
            return None
        try:
            with self._manifest() as manifest:
                return None if manifest is None else manifest.counts
        except BadManifest:
            return None

    def drop(self) -> int:
        """Remove the whole folder; return how many files there were."""
        return self._folder.drop()

    def apply(self, title: Title, changes: Iterable[Change], left: AbstractSet[Group]) -> Outcome:
        """Bring the folder up to date: write items that changed, remove those of `left` that don't come again.

        Costs what changed. Raises `BadManifest` where the manifest on disk is damaged.
        """
        with self._manifest() as manifest:
            if manifest is None:
                raise BadManifest("there is no manifest")
            outcome = Outcome()
            counts = {campaign: dict(kinds) for campaign, kinds in manifest.counts.items()}
            leaving = {entry.path: entry for entry in _of_groups(manifest, left)}
            puts: dict[str, bytes] = {}
            for change in changes:
                self._put(manifest, change, puts, leaving, counts, outcome)
            for path in leaving:
                _count(counts, path, -1)
            outcome.removed = self._folder.remove(leaving)
            outcome.items = _total(counts)
            if (counts, title.campaign) != (manifest.counts, manifest.campaign):
                self._folder.write(README, readme(title.rig, title.run, title.campaign, counts))
            self._folder.write_with(NAME, manifest.merged(vars(title) | {"counts": _shown(counts)}, puts, leaving))
        outcome.manifest = self.manifest_version() or ""
        return outcome

    def _put(
        self,
        manifest: Manifest,
        change: Change,
        puts: dict[str, bytes],
        leaving: dict[str, Entry],
        counts: dict[str, dict[str, int]],
        outcome: Outcome,
    ) -> None:
        path, data, line = _rendered(change.row)
        known = leaving.pop(path, None) or manifest.find(path)
        if known is not None and known.line == line:
            return
        self._folder.write(path, data)
        outcome.written += path not in puts
        if known is None and path not in puts:
            _count(counts, path, 1)
            if change.was_there:
                # Not in this place: it may have had another title.
                leaving.update((entry.path, entry) for entry in _same_item(manifest, path, change.row["item"]))
        puts[path] = line

    def make(self, title: Title, changes: Iterable[Change], kept: AbstractSet[Group] = frozenset()) -> Outcome:
        """Make the folder anew, looking at every file: edited, removed, foreign and half-made ones are put right.

        Items of `kept` stay as the manifest lists them: rows of theirs only restore files that are not as listed, and
        what can't be restored goes.
        """
        with self._manifest(careful=True) as manifest:
            held = {} if manifest is None else {entry.path: entry for entry in _of_groups(manifest, kept)}
        outcome = Outcome()
        lines: dict[str, bytes] = {}
        for row, _ in changes:
            path, data, line = _rendered(row)
            of_kept = (row["campaign"], _group(row)) in kept
            if of_kept and (path not in held or held[path].line != line):
                continue
            lines[path] = line
            if self._folder.read(path) != data:
                self._folder.write(path, data)
                outcome.written += 1
        for path, entry in held.items():
            if path not in lines:
                data = self._folder.read(path)
                if data is not None and hashlib.sha256(data).hexdigest() == entry.sha256:
                    lines[path] = entry.line
        self._finish(title, lines, outcome)
        return outcome

    def _finish(self, title: Title, lines: Mapping[str, bytes], outcome: Outcome) -> None:
        counts: dict[str, dict[str, int]] = {}
        for path in lines:
            _count(counts, path, 1)
        folders = {f"{campaign}/{kind}" for campaign, kinds in counts.items() for kind in kinds}
        outcome.removed = self._folder.sweep(folders, lambda path: path in lines or path in (README, NAME))
        outcome.items = len(lines)
        self._write_changed(README, readme(title.rig, title.run, title.campaign, counts))
        document = whole(vars(title) | {"counts": _shown(counts)}, (lines[path] for path in sorted(lines)))
        self._write_changed(NAME, document)
        outcome.manifest = self.manifest_version() or ""

    def differences(self, rig: str, run: str, campaign: str) -> Iterator[str]:
        """Paths of files that are not as the manifest lists them, lack, or are foreign. Changes nothing."""
        with self._manifest(careful=True) as manifest:
            if manifest is None:
                yield NAME
                return
            listed = set()
            for entry in manifest.entries():
                listed.add(entry.path)
                data = self._folder.read(entry.path)
                if data is None or hashlib.sha256(data).hexdigest() != entry.sha256:
                    yield entry.path
            if self._folder.read(README) != readme(rig, run, campaign, manifest.counts):
                yield README
            folders = {path.rpartition("/")[0] for path in listed}
        yield from self._folder.strays(folders, lambda path: path in listed or path in (README, NAME))

    def _write_changed(self, path: str, data: bytes) -> None:
        if self._folder.read(path) != data:
            self._folder.write(path, data)

    @contextmanager
    def _manifest(self, *, careful: bool = False) -> Iterator[Manifest | None]:
        """The manifest on disk; None where there is none or, with `careful`, where it is damaged anywhere."""
        descriptor = self._folder.open_file(NAME)
        if descriptor is None:
            yield None
            return
        try:
            yield self._checked(descriptor, careful)
        finally:
            os.close(descriptor)

    def _checked(self, descriptor: int, careful: bool) -> Manifest | None:
        try:
            manifest = Manifest(descriptor)
            for _ in manifest.entries() if careful else ():
                pass
        except BadManifest:
            if careful:
                return None
            raise
        return manifest


def _rendered(row: Row) -> tuple[str, bytes, bytes]:
    """Path, bytes and manifest line of a file; its version is the item's last event, or a hash of what it holds."""
    path, data = file_path(row), render(row)
    digest = hashlib.sha256(data).hexdigest()
    version = digest[:_VERSION_CHARACTERS] if row["kind"] in DERIVED_KINDS else row["updated_n"]
    return path, data, entry_line(path, row["item"], version, digest)


def _group(row: Row) -> str:
    if row["kind"] in DERIVED_KINDS:
        return row["kind"]
    return "/".join(row["item"].partition(":")[2].split("/", 2)[:2])


def _of_groups(manifest: Manifest, groups: AbstractSet[Group]) -> Iterator[Entry]:
    """The entries of some runs: one pass over the part of each campaign that is named."""
    by_campaign: dict[str, set[str]] = defaultdict(set)
    for campaign, group in groups:
        by_campaign[campaign].add(group)
    for campaign, wanted in sorted(by_campaign.items()):
        for entry in manifest.entries(f"{campaign}/"):
            if entry.group in wanted:
                yield entry


def _same_item(manifest: Manifest, path: str, item: str) -> Iterator[Entry]:
    """Entries of the same item under other names: the hash of the item ends them all."""
    campaign, kind, _ = path.split("/")
    ending = f"-{item_hash(item)}.md"
    for entry in manifest.entries(f"{campaign}/{kind}/"):
        if entry.path.endswith(ending) and entry.path != path:
            yield entry


def _count(counts: dict[str, dict[str, int]], path: str, step: int) -> None:
    campaign, kind, _ = path.split("/")
    kinds = counts.setdefault(campaign, {})
    kinds[kind] = kinds.get(kind, 0) + step
    if not kinds[kind]:
        del kinds[kind]
        if not kinds:
            del counts[campaign]


def _total(counts: Mapping[str, Mapping[str, int]]) -> int:
    return sum(sum(kinds.values()) for kinds in counts.values())


def _shown(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """The counts in one order, so that the same items give the same manifest."""
    return {campaign: dict(sorted(kinds.items())) for campaign, kinds in sorted(counts.items())}
