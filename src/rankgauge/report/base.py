"""The contract of an output format, and what every format is given: results of runs on the same judgments.

A format is one constant in one file; dropping the file in registers it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol, TextIO, TypeVar

import polars as pl

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.measures import Measure, Printed
from rankgauge.registry import Registered, Registry
from rankgauge.report.lines import ALL
from rankgauge.result import Result

__all__ = ["FORMATS", "Format", "Report", "chosen", "find"]

FORMATS: Registry[Format] = Registry("output format", "rankgauge.report.formats")


@dataclass(frozen=True, kw_only=True, eq=False)
class Report:
    """What runs were worth on the same judgments, and how much of it to show."""

    results: Mapping[str, Result]
    per_query: bool = False
    overall: bool = True
    interval: str = "t"
    seed: int = 0
    unjudged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By run, the queries that it answers and that nobody judged."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """By run, the name that it gives itself, where it is to be shown."""
    printed: tuple[Printed, ...] | None = None
    """The measures under the names that they were asked for, in the order to list them in."""

    @property
    def dialect(self) -> Dialect:
        """The dialect that all results were computed in."""
        return next(iter(self.results.values())).dialect

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, in the order in which they were asked for."""
        return next(iter(self.results.values())).measures

    @property
    def several(self) -> bool:
        """Whether there is more than one run to tell apart."""
        return len(self.results) > 1

    @cached_property
    def summaries(self) -> Mapping[str, pl.DataFrame]:
        """The summary of each run: a row per measure."""
        return {run: result.summarise(interval=self.interval, seed=self.seed) for run, result in self.results.items()}

    @cached_property
    def summary(self) -> pl.DataFrame:
        """The summaries under each other, with the run as the first column."""
        return _stacked(self.summaries)

    @cached_property
    def values(self) -> pl.DataFrame:
        """The values per query under each other, with the run as the first column."""
        return _stacked({run: result.values for run, result in self.results.items()})

    @cached_property
    def rows(self) -> pl.DataFrame:
        """What trec_eval would list: run, measure, query, value; the queries where wanted, then `all`."""
        values = self.values.select("run", "measure", "query", "value")
        means = self.summary.select("run", "measure", pl.lit(ALL).alias("query"), pl.col("mean").alias("value"))
        parts = []
        for run in self.results:
            parts += [values.filter(pl.col("run") == run)] if self.per_query else []
            parts += [means.filter(pl.col("run") == run)] if self.overall else []
        rows = pl.concat(parts) if parts else values.clear()
        return rows if self.several else rows.drop("run")


@dataclass(frozen=True, kw_only=True)
class Format(Registered):
    """How a report is written: its name, what it is, the endings of files that hold it."""

    registry = FORMATS

    name: str
    title: str
    endings: tuple[str, ...] = ()
    write: Callable[[Report, TextIO], None]


def find(target: str) -> tuple[Format, Path | None]:
    """The format that an output names: `tsv` is a format, `values.tsv` a file whose ending says it."""
    try:
        return chosen(target, FORMATS)
    except (InputError, UnknownNameError) as error:
        raise _elsewhere(target) or error from None


def _elsewhere(target: str) -> InputError | None:
    """The error for a format that reports on one run at a time lack and comparisons have."""
    from rankgauge.report.compare import find as find_for_compare
    from rankgauge.report.compare import registry as registry_of_compare

    try:
        find_for_compare(target)
    except (InputError, UnknownNameError):
        return None
    theirs = [one for name, one in registry_of_compare().items() if name not in FORMATS]
    listed = " and ".join(one.endings[0] for one in theirs)
    return InputError(
        f"evaluate does not write {target}",
        hint=f"It writes {', '.join(FORMATS)}; 'rankgauge compare', for two runs or more, also writes {listed}.",
    )


class _Ended(Protocol):
    """A format that knows the endings of its files."""

    @property
    def endings(self) -> tuple[str, ...]: ...


Ended = TypeVar("Ended", bound=_Ended)


def chosen(target: str, known: Mapping[str, Ended]) -> tuple[Ended, Path | None]:
    """The one of the formats that an output names, by its own name or by the ending of a file's."""
    if target in known:
        return known[target], None
    path = Path(target)
    by_ending = {ending: format_ for format_ in known.values() for ending in format_.endings}
    if path.suffix in by_ending:
        return by_ending[path.suffix], path
    if path.suffix:
        raise InputError(
            f"no output format belongs to the ending {path.suffix}",
            path=path,
            hint=f"Known endings: {', '.join(sorted(by_ending))}.",
        )
    raise UnknownNameError("output format", target, known)


def _stacked(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    named = [frame.select(pl.lit(run).alias("run"), pl.all()) for run, frame in frames.items()]
    return pl.concat(named)
