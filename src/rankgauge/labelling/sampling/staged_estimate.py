"""The estimate of a plan in stages: what each stage says of the pool, weighed by how precise its design promises to be.

The weights are fixed before the stage is judged. Weights by variances that its grades show would favour a stage that
happens to look quiet, and bias the estimate.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rankgauge.labelling.sampling.stage import Stage, StageOutcome
from rankgauge.numeric import FloatArray, IndexArray

SETTLED = 4.0
"""Once a quarter of a stage has run that promises more than those before it, the estimate rests on it alone."""

TINY = 1e-9
_NONE: FloatArray = np.zeros(0)


@dataclass(frozen=True, kw_only=True, eq=False)
class StageTotal:
    """The sum over the rest of the queries as one stage estimates it."""

    total: float
    between: float
    """The variance that comes from queries of the rest that were not visited."""
    freedom: float
    """The degrees of freedom of that."""
    noise: FloatArray
    """The variances of the visited queries' changes, as parts of the variance of the total."""
    promise: float
    """The variance of the total that the design promises, in units of a query's."""

    @classmethod
    def of(cls, stage: Stage, outcome: StageOutcome, rest: IndexArray) -> StageTotal:
        """What the visited queries, the first of the rest, say of all of it.

        Two phases: the visited queries are a random sample of the rest, and what each gives is uncertain in itself
        (Särndal, Swensson & Wretman, Model assisted survey sampling, 1992, result 4.3.1).
        """
        n, size = len(outcome.change), len(rest)
        seen, doubt = size / n, stage.doubt()
        spread = float(np.var(outcome.change, ddof=1)) if n > 1 else np.inf
        return cls(
            total=float(outcome.expected[rest].sum() + size * outcome.change.mean()),
            between=size * (seen - 1) * spread if n < size else 0.0,
            freedom=outcome.queries - 1.0,
            noise=seen * outcome.variance,
            promise=size * (seen - 1) + seen * (stage.predicted_variance() / doubt if doubt > 0 else 0.0),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class StagedEstimate:
    """The estimate so far, with the parts of its variance and their degrees of freedom."""

    size: int
    """The number of queries in the pool."""
    cautious: bool = True
    """Whether stages count by what they promise; before version 0.3 the last one counted as soon as it had run."""
    value: float = np.nan
    parts: tuple[tuple[float, float], ...] = ()
    """Variances, and the degrees of freedom of each."""
    error: float = np.nan
    promise: float = np.inf
    queries: int = 0
    """How many queries with judged documents the estimate rests on."""
    whole: float = 1.0
    """The weight of queries judged whole."""
    done: float = 0.0
    """The sum over the visited queries."""
    noise: FloatArray = field(default_factory=lambda: _NONE)
    """The variances of the visited queries' changes."""

    def after(self, stage: Stage, outcome: StageOutcome, rest: IndexArray, *, length: int) -> StagedEstimate:
        """The estimate after a stage that has visited the first of the rest of the queries, `length` in the end."""
        n, m = len(outcome.change), self.size
        here = StageTotal.of(stage, outcome, rest)
        noise = np.concatenate([self.noise, here.noise])
        variance = max(float(noise.sum()) + here.between, 0.0)
        share = self._share(here.promise, n / length)
        parts = ((here.between, here.freedom), (float(np.abs(noise).sum()), _effective(noise)))
        scaled = [((1 - share) ** 2 * v, f) for v, f in self.parts] + [(share**2 * v / m**2, f) for v, f in parts]
        return StagedEstimate(
            size=m,
            cautious=self.cautious,
            value=_mixed(self.value, (self.done + here.total) / m, share),
            parts=tuple((v, f) for v, f in scaled if v > 0),
            error=self._error(float(np.sqrt(variance)) / m, share),
            promise=here.promise if share == 1.0 else (1 - share) ** 2 * self.promise + share**2 * here.promise,
            queries=self.queries + outcome.queries,
            whole=_mixed(self.whole, float(stage.whole), share),
            done=self.done + float((outcome.expected[rest[:n]] + outcome.change).sum()),
            noise=np.concatenate([self.noise, outcome.variance]),
        )

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the error: those of its parts together (Satterthwaite 1946), and of the noise.

        Single documents have rare and large changes, which the variance between queries shares.
        """
        below = sum(v**2 / max(f, TINY) for v, f in self.parts)
        together = sum(v for v, _ in self.parts) ** 2 / below if below > 0 else np.inf
        return min(float(together), self.noise_freedom)

    @property
    def noise_freedom(self) -> float:
        """The degrees of freedom of the noise alone; all that versions before 0.3 counted."""
        return _effective(self.noise) if self.queries else 0.0

    def _share(self, promise: float, visited: float) -> float:
        """The weight of a stage, from what its design promises and the share of its draws that was visited."""
        if np.isnan(self.value):
            return 1.0
        run = min(1.0, SETTLED * visited)
        if not self.cautious:
            return run
        precise = self.promise / (self.promise + promise) if self.promise + promise > 0 else 1.0
        if not self.noise.any():
            return precise
        return run * (1.0 if promise <= self.promise else precise)

    def _error(self, here: float, share: float) -> float:
        """The standard error with that of the stage: what is known of whole queries has no part in the stage's error.

        Otherwise the noise of the visited queries is in both, and the sum of the two is an upper bound.
        """
        if share == 1.0:
            return here
        parts = (1 - share) * self.error, share * here
        return float(np.hypot(*parts)) if self.cautious and not self.noise.any() else sum(parts)


def _mixed(before: float, here: float, share: float) -> float:
    return here if share == 1.0 else (1 - share) * before + share * here


def _effective(parts: FloatArray) -> float:
    """The number of equal parts that would make a sum as uncertain as these do."""
    square = float((parts**2).sum())
    return float(np.abs(parts).sum() ** 2 / square) if square > 0 else np.inf
