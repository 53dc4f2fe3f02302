"""The gate over collections: whether runs are worse than the baselines on the mean, or on a single collection.

On these collections, since a pipeline sees the same ones every time. The mean difference is *worse*, *pass* or
*undecided* by the rule of every gate (`comparison/gate.py`), at 1 − α/k for k measures, runs and baselines. A
collection that is worse by more than its tolerance fails the gate too, at 1 − α/(k · collections); none makes it
undecided. Half of α goes to the means and half to the collections, so that the chance of any false alarm stays below
α.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison.collections.board import CollectionsComparison
from rankgauge.comparison.gate import FEWEST, GateRule, GateVerdict, decide, widened
from rankgauge.comparison.gate_report import GateCase
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.plain_table import PlainTable
from rankgauge.records import entity
from rankgauge.render.numbers import general, interval, signed, thousands
from rankgauge.render.passages import Heading, Notes, Paragraph, Passage
from rankgauge.render.table import Column, ReportTable
from rankgauge.statistics import t_interval
from rankgauge.statistics.student import student_quantile

if TYPE_CHECKING:
    from rankgauge.comparison.looks import GateLook
    from rankgauge.numeric import FloatArray

ROWS: Mapping[str, type] = {
    **dict.fromkeys(("measure", "collection", "run", "other"), str),
    **dict.fromkeys(("tolerance", "difference", "low", "high"), float),
    "queries": int,
    "verdict": str,
}
"""The columns of the gate's rows; the mean over collections has no collection."""


@entity
class CollectionsGate:
    """Rules for the runs of a comparison over collections."""

    comparison: CollectionsComparison
    rules: tuple[GateRule, ...]
    tolerances: Mapping[str, float] = field(default_factory=dict)
    """The losses that single collections may have, in the place of the rules' own."""
    look: GateLook | None = None
    """Which look this is, where the gate is looked at again and again."""

    def __post_init__(self) -> None:
        board = self.comparison
        if not board.baselines:
            raise ParameterError("the gate", "baseline", "one of the runs, as in --baseline main", None)
        if not self.rules:
            raise ParameterError("the gate", "rules", "at least one, such as nDCG@10:0.01", [])
        if not board.answers_here:
            raise InputError("a gate needs values by query, and these collections have scores alone")
        for rule in self.rules:
            if rule.measure not in board.measures:
                raise UnknownNameError("measure of the comparison", rule.measure, board.measures)
            if rule.measure in board.ascending:
                raise ParameterError("the gate", "measure", "one of which more is better, such as AP", rule.measure)
        for name, loss in self.tolerances.items():
            if name not in [one.name for one in board.collections]:
                raise UnknownNameError("collection", name, [one.name for one in board.collections])
            if not 0 <= loss < math.inf:
                raise ParameterError("the gate", "collection-tolerance", "a loss of 0 or more", f"{name}:{loss:g}")

    @property
    def alpha(self) -> float:
        """The level of the mistakes of the interval of a mean."""
        tests = len(self.rules) * len(self.comparison.paired[0])
        level = self.comparison.settings.alpha if self.look is None else self.look.spent
        return level / 2 / max(tests, 1)

    @property
    def collection_alpha(self) -> float:
        """The same for a single collection."""
        return self.alpha / len(self.comparison.collections)

    @cached_property
    def rows(self) -> PlainTable:
        """A row per rule and pair: the mean over collections."""
        rows = []
        for rule in self.rules:
            measured = self.comparison.measured(rule.measure)
            errors = measured.errors["here"]
            queries = sum(len(one.queries) for one in self.comparison.collections)
            for run, other in zip(*self.comparison.paired, strict=True):
                gap = float(measured.mean[run] - measured.mean[other])
                half = float(
                    student_quantile(errors.freedom[run, other], 1 - self.alpha / 2) * errors.paired[run, other]
                )
                verdict = self._decide(gap, gap - half, gap + half, rule.tolerance, thin=self._thin)
                rows.append(
                    ("", *self._names(run, other), rule.tolerance, gap, gap - half, gap + half, queries, verdict)
                )
        return self._table(rows)

    @cached_property
    def collection_rows(self) -> PlainTable:
        """A row per rule, collection and pair."""
        rows = []
        for rule in self.rules:
            measured = self.comparison.measured(rule.measure)
            for one, values in zip(self.comparison.collections, measured.values, strict=True):
                tolerance = self.tolerances.get(one.name, rule.tolerance)
                gaps: FloatArray = values[:, self.comparison.paired[0]] - values[:, self.comparison.paired[1]]
                ends = widened(t_interval(gaps, 1 - self.collection_alpha), gaps, self.collection_alpha)
                few = len(gaps) < FEWEST and bool(gaps.any())
                for pair, (run, other) in enumerate(zip(*self.comparison.paired, strict=True)):
                    gap, low, high = float(gaps[:, pair].mean()), float(ends.low[pair]), float(ends.high[pair])
                    verdict = self._decide(gap, low, high, tolerance, thin=one.is_thin or few)
                    rows.append((one.name, *self._names(run, other), tolerance, gap, low, high, len(gaps), verdict))
        return self._table(rows)

    def _table(self, rows: list[tuple[Any, ...]]) -> PlainTable:
        measures = np.repeat([rule.measure for rule in self.rules], len(rows) // len(self.rules)).tolist()
        return PlainTable.of_rows(ROWS, [(measure, *row) for measure, row in zip(measures, rows, strict=True)])

    def _names(self, run: int, other: int) -> tuple[str, str]:
        return self.comparison.runs[run], self.comparison.runs[other]

    @property
    def _thin(self) -> bool:
        return any(one.is_thin for one in self.comparison.collections)

    def _decide(self, gap: float, low: float, high: float, tolerance: float, *, thin: bool) -> str:
        return (GateVerdict.UNDECIDED if thin else decide(gap, low, high, tolerance=tolerance)).value

    @property
    def lost(self) -> PlainTable:
        """The collections that are worse."""
        return self.collection_rows.where("verdict", GateVerdict.WORSE.value)

    @cached_property
    def verdict(self) -> GateVerdict:
        """Worse if the mean or a collection is; else undecided if the mean is; else pass."""
        told = {*self.rows["verdict"], *self.lost["verdict"]}
        order = (GateVerdict.WORSE, GateVerdict.UNDECIDED)
        return next((one for one in order if one.value in told), GateVerdict.PASS)

    def headline(self) -> str:
        """One sentence: the verdict and what it rests on."""
        rows = [*self.rows.where("verdict", self.verdict.value).named(), *self.lost.named()]
        if self.verdict is not GateVerdict.WORSE:
            rows = rows[: len(self.rows)]
        told = "; ".join(f"{_subject(row)} {signed(row['difference'])}" for row in rows)
        words = {
            GateVerdict.WORSE: "worse than",
            GateVerdict.PASS: "pass against",
            GateVerdict.UNDECIDED: "undecided against",
        }
        luck = " by more than luck" if self.verdict is GateVerdict.WORSE else ""
        thin = "; too little is judged" if self._thin and self.verdict is GateVerdict.UNDECIDED else ""
        return f"{words[self.verdict]} {' and '.join(self.comparison.baselines)}{luck}: {told}{thin}"

    def passages(self) -> Iterator[Passage]:
        """The verdict, the rows of the means, and the collections that are worse."""
        yield Heading(f"Gate: {self.verdict.value}")
        said = self.headline()
        yield Paragraph(f"{said[:1].upper()}{said[1:]}.")
        yield ReportTable(columns=_columns(self.alpha), rows=list(self.rows.named()))
        if len(self.lost):
            columns = (Column("collection"), *_columns(self.collection_alpha))
            yield Heading("Collections that are worse", level=3)
            yield ReportTable(columns=columns, rows=list(self.lost.named()))
        yield Notes(list(self.notes()))

    def notes(self) -> Iterator[tuple[str, str]]:
        """The rule in words."""
        yield "gate", "worse if the whole interval of the mean difference is below the tolerated loss, pass if above it"
        if self.look is not None:
            yield "look", self.look.words
        looked = f"{len(self.comparison.collections)} looked at, at 1 − {self.collection_alpha:.2g}"
        own = "".join(f"; {name} may lose {loss:g}" for name, loss in self.tolerances.items())
        yield "collections", f"{looked}; one that is worse fails the gate, none makes it undecided{own}"

    def cases(self) -> list[GateCase]:
        """Everything that the gate looks at, as tests."""
        found = []
        for group, table in (("gate", self.rows), ("collections", self.collection_rows)):
            for row in table.named():
                ends = interval(row["low"], row["high"])
                words = f"{signed(row['difference'])} against {row['other']}, {ends}, tolerated {row['tolerance']:g}"
                found.append(GateCase(group=group, name=_subject(row), verdict=row["verdict"], words=words))
        return found

    def data(self) -> dict[str, Any]:
        """The verdict, its exit code, the levels, and the rows."""
        return {
            "verdict": self.verdict.value,
            "exit_code": self.verdict.exit_code,
            "level": 1 - self.alpha,
            "collection_level": 1 - self.collection_alpha,
            "rows": self.rows,
            "collections": self.collection_rows,
        }


def _subject(row: Mapping[str, Any]) -> str:
    where = f" on {row['collection']}" if row["collection"] else ""
    return f"{row['measure']} of {row['run']} against {row['other']}{where}"


def _columns(alpha: float) -> tuple[Column, ...]:
    return (
        *(Column("measure"), Column("run"), Column("against", "other")),
        Column("difference", format=signed),
        Column(f"{100 * (1 - alpha):.4g} % interval", ("low", "high"), interval, left=True),
        Column("tolerated", "tolerance", general),
        Column("queries", format=thousands),
        Column("verdict"),
    )
