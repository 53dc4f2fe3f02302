"""API: the assessors of a campaign."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import HTTPException, Path
from pydantic import BaseModel, Field

from rankgauge.web.auth import Admin, TheRoom
from rankgauge.web.route import CampaignNumber, api

router = api("api_people", place=220, tag="people")


class Invitation(BaseModel):
    """Somebody to invite."""

    name: Annotated[str, Field(min_length=1, max_length=120)]


class Invited(BaseModel):
    """A new assessor, and their link, which is shown only once."""

    id: int
    name: str
    link: str


@router.get("/campaigns/{campaign}/assessors")
def list_assessors(room: TheRoom, person: Admin, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """The assessors of the campaign."""
    room.campaigns.get(campaign)
    return [dict(row._mapping) for row in room.people.assessors(campaign)]


@router.post("/campaigns/{campaign}/assessors", status_code=201)
def invite(room: TheRoom, person: Admin, campaign: CampaignNumber, invitation: Invitation) -> Invited:
    """Invites an assessor."""
    room.campaigns.get(campaign)
    guest, secret = room.people.invite(campaign, invitation.name)
    return Invited(id=guest.id, name=guest.name, link=room.settings.link(secret))


@router.delete("/campaigns/{campaign}/assessors/{guest}", status_code=204)
def revoke(
    room: TheRoom, person: Admin, campaign: CampaignNumber, guest: Annotated[int, Path(ge=1, le=2**31 - 1)]
) -> None:
    """Revokes an assessor's access; the labels stay."""
    if not room.people.revoke(campaign, guest):
        raise HTTPException(404, "no such assessor")
