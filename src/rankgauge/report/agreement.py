"""The report of `rankgauge judgments agreement`: how far assessors agree."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.judgments import Agreement
from rankgauge.judgments.coefficient import COEFFICIENTS
from rankgauge.report.format import Medium, Report, ReportDocument
from rankgauge.report.numbers import interval, number
from rankgauge.report.passages import Notes, ReportTable

KAPPAS = {"observed": "observed", "kappa": "kappa", "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
"""The columns of a pair of assessors, and their headings."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementReport(Report):
    """How far assessors agree, and the seed of the intervals' bootstrap."""

    command = "judgments agreement"

    found: Agreement
    seed: int

    def document(self, medium: Medium) -> ReportDocument:
        """The coefficients with their intervals, the pairs of assessors, each assessor's habits, and notes."""
        return ReportDocument(
            headline="How far assessors agree",
            passages=(self._coefficients(), self._pairs(), self._assessors(), Notes(self._notes())),
        )

    def _coefficients(self) -> ReportTable:
        rows = [
            (row["coefficient"], number(row["value"]), interval(row["low"], row["high"]), str(row["items"]))
            for row in self.found.coefficients.iter_rows(named=True)
        ]
        header = ("coefficient", "value", f"{100 * self.found.level:g} % interval", "items")
        return ReportTable(header=header, rows=rows, numbers=("value", "items"))

    def _pairs(self) -> ReportTable:
        rows = [
            (row["assessor"], row["other"], str(row["items"]), *(number(row[column]) for column in KAPPAS))
            for row in self.found.pairs.iter_rows(named=True)
        ]
        numbers = ("items", *KAPPAS.values())
        return ReportTable(header=("assessor", "other", *numbers), rows=rows, numbers=numbers)

    def _assessors(self) -> ReportTable:
        rows = [
            (row["assessor"], str(row["judgments"]), number(row["mean_grade"]))
            for row in self.found.assessors.iter_rows(named=True)
        ]
        numbers = ("judgments", "mean grade")
        return ReportTable(header=("assessor", *numbers), rows=rows, numbers=numbers)

    def _notes(self) -> list[tuple[str, str]]:
        return [
            *((known.name, f"{known.title}: {known.words}") for known in COEFFICIENTS.values()),
            ("kappa", "Cohen's kappa of two assessors; linear and quadratic weigh how far apart their grades are"),
            ("interval", f"bootstrap over items, seed {self.seed}"),
        ]
