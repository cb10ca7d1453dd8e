"""German phrases by the type of atom that they signal."""

from functools import partial

from thermite_pipelines.atoms.signals.language import phrases

_phrases = partial(
    phrases,
    sources=r"""
        (?:daten|zahlen|messungen|messung|logs?|metriken|auswertung|ergebnisse|benchmarks?|statistik|statistiken
        |messwerte|profiler|dashboard|umfrage|test|tests|experiment|analyse|grafik|kurve|kurven)
    """,
    number=r"""
        [$€£]?\d[\d.,]*
    """,
)

# fmt: off
SIGNALS = {
    "mental_model": _phrases(r"""
        (?:hat|haben|gehört) (?:zu )?(?:genau |nur |höchstens )?ein\w* … (?:aber|und) (?:viele|mehrere|beliebig)
        (?:hat|haben) (?:zwei|drei|vier) (?:teile|stufen|ebenen|zustände|phasen|modi|arten|schichten|rollen
        |seiten)
        (?:teilt|gliedert|unterteilt|zerfällt) (?:sich )?in|(?:ist|sind) (?:auf)?geteilt in
        (?:ist|sind) so (?:gewollt|gedacht|gebaut|aufgebaut)|ist absicht|mit absicht so
        (?:das|es|die sache|der ablauf|das system
        |das ganze) funktioniert (?:hier |bei uns |intern |im grunde |nämlich |eigentlich )?(?:so|folgendermaßen
        |wie)
        so funktioniert
        (?:stell|stellen sie|stellt) (?:dir|sich|euch) … ?(?:wie|als)
        (?:denk|denken sie|denkt) … ?(?:als|wie)
        (?:man kann|du kannst|kannst du|am besten|betrachte|sieh|seht|sehen sie) … ?(?:als|wie) (?:ein|eine
        |einen)
        es gibt (?:hier |dabei |bei uns |im grunde |eigentlich |nämlich |genau )?(?:zwei|drei|vier|fünf|mehrere
        |2|3|4) (?:\w+ )?\w+
        (?:verhält|verhalten) sich … ?wie
        (?:funktioniert|arbeitet|funktionieren) (?:im prinzip |im grunde |ungefähr |eher |genau )?(?:wie
        |so,? dass)
        (?:im prinzip|im grunde|im kern|letztlich|konzeptionell|unter der haube) (?:ist|sind|nur|ein|eine|wird
        |werden|läuft|hält|besteht)
        (?:ist|sind) (?:im prinzip|im grunde|letztlich|eigentlich nur|nur|nichts anderes als|bloß|quasi
        |praktisch) (?:ein|eine|der|die|das)
        besteh(?:t|en) (?:nur |immer |jeweils |intern )?aus
        (?:geht|läuft|funktioniert|gehen|laufen) (?:\w+ ){0,2}(?:so|folgendermaßen)
        (?:damit du|kurz,? damit|nur damit du) (?:es )?(?:verstehst|weißt)
        heißt (?:nur|also|lediglich),? dass
        der unterschied (?:zwischen … )?(?:ist|liegt|besteht)
        (?:ist|sind) (?:allein |nur )?(?:zuständig|verantwortlich) für
        (?:wird|werden) (?:immer |nur )?(?:aus … )(?:abgeleitet|berechnet|erzeugt|gebildet)
        (?:die idee|das prinzip|der gedanke|das modell)(?: dahinter| hier)? ist
        dahinter steckt
        (?:die|unsere) (?:einzige )?quelle der wahrheit
    """),
    "finding": _phrases(r"""
        (?:die |unsere |der |das |meine )?@sources@ … ?(?:zeigt|zeigen|zeigte|zeigten|sagt|sagen|belegt|belegen
        |ergab|ergaben|ergibt|ergeben|beweisen|bestätigt|bestätigen)
        (?:laut|nach|gemäß) (?:den |der |dem |unseren |unserer |unserem )?(?:\w+ )?@sources@
        (?:wir|ich) (?:haben|habe|hatten|hatte) … @number@
        (?:gemessen|ausgegeben|gezählt|bezahlt|eingenommen)(?=[ .,;]|$)
        @number@ von (?:den |insgesamt )?@number@
    """),
    "decision": _phrases(r"""
        (?:wir|die \w+|das team) (?:haben|hat) … (?:eingestampft|abgeschafft|gestrichen|fallen lassen|aufgegeben
        |eingestellt
        |abgelehnt|verschoben|umgestellt|gekündigt|ausgemustert),? (?:weil|da|denn|damit|wegen)
        (?:wir|ich|das team|die) (?:haben|habe|hat|hatten) … ?(?:entschieden|beschlossen|geeinigt|festgelegt
        |gewählt|ausgewählt|verworfen|entschlossen|vereinbart)
        (?:haben wir|habe ich|hat das team) … ?(?:entschieden|beschlossen|geeinigt|festgelegt|gewählt|verworfen
        |vereinbart)
        (?:wir|ich) (?:entscheiden|entschieden|entscheide|einigten|wählten|nehmen|nehme|bleiben|bleibe|setzen
        |verwenden|nutzen|verzichten|behalten|lassen) (?:uns |mich )?… ?(?:weil|da|denn|statt|anstatt|damit|für
        |bei|auf)
        (?:lass|lasst|lassen sie) uns … (?:nehmen|bleiben|verwenden|nutzen|setzen|behalten|einsetzen)
        (?:der|ein) grund,? (?:warum|weshalb|weswegen|dafür|aus dem|für)
        (?:die|unsere) entscheidung (?:ist|war|fiel|lautet|steht)
        (?:fiel|fällt) die (?:wahl|entscheidung)
        (?:ab jetzt|ab sofort|künftig|von nun an) (?:wird|werden|verwenden|nutzen|nehmen|gilt|machen|speichern
        |setzen)
        (?:bewusst|absichtlich) (?:gegen|für|nicht|auf)
    """),
    "pattern": _phrases(r"""
        immer (?:zu (?:viel|wenig|hoch|niedrig|spät|früh|langsam)|falsch|leer|langsam|verspätet)
        (?:meistens|meist|regelmäßig|üblicherweise|gewöhnlich|in der regel) … (?:wenn|nach|vor|sobald|bei)
        (?:wenn|nach|vor|sobald|bei|sooft) … (?:meistens|meist|regelmäßig|gewöhnlich|jedes ?mal|zuverlässig)
        immer wieder|jahr für jahr|monat für monat|woche für woche|ein ums andere mal
        (?:jedes ?mal|immer),? wenn
        immer (?:montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|nachts|morgens|abends|am|im
        |nach|vor|bei|dann|zum)
        (?:in der regel|erfahrungsgemäß|typischerweise|grundsätzlich)
        (?:das|dies|es) (?:bedeutet|heißt|passiert|geschieht|liegt) (?:immer|jedes ?mal|fast immer|stets
        |grundsätzlich)
        (?:bedeutet|heißt|passiert|kommt|führt|schlägt|bricht|fällt|steigt|sinkt|hängt|stürzt|läuft|folgt|tritt
        |ist|sind|scheitert|scheitern) … ?(?:jedes ?mal|jedesmal|immer|stets|regelmäßig|fast immer)
        (?:sobald|immer sobald)
        (?:nach|bei|vor|mit|an) (?:jedem|jeder|jeden) \w+
        jeden (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|monat|morgen|abend|tag)
        (?:neigt|neigen|tendiert|tendieren) (?:dazu|zu)
        (?:ausnahmslos|erfahrungsgemäß|in neun von zehn fällen)
        (?:wenn|falls) … (?:immer|jedes mal|stets|jedesmal)
    """),
    "open_question": _phrases(r"""
        was (?:wir|ich) (?:noch |immer noch )?nicht (?:wissen|weiß|verstehen)
        (?:noch )?offen:
        ob … (?:kann|konnte|weiß|wissen) (?:uns |mir )?(?:bisher |noch |derzeit |bis jetzt |aktuell )*(?:keiner|niemand
        |man nicht|nicht)
        (?:wir|ich) (?:\w+ )?(?:schwanken|schwanke|streiten|grübeln|rätseln) (?:noch |immer noch )*(?:,|ob|zwischen
        |über)
        es (?:muss|wird) sich (?:erst |noch )*zeigen,? ob
        (?:ich bin|wir sind|bin|sind) (?:mir |uns )?(?:noch |immer noch |aber |auch |momentan |da )*(?:nicht
        |un)(?: ganz| wirklich| völlig)? ?(?:sicher|schlüssig|klar)
        (?:weiß|wissen|wusste
        |wüsste) (?:ich |wir |auch |man |niemand |noch |derzeit |aber |bisher |selbst |selber )*(?:noch |auch )?(?:nicht
        |keiner|niemand),? (?:genau,? |sicher,? )?(?:ob|wie|warum|welche\w*|wann|wer|was|wo|woher|wieso|weshalb)
        (?:unklar|offen|ungeklärt|ungewiss|unentschieden|fraglich|nicht klar|nicht geklärt|nicht entschieden
        |nicht sicher)(?: ist| bleibt)?(?: noch| bisher| allerdings| derzeit)?,? (?:ob|wie|warum|welche\w*|wann
        |wer|was|wo|woher)
        (?:müssen|muss|sollten|wollen) (?:wir |ich |noch |erst |auch |das |man )*(?:klären|herausfinden
        |entscheiden|überlegen|rausfinden|prüfen,? ob)
        (?:müssen|muss|sollten) … (?:klären|herausfinden|rausfinden|entscheiden),? (?:ob|wie|warum|welche\w*
        |wann|wer|was)
        (?:ist|sind|bleibt|wäre) (?:noch |weiterhin |immer noch |bisher |derzeit )*(?:offen|unklar|ungeklärt
        |nicht geklärt|nicht entschieden|nicht klar|unentschieden|eine offene frage)
        offene fragen?
        (?:frage|fragen) (?:mich|uns) (?:noch |immer noch |gerade |auch )*,? ?(?:ob|wie|warum|welche\w*)
        keine ahnung,? (?:ob|warum|wie|welche\w*)
        (?:haben|habe) (?:wir |ich |uns |mich |das )*noch nicht (?:entschieden|geklärt|festgelegt)
        noch nicht (?:entschieden|geklärt|festgelegt|klar|sicher|heraus)
    """),
    "workflow": _phrases(r"""
        (?:der|unser|die|unsere) (?:übliche |normale |richtige |korrekte )?(?:ablauf|prozess|vorgehen
        |reihenfolge|vorgehensweise|weg|workflow)(?: ist| sieht| lautet| beim| für| bei| zum|:)
        so (?:gehen|machen|läuft) (?:wir|es|das)
        (?:geht|läuft|funktioniert|gehen|laufen) (?:\w+ ){0,3}(?:so|folgendermaßen|wie folgt
        |in dieser reihenfolge)
        in (?:dieser|der|folgender) reihenfolge
        schritt (?:1|eins)\b
    """),
}
BLOCKS = {
    "open_question": _phrases(r"""
        (?:du|dich|dir|dein\w*)
        (?:war|waren|wusste|wussten) … (?:aber|jetzt|inzwischen|mittlerweile|hat sich)
        (?:erledigt|inzwischen klar|mittlerweile klar|jetzt klar|geklärt(?! ist| werden)(?= *[,.!]*$)|hat sich geklärt
        |weiß ich jetzt)
        (?:wenn|ob) (?:du|ihr|wir) (?:\w+ ){0,3}(?:könntest|könntet|kannst|könnten|verstanden)
        (?:lachen|weinen|richtige[rnm]? (?:kanal|ort|stelle)|fang|also schau)
        ob (?:du|sie mich|ich dich|ich das richtig)
        (?:warum|wieso|weshalb) … ?(?:rot|fehlschl\w+|fehlgeschlagen|kaputt|fehler|abst\w+|scheiter\w+
        |nicht (?:geht|läuft|funktioniert))
        (?:schau|guck|sieh|prüf|find|kannst du|könntest du)\w*(?: bitte| mal| dir)* (?:nach|rein|an|das|mal
        |heraus)
        (?:was|wie|warum|wieso) du (?:meinst|willst|hast|gemacht|damit)
    """),
    "decision": _phrases(r"""
        (?:du|dich|dir|dein\w*)|schöner|hübscher
        (?:pizza|essen|kochen|mittag\w*|feierabend|urlaub|bier|kino|wochenende|party)
        (?:hatten|hatte|ursprünglich|anfangs|zuerst|damals|fast|beinahe|niemand) … (?:aber|bis|dann|inzwischen
        |nicht mehr
        |mittlerweile|doch)
        vom tisch|gilt nicht mehr|nicht mehr aktuell|umentschieden|anders überlegt|verworfen worden|angeblich
        |gehört,? dass
        (?:du|ihr) (?:hast|habt) |hast du
        weil (?:ich|mir|mein\w*) (?:\w+ )*(?:müde|weg|los|hunger|kopf|zug)
        (?:noch nicht|nie|müssen|ob|wann|falls|wenn|bevor|bis|warum|wieso|haben wir|hast du
        |habt ihr) (?:\w+ ){0,3}(?:entschieden|beschlossen|geeinigt|entscheiden)
    """),
    "finding": _phrases(r"""
        noch [\d.,]+ (?:stunden|minuten|tage|wochen|leute|punkte|aufgaben)|(?:meeting|besprechung|demo|variante|option
        |version) ?\d?
        [\d.,]+ (?:fehler\w*|warnungen|ausnahmen)
        (?:telefon\w*|sorry|entschuldig\w*|tut mir leid|laut anleitung|bei mir hängt|umsonst|tagelang)
        (?:frustrier\w+|versucht|nichts erreicht|vermutlich|wahrscheinlich|vielleicht|angeblich|geschätzt|glaube
        |ich denke
        |kaffee|geschlafen|laut doku\w*|laut (?:der )?dokumentation|versprechen|kommentare|fragen|besprechungen)
        (?:tests?|prüfungen) (?:sind|ist|schlagen|schlägt)
        (?:zeigt|zeigen) (?:mir|nichts|einen fehler|das hier|folgendes|den fehler)
        (?:setze?|erhöhe?|senke?|ändere?|reduziere?|möchte[n]?|soll(?:te|ten|en)?|muss|müssen|bitte|ziel
        |würde[n]?|könnte[n]?|falls|schätze|plane[n]?)
    """),
    "pattern": _phrases(r"""
        (?:dich|dir)|(?:immer wieder|immer) (?:schön|gern|gerne|toll|nett|spannend|lustig)
        (?:vergisst|übersiehst|machst|schreibst|antwortest) du|du (?:vergisst|übersiehst|machst)
        |wenn ich (?:\w+ )?(?:speichere|klicke|drücke|tippe)
        (?:lachen|weinen|muss ich|nervt mich|freue|schmunzeln|ärgere|könnte ich|denke ich|frage ich mich)
        (?:soll|sollte|sollen|sollten|möchte\w*|hätte gern\w*|wäre (?:schön|gut|toll|nett)|wie immer|dein\w*)(?!\w)
        (?:jedes ?mal|immer),? wenn (?:du|sie|ihr) (?:willst|möchtest|magst|zeit)
        (?:jedes ?mal|immer),? (?:wenn )?(?:du|ich (?:dich|dir|sage|frage|bitte))
        (?:du|ihr) (?:\w+ ){0,3}(?:immer|jedes ?mal|ständig)
        (?:sobald|wenn) (?:du|sie|ihr) (?:fertig|soweit|so weit|zeit|kannst)
        (?:bitte|sag bescheid|gib bescheid|melde dich)
    """),
    "workflow": _phrases(r"""
        (?:prozess|ablauf|workflow|reihenfolge|vorgehen)s? (?:ist|war|hängt|sieht) (?:\w+ )?(?:abgestürzt|kaputt|rot
        |tot|falsch
        |unklar|weg|fest|langsam|komisch|schlecht|schon|wieder)
        (?:du|dein\w*|ihr|ich werde|ich mache|mein plan|für heute|dieses mal)
        (?:bitte|kannst du|könntest du|ich möchte,? dass|diesmal|heute)
    """),
    "mental_model": _phrases(r"""
        (?:zu tun|zu erledigen|aufzählung)
        (?:zwei|drei|vier|mehrere|2|3|4) (?:kleine |neue |weitere |offene )*(?:tippfehler|fehler|bugs|probleme|fragen
        |optionen
        |möglichkeiten|punkte|sachen|dinge|aufgaben|gründe|warnungen|dateien|tests|kommentare)
        (?:sollte\w*|könnte\w*|müsste\w*|die idee ist,? (?:\w+ )*zu|eine katastrophe|ein witz|ein chaos|dein\w*
        |dasselbe)
        der unterschied ist (?:riesig|klein|minimal|groß|nur|mir)
    """),
}
FIGURES = _phrases(r"""
    @number@ ?(?:%|prozent) (?:weniger|mehr|höher|niedriger|schneller|langsamer|der|aller)
    von (?:den |unseren |insgesamt )?@number@ … @number@
    (?:dauerte|dauert|kostete|sank|sanken|stieg|stiegen|fiel|fielen|brauchte|brauchten|verbrauchte|lag|lagen|waren
    |betrug|schaffte|erreichte|wuchs|brachte|brachten|halbierte|liegt|scheiterten|brachen|liefen) … @number@
    (?:gestern|heute|letzte woche|letzten monat|letztes quartal|vorgestern|letzte nacht) … @number@
    von @number@ … auf @number@
""")
# fmt: on
