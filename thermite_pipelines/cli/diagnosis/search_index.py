"""The search index: whether it can be read, and whether it is behind."""

from collections.abc import Iterator

from thermite_pipelines.cli.diagnosis.finding import Finding, count, some
from thermite_pipelines.control.leases import holders
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.index.numbers import damaged_indexes
from thermite_pipelines.knowledge.index_targets import index_scope, indexes_behind
from thermite_pipelines.knowledge.state import campaign_lags
from thermite_pipelines.times import now_micros

_DO = "`thermite refresh` makes it anew"


def index_damaged(home: Home) -> Iterator[Finding]:
    """Every file of every search index is what was written."""
    for row in damaged_indexes(home, thorough=True):
        what = f"the search index of {row['campaign']} is damaged: {row['wrong']}"
        yield Finding("warning", what, "searches read the whole folder meanwhile, and find by words alone", _DO)


def index_behind(home: Home) -> Iterator[Finding]:
    """No search index is behind its folder for longer than the setting allows."""
    limit = home.settings.lag_warn_seconds
    broken = {row["campaign"] for row in damaged_indexes(home)}
    with home.control.read() as connection:
        late = {name for name, lag in campaign_lags(connection).items() if lag.is_behind}
        busy = holders(connection)
    names = sorted(
        name
        for name in indexes_behind(home, older_than=now_micros() - limit * 1_000_000)
        if name not in broken | late and index_scope(name) not in busy
    )
    if names:
        what = f"the search index of {count(len(names), 'campaign')} is behind: {some(names)}"
        why = f"for more than THERMITE_LAG_WARN_SECONDS ({limit}); what is not in it is found by its words alone"
        yield Finding("warning", what, why, "`thermite refresh`, and see that `thermite up` runs")
