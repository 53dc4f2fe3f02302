"""Causes in the grades: negative, relevant, the top of the scale, fractions, several assessors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rankgauge.audit.advice import Advice, joined, same_on_any_data
from rankgauge.audit.cause import Cause, policy
from rankgauge.audit.conditions import Conditions
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.policies import HighGrade

if TYPE_CHECKING:
    from rankgauge.audit.overview import Audit

__all__ = ["ASSESSORS", "FRACTIONS", "NEGATIVE", "RELEVANT", "TOP_GRADE"]


NEGATIVE = Cause(
    name="negative",
    fields=("negative",),
    subject="queries with negative grades",
    setting=policy("negative"),
    kind="negative",
    phrase="have negative grades",
    remedy=same_on_any_data(
        "Settle what negative grades mean",
        "With negative grades: {share}. To some tools they mean not judged, to others not relevant, or a loss; write "
        "0, or leave the line out.",
        kind="negative",
    ),
    place=110,
).register()


def _relevant_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    return f"a grade of {dialect.rel:g} or more is relevant"


RELEVANT = Cause(
    name="relevant",
    fields=("rel",),
    subject="which grades are relevant",
    setting=_relevant_setting,
    remedy=same_on_any_data(
        "Say from which grade on a document is relevant",
        "Tools begin at different grades; name it with the measure, as in P(rel=2)@10.",
    ),
    place=120,
).register()


def _top_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    if hasattr(measure, "max_grade"):
        return f"grades go up to {dialect.max_grade:g}; {dialect.high.words}"
    cut = dialect.high is HighGrade.ZERO and conditions.grades[-1] > dialect.max_grade
    return f"grades above {dialect.max_grade:g} count 0" if cut else "grades are used as they are"


def _top_remedy(audit: Audit) -> Iterator[Advice]:
    top = max(conditions.grades[-1] for conditions in audit.conditions.values())
    cut: dict[float, list[str]] = {}
    for dialect in audit.dialects:
        if dialect.high is HighGrade.ZERO and dialect.max_grade < top:
            cut.setdefault(dialect.max_grade, []).append(dialect.name)
    told = ", ".join(f"grades above {known:g} count 0 in {joined(names)}" for known, names in sorted(cut.items()))
    if cut:
        yield Advice(
            title="Use a tool on the grades that it knows",
            words=f"{told[0].upper()}{told[1:]}, so the best documents count as the worst: the grades here go up to "
            f"{top:g}.",
        )
    elif hasattr(audit.measure, "max_grade"):
        given = replace(audit.measure, max_grade=top)  # type: ignore[call-arg]
        words = f"Tools take different grades for the highest; here it is {top:g}, so ask for {given}."
        yield Advice(title="Say what the highest grade is", words=words)


TOP_GRADE = Cause(
    name="top grade",
    fields=("max_grade", "high"),
    subject="the top of the grading scale",
    setting=_top_setting,
    remedy=_top_remedy,
    place=130,
).register()


FRACTIONS = Cause(
    name="fractions",
    fields=("fractional",),
    subject="fractional grades",
    setting=policy("fractional"),
    remedy=same_on_any_data(
        "Write grades as whole numbers",
        "A grade such as 1.5, or 1 written as 1.0, is not a grade to every tool.",
    ),
    place=140,
).register()


ASSESSORS = Cause(
    name="assessors",
    fields=("assessors",),
    subject="how assessors are combined",
    setting=policy("assessors"),
    remedy=same_on_any_data(
        "Combine the grades of several assessors first",
        "Tools that are given more than one grade for a document combine them each in its own way.",
    ),
    place=190,
).register()
