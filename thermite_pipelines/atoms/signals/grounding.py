"""Numbers and code names of a text, and whether a source holds them."""

import re

from thermite_pipelines.atoms.signals.language import lowered, words_of

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CODE = re.compile(
    r"""
      `[^`\n]{1,200}`                                   # whatever is marked as code
    | https?://[^\s<>"']{1,300}
    | (?<![\w/.])~?/(?:[\w.@-]+/)*[\w.@-]+              # a path
    | (?<![\w-])--?[A-Za-z][\w-]+                       # an option
    | \b(?=[\w-])(?:
          [\w-]+(?:/[\w.-]+)*\.[A-Za-z]\w{0,8}\b(?!\.\w)  # a file or dotted name
        | \w*_\w+\b                                     # snake_case
        | [a-z]+[A-Z]\w*\b                              # camelCase
        | [A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b           # PascalCase
        | \w+\(\)
        | \w+(?:::\w+)+\b
        | (?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{2,40}\b   # letters with digits: v2, S3
      )
    """,
    re.VERBOSE,
)
# Names that people write in many ways ('postgres', 'JS'): they are words, not code.
_WORDS = words_of(
    "github gitlab javascript typescript postgresql mysql sqlite nodejs devops youtube linkedin graphql "
    "restful openai macos ios ipad iphone ebay wifi readme chatgpt numpy pytorch tensorflow bigquery "
    "dynamodb mongodb rabbitmq e.g i.e z.b d.h p.ej u.a a.m p.m etc. vs. no. nr."
)
_EDGES = "`.,;:!?()[]{}\"'"
# What every code name and every number holds at the least.
_TRACE = re.compile(r"[`/_\d]|\.[A-Za-z]|-[A-Za-z]|[a-z0-9][A-Z]|\(\)|::")


def ungrounded(text: str, source: str) -> list[str]:
    """The numbers and code names of `text` that do not stand in `source`, in order.

    A number stands there digit for digit as a number of its own (`5` does not stand in `15`); a code name whatever its
    case. Source of the rule: what is made up and believed does most harm where it looks exact.
    """
    if _TRACE.search(text) is None:
        return []
    numbers, low = frozenset(_NUMBER.findall(source)), lowered(source)
    missing = [number for number in _NUMBER.findall(text) if number not in numbers]
    for match in _CODE.finditer(text):
        name = lowered(match.group()).strip(_EDGES)
        if name and name not in _WORDS and name not in low and match.group().lower() not in _WORDS:
            missing.append(match.group())
    return missing
