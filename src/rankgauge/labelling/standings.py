"""The standings of a board by one measure: values, differences to the first run, which run is best, what is settled.

Both engines' estimates are read here, so that tables, pages and paragraphs say the same of either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rankgauge.labelling.board import BoardPool, RunsOutlook, Verdicts
from rankgauge.labelling.board.covariance import ROUNDING, RunEstimate
from rankgauge.labelling.posterior.plan import SURE
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.render.numbers import fitting_decimals

NEARLY = 0.9
"""The share of the pool that a judge must have graded to be shown by itself."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeAlone:
    """The values of the runs by a judge's grades taken for the truth, less their estimates; how many pairs of runs
    people's labels have settled, and how many of these the judge has in the same order.

    `share` is the share of the pool that the judge has graded; the rest counts as its lowest grade.
    """

    judge: str
    measure: str
    values: FloatArray
    shifts: FloatArray
    settled: int
    agreed: int
    share: float


def judges_alone(outlook: RunsOutlook | None, estimates: Sequence[RunEstimate]) -> Iterator[JudgeAlone]:
    """Yield each judge that graded nearly the whole pool, by each measure; what it did not grade counts as the lowest
    grade."""
    if outlook is None:
        return
    scale = outlook.grades
    for judge in outlook.pool.judges:
        if judge.share < NEARLY:
            continue
        given = judge.on(scale)
        told = outlook.values_of(np.where(np.isnan(given), scale[0], given))
        for estimate, values in zip(estimates, told, strict=True):
            verdicts = estimate.verdicts()
            above = np.zeros((len(values), len(values)), bool) if verdicts is None else verdicts.above
            yield JudgeAlone(
                judge=judge.name,
                measure=str(estimate.target),
                values=values,
                shifts=values - estimate.values,
                settled=int(above.sum()),
                agreed=int((above & (np.subtract.outer(values, values) > 0)).sum()),
                share=judge.share,
            )


DRAWS = 4_000
"""How many draws of the runs' errors say how far apart the runs may be that may be the best."""

NEW_TOO = "new queries too"
"""What is said of a difference that is settled on new queries like these, and so on these."""

USABLE = 0.1
"""Half-widths above this share of the measure's range are called wide."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Standings:
    """An estimate by one measure, read at a level; `judged` (documents) says which documents have a label.

    `alone` are the values of the runs by each judge's own grades, where the judge graded nearly the whole pool.
    """

    estimate: RunEstimate
    pool: BoardPool
    level: float
    judged: BoolArray
    looks: int = 1
    alone: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def measure(self) -> str:
        """The measure, as it was named."""
        return str(self.estimate.target)

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs, in the order of the pool."""
        return self.estimate.runs

    @property
    def values(self) -> FloatArray:
        """The value of each run, within what the measure can be."""
        return self.estimate.bounded

    @cached_property
    def order(self) -> IndexArray:
        """The runs, the one with the highest value first."""
        return np.argsort(-self.estimate.values, kind="stable")

    @property
    def first(self) -> int:
        """The run with the highest value."""
        return int(self.order[0])

    @cached_property
    def verdicts(self) -> Verdicts | None:
        """What is settled; None while labels are too few to claim anything."""
        return self.estimate.verdicts(self.level, looks=self.looks)

    @cached_property
    def ranks(self) -> list[str]:
        """The ranks that each run may have, as text: `2`, or `2–4`."""
        if self.verdicts is None:
            return [f"1–{len(self.runs)}"] * len(self.runs)
        return self.verdicts.range_texts

    def _or_nan(self, known: FloatArray | None) -> FloatArray:
        return np.full(len(self.runs), np.nan) if known is None else known

    @cached_property
    def half_widths(self) -> FloatArray:
        """Half the width of each run's own interval on these queries; NaN while labels are too few for any."""
        return self._or_nan(self.estimate.half_widths(self.level))

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """The ends of these intervals, cut to the measure's range; the whole range while there are too few labels."""
        low, high = (np.full(len(self.runs), bound) for bound in self.bounds)
        return self.estimate.ends(self.level) or (low, high)

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value that the measure can have."""
        return self.estimate.target.bounds

    @cached_property
    def new_half_widths(self) -> FloatArray:
        """Half the width of each run's interval on new queries like these; NaN where it is not known."""
        return self._or_nan(self.estimate.like_half_widths(self.level))

    @cached_property
    def joint_half_widths(self) -> FloatArray:
        """Half the widths of the intervals on these queries that hold for all runs at once; NaN where not known."""
        return self._or_nan(self.estimate.joint_half_widths(self.level))

    @cached_property
    def gaps(self) -> FloatArray:
        """The difference of each run to the first."""
        values = self.values if self.estimate.reason else self.estimate.values
        return np.asarray(values - values[self.first])

    @cached_property
    def gap_half_widths(self) -> FloatArray:
        """Half the width of the intervals of these differences, which hold for all pairs of runs at once; NaN while
        labels are too few."""
        pairs = self.estimate.pair_half_widths(self.level)
        return np.full(len(self.runs), np.nan) if pairs is None else pairs[:, self.first]

    def lead(self, run: int, other: int) -> tuple[float, float]:
        """Return how far a run is ahead of another, and half the width of that difference's own interval."""
        values = self.estimate.values
        return float(values[run] - values[other]), float(self.estimate.lead_half_widths(run, self.level)[other])

    @cached_property
    def settled(self) -> list[str]:
        """For each run whether it is settled that the first is better: on new queries too, on these, or not at all."""
        below = np.zeros(len(self.runs), bool) if self.verdicts is None else self.verdicts.above[self.first]
        return [
            "" if run == self.first else "open" if not below[run] else NEW_TOO if new else "these queries"
            for run, new in enumerate(self._below_on_new_queries)
        ]

    @cached_property
    def _below_on_new_queries(self) -> BoolArray:
        wide = self.estimate.like_pair_half_widths(self.level)
        return np.zeros(len(self.runs), bool) if wide is None else -self.gaps > wide[:, self.first] + ROUNDING

    @cached_property
    def shares_judged(self) -> FloatArray:
        """The share of each run's documents that the measure looks at and that have a label."""
        counts = self.estimate.target.weights[self.pool.rank - 1] > 0
        runs = len(self.runs)
        looked = np.bincount(self.pool.run[counts], minlength=runs)
        judged = np.bincount(self.pool.run[counts & self.judged[self.pool.document]], minlength=runs)
        return np.asarray(judged / np.maximum(looked, 1))

    @cached_property
    def chances(self) -> FloatArray | None:
        """The chance that each run is the best on these queries; None where the engine gives none."""
        return self.estimate.best_chances()

    @cached_property
    def candidates(self) -> list[int]:
        """The runs that may be the best, in the order of the table; one if the best run is settled."""
        may = np.ones(len(self.runs), bool) if self.verdicts is None else self.verdicts.best
        if self.chances is not None:
            falling = np.argsort(-self.chances, kind="stable")
            likely = 1 + int(np.searchsorted(np.cumsum(self.chances[falling]), SURE))
            may = np.isin(np.arange(len(self.runs)), [self.first, *falling[:likely]])
        return [run for run in self.order.tolist() if may[run]]

    @cached_property
    def is_settled(self) -> bool:
        """Whether it is settled which run is the best on these queries."""
        return len(self.candidates) == 1

    @cached_property
    def is_settled_on_new_queries(self) -> bool:
        """Whether the first run is also the best on new queries like these."""
        return all(words in ("", NEW_TOO) for words in self.settled)

    def apart(self) -> float:
        """Return how far apart the runs that may be the best are at most, with a chance of the level."""
        few = self.candidates
        rng = np.random.default_rng(self.estimate.seed)
        matrix = self.estimate.covariance.matrix[np.ix_(few, few)]
        drawn = rng.multivariate_normal(self.estimate.values[few], matrix, size=DRAWS, method="eigh")
        return float(np.quantile(np.ptp(drawn, axis=1), self.level))

    @property
    def settled_pairs(self) -> int:
        """How many pairs of runs have a settled order."""
        return 0 if self.verdicts is None else int(np.count_nonzero(self.verdicts.above))

    @property
    def pairs(self) -> int:
        """How many pairs of runs there are."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    @property
    def is_wide(self) -> bool:
        """Whether intervals are too wide to choose a run by."""
        low, high = self.bounds
        return bool(self.half_widths.mean() > USABLE * (high - low)) and not self.is_settled

    @cached_property
    def decimals(self) -> int:
        """How many decimals the values bear."""
        return fitting_decimals(float(self.half_widths.min()))
