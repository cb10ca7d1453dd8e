"""German phrases."""

from thermite_pipelines.atoms.signals.language import Language, words_of

_NUMBER = r"[$€£]?\d[\d.,]*"
_SOURCES = (
    r"(?:daten|zahlen|messungen|messung|logs?|metriken|auswertung|ergebnisse|benchmarks?|statistik|statistiken|messwerte"
    r"|profiler|dashboard|umfrage|test|tests|experiment|analyse|grafik|kurve|kurven)"
)

GERMAN = Language(
    code="de",
    spaced=True,
    words=words_of(
        "aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist bitte da dabei dadurch dafür "
        "dagegen damit danach dann daran darauf das dass davon dazu dein deine dem den denn der des dich die dies diese "
        "diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch falsch für "
        "gegen genau gibt haben habe hat hatte hatten hier ich ihr ihm ihn ihre im immer in ins ist ja jede jeden jeder "
        "jedes jedes jetzt kann kannst kein keine keinen können könnte mal man mehr mein meine mich mir mit muss müssen "
        "nach nein nicht nichts noch nun nur ob oder ohne schon sehr sein seine seit sich sie sind so soll sollen sollte "
        "sondern sonst über um und uns unser unsere unter vom von vor war waren warum was weil welche welcher wenn wer "
        "werden wie wieder wir wird wo wurde wurden zu zum zur zuerst zwei zwischen gestern heute morgen woche monat jahr "
        "eigentlich sobald jedesmal mal stimmt dort davor zwar einmal anschließend entschieden bereits"
    ),
    signals={
        "mental_model": (
            r"(?:das|es|die sache|der ablauf|das system|das ganze) funktioniert (?:hier |bei uns |intern |im grunde |nämlich |eigentlich )?(?:so|folgendermaßen|wie)",
            r"so funktioniert",
            r"(?:stell|stellen sie|stellt) (?:dir|sich|euch) … ?(?:wie|als)",
            r"(?:denk|denken sie|denkt) … ?(?:als|wie)",
            r"(?:man kann|du kannst|kannst du|am besten|betrachte|sieh|seht|sehen sie) … ?(?:als|wie) (?:ein|eine|einen)",
            r"es gibt (?:hier |dabei |bei uns |im grunde |eigentlich |nämlich |genau )?(?:zwei|drei|vier|fünf|mehrere|2|3|4) (?:\w+ )?\w+",
            r"(?:verhält|verhalten) sich … ?wie",
            r"(?:funktioniert|arbeitet|funktionieren) (?:im prinzip |im grunde |ungefähr |eher |genau )?(?:wie|so,? dass)",
            r"(?:im prinzip|im grunde|im kern|letztlich|konzeptionell|unter der haube) (?:ist|sind|nur|ein|eine|wird|werden|läuft|hält|besteht)",
            r"(?:ist|sind) (?:im prinzip|im grunde|letztlich|eigentlich nur|nur|nichts anderes als|bloß|quasi|praktisch) (?:ein|eine|der|die|das)",
            r"besteh(?:t|en) (?:nur |immer |jeweils |intern )?aus",
            r"(?:geht|läuft|funktioniert|gehen|laufen) (?:\w+ ){0,2}(?:so|folgendermaßen)",
            r"(?:damit du|kurz,? damit|nur damit du) (?:es )?(?:verstehst|weißt)",
            r"heißt (?:nur|also|lediglich),? dass",
            r"der unterschied (?:zwischen … )?(?:ist|liegt|besteht)",
            r"(?:ist|sind) (?:allein |nur )?(?:zuständig|verantwortlich) für",
            r"(?:wird|werden) (?:immer |nur )?(?:aus … )(?:abgeleitet|berechnet|erzeugt|gebildet)",
            r"(?:die idee|das prinzip|der gedanke|das modell)(?: dahinter| hier)? ist",
            r"dahinter steckt",
            r"(?:die|unsere) (?:einzige )?quelle der wahrheit",
        ),
        "finding": (
            rf"(?:die |unsere |der |das |meine )?{_SOURCES} … ?(?:zeigt|zeigen|zeigte|zeigten|sagt|sagen|belegt|belegen|ergab|ergaben|ergibt|ergeben|beweisen|bestätigt|bestätigen)",
            rf"(?:laut|nach|gemäß) (?:den |der |dem |unseren |unserer |unserem )?(?:\w+ )?{_SOURCES}",
            rf"(?:wir|ich) (?:haben|habe|hatten|hatte) … {_NUMBER}",
            r"(?:gemessen|ausgegeben|gezählt|bezahlt|eingenommen)(?=[ .,;]|$)",
            rf"{_NUMBER} von (?:den |insgesamt )?{_NUMBER}",
        ),
        "decision": (
            r"(?:wir|ich|das team|die) (?:haben|habe|hat|hatten) … ?(?:entschieden|beschlossen|geeinigt|festgelegt|gewählt|ausgewählt|verworfen|entschlossen|vereinbart)",
            r"(?:haben wir|habe ich|hat das team) … ?(?:entschieden|beschlossen|geeinigt|festgelegt|gewählt|verworfen|vereinbart)",
            r"(?:wir|ich) (?:entscheiden|entschieden|entscheide|einigten|wählten|nehmen|nehme|bleiben|bleibe|setzen|verwenden|nutzen|verzichten|behalten|lassen) (?:uns |mich )?… ?(?:weil|da|denn|statt|anstatt|damit|für|bei|auf)",
            r"(?:lass|lasst|lassen sie) uns … (?:nehmen|bleiben|verwenden|nutzen|setzen|behalten|einsetzen)",
            r"(?:der|ein) grund,? (?:warum|weshalb|weswegen|dafür|aus dem|für)",
            r"(?:die|unsere) entscheidung (?:ist|war|fiel|lautet|steht)",
            r"(?:fiel|fällt) die (?:wahl|entscheidung)",
            r"(?:ab jetzt|ab sofort|künftig|von nun an) (?:wird|werden|verwenden|nutzen|nehmen|gilt|machen|speichern|setzen)",
            r"(?:bewusst|absichtlich) (?:gegen|für|nicht|auf)",
        ),
        "pattern": (
            r"(?:jedes ?mal|immer),? wenn",
            r"immer (?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|nachts|morgens|abends|am|im|nach|vor|bei|dann|zum)",
            r"(?:in der regel|erfahrungsgemäß|typischerweise|grundsätzlich)",
            r"(?:das|dies|es) (?:bedeutet|heißt|passiert|geschieht|liegt) (?:immer|jedes ?mal|fast immer|stets|grundsätzlich)",
            r"(?:bedeutet|heißt|passiert|kommt|führt|schlägt|bricht|fällt|steigt|sinkt|hängt|stürzt|läuft|folgt|tritt|ist|sind|scheitert|scheitern) … ?(?:jedes ?mal|jedesmal|immer|stets|regelmäßig|fast immer)",
            r"(?:sobald|immer sobald)",
            r"(?:nach|bei|vor|mit|an) (?:jedem|jeder|jeden) \w+",
            r"jeden (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|monat|morgen|abend|tag)",
            r"(?:neigt|neigen|tendiert|tendieren) (?:dazu|zu)",
            r"(?:ausnahmslos|erfahrungsgemäß|in neun von zehn fällen)",
            r"(?:wenn|falls) … (?:immer|jedes mal|stets|jedesmal)",
        ),
        "open_question": (
            r"(?:ich bin|wir sind|bin|sind) (?:mir |uns )?(?:noch |immer noch |aber |auch |momentan |da )*(?:nicht|un)(?: ganz| wirklich| völlig)? ?(?:sicher|schlüssig|klar)",
            r"(?:weiß|wissen|wusste|wüsste) (?:ich |wir |auch |man |niemand |noch |derzeit |aber |bisher |selbst |selber )*(?:noch |auch )?(?:nicht|keiner|niemand),? (?:genau,? |sicher,? )?(?:ob|wie|warum|welche\w*|wann|wer|was|wo|woher|wieso|weshalb)",
            r"(?:unklar|offen|ungeklärt|ungewiss|unentschieden|fraglich|nicht klar|nicht geklärt|nicht entschieden|nicht sicher)(?: ist| bleibt)?(?: noch| bisher| allerdings| derzeit)?,? (?:ob|wie|warum|welche\w*|wann|wer|was|wo|woher)",
            r"(?:müssen|muss|sollten|wollen) (?:wir |ich |noch |erst |auch |das |man )*(?:klären|herausfinden|entscheiden|überlegen|rausfinden|prüfen,? ob)",
            r"(?:müssen|muss|sollten) … (?:klären|herausfinden|rausfinden|entscheiden),? (?:ob|wie|warum|welche\w*|wann|wer|was)",
            r"(?:ist|sind|bleibt|wäre) (?:noch |weiterhin |immer noch |bisher |derzeit )*(?:offen|unklar|ungeklärt|nicht geklärt|nicht entschieden|nicht klar|unentschieden|eine offene frage)",
            r"offene fragen?",
            r"(?:frage|fragen) (?:mich|uns) (?:noch |immer noch |gerade |auch )*,? ?(?:ob|wie|warum|welche\w*)",
            r"keine ahnung,? (?:ob|warum|wie|welche\w*)",
            r"(?:haben|habe) (?:wir |ich |uns |mich |das )*noch nicht (?:entschieden|geklärt|festgelegt)",
            r"noch nicht (?:entschieden|geklärt|festgelegt|klar|sicher|heraus)",
        ),
        "workflow": (
            r"(?:der|unser|die|unsere) (?:übliche |normale |richtige |korrekte )?(?:ablauf|prozess|vorgehen|reihenfolge|vorgehensweise|weg|workflow)(?: ist| sieht| lautet| beim| für| bei| zum|:)",
            r"so (?:gehen|machen|läuft) (?:wir|es|das)",
            r"(?:geht|läuft|funktioniert|gehen|laufen) (?:\w+ ){0,3}(?:so|folgendermaßen|wie folgt|in dieser reihenfolge)",
            r"in (?:dieser|der|folgender) reihenfolge",
            r"schritt (?:1|eins)\b",
        ),
    },
    figures=(
        rf"(?:dauerte|dauert|kostete|sank|sanken|stieg|stiegen|fiel|fielen|brauchte|brauchten|verbrauchte|lag|lagen|waren|betrug|schaffte|erreichte|wuchs|brachte|brachten|halbierte|liegt|scheiterten|brachen|liefen) … {_NUMBER}",
        rf"(?:gestern|heute|letzte woche|letzten monat|letztes quartal|vorgestern|letzte nacht) … {_NUMBER}",
        rf"von {_NUMBER} … auf {_NUMBER}",
    ),
    rejects=(
        r"(?:nein|nee|nö|ne)(?= *[,.:;!—–-]+ *\w| +(?:das|der|die|du|ich|wir|es|eigentlich)\b| *[.!]* *$)(?: *[,.!:;—–-]* *(?:äh|ähm|moment|sorry|nein|halt|stopp|warte)\b)*",
        r"(?:ich glaube,? |aber |moment,? |sorry,? |halt,? |leider )?(?:da|hier|jetzt)? ?(?:du|sie|ihr) (?:hast|haben|habt|bist|sind|seid|liegst|liegen|irrst|irren|verwechselst|verwechseln) (?:da |das |hier |dich |sich |etwas |jetzt |wohl |leider )*"
        r"(?:falsch verstanden|missverstanden|verwechselt|durcheinander(?:gebracht)?|verwirrt|falsch|daneben|im irrtum|getäuscht|was verwechselt|dich vertan|vertan|geirrt|verkehrt verstanden|verdreht)(?: verstanden)?",
        r"da (?:irrst du dich|liegst du falsch|täuschst du dich|irren sie sich|liegen sie falsch|hast du (?:was|etwas|dich) (?:verwechselt|vertan|missverstanden|falsch verstanden))",
        r"du irrst dich|sie irren sich|du verwechselst (?:da |hier )?(?:was|etwas)",
        r"(?:das|dies|es|die annahme|deine annahme) (?:ist|stimmt|war|trifft) (?:so |leider |aber |hier |doch |einfach |ganz |völlig |schlicht |auch )*(?:falsch|nicht|nicht richtig|nicht wahr|nicht korrekt|verkehrt|ein irrtum|ein missverständnis|unrichtig|inkorrekt)(?: richtig| wahr| korrekt| zu| ganz)?(?= *[,.:;!—–-]| *$| so)(?: so)?",
        r"(?:stimmt (?:so )?nicht|falsch|nicht ganz|nicht richtig|im gegenteil|umgekehrt|falsche annahme|missverständnis)(?= *[,.:;!—–-]| *$)",
        r"(?:nein,? )?(?:eigentlich|tatsächlich|in wirklichkeit) (?=(?:ist|sind|läuft|wird|werden|misst|zählt|liegt|gilt|heißt|kommt|gehört|haben|hat|nutzen|verwenden|speichert|enthält)\b)",
    ),
    faults=(
        r"(?:da |hier )?(?:bist|sind) (?:du|sie) (?:\w+ ){0,5}ausgegangen",
        r"wie (?:du|sie) (?:\w+ )?(?:schreibst|schreiben|sagst|sagen|annimmst|behauptest|meinst|geschrieben|angenommen|gesagt|denkst)",
        r"(?:stimmt|passt) (?:so |aber |leider )?nicht",
        r"(?:du|sie|ihr) (?:nimmst|nehmen|gehst|gehen|hast|haben|verwechselst|verwechseln|vermischst|vermischen|dachtest|denkst|glaubst|behandelst|tust) … ?(?:an,? dass|davon aus|angenommen|verwechselt|übersehen|mit|falsche[nrs]?|als wäre|so,? als|,? dass)",
        r"ich (?:meinte|meine|sagte|wollte|habe gesagt|hatte gesagt) … ?nicht",
    ),
    contrasts=(
        r"nicht (?P<wrong>(?!nur|sicher|mehr|so|ganz)[^.!?;,\n]{2,80}?),? sondern (?P<right>[^.!?;\n]{2,80})",
        r"keine?[nmrs]? (?P<wrong>[^.!?;,\n]{2,80}?),? sondern (?P<right>[^.!?;\n]{2,80})",
        r"(?:ist|sind|war|läuft|liegt|kommt|gehört|meinte|gilt|misst|zählt|für|aus|in|auf|mit|bei|an|von|nur) (?P<right>[^.!?;,\n]{2,80}?),? (?:und )?nicht (?P<wrong>(?!nur|sicher|so|ganz|mehr)[^.!?;,\n]{2,80})",
        r"(?:anstatt|statt|anstelle von) (?P<wrong>[^.!?;,\n]{2,80})",
    ),
    asserts=(
        r"(?:ist|sind|war|waren|hat|haben|wird|werden|läuft|laufen|misst|zählt|liegt|liegen|gilt|heißt|bedeutet|kommt|gehört|enthält|nutzt|nutzen|verwendet|verwenden|braucht|darf|muss|kann|gibt|steht|schreibt|liest|speichert|speichern|macht|geht|bleibt|schickt|ruft|startet|endet|passiert|beginnt|bezieht|zeigt|hängt|umfasst|nur|nie|immer)",
    ),
    openers=(
        r"(?:ok|okay|also|ja|ach|äh|ähm|hm+|gut|so|und|aber|moment|warte|halt|sorry|hallo|hi|übrigens|kurz|hinweis|zur info|zur erinnerung|wichtig|nur zur info|achtung|danke|super|ich glaube|ich denke|na ja|naja|denn|denk dran|wie gesagt|zum hintergrund|zum verständnis)(?= *[,.:;!—–-]| )[ ,.:;!—–-]*",
    ),
    leads=(
        r"(?:das|es|die sache|das ganze) funktioniert (?:hier |bei uns |im grunde |nämlich )?(?:so|folgendermaßen)(?:, dass|:|,) ?",
        r"(?:die idee|das prinzip)(?: dahinter)? ist,? (?:dass )?",
    ),
    reasons=(
        r"weil",
        r"denn",
        r"da (?=(?:der|die|das|wir|es|sie|ein|eine|sonst|unser\w*|dort)\b)",
        r"wegen",
        r"aufgrund",
    ),
    requests=(
        r"(?:bitte|kannst du|könntest du|können sie|könnten sie|könnt ihr|würdest du|magst du|ich (?:möchte|will|brauche|hätte gern)|wir (?:brauchen|wollen|möchten)|lass uns (?!bei|auf|mit))",
        r"(?:mach|mache|füge|füg|prüf|prüfe|schreib|schreibe|lösch|lösche|änder|ändere|erstell|erstelle|zeig|zeige|erklär|erkläre|starte|start|baue?|führe?|nimm|benutze?|nutze?|verwende?|behebe?|korrigiere?|teste?|schau|sieh|such|suche|lies|öffne|entferne?|aktualisiere?|sag|gib|pushe?|committe?|merge|deploye?|installiere?|räum|verschiebe?|benenne?|ergänze?|implementiere?|setz|setze|leg|lege|lass|warte|fasse?|übersetze?|vergleiche?|generiere?|formatiere?|weiter|mach weiter|stopp|commite)(?= |[,.!:]|$)",
    ),
    asks=(
        r"(?:bitte|kannst du|könntest du|können sie|könnten sie|sag mir|erklär\w* mir|zeig\w* mir|soll ich|sollen wir)",
    ),
    unreal=(
        r"(?:angenommen|nehmen wir an|stell dir vor,? (?:wir|ich|du|man|jemand)|zum beispiel wenn|was wäre,? wenn|wäre es|hätte|hätten wir|würde)",
        r"(?:der text|die überschrift|der satz|der button|die meldung|der titel|die beschriftung|das wort|der kommentar) … ?[\"„“»]",
        r"(?:schreib\w*|füg\w*|ergänz\w*|übersetz\w*|setz\w*) (?:\w+ ){0,5}[\"„“»]",
    ),
    courtesies=(
        r"(?:ja|nein|ok|okay|gut|super|perfekt|prima|toll|klasse|danke|vielen dank|alles klar|passt|genau|richtig|stimmt|einverstanden|mach das|mach weiter|weiter|hallo|hi|guten morgen|guten tag|guten abend|tschüss|bis morgen|sehr gut|sieht gut aus|klingt gut|in ordnung|gerne|bitte|läuft|fertig|verstanden|wie geht's|na dann|los|los geht's|schönes wochenende|kein problem|sehr schön|freigegeben|genehmigt)"
        r"(?:[ ,.!]+(?:ja|ok|danke|bitte|gut|super|weiter|mach weiter|mach das|so|dann|dir|dafür|passt|perfekt|sehr|schon|mal|das|alles|aus|los|gerne|und|sieht gut aus|klingt gut|für die hilfe|für den tipp|machen wir so)){0,5}[ ,.!?:)]*",
    ),
    routine=(
        r"(?:(?:ok|okay|jetzt|dann|und|auch|bitte|gut|danke|ja|nun|kannst du|könntest du|können sie|ich möchte,? dass du|mal|noch|super|so)[ ,.!]*){0,4}"
        r"(?:mach|führ|starte|commit|push|pushe|merge|deploy|bau|teste|prüf|schreib|lösch|füg|erstell|zeig|öffne|lies|schau|aktualisier|entfern|korrigier|behebe|formatier|installier|benenn|die tests|das|den|alles|weiter)\w*\b",
    ),
    conditions=(
        r"(?:aber )?nur (?:auf|in|im|für|bei|beim|wenn|falls|mit|während|unter|nach|vor|zwischen|am|an|solange|solang|innerhalb|außerhalb|bis|ab|über|dort|dann|von|seit|ohne|gegen|zum|zur) [^,.!?;:\n()—]{2,80}(?:, (?:wenn|die|der|das|wo) [^,.!?;:\n()—]{2,60})?",
        r"(?:außer|solange|sofern|es sei denn,?|bis auf|ausgenommen|mit ausnahme|vorausgesetzt,?|abgesehen von|unabhängig von) [^,.!?;:\n()—]{2,80}",
        r"(?:wenn|falls|sobald|während|bevor|nachdem) [^,.!?;:\n()—]{3,80}",
        r"(?:auf|in|im|für|bei|beim|unter|mit|an|am|gegen|hinter) (?:der |dem |den |die |das |einer |einem |unserer |unserem |allen )?(?:[\w/-]+ ){0,2}(?:staging|produktion|prod|test|testumgebung|produktivsystem|testsystem|umgebung|entwicklung|branch|last|mandanten|kunden|property|region|cluster|windows|linux|macos|ios|android|mobil\w*|safari|firefox|chrome|ci|wochenende|version|konto|konten|tarif|lokal|server|umgebungen|systemen|geräten|instanz|betrieb|modus|beta|pilot|probebetrieb|lager|werk|filialen?|standort|nutzer\w*|rechner|kampagnen?|markt|live-system|livesystem)(?!\w)",
        r"(?:ab|seit|bis|unter|vor|nach) (?:version |python |node |java |postgres |v)\d[\w.]*",
        r"(?:über|unter|ab|mehr als|weniger als|mindestens|höchstens|bis zu) \d[\d.,]* ?[\w%]+",
        r"(?:^|(?<=[,;:.] ))(?:auf|in|im|für|bei|beim|mit|unter|seit|ab|innerhalb|außerhalb|am|an) (?!der regel|der praxis|wirklichkeit|ordnung|zukunft|ende|einem fall|ein |eine )[^,.!?;:\n()—]{2,80}",
        r"(?:auf|in|bei|für|mit|an) (?:diese[mnr]?|unseren|älteren|neuen|alten) [^,.!?;:\n()—]{2,60}",
        r"(?:beim|im|am) (?:alt|neu|test|live)\w+",
        r"am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|wochenende|monatsende|jahresende|quartalsende)",
    ),
    bare=(
        r"(?:es|er|sie)(?= )(?! gibt)(?! (?:ist|bleibt|war|wäre) (?:noch |immer |derzeit |bisher |aber |sehr |nicht )*(?:unklar|klar|offen|ungeklärt|fraglich|ungewiss|wichtig|möglich|unmöglich|nötig|sicher|geklärt|bekannt|verboten|erlaubt))(?! (?:haben|sind|können|müssen|sollten) sich)",
        r"(?:das|dies|dieses|diese|dieser|jenes|solche|solches|die|der)(?= (?:ist|sind|war|waren|wird|werden|wurde|wurden|hat|haben|hatte|muss|müssen|soll|sollte|sollten|kann|können|könnte|darf|geht|ging|heißt|hieß|bedeutet|funktioniert|stimmt|liegt|gilt|passiert|passierte|macht|führt|kommt|gehört|braucht|nicht|nur|auch|immer|nie|misst|zählt|zeigt|läuft|bleibt|steht|hängt|klappt|reicht|betrifft|gibt|sorgt|verursacht|würde|dauert|scheitert)(?!\w)| *[,.:;!?]| *$)",
        r"(?:das (?:obige|gleiche|selbe)|dasselbe|obiges|ersteres|letzteres|siehe oben|wie oben|davon|dafür|dadurch|damit|daran|darauf|deshalb|deswegen|daher)(?= |$|,)",
    ),
    steps=(
        r"(?:zuerst|zunächst|als erstes|erst|erstens)",
        r"(?:dann|danach|anschließend|zweitens|drittens|daraufhin|nachdem das|im anschluss|hinterher|sobald das)",
        r"(?:zuletzt|schließlich|am ende|zum schluss|abschließend)",
        r"->|→|=>",
    ),
    habits=(
        r"(?:ablauf|prozess|vorgehen|reihenfolge|immer|normalerweise|üblicherweise|jede[nrsm]?|in der regel|standardmäßig|workflow|gewöhnlich|grundsätzlich)",
        r"(?:für|bei|beim|um|vor|zum|wenn|wer) (?:ein\w* |de[nmr] |das |die |wir |du |man )?(?:neue\w* |\w+ )?(?:release|releases|deployment|deploy|veröffentlich\w*|auslief\w*|migration|hotfix|update|onboarding|kunde\w*|rechnung\w*|import|backup|rollout|einspiel\w*|version\w*|abschluss|\w+ung|\w+en)",
        r"(?:wird|werden|wir|man)",
    ),
    rejected_content=(
        r"(?:danke|passt|alles gut|alles klar|lass|schon gut|nicht nötig|noch nicht|jetzt nicht|später|mach weiter|das passt|das reicht|das ist (?:gut|ok|okay|in ordnung)|das war's|brauchst du nicht|weiter|kein problem)",
    ),
    blocks={
        "open_question": (
            r"(?:schau|guck|sieh|prüf|find|kannst du|könntest du)\w*(?: bitte| mal| dir)* (?:nach|rein|an|das|mal|heraus)",
            r"(?:was|wie|warum|wieso) du (?:meinst|willst|hast|gemacht|damit)",
        ),
        "decision": (
            r"(?:noch nicht|nie|müssen|ob|wann|falls|wenn|bevor|bis|warum|wieso|haben wir|hast du|habt ihr) (?:\w+ ){0,3}(?:entschieden|beschlossen|geeinigt|entscheiden)",
        ),
        "finding": (
            r"(?:setze?|erhöhe?|senke?|ändere?|reduziere?|möchte[n]?|soll(?:te|ten|en)?|muss|müssen|bitte|ziel|würde[n]?|könnte[n]?|falls|schätze|plane[n]?)",
        ),
        "pattern": (
            r"(?:jedes ?mal|immer),? wenn (?:du|sie|ihr) (?:willst|möchtest|magst|zeit)",
            r"(?:sobald|wenn) (?:du|sie|ihr) (?:fertig|soweit|so weit|zeit|kannst)",
            r"(?:bitte|sag bescheid|gib bescheid|melde dich)",
        ),
        "workflow": (r"(?:bitte|kannst du|könntest du|ich möchte,? dass|diesmal|heute)",),
    },
)
