"""Causes in the formula: gains, discounts, relevance, the ideal ranking, the parameters of the measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.audit.tools.advice import AuditAdvice, definition, joined
from rankgauge.audit.tools.cause import Cause
from rankgauge.audit.tools.conditions import Conditions
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.measures.gains import DISCOUNTS, GAINS
from rankgauge.policies import ABOVE_ZERO, HighGrade

if TYPE_CHECKING:
    from rankgauge.audit.tools.overview import Audit


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
    name="discount", subject="what a rank is worth", setting=_discount_setting, remedy=definition, place=20
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
    advice="Take the ideal ranking from all judged documents",
    why="A tool whose ideal holds only what the run retrieved does not charge the run for what it missed.",
    place=50,
).register()


RELEVANT = Cause(
    name="relevant",
    fields=("rel",),
    subject="which grades are relevant",
    setting=lambda dialect, measure, conditions: (
        "any grade above 0 is relevant"
        if dialect.rel == ABOVE_ZERO
        else f"a grade of {dialect.rel:g} or more is relevant"
    ),
    advice="Say from which grade on a document is relevant",
    why="Tools begin at different grades; name it with the measure, as in P(rel=2)@10.",
    place=120,
).register()


def _top_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    if hasattr(measure, "max_grade"):
        return f"grades go up to {dialect.top(conditions.grades[-1]):g}; {dialect.high.words}"
    cut = dialect.high is HighGrade.ZERO and not dialect.knows(conditions.grades[-1])
    return f"grades above {dialect.max_grade:g} count 0" if cut else "grades are used as they are"


def _top_remedy(audit: Audit) -> Iterator[AuditAdvice]:
    top = max(conditions.grades[-1] for conditions in audit.conditions.values())
    cut: dict[float, list[str]] = {}
    for dialect in audit.dialects:
        if dialect.high is HighGrade.ZERO and not dialect.knows(top):
            cut.setdefault(dialect.top(top), []).append(dialect.name)
    told = ", ".join(f"grades above {known:g} count 0 in {joined(names)}" for known, names in sorted(cut.items()))
    if cut:
        yield AuditAdvice(
            title="Use a tool on the grades that it knows",
            words=f"{told[0].upper()}{told[1:]}, so the best documents count as the worst: the grades here go up to "
            f"{top:g}.",
        )
    elif hasattr(audit.measure, "max_grade"):
        given = replace(audit.measure, max_grade=top)  # type: ignore[call-arg]
        words = f"Tools assume different top grades; here it is {top:g}, so ask for {given}."
        yield AuditAdvice(title="Say what the highest grade is", words=words)


TOP_GRADE = Cause(
    name="top grade",
    fields=("max_grade", "high"),
    subject="the top of the grading scale",
    setting=_top_setting,
    remedy=_top_remedy,
    place=130,
).register()


def _readings_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    chosen: Mapping[str, Any] = dialect.readings.get(measure.facts.name, {})
    return ", ".join(f"{name}={value!r}" for name, value in chosen.items()) or "the measure as defined"


PARAMETERS = Cause(
    name="parameters",
    fields=("readings",),
    subject="how the measure is read",
    setting=_readings_setting,
    advice="Write the parameters of the measure out",
    why="For the same name, tools assume different parameters.",
    place=170,
).register()


def _is_ratio(measure: Measure) -> bool:
    """Whether the unit of gains and discounts does not matter, as they appear both above and below the line."""
    return measure.facts.bounds == (0.0, 1.0)


def _numbers(values: Any) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
