"""How far assessors agree, for a terminal."""

from __future__ import annotations

from typing import TextIO

from rich.table import Table

from rankgauge.judgments import Agreement
from rankgauge.judgments.coefficient import COEFFICIENTS
from rankgauge.report.formats.text import console, escaped, pairs, ruled
from rankgauge.report.numbers import interval, number

__all__ = ["show"]


def show(found: Agreement, stream: TextIO, *, seed: int) -> None:
    """The coefficients with their intervals, the pairs of assessors, each assessor's habits, and notes."""
    out = console(stream)
    table = ruled("coefficient", "value", f"{100 * found.level:g} % interval", "items", numbers=("value", "items"))
    for row in found.coefficients.iter_rows(named=True):
        ends = interval(row["low"], row["high"])
        table.add_row(row["coefficient"], number(row["value"]), escaped(ends), str(row["items"]))
    out.print(table)
    out.print()
    out.print(_pairs(found))
    out.print()
    out.print(_assessors(found))
    out.print()
    pairs(_notes(found, seed), out)


def _notes(found: Agreement, seed: int) -> list[tuple[str, str]]:
    words = [(known.name, f"{known.title}: {known.words}") for known in COEFFICIENTS.values()]
    return [
        *words,
        ("kappa", "Cohen's kappa of two assessors; linear and quadratic weigh how far apart their grades are"),
        ("interval", f"bootstrap over items, seed {seed}"),
    ]


def _pairs(found: Agreement) -> Table:
    columns = {"observed": "observed", "kappa": "kappa", "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
    table = ruled("assessor", "other", "items", *columns.values(), numbers=("items", *columns.values()))
    for row in found.pairs.iter_rows(named=True):
        cells = [number(row[column]) for column in columns]
        table.add_row(escaped(row["assessor"]), escaped(row["other"]), str(row["items"]), *cells)
    return table


def _assessors(found: Agreement) -> Table:
    table = ruled("assessor", "judgments", "mean grade", numbers=("judgments", "mean grade"))
    for row in found.assessors.iter_rows(named=True):
        table.add_row(escaped(row["assessor"]), str(row["judgments"]), number(row["mean_grade"]))
    return table
