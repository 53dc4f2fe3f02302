"""A room whose file was damaged does not open, or says in one error what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgauge.errors import RankGaugeError
from rankgauge.labelling.campaign.database import Location
from rankgauge.room.app import create_app
from rankgauge.room.settings import RoomSettings
from rankgauge.room.upkeep import copy
from tests.active.test_damage import damaged
from tests.web.house import House, open_house


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a room with a campaign."""
    folder = tmp_path_factory.mktemp("sound")
    with open_house(f"sqlite:///{folder / 'room.db'}") as house:
        house.campaign()
        copy(Location(folder / "room.db"), Location(folder / "copy.db"))
    return (folder / "copy.db").read_bytes()


def test_a_damaged_room(sound: bytes, tmp_path: Path) -> None:
    """Whatever is wrong with the file, `serve` opens the room or raises one of our errors."""
    refused: dict[int, str] = {}
    for n, content in enumerate(list(damaged(sound))[::6]):
        (tmp_path / f"{n}.db").write_bytes(content)
        try:
            opened = create_app(RoomSettings(database=f"sqlite:///{tmp_path / f'{n}.db'}"))
            opened.state.room.people.admin_link()
            opened.state.room.engine.dispose()
        except RankGaugeError as error:
            refused[n] = str(error)
    assert len(refused) > 3
    assert all(f"{n}.db" in words for n, words in refused.items())


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_damaged_upload(house: House, sound: bytes) -> None:
    """A damaged campaign that is uploaded is refused, and nothing of it is kept."""
    program = house.program()
    for n, content in enumerate(list(damaged(sound))[::12]):
        params = {"name": f"upload {n}", "filename": "campaign.rg"}
        answer = program.post("/api/v1/campaigns", params=params, content=content)
        assert answer.status_code in (201, 400), answer.text
