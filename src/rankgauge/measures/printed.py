"""What a tool prints of a measure: under which name, in which number format, and where."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.measures.base import Measure
from rankgauge.measures.numbers import NumberFormat, fixed

__all__ = ["Printed"]


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
