"""Worths from comparisons of two: Bradley and Terry's model, with Davidson's ties and a bias for the place.

Of two documents of one query, the first shown wins with a chance in proportion to exp((λ₁ − λ₂ + β) / 2), the second to
exp(−(λ₁ − λ₂ + β) / 2), and they tie in proportion to exp(τ) (Davidson, JASA 1970; with an effect of the order,
Davidson & Beaver, Biometrics 1977). The worths λ are normal around 0 with a spread that is estimated too, so that a
document which won every comparison has a finite worth. β and τ are those of the judge, the same for all queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray

ROUNDS = 200
TOLERANCE = 1e-6

SPREAD = 1.0
"""The spread of worths before anything is known."""

WIDE = 3.0
"""The spread that the bias for a place and the log-odds of ties may have: judges who never tie have finite ones."""

ROOM = 1.12
"""How much wider intervals are than the model's own: worths are no normal distribution, but few good documents among
many poor ones. Set on TREC 2019; `rankgauge reproduce pairwise` tries it on TREC 2021 too."""

DRAWS = 400
"""How many draws an interval rests on."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparisons:
    """Answers: the documents shown `first` and `second` (positions), which was `better` (1 first, −1 second, 0
    neither), and how much each answer weighs. `query` (documents) is the position of each document's query, rising."""

    query: IndexArray
    first: IndexArray
    second: IndexArray
    better: FloatArray
    weight: FloatArray

    @cached_property
    def blocks(self) -> list[tuple[IndexArray, IndexArray]]:
        """By query its documents and its answers."""
        asked = self.query[self.first]
        order, queries = np.argsort(asked, kind="stable"), np.unique(self.query)
        starts, ends = (np.searchsorted(asked[order], queries, side=side) for side in ("left", "right"))
        return [
            (np.flatnonzero(self.query == query), order[start:end])
            for query, start, end in zip(queries, starts, ends, strict=True)
        ]


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedWorths:
    """The fitted worths (documents), the bias for the first place, the log-odds of a tie, and their covariance."""

    comparisons: Comparisons
    worth: FloatArray
    place: float
    tie: float
    spread: float
    shared: FloatArray
    """The covariance of `place` and `tie`."""
    _parts: list[tuple[FloatArray, FloatArray]]
    """By query the covariance of its worths given the shared two, and how they move with these."""

    @property
    def place_error(self) -> float:
        """The standard error of the bias for the first place."""
        return float(np.sqrt(self.shared[0, 0]))

    def first_share(self, place: float) -> float:
        """Return how often the first of two equal documents wins, of the times that one of them does."""
        return float(1.0 / (1.0 + np.exp(-place)))

    def shares(self, worth: FloatArray | None = None) -> FloatArray:
        """Return the share of the other documents of its query that each is preferred to, ties counting by half.

        Every two are taken to be shown in both orders, so that no document gains by its place. `worth` (… × documents)
        are other worths than the fitted ones.
        """
        worth = self.worth if worth is None else worth
        shares = np.full(worth.shape, 0.5)
        for documents, _ in self.comparisons.blocks:
            if len(documents) > 1:
                mine = worth[..., documents]
                gap = (mine[..., :, np.newaxis] - mine[..., np.newaxis, :]) / 2
                ahead = _lead(gap + self.place / 2, self.tie) - _lead(self.place / 2 - gap, self.tie)
                shares[..., documents] = 0.5 + 0.25 * ahead.sum(axis=-1) / (len(documents) - 1)
        return shares

    @cached_property
    def repetition(self) -> float:
        """How many times the variance of independent answers theirs is, as answers about the same two are alike.

        It is 1 + (m − 1) ρ for m answers about each two, whose residuals have the correlation ρ (Kish's design effect).
        """
        held = self.comparisons
        won, lost, _ = _chances((self.worth[held.first] - self.worth[held.second] + self.place) / 2, self.tie)
        low, high = np.minimum(held.first, held.second), np.maximum(held.first, held.second)
        residual = (held.better - (won - lost)) / np.sqrt(np.maximum(won + lost - (won - lost) ** 2, 1e-9))
        residual = np.where(held.first == low, residual, -residual)
        _, pair, times = np.unique(low * len(self.worth) + high, return_inverse=True, return_counts=True)
        summed = np.bincount(pair, residual)
        both = float((times * (times - 1)).sum())
        alike = (summed @ summed - residual @ residual) / both if both else 0.0
        return 1.0 + max(0.0, float(times.mean()) - 1.0) * max(0.0, float(alike))

    def draws(self, rng: np.random.Generator, count: int = DRAWS) -> FloatArray:
        """Draw worths (draws × documents) as the answers leave them possible."""
        moved = rng.multivariate_normal(np.zeros(2), self.shared, size=count)
        drawn = np.empty((count, len(self.worth)))
        for (documents, _), (covariance, slope) in zip(self.comparisons.blocks, self._parts, strict=True):
            root = ROOM * np.linalg.cholesky(covariance * self.repetition)
            noise = rng.standard_normal((count, len(documents))) @ root.T
            drawn[:, documents] = self.worth[documents] + noise - moved @ slope.T
        return drawn


def fit_worths(comparisons: Comparisons, *, biased: bool = True) -> FittedWorths:
    """Fit worths to answers; without `biased` no place is taken to be preferred."""
    worth, shared, spread = np.zeros(len(comparisons.query)), np.zeros(2), SPREAD
    for _ in range(ROUNDS):
        before = np.concatenate([worth, shared, [spread]])
        worth, shared, parts, covariance = _step(comparisons, worth, shared, spread, biased)
        variance = float(sum(np.trace(part + slope @ covariance @ slope.T) for part, slope in parts))
        spread = max(float(worth @ worth + variance) / len(worth), 1e-4) ** 0.5
        if np.abs(np.concatenate([worth, shared, [spread]]) - before).max() < TOLERANCE:
            break
    return FittedWorths(
        comparisons=comparisons,
        worth=worth,
        place=float(shared[0]),
        tie=float(shared[1]),
        spread=spread,
        shared=covariance,
        _parts=parts,
    )


def _step(
    comparisons: Comparisons, worth: FloatArray, shared: FloatArray, spread: float, biased: bool
) -> tuple[FloatArray, FloatArray, list[tuple[FloatArray, FloatArray]], FloatArray]:
    """Take a Newton step: the worths query by query, and the two that all queries share by what is left for them."""
    first, second, weight = comparisons.first, comparisons.second, comparisons.weight
    won, lost, tied = _chances((worth[first] - worth[second] + shared[0]) / 2, shared[1])
    off = weight * (comparisons.better - (won - lost)) / 2
    tie_off = weight * ((comparisons.better == 0) - tied)
    curve = weight * (won + lost - (won - lost) ** 2) / 4
    cross, tie_curve = -weight * (won - lost) * tied / 2, weight * tied * (1 - tied)
    slope, parts, kept = np.array([off.sum(), tie_off.sum()]) - shared / WIDE**2, [], []
    bend = np.array([[curve.sum(), cross.sum()], [cross.sum(), tie_curve.sum()]]) + np.eye(2) / WIDE**2
    if not biased:
        slope[0], bend = 0.0, np.diag([1e9, bend[1, 1]])
    for documents, asked in comparisons.blocks:
        size, at = len(documents), documents[0]
        one, other = first[asked] - at, second[asked] - at
        pull = np.bincount(one, off[asked], size) - np.bincount(other, off[asked], size) - worth[documents] / spread**2
        matrix = np.diag(np.full(size, 1.0 / spread**2))
        np.add.at(matrix, (one, one), curve[asked])
        np.add.at(matrix, (other, other), curve[asked])
        np.add.at(matrix, (one, other), -curve[asked])
        np.add.at(matrix, (other, one), -curve[asked])
        border = np.stack(
            [
                np.bincount(one, part[asked], size) - np.bincount(other, part[asked], size)
                for part in (curve if biased else 0 * curve, cross)
            ],
            axis=1,
        )
        inverse = np.linalg.inv(matrix)
        moved = inverse @ border
        slope, bend = slope - moved.T @ pull, bend - border.T @ moved
        parts.append((inverse, moved))
        kept.append(inverse @ pull)
    covariance = np.linalg.inv(bend)
    change = np.clip(covariance @ slope, -2.0, 2.0)
    stepped = worth.copy()
    for (documents, _), (_, moved), mine in zip(comparisons.blocks, parts, kept, strict=True):
        stepped[documents] += np.clip(mine - moved @ change, -2.0, 2.0)
    return stepped, shared + change, parts, np.asarray(covariance, dtype=np.float64)


def list_weight(size: int) -> float:
    """Return how much each pair of documents weighs that one list of so many orders: its pairs share the list's noise.

    The exponent was set on lists of three, five and eight documents of TREC 2019.
    """
    return float((2 / size) ** (1 / 3))


def _lead(gap: FloatArray, tie: float) -> FloatArray:
    """Return by how much the chance that the first wins is larger than that of the second."""
    won, lost, _ = _chances(gap, tie)
    return won - lost


def _chances(gap: FloatArray, tie: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    top = np.maximum(np.abs(gap), tie)
    won, lost, tied = np.exp(gap - top), np.exp(-gap - top), np.exp(tie - top)
    total = won + lost + tied
    return won / total, lost / total, tied / total
