"""The job that every task does: whole queries in, their values out, by the very functions of one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import polars as pl

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.evaluation.evaluation import score_hits
from rankgauge.evaluation.judged_hits import join_judgments
from rankgauge.evaluation.result import Result
from rankgauge.files import JUDGMENTS, RUN, Table, check
from rankgauge.files.reading import whole_queries
from rankgauge.files.validation import Place, check_subtopics
from rankgauge.measures import Measure
from rankgauge.measures.measure import kind_asked
from rankgauge.policies import IdealPool, JudgmentKind
from rankgauge.ranking import rank

ROWS = 200_000
"""How many rows are worked on at a time, at least: a batch ends with the query that reaches it."""

JUDGMENT, LINE = 0, 1
"""The kinds of rows: a judgment, and a line of the run."""


@dataclass(frozen=True, kw_only=True)
class EvaluationJob:
    """Some measures under a dialect, for queries that come in batches.

    A batch has the columns query, kind, document, number (the grade of a judgment, the score of a line) and, where
    several assessors are combined, assessor. The rows of a query are together, in the order of the input.
    """

    dialect: Dialect
    measures: tuple[Measure, ...]

    @classmethod
    def of(
        cls, measures: str | Measure | Iterable[str | Measure], dialect: str | Dialect = "standard", **overrides: Any
    ) -> Self:
        """Return the job that the names stand for."""
        spoken = dialects.get(dialect).changed(**overrides)
        return cls(dialect=spoken, measures=spoken.select(measures))

    @property
    def asks(self) -> JudgmentKind:
        """What the measures ask judgments to say."""
        return kind_asked(self.measures)

    @property
    def bare(self) -> EvaluationJob:
        """The same job without what the tool prints, which no task needs."""
        return replace(self, dialect=replace(self.dialect, printed=()))

    @property
    def shares_ideal(self) -> bool:
        """Whether the lists of a query that comes back need the judgments of its first list."""
        return any(self.dialect.choice("ideal", measure) is IdealPool.FIRST for measure in self.measures)

    def results(self, batches: Iterable[pl.DataFrame], *, by: str = "query") -> Iterator[tuple[pl.DataFrame, Result]]:
        """Yield the result of each batch of whole queries; queries that nobody judged have none, the frame has them."""
        for frame in whole_queries(batches, rows=ROWS, name="the partition", by=by):
            judged, lines = (frame.filter(pl.col("kind") == kind) for kind in (JUDGMENT, LINE))
            yield frame, self.result(judged, lines) if len(judged) else self.nothing(lines)

    def result(self, judgments: pl.DataFrame, run: pl.DataFrame) -> Result:
        """Return the result of whole queries."""
        graded = _check(judgments.rename({"number": "grade"}), JUDGMENTS)
        check_subtopics(graded, self.asks)
        listed = _check(run.rename({"number": "score"}), RUN)
        parts = [
            score_hits(join_judgments(graded, listed, one, kind=self.asks), measures, one)
            for one, measures in self.dialect.parts(self.measures).items()
        ]
        return Result.joined(parts, self.measures, self.dialect)

    def nothing(self, run: pl.DataFrame) -> Result:
        """Return the result where nothing was judged: no values, but a fault in the run is one here too."""
        _check(run.rename({"number": "score"}), RUN)
        empty = pl.DataFrame(schema={**JUDGMENTS.required})
        hits = rank(pl.DataFrame(schema={**RUN.required}), empty, self.dialect.ranking)
        return score_hits(hits, self.measures, self.dialect)


def _check(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """Return the frame as the table; a batch may have no rows, which is no fault."""
    wanted = frame.select(name for name in table.columns if name in frame.columns)
    return check(wanted, table, locate=_shower(wanted), whole=True) if len(wanted) else wanted


def _shower(frame: pl.DataFrame) -> Callable[[int], Place]:
    """Return the text of a row; a number would say nothing, as rows of a partition have no place in any file."""
    return lambda row: (0, ", ".join(f"{name} {value}" for name, value in frame.row(row, named=True).items()))
