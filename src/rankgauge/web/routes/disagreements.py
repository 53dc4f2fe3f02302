"""Where assessors disagree, and the admin's decision."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.web.auth import Admin, TheRoom
from rankgauge.web.route import pages

__all__ = ["router"]

router = pages("disagreements", place=70, tab="Disagreements")


@router.get("/campaigns/{campaign}/disagreements")
def show(request: Request, room: TheRoom, person: Admin, campaign: int) -> Response:
    """The documents that assessors disagree on, and how well they agree overall."""
    opened = room.campaigns.get(campaign)
    return room.page(
        request,
        "disagreements.html",
        opened=opened,
        found=opened.review.disagreements(),
        agreement=opened.review.agreement(),
        choices=opened.choices(),
    )


@router.post("/campaigns/{campaign}/disagreements")
def settle(
    room: TheRoom,
    person: Admin,
    campaign: int,
    query: Annotated[str, Form()],
    document: Annotated[str, Form()],
    grade: Annotated[str, Form()],
    comment: Annotated[str, Form(max_length=4000)] = "",
) -> Response:
    """Records the grade that replaces those of the assessors."""
    room.campaigns.get(campaign).settle(person.name, query, document, grade, comment)
    return RedirectResponse(f"/campaigns/{campaign}/disagreements", status_code=303)
