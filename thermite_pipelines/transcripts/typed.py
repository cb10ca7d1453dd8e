"""What of a message a person typed: prose, without what was pasted, quoted or put in by a tool.

Told by form alone, so it errs: a long message with headings counts as a pasted document even if somebody wrote it by
hand, and a pasted paragraph without any mark of its own counts as typed.
"""

import re
from dataclasses import dataclass

from thermite_pipelines.transcripts.injected import injected_parts, is_injected
from thermite_pipelines.transcripts.prose import Kind, begins_talk, is_personal, kind_of

_SHORT = re.compile(r"[^\n<>\[\]{}|`#=;\\@\t/]{1,200}")
_FENCE = re.compile(r"\s{0,12}(`{3,}|~{3,})")
_MANY = 3
_DOCUMENT_LINES = 12
_DOCUMENT_CHARS = 1_200
_WRAPPED = range(60, 95)
_TAIL_CHARS = 300


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    kind: Kind
    paragraph: int
    typed: bool = False


def typed_text(text: str) -> str:
    """The typed spans, joined by a line end."""
    return "\n".join(text[start:end] for start, end in typed_spans(text))


def typed_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each part of a person's message that was typed, in order; time is linear in the length.

    Outside are code fences, quoted lines, pasted logs, traces, diffs, code, JSON, tables and documents, addresses that
    stand alone in their line, and what tools put in. A line of prose above or below a paste is inside.
    """
    if _SHORT.fullmatch(text) and not is_injected(text):
        kind = kind_of(text)
        plain = kind not in (Kind.BLANK, Kind.MACHINE, Kind.QUOTED)
        return [_stripped(text, 0, len(text))] if plain else []
    if is_injected(text):
        return []
    lines = _lines(text)
    _decide(text, [line for line in lines if line.kind is not Kind.BLANK])
    return _joined(text, lines)


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    begin = 0
    fence = ""
    for start, end in [*injected_parts(text), (len(text), len(text))]:
        fence = _add_lines(text, begin, start, lines, fence)
        lines.append(_Line(start, start, Kind.BLANK, 0))
        if end > start:
            lines.append(_Line(start, end, Kind.FENCED, 0))
            lines.append(_Line(end, end, Kind.BLANK, 0))
        begin = end
    paragraph = 0
    for line in lines:
        paragraph += line.kind is Kind.BLANK
        line.paragraph = paragraph
    return lines


def _add_lines(text: str, begin: int, stop: int, lines: list[_Line], fence: str) -> str:
    """Add the lines of a part of the text; gives the code fence that is open at its end, or nothing."""
    while begin < stop:
        found = text.find("\n", begin, stop)
        end = stop if found < 0 else found
        fence = _add_line(text, begin, end, lines, fence)
        begin = end + 1
    return fence


def _add_line(text: str, begin: int, end: int, lines: list[_Line], fence: str) -> str:
    line = text[begin : min(end, begin + 1_000)]
    mark = _FENCE.match(line)
    if fence:
        lines.append(_Line(begin, end, Kind.FENCED, 0))
        if mark is None or not mark[1].startswith(fence):
            return fence
        rest = line[mark.end() :]
        if rest.strip() and not rest.startswith(" "):
            return fence  # a fence with a language opens another one: Markdown within Markdown
        lines[-1].end = begin + mark.end()
        if rest.strip():
            lines.append(_Line(begin + mark.end(), end, kind_of(rest.strip()), 0))
        return ""
    if mark is not None and "`" not in line[mark.end() :]:
        lines.append(_Line(begin, end, Kind.FENCED, 0))
        return mark[1]
    place = line.rfind("```")
    if place > 0 and line.count("```") == 1 and len(line[place:].split()) == 1:
        # 'It says: ```' opens a fence as well.
        lines.append(_Line(begin, begin + place, kind_of(line[:place]), 0))
        lines.append(_Line(begin + place, end, Kind.FENCED, 0))
        return "```"
    lines.append(_Line(begin, end, kind_of(line), 0))
    return ""


def _decide(text: str, lines: list[_Line]) -> None:
    """Mark the lines that were typed; the lines are those that are not blank."""
    for line in lines:
        line.typed = line.kind in (Kind.PROSE, Kind.WEAK, Kind.LIST, Kind.HEADING)
    document = _document_start(text, lines)
    if document is not None:
        _leave_out_document(text, lines, document)
    elif sum(line.kind in (Kind.MACHINE, Kind.QUOTED) for line in lines) >= _MANY:
        _leave_out_output(text, lines)
    else:
        _leave_out_wrapped(text, lines)


def _document_start(text: str, lines: list[_Line]) -> int | None:
    """The place of the first line of a pasted document, or `None`: it is long and has headings."""
    headings = [place for place, line in enumerate(lines) if line.kind is Kind.HEADING]
    if len(headings) < 2 or (len(lines) < _DOCUMENT_LINES and len(text) < _DOCUMENT_CHARS):
        return None
    return headings[0]


def _leave_out_document(text: str, lines: list[_Line], first: int) -> None:
    for line in lines[:first]:
        words = text[line.start : line.end]
        line.typed = line.typed and line.kind is not Kind.HEADING and begins_talk(words)
    last = lines[-1].paragraph
    is_tail = sum(line.end - line.start for line in lines if line.paragraph == last) <= _TAIL_CHARS
    for line in lines[first:]:
        words = text[line.start : line.end]
        in_tail = is_tail and line.paragraph == last and line.kind is Kind.PROSE
        line.typed = in_tail and is_personal(words)


def _leave_out_output(text: str, lines: list[_Line]) -> None:
    """Of a message with much output, keep what leads to it, what follows it, and what speaks for itself between."""
    output = [place for place, line in enumerate(lines) if line.kind in (Kind.MACHINE, Kind.QUOTED)]
    first, last = output[0], output[-1]
    mixed = {lines[place].paragraph for place in output}
    for place, line in enumerate(lines):
        if not line.typed:
            continue
        words = text[line.start : line.end]
        apart = line.paragraph not in mixed
        if line.kind is Kind.LIST:
            line.typed = place > 0 and lines[place - 1].typed
        elif place < first:
            leads = begins_talk(words)
            line.typed = leads and (line.kind is Kind.PROSE or place == 0)
        elif place > last:
            line.typed = line.kind is Kind.PROSE and (begins_talk(words) if apart else is_personal(words))
        else:
            line.typed = apart and line.kind is Kind.PROSE and is_personal(words)


def _leave_out_wrapped(text: str, lines: list[_Line]) -> None:
    """Paragraphs that are broken at a fixed width, and speak of nobody, come from a document."""
    start = 0
    while start < len(lines):
        stop = start + 1
        while stop < len(lines) and lines[stop].paragraph == lines[start].paragraph:
            stop += 1
        block = lines[start:stop]
        wrapped = len(block) > 4 and all(line.end - line.start in _WRAPPED for line in block[:-1])
        if wrapped and not any(is_personal(text[line.start : line.end]) for line in block):
            for line in block:
                line.typed = False
        start = stop


def _joined(text: str, lines: list[_Line]) -> list[tuple[int, int]]:
    """Typed lines that follow each other, with the blank ones between them, are one span."""
    spans: list[tuple[int, int]] = []
    open_span = False
    for line in lines:
        if line.typed:
            start, end = _stripped(text, line.start, line.end)
            if open_span:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
            open_span = True
        elif line.kind is not Kind.BLANK:
            open_span = False
    return spans


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
