"""Numbers as a reader wants them: four decimals, counts without."""

from __future__ import annotations

import math

from rankgauge.measures import Measure
from rankgauge.measures.output import fixed

__all__ = ["interval", "number", "share", "value"]


def number(value: float) -> str:
    """Four decimals; a count has none, and what is not defined is a dash."""
    if not math.isfinite(value):
        return "–" if math.isnan(value) else f"{value:g}"
    whole = abs(value) > 1 and value == round(value)
    return f"{value:.0f}" if whole else f"{value:.4f}"


def value(measure: Measure, amount: float) -> str:
    """A measure's value as the measure itself prints it; a dash where it is not defined."""
    if math.isnan(amount):
        return "–"
    text = measure.text(amount, fixed(4))
    return _signed(text) if amount < 0 else text  # in a relevance string a stroke is no sign


def interval(low: float, high: float) -> str:
    """The two ends in brackets; a dash where there is none."""
    return "–" if math.isnan(low) or math.isnan(high) else _signed(f"[{number(low)}, {number(high)}]")


def share(part: float, whole: float) -> str:
    """A part of a whole in per cent."""
    return f"{100 * part / whole:.0f} %" if whole else "0 %"


def _signed(text: str) -> str:
    """Numbers for people, with the sign of a minus."""
    return text.replace("-", "−")
