"""Joining segments of an index: few large ones are searched faster than many small ones.

Segments of about one size are joined once there are eight; none grows beyond a bound, and one of which much no longer
counts is made anew. So a text is copied a handful of times, and one refresh never copies the whole index.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.knowledge.index import manifest as files
from thermite_pipelines.knowledge.index.manifest import Manifest, Part
from thermite_pipelines.knowledge.index.open_index import Index, OpenPart
from thermite_pipelines.knowledge.index.segments import merge
from thermite_pipelines.knowledge.index.vectors import Vectors

TOGETHER = 8
LARGEST = 131_072
_SMALLEST = 512
_GONE_SHARE = 0.3


def compacted(folder: Path, index: Index) -> Manifest | None:
    """The manifest of an index some of whose segments were joined; None where nothing is worth it."""
    some = _chosen(index)
    if not some:
        return None
    kept = [place for place in range(len(index.parts)) if place not in some]
    manifest = index.manifest
    parts, number = [manifest.parts[place] for place in kept], manifest.number
    old = [index.parts[place] for place in some]
    if any(part.kept.any() for part in old):
        part, number = _join(folder, old, number)
        parts.append(part)
    return msgspec.structs.replace(manifest, parts=tuple(parts), number=number)


def _chosen(index: Index) -> list[int]:
    """The segments to be joined next."""
    groups = defaultdict(list)
    for place, (part, opened) in enumerate(zip(index.manifest.parts, index.parts, strict=True)):
        live = part.size - part.gone_count
        if part.gone_count > _GONE_SHARE * part.size:
            return [place]
        # What waits for its vectors is embedded a segment at a time: those must stay small.
        if live * 2 <= LARGEST and (opened.vectors is not None or not index.manifest.model):
            groups[part.atoms, _tier(live)].append((live, place))
    for _, group in sorted(groups.items()):
        chosen, together = [], 0
        for live, place in sorted(group):
            if together + live <= LARGEST:
                chosen.append(place)
                together += live
        if len(chosen) >= TOGETHER or (len(chosen) > 1 and together * 2 > LARGEST):
            return chosen
    return []


def _tier(live: int) -> int:
    """About which size a segment has, in steps of eight."""
    tier = 0
    while live > _SMALLEST * TOGETHER**tier:
        tier += 1
    return tier


def _join(folder: Path, old: Sequence[OpenPart], number: int) -> tuple[Part, int]:
    segment, origin = merge([(part.segment, part.kept) for part in old])
    words = files.put(folder, f"{number + 1:08d}.words", segment)
    joined = _vectors(old, origin)
    if joined is None:
        return Part(words, segment.size, old[0].atoms), number + 1
    vectors = files.put(folder, f"{number + 2:08d}.vectors", joined)
    return Part(words, segment.size, old[0].atoms, vectors), number + 2


def _vectors(old: Sequence[OpenPart], origin: NDArray[np.int64]) -> Vectors | None:
    """The vectors of joined segments, where all have them."""
    held = [part.vectors for part in old if part.vectors is not None]
    if len(held) < len(old):
        return None
    arrays = {}
    for name, axis in (("vectors", 0), ("has", 0), ("signs", 1)):
        bounds = np.cumsum([0, *(part.segment.size for part in old)])
        together = np.concatenate([one.arrays[name] for one in held], axis=axis)
        arrays[name] = together.take(bounds[origin[:, 0]] + origin[:, 1], axis=axis)
    return Vectors(held[0].meta, arrays)
