"""The report of `rankgauge audit explain`: one query rank by rank, under each dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankgauge.audit.tools import Explanation
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import number
from rankgauge.render.passages import Heading, Notes, Passage, ReportTable

COLUMNS = {
    "gain": "gain",
    "discount": "discount",
    "contribution": "adds",
    "cumulative": "sum",
    "ideal": "ideal grade",
    "ideal_cumulative": "ideal DCG",
}
"""The columns of an explanation, and their headings."""

RANKS = 20
"""How many ranks are shown of a measure that has no cutoff."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ExplanationReport(Report):
    """What each dialect makes of one query."""

    command = "audit explain"

    found: Sequence[Explanation]
    refused: Mapping[str, str] = field(default_factory=dict)
    """By tool, why it refuses the input."""

    def document(self, medium: Medium) -> ReportDocument:
        """Each dialect stage by stage, and then the values beside each other."""
        return ReportDocument(headline=f"Query {self.found[0].query}", passages=tuple(self._passages()))

    def _passages(self) -> Iterator[Passage]:
        for one in self.found:
            yield Heading(one.dialect.name, words=f"  {one.dialect.title}")
            yield _ranks(one)
            yield Notes(_stages(one))
        yield Heading(f"Query {self.found[0].query}")
        yield _values(self.found)
        if self.refused:
            yield Heading("Refused", words="  by tools that do not take this input")
            yield Notes(list(self.refused.items()))


def _ranks(explanation: Explanation) -> ReportTable:
    """The documents down to the cutoff."""
    shown = explanation.ranks.head(explanation.kernel.depth or RANKS)
    present = [name for name in COLUMNS if name in shown.columns]
    numbers = ("rank", "grade", *(COLUMNS[name] for name in present))
    rows = []
    for row in shown.iter_rows(named=True):
        grade = "–" if row["grade"] is None else f"{row['grade']:g}"
        tied = f"{row['document']} =" if row["tied"] > 1 else row["document"]
        cells = ("–" if row[name] is None else _cell(name, row[name]) for name in present)
        rows.append((str(row["rank"]), tied, grade, *cells))
    return ReportTable(header=("rank", "document", *numbers[1:]), rows=rows, numbers=numbers)


def _cell(name: str, amount: float) -> str:
    if np.isinf(amount):  # a grade that the tool reads as "not judged"
        return "–"
    return f"{amount:g}" if name in ("gain", "ideal") else f"{amount:.4f}"


def _stages(explanation: Explanation) -> list[tuple[str, str]]:
    """What the dialect does at each stage."""
    dialect, kernel, raw = explanation.dialect, explanation.kernel, explanation.raw
    more = len(explanation.ranks) - (kernel.depth or RANKS)
    stages = [("further", f"{more} documents below these")] if more > 0 else []
    tied = bool((explanation.ranks["tied"] > 1).any())
    stages.append(("order", dialect.ties.words + " (= marks them)" if tied else "by falling score, no ties"))
    stages += [
        (name, str(getattr(kernel, name))) for name in ("gain", "discount") if getattr(kernel, name, None) is not None
    ]
    stages += [("ideal", dialect.ideal.words)] if "ideal" in explanation.ranks.columns else []
    return [*stages, ("value", explanation.settled if np.isnan(raw) else f"{number(raw)}, {explanation.settled}")]


def _values(found: Sequence[Explanation]) -> ReportTable:
    rows = [
        (one.dialect.name, "0/0" if np.isnan(one.raw) else number(one.raw), number(one.value), one.settled)
        for one in found
    ]
    return ReportTable(header=("tool", "formula", "counts", ""), rows=rows, numbers=("formula", "counts"))
