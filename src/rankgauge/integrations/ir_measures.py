"""A provider for ir-measures, and so for PyTerrier's experiments: RankGauge's measures, dialects and policies.

from rankgauge.integrations.ir_measures import RankGauge, use

RankGauge("trec_eval").calc_aggregate([nDCG @ 10], qrels, run)  # like any provider
use("standard", ties="best")                                    # before all others from now on, in pt.Experiment too
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures.providers.base import Evaluator, Provider
from ir_measures.util import Metric, QrelsConverter, RunConverter

from rankgauge.dialects import Dialect, get
from rankgauge.errors import RankGaugeError
from rankgauge.evaluation.evaluation import evaluate
from rankgauge.input_notes import collecting_notes
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure, parse


class RankGauge(Provider):  # type: ignore[misc]
    """The provider: every measure of ir-measures that RankGauge has, by one dialect."""

    NAME = "rankgauge"

    def __init__(self, dialect: str | Dialect = "ir-measures", **overrides: Any) -> None:
        """`overrides` replace single choices of the dialect, such as `ties="expected"`."""
        super().__init__()
        self.dialect = get(dialect, **overrides)

    def supports(self, measure: Any) -> bool:
        """Say whether RankGauge computes the measure."""
        try:
            return self.dialect.has(parse(measure))
        except RankGaugeError:
            return False

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> RunEvaluator:
        return RunEvaluator(list(measures), qrels, self.dialect)


class RunEvaluator(Evaluator):  # type: ignore[misc]
    """The values of runs on one set of judgments."""

    def __init__(self, measures: list[Any], qrels: Any, dialect: Dialect) -> None:
        self._judgments = QrelsConverter(qrels).as_pd_dataframe()
        super().__init__(measures, set(self._judgments["query_id"]))
        self._dialect = dialect
        self._ours: dict[Measure, Any] = {parse(measure): measure for measure in measures}

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        frame = RunConverter(run).as_pd_dataframe()
        if frame.empty:
            return
        with collecting_notes():
            result = evaluate(self._judgments, frame, tuple(self._ours), dialect=self._dialect)
        rows = result.values.with_columns(pl.col("query").cast(pl.String))
        for query, name, value in rows.iter_rows():
            yield Metric(query_id=query, measure=self._ours[parse(name)], value=value)


def use(dialect: str | Dialect = "ir-measures", **overrides: Any) -> RankGauge:
    """Put RankGauge before the other providers of ir-measures' pipeline, and return it."""
    provider = RankGauge(dialect, **overrides)
    others = [one for one in ir_measures.DefaultPipeline.providers if not isinstance(one, RankGauge)]
    ir_measures.DefaultPipeline.providers[:] = [provider, *others]
    return provider
