"""The judging room as an application."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.staticfiles import StaticFiles

from rankgauge.active.campaign.database import Location, connect
from rankgauge.errors import RankGaugeError, UnavailableError
from rankgauge.web.campaigns import Campaigns
from rankgauge.web.middleware import SafeHeaders
from rankgauge.web.limits import Limit
from rankgauge.web.logs import LOG, RequestLog
from rankgauge.web.people import People
from rankgauge.web.room import Room, room_of
from rankgauge.web.routes import ROUTERS
from rankgauge.web.schema import migrate
from rankgauge.web.settings import Settings
from rankgauge.web.uploads import BoundedBody

__all__ = ["create_app"]

API = "/api/"
FILES = ("/campaigns", "/labels")
"""How the paths end to which files are sent."""


def create_app(settings: Settings) -> FastAPI:
    """The application on the database of the settings, which is brought up to date first."""
    engine = connect(Location(settings.database), existing=False)
    migrate(engine)
    people = People(engine, settings)
    app = FastAPI(title="RankGauge judging room", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.room = Room(
        settings=settings,
        engine=engine,
        people=people,
        campaigns=Campaigns(engine),
        key=people.secret(),
        limit=Limit(settings.tries_a_minute),
    )
    for router in ROUTERS:
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=Path(__file__).with_name("static")), name="static")
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RankGaugeError, _mistaken)
    app.add_exception_handler(RequestValidationError, _misshapen)
    app.add_exception_handler(UnavailableError, _unavailable)
    app.add_middleware(BoundedBody, largest=settings.upload_bytes, files=FILES)
    app.add_middleware(SafeHeaders)
    app.add_middleware(RequestLog)
    return app


def _refused(request: Request, error: Exception) -> Response:
    """What was not allowed or is not there, as a page for people and as JSON for programs."""
    assert isinstance(error, HTTPException)
    return _answer(request, error.status_code, str(error.detail), dict(error.headers or {}))


def _misshapen(request: Request, error: Exception) -> Response:
    """What is not as the route takes it: where and why. What was sent is not sent back: it may be large, or no text."""
    assert isinstance(error, RequestValidationError)
    found = [{name: one[name] for name in ("type", "loc", "msg")} for one in error.errors()]
    if request.url.path.startswith(API):
        return JSONResponse({"detail": jsonable_encoder(found)}, status_code=422)
    words = "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in found)
    return _answer(request, 422, words.encode(errors="replace").decode(), {})


def _unavailable(request: Request, error: Exception) -> Response:
    """The database does not answer or is full: what was sent may be sent again as it is. Only the log says more."""
    assert isinstance(error, UnavailableError)
    LOG.error("database", exc_info=error)
    problem = error.problem.partition(":")[0]
    return _answer(request, 503, f"{problem}; nothing is lost, try again", {"Retry-After": "1"})


def _mistaken(request: Request, error: Exception) -> Response:
    """A mistake in what was sent: the same words as on the command line."""
    return _answer(request, 400, str(error), {})


def _answer(request: Request, status: int, words: str, headers: dict[str, str]) -> Response:
    if request.url.path.startswith(API) or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"detail": words}, status_code=status, headers=headers)
    page = room_of(request).page(request, "error.html", status=status, code=status, words=words)
    page.headers.update(headers)
    return page
