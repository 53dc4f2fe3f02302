"""Campaigns, and the people who judge in them.

A file that `rankgauge active plan` made has the tables of campaigns already; it is given the others.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """The tables of the first version."""
    if not sa.inspect(op.get_bind()).has_table("campaigns"):
        _campaigns()
        _work()
    _people()


def _of_campaign(*, key: bool = False) -> sa.Column[int]:
    return sa.Column("campaign", sa.Integer, sa.ForeignKey("campaigns.id"), primary_key=key, nullable=False)


def _campaigns() -> None:
    op.create_table(
        "campaigns",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("format", sa.Integer, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
    )
    op.create_table("pools", _of_campaign(key=True), sa.Column("content", sa.LargeBinary, nullable=False))
    op.create_table(
        "texts",
        _of_campaign(key=True),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("content", sa.Text, nullable=False),
    )
    op.create_table(
        "stages",
        _of_campaign(key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("beliefs", sa.LargeBinary),
        sa.Column("draws", sa.Integer),
    )
    op.create_table(
        "draws",
        _of_campaign(key=True),
        sa.Column("stage", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("query", sa.Integer, nullable=False),
    )


def _work() -> None:
    op.create_table(
        "tasks",
        sa.Column("id", NUMBER, primary_key=True),
        _of_campaign(),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("stage", sa.Integer, nullable=False),
        sa.Column("draw", sa.Integer, nullable=False),
        sa.Column("cost", sa.Double, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.UniqueConstraint("campaign", "place", name="one_task_per_document"),
    )
    op.create_table(
        "leases",
        sa.Column("id", NUMBER, primary_key=True),
        _of_campaign(),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("assessor", sa.String(200), nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
    )
    op.create_index("live_leases", "leases", ["campaign", "until"])
    op.create_table(
        "labels",
        sa.Column("id", NUMBER, primary_key=True),
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
        sa.Column("replaces", NUMBER),
        sa.UniqueConstraint("campaign", "key", name="one_label_per_key"),
    )
    op.create_index("new_labels", "labels", ["campaign", "id"])


def _people() -> None:
    op.create_table(
        "room",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("campaign", sa.Integer),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("revoked", sa.Double),
    )
    op.create_index("people_of_campaign", "people", ["campaign"])
    op.create_table(
        "links",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("person", sa.Integer, sa.ForeignKey("people.id"), nullable=False, index=True),
        sa.Column("once", sa.Boolean, nullable=False),
        sa.Column("expires", sa.Double, nullable=False),
        sa.Column("used", sa.Double),
    )
    op.create_table(
        "sessions",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("person", sa.Integer, sa.ForeignKey("people.id"), nullable=False, index=True),
        sa.Column("expires", sa.Double, nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False, unique=True),
        sa.Column("person", sa.Integer, sa.ForeignKey("people.id"), nullable=False, index=True),
        sa.Column("name", sa.String(120), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("revoked", sa.Double),
    )
    op.create_table(
        "rules",
        sa.Column("campaign", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("stop_at", sa.Double),
        sa.Column("guide", sa.Text, nullable=False),
    )
