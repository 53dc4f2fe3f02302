"""API tokens."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.web.auth import Admin, TheRoom
from rankgauge.web.route import pages

router = pages("tokens", place=110)


@router.get("/tokens")
def show(request: Request, room: TheRoom, person: Admin) -> Response:
    """The person's tokens, and the form for a new one."""
    return room.page(request, "tokens.html", rows=room.people.tokens(person.id), token="")


@router.post("/tokens")
def make(
    request: Request, room: TheRoom, person: Admin, name: Annotated[str, Form(min_length=1, max_length=120)]
) -> Response:
    """Makes a token and shows it, once."""
    token = room.people.new_token(person.id, name)
    return room.page(request, "tokens.html", rows=room.people.tokens(person.id), token=token)


@router.post("/tokens/{token}/revoke")
def revoke(room: TheRoom, person: Admin, token: int) -> Response:
    """Revokes a token."""
    if not room.people.revoke_token(person.id, token):
        raise HTTPException(404, "no such token")
    return RedirectResponse("/tokens", status_code=303)
