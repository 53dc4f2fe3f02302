"""What was changed in campaigns after they were made: by whom, from what to what."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine, Row, insert, select

from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.room.database import CHANGES


def note_change(engine: Engine, campaign: int, person: str, *, what: str, before: str, after: str) -> None:
    """Keeps a change, if it is one."""
    if before == after:
        return
    row = {"campaign": campaign, "person": person, "what": what, "before": before, "after": after}
    with writing(engine) as connection:
        connection.execute(insert(CHANGES).values(made=time.time(), **row))


def changes(engine: Engine, campaign: int) -> Sequence[Row[Any]]:
    """The changes of a campaign, the last first: made, person, what, before, after."""
    with reading(engine) as connection:
        chosen = select(CHANGES).where(CHANGES.c.campaign == campaign)
        return connection.execute(chosen.order_by(CHANGES.c.id.desc())).all()
