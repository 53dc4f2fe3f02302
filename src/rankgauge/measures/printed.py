"""What a tool prints of a measure: under which name, in which number format, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from rankgauge.measures.measure import Measure
from rankgauge.measures.numbers import NumberFormat, fixed

__all__ = ["Listed", "Printed"]


@dataclass(frozen=True, kw_only=True)
class Printed:
    """A measure under the name that a tool prints, in the tool's number format."""

    name: str
    measure: Measure
    number: NumberFormat = fixed(4)
    per_query: bool = True
    overall: bool = True
    nothing: str = "nan"
    """What stands in place of a mean over no queries."""
    rest: tuple[Measure, ...] = ()
    """Measures that print on in the same place: a long relevance string takes more than one number."""


class Listed:
    """What a tool prints, made when it is first looked at: trec_eval's long list would load every measure there is."""

    def __init__(self, make: Callable[[], Iterable[Printed]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[Printed, ...]:
        return tuple(self._make())

    def __iter__(self) -> Iterator[Printed]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)
