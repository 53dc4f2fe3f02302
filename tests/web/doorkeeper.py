"""A room whose server can be killed: `python -m tests.web.doorkeeper DATABASE`, commands on standard input.

    open        a new process serves the room; says `pid N`
    kill PID    ends that process at once; says `dead PID` when it is gone
    stop PID    sends it SIGTERM, and waits
    break PID   sends it SIGINT, as Ctrl-C does, and waits

Processes are forked from this one, which has everything imported and has touched neither polars' threads nor a
database: a start takes a fraction of a second. This process holds the socket, so that the port stays the same and
whoever comes while nobody serves waits.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from importlib import import_module
from types import SimpleNamespace

import uvicorn
from fastapi import FastAPI

from rankgauge.room.app import create_app
from rankgauge.room.route import ROUTES
from rankgauge.room.server import configure
from rankgauge.room.settings import RoomSettings

SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGTERM, "break": signal.SIGINT}


def serve(database: str, listening: socket.socket) -> None:
    """The room, until it is killed."""
    app = create_app(RoomSettings(database=database, port=0, tries_a_minute=100_000))
    uvicorn.Server(configure(app)).run(sockets=[listening])


def main(database: str) -> None:
    """Commands until the input ends; then nobody is left serving."""
    _import_all()
    listening = socket.create_server(("127.0.0.1", 0), backlog=64)
    print("port", listening.getsockname()[1], flush=True)
    serving: set[int] = set()
    for line in sys.stdin:
        command, *argument = line.split()
        if command == "open":
            pid = os.fork()
            if not pid:
                try:
                    serve(database, listening)
                finally:
                    os._exit(1)
            serving.add(pid)
            print("pid", pid, flush=True)
        else:
            _end(pid := int(argument[0]), SIGNALS[command])
            serving.discard(pid)
            print("dead", pid, flush=True)
    for pid in serving:
        _end(pid, signal.SIGKILL)


def _import_all() -> None:
    """Imports what a room would import once it serves, so that no process has to."""
    assert ROUTES.values()
    for name in ("rankgauge.labelling.methods.samples", "rankgauge.measures.cascade.err"):
        import_module(name)
    app = FastAPI()
    app.state.room = SimpleNamespace(settings=RoomSettings())
    configure(app).load()


def _end(pid: int, how: signal.Signals) -> None:
    os.kill(pid, how)
    os.waitpid(pid, 0)


if __name__ == "__main__":
    main(sys.argv[1])
