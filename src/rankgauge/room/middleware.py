"""Around every request: a limit on its size, safe headers on the response, a line in the log; and a limit on tries."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankgauge.room.addresses import networks, sender
from rankgauge.room.log import CURRENT, FACTS, LOG
from rankgauge.room.metrics import count_request
from rankgauge.room.previews import STYLE_HASH
from rankgauge.room.settings import RoomSettings

MIB = 1 << 20

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
    """Gives each request a number, refuses a body that is too large, sets the safe headers, counts and logs.

    Behind a proxy with a path prefix the prefix is taken off the path, if the proxy has not done so, and put before the
    addresses of redirects. HEAD is answered as GET is, without the body.
    """

    def __init__(self, app: ASGIApp, *, settings: RoomSettings) -> None:
        self._app, self._settings = app, settings
        self._upload_bytes, self._root = int(settings.upload_megabytes * MIB), settings.root_path
        self._proxies = networks(settings.proxies)
        policy = POLICY.replace("img-src 'self' data:", " ".join(("img-src 'self' data:", *settings.origins)))
        self._headers = {**HEADERS, "content-security-policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, method, status, read = time.perf_counter(), scope["method"], 500, 0
        if self._root and scope["path"].startswith(f"{self._root}/"):
            scope["path"] = scope["path"][len(self._root) :]
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}  # a copy: the server itself has to know that no body follows
        facts = {"request": secrets.token_hex(6), "address": sender(Request(scope), self._proxies)}
        CURRENT.set(facts)
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
                self._add_headers(message, scope["path"], facts["request"])
            elif method == "HEAD":
                message = {**message, "body": b""}
            await send(message)

        try:
            await self._app(scope, bounded, with_headers)
        finally:
            seconds, route = time.perf_counter() - began, getattr(scope.get("route"), "path", "unknown")
            count_request(method, route, status, seconds)
            # A path may contain what people look for, so that the route's pattern is told instead.
            told = {"method": method, "route": route, "status": status, "milliseconds": round(1000 * seconds, 1)}
            LOG.info("request", extra={FACTS: {**told, "person": None, **facts}})

    def _add_headers(self, message: Message, path: str, number: str) -> None:
        headers = MutableHeaders(scope=message)
        headers["x-request-id"] = number
        for name, value in self._headers.items():
            headers.setdefault(name, value)
        if not path.startswith(STATIC):
            headers.setdefault("cache-control", "no-store")
        if self._root and headers.get("location", "").startswith("/"):
            headers["location"] = self._root + headers["location"]

    def _limit(self, path: str) -> int:
        if path.endswith(UPLOADS):
            return self._upload_bytes
        return MEDIUM if path.endswith(TEXTS) else SMALL


class RateLimit:
    """At most `tries` a minute from each address, by a token bucket that refills evenly."""

    def __init__(self, tries: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._tries, self._clock, self._lock = tries, clock, threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, address: str) -> bool:
        """Say whether the address may try once more now; the try is counted."""
        with self._lock:
            now = self._clock()
            left, since = self._left.pop(address, (float(self._tries), now))
            left = min(float(self._tries), left + (now - since) * self._tries / 60.0)
            self._left[address] = (max(left - 1.0, 0.0) if left >= 1.0 else left, now)
            while len(self._left) > REMEMBERED:
                self._left.popitem(last=False)
            return left >= 1.0
