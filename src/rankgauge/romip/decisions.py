"""The 2×2 table of decisions and the metrics that it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rankgauge.romip.metrics import OfficialMetric
from rankgauge.romip.result import MACRO, MICRO

__all__ = ["Decisions", "averaged", "summed"]


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """How many decisions were right and wrong: chosen or not × relevant or not."""

    found: int
    """a: relevant and chosen."""
    wrong: int
    """b: chosen, not relevant."""
    missed: int
    """c: relevant, not chosen."""
    rejected: int
    """d: neither."""

    @property
    def all(self) -> int:
        """Every decision."""
        return self.found + self.wrong + self.missed + self.rejected

    @property
    def recall(self) -> float:
        """a / (a + c)."""
        return _share(self.found, self.found + self.missed)

    @property
    def precision(self) -> float:
        """a / (a + b)."""
        return _share(self.found, self.found + self.wrong)

    @property
    def accuracy(self) -> float:
        """(a + d) / (a + b + c + d)."""
        return _share(self.found + self.rejected, self.all)

    @property
    def error(self) -> float:
        """(b + c) / (a + b + c + d)."""
        return _share(self.wrong + self.missed, self.all)

    @property
    def F(self) -> float:  # noqa: N802 - the appendix's own letter
        """2 / (1/p + 1/r), and 0 where precision or recall is 0."""
        return 2.0 / (1.0 / self.precision + 1.0 / self.recall) if self.found else 0.0


def summed(tables: Sequence[Decisions]) -> Decisions:
    """One table of all."""
    return Decisions(
        found=sum(table.found for table in tables),
        wrong=sum(table.wrong for table in tables),
        missed=sum(table.missed for table in tables),
        rejected=sum(table.rejected for table in tables),
    )


def averaged(tables: Sequence[Decisions], metrics: Sequence[OfficialMetric]) -> Iterator[tuple[str, str, float]]:
    """Each metric's mean over the tables (macro) and its value on their sum (micro): average, metric, value."""
    whole = summed(tables)
    for metric in metrics if tables else ():  # of nothing there is no mean
        values: list[Any] = [getattr(table, metric.key) for table in tables]
        yield MICRO, metric.key, getattr(whole, metric.key)
        yield MACRO, metric.key, sum(values) / len(values)


def _share(part: int, whole: int) -> float:
    """A part of a whole. Who chose nothing found nothing: 0."""
    return part / whole if whole else 0.0
