"""English phrases by the type of atom that they signal."""

from functools import partial

from thermite_pipelines.atoms.signals.language import phrases

_phrases = partial(
    phrases,
    sources=r"""
        (?:data|numbers|figures|logs?|metrics?|results?|benchmarks?|measurements?|profil(?:e|er|ing)|dashboards?
        |stats|statistics|report|traces?|survey|experiments?|analytics|telemetry|graphs?|charts?|a/b test)
    """,
    shows=r"""
        (?:shows?|showed|says?|said|indicates?|suggests?|reveals?|revealed|confirms?|confirmed|tells? us)
    """,
    measured=r"""
        (?:measured|benchmarked|profiled|timed|clocked|observed|counted|spent|paid|lost|earned|sold|got|saw|logged)
    """,
    changed=r"""
        (?:took|averag(?:ed|es)|dropped|fell|rose|grew|increased|decreased|climbed|jumped|shrank|went (?:up|down
        |from)|cost us|converted|reached|peaked|came (?:in|out) at|used|consumed|failed|succeeded|brought in|cut
        |doubled|halved|improved|slowed|ran)
    """,
    number=r"""
        [$€£]?\d[\d.,]*
    """,
)

# fmt: off
SIGNALS = {
    "mental_model": _phrases(r"""
        (?:has|have|belongs to|belong to) (?:exactly |only |at most |just )?one … (?:but|and|while) (?:many|several
        |any number|multiple|no|can)
        (?:doesn't|does not|never) \w+ … itself,? (?:but |it )?(?:only|just)
        (?:imagine|picture) (?:the|a|an|each|every|our) … as (?:a|an|the|one|two)
        (?:is|are) (?:nothing more than|little more than|just|merely|simply|only) (?:a|an) (?:list|set|view|wrapper
        |pointer|copy
        |queue|table|stack|map|tree|label|alias|cache|snapshot|sum|mirror|log|row|record|counter|flag|function|folder
        |bag|chain)
        (?:is|are) (?:just |really |actually )?(?:two|three|four) (?:different |separate )?(?:things|concepts
        |layers|systems|stages|parts|steps|levels)
        the (?:relationship|relation|distinction|link|connection) between
        (?:has|have) (?:two|three|four|five) (?:parts|stages|layers|levels|states|phases|modes|kinds|types|tiers
        |roles|components|halves|sides|jobs)
        (?:comes|come|goes|go) in (?:two|three|four)
        (?:a|an|each|every|the) \w+ (?:is|means) (?:really |actually |in fact |nothing else than )(?:a|an|the)
        (?:splits?|split up|divided|falls?|organi[sz]ed|grouped) into (?:two|three|four|five|several)
        (?:behind the scenes|internally|at its core|the big picture|in a nutshell)
        the way (?:this|that|it|the|our|we|these|those|things|[\w-]+) … ?(?:works?|behaves?|operates?
        |is built) is
        (?:here's|here is|this is|that's) how (?:the|it|this|our|\w+) … ?(?:works?|flows?|fits?|behaves?)
        how (?:it|this|that) (?:actually )?works(?: here)? is
        (?:you can |you could |just |best |i )?think of (?:it|this|that|them|the|a|an|each|every|our
        |[\w-]+) … ?(?:as|like)
        there are (?:really |actually |basically |only |in fact )?(?:two|three|four|five|2|3|4|5
        |several) (?:different |separate |distinct |completely different |independent )?(?:kinds?|types?|sorts?
        |ways?|levels?|layers?|modes?|classes|versions?|sources?|places?|stages?|parts?|concepts?|notions?
        |flavou?rs?|paths?|caches?|queues?|clocks?|tables?|databases?|meanings?|tiers?|(?!typos|errors|bugs
        |things|issues|problems|comments|questions|options|lines|warnings|failures|reasons|changes|files|tests
        |tasks|points|mistakes|conflicts|weeks|days|hours|minutes|people|PRs|prs|commits|todos|duplicates|images
        |links|spaces)[\w-]+s)
        (?:works?|acts?|behaves?|functions?) (?:more |much |a bit |just |exactly )?like (?:a|an|the)(?! charm
        | dream| expected)
        under the hood
        (?:is|are|as|being) (?:the|our|a) (?:single )?source of truth
        the difference (?:between … )?is
        (?:what (?:really |actually )?happens|what's going on|what is going on)(?: here| there
        | behind the scenes)? is
        (?:is|are) (?:basically|essentially|effectively|conceptually|really just|nothing (?:more|but)
        |in effect) (?:a|an|the|one)
        the (?:mental model|idea|concept|principle|model|trick|key thing|thing to understand
        |thing to know) (?:here |behind \w+(?: \w+)? )?is
        (?:conceptually|in essence|in principle|by design)
        (?:is|are) (?:solely |only )?(?:responsible for|derived from|computed from|built (?:from|on top of)
        |a (?:view|wrapper|proxy|facade|thin layer|projection|snapshot|copy|mirror) (?:of|over|on|around))
        (?:never|doesn't|does not) (?:talks?|speaks?|writes?|touch(?:es)?) (?:to )?… ?directly
        (?:imagine|picture) (?:it|the \w+) as
        (?:basically|essentially|effectively|conceptually|at heart|in short|simply put),? (?:the|a|an|our|every
        |each|it's|all) … ?(?:is|are|'s) (?:a|an|the|just|one)
        (?:works?|flows?|goes|go|runs?|moves?|behaves?|is built|is structured|is organi[sz]ed) (?:like this
        |as follows|in layers|in two)
        how (?:the|a|an|our|each) … (?:goes|works|flows|happens|is computed|is built)(?: is|:)
        (?:just )?so (?:that )?you (?:understand|know how|get how)
        (?:consists?|is made up|are made up|is made|is composed|are composed) of
        (?:is|are|it's|that's) (?:like that |so )?(?:by design|on purpose|intended|deliberate)
        from top to bottom|in front of (?:the|every|our|each)
        (?:gives?|keeps?|holds?|evaluates?|stores?|assigns?|owns?|resolves?|maps?|points?|belongs?) … ,? (?:so
        |meaning|which means|that means|hence|therefore) (?:the|a|an|it|that|no|only|\w+)
    """),
    "finding": _phrases(r"""
        (?:make|makes|made) up … @number@ ?(?:%|percent)
        (?:ours|the \w+|it|they) (?:went|was|is|are|were) (?:up|down) by … @number@
        (?:out )?of the @number@ … @number@
        (?:brought|cut|pushed|took|reduced|lowered|raised|sped|slowed|drove|lifted
        |shortened) … from @number@ … ?to @number@
        (?:went|dropped|rose|fell|grew|is down|is up|came down|gone) from @number@ … ?to @number@
        (?:drops?|rises?|loses?|gains?|falls?|grows?|shrinks?) (?:only |just |about |around |by |roughly )+@number@
        @number@ of @number@ \w+ (?:are|were|was|is|had|have|came|contaminated|failed|turned|showed|broke|answered|said)
        (?:the |our |my |those |these )?@sources@ … ?@shows@(?: that| us)?
        according to (?:the |our |my )?(?:[\w-]+ ){0,2}@sources@
        (?:we|i|it|they) (?:just |only |then |also )?@measured@ … @number@
        (?:i|we) (?:just )?(?:ran|did|made|tested|re-?ran|tried) … @number@
        @number@ (?:out )?of (?:the |our |all |those )?@number@
        (?:i|we) (?:measured|benchmarked|profiled|clocked)
        (?:was|were|is) (?:measured|clocked) at
        turned out (?:that|to be) … \d
        (?:we|i) (?:checked|went through|looked (?:at|through)|sampled|reviewed|analy[sz]ed|compared|surveyed
        |asked|interviewed|weighed|queried|tallied) … @number@
        @number@ of (?:them|these|those)
        measured (?:with|over|on|at|by|in|across)
    """),
    "decision": _phrases(r"""
        ^no (?!the |it |that |this |we |i |you |they |he |she |there )[\w-]+ … (?:because|since)
        (?:we|they|i|management|legal|finance|sales|the \w+) (?:insist\w*|demand\w*) (?:on|that)
        (?:we|they|i|the \w+) ended up (?:choosing|picking|going|using|with|keeping|dropping|buying|staying|not)
        (?:we're|we are|i'm|they're|we'll be) (?:sticking|staying|going) (?:to|with|for|on)
        the \w+ (?:went|settled|opted|voted|came down) (?:for|on|with|in favou?r|against)
        (?:we|they|the \w+) (?:scrapped|retired|abandoned|shelved|axed|ditched|killed off|deprecated|cancell?ed
        |postponed
        |turned down|passed on|swapped|outsourced|banned|froze|capped|limited) … (?:because|since|so that|due to|as the
        |to avoid)
        (?:we|they|the \w+) (?:made|have made|took) the (?:call|choice|decision) to
        (?:we|they) (?:landed|settled|agreed) on
        we (?:switched|moved|migrated|went back|dropped|replaced|removed|stopped|standardi[sz]ed
        |kept) … (?:because|since|so that|due to|instead of|rather than|to avoid)
        (?:we|i|the team|they|management|legal|product
        |\w+) (?:have |had |has |finally |all |already |just |then |jointly |therefore )?(?:'ve )?(?:decided
        |agreed|chose|opted|settled|committed|resolved) (?:to|on|for|that|against|not|we)
        (?:we've|i've|we have|i have|it's been|it was|was|were|been) (?:now |finally )?(?:decided|agreed|chosen
        |settled)
        (?:we|i) (?:chose|picked|selected)
        (?:let's|lets|let us|we'll|we will|i'll|i'd|we should|we're|we are|i'm
        |i am) (?:just |now |then |therefore |definitely |go ahead and )?(?:go|going|gonna go|stick|sticking
        |stay|staying|settle|settling) (?:with|for|on)
        (?:let's|lets|let us) (?:just )?(?:keep|use|drop|avoid|prefer) … (?:because|since|instead of|rather than
        |over|so that|so we|otherwise)
        (?:we'll|we will|we're going to|we are going to|we're) (?:use|using|keep|keeping|drop|dropping|adopt
        |adopting|move|moving|switch|switching|stay|standardi[sz]e|standardi[sz]ing|not use|not using
        |not going) … (?:because|since|instead of|rather than|so that|so we|due to|to avoid|otherwise)
        (?:decision|outcome|conclusion|verdict) (?:from|of|after|by|in)
        (?:we|i) (?:go|chose to go|are going|have gone) (?:for|with)
        (?:we're|we are|we will|we'll|i'm|i am) (?:not |no longer )(?:going to |gonna )?(?:support|supporting
        |use|using|ship|shipping|do|doing|offer|offering|keep|keeping|allow|store|build|building|migrate|touch)
        i'd rather|(?:we'd|we would|i would) rather
        (?:stays?|remains?|we skip|we keep|we drop|we leave|we store|we only|we don't|we do not|no more
        |no longer|we use|we run|we ship|we take) … (?:because|since|so that|due to|otherwise|as the|as we
        |the reason)
        the (?:main |only |real )?reason (?:that |why )?(?:we|i|the team) … ?(?:chose|picked|went|use|used|moved
        |decided|kept|dropped|switched|prefer|don't|avoid|stayed|took|built|rejected)
        (?:the |our |my |final )(?:final )?decision (?:is|was|stands)
        (?:we|i) (?:went|are going|have gone) (?:with|for)
        (?:we|i) (?:ruled out|rejected|discarded|gave up on|prefer|preferred|deliberately|intentionally
        |consciously)
        from now on,? (?:we|all|every|the|no)
        (?:we|i) (?:don't|do not|won't|will not) (?:want to )?(?:use|support|ship|allow|store|keep
        |do) … (?:because|since|so that|due to)
    """),
    "pattern": _phrases(r"""
        (?<=, )(?:every|each) (?:single )?(?:year|month|week|spring|winter|summer|autumn|fall|quarter|night|morning
        |evening|day)
        (?:is|are) always (?:\w+ )?(?:slow|late|empty|off|wrong|higher|lower|too|down|cold|full|missing|early|slower
        |faster|worse)
        (?:gives up|quits|stops|fails|dies|breaks|freezes|crashes|hangs|stalls|drops|locks up|chokes|slows down|resets
        |overheats
        |disconnects|times out|jams|leaks|doubles|spikes) (?:as soon as|once|the moment|the minute|every|each|any time
        |anytime)
        (?:the moment|the minute|any time|anytime) (?:the|a|an|somebody|someone|we|more|two) … ,
        (?:usually|mostly|often|regularly|typically|normally|invariably|reliably|consistently) … (?:when|if
        |after|before|once|during)
        (?:when|if|after|before|once|during|on) … (?:usually|mostly|regularly|typically|invariably|reliably
        |consistently)
        (?:again and again|each and every|over and over|year after year|month after month|week after week
        |like every|the same (?:thing|story|pattern) (?:happens|every|each|as|again))
        (?:every|each) (?:single )?time
        (?:this|it|that) happens (?:each|every|all|whenever|when|at|on)
        as a rule
        same story (?:again|every|each)
        as soon as … (?:,|it|the|they|there|everything|we)
        (?<!is )(?<!are )(?<!was )(?<!'s )always \w+
        (?:this|that|it|which) (?:always|usually|invariably|nearly always|almost always) (?:means|happens
        |points to|indicates|turns out|breaks|fails|comes)
        always (?:means|happens|fails|breaks|comes|ends up|turns out|leads|causes|points|shows up|goes|gets
        |takes|dies|crashes|drops|spikes|resets|times out|hangs|follows)
        (?:it|this|that|the|\w+) (?:keeps|kept) (?:happening|failing|breaking|coming back|crashing|timing out
        |dropping)
        whenever
        without (?:fail|exception)
        (?:nine|9) times out of (?:ten|10)
        (?:tends?|tend) to
        (?:almost|nearly) (?:always|every)
        (?:like clockwork|time and again|over and over again|again and again)
        (?:on|at|after|before|in) (?:every|each) (?:deploy\w*|release|restart|monday|tuesday|wednesday|thursday
        |friday|sunday|saturday|month|week|night|quarter|build|run|push|merge|reboot|sprint|upgrade|update
        |morning) …
        (?:mondays|fridays|weekends|nights) (?:always|are always)
        (?:usually|typically|invariably|consistently|regularly) (?:means|happens|fails|breaks|comes|ends up
        |leads|causes|follows)
    """),
    "open_question": _phrases(r"""
        what (?:we|i|nobody|no one) (?:still |really )?(?:don't|do not|doesn't|does not)? ?(?:yet )?(?:know|knows
        |understand|understands)(?: yet)? is
        still (?:open|unclear|unresolved|undecided):
        (?:nobody|no one|none of us) (?:could|can|has been able to|was able to) (?:tell|say|explain|answer|confirm)
        (?:the )?jury is (?:still )?out (?:on|over)
        (?:we|they|i) (?:still |keep )?(?:go|going|went|are going) back and forth (?:on|over|about|between)
        it remains to be (?:seen|decided|shown|proven) (?:whether|if|how|which|what|when)
        (?:whether|if|how|why) … (?:is|remains) (?:still )?(?:anyone's guess|an open question|a mystery|not clear
        |unsolved|tbd)
        (?:we|they|i|the team) (?:still )?(?:can't|cannot|couldn't) agree (?:on|whether|if|how)
        (?:we|they|i)(?:'re| are|'m| am) (?:still |really )?(?:torn|split|undecided|in two minds|on the fence)
        (?:we|i|they) (?:still )?(?:have|had) no (?:good |clear |real )?(?:answer|explanation|idea|clue) (?:for|to|why
        |whether|if|how|as to)
        (?:i'm|i am|im|we're|we are|still|are|is|am|nobody is
        |no one is) (?:still |really |also |just |quite )?(?:not
        |un)(?: |-)?(?:yet |really |quite |entirely |totally |fully |100% |at all )?(?:sure|certain|clear
        |decided)(?: yet| at this point| at all)? (?:whether|if|how|why|which|what|when|where|who|about|that)
        (?:not|un)(?: )?(?:sure|clear|certain)(?: yet)? (?:whether|if|how|why|which|when|where)
        it(?:'s|s| is) (?:still |not )?(?:un)?(?:clear|known|decided|open|certain)(?: yet)? (?:whether|if|how
        |why|which)
        (?:we|someone|somebody|i(?! want))(?:'ll)? (?:still |also |first |will )?(?:need|have|want
        |ought)s? to (?:still )?(?:figure out|find out|decide|clarify|work out|determine|understand) (?:whether
        |if|how|why|which|what|when|who|where)
        (?:we|i) (?:still )?(?:need|have) to figure
        (?:i|we|nobody|no one)(?: really| still| actually| yet)? (?:don't|do not|dont|doesn't|still don't|can't
        |cannot) (?:yet |really |actually |quite )?(?:know|tell|say|understand)(?: yet| for sure)? (?:whether|if
        |how|why|which|when|where|what)
        (?:nobody|no one|none of us) (?:really |actually |yet )?(?:knows|can say|understands|has figured out)
        (?:open|unresolved|unanswered|outstanding) (?:question|issue|point)s?
        (?:we|i) (?:haven't|have not|havent) (?:yet )?(?:decided|figured|settled|worked out|agreed|determined
        |made up)
        (?:hasn't|has not|isn't|is not|haven't) been (?:decided|settled|determined|resolved|agreed)
        (?:still|remains?|it remains) (?:undecided|unclear|unknown|to be (?:seen|decided)|an open question
        |open whether|up in the air)
        (?:i|we) (?:still )?(?:wonder|are wondering|am wondering) (?:whether|if|how|why)
        i'm (?:still )?(?:wondering|torn|undecided)
        (?:no idea|no clue) (?:yet )?(?:whether|if|why|how|which)
        (?:have|has) yet to (?:decide|figure|find|determine)
        (?:to be|tbd|t\.b\.d\.)(?: determined| decided)? (?:whether|if|how|which)
        up in the air|unexplained|unsettled|undecided
        (?:it's|it is|that's|that is|this is|which is|remains) (?:still )?(?:an )?open (?:question|issue|point)?
        (?:what's|what is) (?:still )?(?:open|unclear|missing|undecided)
        (?:isn't|is not|not|hasn't been|wasn't|yet to be|never been) (?:yet |been )?(?:settled|decided|clarified
        |resolved)
        (?:couldn't|could not|can't|cannot|haven't been able to|wasn't able to|unable to) (?:confirm|tell|verify
        |explain|reproduce|say|work out|figure out|determine)
        there(?:'s| is| are) (?:still )?(?:a |some )?doubts? (?:about|whether|if|as to)
        (?:we|i)(?:'ll| will)? (?:still )?(?:have|need) to (?:find out|figure out|clarify|work out)
        my (?:hunch|guess|suspicion) is
        (?:whether|if) … (?:is|remains|stays) (?:still )?(?:undecided|open|unclear|unknown|unsettled|up for
        |anyone's guess|to be)
    """),
    "workflow": _phrases(r"""
        (?:the|our|my) (?:[\w-]+ ){0,3}(?:process|workflow|procedure|order|sequence|routine|flow|drill|steps
        |recipe|playbook)(?: here| for … | of … | to … |) ?(?:is|are|goes|looks like|was|:)
        (?:the|our) (?:usual|normal|standard|right|correct|proper) (?:way|order) (?:to|of|is|for)
        (?:goes|go|works?|is done|are done|runs?|happens?|is handled|are handled) (?:like this|as follows
        |like that|in this order|through (?:three|four|five|several))
        in (?:this|that|the following) order
        (?:here is|here's|this is|that's) how (?:a|an|the|we|you|our|it's|every)
        typical \w+
        (?:how|the way) we (?:\w+ ){0,4}(?:is|here):? …first
        step (?:1|one)\b
    """),
}
FIGURES = _phrases(r"""
    (?:median|mean|average|avg|averages) … @number@
    (?:against|vs\.?|versus|compared (?:to|with)|up from|down from|before it was|instead of
    |earlier it was) (?:[\w-]+ ){0,3}@number@
    @number@ (?:% |percent )(?:of|more|less|fewer|faster|slower|higher|lower)
    (?:takes|took|needs|needed|costs|uses|used|lasts|lasted|returned|produced|yielded|gave|gives|found|missed
    |lost contact|brings|scored|scores|hits) … @number@
    @changed@ … @number@
    p(?:50|90|95|99) … \d
    (?:now|currently|today|yesterday|last (?:week|month|night|year|quarter)) … (?:at|is|are|was|were) @number@
""")
# fmt: on
