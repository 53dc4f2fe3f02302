"""API: campaigns, and the files that they export."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self

from fastapi import Query, Request, Response
from pydantic import BaseModel, Field, model_validator
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from rankgauge.room import campaign_changes
from rankgauge.room.answers import SentSettings
from rankgauge.room.auth import Admin, Manager, SignedIn, TheRoom, Viewer
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.draft_contents import CAMPAIGN_FILES
from rankgauge.room.exports import export
from rankgauge.room.new_campaign import NewCampaign, create, single_file
from rankgauge.room.overview import Overview
from rankgauge.room.room import Room
from rankgauge.room.route import CampaignNumber, api, finite, pages

description = pages("api_description", place=190)


@description.get("/api/openapi.json")
def describe(request: Request, person: SignedIn) -> Response:
    """Every call of the API with its parameters, as OpenAPI."""
    return JSONResponse(request.app.openapi())


router = api("api_campaigns", place=200, tag="campaigns")

BINARY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
"""In the OpenAPI schema: the body is a file."""


class CampaignSummary(BaseModel):
    """A campaign: its settings, progress and estimate."""

    id: int
    name: str
    measure: str
    dialect: str = Field(description="The dialect that computes the measure.")
    method: str
    progress: dict[str, Any]
    estimate: dict[str, Any] | None = Field(
        description="None while there are too few draws, and for a board. Its `cost` is all that was spent, also on "
        "documents that are out or in draws that are not complete, on which it does not rest."
    )
    board: list[dict[str, Any]] | None = Field(
        description="A row for each measure and run of a board, as `rankgauge active estimate -o json` has it; values "
        "are None while there are too few labels. None if the campaign estimates one value."
    )
    stop_at: float | None
    over: str | None = Field(description="Why nobody gets documents any more; None while somebody may.")


class UploadedCampaign(NewCampaign):
    """The settings of a new campaign, and the file that comes with them."""

    filename: str = Field(max_length=255, description="The file's name; its ending says what it is.")
    budget: float = Field(
        1.0,
        gt=0,
        allow_inf_nan=False,
        description="What judging may cost, in the unit; a campaign's file (.rg) brings it along, with all settings.",
    )

    @model_validator(mode="after")
    def _fits_the_file(self) -> Self:
        """A campaign's file has its own settings, of which none is replaced; everything else needs a budget."""
        if Path(self.filename).suffix.lower() not in CAMPAIGN_FILES:
            if "budget" not in self.model_fields_set:
                raise ValueError("budget: a pool needs one: what judging may cost")
        elif extra := sorted(self.model_fields_set - {"name", "filename"}):
            raise ValueError(f"a campaign's file brings its settings along: leave out {', '.join(extra)}")
        return self


class Stop(SentSettings):
    """A stopping rule."""

    half_width: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None


@router.get("/campaigns")
def list_campaigns(room: TheRoom, person: Admin) -> list[CampaignSummary]:
    """All campaigns, the newest first."""
    return [summary(room, opened.id) for opened in room.campaigns.all()]


@router.post("/campaigns", status_code=201, openapi_extra=BINARY)
async def create_campaign(
    request: Request,
    room: TheRoom,
    person: Admin,
    wanted: Annotated[UploadedCampaign, Query()],
) -> CampaignSummary:
    """Makes a campaign of the pool in the body."""
    content = await request.body()
    number = await run_in_threadpool(_make, room, wanted, content)
    return await run_in_threadpool(summary, room, number)


@router.get("/campaigns/{campaign}")
def show_campaign(room: TheRoom, person: Viewer, campaign: CampaignNumber) -> CampaignSummary:
    """Progress and estimate of a campaign."""
    return summary(room, campaign)


@router.get("/campaigns/{campaign}/curve")
def show_curve(room: TheRoom, person: Viewer, campaign: CampaignNumber) -> list[dict[str, float | None]]:
    """The estimate after more and more draws: cost, draws, value, low, high."""
    return [finite(row) for row in room.campaigns.get(campaign).curve().iter_rows(named=True)]


@router.post("/campaigns/{campaign}/pause")
def pause_campaign(room: TheRoom, person: Manager, campaign: CampaignNumber) -> CampaignSummary:
    """Hands out no more documents; labels are still accepted."""
    campaign_changes.set_paused(room, campaign, person, paused=True)
    return summary(room, campaign)


@router.post("/campaigns/{campaign}/resume")
def resume_campaign(room: TheRoom, person: Manager, campaign: CampaignNumber) -> CampaignSummary:
    """Hands out documents again."""
    campaign_changes.set_paused(room, campaign, person, paused=False)
    return summary(room, campaign)


@router.put("/campaigns/{campaign}/stop")
def set_stop(room: TheRoom, person: Manager, campaign: CampaignNumber, stop: Stop) -> CampaignSummary:
    """Sets the half-width of the interval at which the campaign pauses by itself."""
    campaign_changes.set_stop(room, campaign, person, stop.half_width)
    return summary(room, campaign)


@router.get("/campaigns/{campaign}/queries")
def list_queries(room: TheRoom, person: Viewer, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """The queries with documents that were handed out, and the values of those that are fully judged."""
    return list(room.campaigns.get(campaign).review.queries().iter_rows(named=True))


@router.get("/campaigns/{campaign}/files/{name}", response_class=Response)
def get_file(room: TheRoom, person: Viewer, campaign: CampaignNumber, name: str, raw: bool = False) -> Response:
    """An export: judgments.txt, assessors.txt, labels.csv, labels.jsonl or campaign.rg.

    In CSV, cells that a spreadsheet would take for formulas begin with an apostrophe, unless `raw` is set.
    """
    content, media = export(room.campaigns, campaign, name, raw=raw)
    return Response(content, media_type=media)


def _make(room: Room, wanted: UploadedCampaign, content: bytes) -> int:
    return create(room.campaigns, wanted, single_file(content, wanted.filename))


def _board(opened: OpenCampaign) -> list[dict[str, Any]] | None:
    """The rows of a board, which is computed once for the API and for dashboards."""
    if not opened.campaign.board:
        return None
    report = opened.overview.now(opened.version, partial(Overview.of, opened)).board
    return [finite(row) for row in report.frame().iter_rows(named=True)]


def summary(room: Room, number: int) -> CampaignSummary:
    """A campaign as the API shows it."""
    opened = room.campaigns.get(number)
    estimate, settings = opened.estimate(), opened.campaign.settings
    return CampaignSummary(
        id=number,
        name=opened.campaign.name,
        measure=settings.measure,
        dialect=settings.dialect,
        method=settings.method,
        progress=opened.campaign.progress().to_json(),
        estimate=None if estimate is None else finite(estimate.to_json()),
        board=_board(opened),
        stop_at=opened.rules.stop_at,
        over=opened.why_over(),
    )
