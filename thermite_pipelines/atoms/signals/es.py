"""Spanish phrases."""

from thermite_pipelines.atoms.signals.es_types import BLOCKS, FIGURES, SIGNALS
from thermite_pipelines.atoms.signals.language import Language, phrases, words_of

# fmt: off
SPANISH = Language(
    code="es",
    spaced=True,
    words=words_of("""
        a ahora al algo alguna algún antes aquí así aunque ayer año aún bien cada casi como con cosa cuando cuanto
        cuál cuándo cómo de del desde después donde dos durante día días dónde e el ella ellas ellos en entonces
        entre era eran eres es esa esas ese eso esos esta estamos estar este esto estos está están favor fue fueron
        gracias ha había hace hacer hacia han has hasta hay he hemos hoy la las le les lo los luego mañana me mes mi
        mis mismo mucho muy más nada ni no nos nosotros nuestra nuestro nunca o otra otro para pero poco por porque
        primero puede puedes pues que quién qué se sea según semana ser si siempre sin sino sobre solo son su sus sí
        sólo también tan tanto te tenemos tengo tiene tienen todavía todo todos tu tus un una uno unos usted ustedes
        va vamos vez y ya yo él
    """),
    signals=SIGNALS,
    blocks=BLOCKS,
    figures=FIGURES,
    past=phrases(r"""
        (?:\w+ó|\w+aron|\w+ieron|fue|fueron|había|era|eran|\w+amos|\w+imos|\w+aban)
    """),
    rejects=phrases(r"""
        no(?= *[,.:;!—–-]+ *\w| *[.!]* *$)(?: *[,.!:;—–-]* *(?:eh|espera|perdón|no|para|disculpa)\b)*
        (?:creo que |me parece que |pero |espera,? |perdona,? |ahí |aquí )*(?:te|se|lo|la|has|estás|está|usted
        |tú) ?(?:equivocas|equivoca|equivocad[oa]|confundes|confunde|estás? (?:confundid[oa]|equivocad[oa]
        |confundiendo|mezclando)|has (?:confundido|entendido mal|equivocado|mezclado|malinterpretado)|entendiste mal
        |confundiste|equivocaste|estás equivocad[oa]|confundid[oa]|entendido mal|malinterpretado|mezclando)(?: ahí
        | aquí| en eso)?
        (?:entendiste mal|malinterpretaste|confundiste)
        (?:eso|esto|ello|así) (?:no es|es|está|no está|no) (?:\w+ )?(?:falso|incorrecto|mal|equivocado|un error
        |correcto|cierto|verdad|así|bien|lo que|erróneo|exacto|al revés|un malentendido)(?: pedí| dije
        | quise decir)?
        no es (?:así|cierto|verdad|correcto|eso)
        (?:falso|incorrecto|no exactamente|no del todo|al contrario|al revés|error|mal|te equivocas
        |suposición equivocada|está mal)(?= *[,.:;!—–-]| *$)
        (?:no,? )?(?:en realidad|de hecho),?(?= (?:el|la|los|las|se|es|eso|esto|esa|ese|esta|este|nuestro|nuestra|no
        |cada|solo|todo)\b)
    """),
    faults=phrases(r"""
        como (?:tú )?(?:dices|dijiste|supones|supusiste|escribes|escribiste|asumes|asumiste|crees|pensabas|has dicho
        |has supuesto)
        (?:estás|está|has|ha) (?:\w+ )?(?:asumiendo|suponiendo|confundiendo|mezclando|supuesto|asumido|confundido
        |olvidado|tratando|pensando) ?… ?
        (?:asumiste|supusiste|asumes|supones|confundes|crees|pensaste|confundiste) … ?(?:que|con|como)
        (?:dije|me refería|quise decir|quería decir|hablaba) … ?no
    """),
    contrasts=phrases(r"""
        no (?P<wrong>(?!solo|sólo|sé|estoy|está claro
        |sabemos)[^.!?;,\n]{2,80}?),? sino (?:que )?(?P<right>[^.!?;\n]{2,80})
        no (?P<wrong>(?:es|son|está|mide|cuenta|viene|se|corre|va|usa|usamos) [^.!?;,\n]{2,80}?)[,;] (?:es|son|está
        |mide|cuenta|viene|se|solo|corre|va|usa|usamos)(?P<right> [^.!?;\n]{2,80})
        (?:es|son|en|de|a|por|para|con|mide|cuenta|viene|está|usa|usamos
        |solo) (?P<right>[^.!?;,\n]{2,80}?),? (?:y )?no (?P<wrong>(?!solo|sólo|sé|es|se|está|hay)[^.!?;,\n]{2,80})
        (?:en lugar de|en vez de) (?P<wrong>[^.!?;,\n]{2,80})
    """),
    rejected_content=phrases(r"""
        (?:gracias|está (?:bien|perfecto)|no (?:hace falta|es necesario|hay problema|te preocupes|importa)|déjalo
        |todavía no|ahora no|más tarde|luego|sigue|continúa|así está bien|nada más|eso es todo|todo bien|vale)
    """),
    asserts=phrases(r"""
        (?:es|son|era|está|están|hay|tiene|tienen|mide|cuenta|corre|viene|usa|usan|usamos|contiene|contienen
        |funciona|va|van|debe|deben|puede|escribe|lee|guarda|guardamos|devuelve|queda|pasa|depende|empieza|sirve
        |ejecuta|se|significa|incluye|excluye|pertenece|corresponde|apunta|llama|envía|nunca|siempre|solo|sólo|ya)
    """),
    openers=phrases(r"""
        (?:ok|vale|eh|ah|oh|bueno|pues|a ver|mmm+|hm+|sí|entonces|y|pero|así que|espera|perdona|perdón|disculpa|hola
        |por cierto|para que sepas|ojo|nota|recuerda(?: que)?|ten en cuenta que|para contexto|contexto|gracias
        |creo que|pienso que|como dije|oye|mira|la cosa es que|de hecho|en realidad|cuidado)(?= *[,.:;!—–-]
        | )[ ,.:;!—–-]*
    """),
    leads=phrases(r"""
        (?:esto|eso|el sistema|todo) funciona así ?[:,] ?
        así (?:es como )?funciona ?[:,] ?
        (?:la idea|el principio) es que
        la (?:forma|manera) en que (?:esto |eso )?funciona(?: esto| eso)? es(?: que)?[:,]? ?
    """),
    reasons=phrases(r"""
        porque
        ya que
        puesto que
        debido a
        dado que
        pues
        por culpa de
    """),
    requests=phrases(r"""
        (?:puedes|podrías|puede|podría|por favor|me puedes|quiero|quisiera|necesito|me gustaría|necesitamos
        |queremos)
        (?:añade|agrega|agregue|corrige|corrija|ejecuta|crea|haz|borra|elimina|modifica|cambia|revisa|verifica
        |muestra|muéstrame|explica|explícame|escribe|mira|prueba|renombra|mueve|pon|abre|lee|busca|instala|despliega
        |usa|utiliza|continúa|sigue|para(?= *[,.!]*$)|haz commit|dame|elige|toma|coge|escoge|propón|sube|relanza|genera
        |formatea|limpia|reemplaza|compara|resume
        |dame|dime|quita|implementa|actualiza|arregla|comprueba|lanza|compila|vuelve|reinicia|deja|guarda
        |traduce)(?= |[,.!:]|$)
    """),
    asks=phrases(r"""
        ¿
        (?<!\w)tú qué opinas
        (?:puedes|podrías|por favor|dime|explícame|muéstrame|debería yo|quiero que)
    """),
    unreal=phrases(r"""
        (?:error mío|culpa mía|me equivoqué|tenías razón|tienes razón|mi error)
        si (?:resultara|resultase|decidiéramos|hubiésemos)
        (?:supongamos|imaginemos|imagina que|por ejemplo,? si|digamos que|y si|sería|podría ser|habría|hubiera
        |hubiéramos)
        (?:el texto|el título|la frase|el botón|el mensaje|la palabra|el comentario|la etiqueta) … ?[\"«“]
        (?:escribe|añade|agrega|pon|traduce|inserta) (?:\w+ ){0,5}[\"«“]
    """),
    courtesies=phrases(r"""
        (?:sí|si|no|ok|vale|de acuerdo|gracias|muchas gracias|perfecto|genial|muy bien|bien|excelente|hola
        |buenos días|buenas tardes|buenas noches|buenas|adiós|hasta mañana|hasta luego|adelante|dale|hazlo|continúa
        |sigue|exacto|correcto|entendido|claro|listo|aprobado|me parece bien|se ve bien|todo bien|de nada
        |no hay problema|qué tal|cómo va|estupendo|buen trabajo|está bien|suena bien|por supuesto|hecho
        |buen fin de semana)(?:[ ,.!]+(?:sí|ok|gracias|muchas|perfecto|bien|adelante|continúa|sigue|dale|hazlo|así
        |por|la|tu|el|ayuda|todo|entonces|pues|con|eso|puedes|continuar|me|parece|trabajo|aprobado|mergéalo
        |súbelo)){0,5}[ ,.!?:)]*
    """),
    routine=phrases(r"""
        (?:(?:ok|vale|ahora|luego|y|también|por favor|gracias|sí|puedes|podrías|perfecto|bien|después|entonces
        |quiero que)[ ,.!]*){0,4}(?:ejecuta|corre|haz|sube|despliega|compila|instala|formatea|prueba|corrige|arregla
        |continúa|abre|cierra|muestra|lista|lee|revisa|mira|añade|agrega|borra|elimina|crea|renombra|escribe|pon
        |inicia|para|reinicia|resume|explica|limpia|genera|guarda|copia|mueve|actualiza|lanza|quita|\w+[aei]r)(?:me
        |lo|la|los|las)?\b
    """),
    conditions=phrases(r"""
        (?:pero )?(?:solo|sólo|solamente|únicamente) (?:en|para|cuando|si|con|durante|bajo|después|antes|entre
        |mientras|a|desde|hasta|fuera|al|los|las|por|dentro|de|sobre) ?[^,.!?;:\n()—]{2,80}
        (?:excepto|salvo|a menos que|siempre y cuando|mientras|con la condición|a excepción|fuera de|en caso de
        |hasta que|hasta|menos en) [^,.!?;:\n()—]{2,80}
        (?:cuando|si|en cuanto|siempre que|durante) [^,.!?;:\n()—]{3,80}
        (?:en|para|con|bajo|sobre|a|al|dentro de
        |detrás de) (?:el |la |los |las |un |una |nuestro |nuestra |todos los )?(?:[\w/-]+ ){0,2}(?:staging
        |preproducción|producción|prod|pruebas|desarrollo|dev|ci|entorno|rama|clientes?|carga|región|windows|linux
        |macos|ios|android|móvil|safari|firefox|chrome|local|propiedad|cuenta|cuentas|versión|fin de semana|servidor
        |clúster|cluster|modo|campañas?|mercado|plan|plataforma|beta|piloto|fase|sede|almacén|planta|tienda|tiendas
        |usuarios|socios|inquilinos?|instancias?|propiedad v\d)(?!\w)
        (?:desde|a partir de|antes de|después de) (?:la )?(?:versión |python |node |java |postgres |v)\d[\w.]*
        (?:por encima de|por debajo de|más de|menos de|al menos|como máximo|a partir de) \d[\d.,]* ?[\w%]+
        (?:^|(?<=[,;:.] ))(?:para|en|con|bajo|desde|dentro de|a partir de) (?!general|realidad|fin
        |un |una |\w+[aei]r |eso|cada|lo |cuanto|resumen|promedio)[^,.!?;:\n()—]{2,80}
        (?:para|en|con) (?:este|esta|estos|estas|el (?:contrato|nuevo|viejo)|los (?:nuevos|viejos|contratos
        |clientes)) ?[^,.!?;:\n()—]{2,60}
        los (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos|fines de semana)(?!\w)
    """),
    bare=phrases(r"""
        (?:esto|eso|aquello|ello)(?= |$|,|\.)
        (?:este|ese|esta|esa|estos|esos|estas|esas)(?= (?:es|son|no|está|están|era|fue|ha|han|se|tiene|debe|puede|va
        |solo|siempre|nunca|también)(?!\w)| *[,.:;!?]| *$)
        (?:él|ella|ellos|ellas)(?= |$|,)
        (?:lo anterior|lo de arriba|lo mismo|el anterior|la anterior|dicho)(?= |$|,)
        (?:es|son|está|están|era|fue)(?= (?:el|la|los|las|un|una|porque|por|de|en|solo|mal|bien)\b)
    """),
    steps=phrases(r"""
        (?:primero|en primer lugar|para empezar|lo primero)
        (?:luego|después|a continuación|segundo,|tercero,|entonces|una vez|tras eso|y solo entonces)
        (?:por último|finalmente|al final|para terminar)
        ->|→|=>
    """),
    habits=phrases(r"""
        (?:proceso|procedimiento|siempre|normalmente|habitualmente|cada|pasos|orden|en general|flujo|rutina
        |generalmente|secuencia)
        (?:para|antes de|cuando|al) (?:un |una |el |la |los )?(?:\w+ )?(?:publicar|desplegar|lanzar|migrar|sacar
        |liberar|release|versión|corregir|añadir|agregar|crear|importar|restaurar|facturar|\w+[aei]r|\w+ción
        |\w+amos)
        (?:se \w+|hay que|\w+amos|\w+emos)
    """),
)
# fmt: on
