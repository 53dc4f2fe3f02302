"""A process of its own for work that a stranger's file may make long or large, with limits of time and memory.

Python cannot stop a thread. A process can be killed, and takes its memory along.
"""

from __future__ import annotations

import atexit
import importlib
import os
import pickle
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from multiprocessing.connection import wait
from typing import Any, Self, TypeVar, cast

from rankgauge.errors import RankGaugeError

T = TypeVar("T")

MIB = 1 << 20

STARTING = 60.0
"""Seconds that the process may take to start; on a busy machine it takes longer than the work."""

FRUGAL = {
    **{"POLARS_MAX_THREADS": "2", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"},
    "_RJEM_MALLOC_CONF": "narenas:1,dirty_decay_ms:0,muzzy_decay_ms:0",
}
"""Polars and others take much more memory than they use, which counts, unless they are told to give it back."""

KILLED_LATER = 5
"""Seconds after the limit at which the process ends by itself, if nobody is left to kill it."""


class Wire:
    """One end between two processes. Values are written as they are pickled: in one piece they would take their memory
    several times, in both processes."""

    def __init__(self, end: socket.socket) -> None:
        self._end, self._stream = end, end.makefile("rwb")

    @classmethod
    def pair(cls) -> tuple[Self, socket.socket]:
        """Return an end for this process, and the one for the other."""
        ours, theirs = socket.socketpair()
        return cls(ours), theirs

    def send(self, value: object) -> None:
        """Send a value."""
        pickle.dump(value, self._stream, pickle.HIGHEST_PROTOCOL)
        self._stream.flush()

    def comes(self, seconds: float) -> bool:
        """Say whether a value begins to come within so many seconds."""
        return bool(wait([self._end], seconds))

    def receive(self) -> Any:
        """Return the value that comes; an error if it breaks off."""
        try:
            return pickle.load(self._stream)
        except pickle.UnpicklingError as error:
            raise EOFError(str(error)) from None

    def close(self) -> None:
        """Close this end."""
        with suppress(OSError):  # something that was not sent, as nobody is there
            self._stream.close()
        self._end.close()


class SandboxError(Exception):
    """The work was stopped; the words say which limit it has passed."""


class SandboxBusyError(SandboxError):
    """Too many are waiting for their turn."""


class Sandbox:
    """A process that does one piece of work at a time. It starts when it is needed and ends when it has been idle."""

    def __init__(self, module: str, *, megabytes: int, waiting: int, idle: float = 60.0) -> None:
        """`module` is imported when the process starts, and has the functions to run; `megabytes` come on top of it.

        More than `waiting` at a time are refused: the room has 40 threads, and those that wait serve nobody else.
        """
        self._module, self._megabytes, self._idle = module, megabytes, idle
        self._turn, self._places = threading.Lock(), threading.Semaphore(waiting)
        self._process: subprocess.Popen[bytes] | None = None
        self._wire: Wire | None = None
        atexit.register(self.close)

    def run(self, function: Callable[..., T], *arguments: Any, seconds: float) -> T:
        """Return what the function gives for these arguments, or raise its error; both have to be picklable."""
        if not self._places.acquire(blocking=False):
            raise SandboxBusyError("has to wait for too many others")
        with ExitStack() as leaving:
            leaving.callback(self._places.release)
            leaving.enter_context(self._turn)
            for _ in range(2):  # an idle process may end just as it gets work
                wire, process = self._start()
                try:
                    wire.send((function, arguments, seconds))
                    if not wire.comes(seconds):
                        self._stop()
                        raise SandboxError(f"takes more than {seconds:g} s")
                    value, error = wire.receive()
                except (EOFError, OSError):
                    code = process.wait()
                    self._stop()
                    if code != 0:
                        raise SandboxError(f"takes more than {self._megabytes:,} MB of memory") from None
                else:
                    if error is not None:
                        raise error
                    return cast("T", value)
        raise SandboxError("was interrupted")

    def close(self) -> None:
        """End the process."""
        with self._turn:
            self._stop()

    def _start(self) -> tuple[Wire, subprocess.Popen[bytes]]:
        if self._wire is None or self._process is None or self._process.poll() is not None:
            self._stop()
            self._wire, theirs = Wire.pair()
            given = (theirs.fileno(), self._module, self._megabytes, self._idle)
            environment = {**os.environ, **FRUGAL}
            # -P and the folder of the package: what lies in the current folder is not imported.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", f"from {__name__} import work; work(*{given!r})"],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
            theirs.close()
            with suppress(EOFError, OSError):  # the time of the work begins once the process can do it
                _ = self._wire.comes(STARTING) and self._wire.receive()
        return self._wire, self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._wire is not None:
            self._wire.close()
        self._process = self._wire = None


def work(descriptor: int, module: str, megabytes: int, idle: float) -> None:
    """Do what comes over the connection, until nothing has come for a while or nobody is left to send it."""
    wire = Wire(socket.socket(fileno=descriptor))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the room, which then closes the connection
    importlib.import_module(module)
    os.nice(5)
    with open("/proc/self/status", encoding="ascii") as lines:  # the data that the process has, which its limit counts
        own = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:")), 0)
    limit = own + megabytes * MIB
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(EOFError, OSError):
        wire.send("ready")
        while wire.comes(idle):
            function, arguments, seconds = wire.receive()
            signal.setitimer(signal.ITIMER_REAL, seconds + KILLED_LATER)
            wire.send(_outcome(function, arguments))
            signal.setitimer(signal.ITIMER_REAL, 0)


def _outcome(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    try:
        return function(*arguments), None
    except RankGaugeError as error:
        return None, error
    except MemoryError:
        os._exit(1)
    except BaseException as error:  # a fault of ours: the room logs it as such
        return None, RuntimeError(f"{type(error).__name__}: {error}")
