"""Several processes that serve one room: each beats like a heart, and one that stops is replaced at once."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

LOG = logging.getLogger("uvicorn.error")

STARTING, SILENT = 60.0, 20.0
"""Seconds in which a process has to begin, and for which it may then be silent, before it is replaced."""

STOPPING = 8.0
"""Seconds in which all processes have to end; then they are killed."""

LOOK = 0.5
"""Seconds between two looks at the processes, and between two beats."""

_CONTEXT = multiprocessing.get_context("forkserver")
"""A process that has imported the room once, and from which others are copied: a new one serves within a moment."""

Serve = Callable[[Any, list[socket.socket], Callable[[], None]], None]
"""Serves on sockets with these settings, and calls the function twice a second."""


@dataclass(kw_only=True, eq=False)
class Worker:
    """One of the processes, and when it last gave a sign of life."""

    process: BaseProcess
    beats: Connection
    patience: float = STARTING
    last: float = field(default_factory=time.monotonic)

    def is_well(self) -> bool:
        """Whether the process runs and is not silent for too long."""
        try:
            while self.beats.poll():
                self.beats.recv_bytes()
                self.last, self.patience = time.monotonic(), SILENT
        except (EOFError, OSError):
            return False
        return self.process.is_alive() and time.monotonic() - self.last < self.patience


class Workers:
    """Processes that serve a room until SIGINT or SIGTERM."""

    def __init__(self, serve: Serve, settings: Any, sockets: list[socket.socket], count: int) -> None:
        self._serve, self._settings, self._sockets, self._count = serve, settings, sockets, count
        self._stop = threading.Event()

    def run(self) -> None:
        """Keep the processes running until somebody stops them."""
        _CONTEXT.set_forkserver_preload(["rankgauge.room.server", "rankgauge.room.pages"])
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._stop.set())
        workers = [self._started() for _ in range(self._count)]
        while not self._stop.wait(LOOK):
            for place, worker in enumerate(workers):
                if not worker.is_well():
                    _end(worker)
                    LOG.error("process %s ended or was silent, and is replaced", worker.process.pid)
                    workers[place] = self._started()
        self._end_all(workers)

    def _started(self) -> Worker:
        ours, theirs = _CONTEXT.Pipe(duplex=False)
        process = _CONTEXT.Process(
            target=_work, args=(self._serve, self._settings, self._sockets, theirs), daemon=False
        )
        process.start()
        theirs.close()
        return Worker(process=process, beats=ours)

    def _end_all(self, workers: list[Worker]) -> None:
        for worker in workers:
            if worker.process.pid is not None and worker.process.is_alive():
                os.kill(worker.process.pid, signal.SIGTERM)
        until = time.monotonic() + STOPPING
        left = {worker.process.sentinel for worker in workers}
        while left and (seconds := until - time.monotonic()) > 0:
            left -= set(wait(list(left), seconds))
        for worker in workers:
            _end(worker)


def _end(worker: Worker) -> None:
    worker.process.kill()
    worker.process.join()
    worker.beats.close()


def _work(serve: Serve, settings: Any, sockets: list[socket.socket], beats: Connection) -> None:
    """Serve in one of the processes; where nobody hears its beats any more, it ends."""
    serve(settings, sockets, lambda: beats.send_bytes(b"."))
