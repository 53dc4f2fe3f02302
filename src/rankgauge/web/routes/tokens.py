"""Tokens for programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.web.auth import Admin, TheRoom

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/tokens")
def show(request: Request, room: TheRoom, person: Admin) -> Response:
    """The person's tokens, and the form for a new one."""
    return room.page(request, "tokens.html", rows=room.people.tokens(person.id), token="", base=room.settings.base)


@router.post("/tokens")
def make(
    request: Request, room: TheRoom, person: Admin, name: Annotated[str, Form(min_length=1, max_length=120)]
) -> Response:
    """A new token; it is shown this once."""
    token = room.people.new_token(person.id, name)
    return room.page(request, "tokens.html", rows=room.people.tokens(person.id), token=token, base=room.settings.base)


@router.post("/tokens/{token}/revoke")
def revoke(room: TheRoom, person: Admin, token: int) -> Response:
    """A token that works no longer."""
    if not room.people.revoke_token(person.id, token):
        raise HTTPException(404, "no such token")
    return RedirectResponse("/tokens", status_code=303)
