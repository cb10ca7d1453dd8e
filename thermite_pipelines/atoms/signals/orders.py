"""Words by which a text tries to command whoever reads it, and words that are too plain to be kept."""

import re
import unicodedata
from functools import cache

from thermite_pipelines.atoms.signals import LANGUAGES
from thermite_pipelines.atoms.signals.language import Language, lowered
from thermite_pipelines.atoms.signals.sentences import language_of, size_of

_INJECTION = re.compile(
    r"""
      (?:ignore|disregard|forget|override|bypass|skip)\s(?:\w+\s){0,3}(?:previous|prior|above|earlier|preceding
      |former|system|all|any|your|other|these|those|its|their)
      \s?(?:\w+\s){0,3}(?:instructions?|prompts?|rules?|guidelines|guardrails|messages?|context|directives?|safety
      |training|atoms?)
    | (?:new|updated|real|actual|following|secret|hidden)\s(?:system\s)?(?:instructions?|prompt)\s?(?:are|is|:|follow)
    | you\s(?:must|should|shall|will|are\sto|have\sto|need\sto)\s(?:now|immediately|always\sobey|obey|comply
    |not\stell|never\smention|from\snow)
    | you\sare\s(?:now|no\slonger)\b | from\snow\son,?\syou | (?:act|behave|respond|answer|speak
    |pose)\sas\s(?:if\syou|an?\s|the\s|my\s)(?:\w+\s){0,3}(?:assistant|ai|model|admin\w*|root|developer|system
    |hacker|dan|unrestricted)
    | (?:pretend|roleplay)\s(?:to\sbe|that\syou|you|as)
    | (?:reveal|print|show|output|repeat|leak|send|share|disclose|exfiltrate
    |tell\sme)\s(?:\w+\s){0,3}(?:system\sprompt|your\sprompt|your\sinstructions|hidden\s\w+|credentials|secrets?
    |passwords?|api\skeys?|\.env|environment\svariables|private\skeys?)
    | do\snot\s(?:tell|inform|mention|reveal|warn|ask|alert|notify)\s(?:\w+\s)?(?:the\s)?(?:user|human|person|anyone
    |owner|operator)
    | without\s(?:telling|asking|informing|notifying)\s(?:\w+\s)?(?:the\s)?(?:user|human|person|anyone|owner|operator)
    | <\|?(?:/?im_start|/?im_end|system|assistant|user|endoftext|eot_id|start_header_id)[^>\n]{0,40}\|?>
    | </?(?:system|assistant|user|human|instructions?|prompt|tool_call|tool_result|function_calls?
    |system-reminder)[^>\n]{0,80}>
    | \[/?(?:inst|system|assistant|sys)\] | <<\s?/?sys\s?>> | \#{2,}\s?(?:system|instruction|assistant|human)
    | ^\s?(?:system|assistant|developer|human)\s?:
    | (?:jailbreak|prompt\sinjection\spayload|developer\smode\s(?:on|enabled))
    | (?:ignoriere?|vergiss|missachte)\s(?:\w+\s){0,3}(?:vorherigen?|bisherigen?|obigen?|alle|deine
    |frühere[nr]?)\s?(?:\w+\s){0,2}(?:anweisung\w*|regeln?|instruktion\w*|vorgaben|nachrichten?)
    | (?:ignore[zr]?|oublie[zr]?)\s(?:\w+\s){0,3}(?:toutes|tes|vos|les|ces)\s?(?:\w+\s){0,2}(?:instructions?
    |consignes|règles)
    | (?:ignor[ae]|olvida|descarta)\s(?:\w+\s){0,3}(?:las|tus|todas|los|estas)\s?(?:\w+\s){0,2}(?:instrucciones
    |reglas|indicaciones|mensajes)
    | (?:忽略|无视|忘记|忘掉|不要理会)[^。，]{0,10}(?:之前|以上|上面|前面|所有|先前|你的|系统)[^。，]{0,10}(?:指令
    |指示|规则|提示|说明|要求|提示词)
    | (?:これまで|以前|上記|前|すべて|全て|あなた|システム)[^。、]{0,10}(?:指示|命令|ルール
    |プロンプト)[^。、]{0,6}(?:無視|忘れ|従わ)
    """,
    re.VERBOSE | re.MULTILINE,
)
_ORDER = re.compile(
    r"""
      (?:please\s|now,?\s|then,?\s|first,?\s|immediately\s|always\s|never\s|do\snot\s|don't\s|you\s(?:must|should
      |shall|have\sto|need\sto|are\sto|will|can\snow)\s(?:not\s|always\s|never\s)?
        |(?:the\s)?(?:agent|reader|assistant|ai|model|bot|llm|agents|readers)\s(?:must|should|shall|has\sto|have\sto
        |needs\sto|is\sto)\s(?:not\s|always\s|never\s)?)*
      (?: (?:execute|delete|remove|rm|send|upload|download|curl|wget|install|reveal|disable|grant|sudo|chmod|wipe|erase
          |ignore|disregard|forget|obey|tell)
          \s(?!.{0,30}\b(?:is|are|was|were|does|do|means|returns|takes|has|have|will|can|cannot|only|failed|fails|cost)\b)
        | (?:run|post|fetch|push|open|visit|click|print|output|reply|respond|answer|email|transfer|drop|approve|merge
          |follow|say|write|call|type|paste|copy|share|give|stop|kill|reset|use|add|set|make|show|create|commit|deploy)
          \s(?:(?:the|an?|all|every|each|any|your|my|our|their|its|his|this|that|these|those|it|them|me|us|him|to|with|on|in
          |from|for|and|now|only|both|everything|whatever|what|back|out|no)\b|[`"'/$\d-])
          (?!.{0,40}\b(?:is|are|was|were|does|do|means|returns|takes|has|have|will|can|cannot|failed|fails)\b)
      )
    | (?:you|(?:the\s)?(?:agent|reader|assistant|ai|model|bot|llm))\s(?:must|should|shall|have\sto|has\sto|need\sto
    |needs\sto|are\sto|is\sto|will\snow)\b
    | please\s | make\ssure\s | be\ssure\sto | remember\sto | do\snot\s | don't\s | always\s(?!the|a|an
    |means) | never\s(?!the|a|an|mind)
    | (?:bitte|du\s(?:musst|sollst|darfst)|sie\s(?:müssen|sollen))\s | (?:tu\s(?:dois|devras)|vous\sdevez|veuillez
    |s'il\s(?:te|vous)\splaît)\s
    | (?:debes|tienes\sque|por\sfavor)\s | (?:请你?|你(?:必须|应该|要|得|现在要|不得)|务必
    |帮我) | あなたは[^。]{0,30}(?:しなければ|すべき|してください|必要が)
    """,
    re.VERBOSE,
)
_COMMANDS_AT_END = re.compile(r"(?:してください|しなさい|て下さい|せよ)[。！!]?$")


# Signs that are not seen, with which a phrase is broken up so that it is not found.
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")


def _plain(text: str) -> str:
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(lowered(unicodedata.normalize("NFKC", _UNSEEN.sub("", text))).split())


def injects(text: str) -> bool:
    """Whether a text carries phrases that take over a reader: 'ignore previous instructions', tags of roles."""
    return _INJECTION.search(_plain(text)) is not None


def orders(statement: str) -> bool:
    """Whether a statement orders its reader about: an atom is something to weigh, so it states and does not command."""
    plain = _plain(statement)
    return _ORDER.match(plain) is not None or _COMMANDS_AT_END.search(plain) is not None


@cache
def _courtesies() -> re.Pattern[str]:
    """Whole courtesies in any of the languages."""
    return re.compile("|".join(language.whole("courtesies").pattern for language in LANGUAGES))


_ROUTINE_WORDS = 12
_BARE_ORDER = 3  # words
# What stands behind the verb of an order, in the languages that have articles.
_OBJECTS = frozenset(
    re.findall(
        r"\w+",
        "the a an it this that these those them me us my our your all both each every again now up down and to with "
        "den die das der es la el los las le les un une eine einen alle todo toda tous toutes",
    )
)
_SUBSTANCE = ("reasons", "faults")


def is_courtesy(text: str) -> bool:
    """Whether a text is an approval or small talk, or has no word at all."""
    low = " ".join(lowered(text).split())
    bare = low.strip(" .,!?。！？，、:;)…👍🙏😀🎉")
    if not any(char.isalnum() for char in bare):
        return True
    courtesies = _courtesies()
    return bool(courtesies.fullmatch(bare) or courtesies.fullmatch(low))


def is_plain_proposal(text: str) -> bool:
    """Whether what a person wrote down to be kept is an approval, small talk, or plainly a routine instruction.

    'Push servers restart on Mondays' begins as an order does; somebody who proposes it means what it says. So only what
    goes on as an order does ('push the branch'), or is hardly more than one, counts.
    """
    if is_courtesy(text):
        return True
    words = lowered(text).split()
    return is_plain(text) and (len(words) <= _BARE_ORDER or words[1] in _OBJECTS)


def is_plain(text: str) -> bool:
    """Whether a text is an approval, small talk or a routine instruction: there is nothing in it to know."""
    if is_courtesy(text):
        return True
    low = " ".join(lowered(text).split())
    language = language_of(low) if size_of(low) <= _ROUTINE_WORDS else None
    if language is None or language.starts("routine", low) is None:
        return False
    if language.spaced and language.search("asserts", low):
        return False  # 'Run length encoding is used …' states something, though it begins as an order does
    return not (any(language.search(table, low) for table in _SUBSTANCE) or _tells(language, low))


def _tells(language: Language, low: str) -> bool:
    """Whether a signal of some type stands in the text: then it is more than routine."""
    return any(pattern.search(low) for pattern in (*language.by_type.values(), language.any_contrast))
