"""How phrases that override instructions are written down, and found; the English ones.

A phrase is a row of slots with blanks between. A slot is `one|other` words; `?` after it: may be left out; `*`: up to six of
them; `!one|other` and `=one|other` look ahead (must not, must follow); `{name}` stands for a list of words; `^` at the
front: only where a sentence begins. Of words, `word~` is with or without a final s, `_` joins those of one alternative, `:`
is a colon, `$` the end of a sentence. All is squeezed as the text is (see `folding.py`), so blanks, signs, case, accents and
look-alikes don't matter, and a phrase in any script is written as it is.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from thermite_pipelines.safety.folding import canonical

_MANY = 6
# Sentences stand in one string for the search: a colon ends one and is kept, all other ends are a line end.
ENDS = ":\n"


class Phrase:
    """One phrase: what it may begin with, and the expression for the rest, compiled when a text first needs it."""

    def __init__(self, slots: list[str], words: Mapping[str, list[str]]) -> None:
        self._slots = slots
        self._words = words

    def first_words(self) -> Iterator[str]:
        """What the phrase may begin with, squeezed."""
        for word in self._alternatives(self._slots[0].rstrip("*")):
            yield canonical(word.rstrip("~"))

    @cached_property
    def rest(self) -> re.Pattern[str]:
        """What must follow a first word."""
        repeated = self._slots[:1] if self._slots[0].endswith("*") else []
        return re.compile("".join(map(self._slot, [*repeated, *self._slots[1:]])))

    def _alternatives(self, slot: str) -> list[str]:
        words: list[str] = []
        for word in slot.split("|"):
            words += self._words[word[1:-1]] if word.startswith("{") else [word]
        return words

    def _slot(self, slot: str) -> str:
        repeat = {"?": "?", "*": f"{{0,{_MANY}}}"}.get(slot[-1], "")
        ahead = {"!": "?!", "=": "?="}.get(slot[0], "?:")
        bare = slot[slot[0] in "!=" : len(slot) - bool(repeat)]
        words = sorted(map(_expression, self._alternatives(bare)), key=len, reverse=True)
        return f"({ahead}{'|'.join(words)}){repeat}"


def _expression(word: str) -> str:
    if word in "$:":
        return {"$": rf"(?=[{ENDS}]|\Z)", ":": ":"}[word]
    return re.escape(canonical(word.rstrip("~"))) + ("s?" if word.endswith("~") else "")


def phrases(words: Mapping[str, str], rows: str) -> list[Phrase]:
    """The phrases of a table, one a line."""
    lists = {name: text.split() for name, text in words.items()}
    return [Phrase(row.split(), lists) for row in rows.strip().splitlines()]


ENGLISH = phrases(
    {
        # What one does to orders, and only to orders, when one is told to drop them.
        "drop": """ignore disregard forget forget_about neglect unlearn disobey overrule pay_no_attention_to pay_no_heed_to
            do_not_follow dont_follow never_follow stop_following no_longer_follow cease_following refuse_to_follow
            do_not_obey dont_obey never_obey stop_obeying do_not_adhere_to dont_adhere_to stop_adhering_to
            do_not_comply_with dont_comply_with do_not_listen_to dont_listen_to stop_listening_to do_not_heed dont_heed
            set_aside put_aside cast_aside throw_away throw_out do_away_with let_go_of erase abandon renounce
            you_can_ignore feel_free_to_ignore violate circumvent disregarding ignoring""",
        # What one also does to defaults, caches and checks: these need an object of ours.
        "undo": """override bypass skip discard drop delete remove replace disable turn_off switch_off break evade reset
            rewrite change get_around work_around overwrite clear reject dismiss""",
        "fill": """all any every each of the these those this that and or to your ur our their his its other everything
            anything both such safety ethical system user~ operator~ developer~ human~ owner~ supervisor~ openai~
            anthropic~ standard usual given provided stated written current existing original initial earlier previous
            previously prior preceding above former foregoing past old hidden secret internal set whatever just now
            simply completely entirely about in on from my you were have been has are issued received""",
        "before": """previous previously prior preceding above earlier former foregoing past original initial
            aforementioned existing current system safety your ur operator~ developer~ owner~ human~ users openai~
            supervisor~ given""",
        "orders": """instruction~ prompt~ guideline~ directive~ directions rules orders commands programming guidance
            guardrail~ teachings mandates ethics policies system_messages briefing""",
        "mine": """your ur my our the_operator~ the_developer~ the_owner~ the_supervisor~ the_human~ openai~
            anthropic~""",
        "yours": """rules rule orders commands programming training ethics policy policies constraints restrictions
            limitations limits filters guardrail~ guideline~ directive~ directions instruction~ prompt~ guidance task
            role goal goals objective~ mission principles safety boundaries alignment brief briefing protocols
            content_policy memory persona identity""",
        "told": """told said instructed given asked taught ordered commanded directed informed briefed trained""",
        "secret": """prompt system_prompt instructions rules guidelines secret~ credentials passwords keys api_keys tokens
            brief system_message initial_message hidden_prompt developer_message environment_variables training_data""",
        "show": """reveal print show output repeat leak display disclose expose tell_me give_me share dump recite
            write_out write_down send_me summarize summarise translate quote copy paste echo list spell_out""",
        "boss": """admin administrator developer owner operator creator supervisor boss system root maker master
            system_administrator superuser project_lead engineer_in_charge""",
        "now": "now then instead and but just from reply say output print write do answer respond only you start always $",
    },
    """
    {drop} {fill}* {before} {fill}* {orders} !below
    {drop} all|any|every|each|these|those {fill}* {orders}
    {drop} all|any|every|these|those {fill}* {before} message~|conversation~|context|request~|task~|training|restrictions|limitations|constraints|filters|text|input~ !id
    {drop} {fill}* {mine} {fill}* {yours}
    {drop} {fill}* what|whatever|everything|anything|all|all_that|things you|youve|u|ive|we|they|the_operator|i were|was|have|had|ve|are been? just? {told}
    {drop} {fill}* what|whatever|everything|anything i|we|they|the_operator|the_user|the_system|the_prompt|the_brief|your_brief told|said|says|tell|asked|instructed|wrote you|u|to_you|before|above|earlier|$
    {drop} everything|anything|all|whatever|the_text|the_lines|what in|of|thats|that_is|written|said|stated|that_came|that_comes|came|the? above|before|prior|preceding|previously|so_far =i|me|$|and|now|then|this|in_this|instead
    {drop} {fill}* above|foregoing|preceding =$|and_|now|then|instead
    {drop} everything_else|everything_you_know|everything_you_learned|your_previous|who_you_are|that_you_are|youre|you_are_an
    {drop} the|your|this|that|any brief|system_prompt|briefing|instruction_file ={now}
    {drop} {fill}* the_user|the_operator|the_owner|the_human|the_developer|the_supervisor|humans|your_owner|your_operator =s|$|and|from|anymore|now
    do_not|dont|never follow|obey|heed the? brief|system_prompt|instructions|guidelines|orders|operator
    {undo} {fill}* {mine} {yours}
    {undo} {fill}* previous|prior|preceding|above|system|safety|original|initial|all instruction~|guideline~|directives|guardrail~|safety_measures|system_prompt|programming
    {undo} the_system_prompt|the_brief|the_safety|all_safety|safety_rules|safety_checks_on_you|the_guardrail~|the_instructions
    you_are|youre|ur|u_are now !here|aday|ed
    you_are|youre|u_are no_longer|not_bound|not_restricted|free_from|free_of|freed|exempt|unrestricted|liberated|jailbroken|hereby|going_to_act|going_to_pretend
    you have|will|must|can|should|shall|may|need|are|do|dont no|obey|disobey|disregard|ignore|forget|override|bypass|act_as|pretend|not_have_to|not_need_to|have_to|to_obey|to_ignore|to_disregard|to_pretend|not_follow|not_obey {fill}* instruction~|rules|restrictions|limits|me|my|limitations|filters|guideline~|orders|constraints|an_ai|if|to_be|a|an
    from|starting|beginning|as_of now|this_moment|this_point|here|today on|onward|onwards|forward? you|youre|your|always|never|obey|answer|respond|reply|act|ignore|follow|only|do_|every_response|all_your|pretend|disregard|forget|speak
    henceforth|hereafter|hence_forward|from_this_point you|your|always|never|obey|ignore|act
    your new|real|true|actual|only|updated|sole|secret task|goal|role|instructions|job|mission|purpose|objective|identity|name|orders|prompt|rules|brief|directive|master is|are|will|follow|now|:
    your instructions|rules|guidelines|orders|brief|prompt|role|task have|has|were|was|is|are been? now? changed|updated|replaced|revoked|cancelled|canceled|void|suspended|overridden|superseded|lifted|null|obsolete|irrelevant
    all|any|previous|prior|the_previous|earlier|above|the_above|these|the_original previous|prior|earlier? instructions|guidelines|directives|orders|system_prompts provided|given|above? no_longer_apply|do_not_apply|dont_apply|are|is|have_been|were cancelled|canceled|void|revoked|null|suspended|lifted|replaced|superseded|overridden|irrelevant|obsolete|invalid
    the guidelines|instructions|rules provided|given|above|you_were_given are|were|is irrelevant|void|null|wrong|fake|a_lie|a_test|obsolete
    obey me|my|only|the_following|this|these|every|all|what|him|her|whoever|without
    do_as|do_what|do_exactly_what|do_whatever i|the_user|this_line|this_note|this_text|the_author say|tell|says|tells|ask|want|wants
    follow only|just|solely? my|mine|these_new|the_new|new|the_instructions_below|these_instructions|this_instruction|the_hidden|my_instructions !line|file|test|style
    follow instructions|orders|commands|directions from_me|in_this_learning|in_this_note|below_instead|hidden
    {show} {fill}* your|ur {fill}* {secret}
    {show} me? all_of|all? the|this|that entire|full|whole|complete|exact|original? system|hidden|initial|secret|developer|confidential prompt~|instruction~|message~|rules|guidelines
    {show} me|back|verbatim|out|word_for_word {fill}* system_prompt|prompt|instructions|credentials|password~|api_key~|secrets|tokens
    what_is|whats|what_are|what_were your {fill}* {secret}
    repeat|print|output|copy everything|all|the_text|the_words|the_lines|the_message above|before_this|before
    send|post|upload|exfiltrate|forward|leak|email|transmit {fill}* credentials|secrets|passwords|api_keys|private_keys|tokens|environment_variables|env_file to
    enter|enable|activate|switch_to|turn_on|go_into developer|dan|god|sudo|admin|unrestricted|jailbreak|debug_god|root_access|maintenance_override|evil mode
    developer|dan|god|sudo|jailbreak|unrestricted mode_enabled|mode_activated|mode_on|mode_is_on|mode_is_now
    do_anything_now|opposite_day|jailbreak_yourself|jailbreak_mode|stay_in_character|break_character
    answer|respond|reply|act|operate|work|behave|continue without|free_of|with_no any? restrictions|filters|limits|censorship|limitations|guidelines|guardrails|rules|constraints
    i_am|im|this_is|its|speaking_as|as|message_from|note_from|order_from|command_from your|ur {boss}
    i_am|im|this_is|message_from|order_from|command_from the {boss} speaking|and|:|of_this|so|obey|who|you|$
    admin|administrator|system|root|security|developer|emergency|operator|owner override
    begin|start|end|close|stop|finish of? the? system_prompt|system_message|new_instructions|admin_message|hidden_instructions|instructions|user_input|learnings_section|learnings|brief|quoted_lines|quoted_text|context =$|now|begin|new|start|and|system|user|you|ignore|here
    all|every|any|other|future agents|agent|runs|assistants|models|lanes must|should|shall|have_to|has_to obey|ignore|disregard|forget|now|always|never|stop|follow|skip|not_follow|override
    do_not|dont|never tell|inform|notify|alert|report_this_to|reveal_this_to|mention_this_to|mention_it_to|let the|your|any|a|anyone|anybody human~?|user~?|operator~?|owner~?|supervisor~?|people?|person? !that_the_cache
    hide|conceal|keep this|it|these|that secret|hidden? from the|your|any|all user~|human~|operator~|owner~|supervisor~|people|person
    keep this_secret|this_hidden|this_between_us|this_to_yourself|it_secret_from
    without telling|informing|notifying|alerting|asking the|your|a|any human~|operator~|owner~|supervisor~|user~|person
    this|the_following|what_follows overrides|supersedes|replaces|cancels|takes_precedence_over|has_priority_over|outranks all|any|every|your|the_brief|the_system|previous|prior|earlier|everything|instructions|the_instructions
    new|updated|revised|real|actual|true|important|additional|secret|hidden system? instruction~|prompt|rules|directive~|orders|task|guidelines|brief|briefing :|follow|from_the|for_you|$
    attention|note_to|note_for|message_to|message_for|dear|hey|hello|listen|instruction_to|instructions_for|order_to the|all|any|next|every|future? ai|assistant|agent~|claude|chatgpt|gpt|llm|model|assistants|language_model|gemini|copilot :|you|must|please|ignore|do_|obey|from_now|follow|disregard|forget|agent|reading
    if_you_are|if_youre|as an_ai|an_llm|a_language_model|the_agent_reading|an_agent_reading|the_model_reading you|reading|must|should|ignore|obey|do_
    you_must|you_will|you_shall|you_should|u_must|you_have_to obey|comply|disregard|forget|pretend|act_as|always_obey|now_obey|never_refuse|not_refuse|now_ignore|ignore|now_act|now_follow|now_answer|only_obey|never_report|never_tell|never_mention|not_tell|not_report_this
    you_can|you_may|you_are_allowed_to now|freely ignore|break|bypass|skip|override|disregard
    {drop} the fact_that_you|rules|rules_above|instructions|guidelines|directives ={now}
    {drop} rules|instructions|guidelines|directives|orders ={now}
    from_the_system_prompt_you_must|treat_this_as_the_system_prompt|treat_this_as_an_instruction|treat_this_as_a_system|consider_this_an_order|consider_this_your_new
    treat|regard|consider|take|read|accept this|these|the_following|what_follows as your|a|an|the new|system|owner~|binding|higher|highest|operator~|developer~|direct|admin|priority? instruction~|prompt|order|orders|command|commands|directive|message|rule|rules|brief
    ^{please}* act|behave|respond|reply|answer|speak|operate|roleplay|role_play|work as !expected|before|well|documented|usual|designed|intended|follows|planned|normal|reported|described|is|one|fast|a_barrier|a_sink|a_buffer|a_cache|a_regul|a_proxy
    ^please|kindly|now|and|then|so|just|ok|okay|agent|assistant|claude|you|must|should|will|shall|lets* pretend to|that|you|youre|youve|there|it|this|the|not
    ^please|kindly|now|and|then|so|just|ok|okay|agent|assistant|claude|you|must* act|behave like|as_if|as_though you|youre|an|a_hacker|a_human|the_owner|the_admin|dan|no
    ^please|kindly|now|and|then|so|just|ok|okay|agent|assistant|claude|you|lets|we* imagine|suppose|assume|simulate|roleplay|role_play you|youre|being|that_you are|have|were|an|a|as|no
    ^system|assistant|developer|human|user|admin|administrator|operator|sysadmin|im_start_system|im_start :
    ^override|overriding|system_override|admin_override :|$|code|protocol|engaged|activated|all|everything
    """,
)
