"""API: what may be changed in a campaign while it runs, and its end."""

from __future__ import annotations

from typing import Annotated

from fastapi import HTTPException, Query
from pydantic import BaseModel, Field

from rankgauge.labelling.campaign.rules import Guidelines
from rankgauge.room.answers import SentSettings
from rankgauge.room.auth import Admin, Manager, TheRoom
from rankgauge.room.campaign_changes import FIXED, rename, set_archived, set_budget, set_guide
from rankgauge.room.changes import changes
from rankgauge.room.route import CampaignNumber, api

router = api("api_settings", place=205, tag="campaigns")


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
    changes: list[dict[str, str | float]]


@router.get("/campaigns/{campaign}/settings")
def show_settings(room: TheRoom, person: Manager, campaign: CampaignNumber) -> CampaignWords:
    """What can be changed, what cannot and why, and what was changed."""
    opened = room.campaigns.get(campaign)
    guide = opened.rules.guide
    known = ("made", "person", "what", "before", "after")
    return CampaignWords(
        name=opened.campaign.name,
        budget=opened.campaign.settings.budget,
        guide=guide.words,
        names=dict(guide.names),
        meanings=dict(guide.meanings),
        archived=room.campaigns.is_archived(campaign),
        fixed=dict(FIXED),
        changes=[{name: getattr(row, name) for name in known} for row in changes(room.engine, campaign)],
    )


@router.patch("/campaigns/{campaign}/settings")
def change_settings(room: TheRoom, person: Manager, campaign: CampaignNumber, changed: Changed) -> CampaignWords:
    """Changes a campaign, one thing after another in the order of the fields; an error leaves the later ones.

    An archived campaign has to be restored before anything else is changed, or in the same call.
    """
    if changed.archived is False:
        set_archived(room, campaign, person, archived=False)
    if changed.name is not None:
        rename(room, campaign, person, changed.name)
    if changed.budget is not None:
        set_budget(room, campaign, person, changed.budget)
    if {"guide", "names", "meanings"} & changed.model_fields_set:
        set_guide(room, campaign, person, lambda guide: _merged(guide, changed))
    if changed.archived:
        set_archived(room, campaign, person, archived=True)
    return show_settings(room, person, campaign)


def _merged(guide: Guidelines, changed: Changed) -> Guidelines:
    """The guidelines with what is changed in them; grades that are not named keep their names."""
    return Guidelines(
        words=guide.words if changed.guide is None else changed.guide,
        names={**guide.names, **(changed.names or {})},
        meanings={**guide.meanings, **(changed.meanings or {})},
    )


@router.delete("/campaigns/{campaign}", status_code=204)
def delete_campaign(
    room: TheRoom, person: Admin, campaign: CampaignNumber, name: Annotated[str, Query(max_length=200)] = ""
) -> None:
    """Deletes a campaign for good, with its labels and people; its name has to be given."""
    if name != room.campaigns.get(campaign).campaign.name:
        raise HTTPException(400, "give the campaign's name to delete it: ?name=…")
    room.campaigns.delete(campaign)
