"""`rankgauge serve`: the room on a socket, the admin's link on the terminal, its log on stderr, a graceful stop."""

from __future__ import annotations

import json
import logging
import socket
import sys
import time
from dataclasses import replace
from typing import Any

import uvicorn
from fastapi import FastAPI

from rankgauge.errors import InputError
from rankgauge.web.app import create_app
from rankgauge.web.middleware import FACTS
from rankgauge.web.room import Room
from rankgauge.web.settings import RoomSettings

GRACE = 10
"""Seconds that a running request may still take after Ctrl-C or SIGTERM."""

KEEP_ALIVE = 75
"""Seconds for which an idle connection is kept: the time an assessor reads a document."""

SWITCH = 0.0005
"""Seconds after which Python switches threads. With Python's own 5 ms, a thread whose database has replied waits
several times per answer: with 50 assessors on two busy cores the slowest 5 % waited 1.5 times as long."""


def serve(settings: RoomSettings) -> None:
    """Serves the room until Ctrl-C or SIGTERM."""
    _log_to_stderr()
    sys.setswitchinterval(SWITCH)
    listening = _listen(settings)
    # Port 0 means any free port: links name the one that was found.
    app = create_app(replace(settings, port=listening.getsockname()[1]))
    room = app.state.room
    assert isinstance(room, Room)
    print(f"The judging room is open at {room.settings.base}", flush=True)
    print(f"Admin (once, within the hour): {room.settings.link(room.people.admin_link(settings.admin))}", flush=True)
    uvicorn.Server(configured(app)).run(sockets=[listening])
    room.engine.dispose()


def configured(app: FastAPI, **more: Any) -> uvicorn.Config:
    """How uvicorn serves the room. It leaves proxies' headers alone, as the room knows whose to take."""
    return uvicorn.Config(
        app,
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


def _log_to_stderr() -> None:
    """Logs what the room and the server do: no secrets, no headers, no bodies."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("rankgauge", "uvicorn", "alembic"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING if name == "alembic" else logging.INFO)
    # uvicorn's access log would show whole paths, and with them the secrets of links.
    logging.getLogger("uvicorn.access").disabled = True


class JsonLines(logging.Formatter):
    """A record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, FACTS, {}),
        }
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)
