"""What `rankgauge evaluate` does: every run against the judgments, and one report of them all."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankgauge import dialects, io
from rankgauge.backends import engine
from rankgauge.cli.interrupts import heed
from rankgauge.cli.progress import followed
from rankgauge.errors import UnknownNameError
from rankgauge.io.format import Head
from rankgauge.io.source import Source
from rankgauge.measures import measures_of
from rankgauge.measures.trec_names import SETS
from rankgauge.report.evaluation import EvaluationReport
from rankgauge.summary import INTERVALS

__all__ = ["Work"]

TAG = 5
"""The column of a TREC run's name."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """Judgments, runs, and how to judge them."""

    judgments: Path
    runs: Mapping[str, Path]
    """The runs by the names to show them under."""
    measures: tuple[str, ...]
    dialect: str
    overrides: Mapping[str, Any]
    formats: tuple[str | None, str | None]
    engine: str = "local"
    master: str | None = None
    verbose: bool

    def report(self, *, per_query: bool, overall: bool, interval: str, seed: int) -> EvaluationReport:
        """The results of all runs."""
        heed()
        if interval not in INTERVALS:
            raise UnknownNameError("interval", interval, INTERVALS)
        spoken = dialects.get(self.dialect, **self.overrides)  # a wrong name shows before anything is read
        printed = spoken.resolve(self.measures)
        chosen = engine(self.engine, master=self.master)
        results = {}
        for path, name in followed([(path, name) for name, path in self.runs.items()]):
            started = time.perf_counter()
            with io.traced(path, self.formats[1]):
                results[name] = chosen.evaluate(*self._sources(path), measures_of(printed), dialect=spoken)
            hits = results[name].hits
            self._tell(
                f"read and evaluated {name} in {time.perf_counter() - started:.2f} s: "
                f"{len(hits.queries)} judged queries, {hits.retrieved.sum():.0f} documents retrieved for them, "
                f"{len(hits.query)} of these judged"
            )
        return EvaluationReport(
            results=results,
            per_query=per_query,
            overall=overall,
            interval=interval,
            seed=seed,
            unjudged={name: result.hits.strangers for name, result in results.items()},
            tags=self._tags(),
            printed=printed,
        )

    def _tags(self) -> dict[str, str]:
        """The names that the runs give themselves; trec_eval prints them along with its sets of measures."""
        if not SETS.keys() & self.measures:
            return {}
        found = {name: _tag(path) for name, path in self.runs.items()}
        return {name: tag for name, tag in found.items() if tag is not None}

    def _sources(self, run: Path) -> tuple[Any, Any]:
        """The two files; where their formats are named, what they hold."""
        first, second = self.formats
        if first is None and second is None:
            return self.judgments, run
        return io.read_judgments(self.judgments, first), io.read_run(run, second)

    def _tell(self, words: str) -> None:
        if self.verbose:
            print(words, file=sys.stderr)


def _tag(run: Path) -> str | None:
    """The name in the last column of a TREC run; a pipe is read only once, so its name is not known."""
    if not run.is_file() or io.detect(run).format.name != "trec":
        return None
    fields = Head(source=Source.of(run)).fields[0]
    return fields[TAG] if len(fields) > TAG else None
