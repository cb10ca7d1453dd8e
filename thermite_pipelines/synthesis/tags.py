"""Domain tags: their one form, how two of them match, and what falls within a scope.

A tag may be a path of parts with '/' between them: the shorter `store` covers `store/sqlite`. Words are compared in the
singular, so that `migration` finds `migrations`.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_BLANKS = re.compile(r"[\s\-\u2010\u2011]+")
_PARTS = re.compile(r"[\s/]+")
_KEPT_LENGTH = 3
_KEPT_ENDINGS = ("ics", "ss", "us", "is")
# `batches`, not `caches`: one vowel alone before `ches` is the word's own.
_HISSED = re.compile(r"(?:ss|x|zz|sh|(?:[^aeiou]|[aeiou]{2})ch)es\Z")


@lru_cache(16_384)
def canonical(tag: str) -> str:
    """The form in which tags are stored and compared: canonical Unicode, case folded, hyphens and blanks one space.

    `Web-Metrics` becomes `web metrics`; an underscore stays. Applied again it changes nothing.
    """
    # Folded in the decomposed form: composed letters may fold to what is not composed any more.
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", tag).casefold())
    return _BLANKS.sub(" ", folded).strip()


def canonical_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags in their one form, each once, in order; what has no letter or sign left falls away."""
    return tuple(dict.fromkeys(form for tag in tags if (form := canonical(tag))))


@lru_cache(16_384)
def stems(tag: str) -> frozenset[str]:
    """The words of a tag in the singular."""
    return frozenset(_singular(word) for word in _PARTS.split(canonical(tag)) if word)


def _singular(word: str) -> str:
    if len(word) <= _KEPT_LENGTH or word.endswith(_KEPT_ENDINGS) or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if _HISSED.search(word) else word[:-1]


def matches(requested: str, tag: str) -> bool:
    """Whether a tag of a fact is what was asked for, lies below it, or holds all of its words."""
    wanted, have = canonical(requested), canonical(tag)
    if not wanted:
        return False
    return wanted == have or have.startswith(f"{wanted}/") or stems(wanted) <= stems(have)


def same_entity(requested: str, entity: str) -> bool:
    """Whether two names are one: the same but for the case of letters."""
    return requested.casefold() == entity.casefold()


def in_scope(
    domain: Iterable[str], entities: Iterable[str], wanted_domain: Iterable[str], wanted_entities: Iterable[str]
) -> bool:
    """Whether a fact is in a scope: any domain asked for matches one of its own, or any entity one of its own.

    A scope that asks for nothing holds everything. A domain is never compared with an entity.
    """
    domains, names = tuple(wanted_domain), tuple(wanted_entities)
    if not domains and not names:
        return True
    own, own_names = tuple(domain), tuple(entities)
    return any(matches(one, tag) for one in domains for tag in own) or any(
        same_entity(one, name) for one in names for name in own_names
    )


def markers(campaign: str, kits: Iterable[str | None] = ()) -> frozenset[str]:
    """What marks all of a campaign's facts, in the form of tags: its name and the kits of its runs."""
    return frozenset(canonical_tags([campaign, *(kit for kit in kits if kit)]))


def without(tags: Iterable[str], left_out: frozenset[str]) -> tuple[str, ...]:
    """Tags that tell facts of one campaign apart: those that are no markers, in order."""
    return tuple(tag for tag in tags if canonical(tag) not in left_out)
