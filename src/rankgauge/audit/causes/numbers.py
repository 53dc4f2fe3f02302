"""Causes in the numbers: tied scores, and the precision of scores and sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankgauge.audit.advice import Advice, same_on_any_data
from rankgauge.audit.cause import Cause, policy
from rankgauge.audit.conditions import Conditions
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure

if TYPE_CHECKING:
    from rankgauge.audit.overview import Audit

__all__ = ["ARITHMETIC", "PRECISION", "TIES"]


def _ties_remedy(audit: Audit) -> Iterator[Advice]:
    queries, run = max(
        (part.queries, run)
        for run, gap in audit.gaps.items()
        for found in (gap, *audit.attributions[run].values())
        for part in found.parts
        if part.cause.name == "ties"
    )
    on = ("1 query" if queries == 1 else f"{queries} queries") + (f" of {run}" if audit.several else "")
    yield Advice(
        title="Break no ties by accident",
        words=f"On {on} the order of documents with equal scores changes the value; average over all orders, as "
        "standard does, or make the scores distinct.",
    )


TIES = Cause(
    name="ties",
    fields=("ties",),
    subject="queries with tied scores",
    setting=policy("ties"),
    kind="tied",
    phrase="have tied scores",
    remedy=_ties_remedy,
    place=60,
).register()


def _precision_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    return f"scores are compared as {32 if dialect.single_precision else 64}-bit numbers"


PRECISION = Cause(
    name="precision",
    fields=("single_precision",),
    subject="the precision of scores",
    setting=_precision_setting,
    remedy=same_on_any_data(
        "Keep scores apart in 32 bits",
        "Scores that differ from the eighth digit on are ties in tools that keep 32 bits; write scores that differ "
        "earlier.",
    ),
    place=70,
).register()


def _arithmetic_setting(dialect: Dialect, measure: Measure, conditions: Conditions) -> str:
    return f"values and means are {32 if dialect.single_arithmetic else 64}-bit numbers"


ARITHMETIC = Cause(
    name="arithmetic",
    fields=("single_arithmetic",),
    subject="the precision of sums and quotients",
    setting=_arithmetic_setting,
    remedy=same_on_any_data(
        "Compare no more than five digits",
        "Some tools add up in 32 bits, which moves the digits behind these.",
    ),
    place=80,
).register()
