"""The start page: an admin's campaigns; assessors go straight to judging."""

from __future__ import annotations

from fastapi import Request, Response
from starlette.responses import RedirectResponse

from rankgauge.web.auth import SignedIn, TheRoom
from rankgauge.web.people import Role
from rankgauge.web.route import pages

router = pages("home", place=30)


@router.get("/")
def home(request: Request, room: TheRoom, person: SignedIn) -> Response:
    """The list of campaigns, or the judging page."""
    if person.role is Role.ASSESSOR:
        return RedirectResponse(f"/campaigns/{person.campaign}/judge", status_code=303)
    rows = [(opened, opened.campaign.progress(), opened.estimate()) for opened in room.campaigns.all()]
    return room.page(request, "home.html", rows=rows)
