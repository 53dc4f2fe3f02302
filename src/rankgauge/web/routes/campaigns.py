"""Campaigns: making one, watching it, pausing it, and when it stops."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request, Response
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse

from rankgauge.active import methods
from rankgauge.errors import RankGaugeError
from rankgauge.judgments.combination import RULES
from rankgauge.judgments.scales import SCALES
from rankgauge.web.board import board
from rankgauge.web.auth import Admin, TheRoom
from rankgauge.web.new_campaign import CAMPAIGN_FILES, NewCampaign, adopt, make, received
from rankgauge.web.room import Room

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/campaigns/new")
def ask(request: Request, room: TheRoom, person: Admin) -> Response:
    """The form for a new campaign."""
    return _form(request, room, {}, "")


@router.post("/campaigns")
async def create(request: Request, room: TheRoom, person: Admin) -> Response:
    """A new campaign; where something is wrong, the form again with what is."""
    form = await request.form()
    fields = {name: value for name, value in form.items() if isinstance(value, str) and value.strip()}
    file = form.get("pool")
    if not isinstance(file, UploadFile) or not file.filename:
        return _form(request, room, fields, "Choose the file of a pool, or of a campaign that was planned.")
    try:
        content = await file.read()
        number = await run_in_threadpool(_made, room, fields, content, file.filename)
    except RankGaugeError as error:
        return _form(request, room, fields, str(error))
    except ValidationError as error:
        return _form(request, room, fields, _told(error))
    return RedirectResponse(f"/campaigns/{number}", status_code=303)


@router.get("/campaigns/{campaign}")
def watch(request: Request, room: TheRoom, person: Admin, campaign: int) -> Response:
    """The dashboard."""
    return room.page(request, "campaign.html", **_facts(room, campaign))


@router.get("/campaigns/{campaign}/board")
def look(request: Request, room: TheRoom, person: Admin, campaign: int) -> Response:
    """The part of the dashboard that moves."""
    return room.page(request, "board.html", **_facts(room, campaign))


@router.post("/campaigns/{campaign}/pause")
def pause(room: TheRoom, person: Admin, campaign: int) -> Response:
    """Nothing more is handed out."""
    room.campaigns.get(campaign).campaign.pause()
    return RedirectResponse(f"/campaigns/{campaign}", status_code=303)


@router.post("/campaigns/{campaign}/resume")
def resume(room: TheRoom, person: Admin, campaign: int) -> Response:
    """Documents are handed out again."""
    room.campaigns.get(campaign).campaign.resume()
    return RedirectResponse(f"/campaigns/{campaign}", status_code=303)


@router.post("/campaigns/{campaign}/stop")
def stop_at(room: TheRoom, person: Admin, campaign: int, half_width: Annotated[str, Form()] = "") -> Response:
    """When enough is known; an empty field: when the budget is spent."""
    try:
        wanted = float(half_width) if half_width.strip() else None
    except ValueError:
        raise HTTPException(400, f"'{half_width}' is not a number") from None
    room.campaigns.stop_at(campaign, wanted)
    return RedirectResponse(f"/campaigns/{campaign}", status_code=303)


def _facts(room: Room, campaign: int) -> dict[str, Any]:
    opened = room.campaigns.get(campaign)
    return {"opened": opened, "board": board(opened)}


def _made(room: Room, fields: dict[str, str], content: bytes, name: str) -> int:
    with received(content, name) as path:
        if path.suffix in CAMPAIGN_FILES:
            return adopt(room.campaigns, path, fields.get("name"))
        return make(room.campaigns, NewCampaign.model_validate(fields), path)


def _form(request: Request, room: Room, fields: dict[str, str], problem: str) -> Response:
    defaults = {name: "" if f.default is None else f.default for name, f in NewCampaign.model_fields.items()}
    known = {"name": "", "budget": ""}
    return room.page(
        request,
        "new.html",
        status=400 if problem else 200,
        fields={**defaults, **known, **fields},
        problem=problem,
        methods=methods.METHODS,
        scales=SCALES,
        rules=[name for name, rule in RULES.items() if not rule.binary],
    )


def _told(error: ValidationError) -> str:
    """What is wrong with the fields, in words."""
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
