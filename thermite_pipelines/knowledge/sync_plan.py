"""What one sync has to read and to remove: the sources as they are now against how far each was read before. Pure.

A folder that is being made anew shows less for a while than it did. Nothing leaves a run's `knowledge/` for that: such
a source is held until it is as far as it was, then compared whole.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from thermite_pipelines.knowledge.state import Mark
from thermite_pipelines.knowledge.sync_derived import Derived
from thermite_pipelines.knowledge.sync_runs import Source
from thermite_pipelines.knowledge.sync_writer import Group

Marks = dict[str, dict[str, list[Any]]]
"""Campaign -> `<rig>/<run as in item ids>` -> number of the last event read (below zero: the source went back since and
is held), and how many events that is; or campaign -> kind of derived things -> the one state that was read."""


@dataclass
class Plan:
    """Sources to read, each after a number, and what is derived; groups that must come again or go, or stay as is."""

    reads: list[tuple[Source, int]] = field(default_factory=list)
    derived: list[Derived] = field(default_factory=list)
    left: set[Group] = field(default_factory=set)
    kept: set[Group] = field(default_factory=set)
    marks: Marks = field(default_factory=dict)

    def hold(self, part: Derived, marks: Marks) -> None:
        """Leave what is derived as it is, since it can't be read now; the next sync tries again."""
        group, read = (part.campaign, part.kind), marks.get(part.campaign, {}).get(part.kind)
        self.derived.remove(part)
        self.left.discard(group)
        self.kept.add(group)
        del self.marks[part.campaign][part.kind]
        if read is not None:
            self.marks[part.campaign][part.kind] = read

    def mark(self, source: Source, mark: Mark) -> None:
        """Note how far a source is read once the plan is carried out."""
        if mark.n:
            self.marks.setdefault(source.campaign, {})[source.group] = [mark.n, mark.events]


def plan(sources: Iterable[Source], marks: Marks, *, ended: bool, whole: bool, derived: Iterable[Derived] = ()) -> Plan:
    """What to do for a folder that was read up to `marks`; with `whole` everything in it is compared.

    An ended run's folder takes removals only: rows of what it holds serve to restore its files.
    """
    found = Plan()
    allowed = set()
    for source in sources:
        allowed.add((source.campaign, source.group))
        mark = Mark(*marks.get(source.campaign, {}).get(source.group, ()))
        if ended:
            _keep(found, source, mark, whole)
        else:
            _follow(found, source, mark, whole)
    for part in derived:
        allowed.add((part.campaign, part.kind))
        _derive(found, part, marks.get(part.campaign, {}).get(part.kind), ended=ended, whole=whole)
    found.left.update(
        (campaign, group) for campaign, groups in marks.items() for group in groups if (campaign, group) not in allowed
    )
    return found


def _keep(found: Plan, source: Source, mark: Mark, whole: bool) -> None:
    if mark.n:
        found.kept.add((source.campaign, source.group))
        found.mark(source, mark)
        if whole:
            found.reads.append((source, 0))


def _follow(found: Plan, source: Source, mark: Mark, whole: bool) -> None:
    went_back = mark.n < 0 or _is_behind(source.mark, mark)
    if went_back and source.mark.n < abs(mark.n) and not source.is_complete:
        found.kept.add((source.campaign, source.group))
        found.mark(source, _held(mark))
        return
    if went_back:
        found.left.add((source.campaign, source.group))
    after = 0 if went_back or whole else mark.n
    if source.mark.n > after:
        found.reads.append((source, after))
    found.mark(source, source.mark)


def _derive(found: Plan, part: Derived, read: list[Any] | None, *, ended: bool, whole: bool) -> None:
    """Read all of a kind where anything of it changed: what does not come again goes, what is the same stays."""
    group = (part.campaign, part.kind)
    if ended and read is None:
        return
    if ended:
        found.kept.add(group)
    elif read is not None and read != [part.state]:
        found.left.add(group)
    if whole or (read != [part.state] and not ended):
        found.derived.append(part)
    found.marks.setdefault(part.campaign, {})[part.kind] = read if ended and read is not None else [part.state]


def settle(done: Plan, folded: Mapping[tuple[str, int], Mark]) -> Marks:
    """The marks after a plan was carried out; `folded` is how far the sources are now, by campaign and run key.

    What went back while it was read may have been read half: it is compared whole once it is there again.
    """
    for source, _ in done.reads:
        if _is_behind(folded.get((source.campaign, source.run_key), Mark()), source.mark):
            done.mark(source, _held(source.mark))
    return done.marks


def _held(mark: Mark) -> Mark:
    return Mark(-abs(mark.n), mark.events)


def _is_behind(now: Mark, before: Mark) -> bool:
    """Whether a source holds less than before, or as much of other events: then it was made anew."""
    return now.n < before.n or now.events < before.events or (now.n == before.n and now.events != before.events)
