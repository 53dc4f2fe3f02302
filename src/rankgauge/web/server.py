"""`rankgauge serve`: the room on a socket, the admin's link on the terminal, and a graceful stop."""

from __future__ import annotations

import socket
import sys
from dataclasses import replace

import uvicorn

from rankgauge.errors import InputError
from rankgauge.web.app import create_app
from rankgauge.web.logs import set_up
from rankgauge.web.room import Room
from rankgauge.web.settings import RoomSettings

__all__ = ["serve"]

GRACE = 10
"""Seconds that a running request may still take after Ctrl-C or SIGTERM."""

KEEP_ALIVE = 75
"""Seconds for which an idle connection is kept: the time an assessor reads a document."""

SWITCH = 0.0005
"""Seconds after which Python switches threads. With Python's own 5 ms, a thread whose database has replied waits
several times per answer: with 50 assessors on two busy cores the slowest 5 % waited 1.5 times as long."""


def serve(settings: RoomSettings) -> None:
    """Serves the room until Ctrl-C or SIGTERM."""
    set_up()
    sys.setswitchinterval(SWITCH)
    listening = _listen(settings)
    # Port 0 means any free port: links name the one that was found.
    app = create_app(replace(settings, port=listening.getsockname()[1]))
    room = app.state.room
    assert isinstance(room, Room)
    print(f"The judging room is open at {room.settings.base}", flush=True)
    print(f"Admin (once, within the hour): {room.settings.link(room.people.admin_link())}", flush=True)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=KEEP_ALIVE,
    )
    uvicorn.Server(config).run(sockets=[listening])
    room.engine.dispose()


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
