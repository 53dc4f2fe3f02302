"""The tables of the room itself: who may come in, by which link, and until when. Campaigns have tables of their own."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, ForeignKey, Index, Integer, MetaData, String, Table, Text

__all__ = ["LINKS", "METADATA", "PEOPLE", "ROOM", "RULES", "SESSIONS", "TOKENS"]

METADATA = MetaData()

HASH = String(64)
"""A SHA-256 in hexadecimal digits: secrets themselves are never kept."""

ROOM = Table(
    "room",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
"""What the room remembers of itself, such as the key that signs sessions."""

PEOPLE = Table(
    "people",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(120), nullable=False),
    Column("role", String(16), nullable=False),
    Column("campaign", Integer),
    Column("created", Double, nullable=False),
    Column("revoked", Double),
    Index("people_of_campaign", "campaign"),
)
"""An admin, who belongs to the room, or an assessor, who belongs to one campaign. Times are seconds since 1970."""

LINKS = Table(
    "links",
    METADATA,
    Column("hash", HASH, primary_key=True),
    Column("person", ForeignKey("people.id"), nullable=False, index=True),
    Column("once", Boolean, nullable=False),
    Column("expires", Double, nullable=False),
    Column("used", Double),
)
"""Links that let somebody in: an admin's works once, an assessor's until it is revoked or too old."""

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("hash", HASH, primary_key=True),
    Column("person", ForeignKey("people.id"), nullable=False, index=True),
    Column("expires", Double, nullable=False),
)

TOKENS = Table(
    "tokens",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("hash", HASH, nullable=False, unique=True),
    Column("person", ForeignKey("people.id"), nullable=False, index=True),
    Column("name", String(120), nullable=False),
    Column("created", Double, nullable=False),
    Column("revoked", Double),
)
"""Tokens for programs: whoever sends one acts as the person whose it is."""

RULES = Table(
    "rules",
    METADATA,
    Column("campaign", Integer, primary_key=True, autoincrement=False),
    Column("stop_at", Double),
    Column("guide", Text, nullable=False),
)
"""What a campaign's people are told, and how narrow the interval has to be for it to stop by itself."""
