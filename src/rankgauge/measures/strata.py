"""Strata: a pool in parts, of each of which a sample is judged, and what the sampled documents stand for.

A document is in one stratum (a facet of its query): its grade there is −∞ if it was not drawn. Each that was stands for
N / n documents, where N are in the stratum and n of them judged; or, where only those that were drawn are listed, for
1 / π documents, π being the chance that prels give.
"""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np

from rankgauge.measures.measure import Facts, TieRule
from rankgauge.numeric import BoolArray, FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import UNJUDGED, RankedLists
from rankgauge.records import entity

sample_facts = partial(
    Facts,
    bounds=(0.0, np.inf),
    ties=TieRule.SAMPLED,
    improves=False,  # documents of two strata stand for different numbers of others
    better=True,
    judgments=JudgmentKind.SAMPLES,
)
"""The facts of a measure that is estimated from strata."""


@entity
class Strata:
    """The hits of lists (… × hits × strata) and all documents of their pools (… × documents × strata) by stratum.

    `ranks` (… × hits) are NaN in padding, `chance` (… × strata) is NaN where a query has fewer strata.
    """

    ranks: FloatArray
    hits: FloatArray
    pool: FloatArray
    chance: FloatArray

    @classmethod
    def of(cls, lists: RankedLists) -> Strata:
        """Return those of lists whose facets are strata."""
        assert lists.facets is not None
        facets = lists.facets
        return cls(ranks=lists.ranks, hits=facets.grades, pool=facets.pool, chance=facets.weights)

    @cached_property
    def members(self) -> FloatArray:
        """Whether a hit is in each stratum."""
        return (~np.isnan(self.hits)).astype(np.float64)

    @cached_property
    def drawn(self) -> FloatArray:
        """Whether a hit is a sampled one of each stratum."""
        return (self.hits > UNJUDGED).astype(np.float64)

    @cached_property
    def sizes(self) -> FloatArray:
        """How many documents each stratum has, if all of them are listed (… × strata)."""
        return over_documents(~np.isnan(self.pool))

    @cached_property
    def samples(self) -> FloatArray:
        """How many of them are judged."""
        return over_documents(self.pool > UNJUDGED)

    @cached_property
    def listed(self) -> FloatArray:
        """The chance of documents to be listed: 1 in a stratum with documents that were not drawn, so that all are."""
        return np.where(np.isnan(self.chance) | (self.sizes > self.samples), 1.0, self.chance)

    @cached_property
    def expansion(self) -> FloatArray:
        """How many documents a sampled one of each stratum stands for; 0 where none is judged."""
        return np.nan_to_num(ratio(self.sizes, self.samples * self.listed))

    def relevant(self, rel: float) -> FloatArray:
        """Say for each stratum which of its hits are relevant."""
        return (self.hits >= rel).astype(np.float64)

    def total(self, where: BoolArray) -> FloatArray:
        """Return the estimated number of such documents in the pool."""
        return over_strata(over_documents(where) * self.expansion)

    def total_relevant(self, rel: float) -> FloatArray:
        """Return the estimated number of relevant documents."""
        return self.total(self.pool >= rel)


class FromStrata:
    """A measure that is estimated from strata: `inferred` says how."""

    def values(self, lists: RankedLists) -> FloatArray:
        """Return the estimate for each list."""
        return self.infer(Strata.of(lists))

    def infer(self, strata: Strata) -> FloatArray:
        """Return the estimate; with everything judged, what is estimated."""
        raise NotImplementedError


def over_strata(amounts: FloatArray) -> FloatArray:
    """Add over the last axis. It is short, and slice by slice is many times faster than NumPy's own sum."""
    return np.asarray(sum(amounts[..., stratum] for stratum in range(amounts.shape[-1])))


def over_documents(amounts: FloatArray | BoolArray) -> FloatArray:
    """Return the sum over the documents of each stratum (… × documents × strata)."""
    return np.stack([amounts[..., n].sum(axis=-1, dtype=np.float64) for n in range(amounts.shape[-1])], axis=-1)


def above(counts: FloatArray) -> FloatArray:
    """Return the sum over the hits before each (… × hits × strata)."""
    return np.asarray(np.cumsum(counts, axis=-2) - counts)
