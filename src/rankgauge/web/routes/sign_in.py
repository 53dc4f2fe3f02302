"""Signing in by a link, and signing out."""

from __future__ import annotations

from fastapi import Depends, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.web.auth import COOKIE, SignedIn, TheRoom, limited
from rankgauge.web.credentials import signed
from rankgauge.web.route import pages

router = pages("sign_in", place=20)


@router.get("/enter/{link}", dependencies=[Depends(limited)])
def ask(request: Request, room: TheRoom, link: str) -> Response:
    """Shows whose link it is, with a button: the preview of a mail program must not use up a one-time link."""
    person = room.people.by_link(link)
    if person is None:
        return room.page(request, "dead_link.html", status=404)
    return room.page(request, "sign_in.html", guest=person, link=link)


@router.post("/enter/{link}", dependencies=[Depends(limited)])
def enter(room: TheRoom, link: str) -> Response:
    """Signs the owner of the link in. The link is the proof, so that the form needs no CSRF token."""
    entered = room.people.enter(link)
    if entered is None:
        raise HTTPException(404, "this link is not valid, or has expired")
    response = RedirectResponse("/", status_code=303)
    response.set_cookie(
        COOKIE,
        signed(entered[1], room.key),
        max_age=int(room.settings.session_hours * 3600),
        httponly=True,
        secure=room.settings.secure,
        samesite="lax",
    )
    return response


@router.post("/leave")
def leave(request: Request, room: TheRoom, person: SignedIn) -> Response:
    """Ends the session."""
    room.people.leave(request.state.session)
    response = RedirectResponse("/", status_code=303)
    response.delete_cookie(COOKIE, httponly=True, secure=room.settings.secure, samesite="lax")
    return response
