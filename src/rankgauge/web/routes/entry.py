"""Coming in by a link, and leaving."""

from __future__ import annotations

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.web import credentials as keys
from rankgauge.web.auth import COOKIE, Somebody, TheRoom, limited

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/enter/{link}", dependencies=[Depends(limited)])
def ask(request: Request, room: TheRoom, link: str) -> Response:
    """Says whose link it is and asks to go on: a preview of the link by a mail program must not use it up."""
    person = room.people.behind_link(link)
    if person is None:
        return room.page(request, "no_entry.html", status=404)
    return room.page(request, "entry.html", guest=person, link=link)


@router.post("/enter/{link}", dependencies=[Depends(limited)])
def enter(room: TheRoom, link: str) -> Response:
    """Lets the owner of the link in. The link itself is the proof, so that the form needs no token."""
    entered = room.people.enter(link)
    if entered is None:
        raise HTTPException(404, "this link does not work, or no longer")
    answer = RedirectResponse("/", status_code=303)
    answer.set_cookie(
        COOKIE,
        keys.signed(entered[1], room.key),
        max_age=int(room.settings.session_hours * 3600),
        httponly=True,
        secure=room.settings.secure,
        samesite="lax",
    )
    return answer


@router.post("/leave")
def leave(request: Request, room: TheRoom, person: Somebody) -> Response:
    """Ends the session."""
    room.people.leave(request.state.session)
    answer = RedirectResponse("/", status_code=303)
    answer.delete_cookie(COOKIE, httponly=True, secure=room.settings.secure, samesite="lax")
    return answer
