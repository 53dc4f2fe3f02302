"""The design: how much the label of each document is worth, before the first one is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.board.beliefs import covariances
from rankgauge.labelling.board.goal import Goal, GoalKind
from rankgauge.labelling.board.lists import RunLists
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.board.slopes import Slopes
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.numeric import BoolArray, FloatArray

DOUBT = 0.02
"""What is added to the variance of a label under the beliefs, which may be too sure of themselves."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Attention:
    """How much each run counts for a target (runs; adding up to 1), and whether only what moves runs apart does."""

    shares: FloatArray
    apart: bool = True

    @classmethod
    def of(cls, target: BoardTarget, goal: Goal, shares: FloatArray) -> Attention:
        """What a goal asks of a target.

        Values and a single run take the whole of a slope. So do shares of all relevant documents, whose number is then
        not left to chance; but once few runs are in a race, only what moves these apart settles it.
        """
        race = bool(np.ptp(shares) > 0)
        whole = goal.kind is GoalKind.VALUES or (target.deep and not race) or len(shares) == 1
        return cls(shares=shares, apart=not whole)


def scores(slopes: Sequence[tuple[Slopes, Attention]], best: FloatArray, known: BoolArray) -> FloatArray:
    """The score of each document: the chance that it is judged is in proportion to it.

        score² = max_f v_f / (Σ_z √v_f)²

    The largest of the measures f and not their sum: several that look at the top alike count once, so that AP does not
    go short beside them. v is the mean over runs of ψ'Cψ, by the attention that each run gets, less that of their mean
    slope where labels are to move runs apart. `best` (documents × thresholds) is the label where it is known, else the
    belief; a known label is worth nothing.
    """
    gaps = np.abs(np.subtract.outer(*[np.arange(best.shape[1])] * 2))
    covariance = covariances(best) + DOUBT * 0.5**gaps
    covariance[known] = 0.0
    total = np.zeros(len(best))
    for each, attention in slopes:
        whole, shared = each.spread(covariance, attention.shares)
        moved = np.maximum(whole - shared if attention.apart else whole, 0.0)
        total = np.maximum(total, moved / (np.sqrt(moved).sum() ** 2 or 1.0))
    return np.sqrt(total)


def guessed_slopes(pool: BoardPool, target: BoardTarget, lists: RunLists, best: FloatArray) -> Slopes:
    """The slopes at the best guess."""
    queries, worth = len(pool.queries), best @ target.steps
    level, curve, divisor = np.zeros(lists.shape), np.zeros((queries, best.shape[1])), np.ones(queries)
    if target.ideal is not None:
        counts = np.add.reduceat(best, pool.starts, axis=0)
        noise = np.sqrt(np.add.reduceat(best * (1.0 - best), pool.starts, axis=0))
        divisor = np.maximum(target.ideal.at(counts), target.ideal.least)
        level = lists.values(worth) / divisor
        curve = target.ideal.smooth_slopes(counts, np.maximum(noise, 0.5))
    return Slopes(
        lists=lists,
        query=pool.query,
        hit=lists.slopes(worth),
        level=level,
        curve=curve,
        steps=target.steps,
        scale=1.0 / (divisor * queries),
    )
