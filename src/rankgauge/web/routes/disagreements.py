"""Where assessors disagree, and the admin's word that ends it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.active.labels import Label
from rankgauge.web.board import how_they_agree
from rankgauge.web.auth import Admin, TheRoom
from rankgauge.web.judging import levels

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/campaigns/{campaign}/disagreements")
def show(request: Request, room: TheRoom, person: Admin, campaign: int) -> Response:
    """Who disagrees on what, and how far assessors agree."""
    opened = room.campaigns.get(campaign)
    return room.page(
        request,
        "disagreements.html",
        opened=opened,
        found=opened.review.disagreements(),
        agreement=how_they_agree(opened.review.judgments()),
        levels=levels(opened),
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
    """The grade that counts in place of the others."""
    label = Label(
        query=query,
        document=document,
        grade=grade,
        assessor=f"settled by {person.name}",
        comment=comment.strip() or None,
        settles=True,
    )
    opened = room.campaigns.get(campaign)
    opened.campaign.record([label])
    opened.stop_if_enough()
    return RedirectResponse(f"/campaigns/{campaign}/disagreements", status_code=303)
