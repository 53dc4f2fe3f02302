"""Drafts of campaigns, archived campaigns, and what was changed in campaigns after they were made."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """The tables that pages for making and managing campaigns need."""
    op.create_table(
        "drafts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("person", sa.Integer, sa.ForeignKey("people.id"), nullable=False, index=True),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("touched", sa.Double, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
    )
    op.create_table(
        "draft_files",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("draft", sa.Integer, sa.ForeignKey("drafts.id"), nullable=False, index=True),
        sa.Column("part", sa.String(16), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "archived",
        sa.Column("campaign", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("made", sa.Double, nullable=False),
    )
    op.create_table(
        "changes",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("campaign", sa.Integer, nullable=False, index=True),
        sa.Column("person", sa.String(120), nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("what", sa.String(40), nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
    )
