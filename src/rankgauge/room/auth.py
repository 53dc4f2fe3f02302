"""Who sent the request, and whether they may: the dependencies that guard each route.

A browser has a session in a signed cookie, and its forms carry the session's CSRF token, so that other sites cannot
submit them. A program sends an API token in the header `Authorization: Bearer …`; it needs no CSRF token, as browsers
do not send that header by themselves.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, HTTPException, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from rankgauge.room.addresses import sender
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.credentials import is_csrf_token, verify
from rankgauge.room.log import CURRENT
from rankgauge.room.people import Permission, Person
from rankgauge.room.room import Room, room_of
from rankgauge.room.route import API, ZERO_BYTE, CampaignNumber

COOKIE = "rankgauge"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
FIELD, HEADER = "csrf", "x-csrf-token"

FRAGMENT = "x-fragment"
"""The header with which a page's script asks for the next task without the rest of the page."""

OTHER_SESSION = {"x-refused": "session"}
"""The header by which a page's script knows that the form is of another session: a new page has the right one."""

ZERO = b"\\u0000"
"""A zero byte as JSON writes it, unless the backslash itself is escaped."""

# Dependencies that do not wait for the database are coroutines: FastAPI runs all others in a thread, which is slower.


async def _room(request: Request) -> Room:
    return room_of(request)


TheRoom: TypeAlias = Annotated[Room, Depends(_room)]


def count_try(request: Request, room: Room) -> None:
    """Count a link or token that does not work; refuse an address that has tried too many. What works is free."""
    if not room.limit.allows(sender(request, room.proxies)):
        raise HTTPException(429, "too many attempts from this address; wait a minute", headers={"Retry-After": "60"})


async def _signed_in(request: Request, room: TheRoom) -> AsyncIterator[Person]:
    """Yield the sender of the request, by token or by session; refuse forms of other sites, and zero bytes.

    Uploaded files are closed at the end.
    """
    try:
        person = await run_in_threadpool(_sender, request, room)
        kind, session = request.headers.get("content-type", ""), getattr(request.state, "session", None)
        form = await request.form() if kind.startswith(("application/x-www-form", "multipart/")) else {}
        if session is not None and request.method not in SAFE:
            token = request.headers.get(HEADER, form.get(FIELD, ""))
            if not is_csrf_token(str(token), session, room.key):
                words = "this form belongs to another session; reload the page and try again"
                raise HTTPException(403, words, headers=OTHER_SESSION)
        zero = any("\0" in text for text in form.values() if isinstance(text, str))
        body = await request.body() if "json" in kind.lower() else b""  # files may have any bytes
        if zero or (ZERO in body and ZERO in body.replace(b"\\\\", b"  ")):
            raise HTTPException(400, ZERO_BYTE)
        yield person
    finally:
        await request.close()


def _sender(request: Request, room: Room) -> Person:
    """Return who sent the request, and keep it for routes, pages and the log."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        person = room.people.by_token(token.strip())
        if person is None:
            count_try(request, room)
            raise HTTPException(401, "no such token", headers={"WWW-Authenticate": "Bearer"})
    else:
        session = verify(request.cookies.get(COOKIE, ""), room.key)
        person = None if session is None else room.people.by_session(session)
        if person is None:
            request.state.former = None if session is None else room.people.by_ended_session(session)
            raise HTTPException(401, "you are not signed in")
        request.state.session = session
    request.state.person = person
    if (facts := CURRENT.get()) is not None:
        facts["person"] = person.id
    return person


SignedIn: TypeAlias = Annotated[Person, Depends(_signed_in)]


def _require(person: Person, permission: Permission) -> Person:
    if not person.may(permission):
        raise HTTPException(403, f"the role {person.role} may not do this")
    return person


async def _admin(person: SignedIn) -> Person:
    return _require(person, Permission.ADMINISTER)


async def _member(campaign: CampaignNumber, person: SignedIn) -> Person:
    # 404, not 403: an assessor of another campaign does not even learn that this one exists.
    if not person.belongs_to(campaign):
        raise HTTPException(404, "no such campaign")
    return person


Admin: TypeAlias = Annotated[Person, Depends(_admin)]
Member: TypeAlias = Annotated[Person, Depends(_member)]
"""Anybody of the campaign, whatever their role."""


def _who_may(permission: Permission) -> Any:
    """Somebody of the campaign whose role has the permission."""

    async def member(person: Member) -> Person:
        return _require(person, permission)

    return Depends(member)


Judge: TypeAlias = Annotated[Person, _who_may(Permission.JUDGE)]
Viewer: TypeAlias = Annotated[Person, _who_may(Permission.WATCH)]
Importer: TypeAlias = Annotated[Person, _who_may(Permission.IMPORT)]
Manager: TypeAlias = Annotated[Person, _who_may(Permission.MANAGE)]


def done(request: Request, page: str) -> Response:
    """Lead a browser on to a page; a program hears that it is done."""
    is_call = request.url.path.startswith(API)
    return Response(status_code=204) if is_call else RedirectResponse(page, status_code=303)


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A request to a campaign: to which, and the pages and places that answer it."""

    request: Request
    room: Room
    campaign: int

    @property
    def opened(self) -> OpenCampaign:
        """The campaign."""
        return self.room.campaigns.get(self.campaign)

    def page(self, template: str, **facts: Any) -> Response:
        """Render a page of the campaign."""
        return self.room.page(self.request, template, opened=self.opened, **facts)

    def task_page(self, part: str, whole: str, **facts: Any) -> Response:
        """Render a page of tasks, or for its script only the task, which it tells from an error page by a header."""
        asked = FRAGMENT in self.request.headers
        page = self.page(part if asked else whole, **facts)
        page.headers.update({FRAGMENT: "1"} if asked else {})
        return page

    def done(self, page: str = "") -> Response:
        """Lead a browser on to a page of the campaign; a program hears that it is done."""
        return done(self.request, f"/campaigns/{self.campaign}{page}")


async def _visit(request: Request, room: TheRoom, campaign: CampaignNumber) -> Visit:
    return Visit(request=request, room=room, campaign=campaign)


TheVisit: TypeAlias = Annotated[Visit, Depends(_visit)]
