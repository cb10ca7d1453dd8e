"""English phrases."""

from thermite_pipelines.atoms.signals.en_blocks import BLOCKS
from thermite_pipelines.atoms.signals.en_types import FIGURES, SIGNALS
from thermite_pipelines.atoms.signals.language import Language, phrases, words_of

# fmt: off
ENGLISH = Language(
    code="en",
    spaced=True,
    words=words_of("""
        a about above actually after again all already also always am an and another any anything are as at back
        basically be because been before being below between both but by can can't cannot could day days did didn't
        do does doesn't doesnt doing don't done dont down during each either else ever every everyone everything
        exactly few first for from get gets getting give go goes going gone good got had has have haven't having he
        her here him his hour hours how however i i'd i'll i'm i've if in instead into is isn't it it's its just
        keep know last less let let's lets like look made make many may maybe me mean means might minute minutes
        month more most much must my need needs never new next no normally not nothing now of off ok okay on once
        one only or other our out over own per percent please probably put really right said same saw say second
        seconds see seems shall she should since so some someone something soon still such sure take than thank
        thanks that that's the their them then there there's these they thing things think this those though through
        time to today tomorrow too try two under until up us use used uses using usually very want wants was wasn't
        way we we'd we'll we're we've week well were what what's when whenever where whether which while who why
        will with without won't work works would wrong year yes yesterday yet you you'd you'll you're you've your
    """),
    signals=SIGNALS,
    blocks=BLOCKS,
    figures=FIGURES,
    past=phrases(r"""
        (?:was|were|had|got|gave|came|went|saw|ran|made|sold|took|fell|rose|found|missed|lost|\w{3,}ed)
    """),
    rejects=phrases(r"""
        (?:that's|that is|this is) (?:a |an |your )?(?:common |big |little )?(?:misunderstanding|misconception|mistake
        |error|myth
        |fallacy|mix-up)(?= *[,.:;!—–-]| *$)
        i (?:don't|do not|dont) think (?:so|that's (?:right|true|it|correct|what|how|the)|it's (?:right|true|that)
        |this is (?:right|true|correct))
        i disagree|that can't be (?:right|true|it|correct)|(?:one|small|a|minor|quick) correction|correction
        |to correct that|wrong \w+(?= *[,.:;!—–-])
        (?:that|this|your) (?:assumption|conclusion|claim|reading|interpretation|explanation|premise|diagnosis
        |theory|statement|sentence|number|figure) (?:is|was|doesn't|does not|isn't)(?: \w+)? ?(?:wrong|hold|right
        |true|correct|false|off)?
        there's a misunderstanding|there is a misunderstanding|you're looking at the wrong \w+
        |you are looking at the wrong \w+
        (?:no+|nope|nah)(?= *[,.:;!—–-]+ *\w| +(?:that|it|the|you|i|we|this|there|they|actually|wait|not|your|these
        |those)\b| *[.!]* *$)(?: *[,.!:;—–-]* *(?:uh|um|wait|sorry|no|actually|please|stop|again)\b)*
        (?:i think |i'm afraid |sorry,? |but |well,? |wait,? |hmm,? |hold on,? |stop,? )?(?:you're|you are|youre
        |your|you were|you got it|you have it|you've got it
        |you got) (?:just |still |totally |completely |clearly |a bit |really |getting |being )?(?:confused
        |confusing|wrong|mistaken|mixing|conflating|misreading|misunderstanding|backwards|looking at the wrong
        |incorrect|mixed up|off)(?: here| again| there)?
        (?:i think |i'm afraid |sorry,? |but |well,? |wait,? |hmm,? |hold on,? |stop,? )?(?:that's|thats|that is
        |this is|it's|its|this|that|it|that was
        |which is) (?:just |still |simply |actually |totally |completely |plain |also |a )?(?:wrong|incorrect|false
        |mistaken|backwards|untrue|misunderstanding|not (?:quite |actually |even |really )?(?:right|correct|true|how
        |what|the case|accurate|where|why|it)|does ?n[o']?t (?:seem|look) (?:right|correct)
        |is ?n[o']?t (?:quite |actually )?(?:right|correct|true|how|what|the case|accurate|where|why)
        |isn't (?:quite |actually )?(?:right|correct|true|how|what|the case|accurate|where|why))(?: (?:we|i|it|this
        |that|they|the \w+) (?:\w+ )?(?:works?|means?|meant|said|asked|wanted|does?|is|want|behaves?))?(?: here
        | at all| either)?
        you (?:\w+ )?(?:misunderstood|misread|misunderstand|misinterpreted|mixed up|confused|conflated|got (?:it
        |this|that) (?:wrong|backwards|the wrong way)|have (?:it|this|that) (?:wrong|backwards))
        (?:not quite|incorrect|wrong|not exactly|not true|not correct|that's not it|false|wrong assumption
        |bad assumption|quite the opposite|the opposite|on the contrary|other way (?:a)?round)(?= *[,.:;!—–-]| *$)
        (?:wait,? |no,? |hmm,? |well,? |but |hold on,? |ah,? |oh,? )*actually,?(?= (?:the|it|that|this|we|our|there
        |those|these|they|no|a|an|in|on|for|all|each|every|most|only|its|it's|\w+ (?:is|are|was|were|does|do|has
        |never|only|runs?|lives?|uses?))\b)
        (?:they|it|this|that|those) (?:don't|doesn't|isn't|aren't|didn't|wasn't|does not|is not|are not
        |do not)(?= *[,.:;—–-] *\w| *[.]? *$)
        (?:you've|you have|you) got (?:it|this|that|the \w+) (?:wrong|backwards|the wrong way (?:a)?round)
    """),
    faults=phrases(r"""
        (?:the )?other way (?:a)?round|(?:is|was|are) (?:a )?(?:misunderstanding|misreading|mix-up|false assumption
        |wrong assumption|misconception)
        you (?:\w+ )?(?:overlooked|missed|ignored|misjudged) (?:that|the fact)
        where you (?:say|write|wrote|put|said)|(?:not|isn't|aren't) … (?:as|like) you
        you (?:\w+ )?(?:treat|are treating|treated|read|count|use|used|counted|took) … (?:and|but) (?:they|it|that
        |those|these) (?:aren't|isn't|are not|is not|don't|doesn't)
        (?:as|like|what|the way) you (?:\w+ )?(?:say|said|wrote|write|assumed|assume|claim|claimed|thought|think
        |describe|described|suggest|suggested|put it|stated|call|called)
        you (?:\w+ )?(?:said|wrote|claim|claimed|say|state|stated|describe|described) … (?:they|it|that|this|he
        |she) (?:don't|doesn't|isn't|aren't|didn't|wasn't|can't|does not|is not|are not)
        in your (?:\w+ )?(?:slide|summary|report|table|diff|readme|plan|analysis|chart|list|comment|answer|notes?
        |message|version|code|section|description|query|script|draft|email|figure) … ?(?:isn't|is not|aren't|are not
        |is wrong|are wrong|doesn't|does not)
        (?:is|are) (?:simply |just )?not (?:how|true|what|right|correct|the case)
        you(?:'ve| have)? (?:\w+ )?(?:took|take|taken|treat|read|misjudged|swapped|inverted) (?:\w+ ){0,5}(?:as|for
        |the other way|the wrong way)
        you (?:\w+ )?(?:assumed|assume|keep assuming|misread|misunderstood|confused|mixed up|conflated
        |keep confusing|keep treating|overlooked|forgot that|missed that|treated|are treating|are assuming|thought
        |seem to think|are confusing|are mixing)
        you(?:'re| are)? (?:\w+ )?(?:assuming|confusing|mixing|conflating|treating)
        you (?:\w+ )?(?:modified|changed|edited|used|picked|took|chose|updated|deleted|removed|added|looked at|read
        |checked|put|named|wrote|fixed|patched|opened|ran) (?:\w+ ){0,3}the wrong
        (?:is|are|was) (?:a wrong|your mistake|not what i (?:asked|meant|said|wanted))
        i (?:said|meant|asked for|told you|was asking|was talking about) … ?not
        contrary to what you
    """),
    contrasts=phrases(r"""
        (?:is|are|was|were)(?:n't| not) (?P<wrong>(?!only|just|sure|yet|going|able|clear|working|done|ready
        |green)[^.!?;,\n]{2,60}?), (?:it
        |they|each|every|only) (?P<right>[^.!?;\n]{6,80})
        (?:doesn't|don't|didn't|does not|do not|did not|never|won't|cannot|can't) (?P<wrong>(?!know|think|want|need
        |have to|like|see|understand)[^.!?;,\n]{2,80}?)(?:,|;| -| —
        | –) ?(?:but |it |they |we |that |only |instead |rather )+(?P<right>[^.!?;\n]{2,80})
        (?:i|we) (?:specifically|only|just|explicitly|clearly) (?:want\w*|meant|asked
        |need\w*) (?P<right>[^.!?;\n]{2,80})
        (?:i|we) (?:want\w*|meant|asked|need\w*) (?:you |for )?(?:to )?(?:only|just
        |specifically) (?P<right>[^.!?;\n]{2,80})
        (?:i|we) (?:want\w*|meant|need\w*) (?P<right>[^.!?;\n]{2,80}?) only
        (?:is|are|was|were|means?|comes?|lives?|runs?|uses?|goes|belongs?|measures?|counts?|refers?|'s|'re|happens?
        |only|for|from|in|on|to|by|at|with|i meant|should be|must be) (?P<right>[^.!?;,\n]{2,80}?),? ?(?:,|—|–| -
        |\() ?(?:and )?not (?P<wrong>(?!only|just|sure|yet|really|necessarily|even|too|so|that)[^.!?;,\n)]{2,80})
        (?:is|are|was|were|does|do)(?:n't|nt
        | not) (?:about |for |in |from |on |because of |due to )?(?P<wrong>(?!only|just|sure|yet|going|able|need
        |have|want|know|working)[^.!?;,\n]{2,80}?)(?:,| but| —| –| -
        |;)+ ?(?:but |it's |its |it is |they're |they are |that's |rather |instead )+(?P<right>[^.!?;\n]{2,80})
        not (?P<wrong>(?!only|just|sure|yet
        |that)[^.!?;,\n]{2,60}?),? but (?:rather |actually |instead )?(?P<right>[^.!?;\n]{2,80})
        (?:instead of|rather than) (?P<wrong>[^.!?;,\n]{2,80})
    """),
    rejected_content=phrases(r"""
        [\w$€.,%]+(?: \w+)? please|(?:[\w']+ ){0,5}(?:is|are) (?:missing|not done|not finished|unfinished|not ready)
        (?:my (?:mistake|bad|fault)|i (?:meant|mean|was|misread|haven't|have not|don't|didn't|did not|am|'m|think)|wait)
        (?:[\w']+ ){0,5}(?:is|are|it's|they're) still (?:red|broken|failing|there|wrong|the same|not|empty|missing|slow
        |crashing|open|here|hanging|running)|(?:still|it still)|(?:the |it's the )?same (?:error|thing|problem|result
        |issue)
        |(?:it|that|this) (?:doesn't|does not|didn't|did not|still doesn't|won't) (?:work|help|build|compile|run|start)
        (?:(?:i|we|it|there|they) still|(?:i|we)(?:'ll| will| already|'ve already| have already|'m going| did
        | do (?:it|that))|keep (?:it|going|that)|(?:it|that|this)(?:'s| is| was)? (?:already |all |just )?(?:fine|ok
        |okay|good|great|perfect|nothing|enough|me|my|better|up to you|cool|right|correct|works|looks good|helps)
        |the (?:old|first|previous|other|last|original) (?:one|version|way)|thanks?|thank you|that's (?:fine|ok|okay
        |good|great|all|it|enough|perfect)|thats (?:fine|ok|good|all)|it's (?:fine|ok|okay|good|all good)|all good
        |(?:i|we) (?:think )?(?:we're |i'm )?(?:good|fine|ok)|problem|worries|need|rush|idea|leave it|don't bother
        |not (?:now|yet|needed|necessary|today)|skip it|go ahead|keep going|continue|later|never ?mind|looks good
        |nothing (?:else|more)|that works|i'm good|let's (?:not|leave|wait|stop|move|skip|do))
    """),
    asserts=phrases(r"""
        (?:reports?|applies|applied|ships|handles|lists|tracks|treats|checks|fires|sits|skips|drops|matches|describes
        |maps
        |records|refers|relates|sends|loads|became|came|went|decides|assumes|allows|requires|lacks|carries|triggers
        |creates)
        (?:is|are|was|were|isn't|aren't|isnt|has|have|does|do|doesn't|don't|will|would|can|should)
        (?:means?|counts?|measures?|runs?|lives?|uses?|comes?|goes|needs?|reads?|writes?|stores?|returns?|holds?
        |belongs?|expects?|includes?|excludes?|covers?|happens?|works?|takes|only|never|always|contains?|points?
        |starts?|ends?|gets?|keeps?|stays?|sends?|calls?|depends?|can't|cannot|must|has|we (?:\w+ )?(?:use|have|run
        |keep|store|deploy|call))
    """),
    openers=phrases(r"""
        (?:close|almost|nearly|fair enough|ok+|okay|uh+|um+|uhm|hmm+|hm+|ah+|oh+|well|so|and|but|also|right|alright
        |yeah|yep|yes|sure|hey|hi|hello|wait|sorry|look|listen|see|now|btw|by the way|fyi|anyway|actually|again
        |to be clear|just to be clear|for the record|for context|some context|context|note|note that
        |please note(?: that)?|keep in mind(?: that)?|remember(?: that)?|just so you know|just fyi|heads up
        |quick note|one thing|thanks|thank you|i think|i mean|you know|as i said|like i said|the thing is(?: that)?
        |in fact|hold on|stop|mind you|careful)(?= *[,.:;!—–-]| )[ ,.:;!—–-]*
    """),
    leads=phrases(r"""
        the way (?:this|it|that|things) (?:all |actually |really )?works?(?: here)? is(?: that)?[:,]? ?
        (?:here's|here is|this is|that's) how (?:it|this|that) (?:all |actually |really )?works?(?: here)?[:,—–-]* ?
        how (?:it|this|that) (?:actually )?works(?: here)? is(?: that)?[:,]? ?
        what (?:really |actually )?happens(?: here| there)? is(?: that)?[:,]? ?
        the (?:thing to understand|thing to know|key thing|idea|trick)(?: here)? is(?: that)?[:,]? ?
    """),
    reasons=phrases(r"""
        because(?: of)?
        since(?= (?:the|we|it|that|they|our|there|this|a|an|each|every|its|both|most|all|you|i)\b)
        due to
        as (?:the|we|it|they|our)
        the reason (?:being|is)
    """),
    requests=phrases(r"""
        (?:translate|correct|proofread|paraphrase|classify|rate|guess|spell-?check)(?= )
        (?:pick|choose|surprise me|reword|rephrase|reply|respond|ping me)(?= |[,.!]|$)
        (?:can|could|would|will) (?:you|we)
        please
        pls
        (?:i|we) (?:want|need|would like|'d like|d like) (?:you )?(?:to|the|a|an)?
        i'd like (?:you )?to
        (?:let's|lets|let us)(?! (?:go with|go for|stick|stay|settle|say|assume|suppose|call))
        (?:go ahead|make sure|ensure|add|fix|run|create|make|update|remove|delete|write|check|look|show|tell|explain
        |rename|move|refactor|commit|push|open|use|try|implement|change|read|review|test|find|build|install|deploy
        |merge|rebase|revert|undo|redo|set|put|get|give|list|help|do|don't|dont|do not|stop|start|continue|generate
        |replace|convert|clean|format|lint|debug|investigate|verify|summari[sz]e|describe|compare|suggest|improve
        |reorder|sort|extract|split|document|configure|setup|set up|rewrite|simplify|optimi[sz]e|bump|upgrade
        |downgrade|pull|fetch|clone|search|grep|print|log|draft|plan|think|ask|answer|comment|turn|switch|leave|keep
        |drop|skip|ignore|apply|include|exclude|wire|hook|port|migrate|copy|paste|rerun|re-run|restart|ship|release
        |tag|send|wait|take|prepare|squash|pin|enable|disable|edit|insert|append|wrap|mock|cover|tidy|delete|scan
        |analy[sz]e|inspect|walk me|double-check|finish|proceed|resume|save|export|import|render|plot|draw|sketch
        |propose|reproduce|trace|track|remember|note)(?= |[,.!:]|$)
    """),
    asks=phrases(r"""
        (?<=[,;] )why (?:does|is|do|are|did|would|has|have)
        is that so
        why (?:do|did|are|have|would|don't|didn't) (?:you|i)
        is (?:that|this|it) (?:true|right|so|correct|ok|okay|fine)$|(?:isn't|is) (?:it|that|he|she)$
        (?<=[,;] )(?:so |and |then |just |now )*(?:fix|restore|revert|undo|remove|delete|change|update|stop|try|use|put
        |keep|leave|take|drop|make|check|rename|move|add|do|see|ignore|skip) (?:it|that|those|them|this|these|below|back
        |above|attached)(?= *[,.!)]*$| back| in| to| out| please| now| again)
        (?<=[,;] )(?:so |and |then |just |now )*(?:look at|start with|begin with|have a look|take a look|go ahead
        |let me know
        |take the other)
        (?:can|could|would|will) you
        please
        tell me (?:how|why|what|whether|if)
        explain (?:how|why|what|the|me|to me)
        (?:show|walk) me
        do you (?:know|think)
        i want you to
        i(?:'d| would) like you to
        (?:you )?should (?:i|we)
        make sure
    """),
    unreal=phrases(r"""
        (?:right|true|correct|it), is it(?= *[,.!])
        (?:oh|yeah),? (?:sure|great|right|wonderful|nice|perfect|brilliant)(?=[ ,])|(?:is|as) a feature(?= *[,.!]*$)
        |because why not
        (?:if|in case) (?:it|we|they|this|that|someone|somebody) (?:turned out|had (?:to|decided|chosen)|decided
        |were to|ever)
        (?:would|what) i would have (?:said|written|thought)
        my (?:mistake|bad|fault)|i (?:was wrong|misread|stand corrected|take that back)|you (?:were|are
        |'re) right(?! to)
        |you're right(?! to)
        (?:suppose|let's say|lets say|hypothetically|what if|imagine (?:that|if|we|you|a|there)|pretend
        |for example,? (?:if|say|imagine)|as an example)
        (?:would|could|might) have (?:been|decided|said|measured)
        (?:he|she|they|someone|the (?:docs?|article|blog|book|readme|ticket|comment|reviewer|author|tutorial
        |customer|vendor)) (?:says?|said|claims?|claimed|wrote|writes?|asked|told)(?: that)? [\"'“]
        (?:write|draft|add|put|include|insert|create|rename|test|parse|detect|match|translate
        |replace) (?:\w+ ){0,6}[\"'“`]
        (?:if|when) (?:someone|anyone|a user|the user|users|customers?) (?:says?|asks?|types?|writes?)
        (?:the|a) (?:phrase|words?|string|sentence|message|label|button|title|heading|text|copy
        |error) (?:saying |that says |reads? |like )?[\"'“]
    """),
    courtesies=phrases(r"""
        (?:yes|yep|yeah|yup|ok|okay|k|sure|no|nope|right|correct|exactly|perfect|great|good|nice|cool|awesome
        |excellent|thanks|thank you|thx|ty|cheers|hi|hello|hey|good morning|good evening|bye|goodbye|done|lgtm
        |looks good|sounds good|go ahead|go for it|do it|ship it|approved|agreed|fine|ready|please do|yes please
        |no problem|no worries|of course|makes sense|got it|i see|understood|wow|lol|haha|nevermind|never mind
        |you're welcome|well done|great job|good job|nice work|great work|good work|that works|that's fine
        |that's great|that's it|all good|love it|i like it|works for me|sorry|my bad|oops|proceed|continue|next
        |again|stop|wait|how's it going|how are you|what's up|see you(?: tomorrow)?)(?:[ ,.!]+(?:yes|ok|okay|sure
        |thanks|thank you|please|then|now|so much|a lot|very much|again|go ahead|do it|great|good|perfect|that works
        |looks good|sounds good|for that|for now|claude|there|everyone|to me|for (?:the|your) \w+|it|proceed
        |continue|ship it|merge it|commit it|all good|nice|man|mate|team|with it|ahead|to go)){0,5}[ ,.!?:)]*
        the (?:user|person|human|owner|customer) (?:approves?|approved|agrees?|agreed|thanks?|thanked|confirms?
        |confirmed|says? (?:yes|hello|hi|ok)|is (?:happy|satisfied|pleased)|greets?|asked (?:to|for|the)|asks (?:to
        |for|the)|likes?)…
    """),
    routine=phrases(r"""
        (?:(?:ok|okay|now|then|and|also|please|pls|just|so|great|good|thanks|yes|sure|next|first|go ahead and|let's
        |lets|can you|could you|would you|you can|i want you to|i need you to|i'd like you to
        |the user wants(?: you)? to|the user asked (?:you )?to)[ ,.!]*){0,4}(?:run|rerun|re-run|commit|push|pull
        |merge|rebase|deploy|build|compile|install|format|lint|test|fix|continue|proceed|retry|revert|undo|redo|open
        |close|show|list|print|read|check|look|update|add|remove|delete|create|rename|make|write|start|stop|restart
        |summari[sz]e|review|explain|tell|try|move|clean|bump|tag|release|generate|refactor|implement|save|copy)\b
    """),
    conditions=phrases(r"""
        (?:but |and )?only (?:on|in|for|when|if|with|while|during|under|after|before|between|at|as long as|inside
        |within|through|over|until|from|by|where|once|since|outside|above|below|behind|against
        |via) [^,.!?;:\n()—]{2,80}
        (?:except|unless|provided|as long as|so long as|in case|assuming|other than|apart from|outside|regardless of
        |until|till|up to|starting (?:with|from|in)|with the exception of) [^,.!?;:\n()—]{2,80}
        (?:^|(?<=[,;:.] ))(?:if|when|whenever|while|once|where) (?!not\b)[^,.!?;:\n()—]{3,80}(?=,)
        (?<=\w )(?:if|when|while|during|under) (?!not\b)[^,.!?;:\n()—]{3,60}
        (?:^|(?<=[,;:.] ))(?:for|on|in|at|with|under|within|inside|during|below|above|outside) (?!a |an |fact
        |general|practice|total|average|order|purpose|addition|short|theory|principle|case|example|instance|now|me
        |us|you|that|it|this (?:case|way|order)|what|first|least|all |the (?:end|last|first|past|moment|meantime
        |future|data|long|short|other|same|way)|(?:our|the) system)[^,.!?;:\n()—]{2,80}
        (?:in|on|at|for|with) (?:this|these|those) (?!way|order|case|time|mean|moment|data)\w+
        just (?:on|in|for|with|when|if) [^,.!?;:\n()—]{2,60}
        (?:in|on|for|with|at|inside|behind|against|under|using|within
        |from) (?:the |our |a |an |all |both |this |that )?(?:[\w/-]+ ){0,3}(?:staging|production|prod|dev
        |development|ci|qa|sandbox|localhost|preview|test|environments?|env|property|tenants?|plan|tier|region
        |clusters?|branch|branches|mode|builds?|accounts?|customers?|devices?|mobile|desktop|ios|android|windows
        |linux|macos|safari|firefox|chrome|worktree|worktrees|load|regions?|weekends?|holidays|quarter|campaigns?
        |instances?|platforms?|releases?|versions?|endpoints?|market|markets|runners?|hosts?|replicas?|users|beta
        |alpha|pilot|trial|rollout|subscribers?|guests|admins?|members|browsers?|phones?|tablets?|kiosks?|lab|labs
        |office|warehouse|offline|online|locally|sites?|stores?|imports?|api)(?!\w)(?: only)?
        (?:in|on|for|with|since|from|before|after|under) (?:the |our )?v\d[\w.]* [\w-]+
        since (?:the |our )?(?:[\w-]+ )?(?:19|20)\d\d(?: [\w-]+)?
        (?:in|on|for|since|from|before|after|with|under) (?:version |python |node |java |go |postgres |v)\d[\w.]*
        (?:above|below|over|under|beyond|more than|less than|fewer than|at least|at most) \d[\d.,]* ?[\w%]+
        (?:on|at|in) (?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|weekends?|weekdays?
        |night)(?!\w)
    """),
    bare=phrases(r"""
        it(?!'?s? (?:is |was |remains |seems |has |isn't )?(?:still |also |not |yet |now |quite |far |been )*(?:unclear
        |clear|open|an open|undecided|unknown|uncertain|important|possible|impossible|necessary|unlikely|likely
        |true that|known|hard to|easy to|better to|safe to|forbidden|allowed|unsettled|not settled|to be (?:seen|shown
        |decided))\b)(?= |'|$|,)
        (?:they|he|she|him|them|its|theirs|his|hers)(?= |'|$|,)
        (?:this|that|these|those) ones?(?= |$|,|')
        (?:this|that|these|those)(?: (?:thing|stuff|way))?(?= (?:is|are|was|were|isn't|isnt|aren't|wasn't|weren't
        |has|have|had|hasn't|haven't|does|do|did|doesn't|doesnt|don't|dont|didn't|will|won't|would|wouldn't|should
        |shouldn't|could|couldn't|can|can't|cannot|may|might|must|means?|meant|makes?|made|works?|worked|needs?
        |needed|looks?|looked|seems?|seemed|happens?|happened|breaks?|broke|comes?|came|goes|went|gives?|gets?|got
        |also|always|never|just|still|again|too|not|only|and|or|but|usually|really|actually|basically|runs?|ran
        |fails?|failed|uses|used|causes?|caused|leads?|takes|took|became|becomes|will|only|in|on|for|at|with|because
        |since|when|if|to|from|applies|depends|stays?|holds?)(?!\w)|'s|'re|'ll|'d| *[,.:;!?]| *$)
        (?:this|that)(?= (?:\w+(?<!s)(?<!u)(?<!i)s) (?:the|a|an|to|on|in|when|if|for|with|it|at|from|by|because|our
        |all|every)\b)
        the (?:above|former|latter|following)(?= (?:is|are|was|were|has|have|does|should|will|only|must|also|can)\b
        |'s| *[,.:;!?]| *$)
        (?:above|as above|see above|same (?:here|thing|for|as)|such (?:is|was)|which|so (?:is|does|do|are)
        |neither does|nor)(?= |$|,)
    """),
    steps=phrases(r"""
        first(?:ly)?(?: of all| thing)?(?:,| we| you| i| the| comes| \w+)
        (?:and |after that |only )?then(?:,| we| you| i| \w+)
        (?:starts?|begins?) (?:with|by)|(?:second|third)(?:ly)?,|once (?:the|that|it|they|we|all|everything)
        |before that|only when|comes (?:first|next|last)|as the last (?:thing|step)
        (?:after that|afterwards|next,|next we|next comes|and finally|finally|lastly|at the end|in the end
        |followed by|once that's done|once (?:that|it) (?:is|passes)|only after|before that|last step|step \d)
        ->|→|=>
    """),
    habits=phrases(r"""
        (?:process|workflow|procedure|order|sequence|routine|always|usually|normally|every|each|whenever|typically
        |standard|generally|steps|drill|recipe|pipeline|flow)
        (?:to|when(?:ever)?|before|for
        |in order to) (?:we |you |i |a |an |the |each |every )?(?:[\w-]+ ){0,2}(?:releas\w*|deploy\w*|onboard\w*
        |ship\w*|publish\w*|migrat\w*|roll\w*|upgrad\w*|cut\w*|restor\w*|debug\w*|add\w*|create\w*|creating|set\w*
        |rotat\w*|review\w*|import\w*|launch\w*|bring\w*|get\w*|fix\w*|do|make|build\w*|train\w*|reproduc\w*
        |recover\w*|clos\w*|book\w*|invoic\w*|bill\w*|chang\w*|test\w*|open\w*|renew\w*|merg\w*|hotfix\w*
        |provision\w*)
        we (?:\w+ )?(?:\w+)|you (?:have to|need to|must|first|then)|(?:is|are|gets?) (?:\w+ed|run|built|sent|merged)
    """),
)
# fmt: on
