"""What one file is by itself: signature, payload and shape, in the order that the report format gives.

No database here: the keys of the rig and a question about accepted payloads are handed in.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from thermite_pipelines.ledger.envelope import REPORT_TYPE, Envelope, EnvelopeError, pae, parse_envelope, verify
from thermite_pipelines.ledger.payload import PayloadError, Place, Report, claimed_place, parse_payload

MAX_SIGNATURES = 16


@dataclass(frozen=True)
class Key:
    """A public key that control holds for a rig."""

    public_key: bytes
    revoked_at: int | None


@dataclass(frozen=True)
class Finding:
    """Why a file is quarantined; `payload_sha256` where the payload is known.

    `place` is what a bad payload with a good signature claims: it tells people which chain stands behind it.
    """

    reason: str
    detail: str
    payload_sha256: str | None = None
    report: Report | None = None
    place: Place | None = None


@dataclass(frozen=True)
class SignedReport:
    """A report whose signature and payload are good; its place in the chain is another question."""

    report: Report
    payload: bytes
    payload_sha256: str
    keyid: str


def judge_envelope(
    raw: bytes, rig: str, keys: dict[str, Key] | None, is_accepted: Callable[[str], bool]
) -> Finding | SignedReport:
    """Steps 3 to 5 up to `wrong-rig` for the bytes of an envelope.

    `keys` are those of the inbox's rig by key id, or None where control does not know the rig. `is_accepted` tells
    whether a payload hash is accepted for the rig: a copy of such a report is no reason to look at a revocation.
    """
    try:
        envelope = parse_envelope(raw, REPORT_TYPE)
    except EnvelopeError as error:
        return Finding("bad-envelope", str(error))
    payload_sha256 = hashlib.sha256(envelope.payload).hexdigest()
    if keys is None:
        return Finding("unknown-rig", f"control knows no rig {rig[:63]!r}", payload_sha256)
    signer = _signer(envelope, keys, lambda: is_accepted(payload_sha256))
    if isinstance(signer, Finding):
        return Finding(signer.reason, signer.detail, payload_sha256)
    try:
        report = parse_payload(envelope.payload)
    except PayloadError as error:
        return Finding("bad-payload", str(error), payload_sha256, place=claimed_place(envelope.payload))
    if report.rig != rig:
        return Finding("wrong-rig", f"the payload names rig {report.rig}", payload_sha256, report)
    return SignedReport(report, envelope.payload, payload_sha256, signer)


def _signer(envelope: Envelope, keys: dict[str, Key], is_accepted: Callable[[], bool]) -> str | Finding:
    """The id of the first key that passes, else the finding of the signature that came furthest."""
    message = pae(REPORT_TYPE, envelope.payload)
    furthest = Finding("unknown-key", "no signature is by a key that control holds for the rig")
    order = {"unknown-key": 0, "revoked-key": 1, "bad-signature": 2}
    for signature in envelope.signatures[:MAX_SIGNATURES]:
        key = keys.get(signature.keyid)
        if key is None:
            continue
        if key.revoked_at is not None and not is_accepted():
            finding = Finding("revoked-key", f"key {signature.keyid[:16]}… is revoked")
        elif verify(key.public_key, message, signature.sig):
            return signature.keyid
        else:
            finding = Finding("bad-signature", f"the signature by key {signature.keyid[:16]}… does not verify")
        if order[finding.reason] > order[furthest.reason]:
            furthest = finding
    return furthest
