"""The tables of a campaign, the same in a file of SQLite and on a server's database.

Labels, tasks and leases are never deleted: a correction is a new label, and the one that it replaces stays. Arrays that
are read as a whole (the pool, refitted beliefs) are stored as Parquet, settings as JSON.

Files of earlier versions are given the columns and indexes that campaigns have got since; a column that is added may be
empty, or has a default. A judging room has tables of its own beside these, and brings all of them up to date.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.schema import CreateColumn

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.database import reading, writing

SCHEMA = 8
"""The number of the judging room's last migration, which these tables are as new as."""

FORMAT = 2
"""The version of this layout; a campaign of a later version is refused.

In version 1 the top of the grading scale was 4 where the dialect named none; since then it is the pool's. Intervals of
version 1 do not widen where they rest on few queries.
"""

metadata = sa.MetaData()

# SQLite numbers rows by itself only in a column of the type INTEGER.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _of_campaign(*, key: bool = False) -> sa.Column[int]:
    return sa.Column("campaign", sa.Integer, sa.ForeignKey("campaigns.id"), primary_key=key, nullable=False)


campaigns = sa.Table(
    "campaigns",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False, unique=True),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("paused", sa.Boolean, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sqlite_autoincrement=True,  # the number of a deleted campaign is never given again: processes keep pools by it
)
pools = sa.Table("pools", metadata, _of_campaign(key=True), sa.Column("content", sa.LargeBinary, nullable=False))
texts = sa.Table(
    "texts",
    metadata,
    _of_campaign(key=True),
    sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("content", sa.Text, nullable=False),
)
"""What an assessor reads of a document, as a JSON object: title, text, url."""

stages = sa.Table(
    "stages",
    metadata,
    _of_campaign(key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("beliefs", sa.LargeBinary),
    sa.Column("draws", sa.Integer),
)
"""The stages, with the beliefs that they were refitted to; `draws` is how many draws count once a stage is over."""

draws = sa.Table(
    "draws",
    metadata,
    _of_campaign(key=True),
    sa.Column("stage", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("query", sa.Integer, nullable=False),
)
"""The draws that were begun. The seed gives the same ones again; they are stored so that a change is noticed."""

tasks = sa.Table(
    "tasks",
    metadata,
    sa.Column("id", _NUMBER, primary_key=True),
    _of_campaign(),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("stage", sa.Integer, nullable=False),
    sa.Column("draw", sa.Integer, nullable=False),
    sa.Column("cost", sa.Double, nullable=False),
    sa.Column("made", sa.Double, nullable=False),
    sa.UniqueConstraint("campaign", "place", name="one_task_per_document"),
)
"""The documents that draws asked for, each once, with their costs."""

leases = sa.Table(
    "leases",
    metadata,
    sa.Column("id", _NUMBER, primary_key=True),
    _of_campaign(),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("assessor", sa.String(200), nullable=False),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("until", sa.Double, nullable=False),
    sa.Column("person", sa.Integer),
    sa.Index("live_leases", "campaign", "until"),
    sa.Index("leases_of_document", "campaign", "place"),
)
"""Which assessor has which document to judge, and until when it is reserved; `person` as with labels."""

labels = sa.Table(
    "labels",
    metadata,
    sa.Column("id", _NUMBER, primary_key=True),
    _of_campaign(),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("document", sa.Text, nullable=False),
    sa.Column("assessor", sa.String(200), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("grade", sa.Double),
    sa.Column("comment", sa.Text),
    sa.Column("key", sa.String(200)),
    sa.Column("made", sa.Double, nullable=False),
    sa.Column("replaces", _NUMBER),
    sa.Column("person", sa.Integer),
    sa.Column("sender", sa.Integer),
    sa.Column("origin", sa.String(20), nullable=False, server_default="unknown"),
    sa.UniqueConstraint("campaign", "key", name="one_label_per_key"),
    sa.Index("new_labels", "campaign", "id"),
)
"""Every label that came in; an assessor's last label of a document counts.

`assessor` is a name, and `person` the number of somebody in the judging room's table of people, who is known by it
alone. Who has no number is known by the name. `sender` is the person who sent the label, perhaps in another's name.
"""

rules_metadata = sa.MetaData()
"""Apart from the campaign's own tables: a judging room's database has rules, and the file of a campaign that was made
there and has a stopping rule."""

rules = sa.Table(
    "rules",
    rules_metadata,
    sa.Column("campaign", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("stop_at", sa.Double),
    sa.Column("guide", sa.Text, nullable=False),
)
"""The stopping rule of a campaign, and the guidelines as JSON."""

VERSION = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))
"""Where a judging room keeps the number of its last migration."""


def upgrade(engine: Engine) -> None:
    """Add what the campaigns of an earlier version lack; a room's database that is too old or too new is an error."""
    with reading(engine) as connection:
        if sa.inspect(connection).has_table(VERSION.name):
            _check_room(connection)
            return
        lacking = _lacks(connection, metadata)
    if lacking:
        with writing(engine) as connection:
            metadata.create_all(connection)
            add_columns(connection, metadata)


def add_columns(connection: Connection, wanted: sa.MetaData) -> None:
    """Add the columns and indexes that the tables lack."""
    quoted = connection.dialect.identifier_preparer.format_table
    for table, column in _lacks(connection, wanted):
        added = CreateColumn(column).compile(dialect=connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {quoted(table)} ADD COLUMN {added}")
    for table in wanted.sorted_tables:
        known = {index["name"] for index in sa.inspect(connection).get_indexes(table.name)}
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            if index.name not in known:
                index.create(connection)


def _lacks(connection: Connection, wanted: sa.MetaData) -> list[tuple[sa.Table, sa.Column[object]]]:
    inspector = sa.inspect(connection)
    known = {
        table: {column["name"] for column in inspector.get_columns(table.name)}
        for table in wanted.sorted_tables
        if inspector.has_table(table.name)
    }
    return [(table, column) for table, names in known.items() for column in table.columns if column.name not in names]


def _check_room(connection: Connection) -> None:
    number = str(connection.execute(sa.select(VERSION.c.version_num)).scalar() or "0")
    if not number.isdecimal() or int(number) > SCHEMA:
        raise InputError(
            f"the database is of a later version ({number}; this version knows {SCHEMA:04})",
            hint="Install a newer RankGauge.",
        )
    if int(number) < SCHEMA:
        raise InputError(
            f"the judging room's database is of an earlier version ({number})",
            hint="Open the room once with this version: rankgauge serve --database URL.",
        )
