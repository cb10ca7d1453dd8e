"""The gate: every atom of every answerer, and every proposal, is judged here by code before it is kept.

Nothing an answerer says is trusted: the cited message must be one it was shown, the quote must stand there in what a
person typed, and what the statement adds to that is held against the message.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from thermite_pipelines.atoms.model import ATOM_TYPES, EXTRACTED_TYPES, NONE_STATED, Atom, AtomType, ExtractedAtom, Said
from thermite_pipelines.atoms.signals import conditions as condition_phrases
from thermite_pipelines.atoms.signals.en import ENGLISH
from thermite_pipelines.atoms.signals.grounding import ungrounded
from thermite_pipelines.atoms.signals.orders import injects, is_plain, is_plain_proposal, orders
from thermite_pipelines.atoms.signals.sentences import language_of, size_of
from thermite_pipelines.atoms.signals.tags import MOST, tag
from thermite_pipelines.atoms.statements import dangling, digest, is_time_bound, normalize, spans_of
from thermite_pipelines.safety.redaction import redact_text

LONGEST_STATEMENT = 500
LONGEST_QUOTE = 2_000
LONGEST_TEXT = 500
"""Characters of conditions, of what was wrongly assumed and of why."""
_FEWEST_QUOTED = 2

WHY: Mapping[str, str] = {
    "unknown-message": "the cited message is none that was shown",
    "bad-type": "the type is none of: " + ", ".join(ATOM_TYPES),
    "gestalt": "a gestalt is never made from one message",
    "bad-members": "a gestalt needs the ids of at least two atoms, and no other type has members",
    "bad-field": "a field is unknown, given twice or not of the right kind",
    "no-quote": "the person's own words are missing",
    "quote-not-said": "the quote does not stand in the message, character for character, in what the person typed",
    "no-statement": "the statement is empty",
    "too-long": "the statement, the quote or another text is longer than an atom's may be",
    "not-self-contained": "the statement's subject is a word that only the conversation explains",
    "correction-incomplete": "a correction needs what was wrongly assumed and why",
    "no-domain": "no domain tag is given",
    "bad-domain": "no domain tag is left in lower case with hyphens",
    "obvious": "an approval, a routine instruction or small talk",
    "secret": "a text is shaped like a credential",
    "orders-reader": "the statement orders its reader about, or a text carries an injection",
    "ungrounded": "a number or a code name stands neither in the message nor in the one before it",
}
"""What each rule refuses, in words for people."""
RULES: tuple[str, ...] = tuple(WHY)
"""The rules by which a candidate is refused; the first that applies is counted."""

_EMPTY = frozenset(
    ["", "none", "n/a", "na", "-", "--", "null", "unknown", "not stated", "none given", "no conditions", NONE_STATED]
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a candidate is not kept: one of `RULES`, and where it helps which field; never what a person said."""

    rule: str
    detail: str = ""

    @property
    def why(self) -> str:
        """The reason in words for people."""
        return WHY[self.rule] + (f": {self.detail}" if self.detail else "")


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a candidate on its way through the gate, each one line, the quote apart."""

    kind: str
    statement: str
    domain: Sequence[str]
    conditions: str
    quote: str
    wrong: str
    why: str


def judge(candidate: ExtractedAtom, said: Mapping[str, Said]) -> Atom | Refusal:
    """The atom that an answerer's candidate makes, or the rule that refuses it; never raises, whatever was answered.

    `said` are the messages that were shown, by id. Numbers and code names of the statement (and of what a correction
    says was assumed) must stand in the message or the one before: an invented one looks exact, is believed, and is the
    one thing that code can tell without understanding the text. Conditions that are not the person's words are
    replaced by the phrase that the quote carries, or by 'none stated'.
    """
    message = said.get(candidate.message)
    if message is None:
        return Refusal("unknown-message")
    if candidate.type not in EXTRACTED_TYPES:
        return Refusal("gestalt" if candidate.type == "gestalt" else "bad-type")
    texts = Texts(
        candidate.type,
        one_line(candidate.statement),
        candidate.domain,
        _conditions(candidate.conditions, candidate.verbatim_quote, message.text),
        candidate.verbatim_quote.strip(),
        one_line(candidate.wrong_assumption),
        one_line(candidate.why_confused),
    )
    refusal = _refused_quote(texts.quote, message.text) or refused_text(texts)
    if refusal:
        return refusal
    claims = "\n".join((texts.statement, texts.wrong, texts.why))
    if ungrounded(claims, f"{message.text}\n{message.before or ''}"):
        return Refusal("ungrounded")
    return make_atom(texts, message=message.message, checked=True)


PROPOSAL_KEYS = (
    "type", "statement", "domain", "conditions", "verbatim_quote", "wrong_assumption", "why_confused", "source",
    "supersedes", "members", "session", "message", "established",
)  # fmt: skip
"""What a proposal may say, in snake_case or camelCase; `domain` also as `domains`, `tags` or `domain_tags`."""
_LISTS = ("domain", "members")
_LONGEST_NAME = 200


def proposal_fields(fields: Mapping[str, Any]) -> dict[str, Any] | Refusal:
    """The fields of a proposal under their snake_case names, without those that are null; lists as lists of texts.

    An unknown key is refused with its name and not passed over: a mistyped `condition` would lose what the atom holds
    for, and the id, the day's check and the hash are the store's own. So is a field that is given in both spellings.
    """
    found: dict[str, Any] = {}
    for key, value in fields.items():
        name = _SPELLINGS.get(key) if isinstance(key, str) else None
        if name is None:
            return Refusal("bad-field", f"{one_line(str(key))[:60]} is none of {', '.join(PROPOSAL_KEYS)}")
        if name in found:
            return Refusal("bad-field", f"{name} is given twice")
        if value is None:
            continue
        if name in _LISTS and isinstance(value, str):
            value = value.replace("，", ",").split(",")
        many = name in _LISTS and isinstance(value, list) and all(isinstance(item, str) for item in value)
        if not many and not (name not in _LISTS and isinstance(value, str)):
            return Refusal("bad-field", f"{name} must be {'a list of texts' if name in _LISTS else 'a text'}")
        found[name] = value
    return found


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


_SPELLINGS = {name: name for name in PROPOSAL_KEYS} | {_camel(name): name for name in PROPOSAL_KEYS}
_SPELLINGS |= dict.fromkeys(("domains", "tags", "domain_tags", "domainTags"), "domain")


def judge_proposal(fields: Mapping[str, Any], message_text: str | None) -> Atom | Refusal:
    """The atom that a proposal makes, or the rule that refuses it; never raises, whatever the JSON values are.

    `message_text` is the text of the message that the proposal cites: its quote must stand there, and the atom has
    `quote_checked`. It is None where no session is named; a quote is then kept unchecked, and may be missing. The ids
    in `members` and `supersedes`, the session and the day are the store's to check. What is said beyond the quote is
    not held against the message: a proposal may know more of the session than one message of it.
    """
    given = proposal_fields(fields)
    if isinstance(given, Refusal):
        return given
    texts = Texts(
        given.get("type", ""),
        one_line(given.get("statement", "")),
        given.get("domain", []),
        kept_conditions(given.get("conditions", ""), given.get("verbatim_quote")),
        given.get("verbatim_quote", "").strip(),
        one_line(given.get("wrong_assumption", "")),
        one_line(given.get("why_confused", "")),
    )
    members = tuple(dict.fromkeys(name.strip() for name in given.get("members", []) if name.strip()))
    refusal = _refused_links(given, texts.kind, members) or _refused_proposed_quote(texts, message_text)
    refusal = refusal or refused_text(texts, is_proposal=True)
    if refusal:
        return refusal
    return make_atom(
        texts,
        message=given.get("message"),
        checked=message_text is not None and bool(texts.quote),
        supersedes=given.get("supersedes"),
        members=members,
    )


def _refused_links(given: Mapping[str, Any], kind: str, members: tuple[str, ...]) -> Refusal | None:
    """Fields that name something else: members, what is superseded, the source."""
    if kind not in ATOM_TYPES:
        return Refusal("bad-type")
    if (kind == "gestalt") != (len(members) >= _FEWEST_MEMBERS) or (members and kind != "gestalt"):
        return Refusal("bad-members")
    if "supersedes" in given and (kind != "correction" or not given["supersedes"].strip()):
        return Refusal("bad-field", "supersedes is the id of the correction that this correction corrects")
    for name in ("supersedes", "session", "message", "source", *members):
        value = given.get(name, name)
        if len(value) > _LONGEST_NAME or one_line(value) != value:
            return Refusal("bad-field", "a name or id is longer than 200 characters or no plain line")
    source = given.get("source", "campaign")
    if source not in ("campaign", "company") and not (source.startswith("person:") and source[7:].strip()):
        return Refusal("bad-field", "source is campaign, company or person:NAME")
    return None


_FEWEST_MEMBERS = 2


def _refused_proposed_quote(texts: Texts, message_text: str | None) -> Refusal | None:
    """A quote is needed wherever a message is cited, but for a gestalt."""
    if message_text is not None and (texts.quote or texts.kind != "gestalt"):
        return _refused_quote(texts.quote, message_text)
    return Refusal("no-quote") if not _is_utf8(texts.quote) else None


def refused_text(texts: Texts, *, is_proposal: bool = False) -> Refusal | None:
    """The first rule that the texts of a candidate break, those about its quote's place apart."""
    if texts.kind not in ATOM_TYPES:
        return Refusal("bad-type")
    if not any(char.isalnum() for char in texts.statement):
        return Refusal("no-statement")
    if _too_long(texts):
        return Refusal("too-long")
    if not texts.domain:
        return Refusal("no-domain")
    if not tags_of(texts.domain):
        return Refusal("bad-domain")
    if texts.kind == "correction" and not _is_complete(texts):
        return Refusal("correction-incomplete")
    everything = dict.fromkeys((texts.statement, texts.quote, texts.conditions, texts.wrong, texts.why, *texts.domain))
    faults = {fault for text in everything for fault in _faults(text)}
    if "secret" in faults:
        return Refusal("secret")
    if "orders-reader" in faults or orders(texts.statement):
        return Refusal("orders-reader")
    nothing_in = is_plain_proposal if is_proposal else is_plain
    if nothing_in(texts.statement) or (texts.quote and nothing_in(texts.quote)):
        return Refusal("obvious")
    return Refusal("not-self-contained") if dangling(texts.statement) else None


def _faults(text: str) -> tuple[str, ...]:
    """The rules that a text breaks by itself."""
    return _faults_of_short(text) if len(text) <= _SHORT else _find_faults(text)


def _find_faults(text: str) -> tuple[str, ...]:
    secret = ("secret",) if redact_text(text) != text else ()
    return (*secret, "orders-reader") if injects(text) else secret


# The same few tags come again and again.
_SHORT = 40
_faults_of_short = lru_cache(maxsize=4_096)(_find_faults)


def make_atom(
    texts: Texts,
    *,
    message: str | None,
    checked: bool,
    supersedes: str | None = None,
    members: tuple[str, ...] = (),
) -> Atom:
    """The atom of texts that broke no rule."""
    kind: AtomType = next(name for name in ATOM_TYPES if name == texts.kind)
    return Atom(
        type=kind,
        statement=texts.statement,
        domain=tags_of(texts.domain),
        conditions=texts.conditions or NONE_STATED,
        verbatim_quote=texts.quote or None,
        quote_checked=checked,
        wrong_assumption=_or_none(texts.wrong),
        why_confused=_or_none(texts.why),
        message=message,
        time_bound=is_time_bound(texts.statement) or is_time_bound(texts.quote),
        digest=digest(texts.statement),
        supersedes=supersedes,
        members=members,
    )


def tags_of(domain: Sequence[str]) -> tuple[str, ...]:
    """Domain tags in their one form, without those of which nothing is left, each once, at most eight."""
    return tuple(dict.fromkeys(clean for name in domain if (clean := tag(name))))[:MOST]


def one_line(text: str) -> str:
    """Text as one line in NFC, without characters that are not seen (control, format, private use, lone surrogates)."""
    line = " ".join(text.split())
    if line.isprintable():
        return unicodedata.normalize("NFC", line)
    seen = "".join(
        " " if char.isspace() else char for char in text if char.isspace() or unicodedata.category(char) not in _UNSEEN
    )
    return unicodedata.normalize("NFC", " ".join(seen.split()))


_UNSEEN = frozenset(["Cc", "Cf", "Co", "Cs", "Cn"])


def quote_stands(quote: str, text: str) -> bool:
    """Whether a quote stands in a message, character for character, within one stretch of what the person typed."""
    if not quote or not _is_utf8(quote):
        return False
    return quote in text and any(text.find(quote, first, last) >= 0 for first, last in spans_of(text))


def _is_utf8(text: str) -> bool:
    return text.isascii() or _SURROGATE.search(text) is None


_SURROGATE = re.compile("[\ud800-\udfff]")


def kept_conditions(given: str, quote: str | None) -> str:
    """Conditions as given, or where none are, the phrase of the quote that states one, or 'none stated'."""
    line = one_line(given)
    carried = _carried(quote) if quote else []
    if is_empty(line):
        return "; ".join(carried) or NONE_STATED
    plain = normalize(line)
    lost = [phrase for phrase in carried if normalize(phrase) not in plain and plain not in normalize(phrase)]
    return "; ".join([line, *lost])


def is_empty(text: str) -> bool:
    """Whether a text only says that there is nothing to say."""
    return normalize(text) in _EMPTY


def _carried(quote: str) -> list[str]:
    return condition_phrases.stated(one_line(quote), language_of(quote) or ENGLISH)


def _conditions(given: str, quote: str, message: str) -> str:
    """What an answerer gives as conditions counts only where the message says it."""
    line = one_line(given)
    if is_empty(line) or not all(_stands(part, message) for part in line.split("; ")):
        line = ""
    return kept_conditions(line, quote)


def _stands(part: str, message: str) -> bool:
    return normalize(part) in normalize(message)


def _refused_quote(quote: str, text: str) -> Refusal | None:
    if size_of(quote) < _FEWEST_QUOTED:
        return Refusal("no-quote")
    if len(quote) > LONGEST_QUOTE:
        return Refusal("too-long", "verbatim_quote")
    return None if quote_stands(quote, text) else Refusal("quote-not-said")


def _too_long(texts: Texts) -> bool:
    others = (texts.conditions, texts.wrong, texts.why)
    if len(texts.statement) > LONGEST_STATEMENT or len(texts.quote) > LONGEST_QUOTE:
        return True
    return any(len(text) > LONGEST_TEXT for text in others)


def _is_complete(texts: Texts) -> bool:
    """Both extra texts say something, and what was wrong is not what is right."""
    if is_empty(texts.wrong) or is_empty(texts.why):
        return False
    return normalize(texts.wrong) != normalize(texts.statement)


def _or_none(text: str) -> str | None:
    return None if is_empty(text) else text
