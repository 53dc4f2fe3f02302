"""Bounds: the lowest and the highest value that one list can have, whatever the grades of its unjudged documents.

They are exact. A document moves up without loss, so of n unjudged documents that reach a grade the best place is the
first n, and the worst the last n. What is left to find is n for each threshold of the scale, n₁ ≥ n₂ ≥ …

- a sum (P, DCG, RBP) and a cascade (ERR, RR) are lowest with no unjudged document relevant, highest with all;
- AP has one threshold, so every n is tried: relevant documents also raise the number that is divided by;
- nDCG and recall are ratios of sums over the thresholds,

      Σ_t (A_t + s_t W(n_t)) / Σ_t i_t D(J_t + n_t)

  and Dinkelbach's method finds the extreme ratio λ: it is the one for which the extreme of numerator − λ · denominator
  is 0, and that is found threshold by threshold. (Dinkelbach, On nonlinear fractional programming, 1967)

Documents that the list does not have are taken as they were judged, and as not relevant if they were not, unless they
are `missed`: the lowest value has them all at the top of the scale.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.board.target import BoardTarget, IdealCascade, IdealSum
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray, IndexArray

ROUNDS = 50
"""Dinkelbach's method took 3 to 8 rounds; each comes nearer, so that this many are never reached."""


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenList:
    """The judged documents of a list with their ranks and what they reach (documents × thresholds), the ranks of those
    without a grade, and how many judged documents of the query reach each threshold (`counts`).

    `missed` is how many documents without a grade only other lists have: they may raise the ideal.
    """

    ranks: IndexArray
    reached: FloatArray
    unjudged: IndexArray
    counts: FloatArray
    missed: int = 0


def is_bounded(target: BoardTarget) -> bool:
    """Say whether bounds of the measure can be found: not for a cascade that is divided by its ideal, such as nERR."""
    if target.ideal is None:
        return True
    if target.shape is Shape.PRECISION:
        return target.ideal.plain
    return target.shape is Shape.LINEAR and not isinstance(target.ideal, IdealCascade)


def bounds(target: BoardTarget, one: OpenList) -> tuple[float, float]:
    """Return the lowest and the highest value of the list; NaN where that cannot be found."""
    ideal = target.ideal
    if not is_bounded(target):
        return np.nan, np.nan
    if ideal is None:
        return _bound_sum(target, one, top=False), _bound_sum(target, one, top=True)
    if target.shape is Shape.PRECISION:
        return _precisions(target, one)
    return _ratio(target, ideal, one, lowest=True), _ratio(target, ideal, one, lowest=False)


def _bound_sum(target: BoardTarget, one: OpenList, *, top: bool) -> float:
    """Return a sum or a cascade, with the unjudged documents at the top of the scale or not relevant."""
    ranks = np.concatenate([one.ranks, one.unjudged])
    worth = np.concatenate([one.reached @ target.steps, np.full(len(one.unjudged), target.steps.sum() * top)])
    order = np.argsort(ranks)
    weight, worth = target.weights[ranks[order] - 1], worth[order]
    if target.shape is Shape.CASCADE:
        return float(np.sum(weight * worth * np.append(1.0, np.cumprod(1.0 - worth)[:-1])))
    return float(np.sum(weight * worth))


def _precisions(target: BoardTarget, one: OpenList) -> tuple[float, float]:
    """Return the extremes of AP with the first n, or the last n, of the unjudged documents relevant, for every n."""
    at = int(np.flatnonzero(target.steps)[0])
    relevant = one.ranks[one.reached[:, at] > 0]
    values = []
    # the lowest of the last n, the highest of the first n
    for unjudged, missed in ((one.unjudged[::-1], one.missed), (one.unjudged, 0)):
        n = np.arange(len(unjudged) + 1)
        every = np.concatenate([relevant, unjudged])
        order = np.argsort(every)
        joins = np.concatenate([np.zeros(len(relevant)), np.arange(1, len(unjudged) + 1)])[order]
        there = joins <= n[:, np.newaxis]
        precision = np.cumsum(there, axis=1) * target.weights[every[order] - 1]
        number = one.counts[at] + n + missed
        values.append(np.divide((there * precision).sum(axis=1), number, out=np.zeros(len(n)), where=number > 0))
    return float(values[0].min()), float(values[1].max())


def _ratio(target: BoardTarget, ideal: IdealSum, one: OpenList, *, lowest: bool) -> float:
    """Return the extreme of the ratio of two sums over thresholds."""
    n = np.arange(len(one.unjudged) + 1)
    gained = target.weights[one.unjudged - 1]
    reach = np.append(0.0, np.cumsum(gained[::-1] if lowest else gained))
    given = target.weights[one.ranks - 1] @ one.reached
    tops = target.steps[:, np.newaxis] * (given[:, np.newaxis] + reach)
    known = one.counts[:, np.newaxis] + one.missed * lowest
    # D(n): the first n weights of the ideal order; past the last one it stays if the ideal is cut there, and else goes
    # on with the last weight.
    last, sums = len(ideal.weights), np.append(0.0, np.cumsum(ideal.weights))
    beyond = 0.0 if ideal.cut else np.maximum(known + n - last, 0.0) * ideal.weights[-1]
    bottoms = ideal.steps[:, np.newaxis] * (sums[np.minimum(known + n, last).astype(np.int64)] + beyond)
    if lowest and not bottoms[:, 0].any():
        return 0.0  # a query without a relevant document is worth 0
    pick = np.argmin if lowest else np.argmax
    value = tops[:, 0].sum() / bottoms[:, 0].sum() if lowest else 0.0
    thresholds = np.arange(len(tops))
    for _ in range(ROUNDS):
        chosen = _find_extreme_counts(tops - value * bottoms, pick)
        above, below = tops[thresholds, chosen].sum(), bottoms[thresholds, chosen].sum()
        # At the extreme ratio n = 0 is as good as any, and may be 0 / 0.
        if below <= 0 or not (above / below < value if lowest else above / below > value):
            break
        value = above / below
    return float(value)


def _find_extreme_counts(amounts: FloatArray, pick: Callable[[FloatArray], np.intp]) -> IndexArray:
    """Find for each threshold the n with the extreme sum of amounts (thresholds × n), where n falls with it."""
    extreme = np.minimum if pick is np.argmin else np.maximum
    best = np.zeros_like(amounts)
    for at in range(len(amounts) - 1, -1, -1):
        deeper = extreme.accumulate(best[at + 1]) if at + 1 < len(amounts) else 0.0
        best[at] = amounts[at] + deeper
    chosen, most = np.empty(len(amounts), dtype=np.int64), amounts.shape[1]
    for at in range(len(amounts)):
        chosen[at] = pick(best[at, :most])
        most = int(chosen[at]) + 1
    return chosen
