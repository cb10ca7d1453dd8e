"""The two sets of partitions: rigs and campaigns.

Keys are added from control's record by sensors and by `thermite refresh`, checked against our own pattern before, since
Dagster checks nothing: commas, slashes and '...' break backfills and paths. None is ever deleted: a closed campaign is
data.
"""

from collections.abc import Iterable

import dagster as dg

from thermite_pipelines.names import CAMPAIGN

rigs = dg.DynamicPartitionsDefinition(name="rigs")
campaigns = dg.DynamicPartitionsDefinition(name="campaigns")


def new_keys(
    instance: dg.DagsterInstance, partitions: dg.DynamicPartitionsDefinition, names: Iterable[str]
) -> list[str]:
    """Those of the names that are legal keys and no partitions yet."""
    known = set(instance.get_dynamic_partitions(str(partitions.name)))
    return [name for name in names if name not in known and CAMPAIGN.fullmatch(name)]
