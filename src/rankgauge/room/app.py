"""The judging room as a FastAPI application: its routes, its error pages, and what is done around every request: a
limit on its size, safe headers on the response, a line in the log."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankgauge.errors import GoneError, RankGaugeError, RefusedError, UnavailableError
from rankgauge.labelling.campaign.database import Location, connect, make_private
from rankgauge.room.addresses import networks, sender
from rankgauge.room.auth import COOKIE
from rankgauge.room.campaigns import Campaigns
from rankgauge.room.database import migrate
from rankgauge.room.drafts import Drafts
from rankgauge.room.gold import Gold
from rankgauge.room.log import CURRENT, FACTS, LOG
from rankgauge.room.metrics import count_request
from rankgauge.room.people import People
from rankgauge.room.previews import STYLE_HASH
from rankgauge.room.room import RateLimit, Room, room_of
from rankgauge.room.route import API, LISTED, ROUTES
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

ROWS = (f"{API}/campaigns/", ("/labels", "/gold"))
"""The paths that accept many rows as JSON begin and end like this."""

FORM = "application/x-www-form-urlencoded"

SMALL, MEDIUM, LARGE = 1 << 16, 1 << 20, 1 << 24
"""The largest request without a file, in bytes, that of long texts (and of any form without files), and of JSON."""

HELD = 1 << 28
"""How many bytes the requests that a process is reading may have together."""

PATIENCE = 2.0
"""How many seconds a request waits for a lock of another program; pages send it again by themselves."""


def create_app(settings: RoomSettings) -> FastAPI:
    """Return the application. Its database is brought up to date first."""
    location = Location(settings.database)
    make_private(location)
    engine = connect(location, existing=False, patience=PATIENCE)
    migrate(engine)
    people = People(engine, settings)
    key = people.signing_key()
    app = FastAPI(
        title="RankGauge judging room",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,  # a route of its own shows it to people who are signed in
        redirect_slashes=False,  # such a redirect would repeat whatever host the request named
        lifespan=_open_house,
    )
    app.state.room = Room(
        settings=settings,
        engine=engine,
        people=people,
        campaigns=Campaigns(engine),
        drafts=Drafts(engine, settings),
        gold=Gold(engine, key),
        key=key,
        limit=RateLimit(settings.tries_a_minute),
        proxies=networks(settings.proxies),
    )
    for router in ROUTES.values():
        app.router.routes.extend(router.routes)  # as they are: including a router builds each of them once more
    app.mount("/static/report", StaticFiles(packages=[("rankgauge.render", "templates")]))  # colours and charts
    app.mount("/static", StaticFiles(directory=Path(__file__).with_name("static")), name="static")
    app.add_exception_handler(HTTPException, _refuse)
    app.add_exception_handler(RankGaugeError, _refuse)
    app.add_exception_handler(RequestValidationError, _show_malformed)
    app.add_middleware(RoomMiddleware, settings=settings)
    return app


@asynccontextmanager
async def _open_house(app: FastAPI) -> AsyncIterator[None]:
    """While the room serves. Closing the last connection puts all data into the one file of SQLite.

    It is done here since uvicorn ends the process by the signal that it got, before it returns to whoever started it.
    """
    yield
    app.state.room.engine.dispose()


def _refuse(request: Request, error: Any) -> Response:
    """Say why a request is refused, in the words of the command line where it makes no sense."""
    match error:
        case HTTPException():
            return _error(request, error.status_code, str(error.detail), dict(error.headers or {}))
        case GoneError():
            return _error(request, 404, "no such campaign", {})
        case RefusedError():
            return _error(request, 409, str(error), {})
        case UnavailableError():  # or full; details are in the log only
            LOG.error("database", exc_info=error)
            problem = error.problem.partition(":")[0]
            return _error(request, 503, f"{problem}; nothing is lost, try again", {"Retry-After": "1"})
    return _error(request, 400, room_of(request).describe_error(error), {})


def _show_malformed(request: Request, error: Any) -> Response:
    """Say what does not fit the route's parameters, and why. The values are not sent back; they may be large."""
    told = [{name: one[name] for name in ("type", "loc", "msg")} for one in error.errors()[:LISTED]]
    if request.url.path.startswith(API):
        return JSONResponse({"detail": jsonable_encoder(told)}, status_code=422)
    words = "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in told)
    words = words.replace("Value error, ", "").removeprefix("body: ")
    return _error(request, 422, words.encode(errors="replace").decode(), {})


def _error(request: Request, status: int, words: str, headers: dict[str, str]) -> Response:
    """Return an error page for people, JSON for programs."""
    if request.url.path.startswith(API) or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"detail": words}, status_code=status, headers=headers)
    room, facts = room_of(request), {"code": status, "words": words}
    facts |= {"ended": COOKIE in request.cookies, "former": getattr(request.state, "former", None)}
    page = room.page(request, "error.html", status=status, hours=room.settings.session_hours, **facts)
    page.headers.update(headers)
    return page


class RoomMiddleware:
    """Gives each request a number, refuses a body that is too large, sets the safe headers, counts and logs.

    Behind a proxy with a path prefix the prefix is taken off the path, if the proxy has not done so, and put before the
    addresses of redirects. HEAD is answered as GET is, without the body.
    """

    def __init__(self, app: ASGIApp, *, settings: RoomSettings) -> None:
        self._app, self._settings = app, settings
        self._upload_bytes, self._root = int(settings.upload_megabytes * MIB), settings.root_path
        self._proxies, self._held = networks(settings.proxies), 0
        policy = POLICY.replace("img-src 'self' data:", " ".join(("img-src 'self' data:", *settings.origins)))
        self._headers = {**HEADERS, "content-security-policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, method, status, read = time.perf_counter(), scope["method"], 500, 0
        if self._root and scope["path"].startswith(f"{self._root}/"):
            scope["path"] = scope["path"][len(self._root) :]
        path = scope["path"]
        if method == "HEAD":
            scope = {**scope, "method": "GET"}  # a copy: the server itself has to know that no body follows
        request = Request(scope)
        facts = {"request": secrets.token_hex(6), "address": sender(request, self._proxies)}
        CURRENT.set(facts)
        limit = self._limit(path, request.headers.get("content-type", ""))

        async def receive_bounded() -> Message:
            nonlocal read
            message = await receive()
            size = len(message.get("body", b""))
            read, self._held = read + size, self._held + size
            if read > limit:
                raise HTTPException(413, f"the request is larger than the {limit:,} bytes allowed here")
            if self._held > HELD and read > SMALL:
                raise HTTPException(503, "too much is being sent at the moment; try again", {"Retry-After": "5"})
            return message

        async def with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status, headers = message["status"], MutableHeaders(scope=message)
                headers["x-request-id"] = facts["request"]
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                if not path.startswith(STATIC):
                    headers.setdefault("cache-control", "no-store")
                if self._root and headers.get("location", "").startswith("/"):
                    headers["location"] = self._root + headers["location"]
            elif method == "HEAD":
                message = {**message, "body": b""}
            await send(message)

        try:
            await self._app(scope, receive_bounded, with_headers)
        finally:
            self._held -= read
            seconds, route = time.perf_counter() - began, getattr(scope.get("route"), "path", "unknown")
            count_request(method, route, status, seconds)
            # A path may contain what people look for, so that the route's pattern is told instead.
            told = {"method": method, "route": route, "status": status, "milliseconds": round(1000 * seconds, 1)}
            LOG.info("request", extra={FACTS: {**told, "person": None, **facts}})

    def _limit(self, path: str, kind: str) -> int:
        """Return how many bytes a request to the path may have."""
        if path.endswith(UPLOADS):
            is_large = path.startswith(ROWS[0]) and path.endswith(ROWS[1])
            return min(
                self._upload_bytes, LARGE if is_large else MEDIUM if kind.startswith(FORM) else self._upload_bytes
            )
        return MEDIUM if path.endswith(TEXTS) else SMALL
