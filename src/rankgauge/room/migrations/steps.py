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


def number_anew(table: sa.Table) -> None:
    """Makes SQLite give no number of a deleted row to a new one; a server never does.

    SQLite cannot change a table in this way, so it is made again with its rows. Rows of other tables refer to them
    meanwhile: those are checked when the transaction ends.
    """
    connection = op.get_bind()
    made = sa.text("select sql from sqlite_master where name = :name")
    if connection.dialect.name != "sqlite" or "AUTOINCREMENT" in connection.scalar(made, {"name": table.name}):
        return
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    connection.exec_driver_sql(f'CREATE TEMP TABLE kept AS SELECT {names} FROM "{table.name}"')
    connection.exec_driver_sql(f'DROP TABLE "{table.name}"')
    table.create(connection)
    connection.exec_driver_sql(f'INSERT INTO "{table.name}" ({names}) SELECT {names} FROM kept')
    connection.exec_driver_sql("DROP TABLE kept")
