"""Rigs and their keys."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from tests.support.homes import Home
from tests.support.rigs import drop, seed_of
from thermite_pipelines.control import audit, rigs
from thermite_pipelines.control.models import AuditEntry, Rig
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.ledger.envelope import keyid_of, public_key_of
from thermite_pipelines.names import check_name, check_run, is_document_path

KEY = public_key_of(seed_of("one")).hex()
KEYID = keyid_of(bytes.fromhex(KEY))
OTHER = public_key_of(seed_of("two")).hex()

# Encodings of points of small order and of the identity, and one that is not canonical (RFC 8032, 5.1.3).
UNSAFE_KEYS = [
    "01" + "00" * 31,
    "00" * 32,
    "ec" + "ff" * 30 + "7f",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "ee" + "ff" * 30 + "7f",
    "ff" * 32,
]


def add(home: Home, rig: str, key: str) -> bool:
    with home.control.write() as connection:
        return rigs.add_key(connection, rig, key, "ann")


def revoke(home: Home, rig: str, keyid: str) -> bool:
    with home.control.write() as connection:
        return rigs.revoke_key(connection, rig, keyid, "ann")


def actions(home: Home) -> list[tuple[str, str, str]]:
    with home.control.read() as connection:
        return [(row.by, row.action, row.subject) for row in connection.execute(select(AuditEntry))]


def test_keys_are_added_and_revoked_once_and_each_change_is_audited(any_home: Home) -> None:
    assert add(any_home, "rig-a", KEY)
    assert not add(any_home, "rig-a", KEY.upper())
    assert add(any_home, "rig-a", OTHER)
    assert revoke(any_home, "rig-a", KEYID)
    assert not revoke(any_home, "rig-a", KEYID)
    assert actions(any_home) == [("ann", "rig-add", "rig-a")] * 2 + [("ann", "key-revoke", "rig-a")]
    with any_home.control.read() as connection:
        (entry, *_) = audit.entries(connection)
        (rig,) = rigs.overview(connection)
    assert entry["detail"]["keyid"] == KEYID and entry["detail"]["from"]
    assert {key["keyid"]: key["revoked_at"] is not None for key in rig["keys"]} == {
        KEYID: True,
        keyid_of(bytes.fromhex(OTHER)): False,
    }


def test_a_key_of_another_rig_and_a_revoked_one_are_refused(home: Home) -> None:
    add(home, "rig-a", KEY)
    with pytest.raises(ThermiteError, match="belongs to rig rig-a"):
        add(home, "rig-b", KEY)
    revoke(home, "rig-a", KEYID)
    with pytest.raises(ThermiteError, match="revoked"):
        add(home, "rig-a", KEY)
    with pytest.raises(ThermiteError, match="belongs to rig rig-a"):
        add(home, "rig-b", KEY)
    with home.control.read() as connection:
        assert rigs.rig_names(connection) == ["rig-a"]


@pytest.mark.parametrize("key", UNSAFE_KEYS)
def test_unsafe_keys_are_refused(home: Home, key: str) -> None:
    with pytest.raises(ThermiteError, match="key"):
        add(home, "rig-a", key)
    with home.control.read() as connection:
        assert connection.execute(select(Rig)).first() is None


@pytest.mark.parametrize("key", ["", "zz" * 32, KEY[:-1], KEY + "00", KEY + "\n", " " + KEY, KEY.replace("0", "O")])
def test_what_is_no_hex_of_32_bytes_is_wrong_usage(home: Home, key: str) -> None:
    with pytest.raises(UsageError):
        add(home, "rig-a", key)


@pytest.mark.parametrize(
    "name", ["", "A", "rig_a", "1rig", "-a", "a" * 64, "rig a", "rig-a\n", "é", "a/b", "..", "con", "nul", "com1"]
)
def test_names_that_break_the_pattern_or_are_devices_are_wrong_usage(home: Home, name: str) -> None:
    with pytest.raises(UsageError):
        add(home, name, KEY)


@pytest.mark.parametrize("name", ["a", "rig-a", "a" * 63, "a1--", "console"])
def test_names_that_keep_the_pattern(home: Home, name: str) -> None:
    assert add(home, name, KEY)


def test_an_unknown_rig_or_key_cannot_be_revoked(home: Home) -> None:
    with pytest.raises(ThermiteError, match="knows no rig"):
        revoke(home, "rig-a", KEYID)
    add(home, "rig-a", KEY)
    add(home, "rig-b", OTHER)
    with pytest.raises(ThermiteError, match="has no key"):
        revoke(home, "rig-b", KEYID)


def test_the_overview_counts_what_waits_and_what_is_quarantined(any_home: Home) -> None:
    rig = any_home.rig()
    rig.say_run()
    rig.send()
    rig.report()
    rig.send()
    drop(rig.inbox, "junk.dsse.json", b"junk")
    any_home.take()
    any_home.rig("rig-b")
    with any_home.control.read() as connection:
        first, second = rigs.overview(connection)
    assert (first["rig"], first["waiting"], first["quarantined"]) == ("rig-a", 1, 1)
    assert first["heads"] == [{"ledger": "L1", "seq": 1, "n": 1}]
    assert (second["rig"], second["heads"], second["waiting"]) == ("rig-b", [], 0)


@given(st.text(max_size=70))
def test_only_names_of_the_pattern_pass(name: str) -> None:
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789-")
    good = 1 <= len(name) <= 63 and set(name) <= allowed and name[0].isalpha()
    try:
        assert check_name("rig", name) == name and good
    except UsageError:
        assert not good


@given(st.text(alphabet="aZ0_.-/ \n~é", max_size=130))
def test_only_run_ids_of_the_pattern_pass(run: str) -> None:
    good = 1 <= len(run) <= 128 and set(run) <= set("aZ0_.-") and run[0] in "aZ0"
    try:
        assert check_run(run) == run and good
    except UsageError:
        assert not good


@given(st.text(alphabet="ab./\\\x00\n é", max_size=12))
def test_document_paths_stay_within_their_folder(path: str) -> None:
    if is_document_path(path):
        assert not path.startswith("/") and "\\" not in path
        assert all(part not in ("", ".", "..") for part in path.split("/"))
        assert path.isprintable()
