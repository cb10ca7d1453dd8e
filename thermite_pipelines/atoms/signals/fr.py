"""French phrases."""

from thermite_pipelines.atoms.signals.language import Language, words_of

_NUMBER = r"[$€£]?\d[\d.,]*"
_SOURCES = r"(?:données|chiffres|mesures|logs?|journaux|métriques|résultats|benchmarks?|statistiques|stats|tableau de bord|profileur|profilage|sondage|tests?|expérience|analyse|graphique|courbes?|rapport)"

FRENCH = Language(
    code="fr",
    spaced=True,
    words=words_of(
        "à afin ai ainsi alors après as au aucun aucune aussi autre aux avant avec avez avoir avons bien c'est car ce cela "
        "celle celui ces cet cette chaque comme comment d'abord dans de des donc dont du elle elles en encore ensuite est et "
        "été être eu faire fait fois hier il ils j'ai je jamais jour jours jusqu'à la le les leur leurs lorsque lui ma mais "
        "me même mes moi mois moins mon n'est ne nos notre nous on ont ou où par parce pas pendant peu peut plus pour pourquoi "
        "puis qu'il que quel quelle quelles quels qui quoi s'il sa sans se sera ses si son sont sous sur ta te tes toi ton "
        "toujours tous tout toute toutes très trop tu un une va vers voici voilà vos votre vous y semaine aujourd'hui demain "
        "non oui merci deux faut peux pouvez avait avaient sommes seulement uniquement sinon plutôt"
    ),
    signals={
        "mental_model": (
            r"(?:voici|voilà) comment (?:ça|cela|le|la|les|l'|on|notre|tout) ?… ?(?:marche|fonctionne|fonctionnent|marchent|circule|s'articule)",
            r"(?:ça|cela|le système|l'ensemble|la chose) (?:marche|fonctionne) (?:comme|ainsi|de la façon suivante|de cette façon|en fait)",
            r"la (?:façon|manière) dont … ?(?:fonctionne|marche|fonctionnent|marchent)",
            r"(?:voyez|vois|pense|pensez|considère|considérez|imagine|imaginez|il faut voir|on peut voir|il faut penser|voir)(?:-le|-la|-les| à| ça| cela| le| la| les| l')? … ?comme (?:un|une|des|à)",
            r"il (?:y a|existe) (?:en fait |ici |chez nous |en réalité |donc )?(?:deux|trois|quatre|cinq|plusieurs|2|3|4) \w+",
            r"(?:se comporte|se comportent|fonctionne|fonctionnent|agit) (?:un peu |exactement |plutôt |en gros )?comme",
            r"(?:en gros|au fond|en substance|en interne|sous le capot|conceptuellement|par construction|par conception),",
            r"(?:n'est|ne sont|c'est|est|sont) (?:en fait |en gros |au fond |essentiellement |simplement |juste )?(?:qu'un|qu'une|rien d'autre qu)",
            r"(?:est|sont) (?:en gros|au fond|essentiellement|simplement|juste|en réalité|basiquement|en quelque sorte) (?:un|une|des|le|la)",
            r"(?:se compose|est composée?|se composent|sont composée?s?|est constituée?|consiste)(?: de| d'| en)?",
            r"(?:marche|fonctionne|se passe|fonctionnent) (?:comme ça|ainsi|comme suit|de la façon suivante)",
            r"(?:c'est|est) (?:fait exprès|voulu|exprès|volontaire)",
            r"la différence (?:entre … )?(?:est|c'est|réside|tient)",
            r"(?:est|sont) (?:seul |seule )?(?:responsables? d|chargée?s? d|dérivée?s? d|calculée?s? (?:à partir|depuis))(?:e|u|es|')?",
            r"(?:l'idée|le principe|le concept|le modèle)(?: derrière| ici| de base)? (?:est|c'est)",
            r"(?:la|notre) (?:seule |unique )?source de vérité",
        ),
        "finding": (
            rf"(?:les |nos |le |la |l'|d'après les |mes |ces )?{_SOURCES} … ?(?:montrent?|indiquent?|révèlent?|disent|confirment?|prouvent?|donnent?|ont montré|a montré|suggèrent?|ont révélé)",
            rf"(?:selon|d'après) (?:les |nos |le |la |l'|notre |mes )?{_SOURCES}",
            rf"(?:on a|nous avons|j'ai|nous avions|on avait|ils ont) (?:\w+ )?(?:mesuré|dépensé|payé|obtenu|compté|relevé|vendu|gagné|perdu|eu|constaté|observé|chronométré|reçu|traité) … ?{_NUMBER}",
            r"(?:on a|nous avons|j'ai) (?:mesuré|chronométré|benchmarké)",
            rf"{_NUMBER} (?:des |sur |sur les |requêtes sur |utilisateurs sur ){_NUMBER}",
            rf"hier,? (?:on|nous|j)",
        ),
        "decision": (
            r"(?:on a|nous avons|j'ai|l'équipe a|on avait|il a été|a été) (?:finalement |donc |tous |déjà |enfin |bien )?(?:décidé|choisi|convenu|opté|retenu|tranché|écarté|arrêté|préféré|abandonné)",
            r"(?:on|nous) (?:s'est|nous sommes|est) (?:\w+ )?(?:mis d'accord|décidés?|arrêtés? sur|fixés?)",
            r"(?:partons|allons|restons|on part|on reste|on va|gardons|on garde|utilisons|optons|on opte|on prend|prenons|on conserve|on utilise|on abandonne|on passe) … ?(?:sur|avec|pour|car|parce|plutôt que|au lieu|afin|puisque|à)(?= )",
            r"la raison (?:pour laquelle|de ce choix|du choix|est|c'est)",
            r"(?:la|notre|ma) décision (?:est|a été|finale|prise)",
            r"(?:désormais|dorénavant|à partir de maintenant),? (?:on|nous|tout|toutes?|tous|les|chaque|le|la)",
            r"(?:volontairement|délibérément|exprès)",
        ),
        "pattern": (
            r"(?:à )?chaque fois(?: que| qu')?",
            r"(?:ça|cela|ce qui|c'est) (?:veut toujours dire|signifie toujours|arrive toujours|toujours|se produit (?:toujours|chaque|à chaque))",
            r"(?:veut|signifie|arrive|échoue|casse|plante|finit|tombe|provoque|entraîne|augmente|revient|baisse|ralentit|grimpe|chute|est) (?:\w+ )?(?:toujours|systématiquement|invariablement|à chaque fois|presque toujours)",
            r"(?:toujours|systématiquement|invariablement|immanquablement) (?:le |la |un |une |du |à |après |quand|lorsque|parce)",
            r"(?:dès|chaque fois|toutes les fois) (?:que|qu')",
            r"(?:à|après|avant|lors de) chaque \w+",
            r"(?:tous les|chaque) (?:lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|mois|matins?|soirs?|nuits?)",
            r"(?:a|ont) tendance à",
            r"(?:neuf fois sur dix|sans exception|systématiquement|à tous les coups)",
            r"(?:quand|lorsque|lorsqu'|si) … toujours",
        ),
        "open_question": (
            r"(?:je ne suis|je suis|nous ne sommes|on n'est|je n'suis|on est)(?: pas)? (?:encore |toujours |vraiment |pas |trop |tout à fait )*(?:sûre?s?|certaine?s?|pas sûre?s?|pas certaine?s?) (?:\w+ )?(?:si|de|que|qu|du|s'il|comment|pourquoi)",
            r"(?:pas|pas encore|pas vraiment) (?:sûre?s?|certaine?s?) (?:si|que|de|du|qu|s'il|comment)",
            r"(?:je|on|nous|personne) (?:ne |n')?(?:sais|sait|savons|saurait) (?:pas |toujours pas |pas encore |encore pas |vraiment )*(?:si|comment|pourquoi|quels?|quelles?|quand|qui|où|ce qui|s'il|qu)",
            r"(?:il faut|il faudra|il faudrait|on doit|nous devons|reste à|il reste à|je dois|on devra|il nous faut) (?:encore |d'abord |aussi |bien )?(?:déterminer|comprendre|décider|trouver|savoir|clarifier|éclaircir|trancher|découvrir|voir si|vérifier si)",
            r"(?:pas|pas encore|n'est pas|n'a pas|n'avons pas|n'a pas encore|n'avons pas encore|n'est pas encore) (?:encore )?(?:clair|décidé|tranché|déterminé|défini|résolu|arrêté|fixé)",
            r"(?:question|point|questions|points) (?:encore |toujours |reste |restent )?(?:ouverte?s?|en suspens|non résolue?s?)",
            r"(?:on n'arrive|nous n'arrivons|je n'arrive|impossible|on ne parvient)(?: toujours)?(?: pas)? (?:à|de|d')(?: savoir| déterminer| dire| expliquer)?",
            r"n'(?:est|a|ont|sont) (?:toujours |encore )?pas (?:encore )?(?:été )?(?:tranchée?s?|décidée?s?|réglée?s?|clair|claire|fixée?s?|résolue?s?)",
            r"(?:je me demande|on se demande|nous nous demandons) (?:encore |toujours )?(?:si|comment|pourquoi|s'il|quel)",
            r"(?:reste|c'est|encore|toujours) (?:encore |toujours )?(?:flou|incertaine?|en suspens|indécis|inconnu|à déterminer|à trancher|à définir)",
            r"aucune idée (?:de |du |si|pourquoi|s'il)",
        ),
        "workflow": (
            r"(?:le|notre|la|l'ordre|notre procédure|la marche) (?:processus|procédure|workflow|déroulement|ordre|démarche|étapes|enchaînement|marche à suivre|séquence|circuit)(?: normale?| habituelle?| standard)?(?: est| pour| de| d'|:|,| c'est| consiste)",
            r"(?:les étapes (?:sont|pour)|étape 1\b)",
            r"(?:se passe|se déroule|se fait|marche|fonctionne) (?:comme ça|ainsi|comme suit|dans cet ordre|de la façon suivante)",
            r"dans (?:cet|l') ?ordre",
        ),
    },
    figures=(
        rf"(?:a pris|prenait|coûtait|a coûté|est passée?|sont passée?s|passe|est tombée?|a augmenté|a baissé|ont augmenté|ont baissé|a chuté|a grimpé|a atteint|ont échoué|a duré|durait|a consommé|a rapporté|a généré|a converti|était|étaient|a dépassé|tourne|plafonne|ont converti) … ?{_NUMBER}",
        rf"(?:hier|la semaine dernière|le mois dernier|ce matin|cette nuit|le trimestre dernier) … ?{_NUMBER}",
        rf"(?:passée?s?|passe) de {_NUMBER}",
    ),
    rejects=(
        r"non(?= *[,.:;!—–-]+ *\w| +(?:ce|c'est|le|la|les|tu|vous|il|on|en)\b| *[.!]* *$)(?: *[,.!:;—–-]* *(?:euh|attends?|attendez|pardon|désolé|non|stop)\b)*",
        r"(?:je crois que |je pense que |mais |attends,? |là,? |désolé,? |ah,? |en fait,? )*(?:tu|vous) (?:te |t'|vous |as |avez |es |êtes |fais |faites |confonds|confondez)+ ?(?:trompes?|trompez|es trompée?|confonds|confondez|confondu|mal compris|erreur|fausse route|dans l'erreur|mélangé|mélangez|mélanges|tort|inversé|mal lu|embrouillée?)?(?= *[,.:;!—–-]| *$| (?:ici|là|sur|de|dans|entre)\b)",
        r"(?:c'est|cela est|ceci est|ce n'est|c'était) (?:\w+ )?(?:faux|pas (?:ça|vrai|exact|correct|juste|du tout ça|comme ça|le cas|tout à fait ça|bon)|incorrect|inexact|une erreur|un malentendu|l'inverse|le contraire|erroné|mal compris)(?: du tout)?",
        r"(?:faux|inexact|pas exactement|pas tout à fait|erreur|au contraire|pas vraiment|c'est l'inverse|mauvaise hypothèse|pas du tout)(?= *[,.:;!—–-]| *$)",
        r"(?:non,? )?(?:en fait|en réalité),? (?=(?:le|la|les|l'|ce|c'est|il|elle|on|nous|notre|cette|ces|ça|tout|chaque)\b)",
    ),
    faults=(
        r"comme (?:tu|vous) (?:l'as|l'avez|le|l'|dis|dites|supposes|as|avez)(?: dit| dis| supposé| écrit| écris| pensé| dites| écrivez)?",
        r"(?:tu|vous) (?:as |avez |confonds|confondez|supposes|supposez|pars|partez|mélanges|mélangez|crois|croyez|penses|pensez|traites|traitez|pensais) ?… ?(?:supposé|confondu|oublié|avec|et|que|qu|du principe|mauvaise?|comme si|mélangé|comme|inversé)",
        r"(?:je parlais|je voulais dire|j'ai dit|je disais|je parle) … ?pas",
    ),
    contrasts=(
        r"(?:n'est|ne sont|n'était|ne|n'a|n'\w+) … ?pas (?P<wrong>(?!seulement|encore|sûr|que)[^.!?;,\n]{2,80}?),? (?:mais|c'est|il|elle|ils)(?P<right> [^.!?;\n]{2,80})",
        r"pas (?P<wrong>(?!seulement|encore|sûr|que)[^.!?;,\n]{2,60}?),? mais (?P<right>[^.!?;\n]{2,80})",
        r"(?:est|sont|dans|sur|de|à|en|vient|pour|par|avec|compte|mesure|c'est) (?P<right>[^.!?;,\n]{2,80}?),? (?:et )?(?:non |non pas |pas )(?P<wrong>(?!seulement|encore|sûr|que)[^.!?;,\n]{2,80})",
        r"(?:au lieu d|plutôt qu|à la place d)(?:e |u |es |')(?P<wrong>[^.!?;,\n]{2,80})",
    ),
    asserts=(
        r"(?:est|sont|était|a|ont|c'est|compte|comptent|mesure|tourne|vient|utilise|utilisent|contient|contiennent|fonctionne|va|vont|doit|doivent|peut|écrit|lit|stocke|renvoie|reste|passe|dépend|commence|sert|servent|s'exécute|n'est|n'a|ne|faut|désigne|correspond|appartient|concerne|inclut|exclut|se trouve|envoie|appelle|arrive|gère|jamais|toujours|seulement|uniquement)",
    ),
    openers=(
        r"(?:ok|okay|euh|ah|oh|bon|ben|bah|hum|hmm+|oui|donc|et|mais|alors|attends|attendez|désolée?|pardon|bonjour|salut|au fait|pour info|à noter|note|rappel|pour rappel|attention|merci|en fait|je pense que|je crois que|tu sais|comme je disais|du coup|pour le contexte|pour contexte|contexte|écoute)(?= *[,.:;!—–-]| )[ ,.:;!—–-]*",
    ),
    leads=(
        r"(?:voici|voilà) comment (?:ça|cela|tout) (?:marche|fonctionne)(?: ici| chez nous)? ?[:,] ?",
        r"(?:ça|cela) (?:marche|fonctionne) (?:comme ça|ainsi|de la façon suivante) ?[:,] ?",
        r"(?:l'idée|le principe) (?:est|c'est) (?:que |qu')",
    ),
    reasons=(r"parce que", r"parce qu'", r"car", r"puisque", r"puisqu'", r"à cause d", r"vu que", r"étant donné"),
    requests=(
        r"(?:peux-tu|pouvez-vous|tu peux|vous pouvez|pourrais-tu|pourriez-vous|tu pourrais|s'il te plaît|s'il vous plaît|stp|svp|merci de|je veux|je voudrais|j'aimerais|il faut que tu|on a besoin d|j'ai besoin d|veuillez)",
        r"(?:ajoute|ajoutez|corrige|corrigez|lance|lancez|crée|créez|fais|faites|supprime|supprimez|modifie|modifiez|vérifie|vérifiez|montre|montrez|explique|expliquez|écris|écrivez|regarde|regardez|teste|testez|renomme|déplace|mets|mettez|ouvre|lis|lisez|cherche|installe|déploie|déployez|utilise|utilisez|continue|continuez|arrête|commit|pousse|push|relance|génère|formate|nettoie|refais|remplace|compare|résume|donne|donnez|dis|dites|enlève|retire|implémente|remets)(?:-moi|-nous|-le|-la)?(?= |[,.!:]|$)",
    ),
    asks=(
        r"(?:peux-tu|pouvez-vous|tu peux|pourrais-tu|pourriez-vous|tu pourrais|s'il te plaît|s'il vous plaît|stp|svp|dis-moi|explique-moi|montre-moi|dois-je|est-ce que)",
    ),
    unreal=(
        r"(?:supposons|imaginons|imagine qu|par exemple si|admettons|et si on|aurait|auraient|serait|pourrait être)",
        r"(?:le texte|le titre|la phrase|le bouton|le message|le mot|le commentaire|le libellé) … ?[\"«“]",
        r"(?:écris|ajoute|mets|traduis|insère) (?:\w+ ){0,5}[\"«“]",
    ),
    courtesies=(
        r"(?:oui|non|ok|okay|d'accord|merci|merci beaucoup|parfait|super|très bien|bien|génial|nickel|bonjour|salut|bonsoir|au revoir|à demain|ça marche|c'est bon|c'est parfait|vas-y|allez-y|continue|continuez|exact|exactement|entendu|compris|bravo|top|impeccable|validé|approuvé|je valide|bonne journée|bon week-end|de rien|pas de problème|pas de souci|ça va|ça me va|allez|on y va|c'est noté|bien joué|excellent|fais-le|fait)"
        r"(?:[ ,.!]+(?:oui|ok|merci|beaucoup|parfait|super|bien|vas-y|continue|c'est bon|pour|ton|votre|aide|l'aide|ça|va|marche|alors|donc|comme ça|tu peux continuer|à toi|moi|on|continue|y|va|bon|travail|ça marche)){0,5}[ ,.!?:)]*",
    ),
    routine=(
        r"(?:(?:ok|maintenant|puis|et|aussi|bon|merci|oui|peux-tu|pouvez-vous|tu peux|pourrais-tu|s'il te plaît|stp|svp|parfait|super|ensuite|alors|je veux que tu|je voudrais que tu)[ ,.!]*){0,4}"
        r"(?:lance|relance|exécute|commit|commite|pousse|push|merge|fusionne|déploie|construis|compile|installe|formate|teste|corrige|continue|ouvre|ferme|montre|liste|lis|vérifie|regarde|ajoute|supprime|crée|renomme|écris|fais|mets|démarre|arrête|redémarre|résume|explique|nettoie|génère|enregistre|copie|déplacer?|\w+er)(?:z|-moi|-le)?\b",
    ),
    conditions=(
        r"(?:mais )?(?:seulement|uniquement|juste|exclusivement) (?:sur|en|dans|pour|quand|lorsque|lorsqu'|si|avec|pendant|sous|après|avant|entre|tant que|à partir|chez|aux?|depuis|jusqu'|hors|via) ?[^,.!?;:\n()—]{2,80}",
        r"(?:sauf|à moins|tant que|tant qu'|hormis|pourvu que|à condition|en dehors|excepté|à l'exception|en cas de|jusqu'à|jusqu'au|quel que soit) ?[^,.!?;:\n()—]{2,80}",
        r"(?:quand|lorsque|si|dès que|pendant que|chaque fois que|à chaque fois que|pendant|après que) [^,.!?;:\n()—]{3,80}",
        r"(?:lorsqu'|dès qu'|chaque fois qu'|s'il|s'ils)[^,.!?;:\n()—]{3,80}",
        r"(?:en|sur|dans|pour|avec|sous|chez|à|au|aux|contre|derrière) (?:le |la |les |l'|un |une |notre |nos |tous les )?(?:[\w/-]+ ){0,2}(?:staging|préprod|préproduction|production|prod|dev|développement|recette|ci|test|environnement|branche|clients?|charge|région|windows|linux|macos|ios|android|mobile|safari|firefox|chrome|local|propriété|compte|comptes|version|week-end|serveur|cluster|mode|campagnes?|marché|locataires?|offre|forfait|bêta|beta|pilote|phase|site|agences?|entrepôt|usine|labo|utilisateurs|abonnés|plateforme|instance|instances|propriété v\d)(?!\w)",
        r"(?:depuis|à partir de|avant|après|sous) (?:la )?(?:version |python |node |java |postgres |v)\d[\w.]*",
        r"(?:au-dessus de|au-delà de|en dessous de|plus de|moins de|au moins|au plus|à partir de) \d[\d.,]* ?[\w%]+",
        r"(?:^|(?<=[,;:.] ))(?:pour|sur|en|dans|chez|avec|sous|depuis|à) (?!fait|gros|général|effet|moyenne|ce qui|réalité|l'instant|le moment|un |une |\w+er |savoir|chaque|plus)[^,.!?;:\n()—]{2,80}",
        r"(?:pour|sur|dans|en|chez|avec) (?:ce|cette|ces|la copie|les (?:anciens?|anciennes?|nouveaux|nouvelles|contrats?|comptes?)) ?[^,.!?;:\n()—]{2,60}",
        r"(?:le|les) (?:lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|week-ends?)(?!\w)",
    ),
    bare=(
        r"(?:ça|ceci|cela|ce)(?= (?:est|sont|n'|ne|a|était|sera|serait|peut|doit|va|vient|veut|fait|marche|fonctionne|dépend|arrive|casse|signifie|sert|compte|mesure|échoue|prend|reste|provoque|utilise|plante|se|s')(?!\w)|n'| *[,.:;!?]| *$)",
        r"(?:c'est|c'était|ce n'est|ce ne|ce sont|celui-ci|celle-ci|ceux-ci|celles-ci|celui-là|celle-là|lequel|laquelle)(?!\w)",
        r"(?:il|elle|ils|elles)(?= )(?! (?:faut|y a|existe|reste à|n'est pas (?:encore )?(?:clair|certain|décidé|sûr)|est (?:encore |toujours )?(?:incertain|flou|nécessaire|possible|important|impossible|interdit|préférable)))",
        r"(?:ci-dessus|le précédent|ce dernier|cette dernière|idem|pareil)(?= |$|,)",
    ),
    steps=(
        r"(?:d'abord|en premier|premièrement|pour commencer|commence par|on commence par|tout d'abord)",
        r"(?:ensuite|puis|après ça|après quoi|après cela|deuxièmement|troisièmement|une fois|et après)",
        r"(?:enfin|pour finir|finalement|en dernier|à la fin)",
        r"->|→|=>",
    ),
    habits=(
        r"(?:processus|procédure|toujours|normalement|habituellement|d'habitude|chaque|étapes|ordre|en général|workflow|déroulement|démarche|marche à suivre|généralement)",
        r"(?:pour|avant d|quand on|lors d) ?(?:e |un |une |le |la |'|l'|'une |'un )?(?:\w+ )?(?:livr\w*|déploy\w*|publi\w*|migr\w*|release|version|sortir|corrig\w*|ajout\w*|crée\w*|lanc\w*|intégr\w*|import\w*|mettre|restaur\w*|factur\w*|\w+er|\w+ir|\w+tion)",
        r"(?:on|nous|il faut)",
    ),
    rejected_content=(
        r"(?:merci|c'est (?:bon|parfait|bien|ok|tout)|ça va|ça ira|pas (?:besoin|maintenant|encore|la peine|de problème|de souci)|laisse|plus tard|continue|rien d'autre|tout va bien|on verra|vas-y)",
    ),
    blocks={
        "open_question": (r"ce que tu (?:veux|as|fais|entends)", r"(?:pourquoi|comment) tu"),
        "decision": (
            r"(?:pas encore|jamais|si|quand|avant|avons-nous|a-t-on|avez-vous|as-tu|n'a pas|n'avons pas|n'a) (?:\w+ ){0,3}(?:décidé|choisi|tranché)",
        ),
        "finding": (
            r"(?:mets|augmente|baisse|réduis|il faut|veux|voudrais|devrait|devons|objectif|serait|pourrait|estime|prévois|peux-tu)",
        ),
        "pattern": (
            r"(?:à )?chaque fois (?:que )?(?:tu|vous) ",
            r"(?:s'il te plaît|pense à|n'oublie pas|dès que tu (?:peux|as|es)|chaque fois que tu (?:veux|peux))",
        ),
        "workflow": (r"(?:s'il te plaît|peux-tu|stp|svp|je veux que tu|cette fois)",),
    },
)
