"""`rankgauge serve`: the room on a socket, the admin's link on the terminal, its log on stderr, a graceful stop."""

from __future__ import annotations

import json
import logging
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.database import Location
from rankgauge.room.app import create_app
from rankgauge.room.database import migrate, opened
from rankgauge.room.middleware import FACTS
from rankgauge.room.people import People
from rankgauge.room.room import Room
from rankgauge.room.settings import RoomSettings

GRACE = 10
"""Seconds that a running request may still take after Ctrl-C or SIGTERM."""

KEEP_ALIVE = 75
"""Seconds for which an idle connection is kept: the time an assessor reads a document."""

SWITCH = 0.0005
"""Seconds after which Python switches threads. With Python's own 5 ms, a thread whose database has replied waits
several times per answer: with 50 assessors on two busy cores the slowest 5 % waited 1.5 times as long."""

PATIENCE = 60
"""Seconds for which one of several processes may be silent before it is replaced: a large upload keeps one busy."""


def serve(settings: RoomSettings) -> None:
    """Serves the room until Ctrl-C or SIGTERM, in one process or in several that share the socket."""
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
    several = configured(
        partial(_prepared, settings), factory=True, workers=settings.workers, timeout_worker_healthcheck=PATIENCE
    )
    Multiprocess(several, sockets=[listening]).run()


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
    """The room, in a process that logs and switches threads as the room needs it."""
    _log_to_stderr()
    sys.setswitchinterval(SWITCH)
    return create_app(settings)


def configured(app: FastAPI | Callable[[], FastAPI], **more: Any) -> uvicorn.Config:
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
