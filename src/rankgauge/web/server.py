"""The room kept open: the server, the admin's link, and a stop that lets those who are judging finish their request."""

from __future__ import annotations

import socket
import sys
from dataclasses import replace

import uvicorn

from rankgauge.errors import InputError
from rankgauge.web.app import create_app
from rankgauge.web.logs import set_up
from rankgauge.web.room import Room
from rankgauge.web.settings import Settings

__all__ = ["serve"]

GRACE = 10
"""Seconds that a request which is under way may still take after Ctrl-C or SIGTERM."""

READING = 75
"""Seconds for which a browser's connection is kept while its assessor reads."""

SWITCH = 0.0005
"""Seconds after which a thread that computes lets another one run. A thread whose database has replied would wait for
Python's 5 ms, several times for each answer: with 50 assessors on two busy cores the slowest 5 % then waited 1.5 times
as long."""


def serve(settings: Settings) -> None:
    """Serves until it is told to stop."""
    set_up()
    sys.setswitchinterval(SWITCH)
    listening = _listen(settings)
    # Port 0 means any that is free: links name the one that was found.
    app = create_app(replace(settings, port=listening.getsockname()[1]))
    room = app.state.room
    assert isinstance(room, Room)
    print(f"The judging room is open at {room.settings.base}", flush=True)
    print(f"Admin (once, within the hour): {room.settings.base}/enter/{room.people.admin_link()}", flush=True)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=READING,
    )
    uvicorn.Server(config).run(sockets=[listening])
    room.engine.dispose()


def _listen(settings: Settings) -> socket.socket:
    """The socket to listen on: an address that is taken is one clear error before anything else is done."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=512)
    except OSError as error:
        raise InputError(
            f"cannot listen on {settings.host}, port {settings.port}: {error.strerror}",
            hint="Choose another port: rankgauge serve --port 8001.",
        ) from None
