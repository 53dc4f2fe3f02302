"""The room's own tables (people, links, sessions, tokens), and the migrations that bring a database up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
from sqlalchemy.schema import SchemaItem

from rankgauge.errors import InputError
from rankgauge.labelling.campaign import tables
from rankgauge.labelling.campaign.database import Location, connect, make_private, writing

METADATA = MetaData()

METADATAS: tuple[MetaData, ...] = (tables.metadata, tables.rules_metadata, METADATA)
"""All tables of a room's database: those of its campaigns and its own."""

MIGRATIONS = Path(__file__).with_name("migrations")

MIGRATION = 60
"""How many seconds one process waits for another that migrates the same database."""


NO_ROOM = "Give --database as it was given to rankgauge serve."
"""What to do where there is no room."""

UNRELEASED = ("0005", "0006", "0007")
"""Steps of before the first release; what such a database lacks is added."""


def migrate(engine: Engine) -> None:
    """Run the migrations that the database lacks, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        if connection.dialect.name == "postgresql":  # a file of SQLite is locked already
            connection.exec_driver_sql(f"set local lock_timeout = '{MIGRATION}s'")
            connection.exec_driver_sql("select pg_advisory_xact_lock(7267)")  # any number that nobody else uses
        if is_up_to_date(connection):
            return
        if _last_step(connection) in UNRELEASED:
            connection.exec_driver_sql("delete from alembic_version")
        command.upgrade(config, "head")


def is_up_to_date(connection: Connection) -> bool:
    """Say whether the database has had every migration; one that this version does not know is an error."""
    known, found = ScriptDirectory(str(MIGRATIONS)), _last_step(connection)
    newest = known.get_current_head()
    if found is not None and found not in {*UNRELEASED, *(step.revision for step in known.walk_revisions())}:
        raise InputError(
            f"the database is of {'an earlier' if found < str(newest) else 'a later'} version "
            f"({found}; this version knows {newest})",
            path=connection.engine.url.render_as_string(hide_password=True),
            hint="Install the RankGauge that made it.",
        )
    return found == newest


def _last_step(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


@contextmanager
def open_engine(location: Location, *, existing: bool) -> Iterator[Engine]:
    """An engine on the database, for a while; a new file is its owner's alone."""
    if not existing:
        make_private(location)
    engine = connect(location, existing=existing)
    try:
        yield engine
    finally:
        engine.dispose()


_CAMPAIGN_KEY = Column("campaign", Integer, primary_key=True, autoincrement=False)

HASH = String(64)
"""A SHA-256 in hexadecimal digits: the database keeps hashes of secrets, never the secrets."""


def _table(title: str, key: Column[Any] | None, /, *parts: SchemaItem, **columns: Any) -> Table:
    """Make a table of columns by name and type, with a number as its key if no other is given.

    A column is always filled, unless its type is in a list; a foreign key has an index.
    """
    made = [Column("id", Integer, primary_key=True) if key is None else key._copy()]
    for name, kind in columns.items():
        (plain,), nullable = (kind, True) if isinstance(kind, list) else ([kind], False)
        made.append(Column(name, plain, nullable=nullable, index=isinstance(plain, ForeignKey)))
    # The numbers of drafts and their files are given once: what the files hold is remembered by them.
    return Table(title, METADATA, *made, *parts, sqlite_autoincrement=title.startswith("draft"))


ROOM = _table("room", Column("name", String(64), primary_key=True), value=Text)
"""Values of the room itself, such as the key that signs sessions."""

PEOPLE = _table(
    "people",
    None,
    Index("people_of_campaign", "campaign"),
    Index("ix_people_subject", "subject"),
    **{"name": String(120), "role": String(16), "campaign": [Integer]},
    **{"created": Double, "revoked": [Double], "subject": [String(400)]},
)
"""Everybody, known by their number: admins belong to the room, others to one campaign. Times are seconds since 1970.

Whoever signs in by single sign-on has a `subject`: the issuer, a blank, and the issuer's name for them."""

_HASH_KEY, _PERSON = Column("hash", HASH, primary_key=True), "people.id"

LINKS = _table("links", _HASH_KEY, person=ForeignKey(_PERSON), once=Boolean, expires=Double, used=[Double])
"""Links that sign a person in: an admin's works once, another's until it expires or is revoked."""

SESSIONS = _table("sessions", _HASH_KEY, person=ForeignKey(_PERSON), expires=Double)

TOKENS = _table(
    "tokens",
    None,
    UniqueConstraint("hash"),
    **{"hash": HASH, "person": ForeignKey(_PERSON), "name": String(120)},
    **{"created": Double, "revoked": [Double], "expires": [Double]},
)
"""Tokens for programs: a request with a token acts as the token's owner, until it expires or is revoked."""

DRAFTS = _table("drafts", None, person=ForeignKey(_PERSON), made=Double, touched=Double, settings=Text)
"""Campaigns that somebody is about to make, with the settings chosen so far as JSON."""

DRAFT_FILES = _table(
    "draft_files", None, draft=ForeignKey("drafts.id"), part=String(16), name=String(200), content=LargeBinary
)
"""The files of drafts: lists of runs, judges' grades, documents, earlier judgments."""

ARCHIVED = _table("archived", _CAMPAIGN_KEY, made=Double)
"""The campaigns that are over: they are kept, and no longer shown among the others."""

CHANGES = _table(
    "changes",
    None,
    Index("ix_changes_campaign", "campaign"),
    **{"campaign": Integer, "number": [Integer], "person": String(120), "made": Double},
    **{"what": String(40), "before": Text, "after": Text},
)
"""What was changed in a campaign after it was made, by whom (their number, and their name then), from what to what."""

QUALITY_RULES = _table("quality_rules", _CAMPAIGN_KEY, every=[Integer], within=Integer, threshold=Double, least=Integer)
"""How often gold questions are asked in a campaign, and from which accuracy on an assessor gets no more documents."""

GOLD_QUESTIONS = _table(
    "gold_questions",
    None,
    Index("gold_of_campaign", "campaign"),
    **{"campaign": Integer, "query": Text, "document": Text, "grade": [Double], "texts": Text},
    **{"made": Double, "author": [Integer], "retired": [Double]},
)
"""Documents with known grades; without one the right answer is that the document cannot be judged."""

GOLD_ANSWERS = _table(
    "gold_answers",
    None,
    UniqueConstraint("campaign", "key", name="one_gold_answer_per_key"),
    Index("gold_of_person", "campaign", "person"),
    **{"campaign": Integer, "question": ForeignKey("gold_questions.id"), "person": Integer, "place": Integer},
    **{"handed": Double, "made": [Double], "grade": [Double], "comment": [Text], "key": [String(200)]},
)
"""Gold questions that were handed to people, before which document of the pool (`place`), and the answers: the last one
counts. They are no labels, so that no estimate knows of them."""

BLOCKS = _table(
    "blocks",
    None,
    Index("blocks_of_person", "campaign", "person"),
    **{"campaign": Integer, "person": Integer, "made": Double, "asked": Integer, "correct": Integer},
    **{"lifted": [Double], "lifted_by": [Integer]},
)
"""People who get no more documents, since their answers to gold questions were wrong too often; until it is lifted."""


PAIR_RULES = _table("pair_rules", _CAMPAIGN_KEY, documents=Integer)
"""Campaigns whose assessors compare documents two by two, and how many documents of each query."""

PAIR_ANSWERS = _table(
    "pair_answers",
    None,
    Index("pairs_of_person", "campaign", "person"),
    **{"campaign": Integer, "person": Integer, "query": Text, "first": Text, "second": Text},
    **{"better": [Integer], "made": Double},
)
"""Which of two documents is better, in the order in which they were shown: 1 the first, −1 the second, 0 neither; no
number if the person cannot say. A person's last answer about two documents replaces those before."""


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
