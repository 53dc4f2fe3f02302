"""The assessors of a campaign: inviting them, replacing lost links, revoking."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import Form, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.errors import InputError
from rankgauge.web.auth import Manager, TheRoom
from rankgauge.web.roles import Permission
from rankgauge.web.room import Room
from rankgauge.web.route import pages

router = pages("people", place=60, tab="People", permission=Permission.MANAGE)


@router.get("/campaigns/{campaign}/people")
def show(request: Request, room: TheRoom, person: Manager, campaign: int) -> Response:
    """The assessors, and the form to invite one."""
    return _page(request, room, campaign)


@router.post("/campaigns/{campaign}/people")
def invite(
    request: Request,
    room: TheRoom,
    person: Manager,
    campaign: int,
    name: Annotated[str, Form(min_length=1, max_length=120)],
) -> Response:
    """Adds an assessor and shows their link, once."""
    room.campaigns.get(campaign)
    try:
        guest, secret = room.people.invite(campaign, name)
    except InputError as error:
        return _page(request, room, campaign, problem=str(error))
    return _page(request, room, campaign, link=(guest.name, room.settings.link(secret)))


@router.post("/campaigns/{campaign}/people/{guest}/link")
def invite_again(request: Request, room: TheRoom, person: Manager, campaign: int, guest: int) -> Response:
    """Replaces a lost link."""
    known = {row.id: row.name for row in room.people.of_campaign(campaign) if row.revoked is None}
    if guest not in known:
        raise HTTPException(404, "no such assessor")
    return _page(request, room, campaign, link=(known[guest], room.settings.link(room.people.invite_again(guest))))


@router.post("/campaigns/{campaign}/people/{guest}/revoke")
def revoke(room: TheRoom, person: Manager, campaign: int, guest: int) -> Response:
    """Revokes an assessor's access; the labels stay."""
    if not room.people.revoke(campaign, guest):
        raise HTTPException(404, "no such assessor")
    return RedirectResponse(f"/campaigns/{campaign}/people", status_code=303)


def _page(
    request: Request, room: Room, campaign: int, *, link: tuple[str, str] | None = None, problem: str = ""
) -> Response:
    opened = room.campaigns.get(campaign)
    rows = [(row, opened.review.own(row.id)) for row in room.people.of_campaign(campaign)]
    facts = {"opened": opened, "rows": rows, "link": link, "problem": problem, "now": time.time()}
    return room.page(request, "people.html", status=400 if problem else 200, **facts)
