"""What a task of Spark does with a partition: Arrow batches in, Arrow batches out, whole queries in between.

A task holds one batch of whole queries (`job.ROWS` rows, or the longest list where that is longer), never its
partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl

from rankgauge.spark.job import EvaluationJob
from rankgauge.spark.rows import DIGEST, digest
from rankgauge.spark.session import quiet

Task = Callable[[Iterator[Any]], Iterator[Any]]

VALUES: Mapping[str, str] = {"query": "string", "measure": "string", "value": "double"}
"""The columns of values, in Spark's types."""


def values(job: EvaluationJob, by: str) -> Task:
    """The task that gives the settled values: query, measure, value."""

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        for _, result in job.results(frames(batches), by=by):
            yield from packed(result.values, VALUES)

    return task


def digests(job: EvaluationJob, by: str) -> Task:
    """The task that gives a record for each query."""

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        for frame, result in job.results(frames(batches), by=by):
            # The judgments of a query come before its lines.
            kinds = frame.group_by("query", "kind").agg(pl.col("order").min().alias("place"))
            places = kinds.sort("kind").unique("query", keep="first").select("query", "place")
            yield from packed(digest(result, places), DIGEST)

    return task


def mapped(rows: Any, task: Task, columns: Mapping[str, str]) -> Any:
    """The Spark frame that the task makes of the rows, partition by partition."""
    with quiet():
        return rows.mapInArrow(task, ", ".join(f"{name} {kind}" for name, kind in columns.items()))


def frames(batches: Iterator[Any]) -> Iterator[pl.DataFrame]:
    """The batches that hold rows."""
    for batch in batches:
        if batch.num_rows:
            yield pl.DataFrame(pl.from_arrow(batch))


def packed(frame: pl.DataFrame, columns: Mapping[str, str]) -> Iterator[Any]:
    """The frame as Arrow batches of exactly those columns."""
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "double": pa.float64(),
        "long": pa.int64(),
        "boolean": pa.bool_(),
        "array<double>": pa.list_(pa.float64()),
    }
    schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
    yield from frame.select(list(columns)).to_arrow().cast(schema).to_batches()
