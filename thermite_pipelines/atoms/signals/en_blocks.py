"""English phrases that speak against a type of atom although one that signals it is there."""

from thermite_pipelines.atoms.signals.language import phrases

# fmt: off
BLOCKS = {
    "open_question": phrases(r"""
        (?:hunch|guess|suspicion) is (?:that )?you|(?:whether|if|about) (?:you|your)|joking|kidding|serious
        wonder(?:ing)? (?:whether|if) (?:you|we|i|it's possible|it is possible|it would|it'd|that|this|there's
        |there is a way)
        (?:but|and|until|then|though|;) (?:\w+ ){0,5}(?:settled|solved|resolved|clarified|answered|sorted|all good
        |figured
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
    "finding": phrases(r"""
        (?:tasks?|items|points|steps|tickets|boxes) (?:are |is )?(?:done|left|open|to go|remaining)|my (?:quota|budget
        |limit)
        (?:spoke|talked) (?:to|with)|meeting|candidates?|until the|left (?:until|before|to)
        your (?:benchmark|test|run|number|measurement|result|figure)s?
        (?:shows?|got|has|have|with|throws?|gives?|are|found|see) [\d.,]+ (?:errors?|warnings?|failures?|exceptions?
        |typos?)
        (?:got|have|had) (?:it|that|them|this) (?:\w+ )?(?:running|working|to work|done|fixed)|swearing|(?:are|is|was
        |were) made up|nothing|sorry
        (?:ran|tried|did|restarted|rebooted|reran) (?:it|that|this|them) \d|still (?:fails?|broken|not|crashes|red
        |doesn't)
        days? on (?:this|that|it)|on the phone|(?:throw|threw) (?:it|that) away|be quick|hours? (?:trying|looking
        |searching|debugging)
        (?:shows?|showed) (?:up|me|this|nothing|the (?:same|error|following|wrong)|an? (?:\w+ )?(?:error|exception
        |warning
        |stack))|see below|as attached
        (?:tests?|checks?|builds?|jobs?) (?:still )?(?:failed|fail|fails|are failing|passed|pass|are red|is red)
        according to (?:the |your |their )?(?:docs?|documentation|readme|manual|spec|article|internet|website|comments?)
        (?:you|your) (?:\w+ ){0,2}(?:used|spent|took|made|got|ran|counted|wrote|cost|measured|gave|need|needed|report
        |summary)
        frustrat\w*|(?:trying|tried|struggling|fighting) (?:to|with)|for nothing|coffee|lunch|slept|in the team
        (?:i|we) (?:got|made|wrote|left|had|have|saw) [\d.,]+ (?:\w+ )?(?:comments?|questions?|meetings?|mails?|emails?
        |messages?|reviews?|calls?|tickets?|ideas?|minutes|remarks?|suggestions?)
        (?:should|shouldn't|ought to|supposed to|guess|roughly guess|probably|i think|i believe|presumably|maybe
        |if i remember
        |from memory|apparently|allegedly|supposedly|would have|never looked|claims?|promise[sd]?|advertis\w+)
        (?:limit|cap|budget|timeout|threshold|set|increase|decrease|raise|lower|bump|change|reduce|want|need
        |should|must|let's|lets|please|target|goal|would|could|might|if|expect|estimate|plan|will|won't|allow
        |maximum|at most|at least) (?:[\w-]+ ){0,4}(?:to|of|at|by|be|use|take|cost|is)
    """),
    "decision": phrases(r"""
        (?:i'd|i would) rather (?:see|get|you|have (?:an?|the) (?:list|table|chart|summary|script|button))
        |looks (?:cool|nice|better|nicer|prettier|pretty|good)
        (?:agreed|decided|settled) (?:that )?you|violence|no (?:idea|problem|worries|need|rush|wonder|way|clue|luck
        |chance|surprise|doubt)
        (?:because|since|as) (?:you|you've|it's late|it is late|i (?:like|love|feel|hate|said|prefer|guess))
        |your (?:suggestion|idea|proposal|call|choice|plan|version|branch)
        (?:order|eat|cook|pizza|dinner|drinks?|party|movie)(?:s|ing)?
        had (?:\w+ )?(?:decided|agreed|chosen|opted|settled|picked) … (?:but|until|then|though|before)
        (?:originally|initially|at first|back then|almost|nearly|nobody|no one|never|at one point) … ?(?:decided|agreed
        |chose|chosen|opted|settled|picked|went with|planned)
        off the table|changed (?:our|my|their) minds?|no longer (?:true|valid|holds?|the case|applies)|reversed|(?:but
        |and) then we
        |(?:that|it) was (?:before|a mistake|wrong)|(?:regret|reconsider\w*|revisit\w*|overruled|overturned)
        you (?:\w+ )?(?:decided|chose|picked|agreed|opted|settled|went with|rejected)
        apparently|supposedly|allegedly|rumou?r\w*|(?:i|we) heard|(?:says?|said|claims?|thinks?
        |believes?) (?:that )?(?:we|they
        |the team) (?:\w+ )?(?:decided|agreed|chose)
        (?:because|since|as) (?:i|my) (?:\w+ )?(?:have to|need to|must|am|'m|head|kids?|train|battery|laptop|eyes|wife
        |husband
        |boss|feel|got|want)|call it a day
        (?:did|have|has|do|should|what|why|when|how|who) (?:we|you|i|they) (?:\w+ )?(?:decided?|agreed?|choose
        |chose|chosen|pick|picked|settled?|go with)
        (?:haven't|have not|hasn't|not yet|never|yet to|need to|have to|until|once|before|after|if|whether
        |unless) (?:\w+ ){0,3}(?:been )?(?:decided?|agreed|chosen|chose|settled|decide)
        (?:whichever|whatever) you
        (?:i|we) … (?:lunch|break|coffee|home|bed|sleep|vacation|holidays?|day off|dentist|doctor|gym|a walk
        |tired|hungry|sick|beer|pizza)
    """),
    "pattern": phrases(r"""
        ^(?:always|never) (?:run|use|add|check|write|commit|push|test|format|answer|keep|make|put|call|ask|read|start|do
        |remember|prefer|avoid|include|return|log|name|set|create|update|close|open)
        as soon as (?:i|you)|pleasure|lovely|always (?:happy|glad|good|great|fun)
        whenever i|i(?:'d| would) (?:say|think|guess)|really,? every
        you (?:\w+ )?(?:forget|miss|break|skip|lose|fail|ignore|are|repeat|change|add|remove|leave|use)
        i (?:always|never|tend|usually|often|mostly|keep)|(?:docs?|documentation|readme|manual|comments?) (?:say|says
        |claim|claims|state)
        sorry|fix(?: it| this| that)?(?:,)? (?:please|pls|quickly)|(?:time|when) i (?:\w+ )?(?:merge|click|save|push
        |hit|press|scroll)
        i (?:\w+ ){0,3}(?:laugh|cry|die|cringe|smile|scream|giggle|facepalm|feel|wonder|sigh|panic|think of
        |get (?:angry|mad
        |annoyed|confused|nervous))(?!\w)
        should|shall|(?:i|we|they|users|customers) (?:want|would like|'d like)|needs? to (?:appear|show|blink|be shown
        |pop)
        |it would be|would be (?:nice|great|good|cool)
        you (?:keep|kept|are always|'re always|always|never)
        (?:as|like) (?:always|usual)|amazes|it always (?:amazes|surprises|makes me)|someday|joke|murphy\w*|always nice
        |always a
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
    "workflow": phrases(r"""
        first (?:things|thing|coffee|release|draft|version|time|try|attempt|impression)|coffee|panic|hero|chapter|scene
        |movie|novel|poem
        (?:steps )?to reproduce|first,? (?:i|you) (?:was|were|had|thought|did|tried|read|got)|outdated|ignore (?:it
        |that|this)
        then (?:tell|show|ask|give|send|let) me|you write|i review
        i(?:'ll| will|'m going to| am going to)|your (?:process|workflow|order|routine|steps|procedure)|my (?:plan|day
        |order)
        for this (?:task|one|pr|ticket|change|issue|file|round)|for (?:today|tonight|tomorrow|now)|one commit each
        |in separate (?:commits|prs)
        (?:process|workflow|pipeline|procedure|flow|order|routine|sequence|job)s? (?:is|are|was|looks
        |seems) (?:\w+ )?(?:stuck
        |red|broken|dead|killed|slow|failing|wrong|down|hanging|green|running|done|finished|odd|weird|a mess|too|not
        |painful
        |documented|described|unclear|confusing|terrible|ridiculous)
        first(?:,)? (?:it|the \w+(?: \w+)?) (?:\w+ed|ate|broke|hung|fails|went|was|were|died|got)(?! (?:by|to|into))
        i (?:suggest|propose)|my (?:suggestion|proposal)|would be|could be|how about|what about|maybe
        (?:i want you|i need you|please|can you|could you|would you|for now|your task|this time)
    """),
    "mental_model": phrases(r"""
        (?:things|tasks|items|steps|points) (?:left )?to (?:do|fix|change|check|test|review)|left to do
        (?:kinds?|types?|sorts?) of (?:people|developers|programmers|men|days)
        difference is in|how … (?:is|are) (?:explained|documented|described|written|in)|by design,? i mean|as your
        |your friends
        (?:idea|plan|goal|trick|concept) (?:here )?is to
        difference is (?:that |just |only )?(?:you|yours|i|mine|we|huge|big|small|tiny|minimal|negligible|enormous
        |night|\d)
        (?:something|anything|someone|ones?|stuff|things|looks|look|feels?) like
        |think of (?:a |an |another |some )(?:better|good
        |new|nicer|different|name|way|title|example|reason)
        what (?:really |actually )?happens (?:here |there )?is (?:that )?(?:i|you|my|nothing|your)\b
        is (?:\w+ )?(?:terrible|awful|great|nice|weird|wrong|ugly|horrible|beautiful|crazy|stupid|ridiculous|brilliant
        |elegant
        |confusing|a (?:mess|joke|disaster|nightmare|shame|pain|lie|riddle|mystery))(?= *[,.;!]| *$)
        (?:basically|essentially|really just|effectively|just|simply) (?:a|an|the) (?:mess|joke|disaster|nightmare|same
        |pain
        |shame|copy-paste|waste|guess)
        (?:two|three|four|five|several|2|3|4
        |5) (?:small |more |little |tiny |minor |open |other |new |failing )*(?:typos?|errors?
        |bugs?|mistakes?|nits?|pull requests|prs|issues|todos|questions|options|things|problems|comments|weeks|tasks
        |ways to
        |reasons)
        (?:should|could|would|let's|i want|we want|i'd like|would be nice|will be|going to|plan to|charm|dream|a dog)
        your (?:\w+ )?(?:version|code|diff|answer|patch|draft|text|summary)
    """),
}
# fmt: on
