"""Numbers as people read them: four decimals, counts without, and a real minus sign."""

from __future__ import annotations

import math
from collections.abc import Callable

from rankgauge.measures import Measure
from rankgauge.measures.output import fixed


def number(value: float) -> str:
    """Return four decimals; a count has none, and what is not defined is a dash."""
    if not math.isfinite(value):
        return "–" if math.isnan(value) else f"{value:g}"
    whole = abs(value) > 1 and value == round(value)
    return f"{value:.0f}" if whole else f"{value:.4f}"


def decimal(value: float, decimals: int = 4) -> str:
    """So many decimals, also of a whole number; a dash where it is not defined."""
    return "–" if math.isnan(value) else _minus(f"{value:.{decimals}f}")


def fitting_decimals(half_width: float) -> int:
    """Return how many decimals a value bears whose interval is this wide: two, or more where it is narrower."""
    return 2 if not half_width < 0.02 else 3 if half_width >= 0.002 else 4


def shortest(value: float) -> str:
    """Return the fewest digits that give the same double again, for programs: 0.3, 0.00001, 1.5e-7, NaN."""
    if math.isnan(value):
        return "NaN"
    mantissa, _, exponent = repr(value).partition("e")
    if exponent == "-05":
        sign = "-" if value < 0 else ""
        return f"{sign}0.0000{mantissa.replace('.', '').lstrip('-')}"
    return f"{mantissa}e{int(exponent):+d}" if exponent else mantissa


def value(measure: Measure, number: float) -> str:
    """Return a measure's value as the measure itself prints it; a dash where it is not defined."""
    if math.isnan(number):
        return "–"
    text = measure.text(number, fixed(4))
    return _minus(text) if number < 0 else text  # in a relevance string a stroke is no sign


def interval(low: float, high: float, write: Callable[[float], str] = number) -> str:
    """Return the two ends in brackets; a dash where there is none."""
    return "–" if math.isnan(low) or math.isnan(high) else _minus(f"[{write(low)}, {write(high)}]")


def with_sign(difference: float, decimals: int = 4) -> str:
    """Return a difference with its sign."""
    if math.isnan(difference):
        return "–"
    return _minus(f"{difference:+.{decimals}f}").replace("inf", "∞")


def p_value(p: float) -> str:
    """Write four decimals, or <0.0001."""
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def thousands(count: float) -> str:
    """Write a count with commas, rounded to a whole number; a dash where it is not finite."""
    return f"{count:,.0f}" if math.isfinite(count) else "–"


def general(value: float) -> str:
    """Write a number with as few digits as it needs, at most six."""
    return f"{value:g}"


def percent(part: float) -> str:
    """Write a share of 1 in per cent; a dash where it is not defined."""
    return "–" if math.isnan(part) else share(part, 1)


def share(part: float, whole: float) -> str:
    """Return a part of a whole in per cent."""
    return f"{100 * part / whole:.0f} %" if whole else "0 %"


def amount(cost: float) -> str:
    """Return a cost with at most one decimal."""
    return f"{cost:,.1f}".removesuffix(".0")


def count(n: int, one: str, many: str | None = None) -> str:
    """Return a number of things, in words: 1 label, 2 labels."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _minus(text: str) -> str:
    return text.replace("-", "−")
