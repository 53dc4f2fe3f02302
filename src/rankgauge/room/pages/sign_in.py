"""Signing in by a link and out; and API tokens: a token may do what its owner may, until it ends or is revoked."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import Form, HTTPException, Request, Response
from pydantic import AfterValidator
from starlette.responses import JSONResponse, RedirectResponse

from rankgauge.room.addresses import is_cross_site
from rankgauge.room.answers import Name
from rankgauge.room.auth import COOKIE, SignedIn, TheRoom, count_try, done
from rankgauge.room.credentials import sign
from rankgauge.room.people import DAY, HOUR, REMEMBERED_DAYS, WORDS, Person, Role
from rankgauge.room.room import Room
from rankgauge.room.route import Number, api, pages

router = pages("sign_in", place=20)
token_router = pages("tokens", place=110)
calls = api("api_tokens", place=230, tag="tokens")

DEAD = """It may have been used already, revoked, or expired. Ask whoever invited you for a new one. An administrator's
link works once, within the hour: rankgauge admin-link prints a new one on the machine that serves the room."""

OWNED = {
    True: "This link signs one admin in, once. An admin can make campaigns, invite assessors and see everything.",
    False: "This link is personal: whatever is judged with it counts as yours. You can use it on several devices.",
}
"""What a link is for, by whether it is an admin's."""

Link = Annotated[str, AfterValidator(lambda link: link.strip().rpartition("#")[2]), Form(max_length=1000)]
"""The secret of a link that was pasted as a whole, or by itself."""


@router.get("/enter")
def ask(request: Request, room: TheRoom) -> Response:
    """Show a button: the secret is behind the # of a link, where no server, proxy or preview of a mail sees it."""
    return room.page(request, "sign_in.html", problem="")


@router.post("/enter/owner")
def show_owner(request: Request, room: TheRoom, link: Link) -> Response:
    """Say whose link it is, for the page; the link is not used up."""
    person = room.people.by_link(link)
    if person is None:
        count_try(request, room)
        return JSONResponse({"detail": DEAD}, status_code=404)
    return JSONResponse({"name": person.name, "role": person.role, "words": OWNED[person.role is Role.ADMIN]})


@router.post("/enter")
def enter(request: Request, room: TheRoom, link: Link) -> Response:
    """Sign the owner of the link in. The link is the proof, so that the form needs no CSRF token.

    Another site must not submit it: whoever visits that site would judge in the name of its owner without noticing.
    """
    if is_cross_site(request, room.settings.base):
        raise HTTPException(403, "open the link itself: another site must not sign you in")
    entered = room.people.enter(link)
    if entered is None:
        count_try(request, room)
        return room.page(request, "sign_in.html", status=404, problem=DEAD)
    return signed_in(room, entered[1])


def signed_in(room: Room, session: str) -> Response:
    """Lead somebody who has a session now to the start."""
    response = RedirectResponse("/", status_code=303)
    # The cookie outlives the session: without it the room could not tell an ended session from a stranger.
    keep_cookie(room, response, COOKIE, session, room.settings.session_hours * HOUR + REMEMBERED_DAYS * DAY)
    return response


def keep_cookie(room: Room, response: Response, name: str, value: str, seconds: float) -> None:
    """Have a browser keep a signed value, which no script reads and no other site sends in a form."""
    path, secure = room.settings.root_path or "/", room.settings.secure
    signature = sign(value, room.key)
    response.set_cookie(name, signature, int(seconds), path=path, secure=secure, httponly=True, samesite="lax")


@router.post("/leave")
def leave(request: Request, room: TheRoom, person: SignedIn) -> Response:
    """End the session."""
    session = getattr(request.state, "session", None)
    if session is None:
        raise HTTPException(400, "a token has no session to leave; revoke the token instead")
    room.people.leave(session)
    response = RedirectResponse("/", status_code=303)
    keep_cookie(room, response, COOKIE, "", 0)
    return response


@token_router.get("/tokens")
def show_tokens(request: Request, room: TheRoom, person: SignedIn) -> Response:
    """Return the person's tokens, and the form for a new one."""
    return _token_page(request, room, person)


@token_router.post("/tokens")
def make_token(request: Request, room: TheRoom, person: SignedIn, name: Annotated[Name, Form()]) -> Response:
    """Make a token and show it, once. A token makes none: it would never expire."""
    if getattr(request.state, "session", None) is None:
        raise HTTPException(403, "tokens are made on this page, by whoever is signed in")
    return _token_page(request, room, person, token=room.people.new_token(person.id, name))


@token_router.post("/tokens/{token}/revoke")
@calls.delete("/tokens/{token}", status_code=204)
def revoke_token(request: Request, room: TheRoom, person: SignedIn, token: Number) -> Response:
    """Revoke one of the caller's tokens, perhaps the one that the call was made with."""
    if not room.people.revoke_token(person.id, token):
        raise HTTPException(404, "no such token")
    return done(request, "/tokens")


def _token_page(request: Request, room: Room, person: Person, *, token: str = "") -> Response:
    facts = {"rows": room.people.tokens(person.id), "days": room.settings.token_days, "may": WORDS[person.role]}
    return room.page(request, "tokens.html", token=token, now=time.time(), **facts)


@calls.get("/tokens")
def list_tokens(room: TheRoom, person: SignedIn) -> list[dict[str, Any]]:
    """The caller's tokens: what each is for, when it was made, and when it expires or was revoked; never the secret."""
    return [dict(row._mapping) for row in room.people.tokens(person.id)]
