"""What `rankgauge evaluate` does: every run against the judgments, and one report of them all."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from rankgauge import dialects, io
from rankgauge.cli.interrupts import heed
from rankgauge.cli.progress import followed
from rankgauge.dialects import Dialect
from rankgauge.errors import UnknownNameError
from rankgauge.evaluate import evaluate
from rankgauge.io.base import Head
from rankgauge.io.source import Source
from rankgauge.measures import Printed, resolve
from rankgauge.measures.trec_names import SETS
from rankgauge.report import Report
from rankgauge.summary import INTERVALS

__all__ = ["Work"]

TAG = 5
"""The column of a TREC run's name."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """Judgments, runs, and how to judge them."""

    judgments: Path
    runs: tuple[Path, ...]
    measures: tuple[str, ...]
    dialect: str
    overrides: Mapping[str, Any]
    formats: tuple[str | None, str | None]
    verbose: bool

    def report(self, *, per_query: bool, overall: bool, interval: str, seed: int) -> Report:
        """The results of all runs."""
        heed()
        if interval not in INTERVALS:
            raise UnknownNameError("interval", interval, INTERVALS)
        spoken = dialects.get(self.dialect).changed(**self.overrides)  # a wrong name shows before anything is read
        printed = tuple(named for name in self.measures for named in _printed(name, spoken))
        results, unjudged = {}, {}
        for path, name in followed(self._named()):
            judgments, run = self._tables(path)
            started = time.perf_counter()
            results[name] = evaluate(judgments, run, self.measures, dialect=spoken)
            unjudged[name] = _strangers(judgments, run)
            self._tell(f"evaluated {name} in {time.perf_counter() - started:.2f} s")
        return Report(
            results=results,
            per_query=per_query,
            overall=overall,
            interval=interval,
            seed=seed,
            unjudged=unjudged,
            tags=self._tags(),
            printed=printed,
        )

    def _named(self) -> list[tuple[Path, str]]:
        """The runs with the names to show them under: that of the file, or the whole path where two are the same."""
        names = [path.name for path in self.runs]
        return [(path, str(path) if names.count(path.name) > 1 else path.name) for path in self.runs]

    def _tags(self) -> dict[str, str]:
        """The names that the runs give themselves; trec_eval prints them along with its sets of measures."""
        if not SETS.keys() & self.measures:
            return {}
        found = {name: _tag(path) for path, name in self._named()}
        return {name: tag for name, tag in found.items() if tag is not None}

    def _tables(self, run: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
        started = time.perf_counter()
        first, second = self.formats
        if first is None and second is None:
            tables = io.read_pair(self.judgments, run)
        else:
            tables = io.read_judgments(self.judgments, first), io.read_run(run, second)
        for path, table in zip((self.judgments, run), tables, strict=True):
            self._tell(f"read {path}: {len(table)} rows, {table['query'].n_unique()} queries")
        self._tell(f"read both in {time.perf_counter() - started:.2f} s")
        return tables

    def _tell(self, words: str) -> None:
        if self.verbose:
            print(words, file=sys.stderr)


def _printed(name: str, dialect: Dialect) -> Iterable[Printed]:
    """The measures that a name stands for, and their labels; `all` is what the dialect prints."""
    return dialect.printed if name == "all" and dialect.printed else resolve([name])


def _tag(run: Path) -> str | None:
    """The name in the last column of a TREC run; a pipe is read only once, so its name is not known."""
    if not run.is_file() or io.detect(run).format.name != "trec":
        return None
    fields = Head(source=Source.of(run)).fields[0]
    return fields[TAG] if len(fields) > TAG else None


def _strangers(judgments: pl.DataFrame, run: pl.DataFrame) -> tuple[str, ...]:
    """The queries of the run that nobody judged."""
    judged, asked = (table["query"].unique(maintain_order=True) for table in (judgments, run))
    return tuple(asked.filter(~asked.is_in(judged.implode())))
