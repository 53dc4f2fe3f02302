"""The tables as the code has them. Databases that were made before the first release are given what they lack."""

from alembic import op

from rankgauge.labelling.campaign.tables import add_columns
from rankgauge.room.database import METADATAS

revision = "0008"
down_revision = None


def upgrade() -> None:
    """Make the tables, or add the columns and indexes that they lack."""
    for metadata in METADATAS:
        metadata.create_all(op.get_bind())
        add_columns(op.get_bind(), metadata)
