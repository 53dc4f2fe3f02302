"""How alike measures order runs, and how well each tells them apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import polars as pl

from rankgauge.measures import Measure
from rankgauge.stats import kendall_tau, separated_share, tau_ap_b

__all__ = ["FEWEST", "orders", "sensitivity"]

FEWEST = 3
"""Two runs have one order or the other; from three on it makes sense to ask how alike two orders are."""


def orders(measures: Sequence[Measure], means: pl.DataFrame) -> pl.DataFrame:
    """A row per pair of measures: Kendall's τ_b and the symmetric τ_AP of the runs' means; NaN where one is flat."""
    by_measure = {
        str(measure): means.filter(pl.col("measure") == str(measure))["mean"].to_numpy() for measure in measures
    }
    rows = []
    for one, other in combinations(by_measure, 2):
        x, y = by_measure[one], by_measure[other]
        usable = not (math.isnan(x.sum()) or math.isnan(y.sum()))
        rows.append((one, other, *((kendall_tau(x, y), tau_ap_b(x, y)) if usable else (math.nan, math.nan))))
    kinds = {"measure": pl.String, "other": pl.String, "tau_b": pl.Float64, "tau_ap": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def sensitivity(measures: Sequence[Measure], pairs: pl.DataFrame, *, alpha: float) -> pl.DataFrame:
    """A row per measure: the pairs, how many are separated before and after the correction, and the latter's share."""
    rows = []
    for measure in measures:
        tested = pairs.filter(pl.col("measure") == str(measure))
        plain, corrected = tested["p"].to_numpy(), tested["corrected"].to_numpy()
        separated = int((corrected < alpha).sum())
        rows.append(
            (str(measure), len(tested), int((plain < alpha).sum()), separated, separated_share(corrected, alpha=alpha))
        )
    names = ("measure", "pairs", "separated_alone", "separated", "share")
    kinds = (pl.String, pl.Int64, pl.Int64, pl.Int64, pl.Float64)
    return pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row")
