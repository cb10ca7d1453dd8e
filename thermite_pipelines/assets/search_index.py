"""The search index of group knowledge: a folder's items, and what was made of them, found by words and by meaning."""

from collections.abc import Iterator

import dagster as dg

from thermite_pipelines.assets.intake import OWNERS
from thermite_pipelines.assets.knowledge import campaign_folder
from thermite_pipelines.assets.metadata import bar_chart, small_table
from thermite_pipelines.assets.partitions import campaigns
from thermite_pipelines.knowledge.index_targets import index_scope
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.resources.progress import told
from thermite_pipelines.resources.rebuilds import wants_rebuild

REFRESHING_SECONDS = 10.0
"""For so long at most vectors are made within a refresh of the campaign: the next one may be waiting for it."""


@dg.asset(
    key=["knowledge", "knowledge_index"],
    deps=[campaign_folder, dg.AssetKey(["atoms", "atoms"]), dg.AssetKey(["synthesis", "distilled"])],
    partitions_def=campaigns,
    group_name="knowledge",
    owners=OWNERS,
    kinds={"search"},
    code_version="1",
    output_required=False,
    # A search reads what is not indexed yet from the folder: whatever running runs wait for comes first.
    op_tags={"dagster/priority": "-3"},
)
def knowledge_index(context: dg.AssetExecutionContext, home: HomeResource) -> Iterator[dg.MaterializeResult]:
    """Words and vectors of a campaign's items, of what synthesis made of them, and of its atoms.

    Only what is new is indexed; a backfill makes the index anew.
    """
    # Vectors need numpy and a model: every run and every sensor loads this module.
    from thermite_pipelines.knowledge.index.numbers import index_numbers
    from thermite_pipelines.knowledge.index.store import IndexWriter
    from thermite_pipelines.knowledge.meaning import index_embedder

    campaign = context.partition_key
    opened = home.opened
    with explained(opened, context.run.run_id):
        if not home.take(context, index_scope(campaign)):
            return
        writer = IndexWriter(opened, campaign, index_embedder(opened))
        seconds = REFRESHING_SECONDS if context.run.job_name == "refresh_campaign" else None
        progress = told(context, "texts embedded")
        indexed = writer.refresh(anew=wants_rebuild(context), seconds=seconds, progress=progress)
        numbers = index_numbers(opened, campaign)
    yield dg.MaterializeResult(
        data_version=dg.DataVersion(numbers.content),
        metadata={
            "dagster/row_count": sum(numbers.texts.values()),
            "dagster/uri": str(numbers.folder),
            "texts": small_table([{"kind": k, "texts": n} for k, n in numbers.texts.items()], ["kind", "texts"]),
            "picture": bar_chart(numbers.texts, f"texts of {campaign} by kind"),
            "model": numbers.model or "none",
            "without_vector": numbers.without_vector,
            "segments": numbers.segments,
            "bytes": numbers.bytes,
            "texts_indexed_now": indexed.added,
            "texts_that_left": indexed.removed,
            "texts_embedded_now": indexed.embedded,
            "made_anew": indexed.anew,
        },
    )
