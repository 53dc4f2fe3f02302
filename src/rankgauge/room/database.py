"""The room's own tables (people, links, sessions, tokens), and the migrations that bring a database up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Double,
    Engine,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    delete,
    select,
)

from rankgauge.errors import InputError
from rankgauge.labelling.campaign import rules as stopping
from rankgauge.labelling.campaign import tables
from rankgauge.labelling.campaign.database import Location, connect, make_private, writing

METADATA = MetaData()

METADATAS: tuple[MetaData, ...] = (tables.metadata, stopping.metadata, METADATA)
"""All tables of a room's database: those of its campaigns and its own."""

MIGRATIONS = Path(__file__).with_name("migrations")

MIGRATION = 60
"""How many seconds one process waits for another that migrates the same database."""


UNRELEASED = "0005"
"""The last step before the tables were written down as one; what such a database lacks is added."""


def migrate(engine: Engine) -> None:
    """Run the migrations that the database lacks, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        if connection.dialect.name == "postgresql":  # a file of SQLite is locked already
            connection.exec_driver_sql(f"set local lock_timeout = '{MIGRATION}s'")
            connection.exec_driver_sql("select pg_advisory_xact_lock(7267)")  # any number that nobody else uses
        _refuse_unknown(connection, ScriptDirectory.from_config(config))
        command.upgrade(config, "head")


def _refuse_unknown(connection: Connection, known: ScriptDirectory) -> None:
    """Refuse a database with a migration that this version does not know."""
    found = MigrationContext.configure(connection).get_current_revision()
    if found == UNRELEASED:
        connection.exec_driver_sql("delete from alembic_version")
    elif found is not None and found not in {step.revision for step in known.walk_revisions()}:
        newest = known.get_current_head()
        raise InputError(
            f"the database is of {'an earlier' if found < str(newest) else 'a later'} version "
            f"({found}; this version knows {newest})",
            path=connection.engine.url.render_as_string(hide_password=True),
            hint="Install the RankGauge that made it.",
        )


@contextmanager
def opened(location: Location, *, existing: bool) -> Iterator[Engine]:
    """An engine on the database, for a while; a new file is its owner's alone."""
    if not existing:
        make_private(location)
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
    Column("subject", String(400), index=True),
    Index("people_of_campaign", "campaign"),
)
"""Everybody, known by their number: admins belong to the room, others to one campaign. Times are seconds since 1970.

Whoever signs in by single sign-on has a `subject`: the issuer, a blank, and the issuer's name for them."""

LINKS = Table(
    "links",
    METADATA,
    Column("hash", HASH, primary_key=True),
    Column("person", ForeignKey("people.id"), nullable=False, index=True),
    Column("once", Boolean, nullable=False),
    Column("expires", Double, nullable=False),
    Column("used", Double),
)
"""Links that sign a person in: an admin's works once, another's until it expires or is revoked."""

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
    Column("expires", Double),
)
"""Tokens for programs: a request with a token acts as the token's owner, until it expires or is revoked."""

DRAFTS = Table(
    "drafts",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("person", ForeignKey("people.id"), nullable=False, index=True),
    Column("made", Double, nullable=False),
    Column("touched", Double, nullable=False),
    Column("settings", Text, nullable=False),
    sqlite_autoincrement=True,  # what the files of a draft hold is remembered by their numbers
)
"""Campaigns that somebody is about to make, with the settings chosen so far as JSON."""

DRAFT_FILES = Table(
    "draft_files",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("draft", ForeignKey("drafts.id"), nullable=False, index=True),
    Column("part", String(16), nullable=False),
    Column("name", String(200), nullable=False),
    Column("content", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)
"""The files of drafts: lists of runs, judges' grades, documents, earlier judgments."""

ARCHIVED = Table(
    "archived",
    METADATA,
    Column("campaign", Integer, primary_key=True, autoincrement=False),
    Column("made", Double, nullable=False),
)
"""The campaigns that are over: they are kept, and no longer shown among the others."""

CHANGES = Table(
    "changes",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("campaign", Integer, nullable=False, index=True),
    Column("person", String(120), nullable=False),
    Column("made", Double, nullable=False),
    Column("what", String(40), nullable=False),
    Column("before", Text, nullable=False),
    Column("after", Text, nullable=False),
)
"""What was changed in a campaign after it was made, by whom, from what to what."""

QUALITY_RULES = Table(
    "quality_rules",
    METADATA,
    Column("campaign", Integer, primary_key=True, autoincrement=False),
    Column("every", Integer),
    Column("within", Integer, nullable=False),
    Column("threshold", Double, nullable=False),
    Column("least", Integer, nullable=False),
)
"""How often gold questions are asked in a campaign, and from which accuracy on an assessor gets no more documents."""

GOLD_QUESTIONS = Table(
    "gold_questions",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("campaign", Integer, nullable=False),
    Column("query", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("grade", Double),
    Column("texts", Text, nullable=False),
    Column("made", Double, nullable=False),
    Column("author", Integer),
    Column("retired", Double),
    Index("gold_of_campaign", "campaign"),
)
"""Documents with known grades; without one the right answer is that the document cannot be judged."""

GOLD_ANSWERS = Table(
    "gold_answers",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("campaign", Integer, nullable=False),
    Column("question", ForeignKey("gold_questions.id"), nullable=False, index=True),
    Column("person", Integer, nullable=False),
    Column("place", Integer, nullable=False),
    Column("handed", Double, nullable=False),
    Column("made", Double),
    Column("grade", Double),
    Column("comment", Text),
    Column("key", String(200)),
    UniqueConstraint("campaign", "key", name="one_gold_answer_per_key"),
    Index("gold_of_person", "campaign", "person"),
)
"""Gold questions that were handed to people, before which document of the pool (`place`), and the answers: the last one
counts. They are no labels, so that no estimate knows of them."""

BLOCKS = Table(
    "blocks",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("campaign", Integer, nullable=False),
    Column("person", Integer, nullable=False),
    Column("made", Double, nullable=False),
    Column("asked", Integer, nullable=False),
    Column("correct", Integer, nullable=False),
    Column("lifted", Double),
    Column("lifted_by", Integer),
    Index("blocks_of_person", "campaign", "person"),
)
"""People who get no more documents, since their answers to gold questions were wrong too often; until it is lifted."""


def forget_campaign(connection: Connection, campaign: int) -> None:
    """Deletes the rows of the room's own tables that belong to a campaign, and its people with what is theirs."""
    people = select(PEOPLE.c.id).where(PEOPLE.c.campaign == campaign)
    files = select(DRAFTS.c.id).where(DRAFTS.c.person.in_(people))
    connection.execute(delete(DRAFT_FILES).where(DRAFT_FILES.c.draft.in_(files)))
    for table in reversed(METADATA.sorted_tables):
        if "campaign" in table.c:
            connection.execute(delete(table).where(table.c.campaign == campaign))
        elif "person" in table.c:
            connection.execute(delete(table).where(table.c.person.in_(people)))
