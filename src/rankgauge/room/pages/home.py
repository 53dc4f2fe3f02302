"""The start page: an admin's campaigns; assessors go straight to judging, others to their campaign."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.room.auth import SignedIn, TheRoom
from rankgauge.room.roles import Permission
from rankgauge.room.route import pages

router = pages("home", place=30)


@router.get("/")
def home(request: Request, room: TheRoom, person: SignedIn, archived: Annotated[bool, Query()] = False) -> Response:
    """The list of campaigns, the judging page, or the dashboard."""
    if person.campaign is not None:
        page = "" if person.may(Permission.WATCH) else "/judge"
        return RedirectResponse(f"/campaigns/{person.campaign}{page}", status_code=303)
    found = room.campaigns.all(archived=archived)
    rows = [(opened, opened.campaign.progress(), opened.estimate(), opened.why_over()) for opened in found]
    return room.page(request, "home.html", rows=rows, archived=archived, put_away=len(room.campaigns.archived()))
