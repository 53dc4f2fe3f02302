"""The first page: campaigns for an admin, judging for an assessor."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.web.auth import Somebody, TheRoom
from rankgauge.web.people import Role

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/")
def home(request: Request, room: TheRoom, person: Somebody) -> Response:
    """Where the person's work is."""
    if person.role is Role.ASSESSOR:
        return RedirectResponse(f"/campaigns/{person.campaign}/judge", status_code=303)
    rows = [(opened, opened.campaign.progress(), opened.estimate()) for opened in room.campaigns.all()]
    return room.page(request, "home.html", rows=rows)
