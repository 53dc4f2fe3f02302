"""Every label of a campaign as a table. Labels are never deleted, so it is read once, and what came since is added."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import polars as pl
from sqlalchemy.engine import Engine, Row

from rankgauge.labelling.campaign.database import reading
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.labels import LabelKind

COLUMNS = {
    "query": pl.String(),
    "document": pl.String(),
    "assessor": pl.String(),
    "person": pl.Int64(),
    "kind": pl.String(),
    "grade": pl.Float64(),
    "comment": pl.String(),
    "made": pl.Float64(),
    "origin": pl.String(),
    "sender": pl.Int64(),
}
"""What people see of a label."""

_KEPT = {"id": pl.Int64(), "place": pl.Int64(), **COLUMNS}


class LabelTable:
    """The labels of one campaign."""

    def __init__(self, engine: Engine, store: Store) -> None:
        self._engine, self._store, self._turn = engine, store, threading.Lock()
        self._rows, self._last = pl.DataFrame(schema=_KEPT), 0

    def rows(self) -> pl.DataFrame:
        """Every label that came in, in the order in which they came, with the position of its document (`place`).

        To read many takes a second, during which nobody waits who judges.
        """
        with self._turn, reading(self._engine) as connection:
            fresh = self._store.labels(connection, self._last)
            if fresh:
                self._rows, self._last = pl.concat([self._rows, _frame(fresh)]), fresh[-1].id
            return self._rows

    def current(self) -> pl.DataFrame:
        """Those that count: an assessor's last label of a document, and the last grade that settled a disagreement."""
        person, name = pl.format("#{}", "person"), pl.format("={}", "assessor")
        who = pl.when(pl.col("kind") == LabelKind.SETTLED.value).then(pl.lit("")).otherwise(pl.coalesce(person, name))
        said = self.rows().with_columns(who=who)
        return said.unique(["place", "who"], keep="last", maintain_order=True).drop("who")


def _frame(rows: Sequence[Row[Any]]) -> pl.DataFrame:
    return pl.DataFrame({name: [getattr(row, name) for row in rows] for name in _KEPT}, schema=_KEPT)
