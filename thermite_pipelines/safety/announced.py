"""Credentials that have no shape of their own: a sentence, a header or a command line says that one follows.

What announces them stays, since it says which credential was the trouble. Prose about credentials ("the password is
wrong", "Passwort: abgelaufen") stays too, so what follows must look like no word.
"""

import re

# Of a password and of an API key, anything but a plain word is one. The other words are also used of other things.
_STRONG = r"passw(?:or)?d s?|passwd|pwd|passphrase|passcode|(?:api|access|auth|secret)[ _-]?key s?"
_WEAK = r"tokens?|keys?|log-?in|secrets?|credentials?"
_NO_CREDENTIAL = r"(?:cache|sort|hash|index|primary|foreign|partition|commit|sha|revision|digest|checkpoint)"
_QUOTES = r"[\"'`“„«「『(]{0,2}"
_ENGLISH = re.compile(
    rf"""(?ix)
    (?P<before> (?<![a-z0-9]) (?: (?P<strong> {_STRONG} ) | (?: {_WEAK} ) ) ["'`]?
      (?: (?P<says>
            (?: [ \t]{{1,3}} (?: that|which|i|we|they|for|to|of|in|from|on|at|with )
                (?: [ \t]{{1,3}} (?! {_NO_CREDENTIAL} \b ) [\w'-]{{1,40}} ){{1,4}}? )?
            (?: \s{{1,3}} (?: is | was | are | reads ) (?: \s{{0,3}} : )? | \s{{0,3}} (?: [:=：＝] | => ) ) \s{{1,3}}
            | \s{{0,3}} [:=：＝] )
        | [ \t]{{1,3}} )
      {_QUOTES} )
    (?P<value> [^\s"'`“”»」』,;]{{6,}} )
    """
)
_PARTS_OF_ENGLISH = ("token", "key", "login", "log-in", "secret", "pass", "pwd", "credential")
_OF_A_THING = re.compile(rf"(?i){_NO_CREDENTIAL}[ _-]$")
_LOCAL_NAMES = (
    r"passwort|kennwort|contrase[ñn]a|mot[ ]de[ ]passe|senha|palavra-passe|parola|wachtwoord|l[öo]senord|adgangskode"
    r"|heslo|has[łl]o|[şs]ifre|salasana|kata[ ]sandi|mật[ ]khẩu|парол[ьяюе]м?|κωδικός|סיסמה|הסיסמה|كلمة[ ]المرور|पासवर्ड"
    r"|รหัสผ่าน"
)
_LOCAL = re.compile(
    rf"""(?ix)
    (?P<before> (?<![^\W\d_]) (?P<strong> {_LOCAL_NAMES} ) ["'`]?
      (?P<says> \s{{0,3}} (?: [:=：＝—–] | => ) | \s{{1,3}} (?: ist|lautet|war|es|era|est|était|é|era|è|is|was|är|je|to
        | adalah|là|это|είναι|है|คือ ) (?: \s{{0,3}} : | (?=\s) ) | \s{{0,3}} คือ )?
      \s{{0,3}} {_QUOTES} )
    (?P<value> [^\s"'`“”»」』,;]{{6,}} )
    """
)
_UNSPACED_NAMES = "密[码碼]|口令|パスワード|비밀번호|암호"
_UNSPACED = re.compile(
    rf"""(?x)
    (?P<before> (?P<strong> {_UNSPACED_NAMES} )
      (?P<says> \s{{0,3}} (?: 就?是 | 为 | 為 | [ぁ-ん]{{1,6}} | [는은가이] )? \s{{0,3}} [:=：＝….—「『“]{{0,3}} )
      \s{{0,3}} {_QUOTES} )
    (?P<value> [!#-&(-+\--:<-_a-~]{{6,}} )
    """
)
# A part of each that is written in ASCII: a quick look for them.
_ASCII_PARTS = (
    *("passwort", "kennwort", "contrase", "mot de", "senha", "palavra", "parola", "wachtw", "losen", "adgang"),
    *("heslo", "haslo", "sifre", "salas", "kata s"),
)
_LOCAL_NAME = re.compile(rf"(?i){_LOCAL_NAMES}|{_UNSPACED_NAMES}")
# What stands for a credential that is kept elsewhere (a variable, an expression), and what is said about its form.
_STAND_IN = re.compile(
    r"(?i)\$\{?[a-z_][a-z_0-9]*\}?$|<|\*{3}|[{\[%]|(?:base64|utf-?8|sha-?\d+|md5|ascii)(?:$|[-_])|\d+-[a-z]+$|https?:"
    r"|(?:os|process|settings|config|args|self)[./][a-z_]+|[a-z_]+(?:\.[a-z_]+)*[(\[]$"
)
_PARTS = re.compile(r"[-_.'’/]")
_WORDY = re.compile(r"[A-Z]?[a-z]{1,24}[0-9]{0,5}|[A-Z]{1,24}|[0-9]+|[A-Za-z]{0,3}[0-9]{1,5}[A-Za-z]{0,3}")
_TAIL = ".,;:!?)]}>。！？"

_COOKIE = re.compile(r"(?i)((?<![a-z])(?:set-)?cookies?[\"']?(?:\s{0,3}[:=]|(?<=--cookie)\s)\s{0,3})([^\r\n]{1,8000})")
_PAIR = re.compile(r"([^\s=;,\"'&]{1,100})(=\"?)([^\s;\"',]{6,})")
_ATTRIBUTES = frozenset(["path", "domain", "expires", "max-age", "samesite", "version", "priority"])
_SESSION = re.compile(r"(?i)sess|sid|auth|token|csrf|jwt")
_ARGUMENT = r"(?:\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"'$]\S{3,})"
_SSHPASS = re.compile(rf"(\bsshpass\s+-p\s{{0,3}}){_ARGUMENT}")
_MYSQL = re.compile(
    rf"(\b(?:mysql|mariadb)[a-z-]{{0,12}}(?=\s)(?:[ \t]+(?!-p[^\s])[^\s|;&]{{1,100}}){{0,12}}[ \t]+-p){_ARGUMENT}"
)


def redact_announced(text: str, mark: str) -> str:
    """The text with a mark for each credential that something before it announces; see the module."""

    def value(match: re.Match[str]) -> str:
        bare = match["value"].rstrip(_TAIL)
        if mark in match["value"] or not _is_credential(match, bare):
            return match.group()
        return match["before"] + mark + match["value"][len(bare) :]

    lower = text.lower()
    if any(word in lower for word in _PARTS_OF_ENGLISH):
        text = _ENGLISH.sub(value, text)
    if not text.isascii() or any(part in lower for part in _ASCII_PARTS):
        text = _UNSPACED.sub(value, _LOCAL.sub(value, text))
    if "cookie" in lower:
        text = _COOKIE.sub(lambda match: match[1] + _without_values(match[2], mark), text)
    if "-p" in lower:
        text = _MYSQL.sub(rf"\g<1>{mark}", _SSHPASS.sub(rf"\g<1>{mark}", text))
    return text


def announces_password(name: str) -> bool:
    """Whether the name, as it stands before a value, is a word for a password in another language than English."""
    return _LOCAL_NAME.fullmatch(name.strip()) is not None


def _is_credential(match: re.Match[str], value: str) -> bool:
    if len(value) < 6 or _STAND_IN.match(value):
        return False
    if match["strong"] and match["says"]:
        return not _is_plain(value)
    thing = _OF_A_THING.search(match.string, max(0, match.start() - 12), match.start())
    return len(value) >= (8 if match["says"] else 12) and thing is None and _is_mixed(value)


def _is_plain(value: str) -> bool:
    """Whether this could be a word of prose, or a few that are joined."""
    parts = list(filter(None, _PARTS.split(value)))
    joined_by_many = len(parts) > 3 and len(value) >= 16
    return not joined_by_many and all(
        part.isalpha() and (part == part.lower() or part == part.upper() or part[1:] == part[1:].lower())
        for part in parts
    )


def _is_mixed(value: str) -> bool:
    """Whether letters and digits are mixed as in a key: in no part of the value are they a word with a number."""
    if not re.fullmatch(r"[A-Za-z0-9+/=_.~-]+", value):
        return False
    both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return both and not all(_WORDY.fullmatch(part) for part in re.split(r"[_.=+/~-]+", value) if part)


def _without_values(header: str, mark: str) -> str:
    def pair(match: re.Match[str]) -> str:
        name, between, value = match.groups()
        kept = name.lower() in _ATTRIBUTES or mark in value or _STAND_IN.match(value)
        if kept or (_is_plain(value) and not _SESSION.search(name)):
            return match.group()
        return f"{name}{between}{mark}"

    return _PAIR.sub(pair, header)
