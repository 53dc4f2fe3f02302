"""local: this machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rankgauge.dialects import Dialect
from rankgauge.evaluation.evaluation import evaluate, evaluate_runs
from rankgauge.evaluation.result import Result
from rankgauge.measures import Measure
from rankgauge.spark.engine import Engine


class Local(Engine):
    """This machine: `rankgauge.evaluate`, which scans, streams or reads as the files allow."""

    name = "local"

    def evaluate(
        self,
        judgments: Any,
        run: Any,
        measures: str | Measure | Iterable[str | Measure],
        *,
        dialect: str | Dialect = "standard",
    ) -> Result:
        """How good a run is; paths, frames or dicts are taken."""
        found: Result = evaluate(judgments, run, measures, dialect=dialect)
        return found

    def evaluate_all(
        self, judgments: Any, runs: Mapping[str, Any], measures: Sequence[Measure], *, dialect: Dialect
    ) -> Iterator[tuple[str, Result]]:
        """The name and the result of each run; judgments are read once, and runs by several threads."""
        return evaluate_runs(judgments, runs, dialect.select(measures), dialect)
