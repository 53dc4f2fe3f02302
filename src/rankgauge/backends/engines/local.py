"""local: this machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rankgauge.backends.engine import Engine
from rankgauge.dialects import Dialect
from rankgauge.evaluation import evaluate
from rankgauge.measures import Measure
from rankgauge.result import Result


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
        return evaluate(judgments, run, measures, dialect=dialect)
