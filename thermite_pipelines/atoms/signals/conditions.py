"""Words of a person that say where, when or for what something holds."""

import re
from functools import lru_cache

from thermite_pipelines.atoms.signals.language import Language, lowered, words_of

_EDGES = " ,.;:!?、。，；：！？-–—()（）"
_MOST = 4
# In 'I am not sure if …' the clause is the question, not a condition.
_WHETHER = re.compile(r"(?:if|si|s'ils?|when|where|quand|cuando|wenn)(?!\w)")
_TOKEN = re.compile(r"\S+")
# A clause goes on to its end; a phrase ('only on staging') ends where the next part of the sentence begins.
_CLAUSE = re.compile(
    r"(?:but |and |aber |mais |pero )?(?:(?:only|just|nur|seulement|uniquement|solo|sólo|solamente) )?"
    r"(?:if|when|whenever|while|once|where|unless|provided|as long|so long|assuming|until|till"
    r"|wenn|falls|sobald|während|bevor|nachdem|solange|sofern|vorausgesetzt|es sei"
    r"|si|quand|lorsqu\w*|dès|tant|pourvu|à moins|à condition|pendant que|s'ils?"
    r"|cuando|en cuanto|siempre|mientras|a menos|con la)(?!\w)"
)
_ENDS_CLAUSE = words_of("and but so because since und aber weil denn et mais car parce y pero porque")
# Words after which a phrase goes on although the next word is a function word: 'of the', 'below 50'.
_GOES_ON = words_of(
    "of for on in at with without under over above below between before after since from until within "
    "inside outside by to only than per via during except the a an our all this these those that any each "
    "every its new old von vom der die das den dem des im auf für bei beim mit ohne unter über zwischen "
    "vor nach seit ab bis am nur als zu zum zur ein eine einem einer unser unsere unserem unseren alle "
    "allen diesem dieser diesen de du la le les l' d' en sur dans pour avec sans sous chez depuis à au "
    "aux avant après entre que seulement un une notre nos del el los las para con sin bajo desde hasta "
    "antes después solo sólo al este esta estos estas nuestro nuestra"
)


def stated(text: str, language: Language) -> list[str]:
    """The condition phrases of a text, word for word, in order; none that stands within another."""
    return list(_stated(text, language) if len(text) <= _OFTEN else _find_stated(text, language))


def _find_stated(text: str, language: Language) -> tuple[str, ...]:
    low = lowered(text)
    found: list[str] = []
    matches = language.find_all("conditions", low)
    open_question = bool(matches) and language.by_type["open_question"].search(low) is not None
    for match in matches:
        phrase = text[match.start() : match.end()]
        if language.spaced:
            phrase = phrase[: _end(match.group(), language)]
        phrase = phrase.strip(_EDGES)
        if open_question and _WHETHER.match(match.group()):
            continue
        if len(phrase) > 2 and not any(phrase in other for other in found):
            found.append(phrase)
    return tuple(found[:_MOST])


# The gate looks at the quotes that the rules have just looked at.
_OFTEN = 1_000
_stated = lru_cache(maxsize=1_024)(_find_stated)


def _end(low: str, language: Language) -> int:
    """Where a phrase ends: before the word that begins something else."""
    clause = _CLAUSE.match(low) is not None
    content, before = False, ""
    for token in _TOKEN.finditer(low):
        word = token.group().strip("`\"'()")
        if content and _begins_other(word, before, clause, language):
            return token.start()
        content = content or (word not in language.words and word not in _GOES_ON)
        before = word
    return len(low)


def _begins_other(word: str, before: str, clause: bool, language: Language) -> bool:
    if clause:
        return word in _ENDS_CLAUSE
    if before in _GOES_ON:
        return False
    return word in language.words and (word not in _GOES_ON or word in _ARTICLES)


_ARTICLES = words_of("the a an our this that these those der die das ein eine el la los las le les un une")
