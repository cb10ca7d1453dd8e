"""The shape of a campaign's tree as an SVG picture: how many syntheses of which depth stand on how many facts.

Facts lie at the bottom, each once, and each synthesis above what it stands on, as wide as the facts below it. Counts
are the only words in it: no title, text or id. Its colours can be read on white and on black.

Blocks that would be too narrow to see are drawn as one, paler; where the picture gets larger than it may be, blocks are
drawn as one sooner.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from thermite_pipelines.synthesis.tree import Forest, depth_of, is_live

MOST_BYTES = 60_000
IN_PLACE_BYTES = 690
"""What a picture takes that Dagster's UI shows in place once it is Markdown; a larger one stands behind a link."""
COLOURS = ("#27c", "#287", "#a62", "#b48")
"""By depth."""
_GREY = "#777"
_WIDTH, _ROW, _GAP = 720, 22, 2  # pixels
_SMALL_WIDTH, _SMALL_ROW = 360, 14
_FINEST = tuple(3 * 1.25**step for step in range(28))  # widths in pixels, tried in turn, up to more than the whole
_HIGHEST = 7
_LETTER = 6.5  # width of a digit in pixels
_TINTED = 0.14  # opacity of what hangs from a block


@dataclass(frozen=True)
class _Block:
    """A part of a row: where it begins and ends, its colour, what it stands for, and whether that is several."""

    start: float
    end: float
    colour: str
    facts: int
    is_faded: bool = False
    merged: int = 1

    @property
    def width(self) -> float:
        return self.end - self.start


def tree_svg(forest: Forest, most_bytes: int = MOST_BYTES) -> str:
    """The picture of a forest, of at most so many bytes; below 2,000 without counts in its blocks.

    At least 500 bytes are needed: the coarsest picture is returned where no other fits.
    """
    is_small = most_bytes < 2_000
    width, high = (_SMALL_WIDTH, _SMALL_ROW) if is_small else (_WIDTH, _ROW)
    if not forest.syntheses:
        return _svg(width, high, [], [], _legend(forest, False, is_small))
    rows = _rows(forest, width)
    picture = ""
    for finest in _FINEST:
        rows = [_coarse(row, finest) for row in rows]
        picture = _drawn(forest, rows, is_small)
        if len(picture.encode()) <= most_bytes:
            break
    return picture


def _drawn(forest: Forest, rows: Sequence[Sequence[_Block]], is_small: bool) -> str:
    width, high = (_SMALL_WIDTH, _SMALL_ROW) if is_small else (_WIDTH, _ROW)
    shapes = [] if is_small else _tints(rows, high)
    shapes += [shape for place, row in enumerate(rows) for shape in _strokes(row, place, high, is_small)]
    counts = [] if is_small else [text for place, row in enumerate(rows) for text in _counts(row, place, high)]
    is_merged = any(block.merged > 1 for row in rows for block in row)
    return _svg(width, high, shapes, counts, _legend(forest, is_merged, is_small), len(rows))


def _rows(forest: Forest, width: int) -> list[list[_Block]]:
    """The blocks of each row from the top down, from left to right; facts are the last row."""
    weights, levels = forest.weights(), _levels(forest)
    scale = width / sum(weights[root] for root in forest.roots)
    top = max(levels.values())
    rows: list[list[_Block]] = [[] for _ in range(top + 2)]
    starts: dict[str, float] = {}
    at = 0.0
    for root in forest.roots:
        starts[root] = at
        at += weights[root]
    for name in forest.order:
        at, leaves = starts[name], forest.leaves[name]
        colour = COLOURS[min(depth_of(forest.syntheses[name]), len(COLOURS) - 1)]
        rows[top - levels[name]].append(
            _Block(at * scale, (at + weights[name]) * scale, colour, len(forest.rests_on(name)))
        )
        for child in forest.children[name]:
            starts[child] = at
            at += weights[child]
        for leaf in sorted(leaves, key=lambda leaf: not is_live(forest.facts[leaf])):
            is_gone = not is_live(forest.facts[leaf])
            rows[-1].append(_Block(at * scale, (at + 1) * scale, _GREY, 1, is_gone))
            at += 1
    return [sorted(row, key=lambda block: (block.start, block.end)) for row in rows]


def _levels(forest: Forest) -> dict[str, int]:
    """The row of each synthesis from the bottom: its depth, or higher where what it cites is as deep as itself."""
    found: dict[str, int] = {}
    for name in reversed(forest.order):
        above = max((found[child] + 1 for child in forest.children[name]), default=0)
        found[name] = min(max(depth_of(forest.syntheses[name]), above), _HIGHEST)
    return found


def _coarse(row: Iterable[_Block], finest: float) -> list[_Block]:
    """The row with neighbours drawn as one where both are narrower than `finest`."""
    found: list[_Block] = []
    for block in row:
        last = found[-1] if found else None
        if last is None or block.start - last.end >= 1 or max(last.width, block.width) >= finest:
            found.append(block)
        else:
            found[-1] = replace(
                last,
                end=max(last.end, block.end),
                facts=last.facts + block.facts,
                is_faded=last.is_faded and block.is_faded,
                merged=last.merged + block.merged,
            )
    return found


def _strokes(row: Sequence[_Block], place: int, high: int, is_small: bool) -> list[str]:
    """The blocks of a row, those of one look as one path: lines as thick as the row is high."""
    looks: dict[str, list[str]] = {}
    ends: dict[str, int] = {}
    for block in row:
        start, end = round(block.start), round(block.end)
        wide = max(1, end - start - (end - start > 2))
        opacity = 1.0 if is_small else 0.4 if block.is_faded else 0.7 if block.merged > 1 else 1.0
        look = f' stroke="{block.colour}"' + (f' opacity="{opacity}"' if opacity < 1 else "")
        move = f"m{start - ends[look]} 0" if look in ends else f"M{start} {place * high + high // 2}"
        looks.setdefault(look, []).append(f"{move}h{wide}")
        ends[look] = start + wide
    return [f'<path{look} d="{"".join(lines)}"/>' for look, lines in sorted(looks.items())]


def _tints(rows: Sequence[Sequence[_Block]], high: int) -> list[str]:
    """What hangs from each synthesis down to the facts, so that a block that is not right above them is led there."""
    lines: dict[str, list[str]] = {}
    bottom = (len(rows) - 1) * high
    for place, row in enumerate(rows[:-2]):
        for block in row:
            start, end = round(block.start), round(block.end)
            lines.setdefault(block.colour, []).append(
                f"M{start} {(place + 1) * high - _GAP}h{max(1, end - start - 1)}V{bottom}H{start}z"
            )
    return [
        f'<path stroke="none" fill="{colour}" opacity="{_TINTED}" d="{"".join(shapes)}"/>'
        for colour, shapes in sorted(lines.items())
    ]


def _counts(row: Sequence[_Block], place: int, high: int) -> list[str]:
    """How many facts a block rests on, or how many blocks it stands for, where that has room."""
    found = []
    for block in row:
        said = f"×{block.merged}" if block.merged > 1 else str(block.facts) if block.colour != _GREY else ""
        if said and block.width > len(said) * _LETTER + 6:
            found.append(f'<text x="{round((block.start + block.end) / 2)}" y="{place * high + 15}">{said}</text>')
    return found


def _legend(forest: Forest, is_merged: bool, is_small: bool) -> list[str]:
    """Lines that say what the picture holds: syntheses in the colours of their depths, then facts."""
    mark = "" if is_small else "■ "
    depths = [
        f'<tspan fill="{COLOURS[min(depth, len(COLOURS) - 1)]}">{mark}{count:,} of depth {depth}</tspan>'
        for depth, count in list(forest.depths.items())[: len(COLOURS)]
    ]
    facts = [f"{mark}{len(forest.held):,} facts below"] if forest.held else []
    if forest.held_retracted and not is_small:
        facts.append(f"{forest.held_retracted:,} of them retracted")
    if forest.outside:
        facts.append(f"{forest.outside:,} facts in no synthesis")
    if is_merged and not is_small:
        facts.append("pale, ×n: several drawn as one")
    return [line for line in (" · ".join(depths) or "no synthesis yet", " · ".join(facts)) if line]


def _svg(width: int, high: int, shapes: list[str], counts: list[str], legend: list[str], rows: int = 0) -> str:
    y = rows * high + 16
    lines = "".join(f'<text y="{y + 17 * place}">{line}</text>' for place, line in enumerate(legend))
    inside = f'<g fill="#fff" text-anchor="middle" font-size="11">{"".join(counts)}</g>' if counts else ""
    height = y + 17 * len(legend) - 10
    box = f' viewBox="0 0 {width} {height}"' if width == _WIDTH else ""
    letters = f'font-family="sans-serif" font-size="{12 if box else 11}" fill="{_GREY}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"{box} {letters}>'
        f'<g stroke-width="{high - _GAP}">{"".join(shapes)}</g>{inside}{lines}</svg>'
    )
