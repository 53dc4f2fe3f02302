"""ndeval: line for line what ndeval prints: a row for each topic and one for their mean, a column for each measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TextIO

import numpy as np

from rankgauge.measures import Printed
from rankgauge.measures.output import fixed
from rankgauge.report.evaluation import EvaluationReport
from rankgauge.report.format import ReportFormat
from rankgauge.result import Result

MEAN = "amean"
DIGITS = fixed(6)


def write(report: EvaluationReport, stream: TextIO) -> None:
    """The header, then each run's rows."""
    columns = report.printed or [Printed(name=str(measure), measure=measure) for measure in report.measures]
    stream.write(",".join(["runid", "topic", *(column.name for column in columns)]) + "\n")
    for run, result in report.results.items():
        for topic, values in _rows(report, result, columns):
            texts = ["nan" if math.isnan(value) else DIGITS(value) for value in values]
            stream.write(",".join([report.tags.get(run, run), topic, *texts]) + "\n")


def _rows(
    report: EvaluationReport, result: Result, columns: Sequence[Printed]
) -> Iterator[tuple[str, Sequence[float]]]:
    """The topics of the run, where they are to be shown, and their mean."""
    places = [result.measures.index(column.measure) for column in columns]
    if report.per_query:
        shown = result.answered | np.bool_(result.dialect.lists_missing)
        rows = zip(result.names, shown.tolist(), result.matrix[:, places].tolist(), strict=True)
        yield from ((topic, row) for topic, is_shown, row in rows if is_shown)
    if report.overall:
        yield MEAN, [result[column.measure] for column in columns]


NDEVAL = ReportFormat(name="ndeval", title="line for line what ndeval prints", needs="rows", write=write).register()
