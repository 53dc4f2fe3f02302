"""The room: what every route works with, how a page is rendered, and a limit on tries."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from sqlalchemy import Engine
from starlette.responses import HTMLResponse

from rankgauge.errors import GoneError, InputError, RankGaugeError, RefusedError, UnavailableError
from rankgauge.labelling.campaign.database import names_of
from rankgauge.render import html
from rankgauge.render.table import ReportTable
from rankgauge.room.addresses import Network
from rankgauge.room.campaigns import Campaigns, OpenCampaign
from rankgauge.room.credentials import csrf_token
from rankgauge.room.drafts import Drafts
from rankgauge.room.filters import FILTERS
from rankgauge.room.gold import Gold
from rankgauge.room.people import People
from rankgauge.room.route import ROUTES
from rankgauge.room.settings import RoomSettings

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
TEMPLATES.filters |= {one.__name__: one for one in FILTERS}
TEMPLATES.globals["routes"] = ROUTES


REMEMBERED = 10_000
"""How many addresses a rate limit remembers; it forgets the one that has been quiet for longest."""


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


@dataclass(frozen=True, kw_only=True, eq=False)
class Room:
    """An open judging room."""

    settings: RoomSettings
    engine: Engine
    people: People
    campaigns: Campaigns
    drafts: Drafts
    gold: Gold
    key: str
    """The key that signs sessions."""
    limit: RateLimit
    """How often an address may try links and tokens."""
    proxies: tuple[Network, ...]
    """The proxies whose word on the sender's address is taken."""

    def describe_error(self, error: RankGaugeError) -> str:
        """Return what a page says of a mistake. Where the room keeps its data is nobody's business.

        What is no mistake of whoever sent something is raised again.
        """
        if isinstance(error, GoneError | RefusedError | UnavailableError):
            raise error
        if isinstance(error, InputError) and str(error.path) in names_of(self.engine):
            return str(InputError(error.problem, line=error.line, text=error.text, hint=error.hint))
        return str(error)

    def page(self, request: Request, template: str, **context: Any) -> Response:
        """Render a page with what every page shows: who is signed in, and the CSRF token of its forms."""
        status = context.pop("status", 400 if context.get("problem") else 200)
        session = getattr(request.state, "session", None)
        shared = {
            "person": getattr(request.state, "person", None),
            "csrf": "" if session is None else csrf_token(session, self.key),
            "root": self.settings.root_path,
            "path": self.settings.root_path + request.url.path,
            "refused": status >= 400,
            "origins": self.settings.origins,
            "single_sign_on": self.settings.oidc_issuer and self.settings.oidc_name,
        }
        text = TEMPLATES.get_template(template).render({**shared, **context})
        return HTMLResponse(text.encode(errors="replace"), status_code=status)  # ids of files may have half a pair

    def table_page(
        self, request: Request, opened: OpenCampaign, table: ReportTable, *, hint: str = "", empty: str = "Nothing yet."
    ) -> Response:
        """Return a page of a campaign with one table, or with the words of `empty` if the table has no rows."""
        shown = html.table(table) if table.rows else empty
        return self.page(request, "table.html", opened=opened, title=table.title, hint=hint, table=shown)


def room_of(request: Request) -> Room:
    """Return the room that the request is for."""
    room = request.app.state.room
    assert isinstance(room, Room)
    return room
