"""API tokens: everybody has their own, sees when each ends, and revokes it. A token may do what its owner may."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import Form, HTTPException, Path, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.room.auth import SignedIn, TheRoom
from rankgauge.room.people import WORDS, Person
from rankgauge.room.room import Room
from rankgauge.room.route import api, pages

router = pages("tokens", place=110)


@router.get("/tokens")
def show(request: Request, room: TheRoom, person: SignedIn) -> Response:
    """The person's tokens, and the form for a new one."""
    return _page(request, room, person)


@router.post("/tokens")
def make(
    request: Request, room: TheRoom, person: SignedIn, name: Annotated[str, Form(min_length=1, max_length=120)]
) -> Response:
    """Makes a token and shows it, once. A token makes none: it would never expire."""
    if getattr(request.state, "session", None) is None:
        raise HTTPException(403, "tokens are made on this page, by whoever is signed in")
    return _page(request, room, person, token=room.people.new_token(person.id, name))


@router.post("/tokens/{token}/revoke")
def revoke(room: TheRoom, person: SignedIn, token: int) -> Response:
    """Revokes a token."""
    if not room.people.revoke_token(person.id, token):
        raise HTTPException(404, "no such token")
    return RedirectResponse("/tokens", status_code=303)


def _page(request: Request, room: Room, person: Person, *, token: str = "") -> Response:
    days, rows = room.settings.token_days, room.people.tokens(person.id)
    may = WORDS[person.role]
    return room.page(request, "tokens.html", rows=rows, token=token, now=time.time(), days=days, may=may)


calls = api("api_tokens", place=230, tag="tokens")


@calls.get("/tokens")
def list_tokens(room: TheRoom, person: SignedIn) -> list[dict[str, Any]]:
    """The caller's tokens: what each is for, when it was made, and when it expires or was revoked; never the secret."""
    return [dict(row._mapping) for row in room.people.tokens(person.id)]


@calls.delete("/tokens/{token}", status_code=204)
def revoke_token(room: TheRoom, person: SignedIn, token: Annotated[int, Path(ge=1, le=2**31 - 1)]) -> None:
    """Revokes one of the caller's tokens, perhaps the one that the call was made with."""
    if not room.people.revoke_token(person.id, token):
        raise HTTPException(404, "no such token")
