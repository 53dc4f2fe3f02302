"""The usual normalisations of scores."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from rankgauge.fusion.method import NONE, Normalisation, UnfitListError
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray

Number = TypeVar("Number", np.float64, np.bool_)


def safe(denominator: FloatArray) -> FloatArray:
    """Return the denominator, or 1 where it is 0: scores of such a list are all equal, and their numerators are 0."""
    return np.where(denominator > 0, denominator, 1.0)


def each(stack: Stack, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Return the value of each entry's list."""
    return np.repeat(values, stack.sizes)


def best(stack: Stack) -> FloatArray:
    """Return the highest score of each list, which is the first."""
    return np.asarray(stack.score[stack.starts])


def worst(stack: Stack) -> FloatArray:
    """Return the lowest score of each list, which is the last."""
    return np.asarray(stack.score[stack.starts + stack.sizes - 1])


def total(stack: Stack, values: FloatArray) -> FloatArray:
    """Return the sum of the values of each list."""
    return np.asarray(np.add.reduceat(values, stack.starts)) if len(values) else np.zeros(0)


Normalisation(name=NONE, title="scores as the runs have them", formula="s", apply=lambda stack: stack).register()


def _apply_max(stack: Stack) -> Stack:
    top = best(stack)
    bad = np.flatnonzero((top < 0) | ((top == 0) & (worst(stack) < 0)))
    if len(bad):
        problem = f"has {top[bad[0]]:g} as its highest score, and the normalisation max divides by it"
        raise UnfitListError(int(bad[0]), problem, "Use min-max, sum or z-score for scores that may be negative.")
    return stack.with_scores(stack.score / each(stack, safe(top)))


Normalisation(
    name="max", title="in units of a list's highest score", formula="s / max", ranx="max", apply=_apply_max
).register()


def _apply_min_max(stack: Stack) -> Stack:
    low = worst(stack)
    return stack.with_scores((stack.score - each(stack, low)) / each(stack, safe(best(stack) - low)))


Normalisation(
    name="min-max",
    title="from 0 for a list's lowest score to 1 for its highest",
    formula="(s − min) / (max − min)",
    ranx="min-max",
    apply=_apply_min_max,
).register()

# The scores have the other sign by now: −s − min(−s) = max − s.
Normalisation(
    name="min-max-inverted",
    title="min-max for distances, of which the least is the best",
    formula="(max − s) / (max − min)",
    ranx="min-max-inverted",
    apply=_apply_min_max,
    inverts=True,
).register()


def _apply_sum(stack: Stack) -> Stack:
    above = stack.score - each(stack, worst(stack))
    return stack.with_scores(above / each(stack, safe(total(stack, above))))


Normalisation(
    name="sum",
    title="from 0 for a list's lowest score, adding up to 1",
    formula="(s − min) / Σ (s − min)",
    ranx="sum",
    apply=_apply_sum,
).register()


def _apply_z_score(stack: Stack) -> Stack:
    centred = stack.score - each(stack, total(stack, stack.score) / stack.sizes)
    deviation = np.sqrt(total(stack, centred**2) / stack.sizes)
    # A mean may be off in its last bits: without this, equal scores would be far from it in units of the deviation.
    flat = deviation <= 1e-12 * np.maximum(np.abs(stack.score[stack.starts]), 1e-300)
    centred[each(stack, flat)] = 0.0
    return stack.with_scores(centred / each(stack, safe(np.where(flat, 0.0, deviation))))


Normalisation(
    name="z-score",
    title="zero mean and unit variance in each list (ZMUV)",
    formula="(s − mean) / standard deviation",
    ranx="zmuv",
    apply=_apply_z_score,
).register()


def _apply_rank(stack: Stack) -> Stack:
    return stack.with_scores(stack.average_ties(1.0 - (stack.rank - 1) / stack.length))


Normalisation(
    name="rank",
    title="the share of a list that is not above the document",
    formula="1 − (rank − 1) / length",
    ranx="rank",
    apply=_apply_rank,
    by_rank=True,
).register()


def _apply_borda(stack: Stack) -> Stack:
    pooled = stack.pooled.astype(np.float64)
    listed = stack.average_ties(1.0 - (stack.rank - 1) / pooled[stack.slot_query[stack.slot]])
    lengths = np.zeros((stack.queries, stack.runs))
    lengths[stack.list_query, stack.list_run] = stack.sizes
    return stack.complete(listed, 0.5 - (lengths - 1) / (2 * np.maximum(pooled, 1)[:, np.newaxis]))


Normalisation(
    name="borda",
    title="the share of all runs' documents that is not above the document; unlisted ones share the rest",
    formula="1 − (rank − 1) / documents; 1/2 − (length − 1) / (2 · documents) if not listed",
    ranx="borda",
    apply=_apply_borda,
    by_rank=True,
).register()
