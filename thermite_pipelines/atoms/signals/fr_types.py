"""French phrases by the type of atom that they signal."""

from functools import partial

from thermite_pipelines.atoms.signals.language import phrases

_phrases = partial(
    phrases,
    sources=r"""
        (?:données|chiffres|mesures|logs?|journaux|métriques|résultats|benchmarks?|statistiques|stats
        |tableau de bord|profileur|profilage|sondage|tests?|expérience|analyse|graphique|courbes?|rapport)
    """,
    number=r"""
        [$€£]?\d[\d.,]*
    """,
)

# fmt: off
SIGNALS = {
    "mental_model": _phrases(r"""
        (?:a|ont) (?:un seul|une seule|exactement une?) … (?:mais|et) (?:plusieurs|autant|de nombreu\w+)
        (?:a|ont|comporte|comportent|comprend|compte) (?:deux|trois|quatre) (?:parties|niveaux|étapes|états
        |phases|modes|types|couches|rôles|volets)
        (?:se divise|se divisent|est divisée?|est découpée?|se répartit|se partage)(?: en)?
        (?:voici|voilà) comment (?:ça|cela|le|la|les|l'|on|notre|tout) ?… ?(?:marche|fonctionne|fonctionnent
        |marchent|circule|s'articule)
        (?:ça|cela|le système|l'ensemble|la chose) (?:marche|fonctionne) (?:comme|ainsi|de la façon suivante
        |de cette façon|en fait)
        la (?:façon|manière) dont … ?(?:fonctionne|marche|fonctionnent|marchent)
        (?:voyez|vois|pense|pensez|considère|considérez|imagine|imaginez|il faut voir|on peut voir
        |il faut penser|voir)(?:-le|-la|-les| à| ça| cela| le| la| les| l')? … ?comme (?:un|une|des|à)
        il (?:y a|existe) (?:en fait |ici |chez nous |en réalité |donc )?(?:deux|trois|quatre|cinq|plusieurs|2|3
        |4) \w+
        (?:se comporte|se comportent|fonctionne|fonctionnent
        |agit) (?:un peu |exactement |plutôt |en gros )?comme
        (?:en gros|au fond|en substance|en interne|sous le capot|conceptuellement|par construction
        |par conception),
        (?:n'est|ne sont|c'est|est
        |sont) (?:en fait |en gros |au fond |essentiellement |simplement |juste )?(?:qu'un|qu'une
        |rien d'autre qu)
        (?:est|sont) (?:en gros|au fond|essentiellement|simplement|juste|en réalité|basiquement
        |en quelque sorte) (?:un|une|des|le|la)
        (?:se compose|est composée?|se composent|sont composée?s?|est constituée?|consiste)(?: de| d'| en)?
        (?:marche|fonctionne|se passe|fonctionnent) (?:comme ça|ainsi|comme suit|de la façon suivante)
        (?:c'est|est) (?:fait exprès|voulu|exprès|volontaire)
        la différence (?:entre … )?(?:est|c'est|réside|tient)
        (?:est|sont) (?:seul |seule )?(?:responsables? d|chargée?s? d|dérivée?s? d|calculée?s? (?:à partir
        |depuis))(?:e|u|es|')?
        (?:l'idée|le principe|le concept|le modèle)(?: derrière| ici| de base)? (?:est|c'est)
        (?:la|notre) (?:seule |unique )?source de vérité
    """),
    "finding": _phrases(r"""
        (?:les |nos |le |la |l'|d'après les |mes |ces )?@sources@ … ?(?:montrent?|indiquent?|révèlent?|disent
        |confirment?|prouvent?|donnent?|ont montré|a montré|suggèrent?|ont révélé)
        (?:selon|d'après) (?:les |nos |le |la |l'|notre |mes )?@sources@
        (?:on a|nous avons|j'ai|nous avions|on avait|ils ont) (?:\w+ )?(?:mesuré|dépensé|payé|obtenu|compté
        |relevé|vendu|gagné|perdu|eu|constaté|observé|chronométré|reçu|traité) … ?@number@
        (?:on a|nous avons|j'ai) (?:mesuré|chronométré|benchmarké)
        @number@ (?:des |sur |sur les |requêtes sur |utilisateurs sur )@number@
        hier,? (?:on|nous|j)
    """),
    "decision": _phrases(r"""
        (?:on a|nous avons|l'équipe a) (?:laissé tomber|renoncé|arrêté|supprimé|reporté|écarté|enterré|remplacé
        |refusé) … (?:parce|car
        |puisque|afin|à cause|vu que)
        (?:on a|nous avons|j'ai|l'équipe a|on avait|il a été
        |a été) (?:finalement |donc |tous |déjà |enfin |bien )?(?:décidé|choisi|convenu|opté|retenu|tranché
        |écarté|arrêté|préféré|abandonné)
        (?:on|nous) (?:s'est|nous sommes|est) (?:\w+ )?(?:mis d'accord|décidés?|arrêtés? sur|fixés?)
        (?:partons|allons|restons|on part|on reste|on va|gardons|on garde|utilisons|optons|on opte|on prend
        |prenons|on conserve|on utilise|on abandonne|on passe) … ?(?:sur|avec|pour|car|parce|plutôt que|au lieu
        |afin|puisque|à)(?= )
        la raison (?:pour laquelle|de ce choix|du choix|est|c'est)
        (?:la|notre|ma) décision (?:est|a été|finale|prise)
        (?:désormais|dorénavant|à partir de maintenant),? (?:on|nous|tout|toutes?|tous|les|chaque|le|la)
        (?:volontairement|délibérément|exprès)
    """),
    "pattern": _phrases(r"""
        (?:en général|généralement|souvent|d'habitude|régulièrement|la plupart du temps) … (?:quand|lorsque
        |après|avant|dès|si)
        (?:quand|lorsque|après|avant|dès|si) … (?:en général|généralement|souvent|régulièrement|à tous les coups
        |systématiquement)
        (?:à maintes reprises|année après année|mois après mois|encore et encore)
        (?:à )?chaque fois(?: que| qu')?
        (?:ça|cela|ce qui|c'est) (?:veut toujours dire|signifie toujours|arrive toujours|toujours
        |se produit (?:toujours|chaque|à chaque))
        (?:veut|signifie|arrive|échoue|casse|plante|finit|tombe|provoque|entraîne|augmente|revient|baisse
        |ralentit|grimpe|chute|est) (?:\w+ )?(?:toujours|systématiquement|invariablement|à chaque fois
        |presque toujours)
        (?:toujours|systématiquement|invariablement|immanquablement) (?:le |la |un |une |du |à |après |quand
        |lorsque|parce)
        (?:dès|chaque fois|toutes les fois) (?:que|qu')
        (?:à|après|avant|lors de) chaque \w+
        (?:tous les|chaque) (?:lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|mois|matins?
        |soirs?|nuits?)
        (?:a|ont) tendance à
        (?:neuf fois sur dix|sans exception|systématiquement|à tous les coups)
        (?:quand|lorsque|lorsqu'|si) … toujours
    """),
    "open_question": _phrases(r"""
        ce qu(?:'on|e nous|e je) ne sa(?:it|vons|is) (?:toujours |encore )?pas
        (?:on|nous|je) (?:\w+ )?(?:hésite|hésitons) (?:encore |toujours )?(?:entre|sur|à|pour)
        (?:personne|nul) ne (?:peut|sait|saurait|pouvait) (?:\w+ )?(?:dire|expliquer|si|confirmer)
        (?:reste|il reste) à (?:voir|savoir|prouver|confirmer) (?:si|comment|quel\w*)
        (?:je ne suis|je suis|nous ne sommes|on n'est|je n'suis
        |on est)(?: pas)? (?:encore |toujours |vraiment |pas |trop |tout à fait )*(?:sûre?s?|certaine?s?
        |pas sûre?s?|pas certaine?s?) (?:\w+ )?(?:si|de|que|qu|du|s'il|comment|pourquoi)
        (?:pas|pas encore|pas vraiment) (?:sûre?s?|certaine?s?) (?:si|que|de|du|qu|s'il|comment)
        (?:je|on|nous|personne) (?:ne |n')?(?:sais|sait|savons
        |saurait) (?:pas |toujours pas |pas encore |encore pas |vraiment )*(?:si|comment|pourquoi|quels?
        |quelles?|quand|qui|où|ce qui|s'il|qu)
        (?:il faut|il faudra|il faudrait|on doit|nous devons|reste à|il reste à|je dois|on devra
        |il nous faut) (?:encore |d'abord |aussi |bien )?(?:déterminer|comprendre|décider|trouver|savoir
        |clarifier|éclaircir|trancher|découvrir|voir si|vérifier si)
        (?:pas|pas encore|n'est pas|n'a pas|n'avons pas|n'a pas encore|n'avons pas encore
        |n'est pas encore) (?:encore )?(?:clair|décidé|tranché|déterminé|défini|résolu|arrêté|fixé)
        (?:question|point|questions|points) (?:encore |toujours |reste |restent )?(?:ouverte?s?|en suspens
        |non résolue?s?)
        (?:on n'arrive|nous n'arrivons|je n'arrive|impossible|on ne parvient)(?: toujours)?(?: pas)? (?:à|de
        |d')(?: savoir| déterminer| dire| expliquer)?
        n'(?:est|a|ont|sont) (?:toujours |encore )?pas (?:encore )?(?:été )?(?:tranchée?s?|décidée?s?|réglée?s?
        |clair|claire|fixée?s?|résolue?s?)
        (?:je me demande|on se demande|nous nous demandons) (?:encore |toujours )?(?:si|comment|pourquoi|s'il
        |quel)
        (?:reste|c'est|encore|toujours) (?:encore |toujours )?(?:flou|incertaine?|en suspens|indécis|inconnu
        |à déterminer|à trancher|à définir)
        aucune idée (?:de |du |si|pourquoi|s'il)
    """),
    "workflow": _phrases(r"""
        (?:le|notre|la|l'ordre|notre procédure|la marche) (?:processus|procédure|workflow|déroulement|ordre
        |démarche|étapes|enchaînement|marche à suivre|séquence|circuit)(?: normale?| habituelle?
        | standard)?(?: est| pour| de| d'|:|,| c'est| consiste)
        (?:les étapes (?:sont|pour)|étape 1\b)
        (?:se passe|se déroule|se fait|marche|fonctionne) (?:comme ça|ainsi|comme suit|dans cet ordre
        |de la façon suivante)
        dans (?:cet|l') ?ordre
    """),
}
BLOCKS = {
    "open_question": _phrases(r"""
        (?:pour|à|de|avec) (?:toi|vous)|(?:ton|tes) (?=\w)
        (?:étais|était|étions|savais|savait|savions) … (?:mais|maintenant|depuis|et puis)
        (?:c'est réglé|est réglée?|c'est bon|résolu depuis|tranché depuis|maintenant clair|je sais maintenant
        |on sait maintenant)
        (?:se|me) demande (?:si|s') ?(?:tu|vous|on|nous|il est possible) ?
        (?:rire|pleurer|bon (?:canal|endroit)|donc commence|alors regarde)
        (?:sûre?s?|certaine?s?) (?:de|d')? ?(?:bien )?(?:comprendre|te suivre|avoir compris|vouloir)
        (?:si|que|ce que|comment) (?:tu|vous)
        (?:pourquoi|ce qui fait) … ?(?:échou\w+|plant\w+|erreur|rouge|marche pas|cass\w+)
        (?:regarde|regardes|tu peux|peux-tu|vérifie|trouve)
        ce que tu (?:veux|as|fais|entends)
        (?:pourquoi|comment) tu
    """),
    "decision": _phrases(r"""
        (?:ta|ton|tes|toi|votre|vos)(?!\w)
        (?:pizzas?|manger|cuisiner|déjeuner|vacances|bière|week-end|ciné\w*)
        (?:avait|avions|avais|initialement|au départ|à l'origine|au début|failli|presque|personne n') … (?:mais|puis
        |depuis|finalement|plus)
        (?:plus d'actualité|changé d'avis|ne tient plus|n'est plus valable|revenus? en arrière|revenus? dessus
        |il paraît)
        (?:tu as|vous avez|t'as) (?:\w+ )?(?:décidé|choisi|opté|abandonné)
        parce que (?:je|j'|mon|ma) ?(?:dois|suis|ai|m'|tête|train)
        (?:pas encore|jamais|si|quand|avant|avons-nous|a-t-on|avez-vous|as-tu|n'a pas|n'avons pas
        |n'a) (?:\w+ ){0,3}(?:décidé|choisi|tranché)
    """),
    "finding": _phrases(r"""
        (?:réunion|démo|il (?:me |nous )?reste|personnes à la)
        [\d.,]+ (?:erreurs?|avertissements?|bugs?)
        (?:téléphone|désolée?|pardon|pour rien|chez moi)
        (?:frustr\w+|essayé|pour rien|probablement|peut-être|à mon avis|je crois|je pense|il paraît|soi-disant|café
        |dormi
        |commentaires|réunions|d'après la doc\w*|selon la doc\w*|promet\w*|réussi à rien)
        (?:tests?) (?:échouent|échoue|passent|sont)
        (?:montrent?|donnent?|disent) (?:rien|une erreur|l'erreur|ça|ceci|n'importe)
        (?:mets|augmente|baisse|réduis|il faut|veux|voudrais|devrait|devons|objectif|serait|pourrait|estime
        |prévois|peux-tu)
    """),
    "pattern": _phrases(r"""
        (?:plaisir|merci|avec toi|dès que (?:j|je) ?)
        (?:tu|vous) (?:oublies|oubliez|fais|casses|changes|réponds|écris)
        je (?:\w+ ){0,2}(?:rigole|ris|pleure|souris|panique|m'énerve)|me fait (?:rire|pleurer|sourire)
        (?:il faudrait|faudrait|devrait|devraient|doit (?:afficher|apparaître|s'afficher)|je veux|je voudrais|j'aimerais
        |comme (?:toujours|d'habitude)|ce serait|serait bien|ton|ta|tes)(?!\w)
        (?:à )?chaque fois (?:que )?(?:tu|vous|je te|je vous|je dis|je demande)
        (?:tu|vous) (?:\w+ ){0,3}(?:toujours|à chaque fois)
        (?:s'il te plaît|pense à|n'oublie pas|dès que tu (?:peux|as|es)|chaque fois que tu (?:veux|peux))
    """),
    "workflow": _phrases(r"""
        (?:processus|workflow|procédure|ordre) (?:est|était|a) (?:\w+ )?(?:plantée?|rouge|mort|cassée?|bloquée?|lente?
        |fausse?|mauvais)
        (?:tu|vous|ton|votre|je vais|mon plan|pour aujourd'hui)
        (?:s'il te plaît|peux-tu|stp|svp|je veux que tu|cette fois)
    """),
    "mental_model": _phrases(r"""
        à (?:faire|corriger|changer|vérifier)
        (?:deux|trois|quatre|plusieurs|2|3|4) (?:petites? |nouvelles? |autres |nouveaux |petits )*(?:fautes?|erreurs?
        |coquilles?
        |bugs?|problèmes?|questions?|options?|points?|choses|façons|raisons|tâches|avertissements|tests|fichiers
        |solutions)
        (?:devrait|pourrait|faudrait|l'idée est d|catastrophe|blague|bazar|n'importe quoi|la même chose|ton|ta|tes
        |votre)(?!\w)
        la différence est (?:énorme|minime|petite|grande|que tu)
    """),
}
FIGURES = _phrases(r"""
    @number@ ?% (?:de )?(?:plus|moins|des)
    @number@ ?% au lieu de @number@
    sur (?:les |nos |un total de )?@number@ … @number@
    (?:a pris|prenait|coûtait|a coûté|est passée?|sont passée?s|passe|est tombée?|a augmenté|a baissé|ont augmenté
    |ont baissé|a chuté|a grimpé|a atteint|ont échoué|a duré|durait|a consommé|a rapporté|a généré|a converti|était
    |étaient|a dépassé|tourne|plafonne|ont converti) … ?@number@
    (?:hier|la semaine dernière|le mois dernier|ce matin|cette nuit|le trimestre dernier) … ?@number@
    (?:passée?s?|passe) de @number@
""")
# fmt: on
