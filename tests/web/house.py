"""A judging room that is really open: a server on the loopback, a campaign, and people who come in."""

from __future__ import annotations

import re
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import polars as pl
import uvicorn

from rankgauge.demo.collection import generate_pool
from rankgauge.room.app import create_app
from rankgauge.room.room import Room
from rankgauge.room.sandbox import STARTING
from rankgauge.room.server import configure
from rankgauge.room.settings import RoomSettings
from rankgauge.room.uploads import SECONDS

LEVELS = "2 good: answers all of it\n1 fair: helps in part\n0 bad: does not help"


@cache
def pool() -> pl.DataFrame:
    """The pool that is judged in the tests, with what a perfect assessor would say."""
    return generate_pool(rng=np.random.default_rng(0), queries=12, documents=6)


@cache
def truth() -> Mapping[tuple[str, str], int]:
    """By query and document the grade."""
    return {(query, document): grade for query, document, grade in pool().select("query", "document", "grade").rows()}


PATIENCE = STARTING + SECONDS + 30
"""Seconds that a browser or a program waits here: what the room gives the process that reads a file, to start and to
read, and some more. On a busy machine that process gets little of a processor, as it lets the room go first."""


@cache
def _trust() -> ssl.SSLContext:
    """Whom browsers trust. No room has a certificate here, and reading everybody's takes longer than a visit."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def write_pool(folder: Path) -> Path:
    """The pool's file, as somebody would upload it."""
    path = folder / "pool.parquet"
    pool().drop("grade").write_parquet(path)
    return path


@dataclass(kw_only=True)
class House:
    """An open room."""

    room: Room
    base: str
    guests: list[httpx.Client] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    """By name the token of an admin's program: nobody may have any number of them."""

    def guest(self, **options: Any) -> httpx.Client:
        """A browser that nobody has signed in with."""
        client = httpx.Client(base_url=self.base, timeout=PATIENCE, verify=_trust(), **options)
        self.guests.append(client)
        return client

    def admin(self) -> httpx.Client:
        """A browser in which an admin has come in."""
        return self.enter(self.room.people.admin_link())

    def assessor(self, campaign: int, name: str) -> httpx.Client:
        """A browser in which a new assessor has come in."""
        return self.enter(self.room.people.invite(campaign, name)[1])

    def enter(self, link: str) -> httpx.Client:
        """A browser in which the link was followed."""
        client = self.guest()
        assert client.post("/enter", data={"link": link}).status_code == 303
        return client

    def program(self, name: str = "program") -> httpx.Client:
        """A program with an admin's token."""
        if name not in self.tokens:
            person, _ = self.room.people.enter(self.room.people.admin_link(name)) or (None, None)
            assert person is not None
            self.tokens[name] = self.room.people.new_token(person.id, name)
        return self.guest(headers={"Authorization": f"Bearer {self.tokens[name]}"})

    def campaign(self, name: str = "autumn", **settings: Any) -> int:
        """A campaign of the pool."""
        wanted = {"measure": "ERR@5", "budget": 60, "levels": LEVELS, "filename": "pool.parquet", **settings}
        body = parquet(pool().drop("grade"))
        answer = self.program().post("/api/v1/campaigns", params={"name": name, **wanted}, content=body)
        assert answer.status_code == 201, answer.text
        return int(answer.json()["id"])


def parquet(frame: pl.DataFrame) -> bytes:
    """The frame as the bytes of a Parquet file."""
    import io

    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def csrf(client: httpx.Client, path: str = "/") -> str:
    """The token of the forms on a page."""
    text = client.get(path, follow_redirects=True).text
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', text)
    assert found is not None, text
    return found[1]


def fields(text: str) -> dict[str, str]:
    """The hidden fields of a page's form, besides those of the header."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', text))


@contextmanager
def open_house(database: str, **settings: Any) -> Iterator[House]:
    """A room on the database, open as long as it is needed."""
    app = create_app(RoomSettings(database=database, port=0, tries_a_minute=100_000, **settings))
    server = uvicorn.Server(configure(app, port=0))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    house = House(room=app.state.room, base=f"http://127.0.0.1:{port}")
    try:
        yield house
    finally:
        for guest in house.guests:
            guest.close()
        server.should_exit = True
        thread.join()
        app.state.room.engine.dispose()
