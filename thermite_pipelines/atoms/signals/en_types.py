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
BLOCKS = {
    "open_question": _phrases(r"""
        wonder(?:ing)? (?:whether|if) (?:you|we|i|it's possible|it is possible|it would|it'd|that|this|there's|there is a way)
        (?:but|and|until|then|though|;) (?:\w+ ){0,5}(?:settled|solved|resolved|clarified|answered|sorted|all good|figured
        |found out|is clear|it is now|cleared up|clear now|know now|decided)(?! yet)
        ,? so (?:start|look|check|go|try|please|can|let's|begin|take|have|run|add|do|see|dig|read)
        no longer (?:unclear|open|a question|undecided|in doubt)
        (?:laugh|cry|right channel|right place|makes? sense|is done|happened|just me|worth|a joke|did (?:this|that|it))
        (?:tell|say|know) (?:if|whether|what|why) (?:i|you|that|this|it) (?:'m|am|'re|are|is|was|did|do)
        (?:what|how|why|if|whether) you (?:mean|meant|want|did|are|were|need|said|got|can|would|think|know
        |understood)
        what (?:that|this|it) (?:means|error|is|does)
        let me know
        (?:don't know|not sure|no idea|unclear|know) (?:what|why|how|if|whether) (?:you|i|to|this|that)\b
        (?:sure|certain) (?:that )?(?:i|we|you) (?:\w+ )?(?:understand|follow|get|like|agree|want|need|got)
        (?:why|how come|what makes) … ?(?:fail\w*|broken|breaks?|crash\w*|error\w*|red|flaky|not working
        |doesn't work)
    """),
    "finding": _phrases(r"""
        (?:shows?|showed) (?:up|me|this|nothing|the (?:same|error|following|wrong)|an? (?:\w+ )?(?:error|exception|warning
        |stack))|see below|as attached
        (?:tests?|checks?|builds?|jobs?) (?:still )?(?:failed|fail|fails|are failing|passed|pass|are red|is red)
        according to (?:the |your |their )?(?:docs?|documentation|readme|manual|spec|article|internet|website|comments?)
        (?:you|your) (?:\w+ ){0,2}(?:used|spent|took|made|got|ran|counted|wrote|cost|measured|gave|need|needed|report|summary)
        frustrat\w*|(?:trying|tried|struggling|fighting) (?:to|with)|for nothing|coffee|lunch|slept|in the team
        (?:i|we) (?:got|made|wrote|left|had|have|saw) [\d.,]+ (?:\w+ )?(?:comments?|questions?|meetings?|mails?|emails?
        |messages?|reviews?|calls?|tickets?|ideas?|minutes|remarks?|suggestions?)
        (?:should|shouldn't|ought to|supposed to|guess|roughly guess|probably|i think|i believe|presumably|maybe|if i remember
        |from memory|apparently|allegedly|supposedly|would have|never looked|claims?|promise[sd]?|advertis\w+)
        (?:limit|cap|budget|timeout|threshold|set|increase|decrease|raise|lower|bump|change|reduce|want|need
        |should|must|let's|lets|please|target|goal|would|could|might|if|expect|estimate|plan|will|won't|allow
        |maximum|at most|at least) (?:[\w-]+ ){0,4}(?:to|of|at|by|be|use|take|cost|is)
    """),
    "decision": _phrases(r"""
        had (?:\w+ )?(?:decided|agreed|chosen|opted|settled|picked) … (?:but|until|then|though|before)
        (?:originally|initially|at first|back then|almost|nearly|nobody|no one|never|at one point|once upon)
        |… ?(?:decided|agreed|chose|chosen|opted|settled|picked|went with|planned)
        off the table|changed (?:our|my|their) minds?|no longer (?:true|valid|holds?|the case|applies)|reversed|(?:but|and) then we
        |(?:that|it) was (?:before|a mistake|wrong)|(?:regret|reconsider\w*|revisit\w*|overruled|overturned)
        you (?:\w+ )?(?:decided|chose|picked|agreed|opted|settled|went with|rejected)
        apparently|supposedly|allegedly|rumou?r\w*|(?:i|we) heard|(?:says?|said|claims?|thinks?|believes?) (?:that )?(?:we|they
        |the team) (?:\w+ )?(?:decided|agreed|chose)
        (?:because|since|as) (?:i|my) (?:\w+ )?(?:have to|need to|must|am|'m|head|kids?|train|battery|laptop|eyes|wife|husband
        |boss|feel|got|want)|call it a day
        (?:did|have|has|do|should|what|why|when|how|who) (?:we|you|i|they) (?:\w+ )?(?:decided?|agreed?|choose
        |chose|chosen|pick|picked|settled?|go with)
        (?:haven't|have not|hasn't|not yet|never|yet to|need to|have to|until|once|before|after|if|whether
        |unless) (?:\w+ ){0,3}(?:been )?(?:decided?|agreed|chosen|chose|settled|decide)
        (?:whichever|whatever) you
        (?:i|we) … (?:lunch|break|coffee|home|bed|sleep|vacation|holidays?|day off|dentist|doctor|gym|a walk
        |tired|hungry|sick|beer|pizza)
    """),
    "pattern": _phrases(r"""
        i (?:\w+ ){0,3}(?:laugh|cry|die|cringe|smile|scream|giggle|facepalm|feel|wonder|sigh|panic|think of|get (?:angry|mad
        |annoyed|confused|nervous))(?!\w)
        should|shall|(?:i|we|they|users|customers) (?:want|would like|'d like)|needs? to (?:appear|show|blink|be shown|pop)
        |it would be|would be (?:nice|great|good|cool)
        you (?:keep|kept|are always|'re always|always|never)
        (?:as|like) (?:always|usual)|amazes|it always (?:amazes|surprises|makes me)|someday|joke|murphy\w*|always nice|always a
        says? (?:quick|just|trust)
        (?:every time|each time|whenever|always when|when|as soon as),? you (?:\w+ )?(?:answer|reply|respond
        |write|say|forget|do|explain|ask|tell|touch|try|make|give|break|fix something|change something|are|start
        |generate|talk)\b
        (?:you|i|i've|i'm|please|we should|should|must|can|to|will|would|not|don't|don't) (?:\w+ )?always
        (?:every time|each time|whenever) i (?:\w+ )?(?:ask|tell|say|see|open|look|read|try|want|need|think)
        (?:always|every time|each time) (?:answer|use|be|thought|wanted|loved|been|the same (?:mistake|thing)
        |make sure|please|forget|have to ask|welcome)
        (?:whenever|any ?time|every time) (?:you (?:want|like|are ready|can|get|have (?:a )?(?:time|chance
        |moment)|feel)|i (?:ask|say|tell)|suits|possible)
        (?:whenever|every time
        |each time) [^,]{3,60}, (?:please |you should |make sure |always |also |just |then )*(?:run|add|commit
        |write|update|use|check|create|tell|ask|show|remember|make|log|print|call|format|test|push|notify|send
        |include|do|don't|give|keep|put|ensure|never|stop|wait|read|explain|say|remove)\b
    """),
    "workflow": _phrases(r"""
        i(?:'ll| will|'m going to| am going to)|your (?:process|workflow|order|routine|steps|procedure)|my (?:plan|day|order)
        for this (?:task|one|pr|ticket|change|issue|file|round)|for (?:today|tonight|tomorrow|now)|one commit each
        |in separate (?:commits|prs)
        (?:process|workflow|pipeline|procedure|flow|order|routine|sequence|job)s? (?:is|are|was|looks|seems) (?:\w+ )?(?:stuck
        |red|broken|dead|killed|slow|failing|wrong|down|hanging|green|running|done|finished|odd|weird|a mess|too|not|painful
        |documented|described|unclear|confusing|terrible|ridiculous)
        first(?:,)? (?:it|the \w+(?: \w+)?) (?:\w+ed|ate|broke|hung|fails|went|was|were|died|got)(?! (?:by|to|into))
        suggest\w*|propos\w*|would be|could be|how about|what about|maybe
        (?:i want you|i need you|please|can you|could you|would you|for now|your task|this time)
    """),
    "mental_model": _phrases(r"""
        (?:idea|plan|goal|trick|concept) (?:here )?is to
        difference is (?:that |just |only )?(?:you|yours|i|mine|we|huge|big|small|tiny|minimal|negligible|enormous|night|\d)
        (?:something|anything|someone|ones?|stuff|things|looks|look|feels?) like|think of (?:a |an |another |some )(?:better|good
        |new|nicer|different|name|way|title|example|reason)
        what (?:really |actually )?happens (?:here |there )?is (?:that )?(?:i|you|my|nothing|your)\b
        is (?:\w+ )?(?:terrible|awful|great|nice|weird|wrong|ugly|horrible|beautiful|crazy|stupid|ridiculous|brilliant|elegant
        |confusing|a (?:mess|joke|disaster|nightmare|shame|pain|lie|riddle|mystery))(?= *[,.;!]| *$)
        (?:basically|essentially|really just|effectively|just|simply) (?:a|an|the) (?:mess|joke|disaster|nightmare|same|pain
        |shame|copy-paste|waste|guess)
        (?:two|three|four|five|several|2|3|4|5) (?:small |more |little |tiny |minor |open |other |new |failing )*(?:typos?|errors?
        |bugs?|mistakes?|nits?|pull requests|prs|issues|todos|questions|options|things|problems|comments|weeks|tasks|ways to
        |reasons)
        (?:should|could|would|let's|i want|we want|i'd like|would be nice|will be|going to|plan to|charm|dream|a dog)
        your (?:\w+ )?(?:version|code|diff|answer|patch|draft|text|summary)
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
