"""Alembic migrations of the room's database."""
