"""Whether a text holds a URL, in any spelling that a reader could still follow; plain paths and versions are none."""

import re

from thermite_pipelines.safety.folding import Folded

# Top-level domains in wide use or known from links that carry something off, and the names of private networks. Not the
# whole list, which has `py`, `zip` and `data` in it: with it, most paths would be hosts.
_TOP = (
    "com|org|net|edu|gov|mil|int|info|biz|io|ai|dev|app|co|me|cloud|site|online|tech|store|top|club|link|page|live|news|icu"
    "|run|xyz|wiki|blog|pro|space|website|fun|world|life|today|team|tools|systems|network|digital|email|chat|help|host|press"
    "|gg|ly|to|tv|cc|us|uk|de|fr|eu|ru|su|cn|jp|kr|br|in|it|es|ch|nl|se|no|fi|dk|pl|be|at|ca|au|nz|ie|pt|cz|gr|tr|il|ir|ua"
    "|mx|ar|cl|za|sg|hk|tw|vn|th|id|my|ph|is|im|st|ws|la|fm|vc|gl|gd|cx|sx|tk|ml|ga|cf|gq|pw|bz|onion|i2p|eth"
    "|local|internal|lan|corp|home|intra|example|test|invalid|localhost|arpa|рф|中国|香港|한국|xn--[a-z0-9-]{2,40}"
)
# Domains that are also endings of file names: `paste.rs/x` is a URL, `main.rs/lib.rs` are two files.
_ALSO_FILES = "rs|py|sh|md|pl|so|ps|zip|mov|java|cs"
_LABELS = r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,5}"
_START = r"(?<![\w./\\@-])"
_HOST = rf"{_START}{_LABELS}"

_URL = re.compile(
    rf"""(?x)
      (?<![a-z0-9]) [a-z][a-z0-9+.-]{{1,15}} :\s?/\s?/ \s? [^\s`'\")\],.;:]           # any scheme
    | (?<![a-z0-9]) h \W? [tx] \W? [tx] \W? p \W? s? \s* : \s* [/\\\\]+                   # http, h**p, hxxp
    | (?<![a-z]) (?: mailto | javascript | vbscript | tel ) : [\w(+]
    | (?<![a-z]) data : (?: [a-z]+/[\w.+-]+ | ;? base64 | , \S )
    | (?<![a-z0-9]) www \d? \s? \. \s? [^\W_]
    | (?<![\w./:\\]) [/\\]{{2}} {_LABELS} (?:{_TOP}) (?![\w-])
    | (?<![\w.]) [\w.+-]+ @ [\w-]+ (?:\.[\w-]+)* : (?! \d+ \b (?!/) ) [\w~./-]           # git@host:path
    | {_HOST} (?:{_TOP}) \.? (?: : \d{{2,5}} (?!\d) | [/\\] (?!\s) \S? | \? [\w%]+ = | \# [\w/] )
    | {_HOST} (?:{_ALSO_FILES}) / [\w-]+ (?: / | (?! [\w.-]* \. [a-z] ) (?![\w.-]) )
    | {_START} (?: \d{{1,3}}\.){{3}} \d{{1,3}} (?: : \d{{2,5}} )? / (?! \d{{1,2}} (?![\w/]) ) \S?
    | {_START} (?! 127\. | 0\.0\.0\.0 ) (?: \d{{1,3}}\.){{3}} \d{{1,3}} : \d{{2,5}} (?!\d)
    | {_START} localhost (?: : \d{{2,5}} )? /
    | \[ [0-9a-f:]{{2,39}} \] (?: : \d{{2,5}} )? /
    | (?<![\w.-]) (?: https? | ftp | ssh | sftp | ldaps? | wss? | s3 | gs ) \s* [:;] \s* [/\\] {{1,3}} \s* \w
    | [\w-] \s* [\[({{] \s* (?: \. | dot ) \s* [\])}}] \s* [a-z]{{2,}}
    | \w \s dot \s (?: com | org | net | io | dev | ru | cn | xyz | sh ) \s* (?: / | \s slash \s | \s port \s\d )
    | (?: colon | : ) \s* slash \s* slash
    """
)
# Without one of these in it, a text needs no search.
_MAY_BE = re.compile(r"\S[.:/\\@]\S|:\s?[/\\]|dot|slash|www")


def holds_url(text: Folded) -> bool:
    """Whether some spelling of a URL stands in the text: with or without scheme, defanged, spaced out or escaped."""
    forms = (form.casefold() for form in (text.visible, text.skeleton, text.closed, _closer(text.skeleton)))
    return any(_MAY_BE.search(form) and _URL.search(form) for form in dict.fromkeys(forms))


def _closer(text: str) -> str:
    """The text without blanks around the signs of a URL, where a sentence would have none before them."""
    return re.sub(r"\s+([./:])\s*(?=[^\s])", r"\1", text)
