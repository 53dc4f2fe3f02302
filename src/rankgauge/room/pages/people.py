"""The people of a campaign: inviting them, their roles, replacing lost links, revoking; as a page and in the API."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Form, HTTPException, Path, Request, Response
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.labels import is_name
from rankgauge.room import campaign_changes
from rankgauge.room.answers import SentSettings
from rankgauge.room.auth import Manager, TheRoom
from rankgauge.room.forms import shows_again
from rankgauge.room.people import WORDS, Permission, Role
from rankgauge.room.room import Room
from rankgauge.room.route import CampaignNumber, api, pages

router = pages("people", place=60, tab="People", permission=Permission.MANAGE)

ROLES = (Role.ASSESSOR, Role.MANAGER, Role.VIEWER)
"""The roles that people of a campaign may have."""

CampaignRole = Annotated[Literal[Role.ASSESSOR, Role.MANAGER, Role.VIEWER], Form()]

MOST, LONGEST = 100, 120
"""How many people may be invited at once, and how long a name may be."""


def _page(
    request: Request, room: Room, campaign: int, *, links: Sequence[tuple[str, str]] = (), problem: str = ""
) -> Response:
    opened = room.campaigns.get(campaign)
    rows = [(row, opened.review.own(row.id)) for row in room.people.of_campaign(campaign)]
    facts = {"opened": opened, "rows": rows, "links": links, "problem": problem, "now": time.time()}
    facts["tokens"] = room.people.campaign_tokens(campaign)
    roles = {role.value: WORDS[role] for role in ROLES}
    return room.page(request, "people.html", roles=roles, **facts)


@router.get("/campaigns/{campaign}/people")
def show(request: Request, room: TheRoom, person: Manager, campaign: int) -> Response:
    """Return the people, and the form to invite some."""
    return _page(request, room, campaign)


@router.post("/campaigns/{campaign}/people")
@shows_again(_page)
def invite_people(
    request: Request,
    room: TheRoom,
    person: Manager,
    campaign: int,
    name: Annotated[str, Form(min_length=1, max_length=MOST * (LONGEST + 2))],
    role: CampaignRole = Role.ASSESSOR,
) -> Response:
    """Adds people, one for each line, and shows their links, once."""
    room.campaigns.get(campaign)
    names = [line.strip() for line in name.splitlines() if line.strip()]
    _check(names)
    guests = [room.people.invite(campaign, one, role) for one in names]
    return _page(request, room, campaign, links=[(guest.name, room.settings.link(secret)) for guest, secret in guests])


@router.post("/campaigns/{campaign}/people/{guest}/link")
def invite_again(request: Request, room: TheRoom, person: Manager, campaign: int, guest: int) -> Response:
    """Replaces a lost link; the sessions and tokens of the old one end."""
    known = _find_guest(room, campaign, guest)
    return _page(request, room, campaign, links=[(known.name, room.settings.link(room.people.invite_again(guest)))])


@router.post("/campaigns/{campaign}/people/{guest}/role")
def set_role(room: TheRoom, person: Manager, campaign: int, guest: int, role: CampaignRole) -> Response:
    """Gives somebody another role; it counts from their next request on."""
    campaign_changes.set_role(room, campaign, person, guest, role)
    return RedirectResponse(f"/campaigns/{campaign}/people", status_code=303)


@router.get("/campaigns/{campaign}/people/{guest}/revoke")
def ask(request: Request, room: TheRoom, person: Manager, campaign: int, guest: int) -> Response:
    """Asks whether somebody's access shall really end."""
    opened = room.campaigns.get(campaign)
    known = _find_guest(room, campaign, guest)
    return room.page(request, "revoke.html", opened=opened, guest=known, own=opened.review.own(guest))


@router.post("/campaigns/{campaign}/people/{guest}/revoke")
def end_access(room: TheRoom, person: Manager, campaign: int, guest: int) -> Response:
    """Revokes a person's access; the labels stay."""
    if not room.people.revoke(campaign, guest):
        raise HTTPException(404, "no such person")
    return RedirectResponse(f"/campaigns/{campaign}/people", status_code=303)


@router.post("/campaigns/{campaign}/people/tokens/{token}/revoke")
def end_token(room: TheRoom, person: Manager, campaign: int, token: int) -> Response:
    """Revokes a token of somebody of the campaign."""
    if not room.people.revoke_campaign_token(campaign, token):
        raise HTTPException(404, "no such token")
    return RedirectResponse(f"/campaigns/{campaign}/people", status_code=303)


def _check(names: Sequence[str]) -> None:
    """Refuses all names if one of them will not do, so that nobody is invited by half."""
    if not names or len(names) > MOST:
        raise InputError(f"{len(names)} names: expected 1 to {MOST}, one on each line")
    for line, name in enumerate(names, start=1):
        if len(name) > LONGEST or not is_name(name):
            raise InputError(f"a name has {LONGEST} printable characters at most", line=line, text=name[:200])


def _find_guest(room: Room, campaign: int, guest: int) -> Any:
    """Somebody of the campaign who is not revoked."""
    known = {row.id: row for row in room.people.of_campaign(campaign) if row.revoked is None}
    if guest not in known:
        raise HTTPException(404, "no such person")
    return known[guest]


calls = api("api_people", place=220, tag="people")


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


@calls.get("/campaigns/{campaign}/assessors")
def list_assessors(room: TheRoom, person: Manager, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """Return the people of the campaign, with their roles."""
    room.campaigns.get(campaign)
    return [dict(row._mapping) for row in room.people.of_campaign(campaign)]


@calls.post("/campaigns/{campaign}/assessors", status_code=201)
def invite(room: TheRoom, person: Manager, campaign: CampaignNumber, invitation: Invitation) -> Invited:
    """Invites somebody, as an assessor unless another role is given."""
    room.campaigns.get(campaign)
    guest, secret = room.people.invite(campaign, invitation.name, invitation.role)
    return Invited(id=guest.id, name=guest.name, role=guest.role, link=room.settings.link(secret))


@calls.delete("/campaigns/{campaign}/assessors/{guest}", status_code=204)
def revoke(
    room: TheRoom, person: Manager, campaign: CampaignNumber, guest: Annotated[int, Path(ge=1, le=2**31 - 1)]
) -> None:
    """Revokes a person's access; the labels stay."""
    if not room.people.revoke(campaign, guest):
        raise HTTPException(404, "no such person")


@calls.get("/campaigns/{campaign}/tokens")
def list_tokens(room: TheRoom, person: Manager, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """The tokens of the campaign's people that work: whose each is, what for and until when; never the secret."""
    room.campaigns.get(campaign)
    return [dict(row._mapping) for row in room.people.campaign_tokens(campaign)]


@calls.delete("/campaigns/{campaign}/tokens/{token}", status_code=204)
def revoke_token(
    room: TheRoom, person: Manager, campaign: CampaignNumber, token: Annotated[int, Path(ge=1, le=2**31 - 1)]
) -> None:
    """Revokes a token of somebody of the campaign."""
    if not room.people.revoke_campaign_token(campaign, token):
        raise HTTPException(404, "no such token")
