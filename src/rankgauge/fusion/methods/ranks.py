"""Methods that combine the ranks of documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.fusion.method import Evidence, FusionMethod, parameter
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray


@dataclass(frozen=True, kw_only=True)
class ReciprocalRankFusion(FusionMethod):
    """The sum of reciprocal ranks, softened by a constant."""

    name = "rrf"
    formula = "Σ 1 / (k + rank)"
    reference = (
        "Cormack, Clarke & Büttcher, Reciprocal rank fusion outperforms Condorcet and individual rank learning "
        "methods, SIGIR 2009"
    )
    ranx = "rrf"
    looks_at = Evidence.RANKS

    k: float = parameter(
        real_number(),
        default=60,
        tries=(0, 1, 2, 5, 10, 20, 30, 40, 60, 80, 100, 200, 500, 1000),
    )

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.by_rank(1.0 / (self.k + np.arange(1.0, stack.sizes.max(initial=0) + 1))))


@dataclass(frozen=True, kw_only=True)
class InverseSquareRank(FusionMethod):
    """The sum of inverse square ranks times the number of runs that list the document."""

    name = "isr"
    formula = "n · Σ 1 / rank²"
    reference = (
        "Mourão, Martins & Magalhães, Multimodal medical information retrieval with unsupervised rank fusion, "
        "Computerized Medical Imaging and Graphics 2015"
    )
    ranx = "isr"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        squares = stack.by_rank(1.0 / np.arange(1.0, stack.sizes.max(initial=0) + 1) ** 2)
        return stack.sum(squares) * stack.listed


@dataclass(frozen=True, kw_only=True)
class LogInverseSquareRank(FusionMethod):
    """The sum of inverse square ranks times the logarithm of the number of runs."""

    name = "log-isr"
    formula = "ln n · Σ 1 / rank²"
    reference = (
        "Mourão, Martins & Magalhães, Multimodal medical information retrieval with unsupervised rank fusion, "
        "Computerized Medical Imaging and Graphics 2015"
    )
    ranx = "log_isr"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        squares = stack.by_rank(1.0 / np.arange(1.0, stack.sizes.max(initial=0) + 1) ** 2)
        return stack.sum(squares) * np.log(stack.listed)


@dataclass(frozen=True, kw_only=True)
class LognInverseSquareRank(FusionMethod):
    """The sum of inverse square ranks times a logarithm that is not 0 for one run."""

    name = "logn-isr"
    formula = "ln (n + sigma) · Σ 1 / rank²"
    reference = (
        "Mourão, Martins & Magalhães, Multimodal medical information retrieval with unsupervised rank fusion, "
        "Computerized Medical Imaging and Graphics 2015"
    )
    ranx = "logn_isr"
    looks_at = Evidence.RANKS

    sigma: float = parameter(real_number(most=1.0), default=0.01, tries=(0.001, 0.01, *(n / 20 for n in range(1, 21))))

    def scores(self, stack: Stack) -> FloatArray:
        squares = stack.by_rank(1.0 / np.arange(1.0, stack.sizes.max(initial=0) + 1) ** 2)
        return stack.sum(squares) * np.log(stack.listed + self.sigma)


@dataclass(frozen=True, kw_only=True)
class RankBiasedCentroid(FusionMethod):
    """The sum of the weights that rank-biased precision gives to ranks."""

    name = "rbc"
    formula = "Σ (1 − phi) · phi^(rank − 1)"
    reference = "Bailey et al., Retrieval consistency in the presence of query variations, SIGIR 2017"
    ranx = "rbc"
    looks_at = Evidence.RANKS

    phi: float = parameter(
        real_number(most=0.9999), default=0.9, tries=(*(n / 20 for n in range(1, 20)), 0.97, 0.98, 0.99, 0.995)
    )

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.by_rank((1 - self.phi) * self.phi ** np.arange(stack.sizes.max(initial=0))))
