"""The lanes of the suite: every test is in one, and the page for contributors says which."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lanes import FOLDERS, LANES, ROOT, lane_of, lane_of_path


def test_folders_are_there_and_named() -> None:
    """Each folder with a lane of its own exists, and so does its name on the page."""
    page = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for folder, lane in FOLDERS.items():
        assert (ROOT / folder).is_dir()
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {lane} |")]
        assert f"`tests/{folder}`" in row
    assert all(f"\n| {lane} |" in page for lane in LANES)


@pytest.mark.parametrize(
    ("path", "lane"),
    [
        ("measures/test_x.py", "unit"),
        ("test_x.py", "unit"),
        ("cli/test_x.py", "process"),
        ("web/a/test_x.py", "service"),
    ],
)
def test_a_folder_has_a_lane(path: str, lane: str) -> None:
    """A new file is in the lane of its folder, however deep it lies."""
    assert lane_of_path(ROOT / path) == lane
    assert lane_of_path(Path("/elsewhere") / path) == "unit"


def test_this_test_is_a_unit(request: pytest.FixtureRequest) -> None:
    """What computes only is a unit, until it is marked."""
    assert lane_of(request.node) == "unit"
    assert request.node.get_closest_marker("unit") is not None
    request.node.add_marker("study")
    assert lane_of(request.node) == "study"


def test_a_mark_moves_a_test_to_a_later_lane(request: pytest.FixtureRequest) -> None:
    """A module that computes for long says so by a mark."""
    request.node.add_marker("process")
    assert lane_of(request.node) == "process"


def test_what_a_test_uses_decides(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that starts programs, and a fixture that starts a server, take a test to a later lane."""
    monkeypatch.setattr(request.module, "subprocess", None, raising=False)
    assert lane_of(request.node) == "process"
    monkeypatch.setattr(request.node, "fixturenames", ["house"])
    assert lane_of(request.node) == "service"
