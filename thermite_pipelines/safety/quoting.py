"""Quoting for each place that text reaches: a value in a YAML head, a part of a file name, lines of Markdown."""

import re
import unicodedata

# What a YAML reader takes for something else than text, in YAML 1.1 (which PyYAML reads: yaml.org/type) or in the core
# schema of YAML 1.2: null, true or false, the merge and default keys, numbers in any base, 1:30 as sixty-base, times.
_NO_TEXT = re.compile(
    r"""(?ix)
      ~ | null | true | false | yes | no | on | off | y | n | << | =
    | [-+]?\.(?:inf|nan)
    | [-+]?\.?[0-9][0-9a-fxo_.,:+-]*
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:t|[ ]+)[0-9].*
    """
)
# Text that may stand bare: it starts with no mark of YAML, has no space at an end, and nothing in it that ends it.
_PLAIN = re.compile(
    r"""(?x)
    (?! [-?:] (?:[ ]|$) | [,\[\]{}\#&*!|>'"%@`] | --- | \.\.\. )
    (?: [\x20-\x7e\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff] )+
    """
)
_ENDS_PLAIN = re.compile(r":(?: |$)| #")
# What a double-quoted value can't hold as it is: its own marks, line breaks of all sorts, what no YAML reader accepts.
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

# What a reader does not see, or sees as another order of letters: controls, direction marks, zero-width spaces, tags,
# halves of characters, and what no script has. Joiners stay: scripts and pictures need them.
_UNSEEN = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])
_STAY = frozenset("\t\n\r\u200c\u200d")
_DOUBLE_QUOTES = re.compile('["\u201c-\u201f\u2033\u301d-\u301f\uff02]')
_BACKTICKS = re.compile("[`\u02cb\u1fef\uff40]")
_TAG = re.compile(r"<(?=[/!?A-Za-z])")

SLUG_CHARACTERS = 60
_NO_SLUG = re.compile(r"[^a-z0-9]+")


def yaml_value(text: str) -> str:
    """The text as a YAML value on one line that reads back as the same string; quoted only where YAML needs it."""
    bare = (
        _PLAIN.fullmatch(text) is not None
        and text.strip() == text
        and _ENDS_PLAIN.search(text) is None
        and _NO_TEXT.fullmatch(text) is None
    )
    return text if bare else f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    return _SHORT.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")


def slug(text: str, otherwise: str) -> str:
    """A part of a file name for any file system: lower-case ASCII letters, digits and hyphens, at most 60.

    Letters with marks lose the marks; where nothing is left, the slug of `otherwise`, which must give one.
    """
    # A few characters more than can stay: what is left out may stand between those that do.
    start = text[: 4 * SLUG_CHARACTERS]
    if not start.isascii():
        start = unicodedata.normalize("NFKD", start).encode("ascii", "ignore").decode()
    cut = _NO_SLUG.sub("-", start.lower()).strip("-")[:SLUG_CHARACTERS].rstrip("-")
    return cut or slug(otherwise, "x")


def quoted_lines(text: str) -> str:
    """The text as a Markdown quotation: every line of it begins with `> `, so nothing in it can end the quotation.

    Whatever some reader takes for a line break begins a new line.
    """
    return "\n".join(f"> {line}" if line else ">" for line in text.splitlines() or [""])


def legible(text: str) -> str:
    """The text with every character that can't be seen, or turns others round, written out as `\\u202e`.

    Line ends and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(_written_out(char) if _is_unseen(char) else char for char in text)


def _is_unseen(char: str) -> bool:
    return char not in _STAY and unicodedata.category(char) in _UNSEEN


def one_line(text: str) -> str:
    """The text in double quotes on one line: no mark in it ends the quotation, opens code or begins a tag."""
    flat = legible(" ".join(text.split()))
    flat = _TAG.sub("\u2039", _BACKTICKS.sub("'", _DOUBLE_QUOTES.sub("'", flat)))
    return f'"{flat}"'


def _written_out(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
