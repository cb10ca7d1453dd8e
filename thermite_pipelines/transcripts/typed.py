"""What of a message a person typed, and what they pasted or a program put there.

Outside are code fences, quoted lines, injected tags, logs, stack traces, diffs, tables, data, program text, addresses
alone and documents; inside is the rest, also a short line above or below a paste. Where it can't be told, a stretch
counts as not typed: words are never put into a person's mouth. The work is linear in the length of the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from thermite_pipelines.transcripts.injected import injected_regions, is_of_a_program
from thermite_pipelines.transcripts.lines import (
    Kind,
    columns,
    is_aside,
    is_fragment,
    is_remark,
    is_sentence,
    is_step,
    is_title,
    kind_of,
)

LONGEST_TYPED = 6_000
"""Characters of prose in one message past which it is a document: only its first and last paragraphs count."""
LONGEST_PARAGRAPH = 1_500
"""Characters of a first or last paragraph of a document that still count as typed."""
LOOKED_AT = 40_000
"""Of a message of more than twice as many characters, what lies between its ends is a paste."""
LONGEST_TEXT = 1_000_000
"""Characters of a message past which its middle is not looked at at all."""
_PLACEHOLDER = (
    r"\[(?:Image #\d{1,6}|Image: [^\]\n]{1,300}|Pasted text #\d{1,6}[^\]\n]{0,60}"
    r"|\.\.\.Truncated text #\d{1,6}[^\]\n]{0,60})\]"
)
_PLACEHOLDERS = re.compile(rf"^(?:[ \t]{{0,20}}{_PLACEHOLDER})+|{_PLACEHOLDER}(?=[ \t]{{0,20}}$)", re.MULTILINE)
"""What a tool shows for a paste, at the begin or end of a line; within one it is a word of its sentence."""
_FENCE = re.compile(r"`{3,}|(?<![^\n])[ \t]{0,3}~{3,}")
_ONE_LINE = re.compile(r"[^\n<`~]{1,2000}")
_TYPED_ALONE = frozenset([Kind.PROSE, Kind.LIKELY, Kind.HEADING, Kind.STYLED, Kind.TURN])
_OPENED = re.compile(r"[\w+#.-]*[ \t]*(?:\n|$)")


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    kind: Kind


def typed_text(text: str) -> str:
    """What a person typed of a message, its stretches joined by line ends; empty where nothing was."""
    return "\n".join(text[first:last] for first, last in typed_spans(text))


def typed_spans(text: str) -> list[tuple[int, int]]:
    """Where the words of a person stand: `(first, past the last)` of each stretch, in order, none empty."""
    if is_of_a_program(text):
        return []
    if len(text) > LONGEST_TEXT:
        return _spans_of_ends(text)
    if _ONE_LINE.fullmatch(text) and not _PLACEHOLDERS.search(text):
        return [_trimmed(text, 0, len(text))] if kind_of(text) in _TYPED_ALONE else []
    lines = list(_lines(text, _open_regions(text)))
    _mark_diffs(text, lines)
    _mark_columns(text, lines)
    _mark_documents(text, lines)
    _mark_blocks(text, lines)
    _mark_length(text, lines)
    return _joined(text, lines)


def _spans_of_ends(text: str) -> list[tuple[int, int]]:
    """The spans of a huge message, without its middle: that is a paste however it is marked up."""
    half = LONGEST_TEXT // 2 - 1
    left_out = len(text) - 2 * half - 1
    spans = typed_spans(f"{text[:half]}\n{text[-half:]}")
    return [(first, last) if first < half else (first + left_out, last + left_out) for first, last in spans]


def _open_regions(text: str) -> list[tuple[int, int]]:
    """What is neither injected nor in a fence nor in the middle of a huge message, in order."""
    regions = injected_regions(text)
    if "[Image" in text or " text #" in text:
        regions += (found.span() for found in _PLACEHOLDERS.finditer(text))
    if "```" in text or "~~~" in text:
        regions += _fences(text)
    if len(text) > 2 * LOOKED_AT:
        first = text.rfind("\n", 0, LOOKED_AT)
        last = text.find("\n", len(text) - LOOKED_AT)
        regions.append((first + 1 if first >= 0 else 0, last + 1 if last >= 0 else len(text)))
    regions.sort()
    opened: list[tuple[int, int]] = []
    done = 0
    for first, last in regions:
        if first > done:
            opened.append((done, first))
        done = max(done, last)
    if done < len(text):
        opened.append((done, len(text)))
    return opened


def _fences(text: str) -> Iterator[tuple[int, int]]:
    marks = [(m.start(), m.end(), m[0].strip()[0], len(m[0].strip())) for m in _FENCE.finditer(text)]
    longest: list[int] = [0] * len(marks)  # of the marks of the same sign that come later
    later: dict[str, int] = {}
    for place in range(len(marks) - 1, -1, -1):
        _, _, sign, size = marks[place]
        longest[place] = later.get(sign, 0)
        later[sign] = max(size, longest[place])
    place = 0
    while place < len(marks):
        start, end, sign, size = marks[place]
        if longest[place] >= size:
            place += 1
            while marks[place][2] != sign or marks[place][3] < size:
                place += 1
            yield start, marks[place][1]
        elif start == 0 or text[start - 1] == "\n" or _OPENED.match(text, end):
            yield start, len(text)
            return
        place += 1


def _lines(text: str, regions: list[tuple[int, int]]) -> Iterator[_Line]:
    done = 0
    for first, last in regions:
        if first > done:
            yield _Line(done, done, Kind.PASTED)
        place = first
        while place < last:
            end = text.find("\n", place, last)
            end = last if end < 0 else end
            yield _Line(place, end, kind_of(text[place:end]) if end > place else Kind.BLANK)
            place = end + 1
        done = last
    if done < len(text):
        yield _Line(done, done, Kind.PASTED)


def _mark_diffs(text: str, lines: list[_Line]) -> None:
    """After the head of a diff or a hunk all that looks like a line of it is one."""
    inside = False
    for line in lines:
        if line.kind == Kind.DIFF:
            inside = True
        elif inside and line.start < line.end and text[line.start] in "+- \\\t":
            pass
        else:
            inside = False
            continue
        line.kind = Kind.PASTED


def _mark_columns(text: str, lines: list[_Line]) -> None:
    """Three lines or more with the same number of the same separators are a table."""
    run: list[_Line] = []
    before = ("", 0)
    for line in [*lines, _Line(0, 0, Kind.BLANK)]:
        shape = columns(text[line.start : min(line.end, line.start + 2_000)]) if line.kind != Kind.BLANK else ("", 0)
        if shape != before or not shape[1]:
            if len(run) >= 3:
                for row in run:
                    row.kind = Kind.PASTED
            run = []
        before = shape
        if shape[1]:
            run.append(line)


def _mark_documents(text: str, lines: list[_Line]) -> None:
    """From the first head of a document or turn of a conversation on nothing is typed, but for a closing request."""
    for kind, enough in ((Kind.HEADING, 2), (Kind.TURN, 2), (Kind.STYLED, 3)):
        places = [place for place, line in enumerate(lines) if line.kind == kind]
        if len(places) < enough:
            continue
        last = _closing(text, lines, places[-1])
        first = places[0]
        above = lines[first - 1]
        if first and above.kind == Kind.PROSE and is_title(text[above.start : above.end]):
            first -= 1
        for line in lines[first:last]:
            if line.kind != Kind.BLANK:
                line.kind = Kind.PASTED
    for line in lines:
        if line.kind == Kind.HEADING:
            line.kind = Kind.LIKELY
        elif line.kind in (Kind.STYLED, Kind.TURN):
            line.kind = Kind.PROSE


def _closing(text: str, lines: list[_Line], last_head: int) -> int:
    """Where a request after a document begins: its last paragraph, if that is one line and stands apart or asks."""
    end = len(lines)
    while end and lines[end - 1].kind == Kind.BLANK:
        end -= 1
    place = end - 1
    if (
        place - 1 <= last_head
        or lines[place].kind != Kind.PROSE
        or lines[place - 1].kind not in (Kind.BLANK, Kind.RULE)
    ):
        return len(lines)
    line = text[lines[place].start : lines[place].end].strip()
    apart = lines[place - 1].kind == Kind.RULE or lines[place - 2].kind in (Kind.BLANK, Kind.RULE)
    if len(line) <= 300 and (apart or line[0].islower() or line[-1] in "?？"):
        return place
    return len(lines)


def _mark_blocks(text: str, lines: list[_Line]) -> None:
    """Settle what is only likely, block by block: lines with no blank line between them."""
    blocks: list[list[_Line]] = [[]]
    for line in lines:
        # What is of no length stands for a tag or a fence: a person may write around those as they like.
        if line.kind in (Kind.BLANK, Kind.RULE) or line.start == line.end:
            blocks.append([])
        else:
            blocks[-1].append(line)
    blocks = [block for block in blocks if block]
    for block in blocks:
        _mark_fragments(text, block)
    sure = [place for place, block in enumerate(blocks) if any(line.kind == Kind.PASTED for line in block)]
    if not sure:
        for block in blocks:
            _mark_likely(text, block, beside=False)
        return
    has_paste = set(sure)
    is_long = sum(line.kind == Kind.PASTED for block in blocks for line in block) >= 5
    for place, block in enumerate(blocks):
        if place in has_paste:
            _mark_beside_paste(text, block, is_first=place == 0, is_last=place == len(blocks) - 1)
            continue
        _mark_likely(text, block, beside=place - 1 in has_paste or place + 1 in has_paste)
        _mark_step(text, block, blocks[place + 1 : place + 2])
        if sure[0] < place < sure[-1] and not _is_remark_between(text, block, is_long=is_long):
            _set(block, Kind.PASTED)


def _is_remark_between(text: str, block: list[_Line], *, is_long: bool) -> bool:
    """Whether a block between two pastes is a person's: sentences, and among long pastes one or two asides.

    What is indented is a program's, as what stands around it.
    """
    told = [text[line.start : line.end] for line in block]
    if any(line.startswith((" ", "\t")) for line in told):
        return False
    return all(map(is_aside, told)) and len(told) <= 2 if is_long else all(map(is_remark, told))


def _mark_fragments(text: str, block: list[_Line]) -> None:
    """Many short lines that are no sentences are a paste, but for a first line that is one."""
    if len(block) < 8 or any(line.kind not in (Kind.PROSE, Kind.LIKELY, Kind.PASTED) for line in block):
        return
    fragments = sum(line.kind == Kind.PASTED or is_fragment(text[line.start : line.end]) for line in block)
    if fragments >= 0.7 * len(block):
        opens, closes = (is_sentence(text[line.start : line.end]) for line in (block[0], block[-1]))
        _set(block[opens : len(block) - closes], Kind.PASTED)


def _mark_likely(text: str, block: list[_Line], *, beside: bool) -> None:
    likely = sum(line.kind == Kind.LIKELY for line in block)
    is_run = likely >= 3 and 2 * likely > len(block)
    if is_run or (beside and likely == len(block) and not is_sentence(text[block[0].start : block[0].end])):
        _set(block, Kind.PASTED)


def _mark_step(text: str, block: list[_Line], after: list[list[_Line]]) -> None:
    """The head of a step of a CI run right above the command that the step runs is no instruction."""
    if after and text[after[0][0].start] == ">" and is_step(text[block[-1].start : block[-1].end]):
        block[-1].kind = Kind.PASTED


def _mark_beside_paste(text: str, block: list[_Line], *, is_first: bool, is_last: bool) -> None:
    """In a block with a paste only sentences above and below it are typed."""
    first = 0
    while block[first].kind != Kind.PASTED:
        first += 1
    last = len(block) - 1
    while block[last].kind != Kind.PASTED:
        last -= 1
    _set(block[first : last + 1], Kind.PASTED)
    for place, line in enumerate(block[:first]):
        told = text[line.start : line.end]
        opens = is_first and place == 0 and line.kind == Kind.PROSE
        if not opens and not (is_remark(told) if is_first else is_aside(told)):
            line.kind = Kind.PASTED
    for place, line in enumerate(block[last + 1 :], start=last + 1):
        told = text[line.start : line.end]
        closes = is_last and place == len(block) - 1 and is_sentence(told)
        if line.kind == Kind.LIKELY or not (closes or (is_remark(told) if is_last else is_aside(told))):
            line.kind = Kind.PASTED


def _set(lines: list[_Line], kind: Kind) -> None:
    for line in lines:
        line.kind = kind


def _mark_length(text: str, lines: list[_Line]) -> None:
    """Of a document without heads only a short first and last paragraph are typed."""
    prose = [line for line in lines if line.kind in (Kind.PROSE, Kind.LIKELY)]
    if sum(line.end - line.start for line in prose) <= LONGEST_TYPED:
        return
    paragraphs: list[list[_Line]] = [[]]
    for line in lines:
        if line.kind in (Kind.PROSE, Kind.LIKELY):
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    paragraphs = [paragraph for paragraph in paragraphs if paragraph]
    for place, paragraph in enumerate(paragraphs):
        size = sum(line.end - line.start for line in paragraph)
        if 0 < place < len(paragraphs) - 1 or size > LONGEST_PARAGRAPH:
            _set(paragraph, Kind.PASTED)


def _joined(text: str, lines: list[_Line]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    open_span: tuple[int, int] | None = None
    for line in lines:
        if line.kind in (Kind.PROSE, Kind.LIKELY):
            open_span = (line.start if open_span is None else open_span[0], line.end)
        elif line.kind != Kind.BLANK and open_span is not None:
            spans.append(open_span)
            open_span = None
    if open_span is not None:
        spans.append(open_span)
    trimmed = (_trimmed(text, *span) for span in spans)
    return [span for span in trimmed if span[0] < span[1]]


def _trimmed(text: str, first: int, last: int) -> tuple[int, int]:
    stretch = text[first:last]
    return first + len(stretch) - len(stretch.lstrip()), last - (len(stretch) - len(stretch.rstrip()))
