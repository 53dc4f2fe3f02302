"""What happened, a JSON object a line: for people with grep and for programs. No secret is ever in it.

A path may hold a link's secret, so the route's pattern is logged in its place, and neither headers nor bodies are.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["LOG", "JsonLines", "RequestLog", "set_up"]

LOG = logging.getLogger("rankgauge.web")
FACTS = "facts"
"""The attribute of a record that holds what there is to say besides its message."""


class JsonLines(logging.Formatter):
    """A record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, FACTS, {}),
        }
        if record.exc_info:
            said["error"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False)


def set_up() -> None:
    """The room's log and the server's own, on stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("rankgauge", "uvicorn", "alembic"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING if name == "alembic" else logging.INFO)
    # The server's own log of requests would show whole paths, secrets of links among them.
    logging.getLogger("uvicorn.access").disabled = True


class RequestLog:
    """A line for each request: the route, what came of it, how long it took, and who asked."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            LOG.info("request", extra={FACTS: _facts(scope, status, time.perf_counter() - started)})


def _facts(scope: Scope, status: int, seconds: float) -> dict[str, Any]:
    person = scope.get("state", {}).get("person")
    return {
        "method": scope["method"],
        "route": getattr(scope.get("route"), "path", "unknown"),
        "status": status,
        "milliseconds": round(1000 * seconds, 1),
        "person": getattr(person, "id", None),
    }
