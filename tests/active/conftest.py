"""Databases to run campaigns on: SQLite, and a real PostgreSQL that a wheel carries."""

from tests.web.conftest import database, migrated_file, migrated_name, server

__all__ = ["database", "migrated_file", "migrated_name", "server"]
