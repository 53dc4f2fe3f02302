"""Who sent the request, and whether they may: the dependencies that guard each route.

A browser has a session in a signed cookie, and its forms carry the session's CSRF token, so that other sites cannot
submit them. A program sends an API token in the header `Authorization: Bearer …`; it needs no CSRF token, as browsers
do not send that header by themselves.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, HTTPException, Request
from starlette.concurrency import run_in_threadpool

from rankgauge.room.addresses import sender
from rankgauge.room.credentials import is_csrf_token, verify
from rankgauge.room.log import CURRENT
from rankgauge.room.people import Permission, Person
from rankgauge.room.room import Room, room_of
from rankgauge.room.route import ZERO_BYTE

COOKIE = "rankgauge"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
FIELD, HEADER = "csrf", "x-csrf-token"

OTHER_SESSION = {"x-refused": "session"}
"""The header by which a page's script knows that the form is of another session: a new page has the right one."""

ZERO = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""A zero byte as JSON writes it."""

# Dependencies that do not wait for the database are coroutines: FastAPI runs all others in a thread, which is slower.


async def _room(request: Request) -> Room:
    return room_of(request)


TheRoom: TypeAlias = Annotated[Room, Depends(_room)]


def count_try(request: Request, room: Room) -> None:
    """Counts a link or token that does not work; refuses an address that has tried too many. What works is free."""
    if not room.limit.allows(sender(request, room.proxies)):
        raise HTTPException(429, "too many attempts from this address; wait a minute", headers={"Retry-After": "60"})


async def _signed_in(request: Request, room: TheRoom) -> AsyncIterator[Person]:
    """Yield the sender of the request, by token or by session. Uploaded files are closed at the end."""
    try:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            person = await run_in_threadpool(_by_token, request, room, token.strip())
        else:
            person = await run_in_threadpool(_by_session, request, room)
            if request.method not in SAFE:
                await _check_form(request, room)
        await _refuse_zeros(request)
        yield person
    finally:
        await request.close()


def _by_token(request: Request, room: Room, token: str) -> Person:
    person = room.people.by_token(token)
    if person is None:
        count_try(request, room)
        raise HTTPException(401, "no such token", headers={"WWW-Authenticate": "Bearer"})
    _is_known(request, person)
    return person


def _is_known(request: Request, person: Person) -> None:
    """Keep who sent the request, for routes, pages and the log."""
    request.state.person = person
    if (facts := CURRENT.get()) is not None:
        facts["person"] = person.id


def _by_session(request: Request, room: Room) -> Person:
    session = verify(request.cookies.get(COOKIE, ""), room.key)
    person = None if session is None else room.people.by_session(session)
    if person is None:
        request.state.former = None if session is None else room.people.by_ended_session(session)
        raise HTTPException(401, "you are not signed in")
    request.state.session = session
    _is_known(request, person)
    return person


async def _check_form(request: Request, room: Room) -> None:
    """Refuses a form that does not come from a page of this session."""
    token = request.headers.get(HEADER)
    if token is None and _is_form(request):
        token = str((await request.form()).get(FIELD, ""))
    if not is_csrf_token(token or "", request.state.session, room.key):
        words = "this form belongs to another session; reload the page and try again"
        raise HTTPException(403, words, headers=OTHER_SESSION)


async def _refuse_zeros(request: Request) -> None:
    """Refuses texts with a zero byte, in a form or in JSON; files may have any."""
    texts = (await request.form()).values() if _is_form(request) else ()
    is_json = "json" in request.headers.get("content-type", "").lower()
    if any("\0" in text for text in texts if isinstance(text, str)) or (is_json and ZERO.search(await request.body())):
        raise HTTPException(400, ZERO_BYTE)


def _is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith(("application/x-www-form", "multipart/"))


SignedIn: TypeAlias = Annotated[Person, Depends(_signed_in)]


async def _admin(person: SignedIn) -> Person:
    return _require(person, Permission.ADMINISTER)


async def _member(campaign: int, person: SignedIn) -> Person:
    # 404, not 403: an assessor of another campaign does not even learn that this one exists.
    if not person.belongs_to(campaign):
        raise HTTPException(404, "no such campaign")
    return person


Admin: TypeAlias = Annotated[Person, Depends(_admin)]
Member: TypeAlias = Annotated[Person, Depends(_member)]
"""Anybody of the campaign, whatever their role."""


def _require(person: Person, permission: Permission) -> Person:
    if not person.may(permission):
        raise HTTPException(403, f"the role {person.role} may not do this")
    return person


def _who_may(permission: Permission) -> Any:
    """Somebody of the campaign whose role has the permission."""

    async def member(person: Member) -> Person:
        return _require(person, permission)

    return Depends(member)


Judge: TypeAlias = Annotated[Person, _who_may(Permission.JUDGE)]
Viewer: TypeAlias = Annotated[Person, _who_may(Permission.WATCH)]
Importer: TypeAlias = Annotated[Person, _who_may(Permission.IMPORT)]
Manager: TypeAlias = Annotated[Person, _who_may(Permission.MANAGE)]
