"""Databases to run campaigns on: SQLite, and a real PostgreSQL that a wheel carries."""

from tests.web.conftest import database, server

__all__ = ["database", "server"]
