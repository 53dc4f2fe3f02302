"""The routes, a file for each kind of page."""

from fastapi import APIRouter

from rankgauge.web.routes import entry, health

__all__ = ["ROUTERS"]

ROUTERS: tuple[APIRouter, ...] = (health.router, entry.router)
