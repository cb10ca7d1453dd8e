"""What one line of a message looks like: prose that a person types, or what comes out of a program or a file."""

import re
from enum import IntEnum

LOOKED_AT = 400
"""How many characters of a line are looked at."""


class Kind(IntEnum):
    """The kinds of lines. `PASTED` is sure, `LIKELY` counts only beside what is sure or among others of its kind."""

    BLANK = 0
    PROSE = 1
    LIKELY = 2
    PASTED = 3
    RULE = 4
    HEADING = 5
    STYLED = 6  # as documents and models write it: a bold label, an item that begins in bold
    TURN = 7  # as in a printed conversation: `User: …`
    DIFF = 8  # begins a diff or a hunk of one


_DIFF = re.compile(
    r"diff --git |index [0-9a-f]{6,40}\.\.[0-9a-f]{6}|@@(?: -\d|\s*$)|--- (?:a/|/dev/null|\S+\t)|\+\+\+ \S"
)
_HEADING = re.compile(r"#{1,6} +\S")
_RULE = re.compile(r"[-=*_~─━═]{3,}$")
_STYLED = re.compile(
    r"(?:(?:[-*•]|\d{1,3}[.)])\s+)?(?:\*\*[^*]{1,120}\*\*|[✅❌⚠✓✗✔✖✘☑🔴🟢🟡🔍🚀📋📊🎯🔧💡])"
    r"|\d{1,2}\. (?:[A-Z][\w/-]*\s?){1,4}: [A-Z]"
)
_TURN = re.compile(r"(?:User|Human|Agent|Assistant|AI|Claude|ChatGPT|System|(?:You|ChatGPT) said)\s?:(?:\s|$)")

_LEVEL = r"(?:INFO|WARN(?:ING)?|ERROR|ERR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE|SEVERE)"
_PASTED = re.compile(
    # quoted, times and levels of logs
    r">"
    r"|[\[(]?\d{4}[-/.]\d\d[-/.]\d\d[T ,]+\d\d?:\d\d|[\[(]?\d{1,2}:\d\d:\d\d[\]),.\s]|\[\d\d/\d\d/\d\d\b"
    r"|\[?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    rf"|\[{_LEVEL}\]|{_LEVEL}(?::|\s?[\[|]|\s-|\s{{2,}}|\t)"
    # stack traces, messages of compilers
    r"|Traceback \(most recent|File \"[^\"]*\", line \d|Caused by: |\.\.\. \d+ more\b|goroutine \d+ \[|panic: "
    r"|Exception in thread |thread '[^']*' panicked|-->\s|(?:[Ee]rror|[Ww]arning|FAILED|fatal)(?:\s?\[[\w-]+\])?:\s"
    r"|[\w$.]*[a-z](?:Error|Exception|Warning)(?:\s?\[\w+\])?(?::|$)|Uncaught |Unhandled "
    r"|[\w@./\\-]+\.\w{1,8}:\d+(?::\d+)?(?:[:\s]|$)|\S+\.\w{1,8}\(\d+(?:,\d+)?\)|\d{1,6}\s?[|│→]"
    r"|\d+(?:-\d+)?: \S|[+-] {4,}\S|[\w.-]+\.[A-Za-z]\w{0,5}\s*$"
    r"|\^[\^~]*\s*$|~+\^*\s*$|[┌┐└┘├┤┬┴┼│─━═║╔╗╚╝╭╮╰╯▶►⎿⏺●✻⠋█▓░⋮]"
    # prompts of shells and what common tools print
    r"|\$ [\w./~-]|[\w.-]+@[\w.-]+[:\s][^\s]*\s?[$#%]\s|PS [A-Z]:\\|[❯➜λ]\s|[A-Z]:\\[^>\n]*>|(?:In|Out)\s?\[\d+\]:"
    r"|npm (?:ERR!|WARN|error|warn|notice)|yarn run v\d|On branch \S+$|Your branch (?:is|and) |Untracked files:"
    r"|Changes (?:not staged|to be committed)|(?:modified|new file|deleted|renamed): {2,}\S|commit [0-9a-f]{7,40}\b"
    r"|Author: .*<|Date: {2,}[A-Z]|remote: |=+ .* =+\s*$|E {3}\S|(?:FAILED|PASSED|PASS|FAIL|SKIPPED)\s+\S"
    r"|Collecting \S+$|Requirement already satisfied|Successfully (?:installed|built) |Downloading \S+"
    r"|Compiling \S+ v\d"
    r"|(?:GET|POST|PUT|DELETE|PATCH|HEAD) (?:/|https?:)|HTTP/\d|Process finished with exit code|exit (?:code|status)\b"
    # addresses, paths, commands and placeholders alone
    r"|<?(?:https?|file|ssh)://\S+>?\s*$|@?(?:~|\.{1,2})?(?:/[\w.@+-]+){2,}/?\s*$|[A-Z]:\\\S*\s*$"
    r"|/[a-z][\w:-]*(?:\s+[\w./@~-]*[/.\d][\w./@~-]*)?\s*$|\[Image(?:: [^\]]*| #\d+)?\]\s*$"
    r"|\[Pasted text #\d+[^\]]*\]\s*$"
    # data and mark-up
    r"|[{}\[\](),;]+\s*$|\"[^\"]{1,100}\"\s*:|\{.*[}\],;{]\s*$|\[[\[{\"'\d].*[\],]\s*$|\|.*\|\s*$"
    r"|</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>.*>\s*$|</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>\s*$|<!--|<!DOCTYPE|<\?xml"
    r"|[A-Z][A-Z0-9_]{2,}=\S*\s*$"
    # program text
    r"|from [\w.]+ import |import [\w.]+(?: as \w+)?;\s*$|import .{1,200} from ['\"]|#include\s?[<\"]|#!/"
    r"|package [\w.]+;"
    r"|(?:(?:export|default|public|private|protected|static|async|pub|final|abstract)\s)*"
    r"(?:def|function|fn|func|class|interface|struct|enum|impl|trait)\s[\w$<].{0,300}[({:;]\s*$"
    r"|(?:export\s)?(?:const|let|var|val)\s[\w{\[$][^=]{0,100}=|@\w[\w.]*\(.*\)\s*$|//|/\*|\*/"
    r"|(?:if|for|while|switch|catch)\s?\(.*\)\s?\{|\}\s?(?:else|catch|finally|while)\b|return\b.*;\s*$"
    r"|SELECT\s.{1,300}\sFROM\s|(?:INSERT INTO|CREATE TABLE|UPDATE \w+ SET|DELETE FROM)\s"
)
_PASTED_INDENTED = re.compile(r"at\s+[\w$.<>\[\]/]+\s?(?:\(|$)|[+-]\s?\S.*[;{}()]\s*$|[\w.]+\(.*\)[,;]?\s*$")
_LIKELY = re.compile(
    r"[\w.\[\]$]+\s(?:=|:=|\+=|==)\s\S|[\w.\[\]$-]+=\S|[\w.\"'-]+:\s*\S{0,60}\s*$|[*•-]\s+[\w.-]+:\s*\d+\s*$"
    r"|\d+ \w+:\s*$"
    r"|import [\w.]+(?: as \w+)?\s*$|@\w[\w.]*\s*$"
    r"|(?:if|for|while|with|try|except|elif|else|return|yield|await)\b.*[:;]\s*$"
    r"|#\s?\w|[drwx-]{10}\s|\d[\d.,:/ -]*\s*$"
)
_LIKELY_END = re.compile(r"[;{}]\s*$|[)\]],?\s*$")
_GAPS = re.compile(r"\S(?: {3,}|\t+)\S.*\S?(?: {3,}|\t+)\S|\S {7,}\S")
_CODE_END = re.compile(r"\)\s?(?::\s?[\w<>\[\]]+\s?)?(?:=>\s?)?\{\s*$|=>\s*$|[)}\]];\s*$")
_NO_WORD = re.compile(r"[\W\d_]+")
_UNWRITTEN = re.compile(r"[^\W\d_]|\s")
_WORD = re.compile(r"[\"'(“‘«¿¡]*[^\W\d_]+(?:['’/-][^\W\d_]+)*[.,:;!?…)\"'”’»]*$")
_INVISIBLE = re.compile(r"[\s\0-\x1f\x7f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]*")
_REPLY = re.compile(
    # a word or two as people put above and below a paste; a name before a colon can be data
    r"(?:no|nope|nah|yes|yep|yeah|ok|okay|wait|stop|hm+|look|see|and|but|so|also|then|now|here|again|instead|like this"
    r"|not this|nein|ja|doch|warum|aber|und|oui|non|mais|alors|voilà|sí|pero|mira)\s?[:,.!…]{1,3}"
    r"|(?:(?:and|but|so|ok|no|then|und|aber|et|mais|y|pero)[ ,]{1,2})?(?:why|what|how|when|where|who|which|huh"
    r"|really|right|then|now|ok|okay|warum|wieso|was|wie|wo|wann|wer|pourquoi|quoi|comment|où|quand"
    r"|por qué|qué|cómo|dónde|cuándo)"
    r"(?: [^\W\d_]{1,12}){0,2}\s?[?!…]{1,4}"
    r"|[^\W\d_]{1,10}[？！]",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"Run (?:npm|npx|pnpm|yarn|bun|make|cargo|go|pip|uv|pytest|python3?|docker|git|bash|[\w.-]+/[\w./-]+@)\b.*[^.!?:]$"
)
_ENDS = ".!?:…。！？：;,)"
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f\uff00-\uffef]")


def kind_of(line: str) -> Kind:
    """The kind of a line, by its first and last characters."""
    if len(line) > LOOKED_AT:
        line = line[: LOOKED_AT - 40] + line[-40:]
    bare = line.strip()
    if not bare or _INVISIBLE.fullmatch(bare):
        return Kind.BLANK
    first = bare[0]
    if first in "-+@di" and _DIFF.match(bare):
        return Kind.DIFF
    if first in "#-=*_~─━═":
        if _RULE.match(bare):
            return Kind.RULE
        if first == "#" and _HEADING.match(bare):
            return Kind.HEADING
    indent = len(line) - len(line.lstrip())
    if _PASTED.match(bare) or (indent >= 2 and _PASTED_INDENTED.match(bare)) or _looks_like_data(bare):
        return Kind.PASTED
    if bare[-1] in "{;>" and _CODE_END.search(bare):
        return Kind.PASTED
    if _STYLED.match(bare):
        return Kind.STYLED
    if _TURN.match(bare):
        return Kind.TURN
    if indent >= 4 or line[0] == "\t" or _LIKELY.match(bare) or (_LIKELY_END.search(bare) and not is_sentence(bare)):
        return Kind.PROSE if is_reply(bare) else Kind.LIKELY
    return Kind.PROSE


def _looks_like_data(bare: str) -> bool:
    size = len(bare)
    if size >= 60 and bare.isascii() and " " not in bare:
        return True
    if ("\t" in bare or "   " in bare) and _GAPS.search(bare):
        return True
    return size >= 20 and len(_UNWRITTEN.sub("", bare)) > 0.45 * size


def is_sentence(line: str) -> bool:
    """Whether a line reads as one that a person would write: mostly words, two at least, or a reply of one."""
    bare = line[:LOOKED_AT].strip()
    if is_reply(bare) or len(_NO_SPACES.findall(bare)) >= 4:
        return True
    words = bare.split()
    if len(words) < 2:
        return False
    clean = sum(1 for word in words if _WORD.match(word))
    return clean >= 2 and clean >= 0.6 * len(words)


def is_reply(line: str) -> bool:
    """Whether a line is a word or two that only a person says: `no:`, `why?`."""
    bare = line.strip()
    return len(bare) <= 40 and _REPLY.fullmatch(bare) is not None


def is_step(line: str) -> bool:
    """Whether a line is the head of a step in the log of a CI run: `Run npm test`."""
    return _STEP.match(line.strip()[:LOOKED_AT]) is not None


def is_remark(line: str) -> bool:
    """Whether a line is a sentence as people write beside a paste: it begins small or ends as a sentence does."""
    bare = line.strip()
    return is_sentence(bare) and (not bare[0].isupper() or bare[-1] in _ENDS) and not bare[0].isdigit()


def is_aside(line: str) -> bool:
    """Whether a line is a remark that hardly a program prints: it begins small, leads to what follows or asks."""
    bare = line.strip()
    if is_reply(bare):
        return bare[-1] in ":?：？"  # `OK.` programs print too
    return (
        is_remark(bare)
        and (not bare[0].isupper() or bare[-1] in ":?：？")
        and (len(bare.split()) > 3 or not bare.isascii())
    )


def is_title(line: str) -> bool:
    """Whether a line begins large and does not end as a sentence does."""
    bare = line.strip()
    return bare[:1].isupper() and bare[-1:] not in _ENDS


def is_fragment(line: str) -> bool:
    """Whether a line is a few words with a large first letter and no end, as programs print them."""
    bare = line.strip()
    return bare[:1].upper() == bare[:1] and bare[-1:] not in _ENDS and bare[:1] not in "-*•" and len(bare.split()) <= 5


def columns(line: str) -> tuple[str, int]:
    """The separator of a line of values and how many it has; `("", 0)` where it is none."""
    for separator in "\t;,":
        count = line.count(separator)
        if count >= 2 and (separator == "\t" or line.count(separator + " ") <= count // 4):
            return separator, count
    return "", 0
