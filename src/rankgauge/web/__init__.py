"""The judging room: pages where assessors spend the budget and everybody watches the estimate."""

from rankgauge.web.app import create_app
from rankgauge.web.settings import Settings

__all__ = ["Settings", "create_app"]
