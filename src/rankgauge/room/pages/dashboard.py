"""The dashboard of a campaign: the estimate over the cost, who judges, and when the campaign stops."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import Annotated

from fastapi import Form, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.room import campaign_changes
from rankgauge.room.auth import Manager, TheRoom, Viewer
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.overview import Overview
from rankgauge.room.room import Room
from rankgauge.room.route import pages

router = pages("dashboard", place=50, tab="Dashboard")


@router.get("/campaigns/{campaign}")
def show(request: Request, room: TheRoom, person: Viewer, campaign: int) -> Response:
    """The dashboard."""
    opened = room.campaigns.get(campaign)
    return _page(
        request, room, "dashboard.html", opened, opened.overview.now(opened.version, partial(Overview.of, opened))
    )


@router.get("/campaigns/{campaign}/progress")
def refresh(request: Request, room: TheRoom, person: Viewer, campaign: int) -> Response:
    """The part of the dashboard that changes; its script asks for it every few seconds."""
    opened = room.campaigns.get(campaign)
    return _page(
        request, room, "progress.html", opened, opened.overview.lately(opened.version, partial(Overview.of, opened))
    )


@router.post("/campaigns/{campaign}/pause")
def pause(room: TheRoom, person: Manager, campaign: int) -> Response:
    """Hands out no more documents."""
    campaign_changes.set_paused(room, campaign, person, paused=True)
    return RedirectResponse(f"/campaigns/{campaign}", status_code=303)


@router.post("/campaigns/{campaign}/resume")
def resume(room: TheRoom, person: Manager, campaign: int) -> Response:
    """Hands out documents again."""
    campaign_changes.set_paused(room, campaign, person, paused=False)
    return RedirectResponse(f"/campaigns/{campaign}", status_code=303)


@router.post("/campaigns/{campaign}/stop")
def stop_at(room: TheRoom, person: Manager, campaign: int, half_width: Annotated[str, Form()] = "") -> Response:
    """Sets the stopping rule; an empty field removes it."""
    try:
        wanted = float(half_width) if half_width.strip() else None
    except ValueError:
        raise HTTPException(400, f"'{half_width}' is not a number") from None
    campaign_changes.set_stop(room, campaign, person, wanted)
    return RedirectResponse(f"/campaigns/{campaign}", status_code=303)


def _page(request: Request, room: Room, template: str, opened: OpenCampaign, overview: Overview) -> Response:
    progress, over = opened.campaign.progress(), opened.why_over()
    return room.page(
        request,
        template,
        opened=opened,
        progress=progress,
        archived=room.campaigns.is_archived(opened.id),
        stopped=opened.why_paused().words(opened.rules) if progress.paused else "",
        over=over and over.words(opened.rules),
        **{field.name: getattr(overview, field.name) for field in fields(overview)},
    )
