"""spark: Spark's frames in, Spark's frames out; the kernels of one machine on whole partitions.

    judgments ∪ run → exchange by query → sort → mapInArrow: rank, score, settle → values

Nothing is computed until an action asks for it, except where that is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import polars as pl

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.result import Result
from rankgauge.measures import Measure
from rankgauge.spark.pools import sampling_distribution
from rankgauge.spark.rows import (
    DIGEST,
    JUDGMENT,
    VALUES,
    EvaluationJob,
    digests,
    group_rows,
    map_rows,
    restore_result,
    values,
)
from rankgauge.spark.session import F, session

__all__ = ["evaluate", "records", "result", "sampling_distribution", "session"]

Names = str | Measure | Iterable[str | Measure]

_RAISED = re.compile(r"rankgauge\.errors\.\w+: (?P<words>.*?)(?=\n\s*(?:at |JVM stacktrace|\Z)|\n\n|\Z)", re.DOTALL)
"""An error of ours in the text of one of Spark's."""


def evaluate(
    judgments: Any,
    run: Any,
    measures: Names,
    *,
    dialect: str | Dialect = "standard",
    order: str | None = None,
    **overrides: Any,
) -> Any:
    """Return the values of each query: a Spark frame (query, measure, value) from Spark frames of judgments and a run.

    `overrides` replace single choices of the dialect. Where the order of the input decides between tied documents, it
    is the order in which Spark reads the rows, or that of the whole numbers in the column `order`. A query without a
    value, as it is left out of the mean, has no row. A measure that depends on the top of the grading scale, such as
    ERR, reads the judgments once for it, unless the measure or the dialect says it.
    """
    job = EvaluationJob.of(measures, dialect, **overrides)
    rows = group_rows(judgments, run, job, order=order)
    job = _set_top(job, rows)
    return map_rows(rows.drop("order"), values(job.bare), VALUES)


def result(
    judgments: Any,
    run: Any,
    measures: Names,
    *,
    dialect: str | Dialect = "standard",
    order: str | None = None,
    **overrides: Any,
) -> Result:
    """Return the same as a `Result` on the driver: this runs the job, and fetches a record for each query.

    The hits of the result have no ranks: of them only what the summary needs is fetched.
    """
    job = EvaluationJob.of(measures, dialect, **overrides)
    return restore_result(records(judgments, run, job, order=order), job)


def records(judgments: Any, run: Any, job: EvaluationJob, *, order: str | None = None) -> pl.DataFrame:
    """Return a record for each query, fetched: what `digest.restored` makes a result of, or results of several runs."""
    rows = group_rows(judgments, run, job, order=order)
    job = _set_top(job, rows)
    made = map_rows(rows, digests(job.bare), DIGEST)
    with _plain_errors():
        return pl.DataFrame(pl.from_arrow(made.toArrow()))


def _set_top(job: EvaluationJob, rows: Any) -> EvaluationJob:
    """Set the top of the scale, where a measure needs it: a task sees the grades of its queries only."""
    if job.dialect.max_grade is not None or not any(measure.needs_top for measure in job.measures):
        return job
    (highest,) = rows.where(F.col("kind") == JUDGMENT).agg(F.max("number")).first()
    top = 1.0 if job.dialect.binary else max(highest or 0.0, 0.0)
    return replace(job, dialect=job.dialect.topped(top))


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Raise an error of ours that a task met as it is, without Spark's own words around it."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        raised = _RAISED.search(str(error))
        if raised is None:
            raise
        raise InputError(raised["words"].strip()) from None
