"""What synthesis wrote, as readers see it: counted, synced and found, each live row once."""

from tests.atoms.talking import opened
from tests.knowledge.syncing import SyncHome
from tests.support.homes import Home
from tests.synthesis.deciding import history, tables
from tests.synthesis.saying import CAMPAIGN
from thermite_pipelines.knowledge.derived import DerivedReader, shown_counts
from thermite_pipelines.knowledge.search import SearchQuery, search
from thermite_pipelines.knowledge.synthesis_reading import SYNTHESIS_KINDS

KINDS = tuple(SYNTHESIS_KINDS)


def live(home: Home) -> dict[str, set[str]]:
    """The ids of what lives, by kind, from all rows of the tables."""
    reader, found = DerivedReader(opened(home)), {}
    for kind, table in SYNTHESIS_KINDS.items():
        rows = [row for row in reader.rows(CAMPAIGN, table) if not (row["retracted_by"] or row["superseded_by"])]
        found[kind] = {row["fact"] for row in rows if row.get("prediction") or kind != "prediction"}
    return {kind: ids for kind, ids in found.items() if ids}


def counted(home: Home) -> dict[str, int]:
    with home.control.read() as connection:
        return shown_counts(connection, [CAMPAIGN]).get(CAMPAIGN, {})


def test_what_lives_is_counted_synced_and_found(any_home: Home) -> None:
    home = any_home
    history(home)
    assert counted(home) == {}
    tables(home).refresh()
    expected = live(home)
    assert len(expected) > 1 and counted(home) == {kind: len(ids) for kind, ids in expected.items()}
    place = SyncHome(home)
    home.rig("rig-z")
    place.assign("reader", CAMPAIGN, "rig-z")
    place.sync()
    seen = [head for head, _ in place.synced_items("reader", "rig-z") if head["kind"] in KINDS]
    assert {(head["kind"], head["item"]) for head in seen} == {(kind, id) for kind in expected for id in expected[kind]}
    for head in seen:
        for query in (SearchQuery(head["title"], kinds=KINDS), SearchQuery(head["title"], kinds=(head["kind"],))):
            assert head["item"] in [row["item"] for row in search(opened(home), query).results]
