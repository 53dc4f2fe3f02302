"""Strata: a pool in parts, of each of which a sample is judged, and what the sampled documents stand for.

A document is in one stratum (a facet of its query): its grade there is −∞ if it was not drawn. Each that was stands for
N / (n π) documents: N are in the stratum, n of them judged, and π is the chance that prels give, 1 where all documents
of the stratum are listed. `hit_times` and `pool_times` say how often each document counts, for an interval by
resampling; else it is once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray, ratio
from rankgauge.ranking import UNJUDGED, RankedLists


@dataclass(frozen=True, kw_only=True, eq=False)
class Strata:
    """The hits of lists (… × hits × strata) and all documents of their pools (… × documents × strata) by stratum.

    `ranks` (… × hits) are NaN in padding, `chance` (… × strata) is NaN where a query has fewer strata.
    """

    ranks: FloatArray
    hits: FloatArray
    pool: FloatArray
    chance: FloatArray
    hit_times: FloatArray | float = 1.0
    pool_times: FloatArray | float = 1.0

    @classmethod
    def of(cls, lists: RankedLists) -> Strata:
        """Those of lists whose facets are strata."""
        assert lists.facets is not None
        facets = lists.facets
        return cls(ranks=lists.ranks, hits=facets.grades, pool=facets.pool, chance=facets.weights)

    @cached_property
    def members(self) -> FloatArray:
        """Whether a hit is in each stratum."""
        return (~np.isnan(self.hits)).astype(np.float64)

    @cached_property
    def drawn(self) -> FloatArray:
        """How often a hit counts as a sampled one of each stratum."""
        return np.asarray((self.hits > UNJUDGED) * self.hit_times)

    @cached_property
    def sizes(self) -> FloatArray:
        """How many documents each stratum has, if all of them are listed (… × strata)."""
        return np.asarray((~np.isnan(self.pool)).sum(axis=-2), dtype=np.float64)

    @cached_property
    def samples(self) -> FloatArray:
        """How many of them are judged."""
        return np.asarray(((self.pool > UNJUDGED) * self.pool_times).sum(axis=-2))

    @cached_property
    def expansion(self) -> FloatArray:
        """How many documents a sampled one of each stratum stands for; 0 where none is judged."""
        found = ratio(self.sizes, self.samples * np.where(np.isnan(self.chance), 1.0, self.chance))
        return np.where(np.isnan(found), 0.0, found)

    def relevant(self, rel: float) -> FloatArray:
        """How often a hit counts as a relevant one of each stratum."""
        return np.asarray((self.hits >= rel) * self.hit_times)

    def total(self, where: BoolArray) -> FloatArray:
        """The estimated number of such documents in the pool."""
        counts = (where * self.pool_times).sum(axis=-2)
        return np.asarray((counts * self.expansion).sum(axis=-1))

    def total_relevant(self, rel: float) -> FloatArray:
        """The estimated number of relevant documents."""
        return self.total(self.pool >= rel)


def above(counts: FloatArray) -> FloatArray:
    """The sum over the hits before each (… × hits × strata)."""
    return np.asarray(np.cumsum(counts, axis=-2) - counts)
