"""Whether the room works: for monitoring."""

from __future__ import annotations

import asyncio
import hmac
from concurrent.futures import ThreadPoolExecutor

from fastapi import HTTPException, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from sqlalchemy import func, select, text, update

from rankgauge.errors import UnavailableError
from rankgauge.labelling.campaign.database import lasting_outages, reading, writing
from rankgauge.labelling.campaign.tables import campaigns
from rankgauge.room.addresses import FORWARDED
from rankgauge.room.auth import TheRoom, count_try
from rankgauge.room.database import PEOPLE
from rankgauge.room.metrics import exposition
from rankgauge.room.room import Room
from rankgauge.room.route import ROUTES, RoomRouter

router = ROUTES.add(RoomRouter("health", place=10, tags=["operations"]))

HERE = ("127.0.0.1", "::1")

PROMPT = 0.7
"""After how many seconds the answer is given without the database's."""

_LOOKERS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="health")
"""Threads of its own: the others may all be waiting for the database."""


class Health(BaseModel):
    """The state of the room."""

    status: str
    reason: str | None = None
    """Why nothing can be recorded."""


@router.get("/livez")
async def livez() -> Health:
    """Whether the process serves requests, whatever the database does: a supervisor restarts what does not answer."""
    return Health(status="ok")


@router.get("/metrics", response_class=Response)
def metrics(request: Request, room: TheRoom) -> Response:
    """What the room counts, for Prometheus: with the token of RANKGAUGE_METRICS_TOKEN, or from this machine itself."""
    token, given = room.settings.metrics_token, request.headers.get("authorization", "").removeprefix("Bearer ")
    is_here = request.client is not None and request.client.host in HERE and FORWARDED not in request.headers
    if not (token and hmac.compare_digest(given.encode(), token.encode())) and not (is_here and not token):
        count_try(request, room)
        raise HTTPException(404, "there is nothing here")
    return Response(exposition(room), media_type=CONTENT_TYPE_LATEST)


@router.get("/readyz", responses={503: {"model": Health}}, response_model_exclude_none=True)
@router.get("/healthz", responses={503: {"model": Health}}, response_model_exclude_none=True)
async def healthz(room: TheRoom, response: Response) -> Health:
    """Say whether the database can be read, and written to if it could not before; answers within a second."""
    looking = asyncio.get_running_loop().run_in_executor(_LOOKERS, _reason, room)
    try:
        reason = await asyncio.wait_for(asyncio.shield(looking), PROMPT)
    except TimeoutError:
        lasting = [_words(outage.error) for outage in lasting_outages(room.engine).values() if outage.error is not None]
        reason = lasting[0] if lasting else "the database does not answer in time"
    if reason is None:
        return Health(status="ok")
    response.status_code = 503
    return Health(status="unavailable", reason=reason)


def _reason(room: Room) -> str | None:
    """Return what keeps the room from recording, if anything does."""
    try:
        with reading(room.engine) as connection:
            connection.execute(text("select 1"))
        for campaign, outage in lasting_outages(room.engine).items():
            if outage.error is not None and outage.is_full:
                return _words(outage.error)
            # What is there already is written once more; every room has a person.
            first = select(func.min(PEOPLE.c.id)).scalar_subquery()
            again = update(PEOPLE).where(PEOPLE.c.id == first).values(name=PEOPLE.c.name)
            if campaign is not None:
                again = update(campaigns).where(campaigns.c.id == campaign).values(paused=campaigns.c.paused)
            with writing(room.engine, campaign) as connection:
                connection.execute(again)
    except UnavailableError as error:
        return _words(error)
    return None


def _words(error: UnavailableError) -> str:
    return error.problem.partition(":")[0]  # details are in the log only
