"""Which campaigns are to be reviewed: facts that no review saw, or tables that decisions have not reached.

From control's record alone. Sensors, commands and `doctor` ask here, so that they mean the same by behind.
"""

from sqlalchemy import Connection

from thermite_pipelines.synthesis.review_targets import review_lags
from thermite_pipelines.synthesis.synthesis_tables import tables_are_behind, tables_target

_NO_FACTS = "none"
_SHORT = 16


def late_reviews(connection: Connection) -> dict[str, str]:
    """What each campaign that is behind should be reviewed at, as a short text that is another after any news.

    Those that somebody reviews over MCP or HTTP are left out: they will be looked at when he is done. His decisions
    then stand in the log but in no table, which is the second way to be behind.
    """
    found = {}
    for name, lag in review_lags(connection).items():
        if lag.is_by_hand:
            continue
        if lag.is_behind:
            found[name] = lag.target[:_SHORT] or _NO_FACTS
        elif lag.target and tables_are_behind(connection, name):
            found[name] = f"tables-{tables_target(connection, name).rpartition(':')[2]}"
    return found
