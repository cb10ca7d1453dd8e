"""Standing checks of group synthesis."""

from typing import Any

import dagster as dg

from thermite_pipelines.assets.standing import Findings, standing_check
from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.times import now_micros


@standing_check(["synthesis", "pruned_facts"], dg.AssetCheckSeverity.WARN)
def no_review_behind(home: Home) -> Findings:
    """No campaign has facts that no review saw for longer than THERMITE_LAG_WARN_SECONDS."""
    with home.control.read() as connection:
        return _synthesis().late_since(connection, now_micros(), home.settings.lag_warn_seconds)


@standing_check(["synthesis", "pruned_facts"], dg.AssetCheckSeverity.WARN)
def decisions_apply(home: Home) -> Findings:
    """At most one in five of a campaign's decisions, or fewer than ten, no longer apply to its facts."""
    look = _synthesis()
    found = filter(None, (look.stale_decisions(home, name) for name in _campaigns(home)))
    return [row for row in found if row["share"] > look.STALE_SHARE and row["stale"] >= look.STALE_LEAST]


@standing_check(["synthesis", "distilled"], dg.AssetCheckSeverity.WARN)
def syntheses_rest_on_facts(home: Home) -> Findings:
    """Every synthesis that holds cites two facts or more that hold."""
    return [row for name in _campaigns(home) for row in _synthesis().bare_syntheses(home, name)]


def _synthesis() -> Any:
    """What looks at reviews: not loaded with the definitions, which every run and every sensor loads."""
    from thermite_pipelines.synthesis import inspection

    return inspection


def _campaigns(home: Home) -> list[str]:
    with home.control.read() as connection:
        return campaign_names(connection)


CHEAP = [no_review_behind]
THOROUGH = [decisions_apply, syntheses_rest_on_facts]
