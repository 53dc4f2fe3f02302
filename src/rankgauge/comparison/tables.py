"""Tables of a comparison: the queries that differ most, how alike measures order runs, what each tells apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl

from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.stats import kendall_tau, separated_share, tau_ap_b

FEWEST = 3
"""Two runs have one order or the other; from three on it makes sense to ask how alike two orders are."""

MOST = 5
"""How many queries of a measure are named."""


def movers(
    measures: Sequence[Measure],
    queries: Sequence[str],
    runs: Sequence[str],
    values: FloatArray,
    paired: tuple[IndexArray, IndexArray],
) -> pl.DataFrame:
    """For each measure the queries with the largest difference, each with the pair that it parts most."""
    run, other = paired
    rows = []
    for measure, table in zip(measures, values, strict=True):
        differences = np.nan_to_num(table[:, run] - table[:, other], nan=0.0)
        pair = np.abs(differences).argmax(axis=1)
        largest = np.abs(differences)[np.arange(len(queries)), pair]
        for query in np.argsort(-largest, kind="stable")[:MOST]:
            first, second = run[pair[query]], other[pair[query]]
            one, two = float(table[query, first]), float(table[query, second])
            if largest[query] > 0:
                rows.append((str(measure), queries[query], runs[first], runs[second], one, two, one - two))
    texts = dict.fromkeys(("measure", "query", "run", "other"), pl.String)
    numbers = dict.fromkeys(("value", "other_value", "difference"), pl.Float64)
    return pl.DataFrame(rows, schema={**texts, **numbers}, orient="row")


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
        share = separated_share(corrected, alpha=alpha)
        rows.append((str(measure), len(tested), int((plain < alpha).sum()), separated, share))
    counts = dict.fromkeys(("pairs", "separated_alone", "separated"), pl.Int64)
    return pl.DataFrame(rows, schema={"measure": pl.String, **counts, "share": pl.Float64}, orient="row")
