"""`rankgauge backup`: a consistent copy of a room's database while it is in use.

The copy is a SQLite file, which `rankgauge serve` can open. A copy can also go into an empty database on a server.
"""

from __future__ import annotations

import os
import secrets

import sqlalchemy as sa
from sqlalchemy import Connection

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.database import Location, writing
from rankgauge.room.database import METADATAS, migrate, opened

CHUNK = 1_000
"""How many rows are held in memory at a time; a pool or a text may be large."""

_TABLES = [table for metadata in METADATAS for table in metadata.sorted_tables]
_EMPTY = "Copy to a new file or to an empty database."


def copy(source: Location, target: Location) -> dict[str, int]:
    """Copies all tables to a new file or an empty database; returns the number of rows of each table."""
    if target.path is None:
        return _copied(source, target)
    if target.path.exists():
        raise InputError("the file exists already", path=target.path, hint=_EMPTY)
    beside = target.path.with_name(f".{target.path.name}.{secrets.token_hex(4)}")
    try:
        counts = _copied(source, Location(beside))
        os.replace(beside, target.path)
    finally:
        beside.unlink(missing_ok=True)
    return counts


def _copied(source: Location, target: Location) -> dict[str, int]:
    with opened(source, existing=True) as here, opened(target, existing=False) as there:
        migrate(here)
        migrate(there)
        # SQLite's transactions see one moment anyway.
        one_moment = {} if here.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        with here.execution_options(**one_moment).connect() as read, writing(there) as written:
            if any(written.execute(sa.select(sa.func.count()).select_from(table)).scalar() for table in _TABLES):
                raise InputError("the database is not empty", path=str(target), hint=_EMPTY)
            return {table.name: _rows(read, written, table) for table in _TABLES}


def _rows(source: Connection, target: Connection, table: sa.Table) -> int:
    count = 0
    for rows in source.execute(sa.select(table)).mappings().partitions(CHUNK):
        target.execute(sa.insert(table), [dict(row) for row in rows])
        count += len(rows)
    _count_on(target, table)
    return count


def _count_on(target: Connection, table: sa.Table) -> None:
    """Makes PostgreSQL number new rows after the copied ones."""
    if target.dialect.name != "postgresql" or "id" not in table.c:
        return
    last = f"select setval(pg_get_serial_sequence('{table.name}', 'id'), coalesce(max(id), 0) + 1, false)"
    target.execute(sa.text(f"{last} from {table.name}"))
