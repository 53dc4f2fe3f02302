"""The 2×2 table of decisions: retrieved or not × relevant or not."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists

__all__ = ["Contingency", "contingency"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Contingency:
    """How many documents of each list were decided on rightly and wrongly."""

    found: FloatArray
    """a: relevant and retrieved."""
    wrong: FloatArray
    """b: retrieved, but not relevant or not judged."""
    missed: FloatArray
    """c: relevant, but not retrieved."""
    rejected: FloatArray
    """d: judged not relevant, and not retrieved."""

    @property
    def all(self) -> FloatArray:
        """Every document that was retrieved or judged."""
        return self.found + self.wrong + self.missed + self.rejected


def contingency(lists: RankedLists, rel: float) -> Contingency:
    """The table of each list."""
    found = lists.found(rel)
    return Contingency(
        found=found,
        wrong=lists.retrieved - found,
        missed=lists.total_relevant(rel) - found,
        rejected=lists.total_nonrelevant(rel) - lists.nonrelevant(rel).sum(axis=-1),
    )
