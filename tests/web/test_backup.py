"""A copy of the whole database."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.labelling.campaign.database import Location, connect
from rankgauge.room.database import migrate
from rankgauge.room.people import People
from rankgauge.room.settings import RoomSettings
from rankgauge.room.upkeep import copy, do
from tests.web.house import open_house


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


def test_backup_restore_and_check(database: str, tmp_path: Path) -> None:
    """What was backed up comes back as a database of its own, and all of each can be read."""
    with open_house(database) as house:
        number = house.campaign()
        (task,) = house.program().post(f"/api/v1/campaigns/{number}/tasks").json()
        label = {"query": task["query"], "document": task["document"], "grade": 1}
        house.program().post(f"/api/v1/campaigns/{number}/labels", json={"labels": [label]})
        assert do(database, "backup", str(tmp_path / "monday.db")).startswith("1 campaign, 1 label, ")
    restored = f"sqlite:///{tmp_path / 'new.db'}"
    do(restored, "restore", str(tmp_path / "monday.db"))
    for place in (database, restored, str(tmp_path / "monday.db")):
        assert do(place, "check").startswith("1 campaign, 1 label, ")
    with open_house(restored) as house:
        assert house.program().get(f"/api/v1/campaigns/{number}").json()["progress"]["labels"] == 1
    with pytest.raises(InputError, match=r"not empty|exists already"):
        do(restored, "restore", str(tmp_path / "monday.db"))


def test_what_check_finds(tmp_path: Path) -> None:
    """A damaged file and a file that is no room are errors in words; a task that does not exist is told the nearest."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as house:
        house.campaign()
    content = (tmp_path / "room.db").read_bytes()
    (tmp_path / "room.db").write_bytes(content[:8192] + b"\xaa" * 8192 + content[16384:])
    with pytest.raises(InputError):
        do(f"sqlite:///{tmp_path / 'room.db'}", "check")
    with pytest.raises(InputError, match="backup takes 1 file"):
        do("sqlite:///room.db", "backup")
    with pytest.raises(UnknownNameError, match="check"):
        do("sqlite:///room.db", "chek")
