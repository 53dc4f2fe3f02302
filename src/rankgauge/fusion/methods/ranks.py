"""Methods that combine the ranks of documents, or in which runs vote by them; n runs list a document."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from rankgauge.constraints import real_number
from rankgauge.fusion.method import Evidence, FusionMethod, WeightedMethod, parameter
from rankgauge.fusion.stack import Stack, round_scores
from rankgauge.numeric import FloatArray, IndexArray


class ReciprocalRankFusion(FusionMethod):
    """The sum of reciprocal ranks, softened by a constant."""

    name = ranx = "rrf"
    formula = "Σ 1 / (k + rank)"
    reference = (
        "Cormack, Clarke & Büttcher, Reciprocal rank fusion outperforms Condorcet and individual rank learning "
        "methods, SIGIR 2009"
    )
    looks_at = Evidence.RANKS

    k: float = parameter(real_number(), default=60, tries=(0, 1, 2, 5, 10, 20, 30, 40, 60, 80, 100, 200, 500, 1000))

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.by_rank(1.0 / (self.k + stack.ranks)))


class SquareRankMethod(FusionMethod):
    """The sum of inverse square ranks, times a factor that grows with the number of runs that list a document."""

    reference = (
        "Mourão, Martins & Magalhães, Multimodal medical information retrieval with unsupervised rank fusion, "
        "Computerized Medical Imaging and Graphics 2015"
    )
    looks_at = Evidence.RANKS

    @abstractmethod
    def factor(self, listed: FloatArray) -> FloatArray:
        """Return the factor of each document by the number of runs that list it."""

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.by_rank(1.0 / stack.ranks**2)) * self.factor(stack.listed)


class InverseSquareRank(SquareRankMethod):
    """The sum of inverse square ranks times the number of runs that list the document."""

    name = ranx = "isr"
    formula = "n · Σ 1 / rank²"

    def factor(self, listed: FloatArray) -> FloatArray:
        return listed


class LogInverseSquareRank(SquareRankMethod):
    """The sum of inverse square ranks times the logarithm of the number of runs."""

    name, ranx = "log-isr", "log_isr"
    formula = "ln n · Σ 1 / rank²"

    def factor(self, listed: FloatArray) -> FloatArray:
        return np.log(listed)


class LognInverseSquareRank(SquareRankMethod):
    """The sum of inverse square ranks times a logarithm that is not 0 for one run."""

    name, ranx = "logn-isr", "logn_isr"
    formula = "ln (n + sigma) · Σ 1 / rank²"

    sigma: float = parameter(real_number(most=1.0), default=0.01, tries=(0.001, 0.01, *(n / 20 for n in range(1, 21))))

    def factor(self, listed: FloatArray) -> FloatArray:
        return np.log(listed + self.sigma)


class RankBiasedCentroid(FusionMethod):
    """The sum of the weights that rank-biased precision gives to ranks."""

    name = ranx = "rbc"
    formula = "Σ (1 − phi) · phi^(rank − 1)"
    reference = "Bailey et al., Retrieval consistency in the presence of query variations, SIGIR 2017"
    looks_at = Evidence.RANKS

    phi: float = parameter(
        real_number(most=0.9999), default=0.9, tries=(*(n / 20 for n in range(1, 20)), 0.97, 0.98, 0.99, 0.995)
    )

    def scores(self, stack: Stack) -> FloatArray:
        return stack.sum(stack.by_rank((1 - self.phi) * self.phi ** (stack.ranks - 1)))


class Borda(FusionMethod):
    """Borda's count: a point for each document that is not above, the unlisted ones sharing what is left."""

    name, ranx = "borda", "bordafuse"
    formula = "Σ documents − rank + 1, or (documents − length + 1) / 2 if not listed"
    reference = "Aslam & Montague, Models for metasearch, SIGIR 2001"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        return borda_points(stack, np.ones(stack.runs))


class WeightedBorda(WeightedMethod):
    """Borda's count in which runs have weights."""

    name, ranx = "weighted-borda", "w_bordafuse"
    formula = "Σ w · points"
    reference = Borda.reference
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        return borda_points(stack, self.weighing(stack.runs))


class Condorcet(FusionMethod):
    """An order in which no document loses to the next by a majority of the runs."""

    name = ranx = "condorcet"
    formula = "documents − place"
    reference = "Montague & Aslam, Condorcet fusion for improved retrieval, CIKM 2002"
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        return majority_order(stack, np.ones(stack.runs))


class WeightedCondorcet(WeightedMethod):
    """An order by majorities in which the votes of runs have weights."""

    name, ranx = "weighted-condorcet", "w_condorcet"
    formula = "documents − place"
    reference = Condorcet.reference
    looks_at = Evidence.RANKS

    def scores(self, stack: Stack) -> FloatArray:
        return majority_order(stack, self.weighing(stack.runs))


def borda_points(stack: Stack, weights: FloatArray) -> FloatArray:
    """Return the points of each document, weighted by run."""
    lengths = np.zeros((stack.queries, stack.runs))
    lengths[stack.list_query, stack.list_run] = stack.sizes
    shares = (stack.pooled[:, np.newaxis] - lengths + 1) / 2
    query = stack.slot_query.take(stack.slot)
    points = (
        stack.average_ties((stack.pooled.take(query) - stack.rank + 1).astype(np.float64)) - shares[query, stack.run]
    )
    return stack.sum(points * weights.take(stack.run)) + (shares @ weights).take(stack.slot_query)


def majority_order(stack: Stack, weights: FloatArray) -> FloatArray:
    """Return scores of an order by weighted majorities: from the number of the query's documents down to 1.

    A run votes for the document that it ranks higher, and for one that it lists against one that it does not; it has no
    vote on two that it does not list, or that are tied.
    """
    ranks = stack.spread(stack.average_ties(stack.rank.astype(np.float64)), np.inf)
    begun = np.lexsort((stack.heads, -round_scores(borda_points(stack, weights)), stack.slot_query))
    order = _merge(begun, stack.pooled, ranks, weights)
    places = np.empty(stack.slots)
    ends = np.cumsum(stack.pooled)
    places[order] = np.repeat(ends, stack.pooled) - np.arange(stack.slots)
    return places


def _merge(order: IndexArray, sizes: IndexArray, ranks: FloatArray, weights: FloatArray) -> IndexArray:
    """Return the order after merging neighbours of 1, 2, 4 … documents, in every query at once."""
    begins, width = np.cumsum(sizes) - sizes, 1
    while width < sizes.max(initial=0):
        pairs = -(-sizes // (2 * width))
        within = np.arange(pairs.sum()) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        low = np.repeat(begins, pairs) + 2 * width * within
        end = np.repeat(begins + sizes, pairs)
        order = _step(order, low, np.minimum(low + width, end), np.minimum(low + 2 * width, end), ranks, weights)
        width *= 2
    return order


def _step(
    order: IndexArray, low: IndexArray, middle: IndexArray, high: IndexArray, ranks: FloatArray, weights: FloatArray
) -> IndexArray:
    """Return the order after every pair of neighbours, low … middle and middle … high, is merged into one."""
    made = order.copy()
    left, right, out = low.copy(), middle.copy(), low.copy()
    busy = np.flatnonzero(right < high)
    while len(busy):
        one, other = order[left[busy]], order[right[busy]]
        # Does the document of the second part have more weight of votes?
        votes = (ranks[other] < ranks[one]).astype(np.float64) - (ranks[other] > ranks[one])
        up = np.einsum("dr,r->d", votes, weights) > 1e-12
        made[out[busy]] = np.where(up, other, one)
        left[busy] += ~up
        right[busy] += up
        out[busy] += 1
        busy = busy[(left[busy] < middle[busy]) & (right[busy] < high[busy])]
    # What is left of the first part moves to the end; the rest of the second part is there already.
    rest = middle - left
    from_ = np.repeat(left - (np.cumsum(rest) - rest), rest) + np.arange(rest.sum())
    made[from_ + np.repeat(high - middle, rest)] = order[from_]
    return made
