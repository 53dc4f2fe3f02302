"""The lanes of the suite: each test is in one, by itself.

unit      computes in this process, at once                  make quick, make test
process   starts programs, runs pages, or computes for long  make test
service   needs a server, PostgreSQL, Spark or a browser     make test
study     covers by repetition: many seeds, many cases       make test-studies

A test or a module that is marked with a lane is in it. A test that repeats on Spark what it tries here is a study:
that both engines give the same, for every measure, is what `tests/backends` tests. Any other is in the lane of its
folder, or in a later one that what it uses asks for.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

LANES = ("unit", "process", "service", "study")

FOLDERS = {
    "active": "process",
    "audit": "process",
    "cli": "process",
    "datasets": "process",
    "docs": "process",
    "experiments": "process",
    "fuzz": "process",
    "integrations": "process",
    "judge_audit": "process",
    "judges": "process",
    "ltr": "process",
    "peers": "process",
    "pools": "process",
    "romip": "process",
    "backends": "service",
    "web": "service",
}
"""The folders beside those of units."""

FIXTURES = {"program": "process", "server": "service", "browser": "service", "house": "service"}
"""What starts something, and the lane of tests that ask for it."""

ROOT = Path(__file__).parent


def lane_of(item: pytest.Item) -> str:
    """Return the lane of a test."""
    if item.get_closest_marker("study"):
        return "study"
    wanted = {lane_of_path(item.path)} | {lane for lane in LANES[1:] if item.get_closest_marker(lane)}
    if needs_spark(item) and wanted != {"service"}:
        return "study"
    wanted |= {FIXTURES[name] for name in getattr(item, "fixturenames", ()) if name in FIXTURES}
    if "subprocess" in vars(getattr(item, "module", object)):
        wanted.add("process")
    return max(wanted, key=LANES.index)


@cache
def lane_of_path(path: Path) -> str:
    """The lane of a folder's tests, as far as the folder tells."""
    inside = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()
    return FOLDERS.get(inside[0], "unit") if inside else "unit"


def needs_spark(item: pytest.Item) -> bool:
    """Whether a test runs on Spark."""
    engine = getattr(item, "callspec", None) and item.callspec.params.get("evaluate")  # type: ignore[attr-defined]
    return engine == "spark" or "session" in getattr(item, "fixturenames", ())
