"""Changes of a campaign that runs: each is refused while the campaign is archived, made, and noted with who made it.

Pages and API go through these, so that both refuse and note the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Engine, Row, insert, select
from starlette.exceptions import HTTPException

from rankgauge.errors import ParameterError
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.rules import CampaignRules, Guidelines
from rankgauge.render.numbers import amount
from rankgauge.room.database import CHANGES
from rankgauge.room.gold import GoldRules
from rankgauge.room.people import Person, Role
from rankgauge.room.room import Room


def changes(engine: Engine, campaign: int) -> Sequence[Row[Any]]:
    """Return the changes of a campaign, the last first: made, number, person, what, before, after."""
    with reading(engine) as connection:
        chosen = select(CHANGES).where(CHANGES.c.campaign == campaign)
        return connection.execute(chosen.order_by(CHANGES.c.id.desc())).all()


FIXED: Mapping[str, str] = {
    "pool": "documents are drawn from it with chances that were computed for all of them",
    "measure": "the chances of documents follow from it; another measure is another campaign",
    "method": "the draws so far are its draws, and the estimate weighs them by its chances",
    "grades": "labels were given on this scale; names and meanings can be changed",
    "assessors": "documents that are judged already had so many",
    "seed": "it fixes the draws",
}
"""What cannot be apply_change, and why."""

YES = {True: "yes", False: "no"}

LONGEST = {"name": 60, "meaning": 400, "words": 10_000}


def rename(room: Room, campaign: int, person: Person, name: str) -> None:
    """Give a campaign another name."""
    opened = room.campaigns.find_unarchived(campaign)
    before = opened.campaign.name
    opened.campaign.rename(name)
    _note(room, campaign, person, "name", before, opened.campaign.name)


def set_budget(room: Room, campaign: int, person: Person, budget: float) -> None:
    """Give a campaign another budget."""
    opened = room.campaigns.find_unarchived(campaign)
    before = opened.campaign.settings.budget
    opened.campaign.change_budget(budget)
    _note(room, campaign, person, "budget", amount(before), amount(opened.campaign.settings.budget))


def set_guide(room: Room, campaign: int, person: Person, change: Callable[[Guidelines], Guidelines]) -> None:
    """Make other guidelines of those that a campaign has. The grades themselves stay."""
    known = {f"{grade:g}" for grade in room.campaigns.get(campaign).campaign.settings.grades}

    def apply_change(rules: CampaignRules) -> CampaignRules:
        guide = change(rules.guide)
        if not {*guide.names, *guide.meanings} <= known:
            raise HTTPException(400, f"the campaign's grades are {', '.join(sorted(known))}; {FIXED['grades']}")
        texts = {"name": guide.names.values(), "meaning": guide.meanings.values(), "words": [guide.words]}
        for kind, text in ((kind, text) for kind, some in texts.items() for text in some):
            if len(text) > LONGEST[kind]:
                raise HTTPException(400, f"a {kind} may have {LONGEST[kind]:,} characters, not {len(text):,}")
        return replace(rules, guide=guide)

    before, after = (rules.guide for rules in room.campaigns.change_rules(campaign, apply_change))
    _note(room, campaign, person, "guidelines", before.words, after.words)
    for grade in sorted(known):
        told = [
            f"{one.names.get(grade, grade)}: {one.meanings.get(grade, '')}".removesuffix(": ")
            for one in (before, after)
        ]
        _note(room, campaign, person, f"grade {grade}", *told)


def begin_stage(room: Room, campaign: int, person: Person, *, leave_open: bool) -> None:
    """Begin a new stage: beliefs and the order of documents follow what all labels so far say."""
    opened = room.campaigns.find_unarchived(campaign)
    before = opened.campaign.progress().stages
    opened.campaign.refit(leave_open=leave_open)
    _note(room, campaign, person, "stage", str(before), str(before + 1))


def set_stop(room: Room, campaign: int, person: Person, half_width: float | None) -> None:
    """Give a campaign another stopping rule, or none."""
    opened = room.campaigns.find_unarchived(campaign)
    if half_width is not None and not opened.campaign.stops_at_width:
        raise ParameterError("a board", "stop_at", "empty: a board stops when its goal is settled", half_width)
    before = room.campaigns.stop_at(campaign, half_width)
    _note(
        room,
        campaign,
        person,
        "stopping rule",
        *("none" if one is None else f"±{one:g}" for one in (before, half_width)),
    )


def set_paused(room: Room, campaign: int, person: Person, *, paused: bool) -> None:
    """Pause a campaign, or let it go on."""
    before = room.campaigns.set_paused(campaign, paused)
    _note(room, campaign, person, "paused", YES[before], YES[paused])


def set_archived(room: Room, campaign: int, person: Person, *, archived: bool) -> None:
    """Put a campaign away, or back among the others."""
    before = room.campaigns.set_archived(campaign, archived)
    _note(room, campaign, person, "archived", YES[before], YES[archived])


def set_gold_rules(room: Room, campaign: int, person: Person, rules: GoldRules) -> None:
    """Give a campaign other rules for gold questions."""
    room.campaigns.find_unarchived(campaign)
    before = room.gold.rules(campaign)
    room.gold.set_rules(campaign, rules)
    _note(room, campaign, person, "gold rules", "none" if before is None else before.words, rules.words)


def set_role(room: Room, campaign: int, person: Person, guest: int, role: Role) -> None:
    """Give somebody of the campaign another role. That of an archived campaign may change: people may look at it."""
    known = {row.id: row for row in room.people.of_campaign(campaign)}
    if not room.people.set_role(campaign, guest, role):
        raise HTTPException(404, "no such person")
    name = known[guest].name
    _note(room, campaign, person, "role", f"{name}: {known[guest].role}", f"{name}: {role.value}")


def _note(room: Room, campaign: int, person: Person, what: str, before: str, after: str) -> None:
    """Keep a change, if it is one."""
    if before == after:
        return
    row = {"campaign": campaign, "number": person.id, "person": person.name, "made": time.time()}
    with writing(room.engine) as connection:
        connection.execute(insert(CHANGES).values(what=what, before=before, after=after, **row))
