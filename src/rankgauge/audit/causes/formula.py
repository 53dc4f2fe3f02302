"""Causes in the formula: gains, discounts, the ideal ranking, parameters of the measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankgauge.audit.advice import definition, same_on_any_data
from rankgauge.audit.cause import Cause
from rankgauge.audit.conditions import Conditions
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.measures.gains import DISCOUNTS, GAINS

__all__ = ["DISCOUNT", "GAIN", "IDEAL", "PARAMETERS"]


def _gain_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    """What the grades in use are worth."""
    name = getattr(dialect.read(measure), "gain", dialect.gain)
    if name not in GAINS:
        return f"the gain is {name}"
    worth = GAINS[name](np.maximum(np.array(conditions.grades), 0.0))
    unit = next((gain for gain in worth if gain > 0), 1.0) if _is_ratio(measure) else 1.0
    return f"grades {_numbers(conditions.grades)} are worth {_numbers(worth / unit)}"


GAIN = Cause(
    name="gain", fields=("gain",), subject="what a grade is worth", setting=_gain_setting, remedy=definition, place=10
).register()


def _discount_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    """What the first ranks are divided by."""
    name = getattr(dialect.read(measure), "discount", dialect.discount)
    if name not in DISCOUNTS:
        return f"the discount is {name}"
    divisors = 1 / DISCOUNTS[name](np.arange(1.0, 5.0))
    return f"ranks 1, 2, 3, 4 are divided by {_numbers(divisors / (divisors[0] if _is_ratio(measure) else 1.0))}"


DISCOUNT = Cause(
    name="discount",
    fields=("discount",),
    subject="what a rank is worth",
    setting=_discount_setting,
    remedy=definition,
    place=20,
).register()


def _ideal_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    cut = ", down to the depth of the run and without documents that are not relevant" if dialect.cut_ideal else ""
    words: str = dialect.choice("ideal", measure).words
    return words + cut


IDEAL = Cause(
    name="ideal",
    fields=("ideal", "cut_ideal"),
    subject="what the ideal ranking is made of",
    setting=_ideal_setting,
    remedy=same_on_any_data(
        "Take the ideal ranking from all judged documents",
        "A tool whose ideal holds only what the run retrieved does not charge the run for what it missed.",
    ),
    place=50,
).register()


def _readings_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    chosen: Mapping[str, Any] = dialect.readings.get(measure.facts.name, {})
    return ", ".join(f"{name}={value!r}" for name, value in chosen.items()) or "the measure as defined"


PARAMETERS = Cause(
    name="parameters",
    fields=("readings",),
    subject="how the measure is read",
    setting=_readings_setting,
    remedy=same_on_any_data(
        "Write the parameters of the measure out",
        "Tools read its name each with parameters of their own.",
    ),
    place=170,
).register()


def _is_ratio(measure: Measure) -> bool:
    """Whether the unit of gains and discounts does not matter, as they stand above and below the line."""
    return measure.facts.bounds == (0.0, 1.0)


def _numbers(values: Any) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
