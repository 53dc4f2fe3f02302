"""The dashboard of a campaign: the estimate over the cost, who judges, and when the campaign stops."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import Annotated

from fastapi import Form, HTTPException, Query, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.render.numbers import thousands
from rankgauge.render.table import Column, ReportTable
from rankgauge.room import campaign_changes
from rankgauge.room.auth import Manager, SignedIn, TheRoom, Viewer
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.filters import decimals
from rankgauge.room.overview import Overview
from rankgauge.room.people import Permission
from rankgauge.room.room import Room
from rankgauge.room.route import pages

home_router = pages("home", place=30)


@home_router.get("/")
def home(request: Request, room: TheRoom, person: SignedIn, archived: Annotated[bool, Query()] = False) -> Response:
    """The list of campaigns, the judging page, or the dashboard."""
    if person.campaign is not None:
        page = "" if person.may(Permission.WATCH) else "/judge"
        return RedirectResponse(f"/campaigns/{person.campaign}{page}", status_code=303)
    found = room.campaigns.all(archived=archived)
    rows = [(opened, opened.campaign.progress(), opened.estimate(), opened.why_over()) for opened in found]
    return room.page(request, "home.html", rows=rows, archived=archived, put_away=len(room.campaigns.archived()))


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


query_router = pages("queries", place=80, tab="Queries")

HINT = """Queries with documents that were handed out. A query has a value once every document that counts is judged;
the estimate does not need that."""


@query_router.get("/campaigns/{campaign}/queries")
def show_queries(request: Request, room: TheRoom, person: Viewer, campaign: int) -> Response:
    """The queries with documents that were handed out, and the values of those that are fully judged."""
    opened = room.campaigns.get(campaign)
    counts = (Column(name, format=thousands) for name in ("Documents", "Handed out", "Judged"))
    value = Column(opened.campaign.settings.measure, format=decimals)
    rows = [(opened.texts.queries[query], *numbers) for query, *numbers in opened.review.queries().iter_rows()]
    table = ReportTable(columns=("Query", *counts, value), rows=rows, title="Queries")
    return room.table_page(request, opened, table, hint=HINT, empty="No documents were handed out yet.")
