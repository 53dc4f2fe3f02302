"""`rankgauge serve backup`, `restore` and `check`: a consistent copy of a room's database while it is in use, a new
database of such a copy, and whether all of a database can be read.

The copy is a SQLite file, which `rankgauge serve` can open. A copy can also go into an empty database on a server.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa
from sqlalchemy import Connection, Engine, RowMapping

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.labelling.campaign import LabelCampaign
from rankgauge.labelling.campaign.database import DAMAGED, RESTORE, Location, explain_errors, reading, writing
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.campaign.tables import campaigns
from rankgauge.render.numbers import count
from rankgauge.room.database import METADATAS, NO_ROOM, is_up_to_date, migrate, open_engine

CHUNK = 1_000
"""How many rows are held in memory at a time; a pool or a text may be large."""

_TABLES = [table for metadata in METADATAS for table in metadata.sorted_tables]
_EMPTY = "Copy to a new file or to an empty database."


def do(database: str, task: str, *files: str) -> str:
    """Do one of the tasks for the room's database, and return what is to be said of it."""
    if task not in TASKS:
        raise UnknownNameError("task", task, TASKS)
    if len(files) != TASKS[task]:
        expected = f"{task} COPY" if TASKS[task] else task
        raise InputError(f"{task} takes {count(TASKS[task], 'file')}", hint=f"rankgauge serve {expected}")
    here = Location(database)
    if task == "check":
        return check(here)
    source, target = (here, Location(files[0])) if task == "backup" else (Location(files[0]), here)
    return f"{_summary(copy(source, target))} copied to {target}"


TASKS = {"backup": 1, "restore": 1, "check": 0}
"""The tasks, and how many files each takes."""


def _summary(counts: Mapping[str, int]) -> str:
    nouns = {"campaigns": ("campaign", None), "labels": ("label", None), "people": ("person", "people")}
    return ", ".join(count(counts[name], *noun) for name, noun in nouns.items())


def check(location: Location) -> str:
    """Read everything in a room's database, and say how much there is; what cannot be read is an error."""
    with _open_source(location) as engine:
        with reading(engine) as connection:
            if engine.dialect.name == "sqlite":
                for sound in ("quick_check(1)", "foreign_key_check"):
                    said = connection.exec_driver_sql(f"PRAGMA {sound}").first()
                    if said is not None and said[0] != "ok":
                        raise InputError(f"the database {DAMAGED}: {said[0]}", path=str(location), hint=RESTORE)
            sizes = [(table.name, sa.select(sa.func.count()).select_from(table)) for table in _TABLES]
            counts = {name: int(connection.scalar(size) or 0) for name, size in sizes}
            numbers = list(connection.scalars(sa.select(campaigns.c.id).order_by(campaigns.c.id)))
        for number in numbers:
            LabelCampaign.on(engine, Store(campaign=number)).labels(history=True)
    return f"{_summary(counts)}: all of {location} can be read"


@contextmanager
def _open_source(location: Location) -> Iterator[Engine]:
    """An engine on a database that is only read: a file of an earlier version is brought up to date as a copy, and one
    that SQLite could not write to is read as one."""
    with TemporaryDirectory() as folder:
        path = location.path
        if path is not None and not os.path.exists(path):
            raise InputError("there is no judging room", path=path, hint=NO_ROOM)
        if path is not None and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
            location = Location(Path(folder) / path.name)
            for end in ("", "-wal"):
                if (part := Path(f"{path}{end}")).exists():
                    shutil.copyfile(part, f"{location}{end}")
        with open_engine(location, existing=True) as engine:
            newer = Location(Path(folder) / f"newer {path.name}") if path is not None else None
            with reading(engine) as connection:
                if not {"people", "campaigns"} & set(sa.inspect(connection).get_table_names()):
                    raise InputError("there is no judging room", path=str(location), hint=NO_ROOM)
                if is_up_to_date(connection):
                    newer = location
                elif newer is not None:
                    raw = connection.connection.driver_connection
                    assert isinstance(raw, sqlite3.Connection)
                    with closing(sqlite3.connect(str(newer))) as copied:  # as it is, at one moment
                        raw.backup(copied)
            if newer is None:
                hint = "Open the room once, or take the RankGauge that made it."
                raise InputError("the database is of an earlier version", path=str(location), hint=hint)
            if newer is location:
                yield engine
                return
        with open_engine(newer, existing=True) as engine:
            migrate(engine)
            yield engine


def copy(source: Location, target: Location) -> dict[str, int]:
    """Copy all tables to a new file or an empty database; return the number of rows of each table."""
    if target.path is None:
        return _copy(source, target)
    if os.path.exists(target.path):
        raise InputError("the file exists already", path=target.path, hint=_EMPTY)
    beside = target.path.with_name(f".{target.path.name}.{secrets.token_hex(4)}")
    try:
        counts = _copy(source, Location(beside))
        os.replace(beside, target.path)
    finally:
        beside.unlink(missing_ok=True)
    return counts


def _copy(source: Location, target: Location) -> dict[str, int]:
    with _open_source(source) as here, open_engine(target, existing=False) as there:
        migrate(there)
        # SQLite's transactions see one moment anyway.
        one_moment = {} if here.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
        with here.execution_options(**one_moment).connect() as read, writing(there) as written:
            if any(written.execute(sa.select(sa.func.count()).select_from(table)).scalar() for table in _TABLES):
                raise InputError("the database is not empty", path=str(target), hint=_EMPTY)
            return {table.name: _rows(read, written, table) for table in _TABLES}


def _rows(source: Connection, target: Connection, table: sa.Table) -> int:
    copied = 0

    def read_part() -> Sequence[RowMapping]:
        with explain_errors(source.engine):  # what is wrong with the source is not said of the target
            return next(partitions, ())

    with explain_errors(source.engine):
        partitions = source.execute(sa.select(table)).mappings().partitions(CHUNK)
    for rows in iter(read_part, ()):
        target.execute(sa.insert(table), [dict(row) for row in rows])
        copied += len(rows)
    if target.dialect.name == "postgresql" and "id" in table.c:  # which numbers new rows after the copied ones
        last = f"select setval(pg_get_serial_sequence('{table.name}', 'id'), coalesce(max(id), 0) + 1, false)"
        target.execute(sa.text(f"{last} from {table.name}"))
    return copied
