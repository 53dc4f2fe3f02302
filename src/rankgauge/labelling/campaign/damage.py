"""Campaigns whose database was damaged on the disk: one clear error, whatever the nonsense in it leads to."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl
from sqlalchemy.engine import Engine

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.database import DAMAGED, RESTORE, names_of, reading

NONSENSE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    TypeError,
    ValueError,
    zipfile.BadZipFile,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
)
"""What nonsense in the place of a pool, settings or rows may raise."""


@contextmanager
def loading(engine: Engine) -> Iterator[None]:
    """Turns what a damaged campaign raises while it is read into one error. A sound one raises nothing then."""
    try:
        yield
    except NONSENSE as error:
        raise _damaged(engine, error) from error


def explained(engine: Engine, error: BaseException) -> InputError | None:
    """The error of a damaged file, if something went wrong later and SQLite finds that the file is damaged."""
    if not isinstance(error, NONSENSE) or engine.dialect.name != "sqlite":
        return None
    with reading(engine) as connection:
        found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    return None if found == "ok" else _damaged(engine, error)


def _damaged(engine: Engine, error: BaseException) -> InputError:
    first = (str(error).splitlines() or [""])[0]
    return InputError(f"the campaign {DAMAGED}: {type(error).__name__} {first}", path=names_of(engine)[0], hint=RESTORE)
