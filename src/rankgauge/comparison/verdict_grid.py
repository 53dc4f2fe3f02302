"""Who is above whom, as a grid on a page: a row and a column for each run, as wide as the page allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from rankgauge.comparison import Comparison
from rankgauge.comparison.report_tables import DOWN, OPEN, UNTOLD, UP, grid, label
from rankgauge.measures import Measure
from rankgauge.render.bars import short

MANY = 12
"""With more runs a grid has a column of the page for itself, and on a phone it has neither names nor marks."""

KINDS = {UP: ("up", "above"), DOWN: ("down", "below"), OPEN: ("open", "not separated from")} | {
    UNTOLD: ("open", "too little is judged to tell it from")
}


@dataclass(frozen=True)
class VerdictGrid:
    """The verdicts on all pairs by one measure, the best run first.

    It is HTML and not a picture, so that all columns fit on a phone: their squares shrink, their labels do not.
    """

    comparison: Comparison
    measure: Measure

    @property
    def wide(self) -> bool:
        """Whether it needs a column of its own."""
        return len(self.comparison.runs) > MANY

    def __html__(self) -> str:
        """The grid as a part of a page."""
        words = escape(f"who is above whom by {self.measure}")
        size = f"--runs:{len(self.comparison.runs)}"
        kind = "verdicts many" if self.wide else "verdicts"
        return f'<div class="{kind}" style="{size}" role="img" aria-label="{words}">{"".join(self._cells())}</div>'

    def _cells(self) -> Iterator[str]:
        found, order = grid(self.comparison, self.measure), self.comparison.ordered(self.measure)
        labels = {run: label(self.comparison, run) for run in order}
        yield "<b></b>"
        yield from (f"<b>{labels[run]}</b>" for run in order)
        for run in order:
            yield f'<b title="{escape(run)}">{labels[run]}<span> {escape(short(run))}</span></b>'
            yield from ("<i></i>" if run == other else _cell(run, other, found[run, other]) for other in order)


def _cell(run: str, other: str, mark: str) -> str:
    kind, words = KINDS.get(mark, ("equal", "equal to"))
    shown = mark if mark in (UP, DOWN, UNTOLD) else ""
    return f'<i class="{kind}" title="{escape(f"{run}: {words} {other}")}">{shown}</i>'
