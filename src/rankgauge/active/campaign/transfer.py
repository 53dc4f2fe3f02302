"""Copies a campaign from one database to another, with the whole history of its labels."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from rankgauge.active.campaign import tables as t
from rankgauge.active.campaign.database import reading, writing
from rankgauge.active.campaign.store import Store, make

CHUNK = 1_000
"""How many rows are copied at a time."""

TABLES = (t.pools, t.texts, t.stages, t.draws, t.tasks, t.leases)
"""The tables but that of the labels. Rows that have numbers get new ones from the other database."""


def transfer(source: Engine, store: Store, target: Engine, *, name: str | None = None) -> Store:
    """Copies the campaign to the target, under its own name or another, all or nothing."""
    with reading(source) as there, writing(target) as here:
        row = store.row(there)
        made = make(here, name=name or row.name, made=row.made, settings=row.settings)
        made.set_paused(here, row.paused)
        for table in TABLES:
            _copy(there, here, table, store, made)
        _copy_labels(there, here, store, made)
    return made


def _copy(there: Connection, here: Connection, table: sa.Table, old: Store, new: Store) -> None:
    for rows in _rows(there, table, old):
        kept = [{name: value for name, value in row.items() if name != "id"} for row in rows]
        here.execute(sa.insert(table), [row | {"campaign": new.campaign} for row in kept])


def _copy_labels(there: Connection, here: Connection, old: Store, new: Store) -> None:
    """Copies the labels in their order; a label that replaces another refers to it by its new number."""
    numbers: dict[int, int] = {}
    for rows in _rows(there, t.labels, old):
        for row in rows:
            number = row.pop("id")
            changed = row | {"campaign": new.campaign, "replaces": numbers.get(row["replaces"])}
            done = here.execute(sa.insert(t.labels).values(**changed))
            assert done.inserted_primary_key is not None
            numbers[number] = done.inserted_primary_key[0]


def _rows(there: Connection, table: sa.Table, store: Store) -> Any:
    order = [column for column in table.primary_key.columns if column.name != "campaign"]
    chosen = sa.select(table).where(table.c.campaign == store.campaign).order_by(*order)
    for rows in there.execute(chosen).mappings().partitions(CHUNK):
        yield [dict(row) for row in rows]
