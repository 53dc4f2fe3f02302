"""The quality of labels: assessors, levels, times, drift, comments; and gold questions."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, HTTPException, Query, Request, Response, UploadFile
from starlette.responses import RedirectResponse

from rankgauge.errors import InputError, ParameterError
from rankgauge.room import campaign_changes
from rankgauge.room.auth import Manager, TheRoom, Viewer
from rankgauge.room.gold_files import chosen_question, settled_questions
from rankgauge.room.gold_rows import GoldRules
from rankgauge.room.people import Person
from rankgauge.room.quality import QualityReport
from rankgauge.room.room import Room
from rankgauge.room.route import pages
from rankgauge.room.uploads import read_gold_file

router = pages("quality", place=75, tab="Quality")


@router.get("/campaigns/{campaign}/quality")
def show(
    request: Request, room: TheRoom, person: Viewer, campaign: int, daily: Annotated[bool, Query()] = False
) -> Response:
    """How far assessors can be trusted: agreement, gold questions, times, and whether these change."""
    opened = room.campaigns.get(campaign)
    report = QualityReport.of(room, campaign)
    rules = room.gold.rules(campaign)
    return room.page(request, "quality.html", opened=opened, report=report, rules=rules, daily=daily)


@router.post("/campaigns/{campaign}/quality/{guest}/unblock")
def unblock(room: TheRoom, person: Manager, campaign: int, guest: int) -> Response:
    """Gives an assessor documents again."""
    room.campaigns.unarchived(campaign)
    if not room.gold.lift(campaign, guest, person.id):
        raise HTTPException(404, "nobody is blocked under this number")
    return RedirectResponse(f"/campaigns/{campaign}/quality", status_code=303)


@router.get("/campaigns/{campaign}/gold")
def gold(request: Request, room: TheRoom, person: Manager, campaign: int) -> Response:
    """The gold questions, and the rules for them."""
    return _page(request, room, campaign)


@router.post("/campaigns/{campaign}/gold/rules")
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
    try:
        rate = int(every) if every.strip() else None
        rules = GoldRules(every=rate, within=within, threshold=threshold / 100, least=least)
    except ValueError:
        return _page(request, room, campaign, problem=f"'{every}' is not a whole number")
    except ParameterError as error:
        return _page(request, room, campaign, problem=room.told(error))
    campaign_changes.set_gold_rules(room, campaign, person, rules)
    return RedirectResponse(f"/campaigns/{campaign}/gold", status_code=303)


@router.post("/campaigns/{campaign}/gold")
def add(
    request: Request,
    room: TheRoom,
    person: Manager,
    campaign: int,
    query: Annotated[str, Form(max_length=1000)],
    document: Annotated[str, Form(max_length=1000)],
    grade: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Makes a document of the pool a gold question."""
    opened = room.campaigns.unarchived(campaign)
    try:
        question = chosen_question(opened, query.strip(), document.strip(), grade.strip() or None)
    except InputError as error:
        return _page(request, room, campaign, problem=room.told(error))
    return _added(request, room, person, campaign, room.gold.add(campaign, person.id, [question]))


@router.post("/campaigns/{campaign}/gold/settled")
def add_settled(request: Request, room: TheRoom, person: Manager, campaign: int) -> Response:
    """Makes every document on which a disagreement was settled a gold question."""
    found = settled_questions(room.campaigns.unarchived(campaign))
    return _added(request, room, person, campaign, room.gold.add(campaign, person.id, found))


@router.post("/campaigns/{campaign}/gold/labels")
def upload(request: Request, room: TheRoom, person: Manager, campaign: int, file: UploadFile) -> Response:
    """Adds the gold questions of a file."""
    opened = room.campaigns.unarchived(campaign)
    try:
        found = read_gold_file(file.file.read(), file.filename or "").questions(opened)
    except InputError as error:
        return _page(request, room, campaign, problem=room.told(error))
    return _added(request, room, person, campaign, room.gold.add(campaign, person.id, found))


@router.post("/campaigns/{campaign}/gold/{question}/retire")
def retire(room: TheRoom, person: Manager, campaign: int, question: int) -> Response:
    """Asks a gold question no more."""
    room.campaigns.unarchived(campaign)
    if not room.gold.retire(campaign, question):
        raise HTTPException(404, "no such gold question")
    return RedirectResponse(f"/campaigns/{campaign}/gold", status_code=303)


def _added(request: Request, room: Room, person: Person, campaign: int, count: int) -> Response:
    words = "1 gold question added." if count == 1 else f"{count} gold questions added."
    return _page(request, room, campaign, done=words)


def _page(request: Request, room: Room, campaign: int, *, problem: str = "", done: str = "") -> Response:
    opened = room.campaigns.get(campaign)
    return room.page(
        request,
        "gold.html",
        status=400 if problem else 200,
        opened=opened,
        rows=QualityReport.of(room, campaign).questions(),
        rules=room.gold.rules(campaign) or GoldRules(every=10),
        choices=opened.choices(),
        problem=problem,
        done=done,
    )
