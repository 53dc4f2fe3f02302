"""The 2×2 table of decisions, and the metrics that it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rankgauge.romip.metrics import OfficialMetric
from rankgauge.romip.result import MACRO, MICRO, Row


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

    @classmethod
    def sum(cls, tables: Sequence[Decisions]) -> Decisions:
        """The sum of some tables."""
        names = ("found", "wrong", "missed", "rejected")
        return cls(**{name: sum(getattr(table, name) for table in tables) for name in names})

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
        """2 / (1/p + 1/r), or 0 if precision or recall is 0."""
        return 2.0 / (1.0 / self.precision + 1.0 / self.recall) if self.found else 0.0


def figures_of(
    table: str, run: str, decided: Mapping[str, Decisions], metrics: Iterable[OfficialMetric]
) -> Iterator[Row]:
    """Each metric's value on the sum of all 2×2 tables (micro) and its mean over them (macro)."""
    whole = Decisions.sum(list(decided.values()))
    for metric in metrics if decided else ():  # there is no mean of nothing
        mean = sum(getattr(one, metric.key) for one in decided.values()) / len(decided)
        yield table, MICRO, metric.key, run, getattr(whole, metric.key), len(decided)
        yield table, MACRO, metric.key, run, mean, len(decided)


def values_of(
    table: str, run: str, decided: Mapping[str, Decisions], metrics: Iterable[OfficialMetric]
) -> Iterator[Row]:
    """Each metric's value for each query or category."""
    metrics = list(metrics)
    for query, decisions in decided.items():
        for metric in metrics:
            yield table, run, query, metric.key, getattr(decisions, metric.key)


def _share(part: int, whole: int) -> float:
    """A part of a whole; 0 of nothing is 0."""
    return part / whole if whole else 0.0
