"""Copies a campaign from one database to another, with the whole history of its labels and its stopping rule.

The numbers of people mean somebody else in another room, so that assessors are known by their names in the copy; where
several have one name, each gets another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from rankgauge.labelling.campaign import tables as t
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.ledger import shown_names
from rankgauge.labelling.campaign.rules import CampaignRules, rules_table, stored_rules, write_rules
from rankgauge.labelling.campaign.store import Store, make
from rankgauge.labelling.labels import Identity, identity_of

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
        names = _names(there, store)
        for table in TABLES:
            _copy(there, here, table, Move(old=store, new=made, names=names))
        _copy_labels(there, here, Move(old=store, new=made, names=names))
        _copy_stop(there, here, store, made)
    return made


def _copy_stop(there: Connection, here: Connection, store: Store, made: Store) -> None:
    """Copy the stopping rule: with one, only a confidence sequence holds. A campaign's file has no rules without it."""
    stop_at = stored_rules(there, store.campaign).stop_at
    if stop_at is not None:
        rules_table.create(here, checkfirst=True)
        write_rules(here, made.campaign, CampaignRules(stop_at=stop_at))


@dataclass(frozen=True, kw_only=True)
class Move:
    """A campaign that moves: its rows before and after, and the names of its people."""

    old: Store
    new: Store
    names: Mapping[Identity, str]

    def moved(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row in the other database."""
        changed = row | {"campaign": self.new.campaign}
        if "assessor" in row:
            changed["assessor"] = self.names[row["assessor"] if row["person"] is None else row["person"]]
        return changed | {name: None for name in ("person", "sender") if name in row}


def _names(there: Connection, store: Store) -> dict[Identity, str]:
    """A name of their own for everybody in the campaign; it is the last one that somebody had."""
    names: dict[Identity, str] = {}
    for table in (t.leases, t.labels):
        chosen = sa.select(table.c.assessor, table.c.person).where(table.c.campaign == store.campaign)
        names |= {identity_of(row): row.assessor for row in there.execute(chosen.order_by(table.c.id))}
    return shown_names(names)


def _copy(there: Connection, here: Connection, table: sa.Table, move: Move) -> None:
    for rows in _rows(there, table, move.old):
        kept = [{name: value for name, value in row.items() if name != "id"} for row in rows]
        here.execute(sa.insert(table), [move.moved(row) for row in kept])


def _copy_labels(there: Connection, here: Connection, move: Move) -> None:
    """Copies the labels in their order; a label that replaces another refers to it by its new number."""
    numbers: dict[int, int] = {}
    for rows in _rows(there, t.labels, move.old):
        for row in rows:
            number = row.pop("id")
            changed = move.moved(row) | {"replaces": numbers.get(row["replaces"])}
            done = here.execute(sa.insert(t.labels).values(**changed))
            assert done.inserted_primary_key is not None
            numbers[number] = done.inserted_primary_key[0]


def _rows(there: Connection, table: sa.Table, store: Store) -> Any:
    order = [column for column in table.primary_key.columns if column.name != "campaign"]
    chosen = sa.select(table).where(table.c.campaign == store.campaign).order_by(*order)
    for rows in there.execute(chosen).mappings().partitions(CHUNK):
        yield [dict(row) for row in rows]
