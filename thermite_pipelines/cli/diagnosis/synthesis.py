"""Reviews of facts: late ones, items without an answer, sessions that somebody holds, decisions without effect.

Damaged tables are told by the check of the lake's files, runs that fail again and again by that of Dagster's runs.
"""

from collections import defaultdict
from collections.abc import Iterator

from thermite_pipelines.cli.diagnosis.finding import Finding, count, some
from thermite_pipelines.cli.output import cut
from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.lake_files import DamagedFile
from thermite_pipelines.control.leases import holders
from thermite_pipelines.embeddings.embedder import embedder_of
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis import inspection
from thermite_pipelines.times import format_rfc3339, now_micros

_REASON = 120
_MINUTE = 60_000_000
_LONG_HELD = 4 * 60 * _MINUTE


def embedder(home: Home) -> Iterator[Finding]:
    """An embedding model is set: without one no facts are reviewed."""
    try:
        embedder_of(home.settings, home.lake)
    except ThermiteError as error:
        yield Finding("error", error.what, "no facts are reviewed, and no hypotheses made", error.do)


def reviews(home: Home) -> Iterator[Finding]:
    """No campaign has facts that no review saw for longer than the setting allows."""
    limit = home.settings.lag_warn_seconds
    with home.control.read() as connection:
        rows = inspection.late_since(connection, now_micros(), limit)
        busy = holders(connection)
    for row in rows:
        if f"synthesis:{row['campaign']}" not in busy:
            what = f"facts of {row['campaign']} were not reviewed for {row['lag_seconds']} seconds"
            why = f"more than THERMITE_LAG_WARN_SECONDS ({limit})"
            do = f"`thermite review --campaign {row['campaign']}`, and see that `thermite up` runs"
            yield Finding("warning", what, why, do)


def items(home: Home) -> Iterator[Finding]:
    """Every item of a review has an answer that counts, or is on its way to one."""
    with home.control.read() as connection:
        rows = inspection.unanswered_items(connection)
    groups: dict[tuple[str, str, bool], list[inspection.Row]] = defaultdict(list)
    for row in rows:
        groups[row["campaign"], row["tool"], row["is_given_up"]].append(row)
    for (campaign, tool, is_given_up), found in groups.items():
        state = "were given up" if is_given_up else "have no answer that counts yet"
        keys = some([f"{row['item']} ({count(row['failures'], 'run')})" for row in found])
        what = f"{count(len(found), 'item')} of {tool} of {campaign} {state}: {keys}"
        why = f"the newest reason: {cut(found[-1]['reason'], _REASON)}"
        if is_given_up:
            do = "nothing: their facts stay as they are; change the model where it happens often"
            yield Finding("note", what, why, do)
        else:
            do = f"`thermite {tool} --campaign {campaign}` asks again; they are given up after three runs"
            yield Finding("warning", what, why, do)


def by_hand(home: Home) -> Iterator[Finding]:
    """Sessions that somebody answers in his own time: meanwhile runs leave the campaign alone."""
    now = now_micros()
    with home.control.read() as connection:
        rows = inspection.held_by_hand(connection, now)
    for row in rows:
        what = f"a session of {row['tool']} of {row['campaign']} is answered over {row['opened_by']}"
        why = f"since {format_rfc3339(row['created_at'])}; until it is done no run touches these facts"
        level = "warning" if now - row["created_at"] > _LONG_HELD else "note"
        yield Finding(level, what, why, "finish it; unused for an hour it is given up")


def decisions(home: Home) -> Iterator[Finding]:
    """Decisions that no longer apply, since the facts that they rest on changed."""
    with home.control.read() as connection:
        names = campaign_names(connection)
    for campaign in names:
        try:
            row = inspection.stale_decisions(home, campaign)
        except DamagedFile:
            continue  # the check of files tells
        if row is not None and row["stale"]:
            what = f"{count(row['stale'], 'decision')} of {row['decisions']} about facts of {campaign} no longer apply"
            why = "their facts changed or left; what they did is undone, and a review judges the facts anew"
            yield Finding("note", what, why, "nothing; the table `decisions` says which, in `why_not`")
