"""What a tool prints of a measure: its label, its number format to the last digit, and where."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import cache, cached_property
from typing import TYPE_CHECKING

from rankgauge.records import record

if TYPE_CHECKING:
    from rankgauge.measures.measure import Measure


@record
class NumberFormat:
    """How a number is written; `words` says it."""

    words: str
    write: Callable[[float], str]

    def __call__(self, value: float) -> str:
        """Return the number as text."""
        return self.write(value)


@cache
def fixed(decimals: int) -> NumberFormat:
    """Write that many decimals, as C's and Perl's %.4f."""
    return NumberFormat(words=f"{decimals} decimals", write=lambda value: f"{value:.{decimals}f}")


@cache
def significant(digits: int) -> NumberFormat:
    """Write that many significant digits without final zeros, as C's %.15g; Perl prints every number so."""
    return NumberFormat(words=f"{digits} significant digits", write=lambda value: f"{value:.{digits}g}")


@cache
def java_rounded(decimals: int) -> NumberFormat:
    """Round to that many decimals, halves up, then write the number as Java writes a double."""
    unit = 10.0**decimals
    return NumberFormat(
        words=f"at most {decimals} decimals, halves rounded up",
        write=lambda value: _java(math.floor(value * unit + 0.5) / unit),
    )


@cache
def python_rounded(decimals: int) -> NumberFormat:
    """Round to that many decimals, then write the number as Python writes a float: round(value, 5)."""
    return NumberFormat(words=f"at most {decimals} decimals", write=lambda value: repr(round(value, decimals)))


FULL = NumberFormat(words="every digit that the number needs", write=repr)
"""The shortest text that reads back to the same double, as Python prints it."""


def _java(value: float) -> str:
    """Write as Java's Double.toString: powers of ten below a thousandth and from ten millions on."""
    if value == 0 or 1e-3 <= abs(value) < 1e7 or not math.isfinite(value):
        return repr(value)
    sign, digits, _ = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    return f"{'-' * sign}{first}.{''.join(rest) or '0'}E{Decimal(repr(value)).adjusted()}"


@record
class Printed:
    """A measure under the name that a tool prints, in the tool's number format."""

    name: str
    measure: Measure
    number: NumberFormat = fixed(4)
    per_query: bool = True
    overall: bool = True
    nothing: str = "nan"
    """What is printed for a mean over no queries."""
    rest: tuple[Measure, ...] = ()
    """Measures whose values continue the text: a long relevance string takes more than one number."""


class Listed:
    """What a tool prints, made on first use: trec_eval's long list would load every measure."""

    def __init__(self, make: Callable[[], Iterable[Printed]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[Printed, ...]:
        return tuple(self._make())

    def __iter__(self) -> Iterator[Printed]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def measures_of(printed: Iterable[Printed]) -> tuple[Measure, ...]:
    """Return the measures that are printed, each once."""
    return tuple(dict.fromkeys(measure for entry in printed for measure in (entry.measure, *entry.rest)))
