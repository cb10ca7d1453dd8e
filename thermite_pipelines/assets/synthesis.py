"""Group synthesis: what a campaign holds to be so, and what follows from it."""

from collections.abc import Iterator

import dagster as dg

from thermite_pipelines.assets.intake import OWNERS
from thermite_pipelines.assets.knowledge import campaign_folder
from thermite_pipelines.assets.metadata import bar_chart, column_schema, small_table
from thermite_pipelines.assets.partitions import campaigns
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.resources.progress import told
from thermite_pipelines.resources.rebuilds import wants_rebuild
from thermite_pipelines.tables.derived import BASE_FACTS

BASE_FACTS_KEY = dg.AssetKey(["synthesis", "base_facts"])


@dg.asset(
    key=BASE_FACTS_KEY,
    deps=[campaign_folder, dg.AssetKey(["atoms", "atoms"])],
    partitions_def=campaigns,
    group_name="synthesis",
    owners=OWNERS,
    kinds={"parquet"},
    code_version="1",
    output_required=False,
    # What running runs read comes first: their agents wait for it.
    op_tags={"dagster/priority": "-2"},
    metadata={"dagster/column_schema": column_schema(BASE_FACTS)},
)
def base_facts(context: dg.AssetExecutionContext, home: HomeResource) -> Iterator[dg.MaterializeResult]:
    """A campaign's own items and atoms as facts: of which type, how sure, and how many sources say so.

    Only facts whose sources changed are made; a backfill makes all of them, to the same bytes.
    """
    # What finds tags knows words of six languages: every run and every sensor loads this module.
    from thermite_pipelines.synthesis.fact_store import FactTable, fact_numbers
    from thermite_pipelines.synthesis.outputs import has_outputs, refresh_outputs

    campaign = context.partition_key
    opened = home.opened
    with explained(opened, context.run.run_id):
        if not home.take(context, f"synthesis:{campaign}"):
            return
        progress = told(context, "parts of facts")
        anew = wants_rebuild(context)
        written = FactTable(opened, campaign).refresh(anew=anew, progress=progress)
        if (anew or written.removed) and has_outputs(opened, campaign):
            # What rested on a run that left the folder must not be read any longer, whenever the next review is.
            refresh_outputs(opened, campaign, anew=anew)
        shown = fact_numbers(opened, campaign)
    yield dg.MaterializeResult(
        data_version=dg.DataVersion(shown.content),
        metadata={
            "dagster/row_count": shown.facts,
            "dagster/uri": opened.lake.address(f"derived/{BASE_FACTS.name}/campaign={campaign}"),
            "facts": small_table([{"type": name, "facts": n} for name, n in shown.types.items()], ["type", "facts"]),
            "picture": bar_chart(shown.types, f"facts of {campaign} by type"),
            "pragmatic": shown.pragmatic,
            "superseded": shown.superseded,
            "hypotheses_confirmed": shown.retracted.get("confirmed", 0),
            "hypotheses_refuted": shown.retracted.get("refuted", 0),
            "facts_made_now": written.made,
            "parts_made_now": written.parts,
            "parts_that_left": written.removed,
        },
    )
