"""A copy of the whole database."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, inspect

from rankgauge.errors import InputError, UnavailableError, UnknownNameError
from rankgauge.labelling.campaign.database import Location, connect
from rankgauge.room import upkeep
from rankgauge.room.app import create_app
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


def test_what_is_copied_stays_as_it_is(database: str, tmp_path: Path) -> None:
    """A room of an earlier version, whose process may be running, is not brought up to date by whoever copies it: a
    file is read as a copy, a server's database is refused in words."""
    with open_house(database) as house:
        house.campaign()
    engine = create_engine(Location(database).url)
    with engine.begin() as connection:
        connection.exec_driver_sql("drop table pair_answers")
        connection.exec_driver_sql("update alembic_version set version_num = '0006'")
    for task in (["check"], ["backup", str(tmp_path / "copy.db")]):
        if engine.dialect.name == "sqlite":
            assert do(database, *task).startswith("1 campaign, 0 labels")
        else:
            with pytest.raises(InputError, match=r"earlier version\n  Open the room once"):
                do(database, *task)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("select version_num from alembic_version").scalar() == "0006"
        assert not inspect(connection).has_table("pair_answers")
    engine.dispose()


def test_what_is_no_room_stays_as_it_is(engine: Engine, database: str, tmp_path: Path) -> None:
    """Another program's database is no room, and is given no tables."""
    with engine.begin() as connection:
        connection.exec_driver_sql("create table shop (price integer)")
    for task in (["check"], ["backup", str(tmp_path / "copy.db")]):
        with pytest.raises(InputError, match="no judging room"):
            do(database, *task)
    assert inspect(engine).get_table_names() == ["shop"]
    with pytest.raises(InputError, match=r"none\.db: there is no judging room"):
        do(f"sqlite:///{tmp_path / 'new.db'}", "restore", str(tmp_path / "none.db"))
    assert not (tmp_path / "copy.db").exists()


def test_a_copy_that_may_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A backup on a disk that nobody may write to is checked and restored; SQLite does not open it there."""
    source = tmp_path / "kept" / "monday.db"
    source.parent.mkdir()
    with open_house(f"sqlite:///{source}") as house:
        house.campaign()
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).startswith(str(source.parent)))
    places: list[Path | None] = []
    real = upkeep.open_engine
    monkeypatch.setattr(upkeep, "open_engine", lambda place, **more: places.append(place.path) or real(place, **more))
    assert do(str(source), "check").startswith("1 campaign")
    do(f"sqlite:///{tmp_path / 'new.db'}", "restore", str(source))
    assert source not in places
    assert len(places) == 3


def test_the_damaged_file_is_named(tmp_path: Path) -> None:
    """Where pages of the source cannot be read, the error is about the source, not about the copy."""
    source = tmp_path / "room.db"
    with open_house(f"sqlite:///{source}") as house:
        house.campaign()
    with closing(sqlite3.connect(source)) as connection:
        (page,) = connection.execute("select rootpage from sqlite_master where name = 'texts'").fetchone()
        (size,) = connection.execute("pragma page_size").fetchone()
    content = source.read_bytes()
    source.write_bytes(content[: (page - 1) * size] + b"\xaa" * size + content[page * size :])
    with pytest.raises(UnavailableError, match=rf"^{source}: the database is damaged"):
        do(f"sqlite:///{source}", "backup", str(tmp_path / "copy.db"))
    assert not (tmp_path / "copy.db").exists()


def test_where_no_copy_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that does not exist, or that the room's user may not write to, is an error in words."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as house:
        house.campaign()
    with pytest.raises(InputError, match="no database can be made here: no such file or directory"):
        do(f"sqlite:///{tmp_path / 'room.db'}", "backup", str(tmp_path / "nowhere" / "copy.db"))
    with pytest.raises(InputError, match="no database can be made here: it is a folder"):
        create_app(RoomSettings(database=f"sqlite:///{tmp_path}"))
    real = os.open

    def refuse(path: object, flags: int, *more: Any, **named: Any) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)
    looked = os.stat

    def see(path: object, **more: Any) -> os.stat_result:
        if "another" in str(path):
            raise PermissionError(13, "Permission denied", str(path))  # as in a folder that may not be entered
        return looked(path, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", see)
    with pytest.raises(InputError, match="no database can be made here: permission denied"):
        create_app(RoomSettings(database=f"sqlite:///{tmp_path / 'another.db'}"))
    with pytest.raises(InputError, match="no judging room"):
        do(f"sqlite:///{tmp_path / 'another.db'}", "check")


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
