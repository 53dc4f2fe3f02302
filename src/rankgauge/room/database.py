"""The room's own tables (people, links, sessions, tokens), and what brings a database up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, Engine

from rankgauge.errors import InputError
from rankgauge.labelling.campaign import tables
from rankgauge.labelling.campaign.database import Location, connect, make_private, writing

METADATA = sa.MetaData()

METADATAS: tuple[sa.MetaData, ...] = (tables.metadata, tables.rules_metadata, METADATA)
"""All tables of a room's database: those of its campaigns and its own."""

MIGRATION = 60
"""How many seconds one process waits for another that migrates the same database."""

OLDEST = 5
"""The first step of before the first release; what such a database lacks is added."""

NO_ROOM = "Give --database as it was given to rankgauge serve."
"""What to do where there is no room."""


def migrate(engine: Engine) -> None:
    """Give the database the tables, columns and indexes that it lacks, in one transaction."""
    with writing(engine) as connection:
        if connection.dialect.name == "postgresql":  # a file of SQLite is locked already
            connection.exec_driver_sql(f"set local lock_timeout = '{MIGRATION}s'")
            connection.exec_driver_sql("select pg_advisory_xact_lock(7267)")  # any number that nobody else uses
        if is_up_to_date(connection):
            return
        for metadata in METADATAS:
            metadata.create_all(connection)
            tables.add_columns(connection, metadata)
        tables.VERSION.create(connection, checkfirst=True)
        connection.execute(sa.delete(tables.VERSION))
        connection.execute(sa.insert(tables.VERSION).values(version_num=f"{tables.SCHEMA:04}"))


def is_up_to_date(connection: Connection) -> bool:
    """Say whether the database has had every step; one that this version does not know is an error."""
    has_steps = sa.inspect(connection).has_table(tables.VERSION.name)
    version = connection.scalar(sa.select(tables.VERSION.c.version_num)) if has_steps else None
    newest = f"{tables.SCHEMA:04}"
    if version is not None and version not in {f"{step:04}" for step in range(OLDEST, tables.SCHEMA + 1)}:
        raise InputError(
            f"the database is of {'an earlier' if version < newest else 'a later'} version "
            f"({version}; this version knows {newest})",
            path=connection.engine.url.render_as_string(hide_password=True),
            hint="Install the RankGauge that made it.",
        )
    return version == newest


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


_CAMPAIGN_KEY = sa.Column("campaign", sa.Integer, primary_key=True, autoincrement=False)

HASH = sa.String(64)
"""A SHA-256 in hexadecimal digits: the database keeps hashes of secrets, never the secrets."""


def _table(title: str, key: sa.Column[Any] | None, /, *parts: sa.schema.SchemaItem, **columns: Any) -> sa.Table:
    """Make a table of columns by name and type, with a number as its key if no other is given.

    A column is always filled, unless its type is in a list; a foreign key has an index.
    """
    made = [sa.Column("id", sa.Integer, primary_key=True) if key is None else key._copy()]
    for name, kind in columns.items():
        (plain,), nullable = (kind, True) if isinstance(kind, list) else ([kind], False)
        made.append(sa.Column(name, plain, nullable=nullable, index=isinstance(plain, sa.ForeignKey)))
    # The numbers of drafts and their files are given once: what the files hold is remembered by them.
    return sa.Table(title, METADATA, *made, *parts, sqlite_autoincrement=title.startswith("draft"))


ROOM = _table("room", sa.Column("name", sa.String(64), primary_key=True), value=sa.Text)
"""Values of the room itself, such as the key that signs sessions."""

PEOPLE = _table(
    "people",
    None,
    sa.Index("people_of_campaign", "campaign"),
    sa.Index("ix_people_subject", "subject"),
    **{"name": sa.String(120), "role": sa.String(16), "campaign": [sa.Integer]},
    **{"created": sa.Double, "revoked": [sa.Double], "subject": [sa.String(400)]},
)
"""Everybody, known by their number: admins belong to the room, others to one campaign. Times are seconds since 1970.

Whoever signs in by single sign-on has a `subject`: the issuer, a blank, and the issuer's name for them."""

_HASH_KEY, _PERSON = sa.Column("hash", HASH, primary_key=True), "people.id"

LINKS = _table("links", _HASH_KEY, person=sa.ForeignKey(_PERSON), once=sa.Boolean, expires=sa.Double, used=[sa.Double])
"""Links that sign a person in: an admin's works once, another's until it expires or is revoked."""

SESSIONS = _table("sessions", _HASH_KEY, person=sa.ForeignKey(_PERSON), expires=sa.Double)

TOKENS = _table(
    "tokens",
    None,
    sa.UniqueConstraint("hash"),
    **{"hash": HASH, "person": sa.ForeignKey(_PERSON), "name": sa.String(120)},
    **{"created": sa.Double, "revoked": [sa.Double], "expires": [sa.Double]},
)
"""Tokens for programs: a request with a token acts as the token's owner, until it expires or is revoked."""

DRAFTS = _table("drafts", None, person=sa.ForeignKey(_PERSON), made=sa.Double, touched=sa.Double, settings=sa.Text)
"""Campaigns that somebody is about to make, with the settings chosen so far as JSON."""

DRAFT_FILES = _table(
    "draft_files",
    None,
    draft=sa.ForeignKey("drafts.id"),
    part=sa.String(16),
    name=sa.String(200),
    content=sa.LargeBinary,
)
"""The files of drafts: lists of runs, judges' grades, documents, earlier judgments."""

ARCHIVED = _table("archived", _CAMPAIGN_KEY, made=sa.Double)
"""The campaigns that are over: they are kept, and no longer shown among the others."""

CHANGES = _table(
    "changes",
    None,
    sa.Index("ix_changes_campaign", "campaign"),
    **{"campaign": sa.Integer, "number": [sa.Integer], "person": sa.String(120), "made": sa.Double},
    **{"what": sa.String(40), "before": sa.Text, "after": sa.Text},
)
"""What was changed in a campaign after it was made, by whom (their number, and their name then), from what to what."""

QUALITY_RULES = _table(
    "quality_rules", _CAMPAIGN_KEY, every=[sa.Integer], within=sa.Integer, threshold=sa.Double, least=sa.Integer
)
"""How often gold questions are asked in a campaign, and from which accuracy on an assessor gets no more documents."""

GOLD_QUESTIONS = _table(
    "gold_questions",
    None,
    sa.Index("gold_of_campaign", "campaign"),
    **{"campaign": sa.Integer, "query": sa.Text, "document": sa.Text, "grade": [sa.Double], "texts": sa.Text},
    **{"made": sa.Double, "author": [sa.Integer], "retired": [sa.Double]},
)
"""Documents with known grades; without one the right answer is that the document cannot be judged."""

GOLD_ANSWERS = _table(
    "gold_answers",
    None,
    sa.UniqueConstraint("campaign", "key", name="one_gold_answer_per_key"),
    sa.Index("gold_of_person", "campaign", "person"),
    **{
        "campaign": sa.Integer,
        "question": sa.ForeignKey("gold_questions.id"),
        "person": sa.Integer,
        "place": sa.Integer,
    },
    **{"handed": sa.Double, "made": [sa.Double], "grade": [sa.Double], "comment": [sa.Text], "key": [sa.String(200)]},
)
"""Gold questions that were handed to people, before which document of the pool (`place`), and the answers: the last one
counts. They are no labels, so that no estimate knows of them."""

BLOCKS = _table(
    "blocks",
    None,
    sa.Index("blocks_of_person", "campaign", "person"),
    **{"campaign": sa.Integer, "person": sa.Integer, "made": sa.Double, "asked": sa.Integer, "correct": sa.Integer},
    **{"lifted": [sa.Double], "lifted_by": [sa.Integer]},
)
"""People who get no more documents, since their answers to gold questions were wrong too often; until it is lifted."""


PAIR_RULES = _table("pair_rules", _CAMPAIGN_KEY, documents=sa.Integer)
"""Campaigns whose assessors compare documents two by two, and how many documents of each query."""

PAIR_ANSWERS = _table(
    "pair_answers",
    None,
    sa.Index("pairs_of_person", "campaign", "person"),
    **{"campaign": sa.Integer, "person": sa.Integer, "query": sa.Text, "first": sa.Text, "second": sa.Text},
    **{"better": [sa.Integer], "made": sa.Double},
)
"""Which of two documents is better, in the order in which they were shown: 1 the first, −1 the second, 0 neither; no
number if the person cannot say. A person's last answer about two documents replaces those before."""


def forget_campaign(connection: Connection, campaign: int) -> None:
    """Delete the rows of the room's own tables that belong to a campaign, and its people with what is theirs."""
    people = sa.select(PEOPLE.c.id).where(PEOPLE.c.campaign == campaign)
    files = sa.select(DRAFTS.c.id).where(DRAFTS.c.person.in_(people))
    connection.execute(sa.delete(DRAFT_FILES).where(DRAFT_FILES.c.draft.in_(files)))
    for table in reversed(METADATA.sorted_tables):
        if "campaign" in table.c:
            connection.execute(sa.delete(table).where(table.c.campaign == campaign))
        elif "person" in table.c:
            connection.execute(sa.delete(table).where(table.c.person.in_(people)))
