"""The room's log: a line of JSON for each request, for what people do with access, and for errors, once a minute each.

Lines have no secrets, no headers and no bodies. What belongs to a request has its number and the sender's address.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

LOG = logging.getLogger("rankgauge.room")

FACTS = "facts"
"""The attribute of a log record with its further fields."""

CURRENT: ContextVar[dict[str, Any] | None] = ContextVar("current request", default=None)
"""What is known of the request that is served: its number, the sender's address, and the person once it is known."""

AGAIN = 60.0
"""After how many seconds the same error is told again."""

REMEMBERED = 1_000
"""How many different errors are counted at a time."""


def note(event: str, **facts: Any) -> None:
    """Log what somebody did with access: signed in, invited, revoked, changed a role."""
    LOG.info(event, extra={FACTS: {"audit": True, **(CURRENT.get() or {}), **facts}})


class OnceAMinute(logging.Filter):
    """Lets an error through as it begins and then once a minute, with how many were not told.

    A traceback for each request would fill the disk, perhaps the very one that is full.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock, self._turn = clock, threading.Lock()
        self._told: dict[tuple[str, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether the record is told now."""
        if record.levelno < logging.WARNING:
            return True
        error = record.exc_info[1] if record.exc_info else None
        key = (record.name, str(record.msg)[:200], type(error).__name__, str(error)[:200])
        with self._turn:
            since, silent = self._told.get(key, (-AGAIN, 0))
            if self._clock() - since < AGAIN:
                self._told[key] = since, silent + 1
                return False
            if len(self._told) > REMEMBERED:
                self._told.clear()
            self._told[key] = self._clock(), 0
        if silent:
            setattr(record, FACTS, {**getattr(record, FACTS, {}), "not_told": silent})
        return True


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


def log_to_stderr() -> None:
    """Log what the room and the server do."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(OnceAMinute())
    for name in ("rankgauge", "uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING if name == "asyncio" else logging.INFO)
    # uvicorn's access log would show whole paths, and with them what people look for.
    logging.getLogger("uvicorn.access").disabled = True
