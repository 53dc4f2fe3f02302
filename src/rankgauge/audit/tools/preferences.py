"""Whether the choice of the tool decides which run is better, and whether that is more than luck."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import combinations

import numpy as np

from rankgauge.audit.tools.overview import Audit
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
        return any(one.outcome is not Consensus.AGREE for one in self.of(measure))

    def of(self, measure: Measure) -> list[Contest]:
        """Return every pair of runs by the measure."""
        return [contest for contest in self.contests if contest.measure == measure]


def preferences(audit: Audit, *, seed: int = 0) -> ToolPreferences:
    """Return which of the audit's runs the tools prefer; all tests share their random signs."""
    measures = tuple(dict.fromkeys((*audit.cutoffs, audit.measure)))
    cells = [(dialect, measure) for dialect in audit.dialects for measure in measures]
    for scores in audit.scores.values():
        for dialect in audit.dialects:
            scores.prepare(dialect, measures)
    means = {cell: {run: audit.mean(run, *cell) for run in audit.scores} for cell in cells}
    contests = []
    for first, second in combinations(audit.scores, 2):
        apart = np.stack([audit.values(first, *cell) - audit.values(second, *cell) for cell in cells], axis=1)
        t, randomisation = (
            TESTS.find(name)(apart, rng=np.random.default_rng(seed), draws=DRAWS).p for name in ("t", "randomisation")
        )
        duels = {
            cell: Duel(
                dialect=cell[0].name,
                difference=means[cell][first] - means[cell][second],
                t=float(t[place]),
                randomisation=float(randomisation[place]),
            )
            for place, cell in enumerate(cells)
        }
        contests += [
            Contest(measure=one, runs=(first, second), duels=tuple(duels[dialect, one] for dialect in audit.dialects))
            for one in measures
        ]
    orders = {
        (dialect.name, str(measure)): tuple(sorted(found, key=lambda run: -np.nan_to_num(found[run], nan=-np.inf)))
        for (dialect, measure), found in means.items()
    }
    return ToolPreferences(measures=measures, orders=orders, contests=tuple(contests), seed=seed)
