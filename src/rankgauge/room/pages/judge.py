"""The judging page: the next document for an assessor, the assessor's answer, and earlier answers to change."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass, replace
from typing import Annotated, Self
from urllib.parse import urlencode

from fastapi import Form, Query, Response
from pydantic import Field, model_validator
from starlette.exceptions import HTTPException

from rankgauge.errors import AnsweredError, UnleasedError
from rankgauge.labelling.campaign.review import AssessorProgress, OwnAnswer
from rankgauge.labelling.labels import Task
from rankgauge.room.answers import KEYS, Reason, SentLabel, reason_of
from rankgauge.room.auth import FRAGMENT, Judge, TheVisit, Visit
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.desk import Desk
from rankgauge.room.gold import BLOCKED
from rankgauge.room.pairs import PairDesk
from rankgauge.room.people import Permission
from rankgauge.room.route import PageNumber, pages

router = pages("judge", place=100, tab="Judge", permission=Permission.JUDGE)

UNRECORDED = "Your last answer was not recorded."
ANSWERED = """Not recorded: you have judged this document already, perhaps in another window. Your earlier answer
counts; to change it, answer again."""

PER_PAGE = 50
"""How many answers a page of the history shows."""


@dataclass(frozen=True, kw_only=True)
class JudgingPage:
    """What the page shows: a document, or why there is none."""

    task: Task | None = None
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
    visit: TheVisit,
    person: Judge,
    before: Annotated[float | None, Query()] = None,
    query: Annotated[str | None, Query()] = None,
    document: Annotated[str, Query()] = "",
) -> Response:
    """The next document, or one that the person has judged already: the last one before a moment, or the named one."""
    desk = Desk(room=visit.room, opened=visit.opened, person=person)
    answer = None
    if (before is not None or query is not None) and not desk.is_blocked:
        answer = desk.find_answer(query, document) if query is not None else desk.answered_before(before or 0.0)
    return _page(visit, _next(desk) if answer is None else _show_answered(desk, answer))


@router.post("/campaigns/{campaign}/judge")
def judge(visit: TheVisit, person: Judge, answer: Annotated[FormAnswer, Form()]) -> Response:
    """Record the answer and show the next document; if the room refuses it for good, say why, and what is next."""
    desk = Desk(room=visit.room, opened=visit.opened, person=person)
    try:
        shown = _next(desk, answer)
    except AnsweredError:  # in another window: the document is shown again, to change that answer
        known = _show_answered(desk, desk.find_answer(answer.query, answer.document))
        shown = replace(known, refusal=ANSWERED, comment=answer.comment or known.comment, status=409)
    except (UnleasedError, HTTPException) as error:
        status = 409 if isinstance(error, UnleasedError) else error.status_code
        if status not in (403, 409):
            raise
        if desk.is_blocked:
            shown = replace(_next(desk), refusal=UNRECORDED, status=status)
        else:
            words = error.hint or error.problem if isinstance(error, UnleasedError) else str(error.detail)
            shown = JudgingPage(own=desk.own(), refusal=words, comment=answer.comment or "", status=status)
    if FRAGMENT in visit.request.headers or shown.refusal:
        return _page(visit, shown)
    return visit.done("/judge")


@router.get("/campaigns/{campaign}/judge/history")
def history(visit: TheVisit, person: Judge, page: PageNumber = 1) -> Response:
    """Return what the person has answered so far, the newest first; each answer can be changed."""
    desk = Desk(room=visit.room, opened=visit.opened, person=person)
    answers = desk.answers()
    rows = [
        (
            answer,
            _answer_words(desk.opened, answer),
            reason_of(answer.kind, answer.comment)[1],
            "?" + urlencode({"query": answer.task.query, "document": answer.task.document}),
        )
        for answer in answers[(page - 1) * PER_PAGE : page * PER_PAGE]
    ]
    last = max(math.ceil(len(answers) / PER_PAGE), 1)
    facts = {"rows": rows, "answers": len(answers), "number": page, "last": last, "blocked": desk.is_blocked}
    return visit.page("history.html", **facts)


def _next(desk: Desk, answer: FormAnswer | None = None) -> JudgingPage:
    """Record the answer, if there is one, and show the next document."""
    label = None if answer is None else answer.label(desk.person)
    task = desk.next(label, again=answer is not None and answer.again)
    if task is None:
        return JudgingPage(own=desk.own(), reason=BLOCKED)
    return JudgingPage(
        task=task.task,
        own=task.own,
        earlier="?before=inf" if task.own.done else None,
        reason=task.idle.sentence if task.idle else "",
        spent=task.spent,
        # Gold questions cost nothing: where they are asked, what is spent would give them away.
        budget=0.0 if desk.asks_gold else desk.opened.campaign.settings.budget,
    )


def _show_answered(desk: Desk, answer: OwnAnswer) -> JudgingPage:
    """Return a document that the person has judged, to change the answer."""
    reason, words = reason_of(answer.kind, answer.comment)
    return JudgingPage(
        task=answer.task,
        own=desk.own(),
        before=_answer_words(desk.opened, answer),
        chosen=reason if answer.grade is None else f"{answer.grade:g}",
        comment=words,
        earlier=f"?before={answer.made!r}" if desk.answered_before(answer.made) else None,
    )


def _answer_words(opened: OpenCampaign, answer: OwnAnswer) -> str:
    """Return the answer in words."""
    if answer.grade is None:
        reason, _ = reason_of(answer.kind, answer.comment)
        return f"it cannot be judged ({reason})" if reason else "it cannot be judged"
    return opened.level_name(answer.grade)


def _page(visit: Visit, shown: JudgingPage) -> Response:
    opened = visit.opened
    facts = {"shown": shown, "choices": opened.choices(), "reasons": KEYS, "status": shown.status}
    facts["pairs"] = PairDesk(opened=opened).documents() is not None
    facts["key"] = secrets.token_urlsafe(12)  # an answer that is sent twice with one key counts once
    return visit.task_page("task.html", "judge.html", **facts)
