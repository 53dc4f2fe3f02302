"""The settings of a campaign: what may be changed while it runs, what may not and why, and its end."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, HTTPException, Query, Response
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.rules import Guidelines
from rankgauge.room.answers import SentSettings
from rankgauge.room.auth import Admin, Manager, TheVisit, Visit
from rankgauge.room.campaign_changes import FIXED, begin_stage, changes, rename, set_archived, set_budget, set_guide
from rankgauge.room.forms import Fields, read_number, shows_again
from rankgauge.room.people import Permission
from rankgauge.room.route import api, pages

router = pages("settings", place=95, tab="Settings", permission=Permission.MANAGE)
calls = api("api_settings", place=205, tag="campaigns")


def _page(visit: Visit, *, problem: str = "") -> Response:
    opened = visit.opened
    facts = {"board": opened.campaign.board, "progress": opened.campaign.progress(), "choices": opened.choices()}
    facts |= {
        "archived": opened.id in visit.room.campaigns.list_archived(),
        "changes": changes(visit.room.engine, opened.id),
    }
    return visit.page("settings.html", fixed=FIXED, problem=problem, **facts)


@router.get("/campaigns/{campaign}/settings")
def show(visit: TheVisit, person: Manager) -> Response:
    """Return what can be changed, what cannot, and what was changed."""
    return _page(visit)


@router.post("/campaigns/{campaign}/settings/name")
@shows_again(_page)
def change_name(visit: TheVisit, person: Manager, name: Annotated[str, Form(max_length=120)]) -> Response:
    """Give the campaign another name."""
    rename(visit.room, visit.campaign, person, name)
    return visit.done("/settings")


@router.post("/campaigns/{campaign}/settings/budget")
@shows_again(_page)
def change_budget(visit: TheVisit, person: Manager, budget: Annotated[str, Form(max_length=40)]) -> Response:
    """Give the campaign another budget."""
    set_budget(visit.room, visit.campaign, person, read_number(budget))
    return visit.done("/settings")


@router.post("/campaigns/{campaign}/settings/guide")
@shows_again(_page)
def change_guide(visit: TheVisit, person: Manager, fields: Fields) -> Response:
    """Give the grades other names and meanings, and assessors other guidelines."""
    grades = [f"{grade:g}" for grade in visit.opened.campaign.settings.grades]
    names = {grade: fields.get(f"level_{grade}", "").strip() or grade for grade in grades}
    meanings = {grade: told for grade in grades if (told := fields.get(f"meaning_{grade}", "").strip())}
    guide = Guidelines(words=fields.get("guide", ""), names=names, meanings=meanings)
    set_guide(visit.room, visit.campaign, person, lambda _: guide)
    return visit.done("/settings")


@router.post("/campaigns/{campaign}/settings/stage")
@shows_again(_page)
def new_stage(visit: TheVisit, person: Manager, fields: Fields) -> Response:
    """Begin a new stage: beliefs and the order of documents follow what all labels so far say."""
    begin_stage(visit.room, visit.campaign, person, leave_open=fields.get("leave_open") == "true")
    return visit.done("/settings")


@router.post("/campaigns/{campaign}/settings/archive")
@router.post("/campaigns/{campaign}/settings/restore")
def archive(visit: TheVisit, person: Manager) -> Response:
    """Pause the campaign and put it away, or put it back among the others."""
    set_archived(visit.room, visit.campaign, person, archived=visit.request.url.path.endswith("/archive"))
    return visit.done("/settings")


@router.post("/campaigns/{campaign}/settings/delete")
@shows_again(_page)
def delete(visit: TheVisit, person: Admin, typed: Annotated[str, Form(max_length=200)] = "") -> Response:
    """Delete the campaign for good, if its name was typed."""
    if typed.strip() != (name := visit.opened.campaign.name):
        raise InputError(f"Type the name of the campaign to delete it: {name}")
    visit.room.campaigns.delete(visit.campaign)
    return RedirectResponse("/", status_code=303)


class Changed(SentSettings):
    """What to change; what is left out stays. The pool, the measure, the method and the grades cannot be changed."""

    name: str | None = Field(None, min_length=1, max_length=120)
    budget: float | None = Field(None, gt=0, allow_inf_nan=False)
    guide: str | None = Field(None, max_length=10_000, description="Guidelines for the assessors.")
    names: dict[str, str] | None = Field(None, description="By grade its name.")
    meanings: dict[str, str] | None = Field(None, description="By grade its meaning.")
    archived: bool | None = None


class CampaignWords(BaseModel):
    """What can be changed in a campaign, as it is now, and why the rest cannot."""

    name: str
    budget: float
    guide: str
    names: dict[str, str]
    meanings: dict[str, str]
    archived: bool
    fixed: dict[str, str]
    changes: list[dict[str, str | float | None]]


@calls.get("/campaigns/{campaign}/settings")
def show_settings(visit: TheVisit, person: Manager) -> CampaignWords:
    """Return what can be changed, what cannot and why, and what was changed."""
    opened, known = visit.opened, ("made", "number", "person", "what", "before", "after")
    guide = opened.rules.guide
    return CampaignWords(
        name=opened.campaign.name,
        budget=opened.campaign.settings.budget,
        guide=guide.words,
        names=dict(guide.names),
        meanings=dict(guide.meanings),
        archived=opened.id in visit.room.campaigns.list_archived(),
        fixed=dict(FIXED),
        changes=[{name: getattr(row, name) for name in known} for row in changes(visit.room.engine, opened.id)],
    )


@calls.patch("/campaigns/{campaign}/settings")
def change_settings(visit: TheVisit, person: Manager, changed: Changed) -> CampaignWords:
    """Change a campaign, one thing after another in the order of the fields; an error leaves the later ones.

    An archived campaign has to be restored before anything else is changed, or in the same call.
    """
    room, campaign = visit.room, visit.campaign

    def merge(guide: Guidelines) -> Guidelines:
        """Return the guidelines with what is changed in them; grades that are not named keep their names."""
        words = guide.words if changed.guide is None else changed.guide
        names, meanings = {**guide.names, **(changed.names or {})}, {**guide.meanings, **(changed.meanings or {})}
        return Guidelines(words=words, names=names, meanings=meanings)

    if changed.archived is False:
        set_archived(room, campaign, person, archived=False)
    if changed.name is not None:
        rename(room, campaign, person, changed.name)
    if changed.budget is not None:
        set_budget(room, campaign, person, changed.budget)
    if {"guide", "names", "meanings"} & changed.model_fields_set:
        set_guide(room, campaign, person, merge)
    if changed.archived:
        set_archived(room, campaign, person, archived=True)
    return show_settings(visit, person)


@calls.delete("/campaigns/{campaign}", status_code=204)
def delete_campaign(visit: TheVisit, person: Admin, name: Annotated[str, Query(max_length=200)] = "") -> None:
    """Delete a campaign for good, with its labels and people; its name has to be given."""
    if name != visit.opened.campaign.name:
        raise HTTPException(400, "give the campaign's name to delete it: ?name=…")
    visit.room.campaigns.delete(visit.campaign)
