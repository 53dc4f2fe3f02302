"""The model of the grades: what ranks, runs, judges and queries say of each document before anyone judges it.

A grade is the number of steps that a document passes, each step a probit regression among those that passed the one
before (a continuation-ratio model):

    P(y_z ≥ t | y_z ≥ t − 1) = Φ(x_z'β_t + w_z'b_qt)

β_t is shared by all documents, b_qt belongs to a query; its first part, the query's intercept, is expected to be ρ_t
times that of the step before. The priors of all were chosen on TREC DL19 alone.

Queries meet only in the shared effects, so that the precision of all effects has the shape of an arrow and is never
written out: it is the block D_q of each query, and what is left for the shared effects once those are taken out,

    S = Λ⁻¹ + X'VX − Σ_q F_q'D_qF_q,   D_q = Λ_q⁻¹ + W_q'VW_q,   F_q = D_q⁻¹W_q'VX_q

with the rows X and W of the labelled documents and the weights V of their labels. Time grows with the labels, not with
their square or cube.

Draws are for reporting: they are too noisy to say which label would help most. The normal approximation is the same
model without noise, around the maximum of its posterior.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.judgments.llm.machine_judge import steps as judge_steps
from rankgauge.labelling.board.features import Columns, PooledJudge
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
"""How far queries' other effects spread before labels show it."""

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
        """Return the model of a pool for a scale of grades."""
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
    """Return how near each document is to the top of each run (documents × runs): 1 at rank 1, 0 beyond rank 100."""
    near = np.zeros((len(pool.documents), len(pool.runs)))
    near[pool.document, pool.run] = 1.0 - np.log(np.minimum(pool.rank, LAST + 1)) / np.log(LAST + 1.0)
    return near


def _rank_effects(pool: BoardPool, near: FloatArray) -> Iterator[Effect]:
    """Yield what the ranks of all runs together say."""
    documents = len(pool.documents)
    tops = np.bincount(pool.document[pool.rank <= TOP], minlength=documents) / len(pool.runs)
    best = np.full(documents, UNSEEN)
    seen = pool.rank <= LAST
    np.minimum.at(best, pool.document[seen], pool.rank[seen].astype(np.float64))
    yield Effect(values=np.ones(documents), mean=INTERCEPTS, spread=1.5)
    yield Effect(values=2 * _centre(near.mean(axis=1)), mean=NEARNESS, spread=2.0)
    yield Effect(values=_centre(tops), mean=0.0, spread=0.5)
    yield Effect(values=_centre(np.log(best)) / 2, mean=0.0, spread=0.5)


def _judge_effects(judges: Sequence[PooledJudge]) -> Iterator[Effect]:
    """Yield what each judge's levels say; where it gave no grade, the mean of what it says, and an effect of that."""
    for judge in judges:
        said = judge_steps(judge.said)
        for level in said.T:
            yield Effect(values=_centre(level), mean=JUDGED / said.shape[1] / len(judges), spread=0.7)
        missing = np.isnan(judge.grades)
        if missing.any():
            yield Effect(values=_centre(missing.astype(np.float64)), mean=0.0, spread=0.7)


def _told_effects(pool: BoardPool, grades: FloatArray) -> Iterator[Effect]:
    """Yield what the pool's own table says, with the effects that the beliefs of a board expect of it."""
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
    """Return what a query's own effects are multiplied by, the spreads of all but the intercept, and their kinds."""
    judged = [2 * _centre(judge_steps(judge.said).mean(axis=1)) for judge in pool.judges]
    columns = [np.ones(len(near)), 2 * _centre(near.mean(axis=1)), *judged, *runs.T]
    spreads = [SPREADS["nearness"], *[SPREADS["judge"]] * len(judged), *[SPREADS["run"] * shrunk] * runs.shape[1]]
    kind = [0, 1, *[2] * len(judged), *[3] * runs.shape[1]]
    return np.column_stack(columns), spreads, np.array(kind, dtype=np.int64)


def _by_step(mean: Sequence[float] | float, steps: int) -> FloatArray:
    return np.broadcast_to(np.asarray(mean, dtype=np.float64)[..., :steps] if np.ndim(mean) else mean, steps)


def _centre(values: FloatArray) -> FloatArray:
    """Return the values less their mean; 0 where there is none."""
    known: BoolArray = ~np.isnan(values)
    return np.where(known, values - (values[known].mean() if known.any() else 0.0), 0.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class EffectRows:
    """The features of labelled documents, those of a query together.

    `padded` (queries × most labels of a query × effects) holds w, with rows of 0 behind a query's last label, and
    `slot` (labels) the row of each label in it: products of small matrices are many times faster than sums of rows.
    """

    model: GradeModel
    x: FloatArray
    w: FloatArray
    padded: FloatArray
    slot: IndexArray

    @classmethod
    def of(cls, model: GradeModel, rows: IndexArray) -> EffectRows:
        """Return the features of these documents, in ascending order."""
        query, queries = model.query[rows], len(model.sizes)
        counts = np.bincount(query, minlength=queries)
        most = max(int(counts.max(initial=0)), 1)
        slot = query * most + np.arange(len(rows)) - (np.cumsum(counts) - counts)[query]
        padded = np.zeros((queries * most, model.w.shape[1]))
        padded[slot] = model.w[rows]
        return cls(
            model=model,
            x=model.x[rows],
            w=model.w[rows],
            padded=padded.reshape(queries, most, -1),
            slot=slot,
        )

    def by_query(self, amounts: FloatArray) -> FloatArray:
        """Return Σ w · amount over the labels of each query (queries × effects × columns of the amounts)."""
        queries, most, _ = self.padded.shape
        spaced = np.zeros((queries * most, amounts.shape[1]))
        spaced[self.slot] = amounts
        return np.asarray(self.padded.transpose(0, 2, 1) @ spaced.reshape(queries, most, -1))

    def predictor(self, beta: FloatArray, b: FloatArray) -> FloatArray:
        """Return x'β + w'b of each label (labels × draws)."""
        own = (self.padded @ b).reshape(-1, b.shape[2])
        return np.asarray(self.x @ beta + own[self.slot])


@dataclass(frozen=True, kw_only=True, eq=False)
class NormalEffects:
    """The covariance of the effects: `shared` is S⁻¹ (features × features), `own` (queries × effects × effects) D⁻¹ of
    each query, and `carried` (queries × effects × features) F: by how much b moves with β."""

    rows: EffectRows
    shared: FloatArray
    own: FloatArray
    carried: FloatArray

    @classmethod
    def of(cls, rows: EffectRows, spread: FloatArray, weight: FloatArray, *, held: float = 0.0) -> NormalEffects:
        """Return the effects after labels of these weights, with these prior spreads of a query's effects.

        `held` is the precision that the next step adds to a query's intercept.
        """
        model, weighed = rows.model, rows.w * weight[:, np.newaxis]
        prior = np.diag(spread**-2)
        prior[0, 0] += held
        own = np.asarray(np.linalg.inv(prior + rows.by_query(weighed)), dtype=np.float64)
        cross = rows.by_query(rows.x * weight[:, np.newaxis])
        carried = own @ cross
        precision = np.diag(model.spread**-2) + (rows.x.T * weight) @ rows.x - np.einsum("qik,qil->kl", cross, carried)
        return cls(rows=rows, shared=np.linalg.inv((precision + precision.T) / 2), own=own, carried=carried)

    def solve(self, amounts: FloatArray, pull: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the covariance times what amounts (labels × draws) pull at the effects: β (features × draws), b
        (queries × effects × draws). `pull` (queries × draws) is what other steps pull at the intercepts."""
        pulled = self.rows.by_query(amounts)
        if pull is not None:
            pulled[:, 0] += pull
        flat = pulled.reshape(-1, amounts.shape[1])
        beta = self.shared @ (self.rows.x.T @ amounts - self._carried.T @ flat)
        return beta, self.own @ pulled - (self._carried @ beta).reshape(pulled.shape)

    def noise(self, rng: np.random.Generator, draws: int) -> tuple[FloatArray, FloatArray]:
        """Draw of the effects around their mean: β (features × draws), b (queries × effects × draws)."""
        shared, own = self._roots
        beta = shared @ rng.standard_normal((len(shared), draws))
        b = own @ rng.standard_normal((*own.shape[:2], draws))
        return beta, b - (self._carried @ beta).reshape(b.shape)

    @cached_property
    def _carried(self) -> FloatArray:
        return np.ascontiguousarray(self.carried.reshape(-1, len(self.shared)))

    @cached_property
    def _roots(self) -> tuple[FloatArray, FloatArray]:
        shared, own = (np.asarray(np.linalg.cholesky(one), dtype=np.float64) for one in (self.shared, self.own))
        return shared, own

    def features(self) -> FloatArray:
        """What each document has of the shared effects once its query's move with them (documents × features): the
        covariance of two predictors is that of these, and w'D⁻¹w if they are of one query."""
        model = self.rows.model
        return np.asarray(model.x - np.einsum("zi,zik->zk", model.w, self.carried[model.query]))


ROUNDS = 6
"""How many of Newton's steps are taken."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StepBeliefs:
    """The chance that each document passes the step, its slope in the predictor, and the predictor's variance.

    The covariance of two predictors is u'S⁻¹u, and w'D⁻¹w more if they are of one query: `u` (documents × features) and
    `effects` have what it takes.
    """

    model: GradeModel
    effects: NormalEffects
    u: FloatArray
    chance: FloatArray
    slope: FloatArray
    variance: FloatArray
    intercept: FloatArray
    """The intercept of each query that is most likely."""

    @classmethod
    def of(
        cls,
        model: GradeModel,
        step: int,
        rows: IndexArray,
        passed: BoolArray,
        spread: FloatArray,
        before: StepBeliefs | None = None,
    ) -> StepBeliefs:
        """Return the beliefs after the labels of some documents, with these spreads of queries' effects (effects), and
        the beliefs about the step before as if they were certain."""
        from scipy.special import ndtr

        order = np.argsort(rows, kind="stable")
        labelled, sign = EffectRows.of(model, rows[order]), np.where(passed[order], 1.0, -1.0)
        carried = np.zeros(len(model.sizes)) if before is None else model.carried[step] * before.intercept
        prior = model.x @ model.mean[step] + carried[model.query]
        beta, b, effects = _maximum(labelled, prior[rows[order]], sign, spread)
        u, by_query = effects.features(), effects.own[model.query]
        variance = np.einsum("zk,kl,zl->z", u, effects.shared, u) + np.einsum(
            "zi,zij,zj->z", model.w, by_query, model.w
        )
        wide = np.sqrt(1.0 + variance)
        middle = prior + model.x @ beta + np.einsum("zi,zi->z", model.w, b[model.query])
        at = middle / wide
        return cls(
            model=model,
            effects=effects,
            u=u,
            chance=np.clip(ndtr(at), 1e-6, 1.0 - 1e-6),
            slope=np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi) / wide,
            variance=variance,
            intercept=carried + b[:, 0],
        )

    def row(self, place: int) -> FloatArray:
        """Return the covariance of one document with all."""
        model, query = self.model, self.model.query[place]
        mine = model.rows_of(query)
        row = self.u @ (self.effects.shared @ self.u[place])
        row[mine] += model.w[mine] @ (self.effects.own[query] @ model.w[place])
        return np.asarray(row)

    def times(self, weights: FloatArray) -> FloatArray:
        """Weights (any number × documents) times the covariance of all documents, which is never made."""
        model = self.model
        shared = (weights @ self.u @ self.effects.shared) @ self.u.T
        sums = np.add.reduceat(weights[:, :, np.newaxis] * model.w, model.starts, axis=1)
        own = np.einsum("sqi,qij->sqj", sums, self.effects.own)[:, model.query]
        return np.asarray(shared + np.einsum("szi,zi->sz", own, model.w))


def _maximum(
    rows: EffectRows, prior: FloatArray, sign: FloatArray, spread: FloatArray
) -> tuple[FloatArray, FloatArray, NormalEffects]:
    """β less its mean and b at the maximum of the posterior, and how far they may be off, by Newton's steps."""
    from scipy.special import log_ndtr

    at = prior
    for _ in range(ROUNDS):
        ratio = np.exp(-(at**2) / 2 - log_ndtr(sign * at)) / np.sqrt(2 * np.pi)
        weight = np.maximum(ratio**2 + sign * at * ratio, 1e-9)
        effects = NormalEffects.of(rows, spread, weight)
        beta, b = effects.solve((weight * (at - prior) + sign * ratio)[:, np.newaxis])
        at = prior + rows.predictor(beta, b)[:, 0]
    return beta[:, 0], b[..., 0], effects
