"""The database brought up to date, step by step, whenever the room is opened."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, MetaData

from rankgauge.active.campaign import tables as campaign
from rankgauge.active.campaign.database import writing
from rankgauge.web.database import METADATA

__all__ = ["METADATAS", "migrate"]

METADATAS: tuple[MetaData, ...] = (campaign.metadata, METADATA)
"""What the steps lead to, all together."""

MIGRATIONS = Path(__file__).with_name("migrations")


def migrate(engine: Engine) -> None:
    """Takes the steps that the database has not taken yet; all of them, or none."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
