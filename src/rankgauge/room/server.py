"""`rankgauge serve`: the room on a socket, the admin's link on the terminal, its log on stderr, a graceful stop."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import uvicorn
from fastapi import FastAPI

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.database import Location
from rankgauge.room.app import create_app
from rankgauge.room.connections import guarded
from rankgauge.room.database import migrate, opened
from rankgauge.room.log import log_to_stderr
from rankgauge.room.people import People
from rankgauge.room.room import Room
from rankgauge.room.settings import RoomSettings
from rankgauge.room.workers import LOOK, Workers

GRACE = 6
"""Seconds that a running request may still take after Ctrl-C or SIGTERM."""

KEEP_ALIVE = 75
"""Seconds for which an idle connection is kept: the time an assessor reads a document."""

SWITCH = 0.0005
"""Seconds after which Python switches threads. With Python's own 5 ms, a thread whose database has replied waits
several times per answer: with 50 assessors on two busy cores the slowest 5 % waited 1.5 times as long."""

COUNTERS = "PROMETHEUS_MULTIPROC_DIR"
"""The variable with the folder in which several processes keep their counters."""


def serve(settings: RoomSettings) -> None:
    """Serve the room until Ctrl-C or SIGTERM, in one process or in several that share the socket."""
    listening = _listen(settings)
    # Port 0 means any free port: links name the one that was found.
    settings = replace(settings, port=listening.getsockname()[1])
    app = _prepared(settings)
    room = app.state.room
    assert isinstance(room, Room)
    print(f"The judging room is open at {room.settings.base}", flush=True)
    print(f"Admin (once, within the hour): {room.settings.link(room.people.admin_link(settings.admin))}", flush=True)
    if settings.workers == 1:
        uvicorn.Server(configured(app)).run(sockets=[listening])
        return
    room.engine.dispose()
    with tempfile.TemporaryDirectory() as folder:
        os.environ[COUNTERS] = folder
        Workers(_serve_one, settings, [listening], settings.workers).run()


def _serve_one(settings: RoomSettings, sockets: list[socket.socket], beat: Callable[[], None]) -> None:
    """Serve in one of several processes."""
    server = uvicorn.Server(configured(_prepared(settings)))

    async def serve_and_beat() -> None:
        beating = asyncio.create_task(_beat(server, beat))
        await server.serve(sockets=sockets)
        beating.cancel()

    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(serve_and_beat())


async def _beat(server: uvicorn.Server, beat: Callable[[], None]) -> None:
    """Give a sign of life twice a second, from the loop that serves requests; if nobody is left to see it, stop."""
    while True:
        try:
            beat()
        except OSError:
            server.should_exit = True
        await asyncio.sleep(LOOK)


def new_admin_link(settings: RoomSettings) -> str:
    """A new link for the room's administrator; another process may have the room open."""
    location = Location(settings.database)
    if location.path is not None and not location.path.exists():
        hint = "Give --database as it was given to rankgauge serve."
        raise InputError("there is no judging room", path=location.path, hint=hint)
    with opened(location, existing=True) as engine:
        migrate(engine)
        return settings.link(People(engine, settings).admin_link(settings.admin))


def _prepared(settings: RoomSettings) -> FastAPI:
    """Open the room, in a process that logs and switches threads as the room needs it."""
    log_to_stderr()
    sys.setswitchinterval(SWITCH)
    return create_app(settings)


def configured(app: FastAPI, **more: Any) -> uvicorn.Config:
    """Return how uvicorn serves the room. It leaves proxies' headers alone, as the room knows whose to take."""
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=guarded(app.state.room.settings),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=KEEP_ALIVE,
        **more,
    )


def _listen(settings: RoomSettings) -> socket.socket:
    """The socket to listen on. It is opened first, so that a port in use is the only error."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=512)
    except OSError as error:
        raise InputError(
            f"cannot listen on {settings.host}, port {settings.port}: {error.strerror}",
            hint="Choose another port: rankgauge serve --port 8001.",
        ) from None
