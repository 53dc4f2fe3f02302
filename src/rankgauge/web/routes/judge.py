"""The judging page: the next document for an assessor, and the assessor's answer."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Annotated

from fastapi import Form, Query, Request, Response
from pydantic import Field
from starlette.responses import RedirectResponse

from rankgauge.active.campaign.answer_queue import NextTask
from rankgauge.active.campaign.review import AssessorProgress
from rankgauge.active.labels import Label, Task
from rankgauge.web.answers import SentLabel
from rankgauge.web.auth import Judge, TheRoom
from rankgauge.web.campaigns import OpenCampaign
from rankgauge.web.people import Person
from rankgauge.web.roles import Permission
from rankgauge.web.room import Room
from rankgauge.web.route import pages

router = pages("judge", place=100, tab="Judge", permission=Permission.JUDGE)

FRAGMENT = "x-fragment"
"""The header with which the page's script asks for the next document without the rest of the page."""


@dataclass(frozen=True, kw_only=True)
class JudgingPage:
    """What the page shows: a document, or why there is none."""

    task: Task | None
    own: AssessorProgress
    before: str | None = None
    """The grade given before, if a judged document is shown again; empty if it could not be judged."""
    reason: str = ""
    """Why there is nothing to judge."""
    spent: float = 0.0
    budget: float = 0.0

    @property
    def query(self) -> str:
        """The text of the query, or its id."""
        return "" if self.task is None else self.task.texts.get("query_text", self.task.query)


class FormAnswer(SentLabel):
    """The answer of the page's form."""

    key: Annotated[str, Field(min_length=1, max_length=64)]
    again: bool = False
    """Whether it replaces the answer that the person gave before."""


@router.get("/campaigns/{campaign}/judge")
def show(
    request: Request, room: TheRoom, person: Judge, campaign: int, again: Annotated[int | None, Query()] = None
) -> Response:
    """The next document, or one that the person has judged already."""
    opened = room.campaigns.get(campaign)
    shown = _next(room, opened, person) if again is None else _judged(opened, person, again)
    return _page(request, room, opened, shown)


@router.post("/campaigns/{campaign}/judge")
def judge(
    request: Request, room: TheRoom, person: Judge, campaign: int, answer: Annotated[FormAnswer, Form()]
) -> Response:
    """Records the answer and shows the next document."""
    opened = room.campaigns.get(campaign)
    shown = _next(room, opened, person, answer.label(person), replace=answer.again)
    if FRAGMENT in request.headers:
        return _page(request, room, opened, shown)
    return RedirectResponse(f"/campaigns/{campaign}/judge", status_code=303)


def _next(
    room: Room, opened: OpenCampaign, person: Person, label: Label | None = None, *, replace: bool = False
) -> JudgingPage:
    """Records the label, if there is one, and leases the next document to the person."""
    found = opened.answers.next_task(person.assessor, label, seconds=60 * room.settings.lease_minutes, replace=replace)
    reason, budget = "" if found.task else _reason(found), opened.campaign.settings.budget
    return JudgingPage(task=found.task, own=found.own, reason=reason, spent=found.spent, budget=budget)


def _judged(opened: OpenCampaign, person: Person, place: int) -> JudgingPage:
    """A document that the person has judged, to change the answer."""
    task, label = opened.review.task(place, person.assessor)
    before = "" if label.grade is None else f"{label.grade:g}"
    return JudgingPage(task=task, own=opened.review.own(person.id), before=before)


def _reason(found: NextTask) -> str:
    if found.paused:
        return "The campaign is paused."
    if found.out:
        return "Nothing to judge right now: the next documents depend on answers that other assessors have yet to give."
    return "All done: the budget is spent."


def _page(request: Request, room: Room, opened: OpenCampaign, shown: JudgingPage) -> Response:
    template = "task.html" if FRAGMENT in request.headers else "judge.html"
    key = secrets.token_urlsafe(12)  # an answer that is sent twice with one key counts once
    return room.page(request, template, opened=opened, shown=shown, choices=opened.choices(), key=key)
