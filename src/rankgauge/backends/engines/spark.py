"""spark: Spark's frames in, Spark's frames out; the kernels of one machine on whole partitions.

    judgments ∪ run → exchange by query → sort → mapInArrow: rank, score, settle → values

Nothing is computed until an action asks for it, except where that is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from rankgauge import dialects, io
from rankgauge.backends import tasks
from rankgauge.backends.digest import DIGEST, restored
from rankgauge.backends.job import Job
from rankgauge.backends.pools import sampling_distribution
from rankgauge.backends.rows import OWNER, grouped
from rankgauge.backends.sessions import session
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.measures import Measure
from rankgauge.result import Result

__all__ = ["Spark", "evaluate", "records", "result", "sampling_distribution", "session"]

Names = str | Measure | Iterable[str | Measure]

_RAISED = re.compile(r"rankgauge\.errors\.\w+: (?P<words>.*?)(?=\n\s*(?:at |JVM stacktrace|\Z)|\n\n|\Z)", re.DOTALL)
"""An error of ours in the text of one of Spark's."""

_STORE = re.compile(r"^(\w{2,}):/")
"""How an address begins, as in s3a://bucket; a single letter is a drive."""


def evaluate(
    judgments: Any,
    run: Any,
    measures: Names,
    *,
    dialect: str | Dialect = "standard",
    order: str | None = None,
    **overrides: Any,
) -> Any:
    """The values of each query: a Spark frame (query, measure, value) from Spark frames of judgments and a run.

    `overrides` replace single choices of the dialect. Where the order of the input decides between tied documents, it
    is the order in which Spark reads the rows, or that of the whole numbers in the column `order`. A query without a
    value, as it is left out of the mean, has no row.
    """
    job = Job.of(measures, dialect, **overrides)
    rows = grouped(judgments, run, job, order=order)
    return tasks.mapped(rows.drop("order"), tasks.values(job.bare, _by(job)), tasks.VALUES)


def result(
    judgments: Any,
    run: Any,
    measures: Names,
    *,
    dialect: str | Dialect = "standard",
    order: str | None = None,
    **overrides: Any,
) -> Result:
    """The same as a `Result` on the driver, with its summary: this runs the job, and fetches a record for each query.

    The hits of the result have no ranks: of them only what the summary needs is fetched.
    """
    job = Job.of(measures, dialect, **overrides)
    return restored(records(judgments, run, job, order=order), job)


def records(judgments: Any, run: Any, job: Job, *, order: str | None = None) -> pl.DataFrame:
    """A record for each query, fetched: what `digest.restored` makes a result of, or results of several runs."""
    rows = grouped(judgments, run, job, order=order)
    made = tasks.mapped(rows, tasks.digests(job.bare, _by(job)), DIGEST)
    with _plain_errors():
        return pl.DataFrame(pl.from_arrow(made.toArrow()))


@dataclass(frozen=True, kw_only=True)
class Spark:
    """The engine that runs on Spark. Frames of Spark and paths are taken.

    Parquet files and folders of them are read by Spark; files of other formats by the driver, which hands them on.
    """

    master: str | None = None

    def evaluate(self, judgments: Any, run: Any, measures: Names, *, dialect: str | Dialect = "standard") -> Result:
        """How good a run is."""
        started, spoken = session(self.master), dialects.get(dialect)
        if _is_text(judgments) and _is_text(run):  # two files may need each other to be understood
            judgments, run = io.read_pair(judgments, run, reading=spoken.reading)
        frames = (
            _frame(started, judgments, io.judgments_from),
            _frame(started, run, io.run_from),
        )
        return result(*frames, measures, dialect=spoken)


def _by(job: Job) -> str:
    return OWNER if job.shares_ideal else "query"


def _frame(started: Any, source: Any, read: Any) -> Any:
    """The frame that a path names, or the frame itself."""
    if hasattr(source, "mapInArrow"):
        return source
    if io.is_path(source) and not _is_text(source):
        return started.read.parquet(_address(str(source)))
    return started.createDataFrame(read(source).to_arrow())


def _is_text(source: Any) -> bool:
    """Whether the source is a file that the driver reads: neither Parquet, nor a folder of it, nor in a store."""
    if not io.is_path(source):
        return False
    path = Path(source)
    return not (path.is_dir() or path.suffix.lower() in (".parquet", ".pq") or _STORE.match(str(source)))


def _address(path: str) -> str:
    """The address of a store: as a path, s3a://bucket has lost a stroke."""
    return re.sub(_STORE.pattern + "(?=[^/])", r"\1://", path)


@contextmanager
def _plain_errors() -> Iterator[None]:
    """An error of ours that a task met is raised as it is, without Spark's own words around it."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        found = _RAISED.search(str(error))
        if found is None:
            raise
        raise InputError(found["words"].strip()) from None
