"""Whether the room works: for monitoring."""

from __future__ import annotations

from pydantic import BaseModel
from sqlalchemy import text

from rankgauge.active.campaign.database import reading
from rankgauge.web.auth import TheRoom
from rankgauge.web.route import ROUTES, RoomRouter

router = ROUTES.add(RoomRouter("health", place=10, tags=["operations"]))


class Health(BaseModel):
    """The state of the room."""

    status: str


@router.get("/healthz")
def healthz(room: TheRoom) -> Health:
    """Answers as soon as the database does."""
    with reading(room.engine) as connection:
        connection.execute(text("select 1"))
    return Health(status="ok")
