"""ndeval: line for line what ndeval prints: a row for each topic and one for their mean, a column for each measure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TextIO

from rankgauge.measures.output import fixed
from rankgauge.render.format import ReportFormat

if TYPE_CHECKING:
    from rankgauge.comparison.report import ComparisonReport
    from rankgauge.evaluation.report import EvaluationReport

DIGITS = fixed(6)


def write(report: EvaluationReport | ComparisonReport, stream: TextIO) -> None:
    """The header, then each run's rows."""
    measures, lines = report.topics()
    stream.write(",".join(["runid", "topic", *measures]) + "\n")
    for run, topic, values in lines:
        texts = ["nan" if math.isnan(value) else DIGITS(value) for value in values]
        stream.write(",".join([run, topic, *texts]) + "\n")


NDEVAL = ReportFormat(
    name="ndeval", title="line for line what ndeval prints", needs="topics", write=write, bare=True
).register()
