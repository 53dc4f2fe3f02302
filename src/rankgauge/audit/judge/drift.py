"""A judge that was asked again: what its grades moved by since, and whether it is still as good as the one audited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.judge.agreement import FEWEST, Comparable, resampled
from rankgauge.audit.judge.error_slices import error_slices
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.judgments.agreement import cohen
from rankgauge.numeric import FloatArray

MARGIN = 0.05
"""How much kappa may fall before a judge counts as worse."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Drift:
    """How a judge's grades differ from its earlier ones, and how its agreement with people changed on the same pairs.

    `parts` has the rows of `error_slices`, with the earlier grades in people's place. `change` is that of the
    quadratic kappa with people, on `labels` labels, with its interval over queries.
    """

    pairs: int
    same: float
    parts: pl.DataFrame
    labels: int
    change: float
    low: float
    high: float

    @classmethod
    def between(cls, people: Any, before: Any, now: Any, *, rel: float, seed: int) -> Drift:
        """Compare two sessions of one judge (paths, frames, dicts or rows) on the pairs that both graded."""
        moved = Comparable.of(GradedPairs.of(before, {"now": now}), "now", rel=rel)
        parts = error_slices(moved).with_columns(pl.col("facet").replace("people's grade", "earlier grade"))
        pairs = GradedPairs.of(people, {"before": before, "now": now})
        both = [Comparable.of(pairs, name, rel=rel) for name in ("before", "now")]
        counted = [found.confusion() for found in both]
        sizes = [found.confusion().shape[1] for found in both]
        flat = np.concatenate([counts.reshape(len(counts), -1) for counts in counted], axis=1)

        def change(summed: FloatArray) -> FloatArray:
            halves = np.split(summed, [sizes[0] ** 2], axis=1)
            kappas = [
                cohen(half.reshape(-1, size, size), found.levels, "kappa_quadratic")
                for half, size, found in zip(halves, sizes, both, strict=True)
            ]
            return np.asarray(kappas[1] - kappas[0])

        labels = len(both[0].labelled)
        low, high = resampled(flat, change, rng=np.random.default_rng(seed)) if labels >= FEWEST else (np.nan, np.nan)
        value = float(change(flat.sum(axis=0)[np.newaxis])[0])
        same = float((moved.errors == 0).mean())
        return cls(pairs=len(moved.labelled), same=same, parts=parts, labels=labels, change=value, low=low, high=high)

    @property
    def code(self) -> int:
        """0 if the judge is as good as before, within the margin; 1 if it is worse; 3 if the labels leave it open."""
        return 0 if self.low > -MARGIN else 1 if self.high < -MARGIN else 3
