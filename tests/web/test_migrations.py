"""The database's steps lead to the tables that the code knows."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from rankgauge.errors import InputError
from rankgauge.labelling.campaign import LabelCampaign
from rankgauge.labelling.campaign import tables as campaigns
from rankgauge.room.database import METADATAS, PEOPLE, migrate


def test_the_steps_lead_to_the_tables(engine: sa.Engine) -> None:
    """After every step there is no difference between the database and the tables in the code."""
    migrate(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"target_metadata": METADATAS})
        tables = sa.MetaData()
        for metadata in METADATAS:
            for table in metadata.sorted_tables:
                table.to_metadata(tables)
        assert [step for step in compare_metadata(context, tables) if "alembic_version" not in str(step)] == []


def test_a_second_start_changes_nothing(engine: sa.Engine) -> None:
    """What is up to date stays as it is, with what it holds."""
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(sa.insert(PEOPLE).values(name="ann", role="admin", created=0.0))
    migrate(engine)
    with engine.connect() as connection:
        assert list(connection.scalars(sa.select(PEOPLE.c.name))) == ["ann"]


def test_a_campaigns_file_becomes_a_room(engine: sa.Engine) -> None:
    """A database that the command line made is given what it lacks, and keeps its campaigns."""
    campaigns.metadata.create_all(engine)
    row = {"name": "news", "format": 1, "made": 0.0, "paused": False, "settings": "{}"}
    with engine.begin() as connection:
        connection.execute(sa.insert(campaigns.campaigns).values(**row))
    migrate(engine)
    with engine.connect() as connection:
        assert list(connection.scalars(sa.select(campaigns.campaigns.c.name))) == ["news"]
        assert sa.inspect(connection).has_table("people")


def test_a_room_of_today_is_given_what_it_lacks(engine: sa.Engine, database: str) -> None:
    """A database of before the first release keeps its rows; until it is opened, the command line says what to do."""
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(sa.insert(PEOPLE).values(name="ann", role="admin", created=0.0))
        connection.exec_driver_sql("drop index ix_people_subject")
        connection.exec_driver_sql("alter table people drop column subject")
        connection.exec_driver_sql("update alembic_version set version_num = '0005'")
    with pytest.raises(InputError, match=r"earlier version \(0005\)\n  Open the room once"):
        LabelCampaign.open(f"{database}#news")
    migrate(engine)
    with engine.connect() as connection:
        assert connection.execute(sa.select(PEOPLE.c.name, PEOPLE.c.subject)).all() == [("ann", None)]
