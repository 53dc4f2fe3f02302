"""Records are dataclasses for everybody who asks, and cost nothing at import."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import Any, ClassVar

import pytest

from rankgauge.records import entity, record, tuple_record


@record
class Point:
    """A record with a default, a factory, a field that does not count, and a class fact."""

    kind: ClassVar[str] = "point"
    x: float
    y: float = 0.0
    notes: list[str] = field(default_factory=list, compare=False)


@record
class Named(Point):
    """A record below another."""

    name: str = "p"


@entity
class Entity:
    """Equal to itself alone."""

    x: float = 0.0


@tuple_record
class Pair:
    """Its fields have places."""

    first: int
    second: int = 2


def test_a_record_is_a_dataclass() -> None:
    """Fields, replace, asdict, equality, hashes, copies and pickles are those of a frozen dataclass."""
    point = Named(x=1.0, name="q")
    assert [one.name for one in fields(point)] == ["x", "y", "notes", "name"]
    assert replace(point, y=2.0) == Named(x=1.0, y=2.0, name="q", notes=["does not count"]) != point
    assert asdict(point) == {"x": 1.0, "y": 0.0, "notes": [], "name": "q"}
    assert hash(point) == hash(Named(x=1.0, name="q"))
    assert pickle.loads(pickle.dumps(point)) == copy.deepcopy(point) == point
    assert repr(Point(x=1.0)) == "Point(x=1.0, y=0.0, notes=[])"
    assert Point(x=1.0).notes is not Point(x=1.0).notes


@pytest.mark.parametrize("given", [{}, {"x": 1.0, "z": 2.0}])
def test_wrong_fields_are_refused(given: dict[str, Any]) -> None:
    """A field without a value is an error, and so is one that there is not."""
    with pytest.raises(TypeError, match="keyword"):
        Point(**given)


def test_a_record_does_not_change() -> None:
    """A field is neither set nor deleted, and no value has a place unless the class says so."""
    point = Point(x=1.0)
    with pytest.raises(FrozenInstanceError):
        point.x = 2.0  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x
    with pytest.raises(TypeError):
        Point(1.0)  # type: ignore[call-arg, misc]
    assert Pair(1) == Pair(1, 2) == Pair(first=1)


def test_an_entity_is_equal_to_itself_alone() -> None:
    """Two that hold the same are two."""
    assert Entity() != Entity()
    assert len({Entity(), Entity()}) == 2
