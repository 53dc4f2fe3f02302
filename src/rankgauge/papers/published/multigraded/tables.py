"""Tables 1 and 2, a list of eight documents worked out by the paper's three measures, and the example of equation 4."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import log2
from typing import Any

import numpy as np
import polars as pl

from rankgauge.evaluation.arrays import score_arrays
from rankgauge.numeric import FloatArray
from rankgauge.papers.experiment import Measurements, Number

MEASURES: Mapping[str, str] = {"NDCG": "nDCG", "µMAP": "muAP", "NDCNG": "NDCNG"}
"""The paper's measures under its names, in the dialect `papers`. Its NDCG has gains of 2^g − 1 and logarithms to
base 10; the base cancels out when the sum is divided by the ideal."""

BESIDES: Mapping[str, str] = {"linear NDCG": "nDCG(dcg='log2')"}
"""Measured in addition: NDCG with the grade as gain. Multiplying all grades by a factor does not change it, so it shows
how much of NDCG's dependence on levels comes from 2^g − 1."""

LISTED = np.array([1.0, 0.0, 3.0, 3.0, 2.0, 0.0, 1.0, 4.0])
"""The grades of the documents A to H in the order of the strategy."""

DOCUMENTS = "ABCDEFGH"
THRESHOLDS = range(6)
CUTOFFS = range(1, LISTED.size + 1)

SMALL = (0.3, 0.0, 1.0)
"""A list on the scale 0.0, 0.3, 1.0 of equation 4's example. The paper gives no list; any on which the two thresholds
have different average precisions shows their weights."""


FACTORS: Mapping[str, float] = {"grades": 1.0, "doubled grades": 2.0}
"""The first two examples of Table 2. The third normalises the gains of both, which makes them the same."""


def compute() -> Measurements:
    """Return the numbers of both tables and of the example, and the tables cell by cell.

    In the example µAP = w · AP(t=0.3) + (1 − w) · AP(t=1): the weights are how much each threshold counts.
    """
    first, second, grades = first_table(), second_table(), np.array(SMALL)
    low, high, both = (_value(measure, grades) for measure in ("AP(rel=0.3)", "AP(rel=1)", MEASURES["µMAP"]))
    weight = (both - high) / (low - high)
    apart = [_value(f"AP(rel={t})") for t in np.unique(LISTED[LISTED > 0])]
    values = {
        **{f"AP at t={t}": value for t, value in first.select("t", "AP").rows()},
        "mean of AP": float(np.mean(first["AP"].to_numpy())),
        "µAP": _value(MEASURES["µMAP"]),
        "highest less lowest AP, thresholds from 1 to 4": max(apart) - min(apart),
        **dict(second.filter(row="ndcg").select("example", "mean").rows()),
        "weight of t=0.3": weight,
        "weight of t=1.0": 1.0 - weight,
    }
    return Measurements(
        numbers={name: Number(value=value) for name, value in values.items()},
        tables={"table-1": first, "table-2": second},
    )


def first_table() -> pl.DataFrame:
    """Return a row per threshold, from 5 down to 0: which of A to H are relevant, and average precision."""
    rows = [
        {"t": t, **dict(zip(DOCUMENTS, np.where(t <= LISTED, "+", "-"), strict=True)), "AP": _value(f"AP(rel={t})")}
        for t in reversed(THRESHOLDS)
    ]
    return pl.DataFrame(rows)


def second_table() -> pl.DataFrame:
    """Return five rows per example: gain, DCG of the first 1 to 8 documents, both also in the ideal order, and DCG
    against the ideal, whose mean is the last column."""
    rows = []
    for measure, (words, factor) in product(("NDCG", "NDCNG"), FACTORS.items()):
        grades = factor * LISTED
        gains = grades if measure == "NDCG" else grades / grades.max()  # what stands in the exponent
        ideal = np.sort(gains)[::-1]
        ndcg = [_value(f"{MEASURES[measure]}@{k}", grades) for k in CUTOFFS]
        cells = {"gain": gains, "gain_opt": ideal, "dcg": _dcg(gains), "dcg_opt": _dcg(ideal), "ndcg": ndcg}
        for name, row in cells.items():
            mean = float(np.mean(row)) if name == "ndcg" else None
            example = {"example": f"{measure}, {words}", "row": name}
            rows.append({**example, **dict(zip(DOCUMENTS, row, strict=True)), "mean": mean})
    return pl.DataFrame(rows)


def means(values: Mapping[str, FloatArray], **labels: Any) -> pl.DataFrame:
    """Return a row per measure and labelled case: the mean over trials or queries (the last axis), its error."""
    parts = []
    for name in MEASURES:
        of_measure = values[name]
        error = of_measure.std(axis=-1, ddof=1) / np.sqrt(of_measure.shape[-1])
        columns = {**labels, "mean": of_measure.mean(axis=-1).ravel(), "error": error.ravel()}
        parts.append(pl.DataFrame(columns).select(pl.lit(name).alias("measure"), pl.all()))
    return pl.concat(parts)


def _dcg(gains: FloatArray) -> list[float]:
    """Return DCG at each cutoff with logarithms to base 10, as Table 2 prints it: those to base 2 times log2(10)."""
    return [log2(10) * _value(f"DCG@{k}", gains) for k in CUTOFFS]


def _value(measure: str, grades: FloatArray = LISTED) -> float:
    falling = -np.arange(float(grades.size))[np.newaxis]
    return float(score_arrays(grades[np.newaxis], falling, measure, dialect="papers")[0])
