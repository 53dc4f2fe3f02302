"""The tables of a campaign, the same in a file of SQLite and on a server's database.

Labels, tasks and leases are never deleted: a correction is a new label, and the one that it replaces stays. Arrays that
are read as a whole (the pool, refitted beliefs) are stored as Parquet, settings as JSON.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

FORMAT = 1
"""The version of this layout; a campaign of a later version is refused."""

metadata = MetaData()

# SQLite numbers rows by itself only in a column of the type INTEGER.
_NUMBER = BigInteger().with_variant(Integer(), "sqlite")


def _of_campaign(*, key: bool = False) -> Column[int]:
    return Column("campaign", Integer, ForeignKey("campaigns.id"), primary_key=key, nullable=False)


campaigns = Table(
    "campaigns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("format", Integer, nullable=False),
    Column("made", Double, nullable=False),
    Column("paused", Boolean, nullable=False),
    Column("settings", Text, nullable=False),
)
pools = Table("pools", metadata, _of_campaign(key=True), Column("content", LargeBinary, nullable=False))
texts = Table(
    "texts",
    metadata,
    _of_campaign(key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("content", Text, nullable=False),
)
"""What an assessor reads of a document, as a JSON object: title, text, url."""

stages = Table(
    "stages",
    metadata,
    _of_campaign(key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("made", Double, nullable=False),
    Column("settings", Text, nullable=False),
    Column("beliefs", LargeBinary),
    Column("draws", Integer),
)
"""The stages, with the beliefs that they were refitted to; `draws` is how many draws count once a stage is over."""

draws = Table(
    "draws",
    metadata,
    _of_campaign(key=True),
    Column("stage", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("query", Integer, nullable=False),
)
"""The draws that were begun. The seed gives the same ones again; they are stored so that a change is noticed."""

tasks = Table(
    "tasks",
    metadata,
    Column("id", _NUMBER, primary_key=True),
    _of_campaign(),
    Column("place", Integer, nullable=False),
    Column("stage", Integer, nullable=False),
    Column("draw", Integer, nullable=False),
    Column("cost", Double, nullable=False),
    Column("made", Double, nullable=False),
    UniqueConstraint("campaign", "place", name="one_task_per_document"),
)
"""The documents that draws asked for, each once, with their costs."""

leases = Table(
    "leases",
    metadata,
    Column("id", _NUMBER, primary_key=True),
    _of_campaign(),
    Column("place", Integer, nullable=False),
    Column("assessor", String(200), nullable=False),
    Column("made", Double, nullable=False),
    Column("until", Double, nullable=False),
    Index("live_leases", "campaign", "until"),
)
"""Which assessor has which document to judge, and until when it is reserved."""

labels = Table(
    "labels",
    metadata,
    Column("id", _NUMBER, primary_key=True),
    _of_campaign(),
    Column("place", Integer, nullable=False),
    Column("query", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("assessor", String(200), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("grade", Double),
    Column("comment", Text),
    Column("key", String(200)),
    Column("made", Double, nullable=False),
    Column("replaces", _NUMBER),
    UniqueConstraint("campaign", "key", name="one_label_per_key"),
    Index("new_labels", "campaign", "id"),
)
"""Every label that came in; an assessor's last label of a document counts."""
