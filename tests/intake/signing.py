"""Envelopes with any signatures, made by hand."""

import base64
import json
from typing import Any

from tests.support.homes import Home
from tests.support.rigs import drop, seed_of
from thermite_pipelines.ledger.envelope import REPORT_TYPE, keyid_of, public_key_of, seal


def signed(payload: bytes, *names: str, wrong: tuple[str, ...] = ()) -> bytes:
    """An envelope with a signature by each named seed; those in `wrong` do not verify."""
    signatures: list[dict[str, Any]] = []
    for name in names:
        one = json.loads(seal(REPORT_TYPE, payload + (b" " if name in wrong else b""), seed_of(name)))
        signatures += one["signatures"]
    body = base64.b64encode(payload).decode()
    return json.dumps({"payloadType": REPORT_TYPE, "payload": body, "signatures": signatures}).encode()


def key(name: str) -> str:
    return public_key_of(seed_of(name)).hex()


def keyid(name: str) -> str:
    return keyid_of(public_key_of(seed_of(name)))


def take_one(home: Home, envelope: bytes, name: str = "x.dsse.json", rig: str = "rig-a") -> str:
    """Outcome or reason of one file."""
    drop(home.settings.inbox / rig, name, envelope)
    home.take(rig)
    return home.outcomes(rig)[name]
