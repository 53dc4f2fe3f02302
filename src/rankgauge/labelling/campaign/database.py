"""The database of a campaign: an SQLite file or a server by its URL, and how transactions begin there."""

from __future__ import annotations

import math
import os
import sqlite3
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import polars as pl
import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from rankgauge.errors import InputError, MissingExtraError, UnavailableError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCKED, FULL = "is locked by another program", "has no room left"

RECENT = 5.0
"""For how many seconds a full disk is believed to be full: a small write may still find room where others do not."""

AGAIN = 0.25
"""After how many seconds somebody tries again whether a lock is gone."""


class Outage:
    """What keeps a database, or a campaign in it, from being written to, as this process last saw it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.error: UnavailableError | None = None
        self.turn = threading.Lock()
        """Held by whoever writes, where only one can."""
        self._clock, self._lock, self._again, self._since = clock, threading.Lock(), 0.0, 0.0

    def look(self) -> None:
        """Raise the error of the outage, unless it is time that somebody tries whether it is over."""
        error = self.error
        if error is not None and self._clock() < self._again:
            raise UnavailableError(error.problem, path=error.path)

    def check(self) -> None:
        """Raise the error of the outage unless the caller may try now; until it has tried, all others get the error."""
        if self.error is not None:
            with self._lock:
                self.look()
                self._again = math.inf

    def begin(self, error: UnavailableError) -> None:
        """Remember the error. Only a lock is worth waiting for: whatever else is wrong is seen at once."""
        with self._lock:
            self.error, self._since = error, self._clock()
            self._again = self._clock() + (AGAIN if LOCKED in error.problem else 0.0)

    @property
    def is_full(self) -> bool:
        """Whether there was no room a moment ago."""
        return self.error is not None and FULL in self.error.problem and self._clock() - self._since < RECENT

    def end(self) -> None:
        """Forget it."""
        self.error = None


_OUTAGES: WeakKeyDictionary[Engine, dict[int | None, Outage]] = WeakKeyDictionary()


def outage_of(engine: Engine, campaign: int | None) -> Outage:
    """What keeps a campaign from being written to, or, for None, the rest; a file of SQLite is locked as a whole."""
    known = _OUTAGES.setdefault(engine, {})
    return known.setdefault(None if engine.dialect.name == "sqlite" else campaign, Outage())


def lasting_outages(engine: Engine) -> dict[int | None, Outage]:
    """Return the outages of the engine's database that are not over, by campaign."""
    return {campaign: one for campaign, one in list(_OUTAGES.get(engine, {}).items()) if one.error is not None}


PATIENCE = 60.0
"""How many seconds to wait for another process that is writing before giving up."""

CONNECTIONS = 20
"""How many connections stay open for later: opening one takes longer than a query."""

FRESH = 1.0
"""After how many seconds without use a connection is tested before it is used again."""

DAMAGED = "is damaged"
RESTORE = "Restore a backup, or plan the campaign again and record the labels that you have in files."

_READ = "rankgauge_read"


class Location:
    """A path or URL, and the campaign's name after a # if the database has several."""

    def __init__(self, text: str | Path) -> None:
        self.text = str(text)
        self.is_url = "://" in self.text
        base, _, name = self.text.partition("#") if self.is_url else (self.text, "", "")
        self.base, self.name = base, name or None

    @property
    def path(self) -> Path | None:
        """The file, if it is one."""
        if not self.is_url:
            return Path(self.base)
        url = self.url
        return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None

    @property
    def url(self) -> sa.URL:
        """What SQLAlchemy connects to; `postgresql://` means the driver psycopg."""
        if not self.is_url:
            return sa.URL.create("sqlite", database=self.base)
        try:
            url = make_url(self.base)
        except (exc.ArgumentError, ValueError):
            raise InputError("is not a database URL", path=self.text, hint=_URLS) from None
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        if url.drivername not in DRIVERS or (url.drivername == "sqlite" and url.database in (None, "", ":memory:")):
            shown = url.render_as_string(hide_password=True)
            raise InputError("names an unsupported kind of database", path=shown, hint=_URLS)
        return url

    def __str__(self) -> str:
        return self.url.render_as_string(hide_password=True) if self.is_url else self.text


DRIVERS = ("sqlite", "postgresql+psycopg")
"""What keeps a campaign."""

_URLS = "Expected a file, sqlite:///campaign.rg or postgresql+psycopg://user@host/database."


def connect(location: Location, *, existing: bool, patience: float | None = None) -> Engine:
    """An engine on the database; with `existing` a missing file is an error, which SQLite would create otherwise.

    `patience` is how many seconds to wait for somebody else's lock.
    """
    path = location.path
    if existing and path is not None and not os.path.isfile(path):
        raise InputError("there is no such campaign", path=path, hint="rankgauge active plan makes one.")
    try:
        engine = sa.create_engine(location.url, **_options(location, PATIENCE if patience is None else patience))
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "the database's driver", "web") from None
    if location.path is None:
        sa.event.listen(engine, "checkin", _put_back)
        sa.event.listen(engine, "checkout", _connection_test(engine))
    return prepare_engine(engine)


def make_private(location: Location) -> None:
    """Make an empty file that only its owner may read, if there is none yet; SQLite's files beside it are alike."""
    if (path := location.path) is None:
        return
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        if os.path.isfile(path):
            return
        reason = "it is a folder" if os.path.isdir(path) else (error.strerror or "").lower()
        hint = "Name a file in a folder that is there and that you may write to."
        raise InputError(f"no database can be made here: {reason}", path=path, hint=hint) from None


def prepare_engine(engine: Engine) -> Engine:
    """Return the engine, set up so that its transactions begin as campaigns need them; a server needs no setup."""
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _prepare)
        sa.event.listen(engine, "begin", _begin)
    return engine


def _options(location: Location, patience: float) -> dict[str, Any]:
    # What people have written is no business of a log's, where errors name the statement.
    kept: dict[str, Any] = {"pool_size": CONNECTIONS, "max_overflow": CONNECTIONS, "hide_parameters": True}
    if location.url.get_backend_name() == "sqlite":
        return kept | {"connect_args": {"timeout": patience}}
    # The connection that was used last has the statements prepared already.
    kept |= {"pool_use_lifo": True, "pool_timeout": patience}
    said = " ".join(location.url.normalized_query.get("options", ()))
    waits = {"connect_timeout": max(2, round(patience)), "options": f"{said} -c lock_timeout={round(1e3 * patience)}"}
    return kept | {"connect_args": waits}


def _put_back(connection: object, record: ConnectionPoolEntry) -> None:
    record.info["used"] = time.monotonic()


def _connection_test(engine: Engine) -> Callable[[DBAPIConnection, ConnectionPoolEntry, object], None]:
    """Test a connection that the server may have closed meanwhile; if it has, all connections are replaced.

    A connection that was in use a moment ago is not tested: that would double the number of queries.
    """

    def check_lasting(connection: DBAPIConnection, record: ConnectionPoolEntry, holder: object) -> None:
        if time.monotonic() - record.info.get("used", math.inf) < FRESH:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error:
            raise exc.InvalidatePoolError from None

    return check_lasting


def _prepare(connection: sqlite3.Connection, record: object) -> None:
    """Make sure that a commit is on the disk when it returns.

    With a write-ahead log (WAL), readers and the writer do not wait for each other; the last process that closes the
    file merges the log into it. If the log is not available now, the older journal is as safe.
    """
    connection.isolation_level = None  # we begin transactions ourselves
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    """A transaction that may write locks at once: two that read first would only block each other."""
    if connection.get_execution_options().get(_READ):
        connection.exec_driver_sql("BEGIN")
        return
    raw = connection.connection.dbapi_connection
    assert isinstance(raw, sqlite3.Connection)
    patience = int(raw.execute("PRAGMA busy_timeout").fetchone()[0])
    with _in_line(Path(connection.engine.url.database or ""), patience / 1e3):
        # SQLite itself would sleep for up to 0.1 s between two tries.
        raw.execute("PRAGMA busy_timeout = 0")
        try:
            if not _soon(partial(_is_begun, raw), patience / 1e3):
                connection.exec_driver_sql("BEGIN IMMEDIATE")  # for the error that everybody expects
        finally:
            raw.execute(f"PRAGMA busy_timeout = {patience}")


def _is_begun(raw: sqlite3.Connection) -> bool | None:
    """Say whether the transaction has begun; not while somebody else writes. None where it cannot."""
    try:
        raw.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        return False if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY") else None
    return True


@contextmanager
def _in_line(path: Path, patience: float) -> Iterator[None]:
    """Stand in a line with other processes that will write to the file next: else the one that writes goes on writing,
    and the others hardly get a turn. It is a lock of the folder; where that cannot be had, SQLite's own has to do."""
    if fcntl is None or not path.name or not path.parent.is_dir():
        yield
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        _soon(partial(_is_first, folder), patience)
        yield
    finally:
        os.close(folder)


def _is_first(folder: int) -> bool:
    assert fcntl is not None
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _soon(done: Callable[[], bool | None], patience: float) -> bool:
    """Say whether it is done within so many seconds, tried a thousand times a second, or until it cannot be done."""
    until = time.monotonic() + patience
    while (is_done := done()) is False and time.monotonic() < until:
        time.sleep(0.001)
    return bool(is_done)


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that only reads.

    On a server each statement sees what is there when it begins, so none is needed around it.
    """
    alone = {} if engine.dialect.name == "sqlite" else {"isolation_level": "AUTOCOMMIT"}
    with explain_errors(engine), engine.connect() as connection:
        chosen = connection.execution_options(**{_READ: True}, **alone)
        with chosen.begin():
            yield chosen


@contextmanager
def writing(engine: Engine, campaign: int | None = None) -> Iterator[Connection]:
    """A transaction that writes, all or nothing. On a server it locks no more than the campaign with that number."""
    outage = outage_of(engine, campaign)
    outage.look()
    # Threads take turns to write to a file of SQLite: where they all try for its lock, some never get it in time.
    with outage.turn if engine.dialect.name == "sqlite" else nullcontext():
        outage.check()
        try:
            with explain_errors(engine), engine.begin() as connection:
                yield connection
        except UnavailableError as error:
            outage.begin(error)
            raise
        outage.end()


def names_of(engine: Engine) -> tuple[str, ...]:
    """Return what errors call the database, the usual name first."""
    url, file = engine.url.render_as_string(hide_password=True), engine.url.database or ""
    return (file, url) if engine.dialect.name == "sqlite" else (url,)


@contextmanager
def explain_errors(engine: Engine) -> Iterator[None]:
    """Turn database errors into ours, which name the database."""
    shown = names_of(engine)[0]
    try:
        yield
    except (exc.OperationalError, exc.InterfaceError) as error:
        problem = _problem(error.orig)
        hint = RESTORE if problem == DAMAGED else None
        raise UnavailableError(f"the database {problem}: {error.orig}", path=shown, hint=hint) from error
    except exc.DataError as error:
        problem = f"the database cannot store this: {str(error.orig).splitlines()[0]}"
        raise InputError(problem, path=shown) from error
    except exc.TimeoutError as error:
        raise UnavailableError("the database does not answer in time", path=shown) from error
    except exc.DatabaseError as error:
        if "not a database" in str(error.orig):
            hint = "rankgauge active plan makes a campaign, rankgauge serve a room."
            raise InputError("is not a campaign, nor a room of campaigns", path=shown, hint=hint) from None
        if engine.dialect.name != "sqlite" or isinstance(error, exc.IntegrityError):
            raise
        raise UnavailableError(f"the database {DAMAGED}: {error.orig}", path=shown, hint=RESTORE) from error
    except UnicodeDecodeError as error:  # SQLite's message quotes a schema that is no text any more
        said = error.object.decode(errors="replace")
        raise UnavailableError(f"the database {DAMAGED}: {said}", path=shown, hint=RESTORE) from error


def _problem(error: BaseException | None) -> str:
    """Return what is wrong, by the codes of SQLite and of PostgreSQL (disk_full, lock_not_available)."""
    code = getattr(error, "sqlite_errorname", "") or getattr(error, "sqlstate", "") or ""
    if code in ("SQLITE_FULL", "53100"):
        return FULL
    if any(words in str(error) for words in ("Could not decode", "no such table", "no such column", "malformed")):
        return DAMAGED
    return LOCKED if code.startswith("SQLITE_BUSY") or code == "55P03" else "does not answer"


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
    """Turn what a damaged campaign raises while it is read into one error. A sound one raises nothing then."""
    try:
        yield
    except NONSENSE as error:
        raise _find_damage(engine, error) from error


def explain_damage(engine: Engine, error: BaseException) -> InputError | None:
    """Return the error of a damaged file, if something went wrong later and SQLite finds that the file is damaged."""
    if not isinstance(error, NONSENSE) or engine.dialect.name != "sqlite":
        return None
    with reading(engine) as connection:
        problem = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    return None if problem == "ok" else _find_damage(engine, error)


def _find_damage(engine: Engine, error: BaseException) -> InputError:
    first = (str(error).splitlines() or [""])[0]
    return InputError(f"the campaign {DAMAGED}: {type(error).__name__} {first}", path=names_of(engine)[0], hint=RESTORE)
