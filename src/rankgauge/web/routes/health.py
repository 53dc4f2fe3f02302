"""Whether the room is open: for whoever keeps it running."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel
from sqlalchemy import text

from rankgauge.active.campaign.database import reading
from rankgauge.web.auth import TheRoom

__all__ = ["router"]

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    """The room's own word on how it is."""

    status: str


@router.get("/healthz")
def healthz(room: TheRoom) -> Health:
    """Answers once the database has."""
    with reading(room.engine) as connection:
        connection.execute(text("select 1"))
    return Health(status="ok")
