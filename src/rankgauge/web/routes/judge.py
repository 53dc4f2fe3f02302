"""The page on which assessors judge."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.web.auth import Member, TheRoom
from rankgauge.web.judging import Answer, Shown, answer, show_again, show_next
from rankgauge.web.people import Person
from rankgauge.web.room import Room

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

FRAGMENT = "x-fragment"
"""The header by which the page's script asks for the next document alone."""


@router.get("/campaigns/{campaign}/judge")
def show(
    request: Request, room: TheRoom, person: Member, campaign: int, again: Annotated[int | None, Query()] = None
) -> Response:
    """The next document, or one that the person judged before."""
    opened = room.campaigns.get(campaign)
    if again is not None:
        return _page(request, room, campaign, show_again(opened, person, again))
    return _page(request, room, campaign, _next(room, campaign, person))


@router.post("/campaigns/{campaign}/judge")
def judge(
    request: Request,
    room: TheRoom,
    person: Member,
    campaign: int,
    query: Annotated[str, Form()],
    document: Annotated[str, Form()],
    key: Annotated[str, Form(max_length=64)],
    grade: Annotated[str | None, Form()] = None,
    comment: Annotated[str, Form(max_length=4000)] = "",
    again: Annotated[bool, Form()] = False,
) -> Response:
    """Records the answer and shows the next document."""
    given = Answer(query=query, document=document, grade=grade or None, comment=comment, key=key, again=again)
    if FRAGMENT in request.headers:
        return _page(request, room, campaign, _next(room, campaign, person, given))
    answer(room.campaigns.get(campaign), person, given)
    return RedirectResponse(f"/campaigns/{campaign}/judge", status_code=303)


def _next(room: Room, campaign: int, person: Person, given: Answer | None = None) -> Shown:
    return show_next(room.campaigns.get(campaign), person, seconds=60 * room.settings.lease_minutes, given=given)


def _page(request: Request, room: Room, campaign: int, shown: Shown) -> Response:
    template = "task.html" if FRAGMENT in request.headers else "judge.html"
    opened = room.campaigns.get(campaign)
    return room.page(request, template, opened=opened, shown=shown)
