"""Laplace's approximation of one step: what is believed of every document, and how the beliefs vary together.

Draws are for reporting: they are too noisy to say which label would help most. This is the same model without noise,
around the maximum of its posterior (Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006, algorithm
3.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.active.posterior.model import GradeModel
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

ROUNDS = 6
"""How many of Newton's steps are taken."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StepBeliefs:
    """The chance that each document passes the step, its slope in the predictor, and the predictor's variance.

    `known` (labels × documents) is what labels take from the prior covariance k: Cov = k − known'known.
    """

    model: GradeModel
    spread: FloatArray
    chance: FloatArray
    slope: FloatArray
    variance: FloatArray
    known: FloatArray

    @classmethod
    def of(cls, model: GradeModel, step: int, rows: IndexArray, passed: BoolArray, spread: FloatArray) -> StepBeliefs:
        """The beliefs after the labels of some documents, with these spreads of queries' effects (effects)."""
        from scipy.special import ndtr

        prior = model.x @ model.mean[step]
        kernel = _kernel(model, spread, rows)
        moved, root = _maximum(kernel[:, rows], prior[rows], np.where(passed, 1.0, -1.0))
        known = np.linalg.solve(np.linalg.cholesky(_curved(kernel[:, rows], root)), root[:, np.newaxis] * kernel)
        variance = _own(model, spread) - (known**2).sum(axis=0)
        wide = np.sqrt(1.0 + np.maximum(variance, 0.0))
        at = (prior + moved @ kernel) / wide
        return cls(
            model=model,
            spread=spread,
            chance=np.clip(ndtr(at), 1e-6, 1.0 - 1e-6),
            slope=np.exp(-(at**2) / 2) / np.sqrt(2 * np.pi) / wide,
            variance=np.maximum(variance, 1e-9),
            known=known,
        )

    def row(self, place: int) -> FloatArray:
        """The covariance of one document with all."""
        prior = _kernel(self.model, self.spread, np.array([place]))[0]
        return np.asarray(prior - self.known[:, place] @ self.known)

    def times(self, weights: FloatArray) -> FloatArray:
        """Weights (any number × documents) times the covariance of all documents, which is never made."""
        model = self.model
        shared = (weights @ model.x * model.spread**2) @ model.x.T
        by_query = np.add.reduceat(weights[:, :, np.newaxis] * model.w, model.starts, axis=1) * self.spread**2
        own = np.einsum("sze,ze->sz", by_query[:, model.query], model.w)
        return np.asarray(shared + own - (weights @ self.known.T) @ self.known)


def _kernel(model: GradeModel, spread: FloatArray, rows: IndexArray) -> FloatArray:
    """The prior covariance of some documents with all (rows × documents)."""
    found = (model.x[rows] * model.spread**2) @ model.x.T
    for place, row in enumerate(rows):
        query = model.query[row]
        mine = slice(model.starts[query], model.starts[query] + model.sizes[query])
        found[place, mine] += model.w[mine] @ (spread**2 * model.w[row])
    return np.asarray(found)


def _own(model: GradeModel, spread: FloatArray) -> FloatArray:
    """The prior variance of each document."""
    return np.asarray(model.x**2 @ model.spread**2 + model.w**2 @ spread**2)


def _curved(kernel: FloatArray, root: FloatArray) -> FloatArray:
    return np.asarray(np.eye(len(root)) + root[:, np.newaxis] * kernel * root)


def _maximum(kernel: FloatArray, prior: FloatArray, sign: FloatArray) -> tuple[FloatArray, FloatArray]:
    """By what the labels move all predictors through the kernel, and the root of the likelihood's curvature, both at
    the maximum."""
    from scipy.special import log_ndtr

    at, moved, root = prior, np.zeros(len(prior)), np.ones(len(prior))
    for _ in range(ROUNDS):
        ratio = np.exp(-(at**2) / 2 - log_ndtr(sign * at)) / np.sqrt(2 * np.pi)
        root = np.sqrt(np.maximum(ratio**2 + sign * at * ratio, 1e-9))
        wanted = root**2 * (at - prior) + sign * ratio
        held = np.linalg.solve(_curved(kernel, root), root * (kernel @ wanted))
        moved = wanted - root * held
        at = prior + kernel @ moved
    return moved, root
