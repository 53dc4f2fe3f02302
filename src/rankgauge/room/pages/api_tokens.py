"""API: the caller's own tokens."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import HTTPException, Path

from rankgauge.room.auth import SignedIn, TheRoom
from rankgauge.room.route import api

router = api("api_tokens", place=230, tag="tokens")


@router.get("/tokens")
def list_tokens(room: TheRoom, person: SignedIn) -> list[dict[str, Any]]:
    """The caller's tokens: what each is for, when it was made, and when it expires or was revoked; never the secret."""
    return [dict(row._mapping) for row in room.people.tokens(person.id)]


@router.delete("/tokens/{token}", status_code=204)
def revoke_token(room: TheRoom, person: SignedIn, token: Annotated[int, Path(ge=1, le=2**31 - 1)]) -> None:
    """Revokes one of the caller's tokens, perhaps the one that the call was made with."""
    if not room.people.revoke_token(person.id, token):
        raise HTTPException(404, "no such token")
