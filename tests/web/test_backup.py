"""A copy of the whole database."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.database import Location, connect
from rankgauge.room.backup import copy
from rankgauge.room.database import migrate
from rankgauge.room.people import People
from rankgauge.room.settings import RoomSettings


@pytest.fixture
def people(engine: Engine) -> People:
    migrate(engine)
    return People(engine, RoomSettings())


def emptied(engine: Engine) -> None:
    """Leaves a server's database without rows, and of a file nothing."""
    if engine.dialect.name == "sqlite":
        engine.dispose()
        Path(str(engine.url.database)).unlink()
        return
    with engine.begin() as connection:
        connection.exec_driver_sql("truncate draft_files, drafts, sessions, tokens, links, people, room")


def test_a_copy_holds_everything(people: People, database: str, tmp_path: Path) -> None:
    """Whoever had a link before has one in the copy, and those who come later are numbered after them."""
    ann, link = people.invite(1, "ann")
    secret = people.signing_key()
    counts = copy(Location(database), Location(tmp_path / "copy.db"))
    assert counts["people"] == 1
    opened = connect(Location(tmp_path / "copy.db"), existing=True)
    copied = People(opened, RoomSettings())
    assert copied.by_link(link) == ann
    assert copied.signing_key() == secret
    assert copied.invite(1, "bob")[0].id > ann.id
    opened.dispose()


def test_a_copy_goes_back_to_a_server(people: People, database: str, tmp_path: Path) -> None:
    """A file is copied into an empty database and numbers go on there; one that is not empty is refused."""
    ann, link = people.invite(1, "ann")
    copy(Location(database), Location(tmp_path / "copy.db"))
    with pytest.raises(InputError, match=r"is not empty|exists already"):
        copy(Location(tmp_path / "copy.db"), Location(database))
    emptied(people._engine)
    copy(Location(tmp_path / "copy.db"), Location(database))
    assert people.by_link(link) == ann
    assert people.invite(1, "bob")[0].id > ann.id


def test_a_failed_copy_leaves_nothing(tmp_path: Path) -> None:
    """Where the source is none, there is no file afterwards, not even half of one."""
    (tmp_path / "none.db").write_bytes(b"this is no database, only a text of some length" * 100)
    with pytest.raises(InputError, match="not a campaign"):
        copy(Location(tmp_path / "none.db"), Location(tmp_path / "copy.db"))
    assert [path.name for path in tmp_path.iterdir()] == ["none.db"]


def test_a_copy_is_an_ordinary_file(people: People, database: str, tmp_path: Path) -> None:
    """Any program that reads SQLite reads the copy."""
    people.invite(1, "ann")
    copy(Location(database), Location(tmp_path / "copy.db"))
    plain = create_engine(f"sqlite:///{tmp_path / 'copy.db'}")
    with plain.connect() as connection:
        assert connection.exec_driver_sql("select name from people").scalar() == "ann"
    plain.dispose()
