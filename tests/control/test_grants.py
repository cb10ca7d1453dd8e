"""Grants: who may read what, and the log that tells how it came to be."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from tests.support.homes import Home
from thermite_pipelines.control import audit, campaigns
from thermite_pipelines.control.models import Grant
from thermite_pipelines.errors import ThermiteError, UsageError

NAMES = ("alpha", "beta", "gamma")


def pairs(connection: Connection) -> set[tuple[str, str]]:
    return {(row["reader"], row["source"]) for row in campaigns.grants(connection)}


def replayed(entries: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """The grants that the audit log leads to."""
    held: set[tuple[str, str]] = set()
    for entry in entries:
        pair = (entry["detail"].get("reader"), entry["detail"].get("source"))
        if entry["action"] == "grant":
            held.add(pair)
        elif entry["action"] == "revoke":
            held.remove(pair)
    return held


def test_kb_43_without_a_grant_a_campaign_reads_its_own_folder_alone(any_home: Home) -> None:
    any_home.campaign(*NAMES)
    with any_home.control.read() as connection:
        assert [campaigns.readable_by(connection, name) for name in NAMES] == [[name] for name in NAMES]


def test_kb_50_a_grant_reads_one_way_and_is_not_handed_on(any_home: Home) -> None:
    any_home.campaign(*NAMES)
    with any_home.control.write() as connection:
        campaigns.grant(connection, "alpha", "beta", "ann")
        campaigns.grant(connection, "beta", "gamma", "ann")
    with any_home.control.read() as connection:
        assert campaigns.readable_by(connection, "alpha") == ["alpha", "beta"]
        assert campaigns.readable_by(connection, "beta") == ["beta", "gamma"]
        assert campaigns.readable_by(connection, "gamma") == ["gamma"]


def test_kb_46_47_each_change_is_one_entry_that_says_who_what_and_from_where(any_home: Home) -> None:
    any_home.campaign(*NAMES)
    with any_home.control.write() as connection:
        assert campaigns.grant(connection, "alpha", "beta", "ann")
        assert not campaigns.grant(connection, "alpha", "beta", "bob")
        assert campaigns.revoke(connection, "alpha", "beta", "bob")
        assert not campaigns.revoke(connection, "alpha", "beta", "bob")
        entries = [entry for entry in audit.entries(connection) if entry["action"] in ("grant", "revoke")]
    assert [(entry["by"], entry["action"], entry["subject"]) for entry in entries] == [
        ("ann", "grant", "alpha"),
        ("bob", "revoke", "alpha"),
    ]
    assert all("@" in entry["detail"]["from"] and entry["detail"]["source"] == "beta" for entry in entries)


@settings(max_examples=25)
@given(
    actions=st.lists(
        st.tuples(st.sampled_from(["grant", "revoke", "add", "read"]), st.sampled_from(NAMES), st.sampled_from(NAMES)),
        max_size=30,
    )
)
def test_kb_44_47_only_grants_make_grants_and_the_log_replays_to_them(
    actions: list[tuple[str, str, str]], tmp_path_factory: pytest.TempPathFactory, ready_record: Any
) -> None:
    from tests.support.homes import make_home

    home = make_home(tmp_path_factory.mktemp("grants") / "home", ready_record)
    home.campaign(*NAMES)
    expected: set[tuple[str, str]] = set()
    for action, reader, source in actions:
        with home.control.write() as connection:
            if action == "add":
                campaigns.add_campaign(connection, reader, source, "ann")
            elif action == "read":
                campaigns.readable_by(connection, reader)
            elif reader == source and action == "grant":
                with pytest.raises(ThermiteError, match="its own folder"):
                    campaigns.grant(connection, reader, source, "ann")
            elif action == "grant":
                assert campaigns.grant(connection, reader, source, "ann") == ((reader, source) not in expected)
                expected.add((reader, source))
            else:
                assert campaigns.revoke(connection, reader, source, "ann") == ((reader, source) in expected)
                expected.discard((reader, source))
            assert pairs(connection) == expected == replayed(audit.entries(connection))
    home.close()


@pytest.mark.parametrize(("reader", "source"), [("alpha", "nobody"), ("nobody", "alpha")])
def test_unknown_campaigns_are_named_and_nothing_changes(home: Home, reader: str, source: str) -> None:
    home.campaign("alpha")
    for change in (campaigns.grant, campaigns.revoke):
        with pytest.raises(ThermiteError, match="no campaign 'nobody'"), home.control.write() as connection:
            change(connection, reader, source, "ann")
    with home.control.read() as connection:
        assert Grant.__tablename__ == "grants" and not pairs(connection)


@pytest.mark.parametrize("name", ["Alpha", "a b", "a/b", "a,b", "", "a" * 64, "1a", "a...b", "alpha\n", "con", "nul"])
def test_names_that_break_the_pattern_or_a_file_system_are_wrong_usage(home: Home, name: str) -> None:
    with pytest.raises(UsageError), home.control.write() as connection:
        campaigns.add_campaign(connection, name, None, "ann")
