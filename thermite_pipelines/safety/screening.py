"""Screening of what an agent proposes to remember: whatever could work as an order in a later prompt is refused.

A filter, not a guarantee. It knows phrases, spellings and shapes; a text that says the same in words of its own
passes. What bounds the damage lies elsewhere: a learning lapses, one run cannot confirm it, it is shown as a claim,
one action drops it.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from thermite_pipelines.safety.folding import Folded, closed_up
from thermite_pipelines.safety.product_names import ProductNames
from thermite_pipelines.safety.redaction import looks_random, redact_as_written
from thermite_pipelines.safety.screening_names import names_product
from thermite_pipelines.safety.screening_overrides import overrides_instructions
from thermite_pipelines.safety.screening_urls import holds_url

MAX_CHARACTERS = 400

# By reason: what would have been accepted. Each message is one line that would pass screening itself.
REASONS = {
    "empty": "A learning says in a sentence what was found out, for example: the loss is steady from step 500 on.",
    "too-long": (
        f"A learning has at most {MAX_CHARACTERS} characters and one finding, for example: batch 64 runs out of memory,"
        " batch 32 fits."
    ),
    "overrides-instructions": (
        "A learning tells what was found out, not what its reader has to do, for example: the evaluation needs a GPU"
        " with 24 GB."
    ),
    "names-our-tools": (
        "A learning tells what was seen, not what to call, so it names no command or tool of this program, for example:"
        " notes saved before a long job were there after the restart."
    ),
    "url": (
        "A learning names the service and no address, for example: the package index answers slowly in the morning."
    ),
    "credential": (
        "A learning says which credential was the trouble, leaves out its value and shortens hashes, for example: the"
        " registry wanted a newer login, and commit 3f78685 builds."
    ),
    "closes-section": (
        "A learning is plain text without headings, fences, double equals signs or section tags, for example: the two"
        " losses are equal only when the seed is set."
    ),
}


@dataclass(frozen=True)
class Refusal:
    """Why a learning is refused: the reason's code, and one line that says what would have been accepted."""

    reason: str
    message: str


def screen(text: str, names: ProductNames) -> Refusal | None:
    """The first reason of `REASONS`, in their order, to refuse the text as a learning; None where it may be kept.

    `names` are the product's own commands and tools. The length counts code points as they were received; all else is
    judged in the text as a reader sees it, with character references and percent escapes read.
    """
    readings = Folded(text).readings()
    rules: dict[str, Callable[[Folded], bool]] = {
        "empty": lambda reading: not any(map(str.isalnum, reading.visible)),
        "too-long": lambda _: len(text) > MAX_CHARACTERS,
        "overrides-instructions": overrides_instructions,
        "names-our-tools": lambda reading: names_product(reading, names),
        "url": holds_url,
        "credential": _holds_credential,
        "closes-section": _closes_section,
    }
    for reason, applies in rules.items():
        if any(map(applies, readings)):
            return Refusal(reason, REASONS[reason])
    return None


# A commit's full hash is as long as some keys; its first letters do for people.
_LONG_HEX = re.compile(r"(?<![^\W_])(?:0x)?[0-9a-fA-F]{32,}(?![^\W_])")
_MIXED_WORD = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,}={0,2}(?![\w+/=-])")


def _holds_credential(text: Folded) -> bool:
    return any(map(_is_credential, dict.fromkeys([text.text, text.visible, text.skeleton, text.closed])))


def _is_credential(text: str) -> bool:
    if _LONG_HEX.search(text) or redact_as_written(text) != text:
        return True
    return any(looks_random(match.group()) for match in _MIXED_WORD.finditer(text))


# What could end the section that learnings are shown in, or pass for a line of it: rules and fences of Markdown,
# headings, tags that name parts of a prompt, comments, and the marks that the section gives its own lines.
_SECTION_WORDS = (
    "learnings?|lessons?|notes?|brief|briefing|sections?|prompts?|context|memory|memories|system|instructions?|rules|documents?"
    "|tool(?:s|_use|_result|_call)?|function_calls?|function_results?|quotes?|quoted|data|untrusted|claims?|priors?|observations?"
    "|user|assistant|human|message|messages|turn|thinking|answer|input|output|results?|established|provisional"
)
_CLOSING = re.compile(
    rf"""(?xm)
      == | ``` | ~~~
    | ^ [\s>]* \#{{1,6}} (?: \s | $ )
    | ^ [\s>]* (?: [-]{{3,}} | [*]{{3,}} | [_]{{3,}} | [+]{{3,}} | (?: [-]\s ){{2,}}- | (?: [*]\s ){{2,}}\* ) \s* $
    | < \s* / \s* (?: {_SECTION_WORDS} ) \s* >
    | < \s* (?: learnings? | brief(?:ing)? | tool_\w+ | function_\w+ | untrusted | instructions? | established
        | provisional ) (?: \s[^<>]{{0,80}} )? /? >
    | \[ \s* / \s* (?: {_SECTION_WORDS} ) \s* \]
    | <!-- | \]\]> | <!\[cdata\[
    | \[ \s* (?: established | provisional ) \s* \]
    | [-*]{{3,}} \s* (?: end | begin ) (?![^\W_])
    """
)


# A letter of any script has fewer; more of them paint over the lines above and below.
_MAX_MARKS = 8


def _piles_marks(text: str) -> bool:
    if text.isascii():
        return False
    marks = 0
    for char in unicodedata.normalize("NFD", text):
        kind = unicodedata.category(char)
        marks = marks + 1 if kind in ("Mn", "Me") else marks if kind == "Cf" else 0
        if marks > _MAX_MARKS:
            return True
    return False


def _closes_section(text: Folded) -> bool:
    if _piles_marks(text.text):
        return True
    forms = dict.fromkeys([text.visible, text.skeleton, closed_up(text.visible), text.closed])
    return any(_CLOSING.search(form.casefold()) for form in forms)
