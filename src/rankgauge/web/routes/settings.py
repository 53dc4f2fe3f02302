"""The settings of a campaign: what may be changed while it runs, what may not and why, and its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from fastapi import Form, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.active.campaign import BoardCampaign
from rankgauge.active.campaign.rules import Guidelines
from rankgauge.errors import RankGaugeError
from rankgauge.report.numbers import amount
from rankgauge.web.auth import Admin, Manager, TheRoom
from rankgauge.web.campaigns import OpenCampaign
from rankgauge.web.changes import changes, note_change
from rankgauge.web.forms import Fields
from rankgauge.web.people import Person
from rankgauge.web.roles import Permission
from rankgauge.web.room import Room
from rankgauge.web.route import pages

router = pages("settings", place=95, tab="Settings", permission=Permission.MANAGE)

FIXED: Mapping[str, str] = {
    "pool": "documents are drawn from it with chances that were computed for all of them",
    "measure": "the chances of documents follow from it; another measure is another campaign",
    "method": "the draws so far are its draws, and the estimate weighs them by its chances",
    "grades": "labels were given on this scale; names and meanings can be changed",
    "assessors": "documents that are judged already had so many",
    "seed": "it fixes the draws",
}
"""What cannot be changed, and why."""

LONGEST = {"name": 60, "meaning": 400, "words": 10_000}


@router.get("/campaigns/{campaign}/settings")
def show(request: Request, room: TheRoom, person: Manager, campaign: int) -> Response:
    """What can be changed, what cannot, and what was changed."""
    return _page(request, room, room.campaigns.get(campaign))


@router.post("/campaigns/{campaign}/settings/name")
def rename(
    request: Request, room: TheRoom, person: Manager, campaign: int, name: Annotated[str, Form(max_length=120)]
) -> Response:
    """Gives the campaign another name."""
    opened = room.campaigns.get(campaign)
    before = opened.campaign.name
    try:
        opened.campaign.rename(name)
    except RankGaugeError as error:
        return _page(request, room, opened, problem=str(error))
    _note(room, opened, person, "name", before, opened.campaign.name)
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/budget")
def change_budget(
    request: Request, room: TheRoom, person: Manager, campaign: int, budget: Annotated[str, Form(max_length=40)]
) -> Response:
    """Gives the campaign another budget."""
    opened = room.campaigns.get(campaign)
    try:
        set_budget(room, opened, person, float(budget.replace(",", "")))
    except ValueError:
        return _page(request, room, opened, problem=f"'{budget}' is not a number")
    except RankGaugeError as error:
        return _page(request, room, opened, problem=str(error))
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/guide")
def change_guide(request: Request, room: TheRoom, person: Manager, campaign: int, fields: Fields) -> Response:
    """Gives the grades other names and meanings, and assessors other guidelines."""
    opened = room.campaigns.get(campaign)
    grades = [f"{grade:g}" for grade in opened.campaign.settings.grades]
    names = {grade: fields.get(f"level_{grade}", "").strip() or grade for grade in grades}
    meanings = {grade: told for grade in grades if (told := fields.get(f"meaning_{grade}", "").strip())}
    try:
        set_guide(room, opened, person, Guidelines(words=fields.get("guide", ""), names=names, meanings=meanings))
    except RankGaugeError as error:
        return _page(request, room, opened, problem=str(error))
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/stage")
def begin_stage(request: Request, room: TheRoom, person: Manager, campaign: int, fields: Fields) -> Response:
    """Begins a new stage: beliefs and the order of documents follow what all labels so far say."""
    opened = room.campaigns.get(campaign)
    before = opened.campaign.progress().stages
    try:
        opened.campaign.refit(leave_open=fields.get("leave_open") == "true")
    except RankGaugeError as error:
        return _page(request, room, opened, problem=str(error))
    _note(room, opened, person, "stage", str(before), str(before + 1))
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/archive")
def archive(room: TheRoom, person: Manager, campaign: int) -> Response:
    """Pauses the campaign and puts it away."""
    opened = room.campaigns.get(campaign)
    room.campaigns.archive(campaign)
    _note(room, opened, person, "archived", "no", "yes")
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/restore")
def restore(room: TheRoom, person: Manager, campaign: int) -> Response:
    """Puts an archived campaign back among the others."""
    opened = room.campaigns.get(campaign)
    room.campaigns.restore(campaign)
    _note(room, opened, person, "archived", "yes", "no")
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/delete")
def delete(
    request: Request, room: TheRoom, person: Admin, campaign: int, typed: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Deletes the campaign for good, if its name was typed."""
    opened = room.campaigns.get(campaign)
    if typed.strip() != opened.campaign.name:
        return _page(
            request, room, opened, problem=f"Type the name of the campaign to delete it: {opened.campaign.name}"
        )
    room.campaigns.delete(campaign)
    return RedirectResponse("/", status_code=303)


def set_budget(room: Room, opened: OpenCampaign, person: Person, budget: float) -> None:
    """Gives a campaign another budget, and keeps who did."""
    before = opened.campaign.settings.budget
    opened.campaign.change_budget(budget)
    _note(room, opened, person, "budget", amount(before), amount(opened.campaign.settings.budget))


def set_guide(room: Room, opened: OpenCampaign, person: Person, guide: Guidelines) -> None:
    """Gives a campaign other guidelines, and keeps who did. The grades themselves stay."""
    known, before = {f"{grade:g}" for grade in opened.campaign.settings.grades}, opened.rules.guide
    if not {*guide.names, *guide.meanings} <= known:
        raise HTTPException(400, f"the campaign's grades are {', '.join(sorted(known))}; {FIXED['grades']}")
    texts = [("name", text) for text in guide.names.values()] + [("meaning", text) for text in guide.meanings.values()]
    for kind, text in (*texts, ("words", guide.words)):
        if len(text) > LONGEST[kind]:
            raise HTTPException(400, f"a {kind} may have {LONGEST[kind]:,} characters, not {len(text):,}")
    room.campaigns.set_rules(opened.id, replace(opened.rules, guide=guide))
    _note(room, opened, person, "guidelines", before.words, guide.words)
    for grade in sorted(known):
        told = [
            f"{one.names.get(grade, grade)}: {one.meanings.get(grade, '')}".removesuffix(": ")
            for one in (before, guide)
        ]
        _note(room, opened, person, f"grade {grade}", *told)


def _note(room: Room, opened: OpenCampaign, person: Person, what: str, before: str, after: str) -> None:
    note_change(room.engine, opened.id, person.name, what=what, before=before, after=after)


def _page(request: Request, room: Room, opened: OpenCampaign, *, problem: str = "") -> Response:
    return room.page(
        request,
        "settings.html",
        status=400 if problem else 200,
        opened=opened,
        board=isinstance(opened.campaign, BoardCampaign),
        progress=opened.campaign.progress(),
        choices=opened.choices(),
        fixed=FIXED,
        archived=opened.id in room.campaigns.archived(),
        changes=changes(room.engine, opened.id),
        problem=problem,
    )


def _back(campaign: int) -> Response:
    return RedirectResponse(f"/campaigns/{campaign}/settings", status_code=303)
