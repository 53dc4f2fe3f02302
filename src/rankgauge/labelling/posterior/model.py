"""The model of the grades: what ranks, runs, judges and queries say of each document before anyone judges it.

A grade is the number of steps that a document passes, each step a probit regression among those that passed the one
before (a continuation-ratio model):

    P(y_z ≥ t | y_z ≥ t − 1) = Φ(x_z'β_t + w_z'b_qt)

β_t is shared by all documents, b_qt belongs to a query; its first part, the query's intercept, is expected to be ρ_t
times that of the step before. The priors of all were chosen on TREC DL19 alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.judgments.llm.machine_judge import steps as judge_steps
from rankgauge.labelling.board.columns import Columns, PooledJudge
from rankgauge.labelling.board.pool import BoardPool
from rankgauge.numeric import BoolArray, FloatArray, Grouped, IndexArray

LAST, UNSEEN, TOP = 100, 200.0, 10
"""The last rank that is looked at, the best rank of a document that no run retrieves, and the ranks of a run's top."""

STEPS = 4
"""How many steps the model has at most; finer scales are merged."""

INTERCEPTS, NEARNESS = (0.4, 0.2, -0.6, -0.6), (2.0, 1.2, 0.5, 0.5)
"""The expected intercepts and effects of the mean nearness, by step."""

JUDGED = 1.2
"""What all levels of all judges together are expected to add to a document that reaches them."""

QUERY_INTERCEPTS = (1.0, 0.95, 1.2, 1.2)
"""How far queries' intercepts spread before labels show it, by step: beyond what the step before says."""

CARRIED = (0.0, 0.5, 0.35, 0.35)
"""By how much a query's intercept follows that of the step before: where much is relevant, more is highly so."""

SPREADS = {"nearness": 0.55, "judge": 0.4, "run": 0.45}
"""The same of a query's other effects."""

RUN_SPREAD = 0.8
"""The prior standard deviation of a run's own slope."""

FEW_RUNS, DIRECTIONS, SHARED = 8, 12, 20
"""Up to how many runs each has a slope of its own; of more, so many directions have one, with a spread that shrinks
where there are more runs than the last number."""

PROBIT = 1.7
"""A logit is about so many probits."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Effect:
    """A column of features, its expected effect on each step, and how sure that is: a prior standard deviation."""

    values: FloatArray
    mean: Sequence[float] | float
    spread: float


@dataclass(frozen=True, kw_only=True, eq=False)
class GradeModel(Grouped):
    """Features and priors: `x` (documents × features) with `mean` (steps × features) and `spread` (features); `w`
    (documents × effects) with `query_spread` (steps × effects). `kind` (effects) says which effects of a query share a
    spread that labels may change, `carried` (steps) by how much a query's intercept follows that of the step before.
    """

    sizes: IndexArray
    x: FloatArray
    mean: FloatArray
    spread: FloatArray
    w: FloatArray
    query_spread: FloatArray
    kind: IndexArray
    carried: FloatArray

    @classmethod
    def of(cls, pool: BoardPool, grades: FloatArray) -> GradeModel:
        """The model of a pool for a scale of grades."""
        steps, near = min(len(grades) - 1, STEPS), nearness(pool)
        runs, shrunk = _run_slopes(near)
        shared = [*_rank_effects(pool, near), *_judge_effects(pool.judges), *_told_effects(pool, grades)]
        shared += [Effect(values=column, mean=0.0, spread=RUN_SPREAD * shrunk) for column in runs.T]
        own, spreads, kind = _query_effects(pool, near, runs, shrunk)
        return cls(
            sizes=pool.sizes,
            x=np.column_stack([effect.values for effect in shared]),
            mean=np.column_stack([_by_step(effect.mean, steps) for effect in shared]),
            spread=np.array([effect.spread for effect in shared]),
            w=own,
            query_spread=np.column_stack([QUERY_INTERCEPTS[:steps], np.tile(spreads, (steps, 1))]),
            kind=kind,
            carried=np.array(CARRIED[:steps]),
        )

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.mean)


def nearness(pool: BoardPool) -> FloatArray:
    """How near each document is to the top of each run (documents × runs): 1 at rank 1, 0 beyond rank 100."""
    found = np.zeros((len(pool.documents), len(pool.runs)))
    found[pool.document, pool.run] = 1.0 - np.log(np.minimum(pool.rank, LAST + 1)) / np.log(LAST + 1.0)
    return found


def _rank_effects(pool: BoardPool, near: FloatArray) -> Iterator[Effect]:
    """What the ranks of all runs together say."""
    documents = len(pool.documents)
    tops = np.bincount(pool.document[pool.rank <= TOP], minlength=documents) / len(pool.runs)
    best = np.full(documents, UNSEEN)
    seen = pool.rank <= LAST
    np.minimum.at(best, pool.document[seen], pool.rank[seen].astype(np.float64))
    yield Effect(values=np.ones(documents), mean=INTERCEPTS, spread=1.5)
    yield Effect(values=2 * _centred(near.mean(axis=1)), mean=NEARNESS, spread=2.0)
    yield Effect(values=_centred(tops), mean=0.0, spread=0.5)
    yield Effect(values=_centred(np.log(best)) / 2, mean=0.0, spread=0.5)


def _judge_effects(judges: Sequence[PooledJudge]) -> Iterator[Effect]:
    """What each judge's levels say; where it gave no grade, the mean of what it says, and an effect of that."""
    for judge in judges:
        said = judge_steps(judge.said)
        for level in said.T:
            yield Effect(values=_centred(level), mean=JUDGED / said.shape[1] / len(judges), spread=0.7)
        missing = np.isnan(judge.grades)
        if missing.any():
            yield Effect(values=_centred(missing.astype(np.float64)), mean=0.0, spread=0.7)


def _told_effects(pool: BoardPool, grades: FloatArray) -> Iterator[Effect]:
    """What the pool's own table says, with the effects that the beliefs of a board expect of it."""
    told = None if pool.facts is None else Columns.of(pool.facts, grades)
    if told is not None:
        for column, mean, precision in zip(told.values.T, told.mean, told.precision, strict=True):
            yield Effect(values=column, mean=float(mean) / PROBIT, spread=float(precision) ** -0.5 / PROBIT)


def _run_slopes(near: FloatArray) -> tuple[FloatArray, float]:
    """By how much each run is nearer to a document than all runs are on average, or the main directions of it; and the
    factor of its spreads. One run alone has nothing to differ from."""
    runs = near.shape[1]
    apart = near - near.mean(axis=1, keepdims=True)
    if runs <= FEW_RUNS:
        return 2 * apart[:, : runs if runs > 1 else 0], 1.0
    directions = np.linalg.svd(apart.T @ apart)[0][:, :DIRECTIONS]
    return 2 * apart @ directions, float(np.sqrt(min(1.0, SHARED / runs)))


def _query_effects(
    pool: BoardPool, near: FloatArray, runs: FloatArray, shrunk: float
) -> tuple[FloatArray, list[float], IndexArray]:
    """What a query's own effects are multiplied by, the spreads of all but the intercept, and their kinds."""
    judged = [2 * _centred(judge_steps(judge.said).mean(axis=1)) for judge in pool.judges]
    columns = [np.ones(len(near)), 2 * _centred(near.mean(axis=1)), *judged, *runs.T]
    spreads = [SPREADS["nearness"], *[SPREADS["judge"]] * len(judged), *[SPREADS["run"] * shrunk] * runs.shape[1]]
    kind = [0, 1, *[2] * len(judged), *[3] * runs.shape[1]]
    return np.column_stack(columns), spreads, np.array(kind, dtype=np.int64)


def _by_step(mean: Sequence[float] | float, steps: int) -> FloatArray:
    return np.broadcast_to(np.asarray(mean, dtype=np.float64)[..., :steps] if np.ndim(mean) else mean, steps)


def _centred(values: FloatArray) -> FloatArray:
    """The values less their mean; 0 where there is none."""
    known: BoolArray = ~np.isnan(values)
    return np.where(known, values - (values[known].mean() if known.any() else 0.0), 0.0)
