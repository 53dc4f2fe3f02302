"""The judging room: pages on which assessors judge documents and admins watch the estimate."""

from rankgauge.room.app import create_app
from rankgauge.room.settings import RoomSettings

__all__ = ["RoomSettings", "create_app"]
