"""What kind of line a line is, told by its form alone: prose, output of machines, quote, heading, list item."""

import re
from enum import Enum


class Kind(Enum):
    """`WEAK` lines are words without the marks of a sentence: typed in a chat, output where output is around them."""

    BLANK = 0
    PROSE = 1
    WEAK = 2
    LIST = 3
    HEADING = 4
    QUOTED = 5
    MACHINE = 6
    FENCED = 7


LOOKED_AT = 400
"""Characters of a line that are looked at, so that the work is linear."""

_PLAIN = re.compile(r"[A-Za-z][\w ,.'’?!:()/-]*")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_EAST = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_SENTENCE_END = re.compile(r"[.?!:…。？！：)\"'”’»]\s*$|[.?!]\s+\S")
_LIST = re.compile(r"\s*(?:[-*+•–]|\d{1,3}[.)]|[a-z]\))\s+\S")
_HEADING = re.compile(
    r"\s{0,3}#{1,6}\s+\S.*"
    r"|\s{0,3}\d{1,2}\.\s+[A-Z][^.?!]{2,100}"
    r"|\*\*[^*]{2,100}\*\*:?"
    r"|[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?\s*\S.{0,80}"
)

TALK = re.compile(
    r"\b(?:i|i'm|i’m|i'll|i've|im|we|we're|we'll|me|my|our|us|you|your|you're|please|pls|let's|lets|let’s|why|how|what"
    r"|which|can|could|should|would|don't|dont|doesn't|isn't|want|need|think|instead|actually|no|yes|ok|okay|also|now"
    r"|ich|wir|mir|uns|du|dein|bitte|warum|wie|nicht|nein|ja|doch|sondern|kannst|soll|können"
    r"|je|j'ai|nous|tu|vous|moi|mon|notre|pourquoi|comment|pas|non|oui|peux|faut|veux|plutôt"
    r"|yo|nosotros|tú|usted|mi|nuestro|por|qué|cómo|sí|quiero|puedes|debe|mejor"
    r"|eu|nós|você|meu|nosso|não|nao|sim|quero|pode|agora|deixa|ajude|faça)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(?:i|i'm|i’m|i'll|i've|we|we're|we'll|me|my|our|us|please|pls|let's|lets|let’s|can you|could you|did you|you should"
    r"|ich|wir|mir|uns|mein|unser|bitte|kannst du|je|j'ai|nous|moi|mon|notre|peux-tu|s'il|yo|nosotros|mi|nuestro"
    r"|por favor|puedes|eu|nós|meu|nosso|você)\b",
    re.IGNORECASE,
)

# Of a form that no sentence has.
_HARD = re.compile(
    r"\s*\W{0,3}\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|\[?\d{1,2}:\d\d:\d\d\b"
    r"|\[\d{2,4}[/.-]\d\d[/.-]\d\d"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\s*\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE)\b[\]: ]"
    r"|\s*\[[A-Z][A-Z _-]{2,30}\]"
    r"|\s+at [\w$.<>\[\] ]{1,200}[(:]|\s*at (?:async )?[\w$.<>]{1,200} \("
    r"|Traceback \(most|\s*File \"|Caused by: |\s*\.\.\. \d+ more|panic: |goroutine \d+ \[|Exception in thread"
    r"|diff --git |index [0-9a-f]{6,}\.\.|@@ -\d|\+\+\+ \S|--- \S|[+-](?: {2,}|\t)\S|[+-]{1,2}$"
    r"|\s*(?:\$ |❯|➜|#!/|>>> |PS [A-Z]:\\)|[\w.-]{1,40}@[\w.-]{1,60}[:~ ]\S{0,200}\s?[$#%]"
    r"|(?:[A-Za-z]:)?[~./\\]{0,3}[\w@.+-]{1,100}(?:[/\\][\w@.+-]{1,100}){0,40}\.\w{1,6}:\d+(?::\d+)?\b"
    r"|\s*\|.*\|\s*$|\s*[-=*_~.·+|#^]{3,}[-=*_~.·+|\s^]*$"
    r"|\s*[│┃┌┐└┘├┤─━═║╔╗╚╝╭╮╰╯⎿⏺✔✓✗✘×●▶]|[^\n]*\x1b\[|\[\d{1,2}(?:;\d{1,3})*m"
    r"|\s*[\[{(]+\s*$|\s*[\]})]+[,;)]*\s*$|\s*\"[^\"]{1,80}\"\s*:\s?[\[{\"\d-]|\s*\{\s*\"[^\"]{1,80}\"\s*:"
    r"|\s*//|\s*/\*|\s*\*/|\s*</?[a-zA-Z][\w.-]{0,40}(?:\s[\w:@-]{1,40}=[^>]{0,300})?\s*/?>|\s*<!--|\s*<\?xml"
    r"|\s*<?https?://\S+>?\s*$|[A-Z][A-Z0-9_]{2,60}=\S|\S{1,40}:\t"
    r"|[A-Za-z0-9+/=_-]{48,}\s*$|\s*\d+ [│|] |\s*>? ?\d+ [│|]|\s*\^+\s*$"
    r"|\s*\"?(?:[\w.-]+[/\\])+[\w.-]+\.\w{1,6}\"?\s*$|[\w-]{1,80}\.(?:md|py|ts|tsx|js|json|ya?ml|toml|txt|go|rs|java|c|h)\s*$"
)
# Of a form that code and logs have, and sentences now and then.
_SOFT = re.compile(
    r"\s*(?:[A-Za-z_.]{0,60}(?:Error|Exception|Warning)|Error|error|warning|fatal|remote|hint|npm ERR!)(?: ?\[\w+\])?: "
    r"|\s*(?:import|from|export|const|let|var|def|class|function|return|if|elif|else|for|while|async|await|public|private"
    r"|static|func|fn|pub|use|package|try|except|catch|#include|@\w+|SELECT|INSERT|UPDATE|CREATE|DELETE)\b.*[;{}():=,]\s*$"
    r"|.*(?:[;{}]|\);?|=>|\\)\s*$"
    r"|\s*[\w.\[\]]{1,80}\s?(?::=|[+*/-]?=)\s?\S"
    r"|\s*[\w.]{1,80}\([^()]{0,300}\)[;,]?\s*$"
    r"|\S.* {3,}\S.* {2,}\S|\S.*\t+\S.*\t"
    r"|[+-]\S.*[;{}()=,]\s*$|\s*\d+(?:-\d+)?: \S"
    r"|(?:Downloading|Installing|Collecting|Compiling|Building|Running|Fetching|Resolving|Successfully|Added|Removed) \S+(?: \S+){0,3}$"
)


def kind_of(line: str) -> Kind:
    """The kind of a line that stands in no code fence; only its first `LOOKED_AT` characters count."""
    if len(line) > LOOKED_AT:
        line = line[:LOOKED_AT]
    line = line.rstrip()
    if not line:
        return Kind.BLANK
    stripped = line.lstrip()
    if stripped[0] == ">" and len(line) - len(stripped) < 4:
        return Kind.QUOTED
    if _PLAIN.fullmatch(line) is None:
        if _HARD.match(line):
            return Kind.MACHINE
        found = _with_marks(line, len(line) - len(stripped))
        if found is not None:
            return found
    elif _SOFT.match(line) and not _is_sentence(line):
        return Kind.MACHINE
    return Kind.PROSE if _is_prose(line) else Kind.WEAK


def _with_marks(line: str, indent: int) -> Kind | None:
    """The kind of a line with more than letters and punctuation; `None` leaves it open."""
    east = len(_OTHER_SCRIPT.findall(line))
    if _HEADING.fullmatch(line) and not TALK.search(line):
        return Kind.HEADING
    if _LIST.match(line):
        return Kind.LIST
    if east >= 2:
        return Kind.PROSE
    if (_SOFT.match(line) or _is_noise(line)) and not _is_sentence(line):
        return Kind.MACHINE
    return Kind.WEAK if indent >= 4 and not _is_sentence(line) else None


def _is_noise(line: str) -> bool:
    """Whether more than two fifths of it are neither letters nor blanks."""
    if len(line) < 12:
        return False
    words = sum(map(len, _WORD.findall(line)))
    return words + line.count(" ") < 0.6 * len(line)


def _is_sentence(line: str) -> bool:
    """Whether it has the words of somebody who talks, and enough of them."""
    return len(_WORD.findall(line)) >= 5 and TALK.search(line) is not None and not _is_noise(line)


def _is_prose(line: str) -> bool:
    if _OTHER_SCRIPT.search(line) and len(_OTHER_SCRIPT.findall(line)) >= 2:
        return True
    words = len(_WORD.findall(line))
    if words < 3:
        return False
    return line.lstrip()[0].islower() or _SENTENCE_END.search(line) is not None or TALK.search(line) is not None


def is_personal(line: str) -> bool:
    """Whether somebody speaks of themselves or asks: first persons, requests; or a script that output seldom has."""
    line = line[:LOOKED_AT]
    return len(_EAST.findall(line)) >= 4 or (len(_WORD.findall(line)) >= 3 and _PERSON.search(line) is not None)


def begins_talk(line: str) -> bool:
    """Whether a line above a paste leads to it: small first letter, an end mark, or the words of talk."""
    line = line[:LOOKED_AT].strip()
    return line[:1].islower() or line[-1:] in "?:.!？：。！" or TALK.search(line) is not None
