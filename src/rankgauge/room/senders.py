"""Who sent labels, perhaps in another's name: the names of people by their numbers."""

from __future__ import annotations

import polars as pl
from sqlalchemy import Engine, select

from rankgauge.labelling.campaign.database import reading
from rankgauge.room.database import PEOPLE


def with_senders(labels: pl.DataFrame, engine: Engine) -> pl.DataFrame:
    """The labels with the names of those who sent them (`sender_name`); a label of a file has no sender."""
    numbers = [int(number) for number in labels["sender"].drop_nulls().unique()]
    with reading(engine) as connection:
        rows = connection.execute(select(PEOPLE.c.id, PEOPLE.c.name).where(PEOPLE.c.id.in_(numbers)))
        names = {row.id: row.name for row in rows}
    shown = [None if number is None else names.get(number) for number in labels["sender"]]
    return labels.with_columns(sender_name=pl.Series(shown, dtype=pl.String))
