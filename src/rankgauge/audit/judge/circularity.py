"""Circularity: whether a run that a judge helped to make looks better to the judge than it is.

A judge overrates weak and strong runs differently, so its bias for a run is held against that of the other runs at the
same value by people: a line through the others, and how far the suspected run is above it, in standard errors of a
prediction. Runs that the judge had no part in are above it by as much only as often as the p-value says; the same is
done with each other run in turn, to show that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.numeric import BoolArray, FloatArray

FEWEST = 6
"""A line and its spread need this many other runs."""


def circularity(runs: Sequence[str], judge: FloatArray, people: FloatArray, suspects: Sequence[str]) -> pl.DataFrame:
    """A row per run: suspected, bias, expected bias, excess, t, p (one-sided), and its rank among all excesses.

    `judge` (runs) and `people` (draws × runs) are values. The line is that of the runs that nobody suspects.
    """
    for name in suspects:
        if name not in runs:
            raise UnknownNameError("run", name, list(runs))
    suspected = np.isin(list(runs), list(suspects))
    if (~suspected).sum() < FEWEST:
        known = int((~suspected).sum())
        raise InputError(
            f"the test of --made-by-judge needs {FEWEST} other runs or more; there are {known}",
            hint="Give more runs that no judge had a part in, or leave --made-by-judge out.",
        )
    rows = [_tested(place, judge, people, ~suspected) for place in range(len(runs))]
    frame = pl.DataFrame(rows, schema=["bias", "expected", "excess", "t", "p"], orient="row")
    return pl.concat([pl.DataFrame({"run": list(runs), "suspected": suspected}), frame], how="horizontal")


def _tested(place: int, judge: FloatArray, people: FloatArray, trusted: BoolArray) -> tuple[float, ...]:
    """A run against the line through the trusted others."""
    from scipy.special import stdtr

    others = trusted.copy()
    others[place] = False
    value, bias = people.mean(axis=0), judge - people.mean(axis=0)
    n, x = int(others.sum()), value[others]
    middle, spread = float(x.mean()), float(((x - x.mean()) ** 2).sum())
    slope = float(((x - middle) * bias[others]).sum() / spread) if spread > 0 else 0.0
    level = float(bias[others].mean())
    left = bias[others] - level - slope * (x - middle)
    variance = float((left**2).sum() / (n - 2))
    distance = (value[place] - middle) ** 2 / spread if spread > 0 else 0.0
    expected = level + slope * (value[place] - middle)
    # What people have not judged may move the run and the line: so much of it as differs from draw to draw.
    apart = (judge - people)[:, place] - (judge - people)[:, others].mean(axis=1)
    unknown = float(apart.var(ddof=1)) if len(people) > 1 else 0.0
    error = np.sqrt(variance * (1 + 1 / n + distance) + unknown)
    t = float((bias[place] - expected) / error) if error > 0 else 0.0
    return float(bias[place]), float(expected), float(bias[place] - expected), t, float(stdtr(n - 2, -t))
