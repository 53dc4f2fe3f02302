"""The people of a campaign: inviting, inviting again, revoking."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.web.auth import Admin, TheRoom
from rankgauge.web.room import Room

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

Name = Annotated[str, Form(min_length=1, max_length=120)]


@router.get("/campaigns/{campaign}/people")
def show(request: Request, room: TheRoom, person: Admin, campaign: int) -> Response:
    """Who judges, and the form to invite somebody."""
    return _page(request, room, campaign)


@router.post("/campaigns/{campaign}/people")
def invite(request: Request, room: TheRoom, person: Admin, campaign: int, name: Name) -> Response:
    """A new assessor; the link is shown this once."""
    room.campaigns.get(campaign)
    called = name.strip()
    if not called or called in {row.name for row in room.people.assessors(campaign)}:
        return _page(request, room, campaign, problem=f"There is an assessor called '{called}' already.", status=400)
    guest, link = room.people.invite(campaign, called)
    return _page(request, room, campaign, link=(guest.name, f"{room.settings.base}/enter/{link}"))


@router.post("/campaigns/{campaign}/people/{guest}/link")
def invite_again(request: Request, room: TheRoom, person: Admin, campaign: int, guest: int) -> Response:
    """A new link for somebody whose own was lost."""
    known = {row.id: row.name for row in room.people.assessors(campaign) if row.revoked is None}
    if guest not in known:
        raise HTTPException(404, "no such assessor")
    link = room.people.invite_again(guest)
    return _page(request, room, campaign, link=(known[guest], f"{room.settings.base}/enter/{link}"))


@router.post("/campaigns/{campaign}/people/{guest}/revoke")
def revoke(room: TheRoom, person: Admin, campaign: int, guest: int) -> Response:
    """Somebody's link works no longer; what they judged stays."""
    if not room.people.revoke(campaign, guest):
        raise HTTPException(404, "no such assessor")
    return RedirectResponse(f"/campaigns/{campaign}/people", status_code=303)


def _page(
    request: Request,
    room: Room,
    campaign: int,
    *,
    link: tuple[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> Response:
    opened = room.campaigns.get(campaign)
    rows = [(row, opened.review.own(row.name)) for row in room.people.assessors(campaign)]
    return room.page(
        request, "people.html", status=status, opened=opened, rows=rows, link=link, problem=problem, now=time.time()
    )
