"""Observed agreement: how often assessors gave the same grade, without regard to chance."""

from __future__ import annotations

from rankgauge.judgments.coefficient import Coefficient, Tally
from rankgauge.numeric import FloatArray, ratio


def observed(tally: Tally) -> FloatArray:
    """The chance that two assessors of an item gave it the same grade, averaged over the items that two judged."""
    shared = tally.shared
    agreeing = (shared.counts * (shared.counts - 1)).sum(axis=-1)
    return shared.mean(ratio(agreeing, shared.judged * (shared.judged - 1)))


def unanimous(tally: Tally) -> FloatArray:
    """The share of the items on which all of their assessors agree."""
    shared = tally.shared
    return shared.mean((shared.counts.max(axis=-1, initial=0.0) == shared.judged).astype(float))


Coefficient(
    name="observed",
    title="Observed agreement",
    words="the chance that two assessors of an item gave it the same grade",
    reference="Fleiss, Measuring nominal scale agreement among many raters, Psychological Bulletin 1971",
    kernel=observed,
).register()
Coefficient(
    name="unanimous",
    title="Unanimity",
    words="the share of items on which all of their assessors agree",
    reference="a count",
    kernel=unanimous,
).register()
