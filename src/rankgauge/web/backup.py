"""A copy of a whole database, taken at one moment while others go on writing.

The copy of any database is a file of SQLite, which `rankgauge serve` opens as it is; into an empty database on a server
it is copied the same way.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from rankgauge.active.campaign.database import Location, connect, writing
from rankgauge.errors import InputError
from rankgauge.io.target import replaced
from rankgauge.web.schema import METADATAS, migrate

__all__ = ["copy"]

CHUNK = 1_000
"""So many rows are held at a time; a pool or a text may be large."""


def copy(source: Location, target: Location) -> dict[str, int]:
    """Copies every table to a database that has no campaign yet; gives the number of rows of each."""
    engine = connect(source, existing=True)
    migrate(engine)
    if target.path is None:
        return _copied(engine, connect(target, existing=False), str(target))
    with replaced(target.path) as path:
        return _copied(engine, connect(Location(path), existing=False), str(target))


def _copied(source: Engine, target: Engine, name: str) -> dict[str, int]:
    migrate(target)
    tables = [table for metadata in METADATAS for table in metadata.sorted_tables]
    level = "SERIALIZABLE" if source.dialect.name == "sqlite" else "REPEATABLE READ"
    with source.connect() as connection, writing(target) as there:
        one_moment = connection.execution_options(isolation_level=level)
        if any(there.execute(sa.select(sa.func.count()).select_from(table)).scalar() for table in tables):
            raise InputError("is not empty", path=name, hint="Copy to a new file or to an empty database.")
        counts = {table.name: _rows(one_moment, there, table) for table in tables}
    source.dispose()
    target.dispose()
    return counts


def _rows(source: Connection, target: Connection, table: sa.Table) -> int:
    count = 0
    for rows in source.execute(sa.select(table)).mappings().partitions(CHUNK):
        target.execute(sa.insert(table), [dict(row) for row in rows])
        count += len(rows)
    _count_on(target, table)
    return count


def _count_on(target: Connection, table: sa.Table) -> None:
    """A server numbers new rows from where the copied ones end."""
    if target.dialect.name != "postgresql" or "id" not in table.c:
        return
    last = f"select setval(pg_get_serial_sequence('{table.name}', 'id'), coalesce(max(id), 0) + 1, false)"
    target.execute(sa.text(f"{last} from {table.name}"))
