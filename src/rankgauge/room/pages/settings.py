"""The settings of a campaign: what may be changed while it runs, what may not and why, and its end."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.errors import RankGaugeError
from rankgauge.labelling.campaign.rules import Guidelines
from rankgauge.room.auth import Admin, Manager, TheRoom
from rankgauge.room.campaign_changes import FIXED, begin_stage, rename, set_archived, set_budget, set_guide
from rankgauge.room.changes import changes
from rankgauge.room.forms import Fields
from rankgauge.room.roles import Permission
from rankgauge.room.room import Room
from rankgauge.room.route import pages

router = pages("settings", place=95, tab="Settings", permission=Permission.MANAGE)


@router.get("/campaigns/{campaign}/settings")
def show(request: Request, room: TheRoom, person: Manager, campaign: int) -> Response:
    """What can be changed, what cannot, and what was changed."""
    return _page(request, room, campaign)


@router.post("/campaigns/{campaign}/settings/name")
def change_name(
    request: Request, room: TheRoom, person: Manager, campaign: int, name: Annotated[str, Form(max_length=120)]
) -> Response:
    """Gives the campaign another name."""
    try:
        rename(room, campaign, person, name)
    except RankGaugeError as error:
        return _page(request, room, campaign, problem=room.told(error))
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/budget")
def change_budget(
    request: Request, room: TheRoom, person: Manager, campaign: int, budget: Annotated[str, Form(max_length=40)]
) -> Response:
    """Gives the campaign another budget."""
    try:
        set_budget(room, campaign, person, float(budget.replace(",", "")))
    except ValueError:
        return _page(request, room, campaign, problem=f"'{budget}' is not a number")
    except RankGaugeError as error:
        return _page(request, room, campaign, problem=room.told(error))
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/guide")
def change_guide(request: Request, room: TheRoom, person: Manager, campaign: int, fields: Fields) -> Response:
    """Gives the grades other names and meanings, and assessors other guidelines."""
    opened = room.campaigns.get(campaign)
    grades = [f"{grade:g}" for grade in opened.campaign.settings.grades]
    names = {grade: fields.get(f"level_{grade}", "").strip() or grade for grade in grades}
    meanings = {grade: told for grade in grades if (told := fields.get(f"meaning_{grade}", "").strip())}
    guide = Guidelines(words=fields.get("guide", ""), names=names, meanings=meanings)
    try:
        set_guide(room, campaign, person, lambda _: guide)
    except RankGaugeError as error:
        return _page(request, room, campaign, problem=room.told(error))
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/stage")
def new_stage(request: Request, room: TheRoom, person: Manager, campaign: int, fields: Fields) -> Response:
    """Begins a new stage: beliefs and the order of documents follow what all labels so far say."""
    try:
        begin_stage(room, campaign, person, leave_open=fields.get("leave_open") == "true")
    except RankGaugeError as error:
        return _page(request, room, campaign, problem=room.told(error))
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/archive")
def archive(room: TheRoom, person: Manager, campaign: int) -> Response:
    """Pauses the campaign and puts it away."""
    set_archived(room, campaign, person, archived=True)
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/restore")
def restore(room: TheRoom, person: Manager, campaign: int) -> Response:
    """Puts an archived campaign back among the others."""
    set_archived(room, campaign, person, archived=False)
    return _back(campaign)


@router.post("/campaigns/{campaign}/settings/delete")
def delete(
    request: Request, room: TheRoom, person: Admin, campaign: int, typed: Annotated[str, Form(max_length=200)] = ""
) -> Response:
    """Deletes the campaign for good, if its name was typed."""
    opened = room.campaigns.get(campaign)
    if typed.strip() != opened.campaign.name:
        return _page(
            request, room, campaign, problem=f"Type the name of the campaign to delete it: {opened.campaign.name}"
        )
    room.campaigns.delete(campaign)
    return RedirectResponse("/", status_code=303)


def _page(request: Request, room: Room, campaign: int, *, problem: str = "") -> Response:
    opened = room.campaigns.get(campaign)
    return room.page(
        request,
        "settings.html",
        status=400 if problem else 200,
        opened=opened,
        board=opened.campaign.board,
        progress=opened.campaign.progress(),
        choices=opened.choices(),
        fixed=FIXED,
        archived=room.campaigns.is_archived(campaign),
        changes=changes(room.engine, opened.id),
        problem=problem,
    )


def _back(campaign: int) -> Response:
    return RedirectResponse(f"/campaigns/{campaign}/settings", status_code=303)
