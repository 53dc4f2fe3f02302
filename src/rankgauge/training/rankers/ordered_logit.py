"""Ordered logit: grades as a worth cut at thresholds, with a normal prior on the weights.

McCullagh, Regression models for ordinal data, JRSS B 1980. The worth of a document is a weighted sum of its features
plus logistic noise; its grade is the number of thresholds below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from rankgauge.constraints import real_number, whole_number
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.training.ranker import RelevanceModel, learned_attribute, parameter

SAMPLE = 20_000
"""How many documents are used to estimate which features go together."""

CURVATURE = 0.2
"""About the curvature of a document's −log likelihood by its worth: at most ½, less where the grade is certain."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Posterior:
    """The −log posterior of parameters per document, prior and likelihood together, and its gradient.

    The parameters are the weights of standardised features, the first threshold, and the logarithms of the steps from
    each threshold to the next: so thresholds rise, whatever the numbers.
    """

    matrix: FloatArray
    classes: IndexArray
    center: FloatArray
    scale: FloatArray
    prior: float
    """The standard deviation of a weight."""

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        n, width = self.matrix.shape
        weights, thresholds = parameters[:width], rising(parameters[width:])
        slope = weights / self.scale
        worth = self.matrix @ slope - self.center @ slope
        above = np.append(thresholds, np.inf)[self.classes] - worth
        below = np.append(-np.inf, thresholds)[self.classes] - worth
        gap = np.concatenate([[np.inf], np.diff(thresholds), [np.inf]])[self.classes]
        # σ(a) − σ(b) = σ(a) σ(−b) (1 − e^(b − a)): no digits are lost where a and b are near, or far out.
        chance = log_expit(above) + log_expit(-below) + np.log(-np.expm1(-gap))
        loss = -chance.sum() + 0.5 * np.sum((weights / self.prior) ** 2)
        upper, lower = expit(-above), expit(below)
        pull = upper - lower
        slopes = (self.matrix.T @ pull - self.center * pull.sum()) / self.scale + weights / self.prior**2
        # By the first threshold and the logarithms of steps, from sums over each class: a step moves all that follow.
        count = len(thresholds) + 1
        held = np.bincount(self.classes, minlength=count)
        pushed, pulled = (np.bincount(self.classes, amounts, minlength=count) for amounts in (upper, lower))
        between = np.zeros(count)
        between[1:-1] = held[1:-1] / np.expm1(np.diff(thresholds))
        cuts = (pulled + between)[1:] - (pushed + between)[:-1]
        later = np.cumsum(cuts[::-1])[::-1]
        return float(loss / n), np.concatenate([slopes, later[:1], later[1:] * np.diff(thresholds)]) / n


def rising(numbers: FloatArray) -> FloatArray:
    """Return the thresholds: the first, and the logarithms of the steps after it."""
    return np.asarray(np.cumsum(np.append(numbers[:1], np.exp(numbers[1:]))))


class OrderedLogit(RelevanceModel):
    """Proportional odds of grades: the likeliest weights and thresholds, given documents and prior.

    `prior` is the standard deviation of the weight of a standardised feature; a small one keeps weights near 0.
    """

    name = "ordered-logit"
    quick = {"iterations": 50}

    prior: float = parameter(real_number(positive=True), default=1.0)
    iterations: int = parameter(whole_number(), default=500)
    tolerance: float = parameter(real_number(positive=True), default=1e-6)

    weights_: FloatArray = learned_attribute("weights")
    """How much each feature, on its own scale, raises a document's worth."""
    thresholds_: FloatArray = learned_attribute("thresholds")
    """The worth above which each grade but the first begins."""

    def _learn(self, matrix: FloatArray, classes: IndexArray) -> None:
        center, scale = matrix.mean(axis=0), matrix.std(axis=0)
        # A constant feature says nothing, and rounding must not blow it up.
        scale = np.where(scale > 1e-12 * np.abs(center), scale, np.inf)
        posterior = Posterior(matrix=matrix, classes=classes, center=center, scale=scale, prior=self.prior)
        # Start from features without influence: then the shares of grades give the thresholds.
        shares = np.cumsum(np.bincount(classes))[:-1] / len(classes)
        begun = np.log(shares / (1.0 - shares))
        steps = np.log(np.maximum(np.diff(begun), 1e-6))
        # The triangular root of the approximate curvature: correlated features, and the prior.
        width, some = matrix.shape[1], (matrix[:: max(len(matrix) // SAMPLE, 1)] - center) / scale
        curvature = CURVATURE * (some.T @ some) / len(some)
        curvature[np.diag_indices_from(curvature)] += 1.0 / (self.prior**2 * len(matrix))
        root = np.linalg.cholesky(curvature)

        def turn(turned: FloatArray) -> tuple[float, FloatArray]:
            """Compute the posterior in weights in which it curves alike in all directions: ten times fewer steps."""
            weights = solve_triangular(root.T, turned[:width], lower=False)
            loss, slopes = posterior(np.concatenate([weights, turned[width:]]))
            return loss, np.concatenate([solve_triangular(root, slopes[:width], lower=True), slopes[width:]])

        fit = minimize(
            turn,
            np.concatenate([np.zeros(width), begun[:1], steps]),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.iterations, "gtol": self.tolerance, "ftol": 0.0, "maxcor": 20},
        )
        self.weights_ = solve_triangular(root.T, fit.x[:width], lower=False) / scale
        self.thresholds_ = rising(fit.x[width:]) + center @ self.weights_ if len(begun) else np.zeros(0)

    def _probabilities(self, matrix: FloatArray) -> FloatArray:
        worth = matrix @ self.weights_
        least = expit(self.thresholds_ - worth[:, np.newaxis])
        ones, zeros = np.ones((len(matrix), 1)), np.zeros((len(matrix), 1))
        return np.diff(np.concatenate([zeros, least, ones], axis=1), axis=1)
