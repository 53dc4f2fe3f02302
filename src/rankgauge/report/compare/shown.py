"""What every report of a comparison is given."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.comparison import Comparison
from rankgauge.comparison.tables import FEWEST

__all__ = ["Shown"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Shown:
    """A comparison, and how much of it to show."""

    comparison: Comparison
    agree: bool | None = None
    """Whether to show how far measures agree; None: where there are runs enough to have an order."""

    @property
    def agreement(self) -> bool:
        """Whether to show how far measures agree."""
        return len(self.comparison.runs) >= FEWEST if self.agree is None else self.agree

    @property
    def matrix(self) -> bool:
        """Whether there are enough pairs for a table of who beats whom."""
        return self.comparison.baseline is None and len(self.comparison.runs) >= FEWEST
