"""Secrets that people carry: links, tokens and signed cookies. The database knows their hashes alone."""

from __future__ import annotations

import hashlib
import hmac
import secrets

__all__ = ["csrf", "fresh", "hashed", "is_csrf", "signed", "verified"]

BYTES = 32
"""256 random bits: nobody guesses them, so a hash without salt and without delay is enough."""


def fresh(prefix: str) -> str:
    """A new secret that says by its beginning what it is for, so that one found in a log can be told and revoked."""
    return f"{prefix}_{secrets.token_urlsafe(BYTES)}"


def hashed(secret: str) -> str:
    """What the database keeps of a secret."""
    return hashlib.sha256(_bytes(secret)).hexdigest()


def signed(value: str, key: str) -> str:
    """The value with a signature, as a cookie carries it."""
    return f"{value}.{_signature('session', value, key)}"


def verified(cookie: str, key: str) -> str | None:
    """The value of a signed cookie; None where the signature is not ours."""
    value, _, signature = cookie.rpartition(".")
    return value if value and _same(signature, _signature("session", value, key)) else None


def csrf(session: str, key: str) -> str:
    """The token that the forms of a session carry: a foreign page cannot know it."""
    return _signature("csrf", session, key)


def is_csrf(token: str, session: str, key: str) -> bool:
    """Whether a form's token belongs to the session."""
    return _same(token, csrf(session, key))


def _same(given: str, expected: str) -> bool:
    """Whether the two are equal, in a time that tells nothing about where they differ."""
    return hmac.compare_digest(_bytes(given), _bytes(expected))


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _signature(purpose: str, value: str, key: str) -> str:
    return hmac.new(_bytes(key), _bytes(f"{purpose}:{value}"), hashlib.sha256).hexdigest()
