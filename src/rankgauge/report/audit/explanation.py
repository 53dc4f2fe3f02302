"""One query rank by rank, for a terminal: each dialect's list, side by side where the terminal is wide enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

import numpy as np

from rankgauge.audit import Explanation
from rankgauge.report.audit.content import Table
from rankgauge.report.audit.text import show
from rankgauge.report.formats.text import console, escaped, pairs
from rankgauge.report.numbers import number

__all__ = ["write"]

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


def write(found: Sequence[Explanation], stream: TextIO) -> None:
    """What each dialect makes of the query, stage by stage, and then the values beside each other."""
    out = console(stream)
    for explanation in found:
        out.print(f"[bold]{escaped(explanation.dialect.name)}[/bold]  {escaped(explanation.dialect.title)}")
        show(_ranks(explanation), out)
        out.print()
        pairs(_stages(explanation), out)
        out.print()
    out.print(f"[bold]Query {escaped(found[0].query)}[/bold]")
    show(_values(found), out)


def _ranks(explanation: Explanation) -> Table:
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
    return Table(header=("rank", "document", *numbers[1:]), rows=tuple(rows), numbers=numbers)


def _cell(name: str, amount: float) -> str:
    return f"{amount:g}" if name in ("gain", "ideal") else f"{amount:.4f}"


def _stages(explanation: Explanation) -> list[tuple[str, str]]:
    """What the dialect does at each stage."""
    dialect, kernel = explanation.dialect, explanation.kernel
    told = [
        ("order", dialect.ties.words + " (= marks them)" if _has_ties(explanation) else "by falling score, no ties")
    ]
    told += [
        (name, str(getattr(kernel, name))) for name in ("gain", "discount") if getattr(kernel, name, None) is not None
    ]
    told += [("ideal", dialect.ideal.words)] if "ideal" in explanation.ranks.columns else []
    settled = explanation.settled if np.isnan(explanation.raw) else f"{number(explanation.raw)}, {explanation.settled}"
    more = len(explanation.ranks) - (kernel.depth or RANKS)
    beyond = [("further", f"{more} documents below these")] if more > 0 else []
    return [*beyond, *told, ("value", settled)]


def _has_ties(explanation: Explanation) -> bool:
    return bool((explanation.ranks["tied"] > 1).any())


def _values(found: Sequence[Explanation]) -> Table:
    header = ("tool", "formula", "counts", "")
    rows = tuple(
        (
            one.dialect.name,
            "0/0" if np.isnan(one.raw) else number(one.raw),
            "–" if np.isnan(one.value) else number(one.value),
            one.settled,
        )
        for one in found
    )
    return Table(header=header, rows=rows, numbers=("formula", "counts"))
