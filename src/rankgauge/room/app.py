"""The judging room as a FastAPI application: its routes, its error pages, its middleware."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.staticfiles import StaticFiles

from rankgauge.errors import GoneError, RankGaugeError, RefusedError, UnavailableError
from rankgauge.labelling.campaign.database import Location, connect, make_private
from rankgauge.room.addresses import networks
from rankgauge.room.auth import COOKIE
from rankgauge.room.campaigns import Campaigns
from rankgauge.room.database import migrate
from rankgauge.room.drafts import Drafts
from rankgauge.room.gold import Gold
from rankgauge.room.log import LOG
from rankgauge.room.middleware import RateLimit, RoomMiddleware
from rankgauge.room.people import People
from rankgauge.room.room import Room, room_of
from rankgauge.room.route import API, LISTED, ROUTES
from rankgauge.room.settings import RoomSettings

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
    app.add_exception_handler(HTTPException, _show_refusal)
    app.add_exception_handler(RankGaugeError, _mistaken)
    app.add_exception_handler(GoneError, lambda request, error: _error(request, 404, "no such campaign", {}))
    app.add_exception_handler(RefusedError, lambda request, error: _error(request, 409, str(error), {}))
    app.add_exception_handler(RequestValidationError, _show_malformed)
    app.add_exception_handler(UnavailableError, _unavailable)
    app.add_middleware(RoomMiddleware, settings=settings)
    return app


@asynccontextmanager
async def _open_house(app: FastAPI) -> AsyncIterator[None]:
    """While the room serves. Closing the last connection puts all data into the one file of SQLite.

    It is done here since uvicorn ends the process by the signal that it got, before it returns to whoever started it.
    """
    yield
    app.state.room.engine.dispose()


def _show_refusal(request: Request, error: Any) -> Response:
    """Return what is forbidden or does not exist."""
    return _error(request, error.status_code, str(error.detail), dict(error.headers or {}))


def _mistaken(request: Request, error: Any) -> Response:
    """Return what makes no sense, in the words of the command line."""
    return _error(request, 400, room_of(request).told(error), {})


def _show_malformed(request: Request, error: Any) -> Response:
    """Say what does not fit the route's parameters, and why. The values are not sent back; they may be large."""
    told = [{name: one[name] for name in ("type", "loc", "msg")} for one in error.errors()[:LISTED]]
    if request.url.path.startswith(API):
        return JSONResponse({"detail": jsonable_encoder(told)}, status_code=422)
    words = "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in told)
    words = words.replace("Value error, ", "").removeprefix("body: ")
    return _error(request, 422, words.encode(errors="replace").decode(), {})


def _unavailable(request: Request, error: Any) -> Response:
    """The database does not answer or is full; the same request may be sent again. Details are in the log only."""
    LOG.error("database", exc_info=error)
    problem = error.problem.partition(":")[0]
    return _error(request, 503, f"{problem}; nothing is lost, try again", {"Retry-After": "1"})


def _error(request: Request, status: int, words: str, headers: dict[str, str]) -> Response:
    """Return an error page for people, JSON for programs."""
    if request.url.path.startswith(API) or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"detail": words}, status_code=status, headers=headers)
    room, facts = room_of(request), {"code": status, "words": words}
    facts |= {"ended": COOKIE in request.cookies, "former": getattr(request.state, "former", None)}
    page = room.page(request, "error.html", status=status, hours=room.settings.session_hours, **facts)
    page.headers.update(headers)
    return page
