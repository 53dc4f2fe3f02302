"""The people of a campaign: inviting them, their roles, replacing lost links, revoking; as a page and in the API."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Form, HTTPException, Response
from pydantic import BaseModel, Field

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.labels import is_name
from rankgauge.room import campaign_changes
from rankgauge.room.answers import SentSettings
from rankgauge.room.auth import Manager, TheVisit, Visit
from rankgauge.room.forms import shows_again
from rankgauge.room.people import WORDS, Permission, Role
from rankgauge.room.route import Number, api, pages

router = pages("people", place=60, tab="People", permission=Permission.MANAGE)
calls = api("api_people", place=220, tag="people")

GuestRole = Literal[Role.ASSESSOR, Role.MANAGER, Role.VIEWER]
"""The roles that people of a campaign may have."""

ROLES = {role.value: WORDS[role] for role in (Role.ASSESSOR, Role.MANAGER, Role.VIEWER)}

MOST, LONGEST = 100, 120
"""How many people may be invited at once, and how long a name may be."""


def _page(visit: Visit, *, links: Sequence[tuple[str, str]] = (), problem: str = "") -> Response:
    """Show the people, with the links that were just made for some."""
    people, review = visit.room.people, visit.opened.review
    facts = {"rows": [(row, review.own(row.id)) for row in people.of_campaign(visit.campaign)], "roles": ROLES}
    facts["tokens"] = people.campaign_tokens(visit.campaign)
    shown = [(name, visit.room.settings.link(secret)) for name, secret in links]
    return visit.page("people.html", links=shown, problem=problem, now=time.time(), **facts)


@router.get("/campaigns/{campaign}/people")
def show(visit: TheVisit, person: Manager) -> Response:
    """Return the people, and the form to invite some."""
    return _page(visit)


@router.post("/campaigns/{campaign}/people")
@shows_again(_page)
def invite_people(
    visit: TheVisit,
    person: Manager,
    name: Annotated[str, Form(min_length=1, max_length=MOST * (LONGEST + 2))],
    role: Annotated[GuestRole, Form()] = Role.ASSESSOR,
) -> Response:
    """Add people, one for each line, and show their links, once; none, if one of the names will not do."""
    names = [line.strip() for line in name.splitlines() if line.strip()]
    if not names or len(names) > MOST:
        raise InputError(f"{len(names)} names: expected 1 to {MOST}, one on each line")
    for line, one in enumerate(names, start=1):
        if len(one) > LONGEST or not is_name(one):
            raise InputError(f"a name has {LONGEST} printable characters at most", line=line, text=one[:200])
    return _page(visit, links=[(one, visit.room.people.invite(visit.opened.id, one, role)[1]) for one in names])


@router.post("/campaigns/{campaign}/people/{guest}/link")
def invite_again(visit: TheVisit, person: Manager, guest: int) -> Response:
    """Replace a lost link; the sessions and tokens of the old one end."""
    return _page(visit, links=[(_find_guest(visit, guest).name, visit.room.people.invite_again(guest))])


@router.post("/campaigns/{campaign}/people/{guest}/role")
def set_role(visit: TheVisit, person: Manager, guest: int, role: Annotated[GuestRole, Form()]) -> Response:
    """Return somebody another role; it counts from their next request on."""
    campaign_changes.set_role(visit.room, visit.campaign, person, guest, role)
    return visit.done("/people")


@router.get("/campaigns/{campaign}/people/{guest}/revoke")
def ask(visit: TheVisit, person: Manager, guest: int) -> Response:
    """Ask whether somebody's access shall really end."""
    return visit.page("revoke.html", guest=_find_guest(visit, guest), own=visit.opened.review.own(guest))


@router.post("/campaigns/{campaign}/people/{guest}/revoke")
@calls.delete("/campaigns/{campaign}/assessors/{guest}", status_code=204)
def revoke(visit: TheVisit, person: Manager, guest: Number) -> Response:
    """Revoke a person's access; the labels stay."""
    if not visit.room.people.revoke(visit.campaign, guest):
        raise HTTPException(404, "no such person")
    return visit.done("/people")


@router.post("/campaigns/{campaign}/people/tokens/{token}/revoke")
@calls.delete("/campaigns/{campaign}/tokens/{token}", status_code=204)
def revoke_token(visit: TheVisit, person: Manager, token: Number) -> Response:
    """Revoke a token of somebody of the campaign."""
    if not visit.room.people.revoke_campaign_token(visit.campaign, token):
        raise HTTPException(404, "no such token")
    return visit.done("/people")


def _find_guest(visit: Visit, guest: int) -> Any:
    """Somebody of the campaign who is not revoked."""
    known = {row.id: row for row in visit.room.people.of_campaign(visit.campaign) if row.revoked is None}
    if guest not in known:
        raise HTTPException(404, "no such person")
    return known[guest]


class Invitation(SentSettings):
    """Somebody to invite."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    role: GuestRole = Role.ASSESSOR


class Invited(BaseModel):
    """A new person, and their link, which is shown only once."""

    id: int
    name: str
    role: Role
    link: str


@calls.get("/campaigns/{campaign}/assessors")
def list_assessors(visit: TheVisit, person: Manager) -> list[dict[str, Any]]:
    """Return the people of the campaign, with their roles."""
    return [dict(row._mapping) for row in visit.room.people.of_campaign(visit.opened.id)]


@calls.post("/campaigns/{campaign}/assessors", status_code=201)
def invite(visit: TheVisit, person: Manager, invitation: Invitation) -> Invited:
    """Invite somebody, as an assessor unless another role is given."""
    guest, secret = visit.room.people.invite(visit.opened.id, invitation.name, invitation.role)
    return Invited(id=guest.id, name=guest.name, role=guest.role, link=visit.room.settings.link(secret))


@calls.get("/campaigns/{campaign}/tokens")
def list_tokens(visit: TheVisit, person: Manager) -> list[dict[str, Any]]:
    """The tokens of the campaign's people that work: whose each is, what for and until when; never the secret."""
    return [dict(row._mapping) for row in visit.room.people.campaign_tokens(visit.opened.id)]
