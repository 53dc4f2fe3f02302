"""binarise: grades made relevant or not."""

from __future__ import annotations

import polars as pl

from rankgauge.errors import InputError
from rankgauge.policies import NegativeGrade
from rankgauge.tables import JUDGMENTS, check

__all__ = ["binarise"]


def binarise(
    judgments: pl.DataFrame, level: float = 1.0, *, negative: str | NegativeGrade = NegativeGrade.ZERO
) -> pl.DataFrame:
    """The judgments with 1 for grades of at least `level` and 0 for the others; the assessors stay.

    `negative` says what a grade below 0 means: `zero` makes it 0 like any grade below the level; `unjudged` and `keep`
    leave it as it is, for the ranking to read.
    """
    policy, frame = NegativeGrade.parse(negative), check(judgments, JUDGMENTS)
    if policy is NegativeGrade.REFUSE and (frame["grade"] < 0).any():
        first = frame.filter(pl.col("grade") < 0).row(0, named=True)
        raise InputError(f"query '{first['query']}', document '{first['document']}' has the grade {first['grade']:g}")
    binary = (pl.col("grade") >= level).cast(pl.Float64)
    if policy in (NegativeGrade.UNJUDGED, NegativeGrade.KEEP):
        binary = pl.when(pl.col("grade") < 0).then("grade").otherwise(binary)
    return frame.with_columns(grade=binary)
