"""What runs risk against the baseline: the table and the notes."""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.comparison import Comparison
from rankgauge.comparison.risk import FAR, bound
from rankgauge.render.numbers import number, signed
from rankgauge.render.passages import ReportTable


def table(comparison: Comparison) -> ReportTable:
    """A row per measure and run: the baseline, then the least risk first."""
    rows = []
    for measure in dict.fromkeys(comparison.risk_table["measure"]):
        found = comparison.risk_table.where("measure", measure).ordered("urisk", falling=True)
        for place, row in enumerate(found.named()):
            rows.append(
                (
                    "" if place else measure,
                    row["run"],
                    signed(row["urisk"]),
                    signed(row["trisk"], 2),
                    row["verdict"],
                    number(row["georisk"]),
                    "–" if row["wins"] is None else f"{row['wins']}/{row['losses']}",
                    str(row["queries"]),
                )
            )
    header = ("measure", "run", "URisk", "TRisk", "verdict", "GeoRisk", "won/lost", "queries")
    title = f"Risk against {comparison.baseline}"
    return ReportTable(title=title, header=header, rows=rows, numbers=("URisk", "TRisk", "GeoRisk", "queries"))


def notes(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """What the columns are."""
    alpha = comparison.risk
    yield "URisk", f"the mean of what is won, less {1 + (alpha or 0):g} times what is lost; Wang et al., SIGIR 2012"
    yield "TRisk", f"URisk over its standard error; beyond ±{FAR:g} it is more than luck: {_verdicts()}"
    fewest = min(comparison.risk_table["queries"])
    if fewest > 1 and bound(fewest) > FAR:
        yield "bound", f"with {fewest} queries TRisk has to be beyond ±{bound(fewest):.2f}: 95 % of Student's t"
    held = f"the geometric mean of a run's mean and of its risk against all {len(comparison.runs)} runs together"
    yield "GeoRisk", f"{held}; it changes with the runs that are compared; Dinçer et al., SIGIR 2016"


def _verdicts() -> str:
    return "risk below, gain above, open between; Dinçer et al., SIGIR 2014"
