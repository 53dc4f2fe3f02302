"""The routes, a file for each kind of page."""

from fastapi import APIRouter

from rankgauge.web.routes import (
    api,
    campaigns,
    disagreements,
    entry,
    exports,
    health,
    home,
    judge,
    people,
    queries,
    tokens,
)

__all__ = ["ROUTERS"]

_MODULES = (health, entry, home, campaigns, judge, people, disagreements, queries, exports, tokens, api)

ROUTERS: tuple[APIRouter, ...] = tuple(module.router for module in _MODULES)
