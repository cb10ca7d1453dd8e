"""Redaction by shape: whatever looks like a credential is replaced before text reaches a table or a list.

A filter, not a guarantee: it knows shapes of keys that are in use, not every secret. The raw report keeps what was sent
and is outside every sync, export, search and page.
"""

import re
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any

from thermite_pipelines.safety.announced import announces_password, redact_announced
from thermite_pipelines.safety.broken_lines import redact_broken

MARK = "[redacted]"

# Each shape is anchored so that ordinary words, hashes of commits and paths stay. Sources: the key formats that the
# providers publish, and RFC 7519 (JWT), RFC 7468 (PEM), RFC 3986 (user information in a URL).
_SHAPES = re.compile(
    r"""
      -----BEGIN[ ][A-Z0-9 ]*PRIVATE[ ]KEY(?:[ ]BLOCK)?-----.*?
        (?:-----END[ ][A-Z0-9 ]*PRIVATE[ ]KEY(?:[ ]BLOCK)?-----|\Z)
    | \bgithub_pat_[A-Za-z0-9_]{20,}
    | \b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}\b
    | \bAIza[A-Za-z0-9_-]{30,}
    | \b(?:ya29|1//0)[.A-Za-z0-9_-][A-Za-z0-9_-]{20,}
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?
    | \b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}
    | \b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}
    | \b(?:SK|AC|key-|dapi|SG_|NRAK-?)[0-9a-f]{32}(?![A-Za-z0-9])
    | \bNR(?:AK|JS|RA|II)-[A-Za-z0-9]{16,}
    | \bAGE-SECRET-KEY-1[A-Z0-9]{20,}
    | \b[A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{28,}
    | \b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}
    | (?<![A-Za-z0-9])[0-9a-fA-F]{64,}(?![A-Za-z0-9])
    """,
    re.VERBOSE | re.DOTALL,
)
# Words of prose, joined or not: `basic` and `bearer` are such words themselves, except in a header.
_NO_WORD = r"(?!(?-i:[A-Z]?[a-z]{1,24}(?:[-/.][A-Za-z]?[a-z]{1,24})*)\.?(?![A-Za-z0-9+/_.~=-]))"
# What stands after a mark that announces it: the mark stays. Each with a part of the mark, so that most texts need no
# search.
_ANNOUNCED = [
    (mark, re.compile(pattern))
    for mark, pattern in (
        ("://", r"(://)[^\s/:@]{0,100}:[^\s/@]{1,200}(?=@)"),
        ("hooks.slack", r"(hooks\.slack\.com/)(?:services|workflows|triggers)/[A-Za-z0-9/]{20,}"),
        ("sig=", r"([?&]sig=)[A-Za-z0-9%+/=_-]{20,}"),
        ("bearer", rf"(?i)(bearer\s)(?:(?<=ation:\sbearer\s)|{_NO_WORD})[A-Za-z0-9+/_.~-]{{12,}}={{0,2}}"),
        ("basic", rf"(?i)(basic\s)(?:(?<=ation:\sbasic\s)|{_NO_WORD})[A-Za-z0-9+/_.~-]{{12,}}={{0,2}}"),
        ("ssws", r"(?i)(ssws\s)[A-Za-z0-9+/_.~-]{12,}={0,2}"),
        ("ation: token", r"(?i)(ation: token\s)[^\s\"']{6,}"),
        ("password", r"(?i)((?:--|\s)password\s)(?=\S*[0-9])[^\s\"']{6,}"),
        ("--", r"(--(?:token|api-key|secret)\s)(?=\S*[0-9])[^\s\"']{6,}"),
        ("-u ", r"(-u\s)(?![0-9]+:[0-9]+\b)[^\s:/]{1,60}:[^\s\"']{4,}"),
    )
]
# What providers put before a key of theirs. Since names of files, options and functions begin like this too, what
# follows must not be made of words.
_PREFIXED = re.compile(
    r"""(?x) \b (?:
      (?:sk|pk|rk)[-_](?:live|test|ant|proj|or|svcacct|admin)?[-_]?
    | (?: gh[opsur]|gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|sa|c)|hf|api_org|npm|pypi|xox[abeoprs]|xapp|SG
        | do[opr]_v1|shp(?:at|ss|ca|pa)|sq0(?:csp|atp|idp)|whsec|rpa|r8|gsk|xai|pplx|tvly|nvapi|fw|csk|pcsk
        | lsv2_(?:pt|sk)|jina|lin_(?:api|oauth)|ntn|secret|hv[sbr]|dp\.(?:pt|st|sa|ct|scim|audit)|dckr_[op]at|rubygems
        | PMAK|sntry[su]|sbp|nfp|vc[pkair]|tskey(?:-(?:auth|api|client))?|figd|pul|ops|ATATT3|ATCTT3|ATBB|HRKU
        | pscale_(?:tkn|pw|oauth)|bk(?:ua|at|pt)|CCIPAT|CFPAT|sgp|pnu|tfp|aio|FlyV1[ ]fm2|fm2|fo1|sl|dt0c01
        | shippo_live|pat
      )[-_.]
    | (?:EAAA|ATATT3|ATCTT3)(?=[A-Za-z0-9])
    ) (?P<key> [A-Za-z0-9_.=+/-]{16,} )
    """
)
_WORD = re.compile(
    r"[A-Z]?[a-z]{1,24}(?:[A-Z][a-z]{1,24}){0,3}|[A-Z]{1,24}|[0-9]{1,8}|[A-Za-z]{0,3}[0-9]{1,5}[A-Za-z]{0,3}"
)
_BETWEEN_WORDS = re.compile(r"[_.=+/-]+")
# A long word of letters, digits and the signs of base64: a key if it is as mixed as chance makes it (`looks_random`).
_LONG_WORD = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,}={0,2}(?![A-Za-z0-9+/=_-])")
_CLASSES = str.maketrans(
    {char: kind for kind, chars in (("A", ascii_uppercase), ("a", ascii_lowercase), ("0", digits)) for char in chars}
)
# Chance changes between capital, small letter, digit and sign at 64 of 100 places; names and paths at some 30.
_MIXED = 0.45
# Only texts with such characters look otherwise than they are written.
_UNUSUAL = re.compile(r"[^\t\n\r -~]")
_CREDENTIAL_WORD = re.compile(r"(?i)pass|pwd|secret|token|credential|key")
# `password = …`, `API_KEY: …`: the value goes, the name stays, since it says which credential was the trouble.
_NAMED = re.compile(
    r"""(?ix)
    ( (?<![a-z]) [a-z0-9_.-]{0,40}? (?<! \b(?:pad|eos|bos|unk|sep|cls)_ ) (?<! \b(?:mask|next|stop|last)_ )
      (?: passw(?:or)?d | passwd | pwd | passphrase | passcode | secret | token | credential s?
        | (?: api | access | account | auth | private | secret | signing | encryption )[_-]?key )
      ["']? \s* (?: = | : | => ) \s* ["']? )
    (?! (?: missing|required|invalid|expired|refused|rejected|denied|unset|none|null|empty|undefined|optional|unknown
        | wrong|revoked|absent|disabled|enabled|string|needed|incorrect|token|password|secret ) (?: [\s.,;:!?)"'] | \Z )
      | \$\{?[A-Z_]+\}? (?: [\s,;.)"'] | \Z ) | <[a-z0-9 _:-]+> | \*{3}
      | (?: os|process|settings|config|tokenizer|args|self)\.[a-z_]+ )
    ( [^\s"',;]{6,} )
    """
)


def redact_text(text: str) -> str:
    """The text with everything that is shaped like a credential replaced by a mark, also where lines break it.

    Where a credential is disguised (in wide letters, or with characters in it that nobody sees), what is given is the
    text in NFKC without invisible characters.
    """
    clean = redact_as_written(text)
    if _UNUSUAL.search(text) is None:
        return clean
    as_written, as_read = _seen(clean), redact_as_written(_seen(text))
    if as_written == as_read:
        return clean
    # What is only found as it was written goes as well.
    return as_read if as_read.count(MARK) >= clean.count(MARK) else redact_as_written(as_written)


def _seen(text: str) -> str:
    # Few texts need it, and it loads tables of look-alikes.
    from thermite_pipelines.safety.folding import visible

    return visible(text)


def redact_as_written(text: str) -> str:
    """As `redact_text`, but without a look through disguises."""
    return _redact_lines(redact_broken(text, _redact_lines, MARK))


def _redact_lines(text: str) -> str:
    clean = _SHAPES.sub(MARK, text)
    lower = clean.lower()
    for mark, pattern in _ANNOUNCED:
        if mark in lower:
            clean = pattern.sub(rf"\g<1>{MARK}", clean)
    clean = _PREFIXED.sub(lambda match: match.group() if _is_wordy(match["key"]) else MARK, clean)
    clean = _LONG_WORD.sub(lambda match: MARK if looks_random(match.group()) else match.group(), clean)
    if _CREDENTIAL_WORD.search(clean):
        clean = _NAMED.sub(rf"\g<1>{MARK}", clean)
    return redact_announced(clean, MARK)


def _is_wordy(key: str) -> bool:
    return all(_WORD.fullmatch(part) for part in _BETWEEN_WORDS.split(key) if part)


def looks_random(word: str) -> bool:
    """Whether capitals, small letters, digits and signs change as often as by chance, and all but signs occur."""
    classes = word.rstrip("=").translate(_CLASSES)
    changes = sum(left != right for left, right in pairwise(classes))
    mixed = changes > _MIXED * len(classes) and {"A", "a", "0"}.issubset(classes)
    return mixed and not _is_wordy(word)


def _is_credential_name(key: str) -> bool:
    seen = key if key.isascii() else _seen(key)
    return _NAMED.fullmatch(f"{seen}={MARK}") is not None or announces_password(seen)


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
