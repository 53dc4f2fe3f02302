"""Whether the choice of the tool decides which run is better, and whether that is more than luck."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

import numpy as np

from rankgauge.audit.tools.overview import Audit
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure
from rankgauge.statistics.paired_test import TESTS

LEVEL = 0.05
"""The p-value below which a difference is more than luck."""

DRAWS = 2000
"""Random signs per test: enough to tell a p-value from 0.05."""

EQUAL = 1e-12
"""Means that differ by less are equal."""


class Consensus(Enum):
    """What the tools together say of two runs."""

    AGREE = "every tool prefers the same run"
    NOISE = "tools disagree which run is better, but under none of them is the difference more than luck"
    LEANING = "tools disagree which run is better, and under some of them the difference is more than luck"
    CONTRADICTION = "tools disagree which run is better, and on either side the difference is more than luck"


@dataclass(frozen=True, kw_only=True)
class Duel:
    """Two runs under one dialect."""

    dialect: str
    difference: float
    """The mean of the first run − that of the second."""
    t: float
    """The p-value of Student's paired t test."""
    randomisation: float
    """The p-value of Fisher's randomisation test."""

    @property
    def winner(self) -> int:
        """1 if the first run is better, −1 if the second is, 0 if they are equal."""
        return 0 if not abs(self.difference) > EQUAL else (1 if self.difference > 0 else -1)

    @property
    def significant(self) -> bool:
        """Whether both tests say that the difference is more than luck."""
        return max(self.t, self.randomisation) < LEVEL


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Two runs under every dialect, by one measure."""

    measure: Measure
    runs: tuple[str, str]
    duels: tuple[Duel, ...]

    @property
    def outcome(self) -> Consensus:
        """What the tools together say."""
        if len({duel.winner for duel in self.duels} - {0}) < 2:
            return Consensus.AGREE
        sure = {duel.winner for duel in self.duels if duel.significant}
        return (Consensus.NOISE, Consensus.LEANING, Consensus.CONTRADICTION)[len(sure)]

    def preferring(self, winner: int) -> list[str]:
        """Return the dialects under which the first (1) or the second (−1) run is better."""
        return [duel.dialect for duel in self.duels if duel.winner == winner]


@dataclass(frozen=True, kw_only=True)
class ToolPreferences:
    """The order of the runs under each dialect at each cutoff, and every pair of runs."""

    measures: tuple[Measure, ...]
    orders: dict[tuple[str, str], tuple[str, ...]]
    """By dialect and measure, the runs from the best down."""
    contests: tuple[Contest, ...]
    seed: int

    def disputed(self, measure: Measure) -> bool:
        """Say whether two dialects put the runs in different orders by the measure."""
        return any(one.outcome is not Consensus.AGREE for one in self.contests if one.measure == measure)

    def of(self, measure: Measure) -> list[Contest]:
        """Return every pair of runs by the measure."""
        return [contest for contest in self.contests if contest.measure == measure]


def preferences(audit: Audit, *, seed: int = 0) -> ToolPreferences:
    """Return which of the audit's runs the tools prefer."""
    measures = tuple(dict.fromkeys((*audit.cutoffs, audit.measure)))
    for scores in audit.scores.values():
        for dialect in audit.dialects:
            scores.prepare(dialect, measures)
    orders = {
        (dialect.name, str(measure)): _order(audit, dialect, measure)
        for dialect in audit.dialects
        for measure in measures
    }
    contests = [
        contest for first, second in combinations(audit.scores, 2) for contest in _contests(audit, first, second, seed)
    ]
    return ToolPreferences(measures=measures, orders=orders, contests=tuple(contests), seed=seed)


def _order(audit: Audit, dialect: Dialect, measure: Measure) -> tuple[str, ...]:
    means = {run: np.nan_to_num(audit.mean(run, dialect, measure), nan=-np.inf) for run in audit.scores}
    return tuple(sorted(means, key=lambda run: -means[run]))


def _contests(audit: Audit, first: str, second: str, seed: int) -> Iterator[Contest]:
    """Yield two runs at every cutoff; all tests share their random signs."""
    measures = tuple(dict.fromkeys((*audit.cutoffs, audit.measure)))
    cells = [(measure, dialect) for measure in measures for dialect in audit.dialects]
    one, other = (
        np.stack([audit.values(run, dialect, measure) for measure, dialect in cells], axis=1) for run in (first, second)
    )
    p = {
        name: TESTS.find(name)(one - other, rng=np.random.default_rng(seed), draws=DRAWS).p
        for name in ("t", "randomisation")
    }
    duels = {
        (measure, dialect.name): Duel(
            dialect=dialect.name,
            difference=audit.mean(first, dialect, measure) - audit.mean(second, dialect, measure),
            t=float(p["t"][cell]),
            randomisation=float(p["randomisation"][cell]),
        )
        for cell, (measure, dialect) in enumerate(cells)
    }
    for measure in measures:
        fought = tuple(duels[measure, dialect.name] for dialect in audit.dialects)
        yield Contest(measure=measure, runs=(first, second), duels=fought)
