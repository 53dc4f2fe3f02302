"""Around every request: a limit on its size, safe headers on the response, a line in the log; and a limit on tries."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankgauge.room.previews import STYLE_HASH

LOG = logging.getLogger("rankgauge.room")
FACTS = "facts"
"""The attribute of a log record with its further fields."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' {STYLE_HASH}",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
"""On every response: load nothing from elsewhere, be framed by no other site, send them no referrer.

With `no-referrer` browsers would also hide from the room itself which site a form comes from."""

STATIC = "/static/"

UPLOADS = ("/campaigns", "/labels", "/drafts", "/files", "/gold")
"""The paths that accept files, or as much as a file has, end like this."""

TEXTS = ("/settings", "/guide", "/judging", "/campaign", "/people")
"""The paths that accept guidelines or many names: in a form a letter may have twelve bytes."""

SMALL, MEDIUM = 1 << 16, 1 << 20
"""The largest request without a file, in bytes, and that of long texts."""

REMEMBERED = 10_000
"""How many addresses a rate limit remembers; it forgets the one that has been quiet for longest."""


class RoomMiddleware:
    """Refuses a body that is too large with 413, sets the safe headers, and logs one line per request."""

    def __init__(self, app: ASGIApp, *, upload_bytes: int, origins: Sequence[str] = ()) -> None:
        self._app, self._upload_bytes = app, upload_bytes
        policy = POLICY.replace("img-src 'self' data:", " ".join(("img-src 'self' data:", *origins)))
        self._headers = {**HEADERS, "content-security-policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, read = time.perf_counter(), 500, 0
        limit = self._limit(scope["path"])

        async def bounded() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise HTTPException(413, f"the request is larger than the {limit:,} bytes allowed here")
            return message

        async def with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                if not scope["path"].startswith(STATIC):
                    headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            await self._app(scope, bounded, with_headers)
        finally:
            LOG.info("request", extra={FACTS: _facts(scope, status, time.perf_counter() - started)})

    def _limit(self, path: str) -> int:
        if path.endswith(UPLOADS):
            return self._upload_bytes
        return MEDIUM if path.endswith(TEXTS) else SMALL


def _facts(scope: Scope, status: int, seconds: float) -> dict[str, Any]:
    """What the log says of a request. A path may contain a link's secret, so the route's pattern is logged instead."""
    person = scope.get("state", {}).get("person")
    return {
        "method": scope["method"],
        "route": getattr(scope.get("route"), "path", "unknown"),
        "status": status,
        "milliseconds": round(1000 * seconds, 1),
        "person": getattr(person, "id", None),
    }


class RateLimit:
    """At most `tries` a minute from each address, by a token bucket that refills evenly."""

    def __init__(self, tries: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._tries, self._clock, self._lock = tries, clock, threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Whether the address may try once more now; the try is counted."""
        with self._lock:
            now = self._clock()
            left, since = self._left.pop(address, (float(self._tries), now))
            left = min(float(self._tries), left + (now - since) * self._tries / 60.0)
            self._left[address] = (max(left - 1.0, 0.0) if left >= 1.0 else left, now)
            while len(self._left) > REMEMBERED:
                self._left.popitem(last=False)
            return left >= 1.0
