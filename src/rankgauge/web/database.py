"""The room's own tables (people, links, sessions, tokens), and the migrations that bring a database up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Boolean, Column, Double, Engine, ForeignKey, Index, Integer, MetaData, String, Table, Text

from rankgauge.active.campaign import rules as stopping
from rankgauge.active.campaign import tables
from rankgauge.active.campaign.database import Location, connect, writing

METADATA = MetaData()

METADATAS: tuple[MetaData, ...] = (tables.metadata, stopping.metadata, METADATA)
"""All tables of a room's database: those of its campaigns and its own."""

MIGRATIONS = Path(__file__).with_name("migrations")


def migrate(engine: Engine) -> None:
    """Runs the migrations that the database lacks, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@contextmanager
def opened(location: Location, *, existing: bool) -> Iterator[Engine]:
    """An engine on the database, for a while."""
    engine = connect(location, existing=existing)
    try:
        yield engine
    finally:
        engine.dispose()


HASH = String(64)
"""A SHA-256 in hexadecimal digits: the database keeps hashes of secrets, never the secrets."""

ROOM = Table(
    "room",
    METADATA,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
"""Values of the room itself, such as the key that signs sessions."""

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
"""Admins, who belong to the room, and assessors, who belong to one campaign. Times are seconds since 1970."""

LINKS = Table(
    "links",
    METADATA,
    Column("hash", HASH, primary_key=True),
    Column("person", ForeignKey("people.id"), nullable=False, index=True),
    Column("once", Boolean, nullable=False),
    Column("expires", Double, nullable=False),
    Column("used", Double),
)
"""Links that sign a person in: an admin's works once, an assessor's until it expires or is revoked."""

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
"""Tokens for programs: a request with a token acts as the token's owner."""
