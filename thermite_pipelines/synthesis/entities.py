"""Names in a text that a fact is about, by rule.

In this order: names the caller knows (a metric); code spans (`like this`) without white space; paths of files;
identifiers in CamelCase or snake_case. What one of them took is not looked at by the next, and addresses of pages hold
no names. A code span with white space in it is a command or a phrase: it is read as plain text. Names that differ
only in the case of letters are one name, in its first spelling. A name ends before a bracket or an equals sign; it has
2 to 80 characters and a letter.

A path begins with `/`, `./`, `../` or `~/`, or ends in a file name with an extension. A file name alone counts where
its extension is a usual one.
"""

import re
from collections.abc import Iterable

MOST = 24
"""Names that a fact keeps: the first ones."""
LONGEST = 80
_SHORTEST = 2

_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.\-]{1,15}://[^\s<>\"'`)\]}]+")
_CODE = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_SEGMENT = r"[A-Za-z0-9_.@+-]{1,80}"
_EXTENSIONS = (
    "py|pyi|ipynb|ts|tsx|js|jsx|mjs|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cu|cuh|cs|swift|zig|sql|sh|bash|md|rst|txt|log"
    "|yml|yaml|toml|json|jsonl|csv|tsv|xlsx|html|css|tf|proto|parquet|xml|pdf|lock|cfg|ini|env|patch|diff|bin|pt|pth"
    "|safetensors|gguf|onnx|npy|npz|pkl|tex|bib|svg|png|jpg|dockerfile|v|vhd|jl|r|lean"
)
_PATH = re.compile(
    rf"""
    (?<![\w/.~@+-])
    (?:
        (?: ~/ | \.{{1,2}}/ ) (?: {_SEGMENT}/ ){{0,20}} {_SEGMENT}
      | / (?: {_SEGMENT}/ ){{1,20}} {_SEGMENT}
      | (?: {_SEGMENT}/ ){{1,20}} [A-Za-z0-9_.@+-]{{0,80}} \.[A-Za-z][A-Za-z0-9]{{0,7}}
      | [A-Za-z_][A-Za-z0-9_.-]{{0,80}} \.(?:{_EXTENSIONS})
    )
    (?![\w/])
    """,
    re.VERBOSE,
)
_SNAKE = r"_{0,2}[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+"
_CAMEL = (
    r"(?:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+[0-9]*(?:[A-Z][a-z0-9]+)+|[A-Z]{3,7}[a-z][a-z0-9]+(?:[A-Z][a-z0-9]*)*)"
)
_IDENTIFIER = re.compile(rf"(?<!\w)(?:{_SNAKE}|{_CAMEL})(?!\w)", re.ASCII)
_BEFORE = ",;:!?([{<\"'"
_BEHIND = ".,;:!?)]}>\"'"
_NAMELESS = frozenset(["metric", "value", "result"])
_ENDS = re.compile(r"[(\[{<=]")


def entities_of(*texts: str | None, known: Iterable[str | None] = ()) -> tuple[str, ...]:
    """The names in some texts, each once, in the order described above; `known` ones come first."""
    found: dict[str, str] = {}
    for name in known:
        if name and name.casefold() not in _NAMELESS:
            _keep(found, name)
    rest = _URL.sub(" ", "\n\n".join(text for text in texts if text))
    for pattern in (_CODE, _PATH, _IDENTIFIER):
        rest = pattern.sub(lambda match: _take(found, match), rest)
    return tuple(found.values())[:MOST]


def without_places(text: str) -> str:
    """The text without addresses of pages and paths of files: their parts are no words."""
    return _PATH.sub(" ", _URL.sub(" ", text)) if "/" in text or "." in text else text


def urls_of(*texts: str | None) -> tuple[str, ...]:
    """The addresses of pages in some texts, each once, in order."""
    found = [match.group().rstrip(".,;:!?*_") for text in texts if text for match in _URL.finditer(text)]
    return tuple(dict.fromkeys(url for url in found if url.startswith(("http://", "https://"))))


def _take(found: dict[str, str], match: re.Match[str]) -> str:
    """Keep a match and blank it out; a code span that is no name is left as plain text."""
    if match.re is _CODE:
        code = match.group(1).strip()
        return " " if not any(sign.isspace() for sign in code) and _keep(found, code) else f" {code} "
    return " " if _keep(found, match.group()) else match.group()


def _keep(found: dict[str, str], name: str) -> bool:
    """Whether a name counts; then it is kept unless it was there."""
    # A leading dot belongs to a path.
    clean = _ENDS.split(name.strip().lstrip(_BEFORE))[0].rstrip(_BEHIND)
    if not _SHORTEST <= len(clean) <= LONGEST or not any(sign.isalpha() for sign in clean):
        return False
    found.setdefault(clean.casefold(), clean)
    return True
