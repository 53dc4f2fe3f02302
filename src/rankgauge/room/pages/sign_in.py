"""Signing in by a link, and signing out."""

from __future__ import annotations

from fastapi import HTTPException, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.room.addresses import is_cross_site
from rankgauge.room.auth import COOKIE, SignedIn, TheRoom, count_try
from rankgauge.room.credentials import signed
from rankgauge.room.people import DAY, HOUR, REMEMBERED_DAYS
from rankgauge.room.route import pages

router = pages("sign_in", place=20)


@router.get("/enter/{link}")
def ask(request: Request, room: TheRoom, link: str) -> Response:
    """Shows whose link it is, with a button: the preview of a mail program must not use up a one-time link."""
    person = room.people.by_link(link)
    if person is None:
        count_try(request, room)
        return room.page(request, "dead_link.html", status=404)
    return room.page(request, "sign_in.html", guest=person, link=link)


@router.post("/enter/{link}")
def enter(request: Request, room: TheRoom, link: str) -> Response:
    """Signs the owner of the link in. The link is the proof, so that the form needs no CSRF token.

    Another site must not submit it: whoever visits that site would judge in the name of its owner without noticing.
    """
    if is_cross_site(request, room.settings.base):
        raise HTTPException(403, "open the link itself: another site must not sign you in")
    entered = room.people.enter(link)
    if entered is None:
        count_try(request, room)
        raise HTTPException(404, "this link is not valid, or has expired")
    response = RedirectResponse("/", status_code=303)
    response.set_cookie(
        COOKIE,
        signed(entered[1], room.key),
        # The cookie outlives the session: without it the room could not tell an ended session from a stranger.
        max_age=int(room.settings.session_hours * HOUR + REMEMBERED_DAYS * DAY),
        httponly=True,
        secure=room.settings.secure,
        samesite="lax",
    )
    return response


@router.post("/leave")
def leave(request: Request, room: TheRoom, person: SignedIn) -> Response:
    """Ends the session."""
    session = getattr(request.state, "session", None)
    if session is None:
        raise HTTPException(400, "a token has no session to leave; revoke the token instead")
    room.people.leave(session)
    response = RedirectResponse("/", status_code=303)
    response.delete_cookie(COOKIE, httponly=True, secure=room.settings.secure, samesite="lax")
    return response
