"""How a standing check is made of a function: one result over all partitions, with ids as samples and never a text."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import dagster as dg

from thermite_pipelines.assets.metadata import small_table
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.resources.home import HomeResource, explained

Findings = Iterable[Mapping[str, Any]]


def standing_check(
    asset: list[str],
    severity: dg.AssetCheckSeverity,
    seen: Callable[[Home], Mapping[str, Any]] | None = None,
    **metadata: float,
) -> Callable[[Callable[[Home], Findings]], dg.AssetChecksDefinition]:
    """Make an asset check of a function that returns its findings, one row each; none means passed.

    `seen` says what the result rests on, as metadata: asked before the function, so that it never says too much.
    """

    def wrap(find: Callable[[Home], Findings]) -> dg.AssetChecksDefinition:
        @dg.asset_check(asset=dg.AssetKey(asset), name=find.__name__, description=find.__doc__)
        def check(context: dg.AssetCheckExecutionContext, home: HomeResource) -> dg.AssetCheckResult:
            with explained(home.opened, context.run.run_id):
                basis = {} if seen is None else seen(home.opened)
                rows = list(find(home.opened))
            sample = {"sample": small_table(rows, list(rows[0]))} if rows else {}
            return dg.AssetCheckResult(
                passed=not rows, severity=severity, metadata={"findings": len(rows), **metadata, **basis, **sample}
            )

        return check

    return wrap
