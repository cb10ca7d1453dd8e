"""English phrases."""

from thermite_pipelines.atoms.signals.language import Language, words_of

_NUMBER = r"[$€£]?\d[\d.,]*"
_SOURCES = (
    r"(?:data|numbers|figures|logs?|metrics?|results?|benchmarks?|measurements?|profil(?:e|er|ing)|dashboards?|stats"
    r"|statistics|report|traces?|survey|experiments?|analytics|telemetry|graphs?|charts?|a/b test)"
)
_SHOWS = r"(?:shows?|showed|says?|said|indicates?|suggests?|reveals?|revealed|confirms?|confirmed|tells? us)"
_MEASURED = (
    r"(?:measured|benchmarked|profiled|timed|clocked|observed|counted|spent|paid|lost|earned|sold|got|saw|logged)"
)
_CHANGED = (
    r"(?:took|averag(?:ed|es)|dropped|fell|rose|grew|increased|decreased|climbed|jumped|shrank|went (?:up|down|from)"
    r"|cost us|converted|reached|peaked|came (?:in|out) at|used|consumed|failed|succeeded|brought in|cut|doubled|halved"
    r"|improved|slowed|ran)"
)
_TOPIC_VERB = r"(?:is|are|was|were|isn't|aren't|isnt|has|have|does|do|doesn't|don't|will|would|can|should)"

ENGLISH = Language(
    code="en",
    spaced=True,
    words=words_of(
        "a about above after again all also always am an and another any are as at back be because been before being "
        "below between both but by can can't cannot could did didn't do does doesn't doesnt doing don't dont done down "
        "during each either else ever every few first for from get gets getting give go goes going gone good got had has "
        "have haven't having he her here him his how i i'd i'll i'm i've if in instead into is isn't it it's its just "
        "keep know last less let let's lets like look made make many may maybe me mean means might more most much must "
        "my need needs never new next no not nothing now of off ok okay on once one only or other our out over own "
        "please put really right said same saw say see seems shall she should since so some something soon still such "
        "sure take than thank thanks that that's the their them then there there's these they thing things think this "
        "those though through time to too try two under until up us use used uses using very want wants was wasn't way "
        "we we'd we'll we're we've well were what what's when where whether which while who why will with without won't "
        "work works would wrong yes yet you you'd you'll you're you've your actually basically always because yesterday "
        "today tomorrow week month year day days hour hours minute minutes second seconds percent per whenever however "
        "everything anything someone everyone exactly already probably usually normally"
    ),
    signals={
        "mental_model": (
            r"the way (?:this|that|it|the|our|we|these|those|things|[\w-]+) … ?(?:works?|behaves?|operates?|is built) is",
            r"(?:here's|here is|this is|that's) how (?:the|it|this|our|\w+) … ?(?:works?|flows?|fits?|behaves?)",
            r"how (?:it|this|that) (?:actually )?works(?: here)? is",
            r"(?:you can |you could |just |best |i )?think of (?:it|this|that|them|the|a|an|each|every|our|[\w-]+) … ?(?:as|like)",
            r"there are (?:really |actually |basically |only |in fact )?(?:two|three|four|five|2|3|4|5|several) "
            r"(?:different |separate |distinct |completely different |independent )?"
            r"(?:kinds?|types?|sorts?|ways?|levels?|layers?|modes?|classes|versions?|sources?|places?|stages?|parts?"
            r"|concepts?|notions?|flavou?rs?|paths?|caches?|queues?|clocks?|tables?|databases?|meanings?|tiers?|[\w-]+s)",
            r"(?:works?|acts?|behaves?|functions?) (?:more |much |a bit |just |exactly )?like (?:a|an|the)",
            r"under the hood",
            r"(?:is|are|as|being) (?:the|our|a) (?:single )?source of truth",
            r"the difference (?:between … )?is",
            r"(?:what (?:really |actually )?happens|what's going on|what is going on)(?: here| there| behind the scenes)? is",
            r"(?:is|are) (?:basically|essentially|effectively|conceptually|really just|nothing (?:more|but)|in effect) "
            r"(?:a|an|the|one)",
            r"the (?:mental model|idea|concept|principle|model|trick|key thing|thing to understand|thing to know) "
            r"(?:here |behind \w+(?: \w+)? )?is",
            r"(?:conceptually|in essence|in principle|by design)",
            r"(?:is|are) (?:solely |only )?(?:responsible for|derived from|computed from|built (?:from|on top of)"
            r"|a (?:view|wrapper|proxy|facade|thin layer|projection|snapshot|copy|mirror) (?:of|over|on|around))",
            r"(?:never|doesn't|does not) (?:talks?|speaks?|writes?|touch(?:es)?) (?:to )?… ?directly",
            r"(?:imagine|picture) (?:it|the \w+) as",
            r"(?:basically|essentially|effectively|conceptually|at heart|in short|simply put),? (?:the|a|an|our|every|each|it's|all) … ?(?:is|are|'s) (?:a|an|the|just|one)",
            r"(?:works?|flows?|goes|go|runs?|moves?|behaves?|is built|is structured|is organi[sz]ed) (?:like this|as follows|in layers|in two)",
            r"how (?:the|a|an|our|each) … (?:goes|works|flows|happens|is computed|is built)(?: is|:)",
            r"(?:just )?so (?:that )?you (?:understand|know how|get how)",
            r"(?:consists?|is made up|are made up|is made|is composed|are composed) of",
            r"(?:is|are|it's|that's) (?:like that |so )?(?:by design|on purpose|intended|deliberate)",
            r"from top to bottom|in front of (?:the|every|our|each)",
            r"(?:gives?|keeps?|holds?|evaluates?|stores?|assigns?|owns?|resolves?|maps?|points?|belongs?) … ,? (?:so|meaning|which means|that means|hence|therefore) (?:the|a|an|it|that|no|only|\w+)",
        ),
        "finding": (
            rf"(?:the |our |my |those |these )?{_SOURCES} … ?{_SHOWS}(?: that| us)?",
            rf"according to (?:the |our |my )?(?:[\w-]+ ){{0,2}}{_SOURCES}",
            rf"(?:we|i|it|they) (?:just |only |then |also )?{_MEASURED} … {_NUMBER}",
            rf"(?:i|we) (?:just )?(?:ran|did|made|tested|re-?ran|tried) … {_NUMBER}",
            rf"{_NUMBER} (?:out )?of (?:the |our |all |those )?{_NUMBER}",
            rf"(?:i|we) (?:measured|benchmarked|profiled|clocked)",
            rf"(?:was|were|is) (?:measured|clocked) at",
            r"turned out (?:that|to be) … \d",
            rf"(?:we|i) (?:checked|went through|looked (?:at|through)|sampled|reviewed|analy[sz]ed|compared|surveyed|asked|interviewed|weighed|queried|tallied) … {_NUMBER}",
            rf"{_NUMBER} of (?:them|these|those)",
            r"measured (?:with|over|on|at|by|in|across)",
        ),
        "decision": (
            r"(?:we|i|the team|they|management|legal|product|\w+) (?:have |had |has |finally |all |already |just |then |"
            r"jointly |therefore )?(?:'ve )?(?:decided|agreed|chose|opted|settled|committed|resolved) "
            r"(?:to|on|for|that|against|not|we)",
            r"(?:we've|i've|we have|i have|it's been|it was|was|were|been) (?:now |finally )?(?:decided|agreed|chosen|settled)",
            r"(?:we|i) (?:chose|picked|selected)",
            r"(?:let's|lets|let us|we'll|we will|i'll|i'd|we should|we're|we are|i'm|i am) (?:just |now |then |therefore |"
            r"definitely |go ahead and )?(?:go|going|gonna go|stick|sticking|stay|staying|settle|settling) (?:with|for|on)",
            r"(?:let's|lets|let us) (?:just )?(?:keep|use|drop|avoid|prefer) … "
            r"(?:because|since|instead of|rather than|over|so that|so we|otherwise)",
            r"(?:we'll|we will|we're going to|we are going to|we're) (?:use|using|keep|keeping|drop|dropping|adopt|adopting|"
            r"move|moving|switch|switching|stay|standardi[sz]e|standardi[sz]ing|not use|not using|not going) … "
            r"(?:because|since|instead of|rather than|so that|so we|due to|to avoid|otherwise)",
            r"(?:decision|outcome|conclusion|verdict) (?:from|of|after|by|in) ",
            r"(?:we|i) (?:go|chose to go|are going|have gone) (?:for|with)",
            r"(?:we're|we are|we will|we'll|i'm|i am) (?:not |no longer )(?:going to |gonna )?(?:support|supporting|use|using|ship|shipping|do|doing|offer|offering|keep|keeping|allow|store|build|building|migrate|touch)",
            r"i'd rather|(?:we'd|we would|i would) rather",
            r"(?:stays?|remains?|we skip|we keep|we drop|we leave|we store|we only|we don't|we do not|no more|no longer|we use|we run|we ship|we take) … (?:because|since|so that|due to|otherwise|as the|as we|the reason)",
            r"the (?:main |only |real )?reason (?:that |why )?(?:we|i|the team) … ?(?:chose|picked|went|use|used|moved|decided"
            r"|kept|dropped|switched|prefer|don't|avoid|stayed|took|built|rejected)",
            r"(?:the |our |my |final )(?:final )?decision (?:is|was|stands)",
            r"(?:we|i) (?:went|are going|have gone) (?:with|for)",
            r"(?:we|i) (?:ruled out|rejected|discarded|gave up on|prefer|preferred|deliberately|intentionally|consciously)",
            r"from now on,? (?:we|all|every|the|no)",
            r"(?:we|i) (?:don't|do not|won't|will not) (?:want to )?(?:use|support|ship|allow|store|keep|do) … "
            r"(?:because|since|so that|due to)",
        ),
        "pattern": (
            r"(?:every|each) (?:single )?time",
            r"(?:this|it|that) happens (?:each|every|all|whenever|when|at|on)",
            r"as a rule",
            r"same story (?:again|every|each)",
            r"as soon as … (?:,|it|the|they|there|everything|we)",
            r"(?<!is )(?<!are )(?<!was )(?<!'s )always \w+",
            r"(?:this|that|it|which) (?:always|usually|invariably|nearly always|almost always) (?:means|happens|points to"
            r"|indicates|turns out|breaks|fails|comes)",
            r"always (?:means|happens|fails|breaks|comes|ends up|turns out|leads|causes|points|shows up|goes|gets|takes"
            r"|dies|crashes|drops|spikes|resets|times out|hangs|follows)",
            r"(?:it|this|that|the|\w+) (?:keeps|kept) (?:happening|failing|breaking|coming back|crashing|timing out|dropping)",
            r"whenever",
            r"without (?:fail|exception)",
            r"(?:nine|9) times out of (?:ten|10)",
            r"(?:tends?|tend) to",
            r"(?:almost|nearly) (?:always|every)",
            r"(?:like clockwork|time and again|over and over again|again and again)",
            r"(?:on|at|after|before|in) (?:every|each) (?:deploy\w*|release|restart|monday|tuesday|wednesday|thursday|friday"
            r"|sunday|saturday|month|week|night|quarter|build|run|push|merge|reboot|sprint|upgrade|update|morning) …",
            r"(?:mondays|fridays|weekends|nights) (?:always|are always)",
            r"(?:usually|typically|invariably|consistently|regularly) (?:means|happens|fails|breaks|comes|ends up|leads|causes|follows)",
        ),
        "open_question": (
            r"(?:i'm|i am|im|we're|we are|still|are|is|am|nobody is|no one is) (?:still |really |also |just |quite )?"
            r"(?:not|un)(?: |-)?(?:yet |really |quite |entirely |totally |fully |100% |at all )?(?:sure|certain|clear|decided)"
            r"(?: yet| at this point| at all)? (?:whether|if|how|why|which|what|when|where|who|about|that)",
            r"(?:not|un)(?: )?(?:sure|clear|certain)(?: yet)? (?:whether|if|how|why|which|when|where)",
            r"it(?:'s|s| is) (?:still |not )?(?:un)?(?:clear|known|decided|open|certain)(?: yet)? (?:whether|if|how|why|which)",
            r"(?:we|i|someone|somebody)(?:'ll)? (?:still |also |first |will )?(?:need|have|want|ought)s? to (?:still )?"
            r"(?:figure out|find out|decide|clarify|work out|determine|understand) (?:whether|if|how|why|which|what|when|who|where)",
            r"(?:we|i) (?:still )?(?:need|have) to figure",
            r"(?:i|we|nobody|no one)(?: really| still| actually| yet)? (?:don't|do not|dont|doesn't|still don't|can't|cannot) "
            r"(?:yet |really |actually |quite )?(?:know|tell|say|understand)(?: yet| for sure)? (?:whether|if|how|why|which|when|where|what)",
            r"(?:nobody|no one|none of us) (?:really |actually |yet )?(?:knows|can say|understands|has figured out)",
            r"(?:open|unresolved|unanswered|outstanding) (?:question|issue|point)s?",
            r"(?:we|i) (?:haven't|have not|havent) (?:yet )?(?:decided|figured|settled|worked out|agreed|determined|made up)",
            r"(?:hasn't|has not|isn't|is not|haven't) been (?:decided|settled|determined|resolved|agreed)",
            r"(?:still|remains?|it remains) (?:undecided|unclear|unknown|to be (?:seen|decided)|an open question|open whether|up in the air)",
            r"(?:i|we) (?:still )?(?:wonder|are wondering|am wondering) (?:whether|if|how|why)",
            r"i'm (?:still )?(?:wondering|torn|undecided)",
            r"(?:no idea|no clue) (?:yet )?(?:whether|if|why|how|which)",
            r"(?:have|has) yet to (?:decide|figure|find|determine)",
            r"(?:to be|tbd|t\.b\.d\.)(?: determined| decided)? (?:whether|if|how|which)",
            r"up in the air|unexplained|unsettled|undecided",
            r"(?:it's|it is|that's|that is|this is|which is|remains) (?:still )?(?:an )?open (?:question|issue|point)?",
            r"(?:what's|what is) (?:still )?(?:open|unclear|missing|undecided)",
            r"(?:isn't|is not|not|hasn't been|wasn't|yet to be|never been) (?:yet |been )?(?:settled|decided|clarified|resolved)",
            r"(?:couldn't|could not|can't|cannot|haven't been able to|wasn't able to|unable to) (?:confirm|tell|verify|explain|reproduce|say|work out|figure out|determine)",
            r"there(?:'s| is| are) (?:still )?(?:a |some )?doubts? (?:about|whether|if|as to)",
            r"(?:we|i)(?:'ll| will)? (?:still )?(?:have|need) to (?:find out|figure out|clarify|work out)",
            r"my (?:hunch|guess|suspicion) is",
            r"(?:whether|if) … (?:is|remains|stays) (?:still )?(?:undecided|open|unclear|unknown|unsettled|up for|anyone's guess|to be)",
        ),
        "workflow": (
            r"(?:the|our|my) (?:[\w-]+ ){0,3}(?:process|workflow|procedure|order|sequence|routine|flow|drill|steps|recipe|playbook)"
            r"(?: here| for … | of … | to … |) ?(?:is|are|goes|looks like|was|:)",
            r"(?:the|our) (?:usual|normal|standard|right|correct|proper) (?:way|order) (?:to|of|is|for)",
            r"(?:goes|go|works?|is done|are done|runs?|happens?|is handled|are handled) (?:like this|as follows|like that|in this order|through (?:three|four|five|several))",
            r"in (?:this|that|the following) order",
            r"(?:here is|here's|this is|that's) how (?:a|an|the|we|you|our|it's|every) ",
            r"typical \w+",
            r"(?:how|the way) we (?:\w+ ){0,4}(?:is|here):? …first",
            r"step (?:1|one)\b",
        ),
    },
    figures=(
        rf"(?:median|mean|average|avg|averages) … {_NUMBER}",
        rf"(?:against|vs\.?|versus|compared (?:to|with)|up from|down from|before it was|instead of|earlier it was) (?:[\w-]+ ){{0,3}}{_NUMBER}",
        rf"{_NUMBER} (?:% |percent )(?:of|more|less|fewer|faster|slower|higher|lower)",
        rf"(?:takes|took|needs|needed|costs|uses|used|lasts|lasted|returned|produced|yielded|gave|gives|found|missed|lost contact|brings|scored|scores|hits) … {_NUMBER}",
        rf"{_CHANGED} … {_NUMBER}",
        rf"p(?:50|90|95|99) … \d",
        rf"(?:now|currently|today|yesterday|last (?:week|month|night|year|quarter)) … (?:at|is|are|was|were) {_NUMBER}",
    ),
    rejects=(
        r"(?:no+|nope|nah)(?= *[,.:;!—–-]+ *\w| +(?:that|it|the|you|i|we|this|there|they|actually|wait|not|your|these|those)\b"
        r"| *[.!]* *$)(?: *[,.!:;—–-]* *(?:uh|um|wait|sorry|no|actually|please|stop|again)\b)*",
        r"(?:i think |i'm afraid |sorry,? |but |well,? |wait,? |hmm,? |hold on,? |stop,? )?(?:you're|you are|youre|your|you were|you got it|you have it|you've got it|you got) "
        r"(?:just |still |totally |completely |clearly |a bit |really |getting |being )?(?:confused|confusing|wrong|mistaken|mixing|conflating"
        r"|misreading|misunderstanding|backwards|looking at the wrong|incorrect|mixed up|off)(?: here| again| there)?",
        r"(?:i think |i'm afraid |sorry,? |but |well,? |wait,? |hmm,? |hold on,? |stop,? )?(?:that's|thats|that is|this is|it's|its|this|that|it|that was|which is) (?:just |still |simply |actually |totally |completely |plain |also |a )?"
        r"(?:wrong|incorrect|false|mistaken|backwards|untrue|misunderstanding|not (?:quite |actually |even |really )?(?:right|correct|true|how|what|the case|accurate|where|why|it)"
        r"|does ?n[o']?t (?:seem|look) (?:right|correct)|is ?n[o']?t (?:quite |actually )?(?:right|correct|true|how|what|the case|accurate|where|why)"
        r"|isn't (?:quite |actually )?(?:right|correct|true|how|what|the case|accurate|where|why))"
        r"(?: (?:we|i|it|this|that|they|the \w+) (?:\w+ )?(?:works?|means?|meant|said|asked|wanted|does?|is|want|behaves?))?(?: here| at all| either)?",
        r"you (?:\w+ )?(?:misunderstood|misread|misunderstand|misinterpreted|mixed up|confused|conflated|got (?:it|this|that) (?:wrong|backwards|the wrong way)"
        r"|have (?:it|this|that) (?:wrong|backwards))",
        r"(?:not quite|incorrect|wrong|not exactly|not true|not correct|that's not it|false|wrong assumption|bad assumption|quite the opposite|the opposite|on the contrary|other way (?:a)?round)(?= *[,.:;!—–-]| *$)",
        r"(?:wait,? |no,? |hmm,? |well,? |but |hold on,? |ah,? |oh,? )*actually,?(?= (?:the|it|that|this|we|our|there|those|these|they|no|a|an|in|on|for|all|each|every|most|only|its|it's|\w+ (?:is|are|was|were|does|do|has|never|only|runs?|lives?|uses?))\b)",
        r"(?:they|it|this|that|those) (?:don't|doesn't|isn't|aren't|didn't|wasn't|does not|is not|are not|do not)(?= *[,.:;—–-] *\w| *[.]? *$)",
        r"(?:you've|you have|you) got (?:it|this|that|the \w+) (?:wrong|backwards|the wrong way (?:a)?round)",
    ),
    faults=(
        r"you (?:\w+ )?(?:treat|are treating|treated|read|count|use|used|counted|took) … (?:and|but) (?:they|it|that|those|these) (?:aren't|isn't|are not|is not|don't|doesn't)",
        r"(?:as|like|what|the way) you (?:\w+ )?(?:say|said|wrote|write|assumed|assume|claim|claimed|thought|think|describe|described|suggest|suggested|put it|stated|call|called)",
        r"you (?:\w+ )?(?:said|wrote|claim|claimed|say|state|stated|describe|described) … (?:they|it|that|this|he|she) (?:don't|doesn't|isn't|aren't|didn't|wasn't|can't|does not|is not|are not)",
        r"in your (?:\w+ )?(?:slide|summary|report|table|diff|readme|plan|analysis|chart|list|comment|answer|notes?|message|version|code|section|description|query|script|draft|email|figure) … ?(?:isn't|is not|aren't|are not|is wrong|are wrong|doesn't|does not)",
        r"(?:is|are) (?:simply |just )?not (?:how|true|what|right|correct|the case)",
        r"you(?:'ve| have)? (?:\w+ )?(?:took|take|taken|treat|read|misjudged|swapped|inverted) (?:\w+ ){0,5}(?:as|for|the other way|the wrong way)",
        r"you (?:\w+ )?(?:assumed|assume|keep assuming|misread|misunderstood|confused|mixed up|conflated|keep confusing|keep treating|overlooked|forgot that|missed that|treated|are treating|are assuming|thought|seem to think|are confusing|are mixing)",
        r"you(?:'re| are)? (?:\w+ )?(?:assuming|confusing|mixing|conflating|treating)",
        r"you (?:\w+ )?(?:modified|changed|edited|used|picked|took|chose|updated|deleted|removed|added|looked at|read|checked|put|named|wrote|fixed|patched|opened|ran) (?:\w+ ){0,3}the wrong",
        r"(?:is|are|was) (?:a wrong|your mistake|not what i (?:asked|meant|said|wanted))",
        r"i (?:said|meant|asked for|told you|was asking|was talking about) … ?not",
        r"contrary to what you",
    ),
    contrasts=(
        r"(?:is|are|was|were|means?|comes?|lives?|runs?|uses?|goes|belongs?|measures?|counts?|refers?|'s|'re|happens?|only|for|from|in|on|to|by|at|with|i meant|should be|must be) (?P<right>[^.!?;,\n]{2,80}?),? ?(?:,|—|–| -|\() ?(?:and )?not (?P<wrong>(?!only|just|sure|yet|really|necessarily|even|too|so|that)[^.!?;,\n)]{2,80})",
        r"(?:is|are|was|were|does|do)(?:n't|nt| not) (?:about |for |in |from |on |because of |due to )?(?P<wrong>(?!only|just|sure|yet|going|able|need|have|want|know|working)[^.!?;,\n]{2,80}?)(?:,| but| —| –| -|;)+ ?(?:but |it's |its |it is |they're |they are |that's |rather |instead )+(?P<right>[^.!?;\n]{2,80})",
        r"not (?P<wrong>(?!only|just|sure|yet|that)[^.!?;,\n]{2,60}?),? but (?:rather |actually |instead )?(?P<right>[^.!?;\n]{2,80})",
        r"(?:instead of|rather than) (?P<wrong>[^.!?;,\n]{2,80})",
    ),
    asserts=(
        rf"{_TOPIC_VERB}",
        r"(?:means?|counts?|measures?|runs?|lives?|uses?|comes?|goes|needs?|reads?|writes?|stores?|returns?|holds?|belongs?"
        r"|expects?|includes?|excludes?|covers?|happens?|works?|takes|only|never|always|contains?|points?|starts?|ends?|gets?"
        r"|keeps?|stays?|sends?|calls?|depends?|can't|cannot|must|has|we (?:\w+ )?(?:use|have|run|keep|store|deploy|call))",
    ),
    openers=(
        r"(?:close|almost|nearly|fair enough|ok+|okay|uh+|um+|uhm|hmm+|hm+|ah+|oh+|well|so|and|but|also|right|alright|yeah|yep|yes|sure|hey|hi|hello|wait|sorry"
        r"|look|listen|see|now|btw|by the way|fyi|anyway|actually|again|to be clear|just to be clear|for the record"
        r"|for context|some context|context|note|note that|please note(?: that)?|keep in mind(?: that)?|remember(?: that)?"
        r"|just so you know|just fyi|heads up|quick note|one thing|thanks|thank you|i think|i mean|you know|as i said"
        r"|like i said|the thing is(?: that)?|in fact|hold on|stop|mind you|careful)(?= *[,.:;!—–-]| )[ ,.:;!—–-]*",
    ),
    leads=(
        r"the way (?:this|it|that|things) (?:all |actually |really )?works?(?: here)? is(?: that)?[:,]? ?",
        r"(?:here's|here is|this is|that's) how (?:it|this|that) (?:all |actually |really )?works?(?: here)?[:,—–-]* ?",
        r"how (?:it|this|that) (?:actually )?works(?: here)? is(?: that)?[:,]? ?",
        r"what (?:really |actually )?happens(?: here| there)? is(?: that)?[:,]? ?",
        r"the (?:thing to understand|thing to know|key thing|idea|trick)(?: here)? is(?: that)?[:,]? ?",
    ),
    reasons=(
        r"because(?: of)?",
        r"since(?= (?:the|we|it|that|they|our|there|this|a|an|each|every|its|both|most|all|you|i)\b)",
        r"due to",
        r"as (?:the|we|it|they|our) (?=\w)",
        r"the reason (?:being|is)",
    ),
    requests=(
        r"(?:can|could|would|will) (?:you|we)",
        r"please",
        r"pls",
        r"(?:i|we) (?:want|need|would like|'d like|d like) (?:you )?(?:to|the|a|an)?",
        r"i'd like (?:you )?to",
        r"(?:let's|lets|let us) (?!go with|go for|stick|stay|settle|say|assume|suppose|call)",
        r"(?:go ahead|make sure|ensure|add|fix|run|create|make|update|remove|delete|write|check|look|show|tell|explain|rename"
        r"|move|refactor|commit|push|open|use|try|implement|change|read|review|test|find|build|install|deploy|merge|rebase"
        r"|revert|undo|redo|set|put|get|give|list|help|do|don't|dont|do not|stop|start|continue|generate|replace|convert|clean"
        r"|format|lint|debug|investigate|verify|summari[sz]e|describe|compare|suggest|improve|reorder|sort|extract|split"
        r"|document|configure|setup|set up|rewrite|simplify|optimi[sz]e|bump|upgrade|downgrade|pull|fetch|clone|search|grep"
        r"|print|log|draft|plan|think|ask|answer|comment|turn|switch|leave|keep|drop|skip|ignore|apply|include|exclude|wire"
        r"|hook|port|migrate|copy|paste|rerun|re-run|restart|ship|release|tag|send|wait|take|prepare|squash|pin|enable|disable"
        r"|edit|insert|append|wrap|mock|cover|tidy|delete|scan|analy[sz]e|inspect|walk me|double-check|finish|proceed|resume"
        r"|save|export|import|render|plot|draw|sketch|propose|reproduce|trace|track|remember|note)(?= |[,.!:]|$)",
    ),
    asks=(
        r"(?:can|could|would|will) you",
        r"please",
        r"tell me (?:how|why|what|whether|if)",
        r"explain (?:how|why|what|the|me|to me)",
        r"(?:show|walk) me",
        r"do you (?:know|think)",
        r"i want you to",
        r"i(?:'d| would) like you to",
        r"(?:you )?should (?:i|we)",
        r"make sure",
    ),
    unreal=(
        r"(?:suppose|let's say|lets say|hypothetically|what if|imagine (?:that|if|we|you|a|there)|pretend|for example,? (?:if|say|imagine)|as an example)",
        r"(?:would|could|might) have (?:been|decided|said|measured)",
        r"(?:he|she|they|someone|the (?:docs?|article|blog|book|readme|ticket|comment|reviewer|author|tutorial|customer|vendor)) (?:says?|said|claims?|claimed|wrote|writes?|asked|told)(?: that)? [\"'“]",
        r"(?:write|draft|add|put|include|insert|create|rename|test|parse|detect|match|translate|replace) (?:\w+ ){0,6}[\"'“`]",
        r"(?:if|when) (?:someone|anyone|a user|the user|users|customers?) (?:says?|asks?|types?|writes?)",
        r"(?:the|a) (?:phrase|words?|string|sentence|message|label|button|title|heading|text|copy|error) (?:saying |that says |reads? |like )?[\"'“]",
    ),
    courtesies=(
        r"(?:yes|yep|yeah|yup|ok|okay|k|sure|no|nope|right|correct|exactly|perfect|great|good|nice|cool|awesome|excellent"
        r"|thanks|thank you|thx|ty|cheers|hi|hello|hey|good morning|good evening|bye|goodbye|done|lgtm|looks good|sounds good"
        r"|go ahead|go for it|do it|ship it|approved|agreed|fine|ready|please do|yes please|no problem|no worries|of course"
        r"|makes sense|got it|i see|understood|wow|lol|haha|nevermind|never mind|you're welcome|well done|great job|good job"
        r"|nice work|great work|good work|that works|that's fine|that's great|that's it|all good|love it|i like it|works for me"
        r"|sorry|my bad|oops|proceed|continue|next|again|stop|wait|how's it going|how are you|what's up|see you(?: tomorrow)?)"
        r"(?:[ ,.!]+(?:yes|ok|okay|sure|thanks|thank you|please|then|now|so much|a lot|very much|again|go ahead|do it|great|good"
        r"|perfect|that works|looks good|sounds good|for that|for now|claude|there|everyone|to me|for (?:the|your) \w+|it|proceed"
        r"|continue|ship it|merge it|commit it|all good|nice|man|mate|team|with it|ahead|to go)){0,5}[ ,.!?:)]*",
        r"the (?:user|person|human|owner|customer) (?:approves?|approved|agrees?|agreed|thanks?|thanked|confirms?|confirmed|says? (?:yes|hello|hi|ok)|"
        r"is (?:happy|satisfied|pleased)|greets?|asked (?:to|for|the)|asks (?:to|for|the)|likes?)…",
    ),
    routine=(
        r"(?:(?:ok|okay|now|then|and|also|please|pls|just|so|great|good|thanks|yes|sure|next|first|go ahead and|let's|lets|can you|could you|would you"
        r"|you can|i want you to|i need you to|i'd like you to|the user wants(?: you)? to|the user asked (?:you )?to)[ ,.!]*){0,4}"
        r"(?:run|rerun|re-run|commit|push|pull|merge|rebase|deploy|build|compile|install|format|lint|test|fix|continue|proceed|retry"
        r"|revert|undo|redo|open|close|show|list|print|read|check|look|update|add|remove|delete|create|rename|make|write|start"
        r"|stop|restart|summari[sz]e|review|explain|tell|try|move|clean|bump|tag|release|generate|refactor|implement|save|copy)\b",
    ),
    conditions=(
        r"(?:but |and )?only (?:on|in|for|when|if|with|while|during|under|after|before|between|at|as long as|inside|within|through"
        r"|over|until|from|by|where|once|since|outside|above|below|behind|against|via) [^,.!?;:\n()—]{2,80}",
        r"(?:except|unless|provided|as long as|so long as|in case|assuming|other than|apart from|outside|regardless of|until|till"
        r"|up to|starting (?:with|from|in)|with the exception of) [^,.!?;:\n()—]{2,80}",
        r"(?:if|when|whenever|while|once|where|during|under) (?!not\b)[^,.!?;:\n()—]{3,80}",
        r"(?:^|(?<=[,;:.] ))(?:for|on|in|at|with|under|within|inside|since|during|below|above|outside) (?!a |an |fact|general|practice|total|"
        r"average|order|purpose|addition|short|theory|principle|case|example|instance|now|me|us|you|that|it|this (?:case|way|order)|what|"
        r"first|least|all |the (?:end|last|first|past|moment|meantime|future|data|long|short|other|same|way)|(?:our|the) system)"
        r"[^,.!?;:\n()—]{2,80}",
        r"(?:in|on|at|for|with) (?:this|these|those) (?!way|order|case|time|mean|moment|data)\w+",
        r"just (?:on|in|for|with|when|if) [^,.!?;:\n()—]{2,60}",
        r"(?:in|on|for|with|at|inside|behind|against|under|using|within|from) (?:the |our |a |an |all |both |this |that )?(?:[\w/-]+ ){0,3}"
        r"(?:staging|production|prod|dev|development|ci|qa|sandbox|localhost|preview|test|environments?|env|property|tenants?|plan|tier|region"
        r"|clusters?|branch|branches|mode|builds?|accounts?|customers?|devices?|mobile|desktop|ios|android|windows|linux|macos"
        r"|safari|firefox|chrome|worktree|worktrees|load|regions?|weekends?|holidays|quarter|campaigns?|instances?|platforms?|releases?|versions?"
        r"|endpoints?|market|markets|runners?|hosts?|replicas?|users|beta|alpha|pilot|trial|rollout|subscribers?|guests|admins?|members|browsers?|phones?|tablets?|kiosks?|lab|labs|office|warehouse|offline|online|locally|sites?|stores?|imports?|api)(?!\w)(?: only)?",
        r"(?:in|on|for|with|since|from|before|after|under) (?:the |our )?v\d[\w.]* [\w-]+",
        r"since (?:the |our )?(?:[\w-]+ )?(?:19|20)\d\d(?: [\w-]+)?",
        r"(?:in|on|for|since|from|before|after|with|under) (?:version |python |node |java |go |postgres |v)\d[\w.]*",
        r"(?:above|below|over|under|beyond|more than|less than|fewer than|at least|at most) \d[\d.,]* ?[\w%]+",
        r"(?:on|at|in) (?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|weekends?|weekdays?|night|q[1-4]|"
        r"january|february|march|april|may|june|july|august|september|october|november|december)(?!\w)",
    ),
    bare=(
        r"it(?!'?s? (?:is |was |remains |seems |has |been |isn't )?(?:still |also |not |yet |now |quite |very |really |far |currently |been )*"
        r"(?:unclear|clear|open|an open|undecided|unknown|uncertain|important|possible|impossible|necessary|unlikely|likely|true that|known"
        r"|hard to|easy to|better to|safe to|forbidden|allowed|unsettled|not settled)\b)(?= |'|$|,)",
        r"(?:they|he|she|him|them|its|theirs|his|hers)(?= |'|$|,)",
        r"(?:this|that|these|those) ones?(?= |$|,|')",
        r"(?:this|that|these|those)(?: (?:thing|stuff|way))?(?= (?:is|are|was|were|isn't|isnt|aren't|wasn't|weren't|has|have|had|hasn't|haven't|does|do|did"
        r"|doesn't|doesnt|don't|dont|didn't|will|won't|would|wouldn't|should|shouldn't|could|couldn't|can|can't|cannot|may|might|must"
        r"|means?|meant|makes?|made|works?|worked|needs?|needed|looks?|looked|seems?|seemed|happens?|happened|breaks?|broke|comes?|came|goes"
        r"|went|gives?|gets?|got|also|always|never|just|still|again|too|not|only|and|or|but|usually|really|actually|basically|"
        r"runs?|ran|fails?|failed|uses|used|causes?|caused|leads?|takes|took|became|becomes|will|only|in|on|for|at|with|because|since|when|if|to|from|applies|depends|stays?|holds?)(?!\w)|'s|'re|'ll|'d| *[,.:;!?]| *$)",
        r"(?:this|that)(?= (?:\w+(?<!s)(?<!u)(?<!i)s) (?:the|a|an|to|on|in|when|if|for|with|it|at|from|by|because|our|all|every)\b)",
        r"the (?:above|former|latter|following)(?= (?:is|are|was|were|has|have|does|should|will|only|must|also|can)\b|'s| *[,.:;!?]| *$)",
        r"(?:above|as above|see above|same (?:here|thing|for|as)|such (?:is|was)|which|so (?:is|does|do|are)|neither does|nor)(?= |$|,)",
    ),
    steps=(
        r"first(?:ly)?(?: of all| thing)?(?:,| we| you| i| the| comes| \w+)",
        r"(?:and |after that |only )?then(?:,| we| you| i| \w+)",
        r"(?:second|third)(?:ly)?,|once (?:the|that|it|they|we|all|everything)|before that|only when|comes (?:first|next|last)|as the last (?:thing|step)",
        r"(?:after that|afterwards|next,|next we|next comes|and finally|finally|lastly|at the end|in the end|followed by|once that's done|once (?:that|it) (?:is|passes)|only after|before that|last step|step \d)",
        r"->|→|=>",
    ),
    habits=(
        r"(?:process|workflow|procedure|order|sequence|routine|always|usually|normally|every|each|whenever|typically|standard|generally|steps|drill|recipe|pipeline|flow)",
        r"(?:to|when(?:ever)?|before|for|in order to) (?:we |you |i |a |an |the |each |every )?(?:[\w-]+ ){0,2}(?:releas\w*|deploy\w*|onboard\w*|ship\w*|publish\w*|migrat\w*|roll\w*|upgrad\w*|cut\w*|restor\w*|debug\w*|add\w*|create\w*|creating|set\w*|rotat\w*|review\w*|import\w*|launch\w*|bring\w*|get\w*|fix\w*|do|make|build\w*|train\w*|reproduc\w*|recover\w*|clos\w*|book\w*|invoic\w*|bill\w*|chang\w*|test\w*|open\w*|renew\w*|merg\w*|hotfix\w*|provision\w*)",
        r"we (?:\w+ )?(?:\w+)|you (?:have to|need to|must|first|then)|(?:is|are|gets?) (?:\w+ed|run|built|sent|merged)",
    ),
    rejected_content=(
        r"(?:thanks?|thank you|that's (?:fine|ok|okay|good|great|all|it|enough|perfect)|thats (?:fine|ok|good|all)|it's (?:fine|ok|okay|good|all good)|all good"
        r"|(?:i|we) (?:think )?(?:we're |i'm )?(?:good|fine|ok)|problem|worries|need|rush|idea|leave it|don't bother|not (?:now|yet|needed|necessary|today)|skip it|go ahead|keep going|continue|later|never ?mind|looks good|nothing (?:else|more)|that works|i'm good|let's (?:not|leave|wait|stop|move|skip|do))",
    ),
    blocks={
        "open_question": (
            r"(?:what|how|why|if|whether) you (?:mean|meant|want|did|are|were|need|said|got|can|would|think|know|understood)",
            r"what (?:that|this|it) (?:means|error|is|does)",
            r"let me know",
            r"(?:don't know|not sure|no idea|unclear|know) (?:what|why|how|if|whether) you",
        ),
        "finding": (
            r"(?:limit|cap|budget|timeout|threshold|set|increase|decrease|raise|lower|bump|change|reduce|want|need|should|must|let's|lets|please|target|goal|would|could|might|if|expect|estimate|plan|will|won't|allow|maximum|at most|at least) (?:[\w-]+ ){0,4}(?:to|of|at|by|be|use|take|cost|is)",
        ),
        "decision": (
            r"(?:did|have|has|do|should|what|why|when|how|who) (?:we|you|i|they) (?:\w+ )?(?:decided?|agreed?|choose|chose|chosen|pick|picked|settled?|go with)",
            r"(?:haven't|have not|hasn't|not yet|never|yet to|need to|have to|until|once|before|after|if|whether|unless) (?:\w+ ){0,3}(?:been )?(?:decided?|agreed|chosen|chose|settled|decide)",
            r"(?:whichever|whatever) you",
        ),
        "pattern": (
            r"(?:every time|each time|whenever|always when|when|as soon as),? you (?:\w+ )?(?:answer|reply|respond|write|say|forget|do|explain|ask|tell|touch|try|make|give|break|fix something|change something|are|start|generate|talk)\b",
            r"(?:you|i|i've|i'm|please|we should|should|must|can|to|will|would|not|don't|don't) (?:\w+ )?always",
            r"(?:always|every time|each time) (?:answer|use|be|thought|wanted|loved|been|the same (?:mistake|thing)|make sure|please|forget|have to ask|welcome)",
            r"(?:whenever|any ?time|every time) (?:you (?:want|like|are ready|can|get|have (?:a )?(?:time|chance|moment)|feel)|i (?:ask|say|tell)|suits|possible)",
            r"(?:whenever|every time|each time) [^,]{3,60}, (?:please |you should |make sure |always |also |just |then )*(?:run|add|commit|write|update|use|check|create|tell|ask|show|remember|make|log|print|call|format|test|push|notify|send|include|do|don't|give|keep|put|ensure|never|stop|wait|read|explain|say|remove)\b",
        ),
        "workflow": (r"(?:i want you|i need you|please|can you|could you|would you|for now|your task|this time)",),
    },
)
