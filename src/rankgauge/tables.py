"""The tables that flow through RankGauge: polars frames with fixed column names and types.

Ids are strings, grades and scores doubles. `check` is the one gate: whatever comes in at the door (a file, a
pandas frame, a dict of dicts) has passed it before anything is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from rankgauge.errors import InputError

__all__ = ["FEATURES", "JUDGMENTS", "RUN", "SUMMARY", "VALUES", "Table", "check"]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A kind of table: its name, the columns that it must have and the ones that it may have."""

    name: str
    required: Mapping[str, pl.DataType]
    optional: Mapping[str, pl.DataType]

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """Every column that the table may have, with its type."""
        return {**self.required, **self.optional}


TEXT, NUMBER, COUNT = pl.String(), pl.Float64(), pl.Int64()

JUDGMENTS = Table(
    name="judgments",
    required={"query": TEXT, "document": TEXT, "grade": NUMBER},
    optional={"assessor": TEXT},
)
RUN = Table(
    name="run",
    required={"query": TEXT, "document": TEXT, "score": NUMBER},
    optional={"rank": COUNT},
)
VALUES = Table(name="values", required={"query": TEXT, "measure": TEXT, "value": NUMBER}, optional={})
SUMMARY = Table(
    name="summary",
    required={"measure": TEXT, "mean": NUMBER, "queries": COUNT},
    optional={"low": NUMBER, "high": NUMBER},
)
FEATURES = Table(
    name="features",
    required={"query": TEXT, "document": TEXT, "grade": NUMBER},
    optional={},
)


def check(frame: pl.DataFrame, table: Table, *, path: str | None = None) -> pl.DataFrame:
    """The frame with the table's columns in the table's types, or an error that says what is missing."""
    missing = [name for name in table.required if name not in frame.columns]
    if missing:
        raise InputError(
            f"{table.name} need the columns {', '.join(table.required)}; {', '.join(missing)} not found among "
            f"{', '.join(frame.columns) or 'no columns'}",
            path=path,
        )
    wanted = {name: dtype for name, dtype in table.columns.items() if name in frame.columns}
    return frame.select(pl.col(name).cast(dtype) for name, dtype in wanted.items())
