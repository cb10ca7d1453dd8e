"""Redaction by shape: whatever looks like a credential is replaced before text reaches a table or a list.

A filter, not a guarantee: it knows shapes of keys that are in use, not every secret. The raw report keeps what was sent
and is outside every sync, export, search and page.
"""

import re
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

MARK = "[redacted]"

# Each shape is anchored so that ordinary words, hashes of commits and paths stay. Sources: the key formats that the
# providers publish, and RFC 7519 (JWT), RFC 7468 (PEM), RFC 3986 (user information in a URL).
_SHAPES = re.compile(
    r"""
      -----BEGIN[ ][A-Z0-9 ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z0-9 ]*PRIVATE[ ]KEY-----|\Z)
    | \b(?:sk|pk|rk)[-_](?:live|test|ant|proj|or|svcacct|admin)?[-_]?[A-Za-z0-9_-]{16,}
    | \b(?:ghp|gho|ghu|ghs|ghr|glpat|hf|npm|pypi|dop_v1|xox[abeoprs]|shpat|sq0csp|SG|whsec|rpa)[-_.][A-Za-z0-9_.-]{16,}
    | \bgithub_pat_[A-Za-z0-9_]{20,}
    | \b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA)[A-Z0-9]{16}\b
    | \bAIza[A-Za-z0-9_-]{30,}
    | \bya29\.[A-Za-z0-9_-]{20,}
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?
    | (?<=://)[^\s/:@]{1,100}:[^\s/@]{1,200}(?=@)
    | (?i:(?<=bearer\s)|(?<=basic\s))[A-Za-z0-9+/_.~-]{12,}={0,2}
    | \b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}
    | (?<![A-Za-z0-9])[0-9a-fA-F]{64,}(?![A-Za-z0-9])
    """,
    re.VERBOSE | re.DOTALL,
)
# A long word of letters, digits and the signs of base64: a key if it is as mixed as chance makes it (`_is_random`).
_LONG_WORD = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,}={0,2}(?![A-Za-z0-9+/=_-])")
_CLASSES = str.maketrans(
    {char: kind for kind, chars in (("A", ascii_uppercase), ("a", ascii_lowercase), ("0", digits)) for char in chars}
)
# Chance changes between capital, small letter, digit and sign at 64 of 100 places; names and paths at some 30.
_MIXED = 0.45
# `password = …`, `API_KEY: …`: the value goes, the name stays, since it says which credential was the trouble.
_NAMED = re.compile(
    r"""(?ix)
    ( (?<![a-z]) [a-z0-9_.-]{0,40}
      (?: passw(?:or)?d | passwd | pwd | passphrase | passcode | secret | token | credential s?
        | (?: api | access | account | auth | private | secret | signing | encryption )[_-]?key )
      ["']? \s* (?: = | : | => ) \s* ["']? )
    ( [^\s"',;]{6,} )
    """
)


def redact_text(text: str) -> str:
    """The text with everything that is shaped like a credential replaced by a mark."""
    clean = _LONG_WORD.sub(lambda match: MARK if _is_random(match.group()) else match.group(), _SHAPES.sub(MARK, text))
    return _NAMED.sub(lambda match: match.group(1) + MARK, clean)


def _is_random(word: str) -> bool:
    classes = word.rstrip("=").translate(_CLASSES)
    changes = sum(left != right for left, right in pairwise(classes))
    return changes > _MIXED * len(classes) and {"A", "a", "0"}.issubset(classes)


def _is_credential_name(key: str) -> bool:
    return _NAMED.fullmatch(f"{key}={MARK}") is not None


def redact(value: Any) -> Any:
    """A JSON value with all its strings redacted, keys included, and whatever text stands under a credential's name."""
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, list):
        return [redact(item) for item in value]
    if isinstance(value, dict):
        return {
            redact_text(key): MARK if isinstance(item, str) and _is_credential_name(key) else redact(item)
            for key, item in value.items()
        }
    return value
