"""Who may: the checks that stand before each route.

A browser shows its session in a signed cookie, and each form of it carries the session's token, so that no foreign
page can send one. A program shows a token of its own in the header `Authorization: Bearer …`; it needs no form's
token, as no browser sends that header by itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, TypeAlias

from fastapi import Depends, HTTPException, Request
from starlette.concurrency import run_in_threadpool

from rankgauge.web import credentials as keys
from rankgauge.web.people import Person, Role
from rankgauge.web.room import Room, room_of

__all__ = ["COOKIE", "Admin", "Member", "Somebody", "TheRoom", "limited"]

COOKIE = "rankgauge"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
FIELD, HEADER = "csrf", "x-csrf-token"

# Checks that only look at what is at hand are coroutines: others are given a thread each, which takes longer.


async def _room(request: Request) -> Room:
    return room_of(request)


TheRoom: TypeAlias = Annotated[Room, Depends(_room)]


async def limited(request: Request, room: TheRoom) -> None:
    """Refuses an address that tries too many links or tokens."""
    _count(request, room)


def _count(request: Request, room: Room) -> None:
    address = request.client.host if request.client else "unknown"
    if not room.limit.allows(address):
        raise HTTPException(429, "too many tries from this address; wait a minute", headers={"Retry-After": "60"})


async def _somebody(request: Request, room: TheRoom) -> AsyncIterator[Person]:
    """Whoever sent the request, by token or by session; files that came with it are closed in the end."""
    try:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            yield await run_in_threadpool(_by_token, request, room, token.strip())
            return
        person = await run_in_threadpool(_by_session, request, room)
        if request.method not in SAFE:
            await _check_form(request, room)
        yield person
    finally:
        await request.close()


def _by_token(request: Request, room: Room, token: str) -> Person:
    person = room.people.behind_token(token)
    if person is None:
        _count(request, room)
        raise HTTPException(401, "no such token", headers={"WWW-Authenticate": "Bearer"})
    request.state.person = person
    return person


def _by_session(request: Request, room: Room) -> Person:
    session = keys.verified(request.cookies.get(COOKIE, ""), room.key)
    person = None if session is None else room.people.in_session(session)
    if person is None:
        raise HTTPException(401, "nobody is signed in")
    request.state.person, request.state.session = person, session
    return person


async def _check_form(request: Request, room: Room) -> None:
    """Refuses what was not sent from a page of this session."""
    token = request.headers.get(HEADER)
    if token is None and request.headers.get("content-type", "").startswith(("application/x-www-form", "multipart/")):
        token = str((await request.form()).get(FIELD, ""))
    if not keys.is_csrf(token or "", request.state.session, room.key):
        raise HTTPException(403, "this form is not from a page of yours; load the page again")


Somebody: TypeAlias = Annotated[Person, Depends(_somebody)]


async def _admin(person: Somebody) -> Person:
    if person.role is not Role.ADMIN:
        raise HTTPException(403, "only an admin may do this")
    return person


Admin: TypeAlias = Annotated[Person, Depends(_admin)]


async def _member(campaign: int, person: Somebody) -> Person:
    # To those whom it does not concern a campaign does not exist: its number tells nothing.
    if not person.may_see(campaign):
        raise HTTPException(404, "no such campaign")
    return person


Member: TypeAlias = Annotated[Person, Depends(_member)]
