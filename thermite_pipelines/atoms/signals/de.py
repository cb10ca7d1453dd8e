"""German phrases."""

from thermite_pipelines.atoms.signals.de_types import BLOCKS, FIGURES, SIGNALS
from thermite_pipelines.atoms.signals.language import Language, phrases, words_of

# fmt: off
GERMAN = Language(
    code="de",
    spaced=True,
    words=words_of("""
        aber alle allem allen aller alles als also am an anschließend auch auf aus bei beim bereits bin bis bist
        bitte da dabei dadurch dafür dagegen damit danach dann daran darauf das dass davon davor dazu dein deine dem
        den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du durch eigentlich ein eine
        einem einen einer eines einmal entschieden er es etwas euch falsch für gegen genau gestern gibt habe haben
        hat hatte hatten heute hier ich ihm ihn ihr ihre im immer in ins ist ja jahr jede jeden jeder jedes jedesmal
        jetzt kann kannst kein keine keinen können könnte mal man mehr mein meine mich mir mit monat morgen muss
        müssen nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine seit sich sie sind so sobald
        soll sollen sollte sondern sonst stimmt um und uns unser unsere unter vom von vor war waren warum was weil
        welche welcher wenn wer werden wie wieder wir wird wo woche wurde wurden zu zuerst zum zur zwar zwei
        zwischen über
    """),
    signals=SIGNALS,
    blocks=BLOCKS,
    figures=FIGURES,
    past=phrases(r"""
        (?:war|waren|hatte|hatten|wurde|wurden|gab|kam|kamen|lag|lagen|blieb|blieben|\w{3,}te|\w{3,}ten|ge\w{3,}t)
    """),
    rejects=phrases(r"""
        (?:nein|nee|nö|ne)(?= *[,.:;!—–-]+ *\w| +(?:das|der|die|du|ich|wir|es|eigentlich)\b
        | *[.!]* *$)(?: *[,.!:;—–-]* *(?:äh|ähm|moment|sorry|nein|halt|stopp|warte)\b)*
        (?:ich glaube,? |aber |moment,? |sorry,? |halt,? |leider )?(?:da|hier|jetzt)? ?(?:du|sie|ihr) (?:hast|haben
        |habt|bist|sind|seid|liegst|liegen|irrst|irren|verwechselst
        |verwechseln) (?:da |das |hier |dich |sich |etwas |jetzt |wohl |leider )*(?:falsch verstanden|missverstanden
        |verwechselt|durcheinander(?:gebracht)?|verwirrt|falsch|daneben|im irrtum|getäuscht|was verwechselt
        |dich vertan|vertan|geirrt|verkehrt verstanden|verdreht)(?: verstanden)?
        da (?:irrst du dich|liegst du falsch|täuschst du dich|irren sie sich|liegen sie falsch|hast du (?:was|etwas
        |dich) (?:verwechselt|vertan|missverstanden|falsch verstanden))
        du irrst dich|sie irren sich|du verwechselst (?:da |hier )?(?:was|etwas)
        (?:das|dies|es|die annahme|deine annahme) (?:ist|stimmt|war
        |trifft) (?:so |leider |aber |hier |doch |einfach |ganz |völlig |schlicht |auch )*(?:falsch|nicht
        |nicht richtig|nicht wahr|nicht korrekt|verkehrt|ein irrtum|ein missverständnis|unrichtig
        |inkorrekt)(?: richtig| wahr| korrekt| zu| ganz)?(?= *[,.:;!—–-]| *$| so)(?: so)?
        (?:stimmt (?:so )?nicht|falsch|nicht ganz|nicht richtig|im gegenteil|umgekehrt|falsche annahme
        |missverständnis)(?= *[,.:;!—–-]| *$)
        (?:nein,? )?(?:eigentlich|tatsächlich|in wirklichkeit)(?= (?:ist|sind|läuft|wird|werden|misst|zählt|liegt
        |gilt|heißt|kommt|gehört|haben|hat|nutzen|verwenden|speichert|enthält)\b)
    """),
    faults=phrases(r"""
        (?:da |hier )?(?:bist|sind) (?:du|sie) (?:\w+ ){0,5}ausgegangen
        wie (?:du|sie) (?:\w+ )?(?:schreibst|schreiben|sagst|sagen|annimmst|behauptest|meinst|geschrieben|angenommen
        |gesagt|denkst)
        (?:stimmt|passt) (?:so |aber |leider )?nicht
        (?:du|sie|ihr) (?:nimmst|nehmen|gehst|gehen|hast|haben|verwechselst|verwechseln|vermischst|vermischen
        |dachtest|denkst|glaubst|behandelst|tust) … ?(?:an,? dass|davon aus|angenommen|verwechselt|übersehen|mit
        |falsche[nrs]?|als wäre|so,? als|,? dass)
        ich (?:meinte|meine|sagte|wollte|habe gesagt|hatte gesagt) … ?nicht
    """),
    contrasts=phrases(r"""
        (?:ist|sind|war|waren) nicht (?P<wrong>(?!nur|sicher|so|ganz|mehr|klar|fertig)[^.!?;,\n]{2,60}?), (?:sie|er|es
        |jede\w*
        |nur) (?P<right>[^.!?;\n]{6,80})
        nicht (?P<wrong>(?!nur|sicher|mehr|so|ganz)[^.!?;,\n]{2,80}?),? sondern (?P<right>[^.!?;\n]{2,80})
        keine?[nmrs]? (?P<wrong>[^.!?;,\n]{2,80}?),? sondern (?P<right>[^.!?;\n]{2,80})
        (?:ist|sind|war|läuft|liegt|kommt|gehört|meinte|gilt|misst|zählt|für|aus|in|auf|mit|bei|an|von
        |nur) (?P<right>[^.!?;,\n]{2,80}?),? (?:und )?nicht (?P<wrong>(?!nur|sicher|so|ganz|mehr)[^.!?;,\n]{2,80})
        (?:anstatt|statt|anstelle von) (?P<wrong>[^.!?;,\n]{2,80})
    """),
    rejected_content=phrases(r"""
        (?:danke|passt|alles gut|alles klar|lass|schon gut|nicht nötig|noch nicht|jetzt nicht|später|mach weiter
        |das passt|das reicht|das ist (?:gut|ok|okay|in ordnung)|das war's|brauchst du nicht|weiter|kein problem)
    """),
    asserts=phrases(r"""
        (?:ist|sind|war|waren|hat|haben|wird|werden|läuft|laufen|misst|zählt|liegt|liegen|gilt|heißt|bedeutet|kommt
        |gehört|enthält|nutzt|nutzen|verwendet|verwenden|braucht|darf|muss|kann|gibt|steht|schreibt|liest|speichert
        |speichern|macht|geht|bleibt|schickt|ruft|startet|endet|passiert|beginnt|bezieht|zeigt|hängt|umfasst|nur|nie
        |immer)
    """),
    openers=phrases(r"""
        (?:ok|okay|also|ja|ach|äh|ähm|hm+|gut|so|und|aber|moment|warte|halt|sorry|hallo|hi|übrigens|kurz|hinweis
        |zur info|zur erinnerung|wichtig|nur zur info|achtung|danke|super|ich glaube|ich denke|na ja|naja|denn
        |denk dran|wie gesagt|zum hintergrund|zum verständnis)(?= *[,.:;!—–-]| )[ ,.:;!—–-]*
    """),
    leads=phrases(r"""
        (?:das|es|die sache|das ganze) funktioniert (?:hier |bei uns |im grunde |nämlich )?(?:so
        |folgendermaßen)(?:, dass|:|,) ?
        (?:die idee|das prinzip)(?: dahinter)? ist,? (?:dass )?
    """),
    reasons=phrases(r"""
        weil
        denn
        da(?= (?:der|die|das|wir|es|sie|ein|eine|sonst|unser\w*|dort)\b)
        wegen
        aufgrund
    """),
    requests=phrases(r"""
        (?:schreib|kümmere|kümmer|beeil|entscheide|setz|räum|lies)(?= )
        (?:nimm|mach|gib|nenn|nenne|schlag|schick|zeig|wähl|wähle|such|bau|räum|entscheide du|lass mich)(?= )
        (?:bitte|schau|guck|sieh)(?= |$)
        (?:bitte|kannst du|könntest du|können sie|könnten sie|könnt ihr|würdest du|magst du|ich (?:möchte|will
        |brauche|hätte gern)|wir (?:brauchen|wollen|möchten)|lass uns(?! (?:bei|auf|mit)))
        (?:mach|mache|füge|füg|prüf|prüfe|schreib|schreibe|lösch|lösche|änder|ändere|erstell|erstelle|zeig|zeige
        |erklär|erkläre|starte|start|baue?|führe?|nimm|benutze?|nutze?|verwende?|behebe?|korrigiere?|teste?|schau
        |sieh|such|suche|lies|öffne|entferne?|aktualisiere?|sag|gib|pushe?|committe?|merge|deploye?|installiere?
        |räum|verschiebe?|benenne?|ergänze?|implementiere?|setz|setze|leg|lege|lass|warte|fasse?|übersetze?
        |vergleiche?|generiere?|formatiere?|weiter|mach weiter|stopp|commite)(?= |[,.!:]|$)
    """),
    asks=phrases(r"""
        sag mal
        (?:bitte|kannst du|könntest du|können sie|könnten sie|sag mir|erklär\w* mir|zeig\w* mir|soll ich|sollen wir)
    """),
    unreal=phrases(r"""
        mein fehler|ich lag falsch|du hattest recht|ich hatte (?:unrecht|mich vertan)|da habe ich mich vertan
        (?:sollte|falls) (?:sich|es|das) … ?(?:herausstellen|zeigen)
        (?:angenommen|nehmen wir an|stell dir vor,? (?:wir|ich|du|man|jemand)|zum beispiel wenn|was wäre,? wenn
        |wäre es|hätte|hätten wir|würde)
        (?:der text|die überschrift|der satz|der button|die meldung|der titel|die beschriftung|das wort
        |der kommentar) … ?[\"„“»]
        (?:schreib\w*|füg\w*|ergänz\w*|übersetz\w*|setz\w*) (?:\w+ ){0,5}[\"„“»]
    """),
    courtesies=phrases(r"""
        (?:ja|nein|ok|okay|gut|super|perfekt|prima|toll|klasse|danke|vielen dank|alles klar|passt|genau|richtig
        |stimmt|einverstanden|mach das|mach weiter|weiter|hallo|hi|guten morgen|guten tag|guten abend|tschüss
        |bis morgen|sehr gut|sieht gut aus|klingt gut|in ordnung|gerne|bitte|läuft|fertig|verstanden|wie geht's
        |na dann|los|los geht's|schönes wochenende|kein problem|sehr schön|freigegeben|genehmigt)(?:[ ,.!]+(?:ja|ok
        |danke|bitte|gut|super|weiter|mach weiter|mach das|so|dann|dir|dafür|passt|perfekt|sehr|schon|mal|das|alles
        |aus|los|gerne|und|sieht gut aus|klingt gut|für die hilfe|für den tipp|machen wir so)){0,5}[ ,.!?:)]*
    """),
    routine=phrases(r"""
        (?:(?:ok|okay|jetzt|dann|und|auch|bitte|gut|danke|ja|nun|kannst du|könntest du|können sie
        |ich möchte,? dass du|mal|noch|super|so)[ ,.!]*){0,4}(?:mach|führ|starte|commit|push|pushe|merge|deploy|bau
        |teste|prüf|schreib|lösch|füg|erstell|zeig|öffne|lies|schau|aktualisier|entfern|korrigier|behebe|formatier
        |installier|benenn|die tests|das|den|alles|weiter)\w*\b
    """),
    conditions=phrases(r"""
        (?:aber )?nur (?:auf|in|im|für|bei|beim|wenn|falls|mit|während|unter|nach|vor|zwischen|am|an|solange|solang
        |innerhalb|außerhalb|bis|ab|über|dort|dann|von|seit|ohne|gegen|zum|zur) [^,.!?;:\n()—]{2,80}(?:, (?:wenn|die
        |der|das|wo) [^,.!?;:\n()—]{2,60})?
        (?:außer|solange|sofern|es sei denn,?|bis auf|ausgenommen|mit ausnahme|vorausgesetzt,?|abgesehen von
        |unabhängig von) [^,.!?;:\n()—]{2,80}
        (?:wenn|falls|sobald|während|bevor|nachdem) [^,.!?;:\n()—]{3,80}
        (?:auf|in|im|für|bei|beim|unter|mit|an|am|gegen
        |hinter) (?:der |dem |den |die |das |einer |einem |unserer |unserem |allen )?(?:[\w/-]+ ){0,2}(?:staging
        |produktion|prod|test|testumgebung|produktivsystem|testsystem|umgebung|entwicklung|branch|last|mandanten
        |kunden|property|region|cluster|windows|linux|macos|ios|android|mobil\w*|safari|firefox|chrome|ci|wochenende
        |version|konto|konten|tarif|lokal|server|umgebungen|systemen|geräten|instanz|betrieb|modus|beta|pilot
        |probebetrieb|lager|werk|filialen?|standort|nutzer\w*|rechner|kampagnen?|markt|live-system|livesystem)(?!\w)
        (?:ab|seit|bis|unter|vor|nach) (?:version |python |node |java |postgres |v)\d[\w.]*
        (?:über|unter|ab|mehr als|weniger als|mindestens|höchstens|bis zu) \d[\d.,]* ?[\w%]+
        (?:^|(?<=[,;:.] ))(?:auf|in|im|für|bei|beim|mit|unter|seit|ab|innerhalb|außerhalb|am|an) (?!der regel
        |der praxis|wirklichkeit|ordnung|zukunft|ende|einem fall|ein |eine )[^,.!?;:\n()—]{2,80}
        (?:auf|in|bei|für|mit|an) (?:diese[mnr]?|unseren|älteren|neuen|alten) [^,.!?;:\n()—]{2,60}
        (?:beim|im|am) (?:alt|neu|test|live)\w+
        am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|wochenende|monatsende|jahresende
        |quartalsende)
    """),
    bare=phrases(r"""
        (?:es|er|sie)(?= )(?! gibt)(?! (?:ist|bleibt|war
        |wäre) (?:noch |immer |derzeit |bisher |aber |sehr |nicht )*(?:unklar|klar|offen|ungeklärt|fraglich|ungewiss
        |wichtig|möglich|unmöglich|nötig|sicher|geklärt|bekannt|verboten|erlaubt))(?! (?:haben|sind|können|müssen
        |sollten) sich)
        (?:das|dies|dieses|diese|dieser|jenes|solche|solches|die|der)(?= (?:ist|sind|war|waren|wird|werden|wurde
        |wurden|hat|haben|hatte|muss|müssen|soll|sollte|sollten|kann|können|könnte|darf|geht|ging|heißt|hieß
        |bedeutet|funktioniert|stimmt|liegt|gilt|passiert|passierte|macht|führt|kommt|gehört|braucht|nicht|nur|auch
        |immer|nie|misst|zählt|zeigt|läuft|bleibt|steht|hängt|klappt|reicht|betrifft|gibt|sorgt|verursacht|würde
        |dauert|scheitert)(?!\w)| *[,.:;!?]| *$)
        (?:das (?:obige|gleiche|selbe)|dasselbe|obiges|ersteres|letzteres|siehe oben|wie oben|davon|dafür|dadurch
        |damit|daran|darauf|deshalb|deswegen|daher)(?= |$|,)
    """),
    steps=phrases(r"""
        (?:zuerst|zunächst|als erstes|erst|erstens)
        (?:dann|danach|anschließend|zweitens|drittens|daraufhin|nachdem das|im anschluss|hinterher|sobald das)
        (?:zuletzt|schließlich|am ende|zum schluss|abschließend)
        ->|→|=>
    """),
    habits=phrases(r"""
        (?:ablauf|prozess|vorgehen|reihenfolge|immer|normalerweise|üblicherweise|jede[nrsm]?|in der regel
        |standardmäßig|workflow|gewöhnlich|grundsätzlich)
        (?:für|bei|beim|um|vor|zum|wenn
        |wer) (?:ein\w* |de[nmr] |das |die |wir |du |man )?(?:neue\w* |\w+ )?(?:release|releases|deployment|deploy
        |veröffentlich\w*|auslief\w*|migration|hotfix|update|onboarding|kunde\w*|rechnung\w*|import|backup|rollout
        |einspiel\w*|version\w*|abschluss|\w+ung|\w+en)
        (?:wird|werden|wir|man)
    """),
)
# fmt: on
