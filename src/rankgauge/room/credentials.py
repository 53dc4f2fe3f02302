"""Secrets: links, tokens, signed cookies and CSRF tokens. The database keeps only hashes of them."""

from __future__ import annotations

import hashlib
import hmac
import secrets

BYTES = 32
"""256 random bits cannot be guessed, so that a fast hash without salt is enough."""


def new_secret(prefix: str) -> str:
    """Return a new secret. Its prefix says what it is for, so that one found in the wrong place can be revoked."""
    return f"{prefix}_{secrets.token_urlsafe(BYTES)}"


def new_signing_key() -> str:
    """Return a new key to sign sessions with."""
    return secrets.token_hex(BYTES)


def hash_secret(secret: str) -> str:
    """Return the hash that the database keeps of a secret."""
    return hashlib.sha256(_bytes(secret)).hexdigest()


def sign(value: str, key: str) -> str:
    """Return the value and its signature, for a cookie."""
    return f"{value}.{_signature('session', value, key)}"


def verify(cookie: str, key: str) -> str | None:
    """Return the value of a signed cookie; None if the signature is wrong."""
    value, _, signature = cookie.rpartition(".")
    return value if value and _same(signature, _signature("session", value, key)) else None


def csrf_token(session: str, key: str) -> str:
    """Return the token in the forms of a session; pages of other sites cannot know it."""
    return _signature("csrf", session, key)


def is_csrf_token(token: str, session: str, key: str) -> bool:
    """Say whether a form's token belongs to the session."""
    return _same(token, csrf_token(session, key))


def _same(given: str, expected: str) -> bool:
    """Say whether the two are equal, in constant time."""
    return hmac.compare_digest(_bytes(given), _bytes(expected))


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _signature(purpose: str, value: str, key: str) -> str:
    return hmac.new(_bytes(key), _bytes(f"{purpose}:{value}"), hashlib.sha256).hexdigest()
