"""Secrets that control keeps for rigs: sealed at rest under control's own key, and handed out sealed to a rig's key.

At rest: XChaCha20-Poly1305 under a key that BLAKE2b derives from the seed of control's signing key, so that one key
never signs and encrypts. What the secret belongs to is authenticated with it: a secret that is moved to another row,
or whose row is given another URL, can't be opened. To a rig: a sealed box (X25519, XSalsa20-Poly1305) to the rig's
Ed25519 key, converted.
"""

import base64
import secrets

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt, crypto_aead_xchacha20poly1305_ietf_encrypt
from nacl.encoding import RawEncoder
from nacl.exceptions import CryptoError
from nacl.hash import blake2b
from nacl.public import SealedBox
from nacl.signing import VerifyKey

from thermite_pipelines.control.commands import read_control_key
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.settings import Settings

_PURPOSE = b"thermite.mcp/1"
_NONCE_BYTES = 24


def seal_at_rest(settings: Settings, secret: str, belongs_to: bytes) -> bytes:
    """The secret as it may lie on a disk. Raises `ThermiteError` where control has no key."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    key = _key_at_rest(settings)
    return nonce + crypto_aead_xchacha20poly1305_ietf_encrypt(secret.encode(), belongs_to, nonce, key)


def open_at_rest(settings: Settings, sealed: bytes, belongs_to: bytes) -> str:
    """The secret again.

    Raises `ThermiteError` where control has no key, and where it was sealed with another key or for something else.
    """
    key = _key_at_rest(settings)
    nonce, ciphertext = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    try:
        return crypto_aead_xchacha20poly1305_ietf_decrypt(ciphertext, belongs_to, nonce, key).decode()
    except (CryptoError, ValueError):
        raise ThermiteError("its secret can't be opened: it was sealed with another key, or changed") from None


def seal_to(public_key: str, secret: str) -> str:
    """The secret for whoever has the private half of a rig's key (64 hex digits); base64, other text each time."""
    box = SealedBox(VerifyKey(bytes.fromhex(public_key)).to_curve25519_public_key())
    return base64.b64encode(box.encrypt(secret.encode())).decode()


def _key_at_rest(settings: Settings) -> bytes:
    return blake2b(b"", key=read_control_key(settings), person=_PURPOSE, digest_size=32, encoder=RawEncoder)
