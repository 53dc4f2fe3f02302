"""The judging room: pages on which assessors judge documents and admins watch the estimate."""

from rankgauge.web.app import create_app
from rankgauge.web.settings import RoomSettings

__all__ = ["RoomSettings", "create_app"]
