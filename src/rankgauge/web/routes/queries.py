"""How each query stands."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from rankgauge.web.auth import Admin, TheRoom

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/campaigns/{campaign}/queries")
def show(request: Request, room: TheRoom, person: Admin, campaign: int) -> Response:
    """The queries of which something was asked."""
    opened = room.campaigns.get(campaign)
    rows = list(opened.review.queries().iter_rows(named=True))
    return room.page(request, "queries.html", opened=opened, rows=rows)
