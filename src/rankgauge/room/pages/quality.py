"""The quality of labels: assessors, levels, times, drift, comments; and gold questions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form, HTTPException, Path, Query, Request, Response, UploadFile
from pydantic import BaseModel, FailFast, Field
from starlette.responses import RedirectResponse

from rankgauge.errors import InputError
from rankgauge.labelling.labels import Label
from rankgauge.render.numbers import count
from rankgauge.room import campaign_changes
from rankgauge.room.answers import Text
from rankgauge.room.auth import Manager, TheRoom, Viewer
from rankgauge.room.forms import shows_again
from rankgauge.room.gold import GoldQuestion, GoldRules
from rankgauge.room.people import Permission
from rankgauge.room.quality import QualityReport
from rankgauge.room.room import Room
from rankgauge.room.route import CampaignNumber, api, finite, json_body, pages
from rankgauge.room.uploads import question_of, read_gold_file

router = pages("quality", place=75, tab="Quality")


@router.get("/campaigns/{campaign}/quality")
def show(
    request: Request, room: TheRoom, person: Viewer, campaign: int, daily: Annotated[bool, Query()] = False
) -> Response:
    """Return how far assessors can be trusted: agreement, gold questions, times, and whether these change."""
    facts = {"report": QualityReport.of(room, campaign), "rules": room.gold.rules(campaign), "daily": daily}
    return room.page(request, "quality.html", opened=room.campaigns.get(campaign), **facts)


@router.post("/campaigns/{campaign}/quality/{guest}/unblock")
def lift_block(room: TheRoom, person: Manager, campaign: int, guest: int) -> Response:
    """Gives an assessor documents again."""
    room.campaigns.unarchived(campaign)
    if not room.gold.lift(campaign, guest, person.id):
        raise HTTPException(404, "nobody is blocked under this number")
    return RedirectResponse(f"/campaigns/{campaign}/quality", status_code=303)


def _page(request: Request, room: Room, campaign: int, *, problem: str = "", added: int | None = None) -> Response:
    opened = room.campaigns.get(campaign)
    return room.page(
        request,
        "gold.html",
        opened=opened,
        rows=QualityReport.of(room, campaign).questions(),
        rules=room.gold.rules(campaign) or GoldRules(every=10),
        choices=opened.choices(),
        problem=problem,
        done=f"{count(added, 'gold question')} added." if added is not None else "",
    )


@router.get("/campaigns/{campaign}/gold")
def gold(request: Request, room: TheRoom, person: Manager, campaign: int) -> Response:
    """Return the gold questions, and the rules for them."""
    return _page(request, room, campaign)


@router.post("/campaigns/{campaign}/gold/rules")
@shows_again(_page)
def set_rules(
    request: Request,
    room: TheRoom,
    person: Manager,
    campaign: int,
    every: Annotated[str, Form(max_length=20)] = "",
    within: Annotated[int, Form()] = 0,
    threshold: Annotated[float, Form()] = 70.0,
    least: Annotated[int, Form()] = 10,
) -> Response:
    """Sets how often gold questions are asked, and when an assessor gets no more documents."""
    if every.strip() and not every.strip().removeprefix("-").isdecimal():
        raise InputError(f"'{every}' is not a whole number")
    rules = GoldRules(
        every=int(every) if every.strip() else None, within=within, threshold=threshold / 100, least=least
    )
    campaign_changes.set_gold_rules(room, campaign, person, rules)
    return RedirectResponse(f"/campaigns/{campaign}/gold", status_code=303)


@router.post("/campaigns/{campaign}/gold")
@shows_again(_page)
def add(
    request: Request,
    room: TheRoom,
    person: Manager,
    campaign: int,
    query: Annotated[str, Form(max_length=1000)],
    document: Annotated[str, Form(max_length=1000)],
    grade: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Makes a document of the pool a gold question; without a grade the right answer is that it cannot be judged."""
    label = Label(query=query.strip(), document=document.strip(), grade=grade.strip() or None)
    question = question_of(room.campaigns.unarchived(campaign), label, {})
    return _page(request, room, campaign, added=room.gold.add(campaign, person.id, [question]))


@router.post("/campaigns/{campaign}/gold/settled")
def add_settled(request: Request, room: TheRoom, person: Manager, campaign: int) -> Response:
    """Makes every document on which a disagreement was settled a gold question, with the grade that settled it."""
    settled = [one for one in room.campaigns.unarchived(campaign).review.disagreements() if one.settled is not None]
    questions = [
        GoldQuestion(query=one.query, document=one.document, grade=one.settled, texts=one.texts) for one in settled
    ]
    return _page(request, room, campaign, added=room.gold.add(campaign, person.id, questions))


@router.post("/campaigns/{campaign}/gold/labels")
@shows_again(_page)
def upload(request: Request, room: TheRoom, person: Manager, campaign: int, file: UploadFile) -> Response:
    """Adds the gold questions of a file."""
    opened = room.campaigns.unarchived(campaign)
    questions = read_gold_file(file.file.read(), file.filename or "").questions(opened)
    return _page(request, room, campaign, added=room.gold.add(campaign, person.id, questions))


@router.post("/campaigns/{campaign}/gold/{question}/retire")
def retire(room: TheRoom, person: Manager, campaign: int, question: int) -> Response:
    """Asks a gold question no more."""
    room.campaigns.unarchived(campaign)
    if not room.gold.retire(campaign, question):
        raise HTTPException(404, "no such gold question")
    return RedirectResponse(f"/campaigns/{campaign}/gold", status_code=303)


calls = api("api_quality", place=240, tag="quality")

Number = Annotated[int, Path(ge=1, le=2**31 - 1)]


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
def show_quality(room: TheRoom, person: Viewer, campaign: CampaignNumber) -> Quality:
    """Return how far assessors agree with each other and with gold questions, and how long they take."""
    report = QualityReport.of(room, campaign)
    assessors = [
        {
            "assessor": one.name,
            "person": one.person,
            **finite(dict(one.facts)),
            "gold_asked": one.gold.n,
            "gold_right": one.gold.seen,
            "gold_low": one.gold.interval[0],
            "gold_high": one.gold.interval[1],
            "blocked": None if one.block is None else one.block.made,
        }
        for one in report.assessors()
    ]
    drift = [
        finite({**row, "gold": None, "gold_asked": row["gold"].n, "gold_right": row["gold"].seen})
        for row in report.drift(daily=False)
    ]
    return Quality(
        assessors=assessors,
        levels=[finite(row) for row in report.levels().iter_rows(named=True)],
        drift=drift,
        reasons=dict(report.reasons()),
        comments=report.comments(gold=person.may(Permission.MANAGE)),
    )


@calls.get("/campaigns/{campaign}/gold")
def list_gold(room: TheRoom, person: Manager, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """Return the gold questions, with how many have answered each, how many of them right, and what they remarked."""
    return [
        {
            **{name: getattr(one.question, name) for name in ("id", "query", "document", "grade")},
            "asked": one.answers.n,
            "right": one.answers.seen,
            "comments": one.comments,
        }
        for one in QualityReport.of(room, campaign).questions()
    ]


QUESTIONS, SentQuestions = json_body(Annotated[list[SentGold], Field(max_length=10_000), FailFast()])


@calls.post("/campaigns/{campaign}/gold", status_code=201, openapi_extra=QUESTIONS)
def add_gold(
    room: TheRoom,
    person: Manager,
    campaign: CampaignNumber,
    questions: Annotated[list[SentGold], SentQuestions],
) -> dict[str, int]:
    """Adds gold questions; one of the same document takes the place of the older one."""
    opened = room.campaigns.unarchived(campaign)
    labels = [Label(query=one.query, document=one.document, grade=one.grade) for one in questions]
    made = [question_of(opened, label, one.texts) for label, one in zip(labels, questions, strict=True)]
    return {"added": room.gold.add(campaign, person.id, made)}


@calls.put("/campaigns/{campaign}/gold/rules")
def set_gold_rules(room: TheRoom, person: Manager, campaign: CampaignNumber, rules: Rules) -> Rules:
    """Sets how often gold questions are asked, and when an assessor gets no more documents."""
    campaign_changes.set_gold_rules(room, campaign, person, rules)
    return rules


@calls.delete("/campaigns/{campaign}/gold/{question}", status_code=204)
def retire_gold(room: TheRoom, person: Manager, campaign: CampaignNumber, question: Number) -> None:
    """Asks a gold question no more; its answers still count."""
    room.campaigns.unarchived(campaign)
    if not room.gold.retire(campaign, question):
        raise HTTPException(404, "no such gold question")


@calls.post("/campaigns/{campaign}/assessors/{guest}/unblock", status_code=204)
def unblock(room: TheRoom, person: Manager, campaign: CampaignNumber, guest: Number) -> None:
    """Gives an assessor documents again who was blocked by gold questions."""
    room.campaigns.unarchived(campaign)
    if not room.gold.lift(campaign, guest, person.id):
        raise HTTPException(404, "nobody is blocked under this number")
