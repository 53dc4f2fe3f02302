"""The report of `rankgauge audit lint`: what in the data distorts scores, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankgauge.audit.tools.check import Lint
from rankgauge.audit.tools.tables import contribution
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import number, share
from rankgauge.render.passages import Heading, Notes, Paragraph, Passage


@dataclass(frozen=True, kw_only=True, eq=False)
class FindingsReport(Report):
    """What a lint found, and the measure that its effect is shown by."""

    command = "audit lint"

    found: Sequence[Lint]
    measure: str

    def document(self, medium: Medium) -> ReportDocument:
        """Each finding: how many, what it does to which tool, examples, and the means with and without."""
        passages = [passage for one in self.found for passage in self._finding(one)]
        return ReportDocument(passages=passages or [Paragraph("Nothing in this data distorts scores.")])

    def _finding(self, one: Lint) -> Iterator[Passage]:
        finding = one.finding
        part = share(finding.count, finding.of)
        title = one.check.title[0].upper() + one.check.title[1:]
        yield Heading(f"{title}:", words=f" {finding.count} of {finding.of} {finding.things} ({part})")
        more = finding.count - len(finding.examples)
        examples = ", ".join(finding.examples) + (f" and {more} more" if more > 0 else "")
        notes = [
            ("  effect", one.check.effect),
            ("  such as", examples),
            (f"  {self.measure}", "; ".join(_shifts(one))),
        ]
        yield Notes([(subject, words) for subject, words in notes if words])


def _shifts(one: Lint) -> list[str]:
    """The means with and without the queries; tools that agree share a line."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for shift in one.shifts:
        key = (number(shift.whole), number(shift.without), contribution(shift.amount) or "0")
        groups.setdefault(key, []).append(shift.dialect)
    return [
        f"{', '.join(names)} {whole}, without them {without} ({amount})"
        for (whole, without, amount), names in groups.items()
    ]
