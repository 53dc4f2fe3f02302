"""The queries on which runs differ most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray

__all__ = ["MOST", "movers"]

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
    names = ("measure", "query", "run", "other", "value", "other_value", "difference")
    kinds = (pl.String, pl.String, pl.String, pl.String, pl.Float64, pl.Float64, pl.Float64)
    return pl.DataFrame(rows, schema=dict(zip(names, kinds, strict=True)), orient="row")
