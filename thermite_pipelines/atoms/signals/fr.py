"""French phrases."""

from thermite_pipelines.atoms.signals.fr_types import BLOCKS, FIGURES, SIGNALS
from thermite_pipelines.atoms.signals.language import Language, phrases, words_of

# fmt: off
FRENCH = Language(
    code="fr",
    spaced=True,
    words=words_of("""
        afin ai ainsi alors après as au aucun aucune aujourd'hui aussi autre aux avaient avait avant avec avez avoir
        avons bien c'est car ce cela celle celui ces cet cette chaque comme comment d'abord dans de demain des deux
        donc dont du elle elles en encore ensuite est et eu faire fait faut fois hier il ils j'ai jamais je jour
        jours jusqu'à la le les leur leurs lorsque lui ma mais me merci mes moi moins mois mon même n'est ne non nos
        notre nous on ont ou oui où par parce pas pendant peu peut peux plus plutôt pour pourquoi pouvez puis qu'il
        que quel quelle quelles quels qui quoi s'il sa sans se semaine sera ses seulement si sinon sommes son sont
        sous sur ta te tes toi ton toujours tous tout toute toutes trop très tu un une uniquement va vers voici
        voilà vos votre vous y à été être
    """),
    signals=SIGNALS,
    blocks=BLOCKS,
    figures=FIGURES,
    past=phrases(r"""
        (?:était|étaient|avait|a été|ont été|avaient|(?:a|ont|est|sont) \w+[éiu](?:e|s|es)?)
    """),
    rejects=phrases(r"""
        non(?= *[,.:;!—–-]+ *\w| +(?:ce|c'est|le|la|les|tu|vous|il|on|en)\b| *[.!]* *$)(?: *[,.!:;—–-]* *(?:euh
        |attends?|attendez|pardon|désolé|non|stop)\b)*
        (?:je crois que |je pense que |mais |attends,? |là,? |désolé,? |ah,? |en fait,? )*(?:tu|vous) (?:te |t'
        |vous |as |avez |es |êtes |fais |faites |confonds|confondez)+ ?(?:trompes?|trompez|es trompée?|confonds
        |confondez|confondu|mal compris|erreur|fausse route|dans l'erreur|mélangé|mélangez|mélanges|tort|inversé
        |mal lu|embrouillée?)?(?= *[,.:;!—–-]| *$| (?:ici|là|sur|de|dans|entre)\b)
        (?:c'est|cela est|ceci est|ce n'est|c'était) (?:\w+ )?(?:faux|pas (?:ça|vrai|exact|correct|juste|du tout ça
        |comme ça|le cas|tout à fait ça|bon)|incorrect|inexact|une erreur|un malentendu|l'inverse|le contraire
        |erroné|mal compris)(?: du tout)?
        (?:faux|inexact|pas exactement|pas tout à fait|erreur|au contraire|pas vraiment|c'est l'inverse
        |mauvaise hypothèse|pas du tout)(?= *[,.:;!—–-]| *$)
        (?:non,? )?(?:en fait|en réalité),?(?= (?:le|la|les|l'|ce|c'est|il|elle|on|nous|notre|cette|ces|ça|tout
        |chaque)\b)
    """),
    faults=phrases(r"""
        comme (?:tu|vous) (?:l'as|l'avez|le|l'|dis|dites|supposes|as|avez)(?: dit| dis| supposé| écrit| écris| pensé
        | dites| écrivez)?
        (?:tu|vous) (?:as |avez |confonds|confondez|supposes|supposez|pars|partez|mélanges|mélangez|crois|croyez
        |penses|pensez|traites|traitez|pensais) ?… ?(?:supposé|confondu|oublié|avec|et|que|qu|du principe|mauvaise?
        |comme si|mélangé|comme|inversé)
        (?:je parlais|je voulais dire|j'ai dit|je disais|je parle) … ?pas
    """),
    contrasts=phrases(r"""
        (?:n'est|ne sont|n'était|ne|n'a|n'\w+) … ?pas (?P<wrong>(?!seulement|encore|sûr
        |que)[^.!?;,\n]{2,80}?),? (?:mais|c'est|il|elle|ils)(?P<right> [^.!?;\n]{2,80})
        pas (?P<wrong>(?!seulement|encore|sûr|que)[^.!?;,\n]{2,60}?),? mais (?P<right>[^.!?;\n]{2,80})
        (?:est|sont|dans|sur|de|à|en|vient|pour|par|avec|compte|mesure
        |c'est) (?P<right>[^.!?;,\n]{2,80}?),? (?:et )?(?:non |non pas |pas )(?P<wrong>(?!seulement|encore|sûr
        |que)[^.!?;,\n]{2,80})
        (?:au lieu d|plutôt qu|à la place d)(?:e |u |es |')(?P<wrong>[^.!?;,\n]{2,80})
    """),
    rejected_content=phrases(r"""
        (?:merci|c'est (?:bon|parfait|bien|ok|tout)|ça va|ça ira|pas (?:besoin|maintenant|encore|la peine
        |de problème|de souci)|laisse|plus tard|continue|rien d'autre|tout va bien|on verra|vas-y)
    """),
    asserts=phrases(r"""
        (?:est|sont|était|a|ont|c'est|compte|comptent|mesure|tourne|vient|utilise|utilisent|contient|contiennent
        |fonctionne|va|vont|doit|doivent|peut|écrit|lit|stocke|renvoie|reste|passe|dépend|commence|sert|servent
        |s'exécute|n'est|n'a|ne|faut|désigne|correspond|appartient|concerne|inclut|exclut|se trouve|envoie|appelle
        |arrive|gère|jamais|toujours|seulement|uniquement)
    """),
    openers=phrases(r"""
        (?:ok|okay|euh|ah|oh|bon|ben|bah|hum|hmm+|oui|donc|et|mais|alors|attends|attendez|désolée?|pardon|bonjour
        |salut|au fait|pour info|à noter|note|rappel|pour rappel|attention|merci|en fait|je pense que|je crois que
        |tu sais|comme je disais|du coup|pour le contexte|pour contexte|contexte|écoute)(?= *[,.:;!—–-]
        | )[ ,.:;!—–-]*
    """),
    leads=phrases(r"""
        (?:voici|voilà) comment (?:ça|cela|tout) (?:marche|fonctionne)(?: ici| chez nous)? ?[:,] ?
        (?:ça|cela) (?:marche|fonctionne) (?:comme ça|ainsi|de la façon suivante) ?[:,] ?
        (?:l'idée|le principe) (?:est|c'est) (?:que |qu')
    """),
    reasons=phrases(r"""
        parce que
        parce qu'
        car
        puisque
        puisqu'
        à cause d
        vu que
        étant donné
    """),
    requests=phrases(r"""
        (?:propose|prends|donne|choisis|arrête|envoie|montre|fais|dis)(?=[- ]\w)
        (?:peux-tu|pouvez-vous|tu peux|vous pouvez|pourrais-tu|pourriez-vous|tu pourrais|s'il te plaît
        |s'il vous plaît|stp|svp|merci de|je veux|je voudrais|j'aimerais|il faut que tu|on a besoin d|j'ai besoin d
        |veuillez)
        (?:ajoute|ajoutez|corrige|corrigez|lance|lancez|crée|créez|fais|faites|supprime|supprimez|modifie|modifiez
        |vérifie|vérifiez|montre|montrez|explique|expliquez|écris|écrivez|regarde|regardez|teste|testez|renomme
        |déplace|mets|mettez|ouvre|lis|lisez|cherche|installe|déploie|déployez|utilise|utilisez|continue|continuez
        |arrête|commit|pousse|push|relance|génère|formate|nettoie|refais|remplace|compare|résume|donne|donnez|dis
        |dites|enlève|retire|implémente|remets)(?:-moi|-nous|-le|-la)?(?= |[,.!:]|$)
    """),
    asks=phrases(r"""
        (?:peux-tu|pouvez-vous|tu peux|pourrais-tu|pourriez-vous|tu pourrais|s'il te plaît|s'il vous plaît|stp|svp
        |dis-moi|explique-moi|montre-moi|dois-je|est-ce que)
    """),
    unreal=phrases(r"""
        (?:mon erreur|au temps pour moi|autant pour moi|je me suis trompée?|tu avais raison|tu as raison)
        s'il s'avérait|si jamais
        (?:supposons|imaginons|imagine qu|par exemple si|admettons|et si on|aurait|auraient|serait|pourrait être)
        (?:le texte|le titre|la phrase|le bouton|le message|le mot|le commentaire|le libellé) … ?[\"«“]
        (?:écris|ajoute|mets|traduis|insère) (?:\w+ ){0,5}[\"«“]
    """),
    courtesies=phrases(r"""
        (?:oui|non|ok|okay|d'accord|merci|merci beaucoup|parfait|super|très bien|bien|génial|nickel|bonjour|salut
        |bonsoir|au revoir|à demain|ça marche|c'est bon|c'est parfait|vas-y|allez-y|continue|continuez|exact
        |exactement|entendu|compris|bravo|top|impeccable|validé|approuvé|je valide|bonne journée|bon week-end
        |de rien|pas de problème|pas de souci|ça va|ça me va|allez|on y va|c'est noté|bien joué|excellent|fais-le
        |fait)(?:[ ,.!]+(?:oui|ok|merci|beaucoup|parfait|super|bien|vas-y|continue|c'est bon|pour|ton|votre|aide
        |l'aide|ça|va|marche|alors|donc|comme ça|tu peux continuer|à toi|moi|on|continue|y|va|bon|travail
        |ça marche)){0,5}[ ,.!?:)]*
    """),
    routine=phrases(r"""
        (?:(?:ok|maintenant|puis|et|aussi|bon|merci|oui|peux-tu|pouvez-vous|tu peux|pourrais-tu|s'il te plaît|stp
        |svp|parfait|super|ensuite|alors|je veux que tu|je voudrais que tu)[ ,.!]*){0,4}(?:lance|relance|exécute
        |commit|commite|pousse|push|merge|fusionne|déploie|construis|compile|installe|formate|teste|corrige|continue
        |ouvre|ferme|montre|liste|lis|vérifie|regarde|ajoute|supprime|crée|renomme|écris|fais|mets|démarre|arrête
        |redémarre|résume|explique|nettoie|génère|enregistre|copie|déplacer?|\w+er)(?:z|-moi|-le)?\b
    """),
    conditions=phrases(r"""
        (?:mais )?(?:seulement|uniquement|juste|exclusivement) (?:sur|en|dans|pour|quand|lorsque|lorsqu'|si|avec
        |pendant|sous|après|avant|entre|tant que|à partir|chez|aux?|depuis|jusqu'|hors|via) ?[^,.!?;:\n()—]{2,80}
        (?:sauf|à moins|tant que|tant qu'|hormis|pourvu que|à condition|en dehors|excepté|à l'exception|en cas de
        |jusqu'à|jusqu'au|quel que soit) ?[^,.!?;:\n()—]{2,80}
        (?:quand|lorsque|si|dès que|pendant que|pendant|après que) [^,.!?;:\n()—]{3,80}
        (?:lorsqu'|dès qu'|s'il|s'ils)[^,.!?;:\n()—]{3,80}
        (?:en|sur|dans|pour|avec|sous|chez|à|au|aux|contre|derrière) (?:le |la |les |l'
        |un |une |notre |nos |tous les )?(?:[\w/-]+ ){0,2}(?:staging|préprod|préproduction|production|prod|dev
        |développement|recette|ci|test|environnement|branche|clients?|charge|région|windows|linux|macos|ios|android
        |mobile|safari|firefox|chrome|local|propriété|compte|comptes|version|week-end|serveur|cluster|mode
        |campagnes?|marché|locataires?|offre|forfait|bêta|beta|pilote|phase|site|agences?|entrepôt|usine|labo
        |utilisateurs|abonnés|plateforme|instance|instances|propriété v\d)(?!\w)
        (?:depuis|à partir de|avant|après|sous) (?:la )?(?:version |python |node |java |postgres |v)\d[\w.]*
        (?:au-dessus de|au-delà de|en dessous de|plus de|moins de|au moins|au plus|à partir de) \d[\d.,]* ?[\w%]+
        (?:^|(?<=[,;:.] ))(?:pour|sur|en|dans|chez|avec|sous|depuis|à) (?!fait|gros|général|effet|moyenne|ce qui
        |réalité|l'instant|le moment|un |une |\w+er |savoir|chaque|plus)[^,.!?;:\n()—]{2,80}
        (?:pour|sur|dans|en|chez|avec) (?:ce|cette|ces|la copie|les (?:anciens?|anciennes?|nouveaux|nouvelles
        |contrats?|comptes?)) ?[^,.!?;:\n()—]{2,60}
        (?:le|les) (?:lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|week-ends?)(?!\w)
    """),
    bare=phrases(r"""
        (?:ça|ceci|cela|ce)(?= (?:est|sont|n'|ne|a|était|sera|serait|peut|doit|va|vient|veut|fait|marche|fonctionne
        |dépend|arrive|casse|signifie|sert|compte|mesure|échoue|prend|reste|provoque|utilise|plante|se|s')(?!\w)|n'
        | *[,.:;!?]| *$)
        (?:c'est|c'était|ce n'est|ce ne|ce sont|celui-ci|celle-ci|ceux-ci|celles-ci|celui-là|celle-là|lequel
        |laquelle)(?!\w)
        (?:il|elle|ils|elles)(?= )(?! (?:faut|y a|existe|reste à|n'est pas (?:encore )?(?:clair|certain|décidé|sûr)
        |est (?:encore |toujours )?(?:incertain|flou|nécessaire|possible|important|impossible|interdit|préférable)))
        (?:ci-dessus|le précédent|ce dernier|cette dernière|idem|pareil)(?= |$|,)
    """),
    steps=phrases(r"""
        (?:d'abord|en premier|premièrement|pour commencer|commence par|on commence par|tout d'abord)
        (?:ensuite|puis|après ça|après quoi|après cela|deuxièmement|troisièmement|une fois|et après)
        (?:enfin|pour finir|finalement|en dernier|à la fin)
        ->|→|=>
    """),
    habits=phrases(r"""
        avant (?:la|le|l'|chaque|toute)
        (?:processus|procédure|toujours|normalement|habituellement|d'habitude|chaque|étapes|ordre|en général
        |workflow|déroulement|démarche|marche à suivre|généralement)
        (?:pour|avant d|quand on|lors d) ?(?:e |un |une |le |la |'|l'|'une |'un )?(?:\w+ )?(?:livr\w*|déploy\w*
        |publi\w*|migr\w*|release|version|sortir|corrig\w*|ajout\w*|crée\w*|lanc\w*|intégr\w*|import\w*|mettre
        |restaur\w*|factur\w*|\w+er|\w+ir|\w+tion)
        (?:on|nous|il faut)
    """),
)
# fmt: on
