"""API: the people of a campaign."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import HTTPException, Path
from pydantic import BaseModel, Field

from rankgauge.room.answers import SentSettings
from rankgauge.room.auth import Manager, TheRoom
from rankgauge.room.roles import Role
from rankgauge.room.route import CampaignNumber, api

router = api("api_people", place=220, tag="people")


class Invitation(SentSettings):
    """Somebody to invite."""

    name: Annotated[str, Field(min_length=1, max_length=120)]
    role: Literal[Role.ASSESSOR, Role.MANAGER, Role.VIEWER] = Role.ASSESSOR


class Invited(BaseModel):
    """A new person, and their link, which is shown only once."""

    id: int
    name: str
    role: Role
    link: str


@router.get("/campaigns/{campaign}/assessors")
def list_assessors(room: TheRoom, person: Manager, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """The people of the campaign, with their roles."""
    room.campaigns.get(campaign)
    return [dict(row._mapping) for row in room.people.of_campaign(campaign)]


@router.post("/campaigns/{campaign}/assessors", status_code=201)
def invite(room: TheRoom, person: Manager, campaign: CampaignNumber, invitation: Invitation) -> Invited:
    """Invites somebody, as an assessor unless another role is given."""
    room.campaigns.get(campaign)
    guest, secret = room.people.invite(campaign, invitation.name, invitation.role)
    return Invited(id=guest.id, name=guest.name, role=guest.role, link=room.settings.link(secret))


@router.delete("/campaigns/{campaign}/assessors/{guest}", status_code=204)
def revoke(
    room: TheRoom, person: Manager, campaign: CampaignNumber, guest: Annotated[int, Path(ge=1, le=2**31 - 1)]
) -> None:
    """Revokes a person's access; the labels stay."""
    if not room.people.revoke(campaign, guest):
        raise HTTPException(404, "no such person")


@router.get("/campaigns/{campaign}/tokens")
def list_tokens(room: TheRoom, person: Manager, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """The tokens of the campaign's people that work: whose each is, what for and until when; never the secret."""
    room.campaigns.get(campaign)
    return [dict(row._mapping) for row in room.people.campaign_tokens(campaign)]


@router.delete("/campaigns/{campaign}/tokens/{token}", status_code=204)
def revoke_token(
    room: TheRoom, person: Manager, campaign: CampaignNumber, token: Annotated[int, Path(ge=1, le=2**31 - 1)]
) -> None:
    """Revokes a token of somebody of the campaign."""
    if not room.people.revoke_campaign_token(campaign, token):
        raise HTTPException(404, "no such token")
