"""DSSE envelopes with Ed25519: reading, sealing and the rules on keys.

A signature stands over the pre-authentication encoding of the raw payload bytes and is checked before they are parsed.
Whether a key may speak for a rig is control's question, not this module's.
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass

import msgspec
from nacl.bindings import crypto_core_ed25519_is_valid_point
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.ledger import strict_json

REPORT_TYPE = "application/vnd.thermite.report+json"
COMMAND_TYPE = "application/vnd.thermite.command+json"

MAX_SIGNATURES = 16
"""So many signatures of an envelope are looked at; those behind them count for nothing."""

MAX_PARTS = 1_000_000
"""Commas and brackets that an envelope may hold: a bound on the memory that unsigned junk can ask for."""

_FIELD_PRIME = 2**255 - 19


class EnvelopeError(ValueError):
    """A file that is no envelope; `detail` is one line that says why."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


@dataclass(frozen=True)
class Signature:
    """One signature: the key id that it names (only a hint, of any form) and its 64 bytes."""

    keyid: str
    sig: bytes


@dataclass(frozen=True)
class Envelope:
    """An envelope of the right shape; nothing in it has been verified."""

    payload: bytes
    signatures: tuple[Signature, ...]


class _WireSignature(msgspec.Struct):
    keyid: str
    sig: str


class _WireEnvelope(msgspec.Struct):
    payloadType: str
    payload: str
    signatures: list[_WireSignature]


_DECODER = msgspec.json.Decoder(_WireEnvelope)


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding of DSSE version 1: the bytes that a signature stands over."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def parse_envelope(raw: bytes, payload_type: str) -> Envelope:
    """The envelope in `raw`, which must be of `payload_type`. Raises `EnvelopeError` for anything else.

    Unknown fields are ignored. Of the signatures the first `MAX_SIGNATURES` are kept, and each of those must have the
    right shape.
    """
    wire = _wire(raw)
    if wire.payloadType != payload_type:
        raise EnvelopeError(f"payloadType is {strict_json.show(wire.payloadType)}, not {payload_type}")
    payload = _unbase64(wire.payload, "payload")
    signatures = tuple(
        Signature(entry.keyid, _unbase64(entry.sig, f"signatures[{index}].sig"))
        for index, entry in enumerate(wire.signatures[:MAX_SIGNATURES])
    )
    if not signatures:
        raise EnvelopeError("signatures is empty")
    for index, signature in enumerate(signatures):
        if len(signature.sig) != 64:
            raise EnvelopeError(f"signatures[{index}].sig has {len(signature.sig)} bytes, not 64")
    return Envelope(payload, signatures)


def seal(payload_type: str, payload: bytes, seed: bytes) -> bytes:
    """A signed envelope around `payload`, as one line of JSON; `seed` is the 32-byte Ed25519 seed of the signer."""
    key = SigningKey(seed)
    signature = key.sign(pae(payload_type, payload)).signature
    return strict_json.dumps(
        {
            "payloadType": payload_type,
            "payload": base64.b64encode(payload).decode(),
            "signatures": [
                {"keyid": keyid_of(bytes(key.verify_key)), "sig": base64.b64encode(signature).decode()},
            ],
        }
    )


def public_key_of(seed: bytes) -> bytes:
    """The raw 32-byte public key of a 32-byte Ed25519 seed."""
    return bytes(SigningKey(seed).verify_key)


def keyid_of(public_key: bytes) -> str:
    """The key id: lower-case hex SHA-256 of the raw public key."""
    return hashlib.sha256(public_key).hexdigest()


def check_public_key(raw: bytes) -> None:
    """Raise `ThermiteError` unless `raw` is a public key that only its owner can sign for.

    Refused: another length than 32 bytes, an encoding that is not canonical, no point of the curve, and points of small
    order or with a small-order part. With the identity point as key, one fixed signature would verify every message.
    """
    what = ""
    if len(raw) != 32:
        what = f"the public key has {len(raw)} bytes, not 32"
    elif int.from_bytes(raw, "little") % 2**255 >= _FIELD_PRIME:
        what = "the public key is not in canonical form"
    elif not crypto_core_ed25519_is_valid_point(bytes(raw)):
        what = "the public key is no safe Ed25519 point (not on the curve, or of small order)"
    if what:
        raise ThermiteError(what, do="give the raw public key that the rig's own Ed25519 seed yields")


def verify(public_key: bytes, message: bytes, sig: bytes) -> bool:
    """Whether `sig` is an Ed25519 signature of `message` (a `pae`) by `public_key`; a wrong length is just False."""
    if len(public_key) != 32 or len(sig) != 64:
        return False
    try:
        VerifyKey(public_key).verify(message, sig)
    except BadSignatureError:
        return False
    return True


def _wire(raw: bytes) -> _WireEnvelope:
    try:
        wire = _DECODER.decode(raw)
        if strict_json.keeps_all(raw, strict_json.dumps(wire)):
            return wire
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        pass
    return _wire_exactly(raw)


def _wire_exactly(raw: bytes) -> _WireEnvelope:
    if sum(raw.count(mark) for mark in (b",", b"[", b"{")) > MAX_PARTS:
        raise EnvelopeError(f"envelope: more than {MAX_PARTS} parts")
    try:
        value = strict_json.loads(raw)
    except strict_json.StrictJsonError as error:
        raise EnvelopeError(f"envelope: {error.detail}" if raw else "the file is empty") from None
    if isinstance(value, dict) and isinstance(value.get("signatures"), list):
        value["signatures"] = value["signatures"][:MAX_SIGNATURES]
    try:
        return msgspec.convert(value, _WireEnvelope)
    except msgspec.ValidationError as error:
        raise EnvelopeError(f"envelope: {strict_json.describe(error)}") from None


def _unbase64(text: str, place: str) -> bytes:
    """The bytes of standard base64; only the one canonical spelling passes (padding, no blanks, no stray bits)."""
    try:
        data = binascii.a2b_base64(text.encode("ascii"), strict_mode=True)
    except ValueError:
        raise EnvelopeError(f"{place} is no standard base64") from None
    if binascii.b2a_base64(data, newline=False) != text.encode("ascii"):
        raise EnvelopeError(f"{place} is not canonical base64")
    return data
