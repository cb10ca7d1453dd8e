import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.ledger.envelope import (
    COMMAND_TYPE,
    REPORT_TYPE,
    EnvelopeError,
    check_public_key,
    keyid_of,
    pae,
    parse_envelope,
    public_key_of,
    seal,
    verify,
)

SEED = bytes(range(32))
KEY = bytes.fromhex("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")
KEYID = "56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c"
SIGNATURE = "e9eK9qqSiuYlPpD8/E35C5XWdka9BpqimvTeZx7h1b83oF8LUJEVcULUzBJZ72RBnDByY4z0j/0/RFp8S5eTDg=="
PRIME = 2**255 - 19


def envelope(**fields: Any) -> bytes:
    value = {"payloadType": REPORT_TYPE, "payload": "eyJhIjoxfQ==", "signatures": [{"keyid": KEYID, "sig": SIGNATURE}]}
    return json.dumps({key: part for key, part in (value | fields).items() if part is not ...}).encode()


def refused(raw: bytes) -> str:
    with pytest.raises(EnvelopeError) as error:
        parse_envelope(raw, REPORT_TYPE)
    assert error.value.detail and "\n" not in error.value.detail and len(error.value.detail) < 200
    return error.value.detail


def test_the_worked_example_of_the_report_format() -> None:
    assert public_key_of(SEED) == KEY
    assert keyid_of(KEY) == KEYID
    message = pae(REPORT_TYPE, b'{"a":1}')
    assert message == b'DSSEv1 36 application/vnd.thermite.report+json 7 {"a":1}'
    assert verify(KEY, message, base64.b64decode(SIGNATURE))
    assert json.loads(seal(REPORT_TYPE, b'{"a":1}', SEED)) == json.loads(envelope())
    read = parse_envelope(seal(REPORT_TYPE, b'{"a":1}', SEED), REPORT_TYPE)
    assert (read.payload, read.signatures[0].keyid) == (b'{"a":1}', KEYID)
    assert base64.b64encode(read.signatures[0].sig).decode() == SIGNATURE


@given(st.binary(max_size=300), st.binary(min_size=32, max_size=32))
def test_what_is_sealed_is_read_and_verifies_with_its_key_alone(payload: bytes, seed: bytes) -> None:
    read = parse_envelope(seal(COMMAND_TYPE, payload, seed), COMMAND_TYPE)
    assert read.payload == payload
    (signature,) = read.signatures
    key = public_key_of(seed)
    assert signature.keyid == keyid_of(key)
    assert verify(key, pae(COMMAND_TYPE, payload), signature.sig)
    assert not verify(key, pae(REPORT_TYPE, payload), signature.sig)
    assert not verify(key, pae(COMMAND_TYPE, payload + b" "), signature.sig)
    if seed != SEED:
        assert not verify(KEY, pae(COMMAND_TYPE, payload), signature.sig)
    check_public_key(key)


def test_lengths_in_the_pae_are_byte_counts() -> None:
    assert pae("é", b"") == "DSSEv1 2 é 0 ".encode()


@pytest.mark.parametrize("raw", [b" " + envelope(), envelope() + b"\r\n\t ", envelope(extra={"a": [1]})])
def test_white_space_and_unknown_fields_are_taken(raw: bytes) -> None:
    assert parse_envelope(raw, REPORT_TYPE).payload == b'{"a":1}'


def test_unknown_fields_of_a_signature_and_any_keyid_are_taken() -> None:
    raw = envelope(signatures=[{"keyid": "whatever", "sig": SIGNATURE, "cert": None}])
    assert parse_envelope(raw, REPORT_TYPE).signatures[0].keyid == "whatever"


def test_sixteen_signatures_are_looked_at() -> None:
    good = {"keyid": KEYID, "sig": SIGNATURE}
    assert len(parse_envelope(envelope(signatures=[good] * 20), REPORT_TYPE).signatures) == 16
    assert len(parse_envelope(envelope(signatures=[good] * 16 + [{}, 1]), REPORT_TYPE).signatures) == 16
    assert (
        len(parse_envelope(envelope(signatures=[good] * 16 + [{"keyid": "", "sig": "?"}]), REPORT_TYPE).signatures)
        == 16
    )
    refused(envelope(signatures=[good] * 15 + [{}]))


BAD_SHAPES = [
    {"payloadType": COMMAND_TYPE},
    {"payloadType": None},
    {"payloadType": ...},
    {"payload": ...},
    {"payload": None},
    {"payload": 1},
    {"payload": "eyJhIjoxfQ"},
    {"payload": "eyJhIjoxfQ="},
    {"payload": "eyJhIjoxfR=="},
    {"payload": "eyJhIjoxfQ==\n"},
    {"payload": "eyJh IjoxfQ=="},
    {"payload": " eyJhIjoxfQ=="},
    {"payload": "eyJhIjoxfQ===="},
    {"payload": "eyJhIjoxfQ==eyJhIjoxfQ=="},
    {"payload": "e\u00e9Jh"},
    {"payload": "__--"},
    {"payload": "===="},
    {"signatures": ...},
    {"signatures": []},
    {"signatures": {}},
    {"signatures": None},
    {"signatures": ["x"]},
    {"signatures": [{"keyid": KEYID}]},
    {"signatures": [{"sig": SIGNATURE}]},
    {"signatures": [{"keyid": None, "sig": SIGNATURE}]},
    {"signatures": [{"keyid": KEYID, "sig": 1}]},
    {"signatures": [{"keyid": KEYID, "sig": ""}]},
    {"signatures": [{"keyid": KEYID, "sig": base64.b64encode(bytes(63)).decode()}]},
    {"signatures": [{"keyid": KEYID, "sig": base64.b64encode(bytes(65)).decode()}]},
    {"signatures": [{"keyid": KEYID, "sig": SIGNATURE}, {"keyid": KEYID, "sig": SIGNATURE[:-1]}]},
]


@pytest.mark.parametrize("fields", BAD_SHAPES)
def test_wrong_shapes_are_refused(fields: dict[str, Any]) -> None:
    refused(envelope(**fields))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"[]",
        b"null",
        b"{}",
        envelope() + b"x",
        envelope() + envelope(),
        envelope() + b"\x00",
        b"\xef\xbb\xbf" + envelope(),
        envelope()[:-1],
        envelope().replace(b'{"payloadType"', b'{"payload":"","payloadType"'),
        envelope().replace(b'{"keyid"', b'{"sig":"","keyid"'),
        envelope(extra="\0"),
        envelope(extra=2**60),
        envelope()[:-1] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        envelope()[:-1] + b',"x":"\xff"}',
    ],
)
def test_what_is_no_strict_json_document_is_refused(raw: bytes) -> None:
    refused(raw)


def test_details_say_what_is_wrong() -> None:
    assert refused(b"") == "the file is empty"
    assert refused(envelope(payload=1)) == "envelope: payload: Expected str, got int"
    assert "x" * 41 not in refused(envelope(payloadType="x" * 500))


def test_junk_cannot_ask_for_much_memory() -> None:
    assert "more than 1000000 parts" in refused(b'{"x":[' + b"[]," * 600_000 + b"1]}")


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(raw: bytes) -> None:
    refused(raw)


# The y of the eight points of small order. Some libraries take a signature of zeros for some of them.
SMALL_ORDER = [
    0,
    1,
    PRIME - 55188659117513257062467267217118295137698188065244968500265048394206261417927,
    55188659117513257062467267217118295137698188065244968500265048394206261417927,
    PRIME - 1,
]


@pytest.mark.parametrize("sign", [0, 2**255])
@pytest.mark.parametrize("y", [*SMALL_ORDER, PRIME, PRIME + 1, 2**255 - 1, 2])
def test_unsafe_public_keys_are_refused(y: int, sign: int) -> None:
    key = (y + sign).to_bytes(32, "little")
    with pytest.raises(ThermiteError):
        check_public_key(key)
    for sig in (bytes(64), b"\x01" + bytes(63), key + bytes(32)):
        assert not verify(key, b"anything", sig)


@pytest.mark.parametrize("key", [b"", KEY[:31], KEY + b"\0", KEY.hex().encode()])
def test_keys_of_another_length_are_refused(key: bytes) -> None:
    with pytest.raises(ThermiteError, match="not 32"):
        check_public_key(key)
    assert not verify(key, b"", bytes(64))


def test_a_signature_has_one_spelling() -> None:
    message = pae(REPORT_TYPE, b'{"a":1}')
    sig = base64.b64decode(SIGNATURE)
    order = 2**252 + 27742317777372353535851937790883648493
    other = sig[:32] + (int.from_bytes(sig[32:], "little") + order).to_bytes(32, "little")
    assert verify(KEY, message, sig)
    assert not verify(KEY, message, other)
    assert not verify(KEY, message, sig[:63])
    assert not verify(KEY, message, b"")
