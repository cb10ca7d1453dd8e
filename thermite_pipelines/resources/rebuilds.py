"""How a run is asked to make its partition anew, whole: a backfill of the UI, or `thermite rebuild`."""

import dagster as dg

BACKFILL_TAG = "dagster/backfill"
REBUILD_TAG = "thermite/rebuild"


def wants_rebuild(context: dg.AssetExecutionContext | dg.OpExecutionContext) -> bool:
    """Whether a run was asked to rebuild its partition whole."""
    tags = context.run.tags
    return BACKFILL_TAG in tags or tags.get(REBUILD_TAG) == "true"
