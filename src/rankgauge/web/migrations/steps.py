"""Steps of migrations that may have been taken already: the command line brings campaigns up to date by itself."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op


def add_columns(table: str, *columns: sa.Column[Any]) -> None:
    """Adds the columns that the table lacks."""
    known = {column["name"] for column in sa.inspect(op.get_bind()).get_columns(table)}
    for column in columns:
        if column.name not in known:
            op.add_column(table, column)


def add_index(name: str, table: str, *columns: str) -> None:
    """Adds the index if the table lacks it."""
    known = {index["name"] for index in sa.inspect(op.get_bind()).get_indexes(table)}
    if name not in known:
        op.create_index(name, table, list(columns))
