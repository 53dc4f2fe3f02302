"""Campaigns: the list of them, the dashboard of each with its queries and when it stops; and the same for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from fastapi import Form, Query, Request, Response
from pydantic import BaseModel, Field, model_validator
from starlette.responses import JSONResponse, RedirectResponse

from rankgauge.render.numbers import thousands
from rankgauge.render.table import Column, ReportTable
from rankgauge.room import campaign_changes
from rankgauge.room.answers import SentSettings
from rankgauge.room.auth import Admin, Manager, SignedIn, TheRoom, TheVisit, Viewer, Visit
from rankgauge.room.campaigns import Overview
from rankgauge.room.draft_contents import CAMPAIGN_FILES
from rankgauge.room.filters import decimals
from rankgauge.room.forms import BINARY, Body, read_number
from rankgauge.room.labels import export
from rankgauge.room.new_campaign import PlannedCampaign, SentCampaign, single_file
from rankgauge.room.people import Permission
from rankgauge.room.room import Room
from rankgauge.room.route import API, api, finite, pages

home_router = pages("home", place=30)


@home_router.get("/")
def home(request: Request, room: TheRoom, person: SignedIn, archived: Annotated[bool, Query()] = False) -> Response:
    """Return the list of campaigns, the judging page, or the dashboard."""
    if person.campaign is not None:
        page = "" if person.may(Permission.WATCH) else "/judge"
        return RedirectResponse(f"/campaigns/{person.campaign}{page}", status_code=303)
    campaigns = room.campaigns.all(archived=archived)
    rows = [(opened, opened.campaign.progress(), opened.estimate(), opened.campaign.why_over()) for opened in campaigns]
    return room.page(request, "home.html", rows=rows, archived=archived, put_away=len(room.campaigns.list_archived()))


router = pages("dashboard", place=50, tab="Dashboard")
calls = api("api_campaigns", place=200, tag="campaigns")


@router.get("/campaigns/{campaign}")
def show(visit: TheVisit, person: Viewer) -> Response:
    """Return the dashboard."""
    return _page(visit, "dashboard.html", visit.opened.overview.now())


@router.get("/campaigns/{campaign}/progress")
def refresh(visit: TheVisit, person: Viewer) -> Response:
    """Return the part of the dashboard that changes; its script asks for it every few seconds."""
    return _page(visit, "progress.html", visit.opened.overview.lately())


@router.post("/campaigns/{campaign}/stop")
def stop_at(visit: TheVisit, person: Manager, half_width: Annotated[str, Form()] = "") -> Response:
    """Set the stopping rule; an empty field removes it."""
    number = read_number(half_width) if half_width.strip() else None
    campaign_changes.set_stop(visit.room, visit.campaign, person, number)
    return visit.done()


def _page(visit: Visit, template: str, overview: Overview) -> Response:
    campaign, rules = visit.opened.campaign, visit.opened.rules
    progress, over = campaign.progress(), campaign.why_over()
    facts = {"archived": visit.campaign in visit.room.campaigns.list_archived(), "over": over and over.words(rules)}
    stopped = campaign.why_paused(rules).words(rules) if progress.paused else ""
    return visit.page(template, progress=progress, stopped=stopped, **facts, **vars(overview))


query_router = pages("queries", place=80, tab="Queries")

HINT = """Queries with documents that were handed out. A query has a value once every document that counts is judged;
the estimate does not need that."""


@query_router.get("/campaigns/{campaign}/queries")
def show_queries(visit: TheVisit, person: Viewer) -> Response:
    """Return the queries with documents that were handed out, and the values of those that are fully judged."""
    opened = visit.opened
    counts = (Column(name, format=thousands) for name in ("Documents", "Handed out", "Judged"))
    value = Column(opened.campaign.settings.measure, format=decimals)
    texts = opened.campaign.texts.queries
    rows = [(texts[query], *numbers) for query, *numbers in opened.review.queries().iter_rows()]
    table = ReportTable(columns=("Query", *counts, value), rows=rows, title="Queries")
    return visit.room.table_page(visit.request, opened, table, hint=HINT, empty="No documents were handed out yet.")


description = pages("api_description", place=190)


@description.get("/api/openapi.json")
def describe(request: Request, person: SignedIn) -> Response:
    """Return every call of the API with its parameters, as OpenAPI."""
    return JSONResponse(request.app.openapi())


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


class UploadedCampaign(SentCampaign):
    """The settings of a new campaign, and the file that comes with them."""

    filename: str = Field(max_length=255, description="The file's name; its ending says what it is.")

    @model_validator(mode="after")
    def _fits_the_file(self) -> Self:
        if wrong := self.problem(campaign=Path(self.filename).suffix.lower() in CAMPAIGN_FILES):
            raise ValueError(wrong)
        return self


class Stop(SentSettings):
    """A stopping rule."""

    half_width: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None


@calls.get("/campaigns")
def list_campaigns(room: TheRoom, person: Admin) -> list[CampaignSummary]:
    """Return all campaigns, the newest first."""
    return [summary(room, opened.id) for opened in room.campaigns.all()]


@calls.post("/campaigns", status_code=201, openapi_extra=BINARY)
def create_campaign(
    room: TheRoom, person: Admin, wanted: Annotated[UploadedCampaign, Query()], body: Body
) -> CampaignSummary:
    """Make a campaign of the pool in the body."""
    plan = PlannedCampaign(wanted=wanted, contents=single_file(body, wanted.filename))
    return summary(room, plan.create(room.campaigns))


@calls.get("/campaigns/{campaign}")
def show_campaign(visit: TheVisit, person: Viewer) -> CampaignSummary:
    """Progress and estimate of a campaign."""
    return summary(visit.room, visit.campaign)


@calls.get("/campaigns/{campaign}/curve")
def show_curve(visit: TheVisit, person: Viewer) -> list[dict[str, float | None]]:
    """Return the estimate after more and more draws: cost, draws, value, low, high."""
    return [finite(row) for row in visit.opened.curve().iter_rows(named=True)]


@router.post("/campaigns/{campaign}/pause", response_model=None)
@router.post("/campaigns/{campaign}/resume", response_model=None)
@calls.post("/campaigns/{campaign}/pause", response_model=CampaignSummary)
@calls.post("/campaigns/{campaign}/resume", response_model=CampaignSummary)
def pause(visit: TheVisit, person: Manager) -> CampaignSummary | Response:
    """Pause: hands out no more documents, and still accepts labels. Resume: hands out documents again."""
    path = visit.request.url.path
    campaign_changes.set_paused(visit.room, visit.campaign, person, paused=path.endswith("/pause"))
    return summary(visit.room, visit.campaign) if path.startswith(API) else visit.done()


@calls.put("/campaigns/{campaign}/stop")
def set_stop(visit: TheVisit, person: Manager, stop: Stop) -> CampaignSummary:
    """Set the half-width of the interval at which the campaign pauses by itself."""
    campaign_changes.set_stop(visit.room, visit.campaign, person, stop.half_width)
    return summary(visit.room, visit.campaign)


@calls.get("/campaigns/{campaign}/queries")
def list_queries(visit: TheVisit, person: Viewer) -> list[dict[str, Any]]:
    """Return the queries with documents that were handed out, and the values of those that are fully judged."""
    return list(visit.opened.review.queries().iter_rows(named=True))


@calls.get("/campaigns/{campaign}/files/{name}", response_class=Response)
def get_file(visit: TheVisit, person: Viewer, name: str, raw: bool = False) -> Response:
    """Return an export: judgments.txt, assessors.txt, labels.csv, labels.jsonl or campaign.rg.

    In CSV, cells that a spreadsheet would take for formulas begin with an apostrophe, unless `raw` is set.
    """
    content, media = export(visit.room.campaigns, visit.campaign, name, raw=raw)
    return Response(content, media_type=media)


def summary(room: Room, number: int) -> CampaignSummary:
    """Return a campaign as the API shows it."""
    opened = room.campaigns.get(number)
    estimate, settings = opened.estimate(), opened.campaign.settings
    board = opened.overview.now().board if opened.campaign.board else None
    return CampaignSummary(
        id=number,
        name=opened.campaign.name,
        measure=settings.measure,
        dialect=settings.dialect,
        method=settings.method,
        progress=opened.campaign.progress().to_json(),
        estimate=None if estimate is None else finite(estimate.to_json()),
        board=None if board is None else [finite(row) for row in board.frame().iter_rows(named=True)],
        stop_at=opened.rules.stop_at,
        over=opened.campaign.why_over(),
    )
