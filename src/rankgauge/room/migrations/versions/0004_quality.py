"""Gold questions, their answers, and people who get no more documents."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """The tables of gold questions."""
    op.create_table(
        "quality_rules",
        sa.Column("campaign", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("every", sa.Integer),
        sa.Column("within", sa.Integer, nullable=False),
        sa.Column("threshold", sa.Double, nullable=False),
        sa.Column("least", sa.Integer, nullable=False),
    )
    op.create_table(
        "gold_questions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("campaign", sa.Integer, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("grade", sa.Double),
        sa.Column("texts", sa.Text, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("author", sa.Integer),
        sa.Column("retired", sa.Double),
    )
    op.create_index("gold_of_campaign", "gold_questions", ["campaign"])
    _answers()


def _answers() -> None:
    op.create_table(
        "gold_answers",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("campaign", sa.Integer, nullable=False),
        sa.Column("question", sa.Integer, sa.ForeignKey("gold_questions.id"), nullable=False, index=True),
        sa.Column("person", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("handed", sa.Double, nullable=False),
        sa.Column("made", sa.Double),
        sa.Column("grade", sa.Double),
        sa.Column("comment", sa.Text),
        sa.Column("key", sa.String(200)),
        sa.UniqueConstraint("campaign", "key", name="one_gold_answer_per_key"),
    )
    op.create_index("gold_of_person", "gold_answers", ["campaign", "person"])
    op.create_table(
        "blocks",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("campaign", sa.Integer, nullable=False),
        sa.Column("person", sa.Integer, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("asked", sa.Integer, nullable=False),
        sa.Column("correct", sa.Integer, nullable=False),
        sa.Column("lifted", sa.Double),
        sa.Column("lifted_by", sa.Integer),
    )
    op.create_index("blocks_of_person", "blocks", ["campaign", "person"])
