"""What runs risk against the baseline, by each measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.constraints import Constraint
from rankgauge.errors import ParameterError
from rankgauge.measures import Measure
from rankgauge.plain_table import PlainTable
from rankgauge.render.numbers import number, with_sign
from rankgauge.render.table import QUERIES, Column, ReportTable
from rankgauge.statistics.effects import georisk, outcomes, trisk, urisk
from rankgauge.statistics.intervals import student_quantile

if TYPE_CHECKING:
    from rankgauge.comparison.comparison import Comparison

RISK: Mapping[str, type] = {
    **dict.fromkeys(("measure", "run"), str),
    **dict.fromkeys(("urisk", "trisk"), float),
    "verdict": str,
    "georisk": float,
    **dict.fromkeys(("wins", "losses", "queries"), int),
}
"""The columns of the table."""

FAR = 2.0
"""How many standard errors from 0 a risk is more than luck (Dinçer, Macdonald & Ounis 2014)."""


VERDICT_WORDS = "risk below, gain above, open between; Dinçer et al., SIGIR 2014"


class RiskVerdict(StrEnum):
    """Whether a run's losses outweigh its gains by more than luck."""

    RISK = "risk"
    GAIN = "gain"
    OPEN = "open"
    BASELINE = "baseline"

    @classmethod
    def of(cls, value: float, queries: int) -> RiskVerdict:
        """Return what TRisk says, on so many queries."""
        return cls.OPEN if not abs(value) > bound(queries) else cls.GAIN if value > 0 else cls.RISK


def bound(queries: int) -> float:
    """Return how far from 0 TRisk is more than luck: 2, or with few queries where 95 % of Student's t end."""
    return max(FAR, float(student_quantile(queries - 1, 0.975))) if queries > 1 else np.inf


WEIGHT = Constraint("a number from 0 on: losses weigh 1 + risk times as much", lambda alpha: 0 <= alpha < np.inf)


def check_risk(alpha: float, baseline: str | None, measures: Sequence[Measure]) -> None:
    """An error where losses weigh less than gains, where nothing says which run the others are held against, and where
    no measure knows gains and losses."""
    WEIGHT.check("compare", "risk", alpha)
    if baseline is None:
        raise ParameterError("compare", "baseline", "given with risk: the run that the others are held against", None)
    if not _rows(measures):
        wanted = "left out: by these measures more is not better, so that nothing is won or lost"
        raise ParameterError("compare", "risk", wanted, ", ".join(map(str, measures)))


def risks(comparison: Comparison, alpha: float) -> PlainTable:
    """List by measure of which more is better the baseline and the runs; GeoRisk is of all runs together, and all that
    the baseline has: it risks nothing against itself."""
    rows: list[tuple[Any, ...]] = []
    (run, base), unknown = comparison.paired, (np.nan, np.nan, RiskVerdict.BASELINE.value)
    for row in _rows(comparison.measures):
        measure, values = str(comparison.measures[row]), comparison.values[row]
        whole, known = georisk(values, alpha).tolist(), (~np.isnan(values)).sum(axis=0).tolist()
        rows.append((measure, comparison.runs[base[0]], *unknown, whole[base[0]], None, None, known[base[0]]))
        differences, tally = values[:, run] - values[:, base], outcomes(comparison.differences[row])
        counts = (~np.isnan(differences)).sum(axis=0)
        columns = (urisk(differences, alpha), trisk(differences, alpha), tally.wins, tally.losses, counts)
        for at, loss, t, won, lost, n in zip(run, *(column.tolist() for column in columns), strict=True):
            rows.append((measure, comparison.runs[at], loss, t, RiskVerdict.of(t, n).value, whole[at], won, lost, n))
    return PlainTable.of_rows(RISK, rows)


def _rows(measures: Sequence[Measure]) -> list[int]:
    """Return the positions of the measures by which runs win and lose."""
    return [row for row, measure in enumerate(measures) if measure.facts.more_is_better]


def tables(comparison: Comparison) -> Iterator[ReportTable]:
    """Yield a row per measure and run: the baseline, then the least risk first; nothing if nobody asked for it."""
    if comparison.risk is None:
        return
    rows: list[dict[str, Any]] = []
    for measure in dict.fromkeys(comparison.risk_table["measure"]):
        rows += comparison.risk_table.where("measure", measure).ordered("urisk", falling=True).named()
    columns = (
        Column("measure", once=True),
        Column("run"),
        Column("URisk", "urisk", with_sign),
        Column("TRisk", "trisk", lambda risk: with_sign(risk, 2)),
        Column("verdict"),
        Column("GeoRisk", "georisk", number),
        Column("won/lost", ("wins", "losses"), lambda won, lost: "–" if won is None else f"{won}/{lost}", left=True),
        QUERIES,
    )
    yield ReportTable(title=f"Risk against {comparison.baseline}", columns=columns, rows=rows)


def notes(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield what the columns are."""
    alpha = comparison.risk
    yield "URisk", f"the mean of what is won, less {1 + (alpha or 0):g} times what is lost; Wang et al., SIGIR 2012"
    yield "TRisk", f"URisk over its standard error; beyond ±{FAR:g} it is more than luck: {VERDICT_WORDS}"
    fewest = min(comparison.risk_table["queries"])
    if fewest > 1 and bound(fewest) > FAR:
        yield "bound", f"with {fewest} queries TRisk has to be beyond ±{bound(fewest):.2f}: 95 % of Student's t"
    held = f"the geometric mean of a run's mean and of its risk against all {len(comparison.runs)} runs together"
    yield "GeoRisk", f"{held}; it changes with the runs that are compared; Dinçer et al., SIGIR 2016"
