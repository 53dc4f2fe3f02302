"""Numbers of deleted campaigns and drafts are not given again.

Processes keep pools in memory by these numbers. SQLite gave the number of the last row again once it was deleted, and
another process then served the pool of the campaign before.
"""

import sqlalchemy as sa

from rankgauge.room.migrations.steps import number_anew

revision = "0005"
down_revision = "0004"

METADATA = sa.MetaData()

TABLES = (
    sa.Table(
        "campaigns",
        METADATA,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("format", sa.Integer, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("paused", sa.Boolean, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    ),
    sa.Table(
        "drafts",
        METADATA,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("person", sa.Integer, sa.ForeignKey("people.id"), nullable=False, index=True),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("touched", sa.Double, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    ),
    sa.Table(
        "draft_files",
        METADATA,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("draft", sa.Integer, sa.ForeignKey("drafts.id"), nullable=False, index=True),
        sa.Column("part", sa.String(16), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    ),
)


def upgrade() -> None:
    """The tables whose numbers are used once."""
    sa.Table("people", METADATA, sa.Column("id", sa.Integer, primary_key=True))  # which drafts refer to
    for table in TABLES:
        number_anew(table)
