"""The room for programs: everything that the pages do, as JSON, with a token in the header Authorization."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query, Request, Response, Security
from fastapi.security import HTTPBearer
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from rankgauge.active.labels import Label
from rankgauge.errors import PausedError
from rankgauge.web.board import how_they_agree
from rankgauge.web.files import made
from rankgauge.web.auth import Admin, Member, TheRoom
from rankgauge.web.new_campaign import CAMPAIGN_FILES, NewCampaign, adopt, make, received
from rankgauge.web.room import Room

__all__ = ["router"]

router = APIRouter(
    prefix="/api/v1",
    dependencies=[Security(HTTPBearer(auto_error=False, description="A token made on the page Tokens."))],
    responses={
        400: {"description": "What was sent makes no sense; `detail` says why."},
        401: {"description": "No token, or one that does not work."},
        403: {"description": "Not for this role."},
        404: {"description": "No such campaign, or none of yours."},
        413: {"description": "Too large."},
        429: {"description": "Too many tries from this address."},
    },
)

BINARY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
"""How the schema says that the body is a file."""

Number = Annotated[int, Path(ge=1, le=2**31 - 1, description="The campaign's number.")]
Text = Annotated[str, Field(max_length=1000)]


class Summary(BaseModel):
    """A campaign at a glance."""

    id: int
    name: str
    measure: str
    method: str
    progress: dict[str, Any]
    estimate: dict[str, Any] | None = Field(description="None while nothing can be said.")
    stop_at: float | None


class TaskOut(BaseModel):
    """A document to judge."""

    query: str
    document: str
    until: float = Field(description="Until when it is nobody else's, in seconds since 1970.")
    texts: dict[str, str]


class LabelIn(BaseModel):
    """What an assessor says of a document."""

    query: Text
    document: Text
    grade: float | Text | None = Field(None, description="A grade or a word of the scale; none: cannot be judged.")
    assessor: Annotated[str, Field(min_length=1, max_length=120)] | None = Field(
        None, description="Whose label it is; for an assessor's own token always the assessor's."
    )
    comment: Annotated[str, Field(max_length=4000)] | None = None
    key: Annotated[str, Field(min_length=1, max_length=120)] | None = Field(
        None, description="A label that is sent twice under one key is recorded once."
    )


class LabelsIn(BaseModel):
    """Labels to record, all of them or none."""

    labels: list[LabelIn] = Field(max_length=100_000)
    replace: bool = Field(False, description="Whether a label replaces another one of the same assessor.")


class Settlement(BaseModel):
    """The end of a disagreement."""

    query: Text
    document: Text
    grade: float | Text
    comment: Annotated[str, Field(max_length=4000)] | None = None


class Stop(BaseModel):
    """When enough is known."""

    half_width: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None


class Invitation(BaseModel):
    """Somebody who is to judge."""

    name: Annotated[str, Field(min_length=1, max_length=120)]


class Invited(BaseModel):
    """An assessor and the link, which is told this once."""

    id: int
    name: str
    link: str


@router.get("/campaigns", tags=["campaigns"])
def list_campaigns(room: TheRoom, person: Admin) -> list[Summary]:
    """Every campaign, the newest first."""
    return [_summary(room, opened.id) for opened in room.campaigns.all()]


@router.post("/campaigns", tags=["campaigns"], status_code=201, openapi_extra=BINARY)
async def create_campaign(
    request: Request,
    room: TheRoom,
    person: Admin,
    wanted: Annotated[NewCampaign, Query()],
    filename: Annotated[str, Query(max_length=255, description="The file's name: its ending says what it is.")],
) -> Summary:
    """A new campaign of the pool that is sent as the body."""
    content = await request.body()
    number = await run_in_threadpool(_made, room, wanted, content, filename)
    return await run_in_threadpool(_summary, room, number)


@router.get("/campaigns/{campaign}", tags=["campaigns"])
def show_campaign(room: TheRoom, person: Admin, campaign: Number) -> Summary:
    """How far a campaign has come, and what is known."""
    return _summary(room, campaign)


@router.get("/campaigns/{campaign}/curve", tags=["campaigns"])
def show_curve(room: TheRoom, person: Admin, campaign: Number) -> list[dict[str, float | None]]:
    """The estimate after more and more draws: cost, draws, value, low, high."""
    opened = room.campaigns.get(campaign)
    rows = opened.campaign.curve(interval=opened.interval).iter_rows(named=True)
    return [{name: _finite(value) for name, value in row.items()} for row in rows]


@router.post("/campaigns/{campaign}/pause", tags=["campaigns"])
def pause_campaign(room: TheRoom, person: Admin, campaign: Number) -> Summary:
    """Nothing more is handed out; labels still come in."""
    room.campaigns.get(campaign).campaign.pause()
    return _summary(room, campaign)


@router.post("/campaigns/{campaign}/resume", tags=["campaigns"])
def resume_campaign(room: TheRoom, person: Admin, campaign: Number) -> Summary:
    """Documents are handed out again."""
    room.campaigns.get(campaign).campaign.resume()
    return _summary(room, campaign)


@router.put("/campaigns/{campaign}/stop", tags=["campaigns"])
def set_stop(room: TheRoom, person: Admin, campaign: Number, stop: Stop) -> Summary:
    """The width at which the campaign pauses by itself."""
    room.campaigns.stop_at(campaign, stop.half_width)
    return _summary(room, campaign)


@router.get("/campaigns/{campaign}/queries", tags=["campaigns"])
def list_queries(room: TheRoom, person: Admin, campaign: Number) -> list[dict[str, Any]]:
    """The queries of which something was asked, and the value of those that are judged in full."""
    return list(room.campaigns.get(campaign).review.queries().iter_rows(named=True))


@router.post("/campaigns/{campaign}/tasks", tags=["labels"])
def lease_tasks(
    room: TheRoom, person: Member, campaign: Number, n: Annotated[int, Query(ge=1, le=1000)] = 1
) -> list[TaskOut]:
    """Documents for the caller to judge, nobody else's until the lease runs out; those already held come first.

    While the campaign is paused there are none. What was handed out before may be answered all the same.
    """
    seconds = 60 * room.settings.lease_minutes
    try:
        tasks = room.campaigns.get(campaign).campaign.lease(n, person.name, seconds=seconds, again=True)
    except PausedError:
        return []
    return [
        TaskOut(query=task.query, document=task.document, until=task.until, texts=dict(task.texts)) for task in tasks
    ]


@router.post("/campaigns/{campaign}/labels", tags=["labels"])
def record_labels(room: TheRoom, person: Member, campaign: Number, sent: LabelsIn) -> dict[str, int]:
    """Records labels; when the answer comes, they are on the disk."""
    admin = person.campaign is None
    labels = [
        Label(
            query=one.query,
            document=one.document,
            grade=one.grade,
            assessor=(one.assessor if admin else None) or person.name,
            comment=one.comment,
            key=None if one.key is None else f"{person.id}:{one.key}",
        )
        for one in sent.labels
    ]
    opened = room.campaigns.get(campaign)
    count = opened.campaign.record(labels, replace=sent.replace)
    opened.stop_if_enough()
    return asdict(count)


@router.get("/campaigns/{campaign}/labels", tags=["labels"])
def list_labels(
    room: TheRoom, person: Admin, campaign: Number, history: Annotated[bool, Query()] = False
) -> list[dict[str, Any]]:
    """The labels that count, or all that ever came."""
    return list(room.campaigns.get(campaign).campaign.labels(history=history).iter_rows(named=True))


@router.get("/campaigns/{campaign}/judgments", tags=["labels"])
def list_judgments(room: TheRoom, person: Admin, campaign: Number) -> list[dict[str, Any]]:
    """One grade for each document that is judged in full."""
    return list(room.campaigns.get(campaign).campaign.judgments().iter_rows(named=True))


@router.get("/campaigns/{campaign}/agreement", tags=["labels"])
def show_agreement(room: TheRoom, person: Admin, campaign: Number) -> dict[str, list[dict[str, Any]]] | None:
    """How far assessors agree: coefficients, pairs and confusion; none where no two judged the same document."""
    found = how_they_agree(room.campaigns.get(campaign).review.judgments())
    if found is None:
        return None
    tables = {"coefficients": found.coefficients, "pairs": found.pairs, "confusion": found.confusion}
    return {
        name: [{k: _finite(v) for k, v in row.items()} for row in table.iter_rows(named=True)]
        for name, table in tables.items()
    }


@router.get("/campaigns/{campaign}/disagreements", tags=["labels"])
def list_disagreements(room: TheRoom, person: Admin, campaign: Number) -> list[dict[str, Any]]:
    """The documents whose labels differ."""
    return [asdict(one) for one in room.campaigns.get(campaign).review.disagreements()]


@router.post("/campaigns/{campaign}/disagreements", tags=["labels"])
def settle(room: TheRoom, person: Admin, campaign: Number, settled: Settlement) -> dict[str, int]:
    """The grade that counts in place of the others."""
    label = Label(
        query=settled.query,
        document=settled.document,
        grade=settled.grade,
        assessor=f"settled by {person.name}",
        comment=settled.comment,
        settles=True,
    )
    opened = room.campaigns.get(campaign)
    count = opened.campaign.record([label])
    opened.stop_if_enough()
    return asdict(count)


@router.get("/campaigns/{campaign}/files/{name}", tags=["files"], response_class=Response)
def get_file(room: TheRoom, person: Admin, campaign: Number, name: str) -> Response:
    """One of the files that the page offers: judgments.txt, assessors.txt, labels.csv, labels.jsonl, campaign.rg."""
    content, media = made(room.campaigns, campaign, name)
    return Response(content, media_type=media)


@router.get("/campaigns/{campaign}/assessors", tags=["people"])
def list_assessors(room: TheRoom, person: Admin, campaign: Number) -> list[dict[str, Any]]:
    """Who judges in the campaign."""
    room.campaigns.get(campaign)
    return [dict(row._mapping) for row in room.people.assessors(campaign)]


@router.post("/campaigns/{campaign}/assessors", tags=["people"], status_code=201)
def invite(room: TheRoom, person: Admin, campaign: Number, invitation: Invitation) -> Invited:
    """A new assessor and the link that is theirs."""
    room.campaigns.get(campaign)
    name = invitation.name.strip()
    if not name or name in {row.name for row in room.people.assessors(campaign)}:
        raise HTTPException(400, f"there is an assessor called '{name}' already")
    guest, link = room.people.invite(campaign, name)
    return Invited(id=guest.id, name=guest.name, link=f"{room.settings.base}/enter/{link}")


@router.delete("/campaigns/{campaign}/assessors/{guest}", tags=["people"], status_code=204)
def revoke(room: TheRoom, person: Admin, campaign: Number, guest: Number) -> None:
    """An assessor's link works no longer; the labels stay."""
    if not room.people.revoke(campaign, guest):
        raise HTTPException(404, "no such assessor")


def _made(room: Room, wanted: NewCampaign, content: bytes, filename: str) -> int:
    with received(content, filename) as path:
        if path.suffix in CAMPAIGN_FILES:
            return adopt(room.campaigns, path, wanted.name)
        return make(room.campaigns, wanted, path)


def _summary(room: Room, number: int) -> Summary:
    opened = room.campaigns.get(number)
    estimate, settings = opened.estimate(), opened.campaign.settings
    return Summary(
        id=number,
        name=opened.campaign.name,
        measure=settings.measure,
        method=settings.method,
        progress=opened.campaign.progress().to_json(),
        estimate=None if estimate is None else {k: _finite(v) for k, v in estimate.to_json().items()},
        stop_at=opened.rules.stop_at,
    )


def _finite(value: Any) -> Any:
    """JSON has no word for what is not finite."""
    return None if isinstance(value, float) and value - value != 0 else value
