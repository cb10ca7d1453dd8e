"""Spanish phrases by the type of atom that they signal."""

from functools import partial

from thermite_pipelines.atoms.signals.language import phrases

_phrases = partial(
    phrases,
    sources=r"""
        (?:datos|números|cifras|mediciones|logs?|registros|métricas|resultados|benchmarks?|estadísticas|panel
        |perfilador|encuesta|pruebas?|experimento|análisis|gráfico|gráfica|informe|reporte)
    """,
    number=r"""
        [$€£]?\d[\d.,]*
    """,
)

# fmt: off
SIGNALS = {
    "mental_model": _phrases(r"""
        (?:tiene|tienen) (?:un solo|una sola|exactamente una?) … (?:pero|y) (?:varios|varias|muchos|muchas)
        (?:se divide|se dividen|está dividid[oa]|se reparte|se separa)(?: en)?
        (?:así (?:es como )?funciona|la forma en que|la manera en que|el modo en que) … ?(?:funciona|es
        |funcionan|:)?
        (?:esto|eso|el sistema|la cosa|todo) funciona (?:así|como|de la siguiente)
        (?:piensa|piénsa\w*|piense|imagina|imagína\w*|considera|considéra\w*|velo|míralo|hay que ver\w*
        |puedes pensar|puedes ver\w*) … ?como (?:un|una|si|el|la)
        (?:hay|existen|tenemos) (?:en realidad |aquí |en total )?(?:dos|tres|cuatro|cinco|varios|varias|2|3
        |4) \w+
        (?:se comporta|se comportan|funciona|funcionan|actúa
        |actúan) (?:más bien |exactamente |básicamente |más o menos )?(?:como|igual que)
        (?:en el fondo|en esencia|por dentro|conceptualmente|por debajo|por diseño|internamente),
        (?:es|son) (?:básicamente|esencialmente|en esencia|en el fondo|simplemente|solo|sólo|nada más que
        |en realidad|prácticamente) (?:un|una|el|la|los|las)
        no (?:es|son) más que (?:un|una)
        (?:consta|constan|se compone|se componen|consiste|está compuest[oa]) (?:de|en|por)
        (?:tiene|tienen) (?:dos|tres|cuatro|2|3|4) (?:partes|niveles|capas|tipos|estados|fases|componentes
        |tramos)
        (?:es|está) (?:así )?(?:a propósito|por diseño|adrede)
        la diferencia (?:entre … )?(?:es|está|radica)
        (?:es|son) (?:el |la |los |las )?(?:único |única |únicos )?(?:responsables?|encargad[oa]s?) de
        (?:se )?(?:deriva|derivan|calcula|calculan|construye|genera) (?:a partir de|siempre de|solo de)
        (?:la idea|el principio|el concepto|el modelo)(?: detrás| aquí| de fondo| básico)? es
        (?:la|nuestra) (?:única )?fuente de (?:la )?verdad
    """),
    "finding": _phrases(r"""
        (?:los |las |el |la |nuestros |nuestras |mis |estos )?@sources@ … ?(?:muestran?|mostraron|mostró
        |indican?|revelan?|revelaron|dicen|confirman?|demuestran?|sugieren?|arrojan?|arrojó|dieron)
        según (?:los |las |el |la |nuestros |nuestras )?@sources@
        (?:medimos|gastamos|pagamos|obtuvimos|contamos|vendimos|ganamos|perdimos|tuvimos|registramos|conseguimos
        |procesamos|recibimos|medí|conté|obtuve|vimos|observamos|hemos medido|he medido|hemos gastado|cronometré
        |cronometramos) … ?@number@
        (?:he medido|hemos medido|medimos|medí|cronometramos)
        @number@ de (?:las |los |cada |un total de )?@number@
    """),
    "decision": _phrases(r"""
        (?:hemos|el equipo ha) (?:retirado|abandonado|cancelado|eliminado|aplazado|dejado|sustituido
        |rechazado) … (?:porque|ya que
        |para que|debido)
        (?:hemos|he|ya|el equipo ha|se ha|habíamos|finalmente|al final) (?:\w+ )?(?:decidido|acordado|elegido
        |optado|escogido|descartado|resuelto)
        (?:decidimos|decidí|acordamos|elegimos|optamos|opté|escogimos|elegí|descartamos|nos decidimos|se decidió
        |quedamos en|nos decantamos|preferimos|apostamos por)
        (?:vamos|nos vamos|nos quedamos|vayamos|sigamos|quedémonos|me quedo|seguimos|usaremos|usemos
        |mantendremos|mantenemos|dejamos|dejaremos|utilizaremos) (?:\w+ )?(?:con|por|en|a usar|a mantener
        |a seguir|a quedarnos|\w+ … (?:porque|en lugar|en vez|ya que|para que))
        (?:la|el) (?:razón|motivo) (?:por la que|por el que|de elegir|para elegir|de que|es que|principal|fue)
        (?:la|nuestra) decisión (?:es|fue|final|está)
        (?:a partir de ahora|de ahora en adelante|desde ahora),? (?:\w+)
        (?:a propósito|deliberadamente|intencionadamente)
    """),
    "pattern": _phrases(r"""
        en cuanto … (?:siempre|se (?:cae|cuelga|bloquea|para|apaga|reinicia|satura|pierde))
        (?:normalmente|habitualmente|a menudo|generalmente|casi siempre) … (?:cuando|después|antes|tras|si)
        (?:cuando|después|tras|si|antes) … (?:normalmente|habitualmente|a menudo|casi siempre|invariablemente)
        (?:una y otra vez|año tras año|mes tras mes|semana tras semana)
        (?:cada vez|siempre|todas las veces) que
        (?:esto|eso|lo cual|lo que) siempre (?:significa|quiere decir|pasa|ocurre|indica|acaba)
        siempre (?:significa|quiere decir|pasa|ocurre|falla|se rompe|termina|acaba|provoca|causa|sube|baja
        |coincide|aparece|viene|cae|hay|se cae|se cuelga|indica|tarda|se dispara)
        (?:falla|ocurre|pasa|sucede|se repite|se rompe|se cae|se cuelga|baja|sube|tarda
        |significa) (?:\w+ )?(?:siempre|todas las veces|sin excepción|cada vez|invariablemente)
        (?:en|tras|después de|antes de|con|a) cada \w+
        (?:todos los|cada) (?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|meses|mes|noches?
        |mañanas?)
        (?:suele|suelen|tiende|tienden) (?:a )?\w+
        (?:nueve de cada diez|sin excepción|sin falta|casi siempre|invariablemente)
        (?:cuando|si) … siempre
    """),
    "open_question": _phrases(r"""
        lo que (?:aún |todavía )?no (?:sabemos|sé|se sabe) (?:aún |todavía )?es
        (?:seguimos|sigo|seguíamos) sin (?:saber|tener claro|decidir|ver) (?:si|cómo|por qué|cuál|qué|quién|cuándo)
        (?:nadie|ninguno) (?:puede|pudo|sabe|ha podido|supo) (?:\w+ )?(?:decir\w*|explicar\w*|confirmar\w*)? ?si
        (?:está|queda) por ver(?:se)? si
        (?:no|aún no|todavía no) (?:estoy|estamos|está|queda|tengo|tenemos) (?:\w+ )?(?:seguro|segura|seguros
        |claro|del todo seguro|del todo segura|clara)s?(?: aún| todavía)?(?: de)? ?(?:si|cómo|por qué|cuál
        |cuáles|que|qué|cuándo|quién)
        (?:no|nadie|aún no|todavía no) (?:sé|sabemos|sabe|tengo claro|tenemos claro|está claro|queda claro
        |se sabe)(?: aún| todavía| bien| con certeza)? (?:si|cómo|por qué|cuál|cuáles|qué|cuándo|quién|dónde)
        (?:tenemos|tengo|hay|habrá|habría|falta|queda|debemos|necesitamos|hace falta)(?: que
        | por)? (?:\w+ )?(?:averiguar|determinar|decidir|aclarar|entender|resolver|descubrir|definir|ver si
        |investigar si|comprobar si)
        (?:está|sigue|queda|quedan|están|siguen) (?:\w+ )?(?:pendiente|por (?:decidir|definir|ver|aclarar
        |determinar)|sin (?:decidir|resolver|definir|aclarar)|abiert[oa]|en el aire|en duda)
        (?:pregunta|cuestión|duda|punto)s? (?:abiert[oa]s?|pendientes?|sin resolver)
        (?:me pregunto|nos preguntamos) (?:si|cómo|por qué|cuál|qué)
        (?:no hemos|no se ha|aún no hemos|todavía no hemos|aún no se ha|todavía no se ha) (?:decidido|definido
        |acordado|resuelto|aclarado)
        (?:ni idea de|no tengo idea de|dudo|tengo dudas|tengo la duda)
        (?:incierto|no es seguro|por ver) (?:si|cómo)
    """),
    "workflow": _phrases(r"""
        (?:el|nuestro|la|los) (?:proceso|procedimiento|flujo|orden|secuencia|rutina|pasos)(?: normal| habitual
        | correcto| de \w+| para \w+)? ?(?:es|son|para|de|:|consiste|sería)
        paso 1\b
        (?:se (?:hace|hacen|tramita|tramitan|gestiona|procesa|prepara|da|cierra|publica|monta)|funciona|va
        |es) así
        en (?:este|ese) orden
    """),
}
BLOCKS = {
    "open_question": _phrases(r"""
        (?:tú|tus|tu|te|me) (?=\w)
        (?:estaba|estábamos|sabía|sabíamos) … (?:pero|ahora|hasta)
        (?:ya está (?:resuelto|claro|decidido|aclarado)|ya lo sé|ya lo sabemos|ya se ha)
        (?:me pregunto|nos preguntamos) si (?:\w+ )?(?:podrías|puedes|podrías|podríais|podemos|podríamos|sería posible)
        (?:reír|llorar|canal correcto|así que empieza|así que mira)
        (?:si|qué|cómo) (?:te|me|lo) (?:entiendo|entiendes|explico|sigo|he entendido)
        por qué … ?(?:fall\w+|romp\w+|error|rojo|no funciona|se cae)
        (?:lo miras|míralo|puedes|podrías|mira tú|revísalo)
        (?:qué|cómo|por qué) (?:quieres|hiciste|has|quisiste)
    """),
    "decision": _phrases(r"""
        (?:tu|tus|ti|vuestra|vuestro)(?!\w)
        (?:pizzas?|comer|cocinar|almorzar|vacaciones|cerveza|cine|finde)
        (?:habíamos|había|originalmente|inicialmente|al principio|en su día|casi|nadie ha) … (?:pero|luego|después
        |hasta|ya no)
        (?:ya no vale|ya no aplica|cambiado de opinión|cambiamos de opinión|dimos marcha atrás|al parecer|he oído)
        (?:decidiste|elegiste|has decidido|has elegido|optaste)
        porque (?:tengo que|me (?:duele|voy)|estoy)
        (?:aún no|todavía no|nunca|si|cuándo|cuando|antes de que|hasta que|hemos decidido ya|no hemos
        |no se ha) (?:\w+ ){0,3}(?:decidi\w*|elegi\w*|acorda\w*|decidamos)
    """),
    "finding": _phrases(r"""
        (?:reunión|demo|nos quedan?|éramos)
        [\d.,]+ (?:errores|error|avisos|fallos|bugs?)
        (?:teléfono|perdón|lo siento|disculpa\w*|en vano)
        (?:frustra\w+|intentando|para nada|probablemente|quizás?|tal vez|creo|supuestamente|café|dormí|comentarios
        |reuniones|según la doc\w*|promet\w*|a ojo)
        (?:pruebas?|tests?) (?:fallan|falla|pasan|están)
        (?:muestran?|dicen|dan|dieron) (?:un error|el error|nada|esto)
        (?:pon|sube|baja|reduce|aumenta|cambia|necesit\w+|quiero|debería\w*|debe|deben|objetivo|sería|podría
        |calculo|estimo|por favor)
    """),
    "pattern": _phrases(r"""
        (?:placer|gracias|contigo)
        te olvidas|te equivocas|siempre (?:te|me) |lo mismo contigo
        (?:me (?:da|entra|río|muero|parto|hace|pongo)|lloro|la risa|sonrío)
        (?:debería\w*|debe (?:aparecer|mostrar\w*|salir)|tendría\w*|quiero|quisiera|me gustaría|como siempre
        |estaría bien
        |sería)(?!\w)
        (?:cada vez|siempre) (?:que )?(?:te|me|tú)
        (?:cada vez|siempre) (?:que )?(?:haces|respondes|contestas|escribes|cambias|tocas|olvidas|preguntas
        |dices|pones|lo mismo|igual)
        (?:por favor|avísame|cada vez que (?:quieras|puedas)|acuérdate|recuerda)
    """),
    "workflow": _phrases(r"""
        (?:proceso|flujo|procedimiento|orden) (?:está|estaba|es|se ha) (?:\w+ )?(?:colgado|rojo|roto|muerto|lento|mal
        |incorrecto|caído
        |bloqueado)
        (?:tú|tu|tus|voy a|mi plan|para hoy|esta tarea)
        (?:por favor|puedes|podrías|quiero que|esta vez)
    """),
    "mental_model": _phrases(r"""
        que (?:hacer|arreglar|cambiar|revisar|probar)
        (?:dos|tres|cuatro|varios|varias|2|3|4) (?:pequeñ[oa]s |nuev[oa]s |otr[oa]s )*(?:erratas?|errores|fallos|bugs
        |problemas
        |preguntas|opciones|puntos|cosas|maneras|razones|tareas|avisos|archivos|pruebas|comentarios|formas)
        (?:debería\w*|podría\w*|la idea es \w+[aei]r|un desastre|una broma|un lío|lo mismo|tu|tus)(?!\w)
        la diferencia es (?:enorme|mínima|pequeña|grande|que tú)
    """),
}
FIGURES = _phrases(r"""
    @number@ ?% (?:más|menos|de)
    de (?:las |los )@number@ … @number@
    (?:tardó|tarda|tardaba|costó|costaba|bajó|bajaron|subió|subieron|cayó|cayeron|pasó|pasaron|aumentó|aumentaron
    |alcanzó|duró|consumió|fallaron|convirtió|generó|trajo|llegó|fue de|fueron|creció|se redujo|redujo|ronda
    |promedió|convirtieron) … ?@number@
    (?:ayer|la semana pasada|el mes pasado|anoche|esta mañana|el trimestre pasado|hoy) … ?@number@
    de @number@ … ?a @number@
""")
# fmt: on
