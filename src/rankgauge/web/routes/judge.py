"""The judging page: the next document for an assessor, the assessor's answer, and earlier answers to change."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Form, Query, Request, Response
from pydantic import Field
from starlette.responses import RedirectResponse

from rankgauge.active.campaign.history import OwnAnswer
from rankgauge.active.campaign.review import AssessorProgress
from rankgauge.active.labels import Task
from rankgauge.web.answers import SentLabel
from rankgauge.web.auth import Judge, TheRoom
from rankgauge.web.campaigns import OpenCampaign
from rankgauge.web.desk import BLOCKED, Desk
from rankgauge.web.reasons import KEYS, Reason, reason_of
from rankgauge.web.roles import Permission
from rankgauge.web.room import Room
from rankgauge.web.route import pages

router = pages("judge", place=100, tab="Judge", permission=Permission.JUDGE)

FRAGMENT = "x-fragment"
"""The header with which the page's script asks for the next document without the rest of the page."""

PER_PAGE = 50
"""How many answers a page of the history shows."""


@dataclass(frozen=True, kw_only=True)
class JudgingPage:
    """What the page shows: a document, or why there is none."""

    task: Task | None
    own: AssessorProgress
    before: str | None = None
    """What the person said before, in words, if a judged document is shown again."""
    chosen: str | Reason | None = None
    """The grade or the reason that was given before."""
    comment: str = ""
    earlier: str | None = None
    """The address of the answer before this one."""
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
    request: Request,
    room: TheRoom,
    person: Judge,
    campaign: int,
    before: Annotated[float | None, Query()] = None,
    query: Annotated[str | None, Query()] = None,
    document: Annotated[str, Query()] = "",
) -> Response:
    """The next document, or one that the person has judged already: the last one before a moment, or the named one."""
    desk = Desk(room=room, opened=room.campaigns.get(campaign), person=person)
    answer = desk.answered_before(before) if before is not None else None
    answer = desk.answered(query, document) if query is not None else answer
    return _page(request, room, desk.opened, _next(desk) if answer is None else _judged(desk, answer))


@router.post("/campaigns/{campaign}/judge")
def judge(
    request: Request, room: TheRoom, person: Judge, campaign: int, answer: Annotated[FormAnswer, Form()]
) -> Response:
    """Records the answer and shows the next document."""
    desk = Desk(room=room, opened=room.campaigns.get(campaign), person=person)
    shown = _next(desk, answer)
    if FRAGMENT in request.headers:
        return _page(request, room, desk.opened, shown)
    return RedirectResponse(f"/campaigns/{campaign}/judge", status_code=303)


@router.get("/campaigns/{campaign}/judge/history")
def history(
    request: Request, room: TheRoom, person: Judge, campaign: int, page: Annotated[int, Query(ge=1, le=10**6)] = 1
) -> Response:
    """What the person has answered so far, the newest first; each answer can be changed."""
    desk = Desk(room=room, opened=room.campaigns.get(campaign), person=person)
    answers = desk.answers()
    shown = answers[(page - 1) * PER_PAGE : page * PER_PAGE]
    rows = [(one, _said(desk.opened, one), reason_of(one.kind, one.comment)[1], _address(desk, one)) for one in shown]
    last = max(math.ceil(len(answers) / PER_PAGE), 1)
    return room.page(
        request, "history.html", opened=desk.opened, rows=rows, answers=len(answers), number=page, last=last
    )


def _next(desk: Desk, answer: FormAnswer | None = None) -> JudgingPage:
    """Records the answer, if there is one, and shows the next document."""
    label = None if answer is None else answer.label(desk.person)
    found = desk.next(label, again=answer is not None and answer.again)
    state, idle = found.next, BLOCKED if found.block is not None else ""
    return JudgingPage(
        task=found.task,
        own=found.own,
        earlier=f"/campaigns/{desk.opened.id}/judge?before=inf" if found.own.done else None,
        reason=idle if state is None else state.idle.sentence if state.idle else "",
        spent=0.0 if state is None else state.spent,
        budget=desk.opened.campaign.settings.budget,
    )


def _judged(desk: Desk, answer: OwnAnswer) -> JudgingPage:
    """A document that the person has judged, to change the answer."""
    reason, words = reason_of(answer.kind, answer.comment)
    address = f"/campaigns/{desk.opened.id}/judge?before={answer.made!r}"
    return JudgingPage(
        task=answer.task,
        own=desk.own(),
        before=_said(desk.opened, answer),
        chosen=reason if answer.grade is None else f"{answer.grade:g}",
        comment=words,
        earlier=address if desk.answered_before(answer.made) else None,
    )


def _said(opened: OpenCampaign, answer: OwnAnswer) -> str:
    """The answer in words."""
    if answer.grade is None:
        reason, _ = reason_of(answer.kind, answer.comment)
        return f"it cannot be judged ({reason})" if reason else "it cannot be judged"
    return opened.level_name(answer.grade)


def _address(desk: Desk, answer: OwnAnswer) -> str:
    chosen = urlencode({"query": answer.task.query, "document": answer.task.document})
    return f"/campaigns/{desk.opened.id}/judge?{chosen}"


def _page(request: Request, room: Room, opened: OpenCampaign, shown: JudgingPage) -> Response:
    template = "task.html" if FRAGMENT in request.headers else "judge.html"
    key = secrets.token_urlsafe(12)  # an answer that is sent twice with one key counts once
    return room.page(request, template, opened=opened, shown=shown, choices=opened.choices(), reasons=KEYS, key=key)
