"""What discovery adds to a session's plan: the two calls that whoever plans makes.

Kept out of the package's front: planning needs the libraries that compare vectors.
"""

import logging
from collections.abc import Callable

from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.discovery.dial import Dial
from thermite_pipelines.synthesis.discovery.items import Material, backward_items, edges_of, forward_items
from thermite_pipelines.synthesis.discovery.tokens import Scope
from thermite_pipelines.synthesis.lineage import lineage_of
from thermite_pipelines.synthesis.planning import Likeness, Review, Watermark, clusters_of, epistemic, seeds_of
from thermite_pipelines.synthesis.work import NewItem, Request

logger = logging.getLogger(__name__)


def added_to_review(corpus: Corpus, review: Review, request: Request, likeness: Likeness, dial: Dial) -> list[NewItem]:
    """The items of discovery of a review that was planned on a corpus; none at normal effort."""
    if request.effort == "normal" or not review.seeds:
        return []
    after = corpus.copy()
    for decision in review.plan.decisions:
        after.apply(decision)
    edges = edges_of(likeness.neighbours, likeness.thresholds.similar_to, epistemic(after))
    material = Material(
        after, review.seeds, lambda: review.clusters, edges, lambda: lineage_of(after), likeness.markers
    )
    return forward_items(material, request.effort, dial, Scope.of(request))


def added_to_hypothesize(
    corpus: Corpus, request: Request, watermark: Watermark, likeness: Callable[[], Likeness], dial: Dial
) -> list[NewItem]:
    """The items of discovery of a hypothesize session: around the syntheses that it was opened on.

    What is alike is asked for only at higher effort, and where there are two syntheses or more.
    """
    facts = epistemic(corpus)
    syntheses = {name: fact for name, fact in facts.items() if fact.type == "synthesis"}
    seeds = seeds_of(syntheses, request, watermark)
    if request.effort == "normal" or len(seeds) < 2:
        return []
    try:
        alike = likeness()
    except Exception as error:  # noqa: BLE001 - an addition must not cost the session; a text may be data
        logger.warning("no discovery in this session: %s", type(error).__name__)
        return []

    edges = edges_of(alike.neighbours, alike.thresholds.similar_to, facts)
    material = Material(
        corpus, seeds, lambda: clusters_of(facts, seeds, alike), edges, lambda: lineage_of(corpus), alike.markers
    )
    return backward_items(material, request.effort, dial, Scope.of(request))
