"""Databases of earlier versions: columns and indexes that campaigns have got since are added, with what they hold.

A judging room's database has migrations of its own, which begin with these tables; here are the files that
`rankgauge active plan` made. A column that is added needs no value: it may be empty, or has a default.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.schema import CreateColumn

from rankgauge.errors import InputError
from rankgauge.labelling.campaign import tables as t
from rankgauge.labelling.campaign.database import reading, writing

VERSION = sa.table("alembic_version", sa.column("version_num"))
"""Where a judging room keeps the number of its last migration."""


def upgrade(engine: Engine) -> None:
    """Adds what the campaigns of an earlier version lack; a room's database that is too old or too new is an error."""
    with reading(engine) as connection:
        if sa.inspect(connection).has_table(VERSION.name):
            _check_room(connection)
            return
        lacking = _lacks(connection, t.metadata)
    if lacking:
        with writing(engine) as connection:
            t.metadata.create_all(connection)
            add_columns(connection, t.metadata)


def add_columns(connection: Connection, metadata: sa.MetaData) -> None:
    """Add the columns and indexes that the tables lack."""
    quoted = connection.dialect.identifier_preparer.format_table
    for table, column in _lacks(connection, metadata):
        added = CreateColumn(column).compile(dialect=connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {quoted(table)} ADD COLUMN {added}")
    for table in metadata.sorted_tables:
        known = {index["name"] for index in sa.inspect(connection).get_indexes(table.name)}
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            if index.name not in known:
                index.create(connection)


def _lacks(connection: Connection, metadata: sa.MetaData) -> list[tuple[sa.Table, sa.Column[object]]]:
    inspector = sa.inspect(connection)
    known = {
        table: {column["name"] for column in inspector.get_columns(table.name)}
        for table in metadata.sorted_tables
        if inspector.has_table(table.name)
    }
    return [(table, column) for table, names in known.items() for column in table.columns if column.name not in names]


def _check_room(connection: Connection) -> None:
    number = str(connection.execute(sa.select(VERSION.c.version_num)).scalar() or "0")
    if not number.isdecimal() or int(number) > t.SCHEMA:
        raise InputError(
            f"the database is of a later version ({number}; this version knows {t.SCHEMA:04})",
            hint="Install a newer RankGauge.",
        )
    if int(number) < t.SCHEMA:
        raise InputError(
            f"the judging room's database is of an earlier version ({number})",
            hint="Open the room once with this version: rankgauge serve --database URL.",
        )
