"""The queries of a campaign."""

from __future__ import annotations

from fastapi import Request, Response

from rankgauge.web.auth import Admin, TheRoom
from rankgauge.web.route import pages

__all__ = ["router"]

router = pages("queries", place=80, tab="Queries")


@router.get("/campaigns/{campaign}/queries")
def show(request: Request, room: TheRoom, person: Admin, campaign: int) -> Response:
    """The queries with documents that were handed out, and the values of those that are fully judged."""
    opened = room.campaigns.get(campaign)
    rows = list(opened.review.queries().iter_rows(named=True))
    return room.page(request, "queries.html", opened=opened, rows=rows)
