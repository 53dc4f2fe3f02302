"""The quality of labels: how far each assessor agrees with the others, on which levels, how long documents take, and
whether any of this changes with time.

Every number comes with what it rests on. Agreement compares two labels of one document; a document that three assessors
judged is three comparisons.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.labelling.labels import LabelKind
from rankgauge.statistics.student import largest_share

BREAK = 600.0
"""A document that took longer, in seconds, was on the screen during a break; it does not count in the times."""

HUNDRED = 100
"""How many labels make a step of the drift."""

KEYS = ["query", "document"]


@dataclass(frozen=True, kw_only=True)
class SeenShare:
    """A share of cases, with the exact interval (Clopper & Pearson 1934) if the cases are independent."""

    seen: int
    n: int
    level: float = 0.95

    @property
    def value(self) -> float:
        """The share; NaN without cases."""
        return self.seen / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The exact interval; from 0 to 1 without cases."""
        if not self.n:
            return 0.0, 1.0
        alpha = (1 - self.level) / 2
        high = largest_share(self.seen, self.n, alpha=alpha)
        return 1.0 - largest_share(self.n - self.seen, self.n, alpha=alpha), high


def comparisons(labels: pl.DataFrame) -> pl.DataFrame:
    """A row for each label and each other assessor's label of the same document: both grades, the time of the first.

    `labels` has the columns query, document, assessor, kind, grade, made; labels without a grade are left out.
    """
    graded = labels.filter(pl.col("kind") == LabelKind.GRADE.value).select(*KEYS, "assessor", "grade", "made")
    both = graded.join(graded.drop("made"), on=KEYS, suffix="_other")
    return both.filter(pl.col("assessor") != pl.col("assessor_other"))


def by_assessor(labels: pl.DataFrame, seconds: pl.DataFrame) -> pl.DataFrame:
    """A row per assessor: documents, skipped, mean_grade; shared (documents that others judged too), compared, agree
    (share of comparisons with the same grade), above (by how much the grades exceed the others'); and the times:
    timed, low, median, high (the 10th, 50th and 90th percentile, in seconds)."""
    skipped = (pl.col("kind") == LabelKind.SKIP.value).sum().alias("skipped")
    done = labels.group_by("assessor").agg(
        pl.len().alias("documents"), skipped, pl.col("grade").mean().alias("mean_grade")
    )
    pairs = (
        comparisons(labels)
        .group_by("assessor")
        .agg(
            pl.struct(KEYS).n_unique().alias("shared"),
            pl.len().alias("compared"),
            (pl.col("grade") == pl.col("grade_other")).mean().alias("agree"),
            (pl.col("grade") - pl.col("grade_other")).mean().alias("above"),
        )
    )
    found = done.join(pairs, on="assessor", how="left").join(_times(seconds), on="assessor", how="left")
    return found.with_columns(pl.col("shared", "compared", "timed").fill_null(0)).sort("assessor")


def by_level(labels: pl.DataFrame, grades: Sequence[float]) -> pl.DataFrame:
    """A row per grade: labels; compared, and the share of comparisons in which the other assessor gave the same grade
    (specific agreement, Dice 1945); and the grade that others gave most often where they differed."""
    graded = labels.filter(pl.col("kind") == LabelKind.GRADE.value)
    given = graded.group_by("grade").agg(pl.len().alias("labels"))
    pairs = comparisons(labels)
    agree = pairs.group_by("grade").agg(
        pl.len().alias("compared"), (pl.col("grade") == pl.col("grade_other")).mean().alias("agree")
    )
    differ = pairs.filter(pl.col("grade") != pl.col("grade_other"))
    rather = differ.group_by("grade", "grade_other").len().sort("len", "grade_other", descending=[True, False])
    rather = rather.group_by("grade", maintain_order=True).agg(pl.col("grade_other").first().alias("rather"))
    every = pl.DataFrame({"grade": sorted(map(float, grades), reverse=True)}, schema={"grade": pl.Float64()})
    joined = every
    for table in (given, agree, rather):
        joined = joined.join(table, on="grade", how="left", maintain_order="left")
    return joined.with_columns(pl.col("labels", "compared").fill_null(0))


def _times(seconds: pl.DataFrame) -> pl.DataFrame:
    working = seconds.filter(pl.col("seconds") < BREAK)
    quantiles = {"low": 0.1, "median": 0.5, "high": 0.9}
    shares = [pl.col("seconds").quantile(at, "linear").alias(name) for name, at in quantiles.items()]
    return working.group_by("assessor").agg(pl.len().alias("timed"), *shares)


def time_bins(seconds: pl.DataFrame, edges: Sequence[float]) -> list[int]:
    """How many documents took how long: below the first edge, between each two, and above the last."""
    placed = np.digitize(seconds["seconds"].to_numpy(), list(edges))
    return [int(count) for count in np.bincount(placed, minlength=len(edges) + 1)]


def drift(labels: pl.DataFrame, seconds: pl.DataFrame, *, daily: bool) -> pl.DataFrame:
    """A row per day, or per hundred labels: start (time of the first), end, labels, mean_grade, skipped, compared,
    agree, median (seconds). A comparison belongs to the step of its later label."""
    ordered = labels.sort("made").with_row_index("number")
    step = (pl.col("made") // 86400).cast(pl.Int64) if daily else (pl.col("number") // HUNDRED).cast(pl.Int64)
    ordered = ordered.with_columns(step=step)
    found = ordered.group_by("step").agg(
        pl.col("made").min().alias("start"),
        pl.col("made").max().alias("end"),
        pl.len().alias("labels"),
        pl.col("grade").mean().alias("mean_grade"),
        (pl.col("kind") == LabelKind.SKIP.value).sum().alias("skipped"),
    )
    steps = ordered.select(*KEYS, "assessor", "step")
    other = steps.rename({"assessor": "assessor_other", "step": "step_other"})
    pairs = comparisons(labels).join(steps, on=[*KEYS, "assessor"]).join(other, on=[*KEYS, "assessor_other"])
    agree = pairs.group_by(pl.max_horizontal("step", "step_other").alias("step")).agg(
        (pl.len() // 2).alias("compared"), (pl.col("grade") == pl.col("grade_other")).mean().alias("agree")
    )
    timed = seconds.filter(pl.col("seconds") < BREAK).join(steps, on=[*KEYS, "assessor"])
    median = timed.group_by("step").agg(pl.col("seconds").median().alias("median"))
    joined = found.join(agree, on="step", how="left").join(median, on="step", how="left")
    return joined.with_columns(pl.col("compared").fill_null(0)).sort("step")
