"""Spanish phrases."""

from thermite_pipelines.atoms.signals.language import Language, words_of

_NUMBER = r"[$€£]?\d[\d.,]*"
_SOURCES = r"(?:datos|números|cifras|mediciones|logs?|registros|métricas|resultados|benchmarks?|estadísticas|panel|perfilador|encuesta|pruebas?|experimento|análisis|gráfico|gráfica|informe|reporte)"

SPANISH = Language(
    code="es",
    spaced=True,
    words=words_of(
        "a ahora al algo algún alguna antes aquí así aún aunque ayer bien cada casi como cómo con cosa cuál cuando cuándo "
        "cuanto de del desde después día días donde dónde dos durante e el él ella ellas ellos en entonces entre era eran "
        "eres es esa ese eso esta está están estamos estar este esto estos esas esos fue fueron ha había hace hacer hacia "
        "han has hasta hay he hemos hoy la las le les lo los luego mañana más me mi mis mismo mucho muy nada ni no nos "
        "nosotros nuestra nuestro nunca o otra otro para pero poco por porque pues que qué quién se sea según semana ser si "
        "sí sin sino sobre solo sólo son su sus también tan tanto te tengo tenemos tiene tienen todavía todo todos tu tus un "
        "una uno unos usted ustedes va vamos vez y ya yo mes año puede puedes favor primero siempre gracias"
    ),
    signals={
        "mental_model": (
            r"(?:así (?:es como )?funciona|la forma en que|la manera en que|el modo en que) … ?(?:funciona|es|funcionan|:)?",
            r"(?:esto|eso|el sistema|la cosa|todo) funciona (?:así|como|de la siguiente)",
            r"(?:piensa|piénsa\w*|piense|imagina|imagína\w*|considera|considéra\w*|velo|míralo|hay que ver\w*|puedes pensar|puedes ver\w*) … ?como (?:un|una|si|el|la)",
            r"(?:hay|existen|tenemos) (?:en realidad |aquí |en total )?(?:dos|tres|cuatro|cinco|varios|varias|2|3|4) \w+",
            r"(?:se comporta|se comportan|funciona|funcionan|actúa|actúan) (?:más bien |exactamente |básicamente |más o menos )?(?:como|igual que)",
            r"(?:en el fondo|en esencia|por dentro|conceptualmente|por debajo|por diseño|internamente),",
            r"(?:es|son) (?:básicamente|esencialmente|en esencia|en el fondo|simplemente|solo|sólo|nada más que|en realidad|prácticamente) (?:un|una|el|la|los|las)",
            r"no (?:es|son) más que (?:un|una)",
            r"(?:consta|constan|se compone|se componen|consiste|está compuest[oa]) (?:de|en|por)",
            r"(?:tiene|tienen) (?:dos|tres|cuatro|2|3|4) (?:partes|niveles|capas|tipos|estados|fases|componentes|tramos)",
            r"(?:es|está) (?:así )?(?:a propósito|por diseño|adrede)",
            r"la diferencia (?:entre … )?(?:es|está|radica)",
            r"(?:es|son) (?:el |la |los |las )?(?:único |única |únicos )?(?:responsables?|encargad[oa]s?) de",
            r"(?:se )?(?:deriva|derivan|calcula|calculan|construye|genera) (?:a partir de|siempre de|solo de)",
            r"(?:la idea|el principio|el concepto|el modelo)(?: detrás| aquí| de fondo| básico)? es",
            r"(?:la|nuestra) (?:única )?fuente de (?:la )?verdad",
        ),
        "finding": (
            rf"(?:los |las |el |la |nuestros |nuestras |mis |estos )?{_SOURCES} … ?(?:muestran?|mostraron|mostró|indican?|revelan?|revelaron|dicen|confirman?|demuestran?|sugieren?|arrojan?|arrojó|dieron)",
            rf"según (?:los |las |el |la |nuestros |nuestras )?{_SOURCES}",
            rf"(?:medimos|gastamos|pagamos|obtuvimos|contamos|vendimos|ganamos|perdimos|tuvimos|registramos|conseguimos|procesamos|recibimos|medí|conté|obtuve|vimos|observamos|hemos medido|he medido|hemos gastado|cronometré|cronometramos) … ?{_NUMBER}",
            r"(?:he medido|hemos medido|medimos|medí|cronometramos)",
            rf"{_NUMBER} de (?:las |los |cada |un total de )?{_NUMBER}",
        ),
        "decision": (
            r"(?:hemos|he|ya|el equipo ha|se ha|habíamos|finalmente|al final) (?:\w+ )?(?:decidido|acordado|elegido|optado|escogido|descartado|resuelto)",
            r"(?:decidimos|decidí|acordamos|elegimos|optamos|opté|escogimos|elegí|descartamos|nos decidimos|se decidió|quedamos en|nos decantamos|preferimos|apostamos por)",
            r"(?:vamos|nos vamos|nos quedamos|vayamos|sigamos|quedémonos|me quedo|seguimos|usaremos|usemos|mantendremos|mantenemos|dejamos|dejaremos|utilizaremos) (?:\w+ )?(?:con|por|en|a usar|a mantener|a seguir|a quedarnos|\w+ … (?:porque|en lugar|en vez|ya que|para que))",
            r"(?:la|el) (?:razón|motivo) (?:por la que|por el que|de elegir|para elegir|de que|es que|principal|fue)",
            r"(?:la|nuestra) decisión (?:es|fue|final|está)",
            r"(?:a partir de ahora|de ahora en adelante|desde ahora),? (?:\w+)",
            r"(?:a propósito|deliberadamente|intencionadamente)",
        ),
        "pattern": (
            r"(?:cada vez|siempre|todas las veces) que",
            r"(?:esto|eso|lo cual|lo que) siempre (?:significa|quiere decir|pasa|ocurre|indica|acaba)",
            r"siempre (?:significa|quiere decir|pasa|ocurre|falla|se rompe|termina|acaba|provoca|causa|sube|baja|coincide|aparece|viene|cae|hay|se cae|se cuelga|indica|tarda|se dispara)",
            r"(?:falla|ocurre|pasa|sucede|se repite|se rompe|se cae|se cuelga|baja|sube|tarda|significa) (?:\w+ )?(?:siempre|todas las veces|sin excepción|cada vez|invariablemente)",
            r"(?:en|tras|después de|antes de|con|a) cada \w+",
            r"(?:todos los|cada) (?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|meses|mes|noches?|mañanas?)",
            r"(?:suele|suelen|tiende|tienden) (?:a )?\w+",
            r"(?:nueve de cada diez|sin excepción|sin falta|casi siempre|invariablemente)",
            r"(?:cuando|si) … siempre",
        ),
        "open_question": (
            r"(?:no|aún no|todavía no) (?:estoy|estamos|está|queda|tengo|tenemos) (?:\w+ )?(?:seguro|segura|seguros|claro|del todo seguro|del todo segura|clara)s?(?: aún| todavía)?(?: de)? ?(?:si|cómo|por qué|cuál|cuáles|que|qué|cuándo|quién)",
            r"(?:no|nadie|aún no|todavía no) (?:sé|sabemos|sabe|tengo claro|tenemos claro|está claro|queda claro|se sabe)(?: aún| todavía| bien| con certeza)? (?:si|cómo|por qué|cuál|cuáles|qué|cuándo|quién|dónde)",
            r"(?:tenemos|tengo|hay|habrá|habría|falta|queda|debemos|necesitamos|hace falta)(?: que| por)? (?:\w+ )?(?:averiguar|determinar|decidir|aclarar|entender|resolver|descubrir|definir|ver si|investigar si|comprobar si)",
            r"(?:está|sigue|queda|quedan|están|siguen) (?:\w+ )?(?:pendiente|por (?:decidir|definir|ver|aclarar|determinar)|sin (?:decidir|resolver|definir|aclarar)|abiert[oa]|en el aire|en duda)",
            r"(?:pregunta|cuestión|duda|punto)s? (?:abiert[oa]s?|pendientes?|sin resolver)",
            r"(?:me pregunto|nos preguntamos) (?:si|cómo|por qué|cuál|qué)",
            r"(?:no hemos|no se ha|aún no hemos|todavía no hemos|aún no se ha|todavía no se ha) (?:decidido|definido|acordado|resuelto|aclarado)",
            r"(?:ni idea de|no tengo idea de|dudo|tengo dudas|tengo la duda)",
            r"(?:incierto|no es seguro|por ver) (?:si|cómo)",
        ),
        "workflow": (
            r"(?:el|nuestro|la|los) (?:proceso|procedimiento|flujo|orden|secuencia|rutina|pasos)(?: normal| habitual| correcto| de \w+| para \w+)? ?(?:es|son|para|de|:|consiste|sería)",
            r"paso 1\b",
            r"(?:se (?:hace|hacen|tramita|tramitan|gestiona|procesa|prepara|da|cierra|publica|monta)|funciona|va|es) así",
            r"en (?:este|ese) orden",
        ),
    },
    figures=(
        rf"(?:tardó|tarda|tardaba|costó|costaba|bajó|bajaron|subió|subieron|cayó|cayeron|pasó|pasaron|aumentó|aumentaron|alcanzó|duró|consumió|fallaron|convirtió|generó|trajo|llegó|fue de|fueron|creció|se redujo|redujo|ronda|promedió|convirtieron) … ?{_NUMBER}",
        rf"(?:ayer|la semana pasada|el mes pasado|anoche|esta mañana|el trimestre pasado|hoy) … ?{_NUMBER}",
        rf"de {_NUMBER} … ?a {_NUMBER}",
    ),
    rejects=(
        r"no(?= *[,.:;!—–-]+ *\w| *[.!]* *$)(?: *[,.!:;—–-]* *(?:eh|espera|perdón|no|para|disculpa)\b)*",
        r"(?:creo que |me parece que |pero |espera,? |perdona,? |ahí |aquí )*(?:te|se|lo|la|has|estás|está|usted|tú) ?(?:equivocas|equivoca|equivocad[oa]|confundes|confunde|estás? (?:confundid[oa]|equivocad[oa]|confundiendo|mezclando)|has (?:confundido|entendido mal|equivocado|mezclado|malinterpretado)|entendiste mal|confundiste|equivocaste|estás equivocad[oa]|confundid[oa]|entendido mal|malinterpretado|mezclando)(?: ahí| aquí| en eso)?",
        r"(?:entendiste mal|malinterpretaste|confundiste)",
        r"(?:eso|esto|ello|así) (?:no es|es|está|no está|no) (?:\w+ )?(?:falso|incorrecto|mal|equivocado|un error|correcto|cierto|verdad|así|bien|lo que|erróneo|exacto|al revés|un malentendido)(?: pedí| dije| quise decir)?",
        r"no es (?:así|cierto|verdad|correcto|eso)",
        r"(?:falso|incorrecto|no exactamente|no del todo|al contrario|al revés|error|mal|te equivocas|suposición equivocada|está mal)(?= *[,.:;!—–-]| *$)",
        r"(?:no,? )?(?:en realidad|de hecho),? (?=(?:el|la|los|las|se|es|eso|esto|esa|ese|esta|este|nuestro|nuestra|no|cada|solo|todo)\b)",
    ),
    faults=(
        r"como (?:tú )?(?:dices|dijiste|supones|supusiste|escribes|escribiste|asumes|asumiste|crees|pensabas|has dicho|has supuesto)",
        r"(?:estás|está|has|ha) (?:\w+ )?(?:asumiendo|suponiendo|confundiendo|mezclando|supuesto|asumido|confundido|olvidado|tratando|pensando) ?… ?",
        r"(?:asumiste|supusiste|asumes|supones|confundes|crees|pensaste|confundiste) … ?(?:que|con|como)",
        r"(?:dije|me refería|quise decir|quería decir|hablaba) … ?no",
    ),
    contrasts=(
        r"no (?P<wrong>(?!solo|sólo|sé|estoy|está claro|sabemos)[^.!?;,\n]{2,80}?),? sino (?:que )?(?P<right>[^.!?;\n]{2,80})",
        r"no (?P<wrong>(?:es|son|está|mide|cuenta|viene|se|corre|va|usa|usamos) [^.!?;,\n]{2,80}?)[,;] (?:es|son|está|mide|cuenta|viene|se|solo|corre|va|usa|usamos)(?P<right> [^.!?;\n]{2,80})",
        r"(?:es|son|en|de|a|por|para|con|mide|cuenta|viene|está|usa|usamos|solo) (?P<right>[^.!?;,\n]{2,80}?),? (?:y )?no (?P<wrong>(?!solo|sólo|sé|es|se|está|hay)[^.!?;,\n]{2,80})",
        r"(?:en lugar de|en vez de) (?P<wrong>[^.!?;,\n]{2,80})",
    ),
    asserts=(
        r"(?:es|son|era|está|están|hay|tiene|tienen|mide|cuenta|corre|viene|usa|usan|usamos|contiene|contienen|funciona|va|van|debe|deben|puede|escribe|lee|guarda|guardamos|devuelve|queda|pasa|depende|empieza|sirve|ejecuta|se|significa|incluye|excluye|pertenece|corresponde|apunta|llama|envía|nunca|siempre|solo|sólo|ya)",
    ),
    openers=(
        r"(?:ok|vale|eh|ah|oh|bueno|pues|a ver|mmm+|hm+|sí|entonces|y|pero|así que|espera|perdona|perdón|disculpa|hola|por cierto|para que sepas|ojo|nota|recuerda(?: que)?|ten en cuenta que|para contexto|contexto|gracias|creo que|pienso que|como dije|oye|mira|la cosa es que|de hecho|en realidad|cuidado)(?= *[,.:;!—–-]| )[ ,.:;!—–-]*",
    ),
    leads=(
        r"(?:esto|eso|el sistema|todo) funciona así ?[:,] ?",
        r"así (?:es como )?funciona ?[:,] ?",
        r"(?:la idea|el principio) es que ",
        r"la (?:forma|manera) en que (?:esto |eso )?funciona(?: esto| eso)? es(?: que)?[:,]? ?",
    ),
    reasons=(r"porque", r"ya que", r"puesto que", r"debido a", r"dado que", r"pues", r"por culpa de"),
    requests=(
        r"(?:puedes|podrías|puede|podría|por favor|me puedes|quiero|quisiera|necesito|me gustaría|necesitamos|queremos)",
        r"(?:añade|agrega|agregue|corrige|corrija|ejecuta|crea|haz|borra|elimina|modifica|cambia|revisa|verifica|muestra|muéstrame|explica|explícame|escribe|mira|prueba|renombra|mueve|pon|abre|lee|busca|instala|despliega|usa|utiliza|continúa|sigue|para|haz commit|sube|relanza|genera|formatea|limpia|reemplaza|compara|resume|dame|dime|quita|implementa|actualiza|arregla|comprueba|lanza|compila|vuelve|reinicia|deja|guarda|traduce)(?= |[,.!:]|$)",
    ),
    asks=(r"(?:puedes|podrías|por favor|dime|explícame|muéstrame|debería yo|quiero que)",),
    unreal=(
        r"(?:supongamos|imaginemos|imagina que|por ejemplo,? si|digamos que|y si|sería|podría ser|habría|hubiera|hubiéramos)",
        r"(?:el texto|el título|la frase|el botón|el mensaje|la palabra|el comentario|la etiqueta) … ?[\"«“]",
        r"(?:escribe|añade|agrega|pon|traduce|inserta) (?:\w+ ){0,5}[\"«“]",
    ),
    courtesies=(
        r"(?:sí|si|no|ok|vale|de acuerdo|gracias|muchas gracias|perfecto|genial|muy bien|bien|excelente|hola|buenos días|buenas tardes|buenas noches|buenas|adiós|hasta mañana|hasta luego|adelante|dale|hazlo|continúa|sigue|exacto|correcto|entendido|claro|listo|aprobado|me parece bien|se ve bien|todo bien|de nada|no hay problema|qué tal|cómo va|estupendo|buen trabajo|está bien|suena bien|por supuesto|hecho|buen fin de semana)"
        r"(?:[ ,.!]+(?:sí|ok|gracias|muchas|perfecto|bien|adelante|continúa|sigue|dale|hazlo|así|por|la|tu|el|ayuda|todo|entonces|pues|con|eso|puedes|continuar|me|parece|trabajo|aprobado|mergéalo|súbelo)){0,5}[ ,.!?:)]*",
    ),
    routine=(
        r"(?:(?:ok|vale|ahora|luego|y|también|por favor|gracias|sí|puedes|podrías|perfecto|bien|después|entonces|quiero que)[ ,.!]*){0,4}"
        r"(?:ejecuta|corre|haz|sube|despliega|compila|instala|formatea|prueba|corrige|arregla|continúa|abre|cierra|muestra|lista|lee|revisa|mira|añade|agrega|borra|elimina|crea|renombra|escribe|pon|inicia|para|reinicia|resume|explica|limpia|genera|guarda|copia|mueve|actualiza|lanza|quita|\w+[aei]r)(?:me|lo|la|los|las)?\b",
    ),
    conditions=(
        r"(?:pero )?(?:solo|sólo|solamente|únicamente) (?:en|para|cuando|si|con|durante|bajo|después|antes|entre|mientras|a|desde|hasta|fuera|al|los|las|por|dentro|de|sobre) ?[^,.!?;:\n()—]{2,80}",
        r"(?:excepto|salvo|a menos que|siempre y cuando|mientras|con la condición|a excepción|fuera de|en caso de|hasta que|hasta|menos en) [^,.!?;:\n()—]{2,80}",
        r"(?:cuando|si|en cuanto|siempre que|cada vez que|durante) [^,.!?;:\n()—]{3,80}",
        r"(?:en|para|con|bajo|sobre|a|al|dentro de|detrás de) (?:el |la |los |las |un |una |nuestro |nuestra |todos los )?(?:[\w/-]+ ){0,2}(?:staging|preproducción|producción|prod|pruebas|desarrollo|dev|ci|entorno|rama|clientes?|carga|región|windows|linux|macos|ios|android|móvil|safari|firefox|chrome|local|propiedad|cuenta|cuentas|versión|fin de semana|servidor|clúster|cluster|modo|campañas?|mercado|plan|plataforma|beta|piloto|fase|sede|almacén|planta|tienda|tiendas|usuarios|socios|inquilinos?|instancias?|propiedad v\d)(?!\w)",
        r"(?:desde|a partir de|antes de|después de) (?:la )?(?:versión |python |node |java |postgres |v)\d[\w.]*",
        r"(?:por encima de|por debajo de|más de|menos de|al menos|como máximo|a partir de) \d[\d.,]* ?[\w%]+",
        r"(?:^|(?<=[,;:.] ))(?:para|en|con|bajo|desde|dentro de|a partir de) (?!general|realidad|fin|un |una |\w+[aei]r |eso|cada|lo |cuanto|resumen|promedio)[^,.!?;:\n()—]{2,80}",
        r"(?:para|en|con) (?:este|esta|estos|estas|el (?:contrato|nuevo|viejo)|los (?:nuevos|viejos|contratos|clientes)) ?[^,.!?;:\n()—]{2,60}",
        r"los (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos|fines de semana)(?!\w)",
    ),
    bare=(
        r"(?:esto|eso|aquello|ello)(?= |$|,|\.)",
        r"(?:este|ese|esta|esa|estos|esos|estas|esas)(?= (?:es|son|no|está|están|era|fue|ha|han|se|tiene|debe|puede|va|solo|siempre|nunca|también)(?!\w)| *[,.:;!?]| *$)",
        r"(?:él|ella|ellos|ellas)(?= |$|,)",
        r"(?:lo anterior|lo de arriba|lo mismo|el anterior|la anterior|dicho)(?= |$|,)",
        r"(?:es|son|está|están|era|fue)(?= (?:el|la|los|las|un|una|porque|por|de|en|solo|mal|bien)\b)",
    ),
    steps=(
        r"(?:primero|en primer lugar|para empezar|lo primero)",
        r"(?:luego|después|a continuación|segundo,|tercero,|entonces|una vez|tras eso|y solo entonces)",
        r"(?:por último|finalmente|al final|para terminar)",
        r"->|→|=>",
    ),
    habits=(
        r"(?:proceso|procedimiento|siempre|normalmente|habitualmente|cada|pasos|orden|en general|flujo|rutina|generalmente|secuencia)",
        r"(?:para|antes de|cuando|al) (?:un |una |el |la |los )?(?:\w+ )?(?:publicar|desplegar|lanzar|migrar|sacar|liberar|release|versión|corregir|añadir|agregar|crear|importar|restaurar|facturar|\w+[aei]r|\w+ción|\w+amos)",
        r"(?:se \w+|hay que|\w+amos|\w+emos)",
    ),
    rejected_content=(
        r"(?:gracias|está (?:bien|perfecto)|no (?:hace falta|es necesario|hay problema|te preocupes|importa)|déjalo|todavía no|ahora no|más tarde|luego|sigue|continúa|así está bien|nada más|eso es todo|todo bien|vale)",
    ),
    blocks={
        "open_question": (r"(?:qué|cómo|por qué) (?:quieres|hiciste|has|quisiste)",),
        "decision": (
            r"(?:aún no|todavía no|nunca|si|cuándo|cuando|antes de que|hasta que|hemos decidido ya|no hemos|no se ha) (?:\w+ ){0,3}(?:decidi\w*|elegi\w*|acorda\w*|decidamos)",
        ),
        "finding": (
            r"(?:pon|sube|baja|reduce|aumenta|cambia|necesit\w+|quiero|debería\w*|debe|deben|objetivo|sería|podría|calculo|estimo|por favor)",
        ),
        "pattern": (r"(?:por favor|avísame|cada vez que (?:quieras|puedas)|acuérdate|recuerda)",),
        "workflow": (r"(?:por favor|puedes|podrías|quiero que|esta vez)",),
    },
)
