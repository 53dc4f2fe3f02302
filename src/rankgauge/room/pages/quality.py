"""The quality of labels: assessors, levels, times, drift, comments; and gold questions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form, HTTPException, Query, Response
from pydantic import BaseModel, FailFast, Field

from rankgauge.errors import InputError
from rankgauge.labelling.labels import Label
from rankgauge.render.numbers import count
from rankgauge.room import campaign_changes
from rankgauge.room.answers import Text
from rankgauge.room.auth import Manager, TheVisit, Viewer, Visit
from rankgauge.room.forms import Upload, shows_again
from rankgauge.room.gold import GoldQuestion, GoldRules
from rankgauge.room.people import Permission
from rankgauge.room.quality import QualityReport
from rankgauge.room.route import Number, api, finite, json_body, pages
from rankgauge.room.uploads import question_of, read_gold_file

router = pages("quality", place=75, tab="Quality")
calls = api("api_quality", place=240, tag="quality")


@router.get("/campaigns/{campaign}/quality")
def show(visit: TheVisit, person: Viewer, daily: Annotated[bool, Query()] = False) -> Response:
    """Return how far assessors can be trusted: agreement, gold questions, times, and whether these change."""
    report = QualityReport.of(visit.room, visit.campaign)
    return visit.page("quality.html", report=report, rules=visit.room.gold.rules(visit.campaign), daily=daily)


@router.post("/campaigns/{campaign}/quality/{guest}/unblock")
@calls.post("/campaigns/{campaign}/assessors/{guest}/unblock", status_code=204)
def unblock(visit: TheVisit, person: Manager, guest: Number) -> Response:
    """Give an assessor documents again who was blocked by gold questions."""
    visit.room.campaigns.find_unarchived(visit.campaign)
    if not visit.room.gold.lift(visit.campaign, guest, person.id):
        raise HTTPException(404, "nobody is blocked under this number")
    return visit.done("/quality")


def _page(visit: Visit, *, problem: str = "", added: int | None = None) -> Response:
    gold, rows = visit.room.gold, QualityReport.of(visit.room, visit.campaign).questions()
    facts = {"rules": gold.rules(visit.campaign) or GoldRules(every=10), "choices": visit.opened.choices()}
    done = "" if added is None else f"{count(added, 'gold question')} added."
    return visit.page("gold.html", rows=rows, problem=problem, done=done, **facts)


@router.get("/campaigns/{campaign}/gold")
def gold(visit: TheVisit, person: Manager) -> Response:
    """Return the gold questions, and the rules for them."""
    return _page(visit)


@router.post("/campaigns/{campaign}/gold/rules")
@shows_again(_page)
def set_rules(
    visit: TheVisit,
    person: Manager,
    every: Annotated[str, Form(max_length=20)] = "",
    within: Annotated[int, Form()] = 0,
    threshold: Annotated[float, Form()] = 70.0,
    least: Annotated[int, Form()] = 10,
) -> Response:
    """Set how often gold questions are asked, and when an assessor gets no more documents."""
    every = every.strip()
    if every and not every.removeprefix("-").isdecimal():
        raise InputError(f"'{every}' is not a whole number")
    rules = GoldRules(every=int(every) if every else None, within=within, threshold=threshold / 100, least=least)
    campaign_changes.set_gold_rules(visit.room, visit.campaign, person, rules)
    return visit.done("/gold")


@router.post("/campaigns/{campaign}/gold")
@shows_again(_page)
def add(
    visit: TheVisit,
    person: Manager,
    query: Annotated[str, Form(max_length=1000)],
    document: Annotated[str, Form(max_length=1000)],
    grade: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Make a document of the pool a gold question; without a grade the right answer is that it cannot be judged."""
    label = Label(query=query.strip(), document=document.strip(), grade=grade.strip() or None)
    question = question_of(visit.room.campaigns.find_unarchived(visit.campaign), label, {})
    return _page(visit, added=visit.room.gold.add(visit.campaign, person.id, [question]))


@router.post("/campaigns/{campaign}/gold/settled")
def add_settled(visit: TheVisit, person: Manager) -> Response:
    """Make every document on which a disagreement was settled a gold question, with the grade that settled it."""
    disputed = visit.room.campaigns.find_unarchived(visit.campaign).review.disagreements()
    questions = [
        GoldQuestion(query=one.query, document=one.document, grade=one.settled, texts=one.texts)
        for one in disputed
        if one.settled is not None
    ]
    return _page(visit, added=visit.room.gold.add(visit.campaign, person.id, questions))


@router.post("/campaigns/{campaign}/gold/labels")
@shows_again(_page)
def upload(visit: TheVisit, person: Manager, file: Upload) -> Response:
    """Add the gold questions of a file."""
    opened = visit.room.campaigns.find_unarchived(visit.campaign)
    questions = read_gold_file(file.content, file.name).questions(opened)
    return _page(visit, added=visit.room.gold.add(visit.campaign, person.id, questions))


@router.post("/campaigns/{campaign}/gold/{question}/retire")
@calls.delete("/campaigns/{campaign}/gold/{question}", status_code=204)
def retire(visit: TheVisit, person: Manager, question: Number) -> Response:
    """Ask a gold question no more; its answers still count."""
    visit.room.campaigns.find_unarchived(visit.campaign)
    if not visit.room.gold.retire(visit.campaign, question):
        raise HTTPException(404, "no such gold question")
    return visit.done("/gold")


class Quality(BaseModel):
    """The quality of labels: a row per assessor, level and hundred labels; why documents could not be judged, and the
    last comments, of labels and, for managers, of answers to gold questions."""

    assessors: list[dict[str, Any]]
    levels: list[dict[str, Any]]
    drift: list[dict[str, Any]]
    reasons: dict[str, int]
    comments: list[dict[str, Any]]


class Rules(GoldRules):
    """How often gold questions are asked, and when an assessor gets no more documents."""

    every: Annotated[int, Field(ge=1, le=10**6)] | None = Field(
        default=10, description="About one gold question for so many documents; null: none."
    )


class SentGold(BaseModel):
    """A document with a known grade."""

    query: Text
    document: Text
    grade: float | Text | None = Field(None, description="Null: the right answer is that it cannot be judged.")
    texts: dict[str, Annotated[str, Field(max_length=10**6)]] = Field(
        default_factory=dict,
        description="What assessors read of a document that is not in the pool: title, text, query_text …",
    )


@calls.get("/campaigns/{campaign}/quality")
def show_quality(visit: TheVisit, person: Viewer) -> Quality:
    """Return how far assessors agree with each other and with gold questions, and how long they take."""
    report = QualityReport.of(visit.room, visit.campaign)
    assessors = [
        {
            "assessor": assessor.name,
            "person": assessor.person,
            **finite(dict(assessor.facts)),
            "gold_asked": assessor.gold.n,
            "gold_right": assessor.gold.seen,
            "gold_low": assessor.gold.interval[0],
            "gold_high": assessor.gold.interval[1],
            "blocked": None if assessor.block is None else assessor.block.made,
        }
        for assessor in report.assessors()
    ]
    drift = [
        finite({**row, "gold": None, "gold_asked": row["gold"].n, "gold_right": row["gold"].seen})
        for row in report.drift(daily=False)
    ]
    levels = [finite(row) for row in report.levels().iter_rows(named=True)]
    comments = report.comments(gold=person.may(Permission.MANAGE))
    return Quality(assessors=assessors, levels=levels, drift=drift, reasons=dict(report.reasons()), comments=comments)


@calls.get("/campaigns/{campaign}/gold")
def list_gold(visit: TheVisit, person: Manager) -> list[dict[str, Any]]:
    """Return the gold questions, with how many have answered each, how many of them right, and what they remarked."""
    return [
        {
            **{name: getattr(question.question, name) for name in ("id", "query", "document", "grade")},
            **{"asked": question.answers.n, "right": question.answers.seen, "comments": question.comments},
        }
        for question in QualityReport.of(visit.room, visit.campaign).questions()
    ]


QUESTIONS, SentQuestions = json_body(Annotated[list[SentGold], Field(max_length=10_000), FailFast()])


@calls.post("/campaigns/{campaign}/gold", status_code=201, openapi_extra=QUESTIONS)
def add_gold(visit: TheVisit, person: Manager, questions: Annotated[list[SentGold], SentQuestions]) -> dict[str, int]:
    """Add gold questions; one of the same document takes the place of the older one."""
    opened = visit.room.campaigns.find_unarchived(visit.campaign)
    labels = [Label(query=question.query, document=question.document, grade=question.grade) for question in questions]
    made = [question_of(opened, label, one.texts) for label, one in zip(labels, questions, strict=True)]
    return {"added": visit.room.gold.add(visit.campaign, person.id, made)}


@calls.put("/campaigns/{campaign}/gold/rules")
def set_gold_rules(visit: TheVisit, person: Manager, rules: Rules) -> Rules:
    """Set how often gold questions are asked, and when an assessor gets no more documents."""
    campaign_changes.set_gold_rules(visit.room, visit.campaign, person, rules)
    return rules
