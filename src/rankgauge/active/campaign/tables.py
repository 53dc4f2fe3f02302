"""The tables of a campaign, the same in a file of SQLite and on a server's database.

Labels, tasks and leases are only ever added: a correction is a new label, and the label that it replaces stays. Numbers
that a program reads as a whole (the pool, refitted beliefs) are Parquet; settings are JSON.
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

__all__ = ["FORMAT", "campaigns", "draws", "labels", "leases", "metadata", "pools", "stages", "tasks", "texts"]

FORMAT = 1
"""The version of this layout; a campaign of a later one is refused, not misread."""

metadata = MetaData()

# SQLite counts by itself only in a column that is called INTEGER.
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
"""What an assessor reads of a document, as a JSON object: title, text, url, and whatever else the pool has."""

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
"""Each stage with the beliefs that it was refitted to; `draws` is how many of its draws count once it is over."""

draws = Table(
    "draws",
    metadata,
    _of_campaign(key=True),
    Column("stage", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("query", Integer, nullable=False),
)
"""The draws that were begun. The seed gives them again; they stand here so that a change of the sequence shows."""

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
"""The documents that a draw asked for, each once, with what it takes from the budget."""

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
"""Who was given which document to judge, and until when nobody else gets it."""

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
"""Every label that ever came in; of one assessor and document the last one counts."""
