"""The judging page: the next document for an assessor, the assessor's answer, and earlier answers to change."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self
from urllib.parse import urlencode

from fastapi import Form, Query, Request, Response
from pydantic import Field, model_validator
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from rankgauge.errors import AnsweredError, UnleasedError
from rankgauge.labelling.campaign.review import AssessorProgress, OwnAnswer
from rankgauge.labelling.labels import Task
from rankgauge.room.answers import KEYS, Reason, SentLabel, reason_of
from rankgauge.room.auth import Judge, TheRoom
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.desk import Desk
from rankgauge.room.gold import BLOCKED
from rankgauge.room.pairs import PairDesk
from rankgauge.room.people import Permission
from rankgauge.room.room import Room
from rankgauge.room.route import PageNumber, pages

router = pages("judge", place=100, tab="Judge", permission=Permission.JUDGE)

FRAGMENT = "x-fragment"
"""The header with which the page's script asks for the next document without the rest of the page."""

UNRECORDED = "Your last answer was not recorded."
ANSWERED = """Not recorded: you have judged this document already, perhaps in another window. Your earlier answer
counts; to change it, answer again."""

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
    """The address of the answer before this one, from the page's own."""
    reason: str = ""
    """Why there is nothing to judge."""
    spent: float = 0.0
    budget: float = 0.0
    refusal: str = ""
    """Why the answer that was sent is not recorded, and never will be."""
    status: int = 200

    @property
    def query(self) -> str:
        """The text of the query, or its id."""
        return "" if self.task is None else self.task.texts.get("query_text", self.task.query)


class FormAnswer(SentLabel):
    """The answer of the page's form."""

    key: Annotated[str, Field(min_length=1, max_length=64)]
    again: bool = False
    """Whether it replaces the answer that the person gave before."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.grade is None and self.reason is None:
            raise ValueError("choose a grade, or a reason why the document cannot be judged")
        return self


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
    answer = None
    if (before is not None or query is not None) and not desk.is_blocked:
        answer = desk.answered(query, document) if query is not None else desk.answered_before(before or 0.0)
    return _page(request, room, desk.opened, _next(desk) if answer is None else _show_answered(desk, answer))


@router.post("/campaigns/{campaign}/judge")
def judge(
    request: Request, room: TheRoom, person: Judge, campaign: int, answer: Annotated[FormAnswer, Form()]
) -> Response:
    """Records the answer and shows the next document."""
    desk = Desk(room=room, opened=room.campaigns.get(campaign), person=person)
    shown = _record(desk, answer)
    if FRAGMENT in request.headers or shown.refusal:
        return _page(request, room, desk.opened, shown)
    return RedirectResponse(f"/campaigns/{campaign}/judge", status_code=303)


@router.get("/campaigns/{campaign}/judge/history")
def history(request: Request, room: TheRoom, person: Judge, campaign: int, page: PageNumber = 1) -> Response:
    """Return what the person has answered so far, the newest first; each answer can be changed."""
    desk = Desk(room=room, opened=room.campaigns.get(campaign), person=person)
    answers = desk.answers()
    shown = answers[(page - 1) * PER_PAGE : page * PER_PAGE]
    rows = [(one, _answer_words(desk.opened, one), reason_of(one.kind, one.comment)[1], _address(one)) for one in shown]
    last = max(math.ceil(len(answers) / PER_PAGE), 1)
    facts: dict[str, Any] = {"opened": desk.opened, "rows": rows, "answers": len(answers), "number": page, "last": last}
    return room.page(request, "history.html", blocked=desk.is_blocked, **facts)


def _record(desk: Desk, answer: FormAnswer) -> JudgingPage:
    """Records the answer and shows the next document; if the room refuses it for good, says why, and what is next."""
    try:
        return _next(desk, answer)
    except AnsweredError:
        return _contradicting(desk, answer)
    except UnleasedError as error:
        status, words = 409, error.hint or error.problem
    except HTTPException as error:
        if error.status_code not in (403, 409):
            raise
        status, words = error.status_code, str(error.detail)
    if desk.is_blocked:
        return replace(_next(desk), refusal=UNRECORDED, status=status)
    return JudgingPage(task=None, own=desk.own(), refusal=words, comment=answer.comment or "", status=status)


def _contradicting(desk: Desk, answer: FormAnswer) -> JudgingPage:
    """Return the document that the person has judged otherwise before, in another window, to change that answer."""
    known = _show_answered(desk, desk.answered(answer.query, answer.document))
    return replace(known, refusal=ANSWERED, comment=answer.comment or known.comment, status=409)


def _next(desk: Desk, answer: FormAnswer | None = None) -> JudgingPage:
    """Records the answer, if there is one, and shows the next document."""
    label = None if answer is None else answer.label(desk.person)
    found = desk.next(label, again=answer is not None and answer.again)
    state, idle = found.next, BLOCKED if found.block is not None else ""
    return JudgingPage(
        task=found.task,
        own=found.own,
        earlier="?before=inf" if found.own.done and not idle else None,
        reason=idle if state is None else state.idle.sentence if state.idle else "",
        spent=0.0 if state is None else state.spent,
        # Gold questions cost nothing: where they are asked, what is spent would give them away.
        budget=0.0 if desk.asks_gold else desk.opened.campaign.settings.budget,
    )


def _show_answered(desk: Desk, answer: OwnAnswer) -> JudgingPage:
    """Return a document that the person has judged, to change the answer."""
    reason, words = reason_of(answer.kind, answer.comment)
    address = f"?before={answer.made!r}"
    return JudgingPage(
        task=answer.task,
        own=desk.own(),
        before=_answer_words(desk.opened, answer),
        chosen=reason if answer.grade is None else f"{answer.grade:g}",
        comment=words,
        earlier=address if desk.answered_before(answer.made) else None,
    )


def _answer_words(opened: OpenCampaign, answer: OwnAnswer) -> str:
    """Return the answer in words."""
    if answer.grade is None:
        reason, _ = reason_of(answer.kind, answer.comment)
        return f"it cannot be judged ({reason})" if reason else "it cannot be judged"
    return opened.level_name(answer.grade)


def _address(answer: OwnAnswer) -> str:
    return "?" + urlencode({"query": answer.task.query, "document": answer.task.document})


def _page(request: Request, room: Room, opened: OpenCampaign, shown: JudgingPage) -> Response:
    template = "task.html" if FRAGMENT in request.headers else "judge.html"
    key = secrets.token_urlsafe(12)  # an answer that is sent twice with one key counts once
    facts: dict[str, Any] = {"opened": opened, "shown": shown, "choices": opened.choices(), "reasons": KEYS, "key": key}
    facts["pairs"] = PairDesk(opened=opened).documents() is not None
    page = room.page(request, template, status=shown.status, **facts)
    if FRAGMENT in request.headers:
        page.headers[FRAGMENT] = "1"  # so that the script tells it from an error page
    return page
