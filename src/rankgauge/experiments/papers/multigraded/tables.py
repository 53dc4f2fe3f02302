"""Tables 1 and 2: a list of eight documents, worked out by the paper's three measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from rankgauge.arrays import score_arrays
from rankgauge.experiments.claims import Number
from rankgauge.experiments.experiment import Measurements
from rankgauge.numeric import FloatArray

MEASURES: Mapping[str, str] = {"NDCG": "nDCG(dcg='exp-log2')", "µMAP": "muAP", "NDCNG": "NDCNG"}
"""The paper's measures under its names. Its NDCG has gains of 2^g − 1 and logarithms to base 10; the base cancels out
when the sum is divided by the ideal."""

BESIDES: Mapping[str, str] = {"linear NDCG": "nDCG(dcg='log2')"}
"""Measured in addition: NDCG with the grade as gain. Multiplying all grades by a factor does not change it, so it shows
how much of NDCG's dependence on levels comes from 2^g − 1."""

LISTED = np.array([[1.0, 0.0, 3.0, 3.0, 2.0, 0.0, 1.0, 4.0]])
"""The grades of the documents A to H in the order of the strategy."""

THRESHOLDS = range(6)


def compute() -> Measurements:
    """The numbers of both tables."""
    found = dict([*_first(), *_second()])
    frame = pl.DataFrame({"number": list(found), "value": list(found.values())})
    return Measurements(
        numbers={name: Number(value=value) for name, value in found.items()}, tables={"tables-1-2": frame}
    )


def means(values: Mapping[str, FloatArray], **labels: Any) -> pl.DataFrame:
    """A row per measure of the paper and labelled case: the mean over trials or queries (the last axis), its error."""
    parts = []
    for name in MEASURES:
        found = values[name]
        error = found.std(axis=-1, ddof=1) / np.sqrt(found.shape[-1])
        columns = {**labels, "mean": found.mean(axis=-1).ravel(), "error": error.ravel()}
        parts.append(pl.DataFrame(columns).select(pl.lit(name).alias("measure"), pl.all()))
    return pl.concat(parts)


def _first() -> Iterator[tuple[str, float]]:
    """Average precision at each threshold, 0 if no document reaches it; its plain mean, and µAP."""
    precisions = {f"AP at t={t}": _value(f"AP(rel={t})") for t in THRESHOLDS}
    yield from precisions.items()
    yield "mean of AP", float(np.mean(list(precisions.values())))
    yield "µAP", _value(MEASURES["µMAP"])


def _second() -> Iterator[tuple[str, float]]:
    """The mean over the cutoffs 1 to 8, with the grades unchanged and doubled."""
    for name in ("NDCG", "NDCNG"):
        for words, factor in (("grades", 1.0), ("doubled grades", 2.0)):
            values = [_value(f"{MEASURES[name]}@{k}", factor) for k in range(1, LISTED.size + 1)]
            yield f"{name}, {words}", float(np.mean(values))


def _value(measure: str, factor: float = 1.0) -> float:
    falling = -np.arange(float(LISTED.size))[np.newaxis]
    return float(score_arrays(factor * LISTED, falling, measure)[0])
