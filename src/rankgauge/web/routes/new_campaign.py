"""The form for a new campaign."""

from __future__ import annotations

from fastapi import Request, Response
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse

from rankgauge.active.cost import COSTS
from rankgauge.active.method import METHODS
from rankgauge.errors import RankGaugeError
from rankgauge.judgments.combination import RULES
from rankgauge.tables.scales import SCALES
from rankgauge.web.auth import Admin, TheRoom
from rankgauge.web.new_campaign import NewCampaign, create
from rankgauge.web.room import Room
from rankgauge.web.route import pages

router = pages("new_campaign", place=40)  # before `/campaigns/{campaign}`


@router.get("/campaigns/new")
def ask(request: Request, room: TheRoom, person: Admin) -> Response:
    """The empty form."""
    return _form(request, room, {}, "")


@router.post("/campaigns")
async def make(request: Request, room: TheRoom, person: Admin) -> Response:
    """Makes the campaign; if something is wrong, shows the form again and says what."""
    form = await request.form()
    fields = {name: value for name, value in form.items() if isinstance(value, str) and value.strip()}
    file = form.get("pool")
    if not isinstance(file, UploadFile) or not file.filename:
        return _form(request, room, fields, "Choose a file with a pool or with a campaign.")
    try:
        content = await file.read()
        number = await run_in_threadpool(create, room.campaigns, fields, content, file.filename)
    except RankGaugeError as error:
        return _form(request, room, fields, str(error))
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        return _form(request, room, fields, "; ".join(problems))
    return RedirectResponse(f"/campaigns/{number}", status_code=303)


def _form(request: Request, room: Room, fields: dict[str, str], problem: str) -> Response:
    defaults = {name: "" if f.default is None else f.default for name, f in NewCampaign.model_fields.items()}
    return room.page(
        request,
        "new_campaign.html",
        status=400 if problem else 200,
        fields={**defaults, "name": "", "budget": "", **fields},
        problem=problem,
        methods=METHODS,
        costs=COSTS.titles(),
        scales=SCALES,
        rules=[name for name, rule in RULES.items() if rule.reduce and not rule.binary],
    )
