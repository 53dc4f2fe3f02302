"""The dashboard of a campaign: the estimate over the cost, who judges, and when the campaign stops."""

from __future__ import annotations

from typing import Annotated

import polars as pl
from fastapi import Form, HTTPException, Request, Response
from starlette.responses import RedirectResponse

from rankgauge.active.campaign import BoardCampaign, Campaign
from rankgauge.active.campaign.review import Review
from rankgauge.active.defaults import LEVEL
from rankgauge.active.intervals import FEWEST
from rankgauge.active.methods import Estimate
from rankgauge.report.board import BoardReport
from rankgauge.report.campaign import movement
from rankgauge.report.passages import ReportTable
from rankgauge.web.auth import Manager, TheRoom, Viewer
from rankgauge.web.campaigns import OpenCampaign
from rankgauge.web.filters import decimals
from rankgauge.web.room import Room
from rankgauge.web.route import pages

router = pages("dashboard", place=50, tab="Dashboard")


@router.get("/campaigns/{campaign}")
def show(request: Request, room: TheRoom, person: Viewer, campaign: int) -> Response:
    """The dashboard."""
    return _page(request, room, "dashboard.html", campaign)


@router.get("/campaigns/{campaign}/progress")
def refresh(request: Request, room: TheRoom, person: Viewer, campaign: int) -> Response:
    """The part of the dashboard that changes; its script asks for it every few seconds."""
    return _page(request, room, "progress.html", campaign)


@router.post("/campaigns/{campaign}/pause")
def pause(room: TheRoom, person: Manager, campaign: int) -> Response:
    """Hands out no more documents."""
    room.campaigns.get(campaign).campaign.pause()
    return RedirectResponse(f"/campaigns/{campaign}", status_code=303)


@router.post("/campaigns/{campaign}/resume")
def resume(room: TheRoom, person: Manager, campaign: int) -> Response:
    """Hands out documents again."""
    room.campaigns.get(campaign).campaign.resume()
    return RedirectResponse(f"/campaigns/{campaign}", status_code=303)


@router.post("/campaigns/{campaign}/stop")
def stop_at(room: TheRoom, person: Manager, campaign: int, half_width: Annotated[str, Form()] = "") -> Response:
    """Sets the stopping rule; an empty field removes it."""
    try:
        wanted = float(half_width) if half_width.strip() else None
    except ValueError:
        raise HTTPException(400, f"'{half_width}' is not a number") from None
    room.campaigns.stop_at(campaign, wanted)
    return RedirectResponse(f"/campaigns/{campaign}", status_code=303)


def _page(request: Request, room: Room, template: str, campaign: int) -> Response:
    opened = room.campaigns.get(campaign)
    progress, estimate, review = opened.campaign.progress(), opened.estimate(), opened.review
    single = opened.campaign if isinstance(opened.campaign, Campaign) else None
    board = BoardReport.of(opened.campaign, level=LEVEL) if isinstance(opened.campaign, BoardCampaign) else None
    label = f"The estimate of {opened.campaign.settings.measure} and its interval, over the cost"
    disagreements = review.disagreements()
    return room.page(
        request,
        template,
        opened=opened,
        progress=progress,
        estimate=estimate,
        half_width=_half_width(estimate),
        lacking=None if single is None else single.lacking(estimate),
        board=board,
        matter=None if board is None else _matter(opened, board),
        chart=movement(opened.curve().filter(pl.col("draws") >= FEWEST), progress.budget, label),
        agreement=review.agreement(),
        disagreements=len(disagreements),
        unsettled=sum(one.settled is None for one in disagreements),
        assessors=_assessors(review),
    )


def _matter(opened: OpenCampaign, board: BoardReport) -> ReportTable:
    """The open documents that a board hinges on most, by what people read of them."""
    pairs, titles = board.next_documents(), opened.texts.titles(board.next_documents())
    rows = [(opened.texts.queries[query], titles[query, document]) for query, document in pairs]
    return ReportTable(header=("query", "document"), rows=rows)


def _half_width(estimate: Estimate | None) -> float | None:
    """Half the width of the interval; None while there is none."""
    return (estimate.high - estimate.low) / 2 if estimate is not None and estimate.shown else None


def _assessors(review: Review) -> ReportTable:
    own = {name: review.own(who) for who, name in review.assessors().items()}
    rows = [(name, f"{one.done:,}", decimals(one.pace, 0)) for name, one in sorted(own.items())]
    numbers = ("Documents", "Per hour, lately")
    return ReportTable(header=("Assessor", *numbers), rows=rows, numbers=numbers)
