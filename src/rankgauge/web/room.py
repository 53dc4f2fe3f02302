"""What the routes share: settings, the database, the people, and how pages are made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from sqlalchemy import Engine
from starlette.responses import HTMLResponse

from rankgauge.web import credentials as keys

from rankgauge.web import filters as wording
from rankgauge.web.campaigns import Campaigns
from rankgauge.web.limits import Limit
from rankgauge.web.people import People
from rankgauge.web.settings import Settings

__all__ = ["Room", "room_of"]

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)

TEMPLATES.filters |= {name: getattr(wording, name) for name in wording.__all__}


@dataclass(frozen=True, kw_only=True, eq=False)
class Room:
    """A judging room at work."""

    settings: Settings
    engine: Engine
    people: People
    campaigns: Campaigns
    key: str
    """What signs sessions."""
    limit: Limit

    def page(self, request: Request, template: str, *, status: int = 200, **facts: Any) -> Response:
        """A page, with what every page shows: who is signed in, and the token of its forms."""
        session = getattr(request.state, "session", None)
        shared = {
            "person": getattr(request.state, "person", None),
            "csrf": "" if session is None else keys.csrf(session, self.key),
            "path": request.url.path,
        }
        text = TEMPLATES.get_template(template).render({**shared, **facts})
        return HTMLResponse(text, status_code=status)


def room_of(request: Request) -> Room:
    """The room that a request came to."""
    room = request.app.state.room
    assert isinstance(room, Room)
    return room
