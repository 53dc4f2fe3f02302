"""`rankgauge serve`: the room on a socket, the admin's link on the terminal, its log on stderr, a graceful stop."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import resource
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, cast

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.database import Location, reading
from rankgauge.room.addresses import is_in, networks
from rankgauge.room.app import create_app
from rankgauge.room.database import NO_ROOM, migrate, open_engine
from rankgauge.room.log import log_to_stderr
from rankgauge.room.metrics import CONNECTIONS_REFUSED
from rankgauge.room.people import People
from rankgauge.room.room import Room
from rankgauge.room.settings import RoomSettings

HEADERS_WITHIN = 10.0
"""Seconds after which the headers of a request have to be there."""

BODY_WITHIN, BYTES_A_SECOND = 30.0, 50_000
"""Seconds in which a body has to be there, and the pace at which a longer one has to come."""

LARGEST_HEADERS, LARGEST_COOKIES = 1 << 16, 1 << 13
"""How many bytes the headers and the address of a request may have, and its cookies, which Python reads slowly."""

PIPELINED = 10
"""How many requests may wait on a connection for the answer to the one before; browsers send none ahead."""

RESERVED = 100
"""File descriptors that are kept for the database, files and processes."""

REFUSALS = {
    408: b"HTTP/1.1 408 Request Timeout\r\n",
    429: b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 10\r\n",
    431: b"HTTP/1.1 431 Request Header Fields Too Large\r\n",
    503: b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n",
}


class GuardedProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with limits on connections that keep others waiting."""

    per_address: int
    proxies: Any
    most: int
    open_by_address: Counter[str]

    _timer: asyncio.TimerHandle | None = None
    _address: str | None = None
    _running: RequestResponseCycle | None = None
    _read = _cookies = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection; refuse one too many of its address, or of all."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else "unknown"
        self.open_by_address[self._address] += 1
        self._expect(HEADERS_WITHIN)
        if self.open_by_address.total() > self.most:
            self._close(503)
        elif self.open_by_address[self._address] > self.per_address and not is_in(self._address, self.proxies):
            self._close(429)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no more."""
        self._expect(None)
        if self._address is not None:
            self.open_by_address[self._address] -= 1
            if not self.open_by_address[self._address]:
                del self.open_by_address[self._address]
            self._address = None
        self._abandon()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the connection was refused."""
        if not self.transport.is_closing():
            super().data_received(data)

    def on_message_begin(self) -> None:
        """Expect the headers soon."""
        if len(self.pipeline) >= PIPELINED:
            self._refuse(429)
        self._expect(HEADERS_WITHIN)
        self._read = self._cookies = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Read a piece of the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Read a header."""
        self._count(len(name) + len(value))
        if name.lower() == b"cookie":
            self._cookies += len(value)
            if self._cookies > LARGEST_COOKIES:
                self._refuse(431)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Expect the body in as much time as it may need."""
        length = next((value for name, value in self.headers if name == b"content-length"), b"0")
        size = int(length) if length.isdigit() and len(length) < 12 else 0
        self._expect(BODY_WITHIN + size / BYTES_A_SECOND)
        super().on_headers_complete()
        self._running = self._running if self.pipeline else self.cycle

    def on_message_complete(self) -> None:
        """Expect nothing more."""
        self._expect(None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with the next request that waits, if there is one."""
        self._running = self.pipeline[-1][0] if self.pipeline else self._running
        super().on_response_complete()

    def _count(self, size: int) -> None:
        self._read += size
        if self._read > LARGEST_HEADERS:
            self._refuse(431)

    def _expect(self, seconds: float | None) -> None:
        """Refuse the connection unless something else is expected within so many seconds."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._close, 408)

    def _refuse(self, status: int) -> None:
        """Refuse what is being read. The error ends the reading: the rest of what came is not looked at."""
        self._close(status)
        raise ConnectionRefusedError(status)

    def send_400_response(self, msg: str) -> None:
        """Say that the request is not HTTP, unless it was refused already."""
        if not self.transport.is_closing():
            self._abandon()
            super().send_400_response(msg)

    def _close(self, status: int) -> None:
        """Say why, and close the connection."""
        if self.transport.is_closing():
            return
        CONNECTIONS_REFUSED.labels(status).inc()
        if self._running is None or self._running.response_complete or not self._running.response_started:
            self.transport.write(REFUSALS[status] + b"connection: close\r\ncontent-length: 0\r\n\r\n")
        self._abandon()
        self.transport.close()

    def _abandon(self) -> None:
        """Drop the requests that wait, and let the one that runs write nothing more."""
        self.pipeline.clear()
        if self._running is not None:
            self._running.disconnected = True
            self._running.message_event.set()


def guard_protocol(settings: RoomSettings) -> type[GuardedProtocol]:
    """Return the protocol for a room, which may use as many file descriptors as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    facts = {
        "per_address": settings.address_connections,
        "proxies": networks(settings.proxies),
        "most": max(soft - RESERVED, wanted - RESERVED, RESERVED),
        "open_by_address": Counter[str](),
    }
    return cast("type[GuardedProtocol]", type("RoomProtocol", (GuardedProtocol,), facts))


LOG = logging.getLogger("uvicorn.error")

STARTING, SILENT = 60.0, 20.0
"""Seconds in which a process has to begin, and for which it may then be silent, before it is replaced."""

STOPPING = 8.0
"""Seconds in which all processes have to end; then they are killed."""

LOOK = 0.5
"""Seconds between two looks at the processes, and between two beats."""

_CONTEXT = multiprocessing.get_context("forkserver")
"""A process that has imported the room once, and from which others are copied: a new one serves within a moment."""


@dataclass(kw_only=True, eq=False)
class Worker:
    """One of the processes, and when it last gave a sign of life."""

    process: BaseProcess
    beats: Connection
    patience: float = STARTING
    last: float = field(default_factory=time.monotonic)

    def is_well(self) -> bool:
        """Say whether the process runs and is not silent for too long."""
        try:
            while self.beats.poll():
                self.beats.recv_bytes()
                self.last, self.patience = time.monotonic(), SILENT
        except (EOFError, OSError):
            return False
        return self.process.is_alive() and time.monotonic() - self.last < self.patience

    def end(self) -> None:
        """Kill the process, if it still runs."""
        self.process.kill()
        self.process.join()
        self.beats.close()


def _keep_serving(settings: RoomSettings, listening: socket.socket) -> None:
    """Keep processes running that serve the room, until SIGINT or SIGTERM; then end them all."""
    _CONTEXT.set_forkserver_preload(["rankgauge.room.server", "rankgauge.room.pages"])
    stop = threading.Event()
    # systemd sends SIGTERM to every process of a service; the one that others are copied from has to see these end.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    forkserver.ensure_running()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())

    def start() -> Worker:
        ours, theirs = _CONTEXT.Pipe(duplex=False)
        process = _CONTEXT.Process(target=_serve_one, args=(settings, listening, theirs), daemon=False)
        process.start()
        theirs.close()
        return Worker(process=process, beats=ours)

    workers = [start() for _ in range(settings.workers)]
    while not stop.wait(LOOK):
        for place, worker in enumerate(workers):
            if not worker.is_well():
                worker.end()
                LOG.error("process %s ended or was silent, and is replaced", worker.process.pid)
                workers[place] = start()
    for worker in workers:
        worker.process.terminate()
    until = time.monotonic() + STOPPING
    left = {worker.process.sentinel for worker in workers}
    while left and (seconds := until - time.monotonic()) > 0:
        left -= set(wait(list(left), seconds))
    for worker in workers:
        worker.end()


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
    app = _prepare(settings)
    room = app.state.room
    assert isinstance(room, Room)
    print(f"The judging room is open at {room.settings.base}", flush=True)
    print(f"Admin (once, within the hour): {room.settings.link(room.people.admin_link(settings.admin))}", flush=True)
    if settings.workers == 1:
        signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again once it has stopped
        uvicorn.Server(configure(app)).run(sockets=[listening])
        return
    room.engine.dispose()
    with tempfile.TemporaryDirectory() as folder:
        os.environ[COUNTERS] = folder
        _keep_serving(settings, listening)
    with reading(room.engine):
        pass  # a process that was killed, or two that closed at once, leave some data beside the file of SQLite
    room.engine.dispose()


def _serve_one(settings: RoomSettings, listening: socket.socket, beats: Connection) -> None:
    """Serve in one of several processes, which gives signs of life."""
    server = uvicorn.Server(configure(_prepare(settings)))

    async def beat() -> None:
        """Give a sign of life from the loop that serves requests; if nobody is left to see it, stop."""
        while True:
            try:
                beats.send_bytes(b".")
            except OSError:
                server.should_exit = True
            await asyncio.sleep(LOOK)

    async def serve_and_beat() -> None:
        beating = asyncio.create_task(beat())
        await server.serve(sockets=[listening])
        beating.cancel()

    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(serve_and_beat())


def new_admin_link(settings: RoomSettings) -> str:
    """Return a new link for the room's administrator; another process may have the room open."""
    location = Location(settings.database)
    if location.path is not None and not os.path.exists(location.path):
        raise InputError("there is no judging room", path=location.path, hint=NO_ROOM)
    with open_engine(location, existing=True) as engine:
        migrate(engine)
        return settings.link(People(engine, settings).admin_link(settings.admin))


def _prepare(settings: RoomSettings) -> FastAPI:
    """Open the room, in a process that logs and switches threads as the room needs it."""
    log_to_stderr()
    sys.setswitchinterval(SWITCH)
    return create_app(settings)


def configure(app: FastAPI, **more: Any) -> uvicorn.Config:
    """Return how uvicorn serves the room. It leaves proxies' headers alone, as the room knows whose to take."""
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=guard_protocol(app.state.room.settings),
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
    """Return the socket to listen on. It is opened first, so that a port in use is the only error."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=512)
    except OSError as error:
        raise InputError(
            f"cannot listen on {settings.host}, port {settings.port}: {error.strerror}",
            hint="Choose another port: rankgauge serve --port 8001.",
        ) from None
