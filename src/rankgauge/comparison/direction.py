"""The words for which of two runs is ahead: above and below, or where more is not better, higher and lower."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankgauge.comparison.report_tables import DOWN, UNTOLD, UP
from rankgauge.measures import Measure


@dataclass(frozen=True, kw_only=True)
class Direction:
    """The words of one measure."""

    measure: Measure
    up: str
    down: str
    leads: str
    """What is said of a run that is first, but may not be so by more than luck."""

    @classmethod
    def of(cls, measure: Measure) -> Direction:
        """Those that fit the measure."""
        if measure.facts.more_is_better:
            leads = "{first} leads by {measure}, but not by more than luck: {rival} may be as good"
            return cls(measure=measure, up="above", down="below", leads=leads)
        leads = "{first} has the highest {measure}, but not by more than luck: that of {rival} may be as high"
        return cls(measure=measure, up="higher than", down="lower than", leads=leads)

    def against(self, base: str, marks: Mapping[str, str]) -> str:
        """How the runs stand against the baseline, by the mark of each in the matrix."""
        ways = {self.up: UP, self.down: DOWN}
        if len(marks) == 1:
            ((run, mark),) = marks.items()
            way = next((way for way, sign in ways.items() if sign == mark), None)
            if mark == UNTOLD:
                return f"{run} cannot be told from {base}: too little is judged ({self.measure})"
            if way is None:
                return f"{run} and {base} do not differ by more than luck ({self.measure})"
            return f"{run} is {way} {base} by more than luck ({self.measure})"
        counts = {way: sum(mark == sign for mark in marks.values()) for way, sign in ways.items()}
        told = [f"{count} {'are' if count > 1 else 'is'} {way}" for way, count in counts.items() if count]
        untold = sum(mark == UNTOLD for mark in marks.values())
        listed = " and ".join(told) or f"none is {self.up} or {self.down}"
        more = f"; {untold} cannot be told from it, as too little is judged" if untold else ""
        return f"Of {len(marks)} runs, {listed} {base} by more than luck{more} ({self.measure})"
