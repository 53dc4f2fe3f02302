"""li-kanoulas: active sampling, which draws with replacement and more from the runs that do well so far.

A document's chance in a draw is Σ_s w_s p(rank in s): p falls with the rank as a document's part in AP does, and w_s is
in proportion to the run's AP as estimated so far, equal at first. It is in the sample with the chance of not being
missed by all draws, π = 1 − Π(1 − p). The published code has 1/π² where a document meets itself in AP; it is 1/π here.
A twentieth of each draw is even over the pool, so that documents which no run retrieves can be drawn at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.labelling.yardstick import JudgedBoard, Standing, Yardstick, expanded, shares
from rankgauge.numeric import FloatArray, IndexArray

EVEN = 0.05
"""The part of a draw that is even over the pool."""

FIRST, GROWTH = 10, 0.25
"""The draws of a query's first batch, and by how much of all draws so far each batch grows."""


def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The values from samples of the same share of each query's pool."""
    rng, sizes = np.random.default_rng(seed), judged.board.pool.sizes
    wanted = np.array([shares(sizes, n) for n in labels])
    samples = [_Query(judged, q, rng).samples(wanted[:, q].tolist()) for q in range(len(sizes))]
    for k in range(len(labels)):
        sample, chance = (np.concatenate(parts) for parts in zip(*(found[k] for found in samples), strict=True))
        yield tuple(expanded(judged, sample, chance))


class _Query:
    """The draws of one query: what was drawn, and for each document the logarithm of the chance that it was not."""

    def __init__(self, judged: JudgedBoard, query: int, rng: np.random.Generator) -> None:
        pool = judged.board.pool
        self.rng, self.start, self.size = rng, int(pool.starts[query]), int(pool.sizes[query])
        self.relevant = judged.relevant[self.start : self.start + self.size]
        self.ranks = np.full((len(pool.runs), self.size), np.inf)
        for run, (documents, ranks) in enumerate(pool.run_lists(query)):
            self.ranks[run, documents - self.start] = ranks
        self.part = _part_in_ap(self.ranks, pool.deepest)
        self.weight = np.full(len(pool.runs), 1.0 / len(pool.runs))
        self.missed, self.drawn = np.zeros(self.size), 0
        self.sample = np.empty(0, dtype=np.int64)

    def samples(self, labels: Sequence[int]) -> list[tuple[IndexArray, FloatArray]]:
        """The documents of the sample at each number of labels, and their chances."""
        found = {0: (self.sample, np.empty(0))}
        open_ = sorted({n for n in labels if 0 < n < self.size})
        while open_:
            p = self._chances()
            batch = max(FIRST, int(GROWTH * self.drawn))
            draws = self.rng.choice(self.size, batch, p=p)
            new, at = _firsts(draws, self.sample)
            while open_ and open_[0] <= len(self.sample) + len(new):
                n = open_.pop(0)
                sample = np.concatenate([self.sample, new])[:n]
                until = at[n - len(self.sample) - 1] + 1
                found[n] = sample, -np.expm1(self.missed + until * np.log1p(-p))[sample]
            self.sample = np.concatenate([self.sample, new])
            self.missed += batch * np.log1p(-p)
            self.drawn += batch
            self._learn()
        found[self.size] = np.arange(self.size), np.ones(self.size)
        return [(self.start + found[n][0], found[n][1]) for n in labels]

    def _chances(self) -> FloatArray:
        """The chance of each document in one draw."""
        weighed = self.weight @ self.part
        whole = weighed.sum()
        even = np.full(self.size, 1.0 / self.size)
        return np.asarray((1 - EVEN) * weighed / whole + EVEN * even if whole > 0 else even)

    def _learn(self) -> None:
        """The runs' weights by their sums of precisions as the sample estimates them."""
        good = self.sample[self.relevant[self.sample]]
        if not len(good):
            return
        order = np.argsort(self.ranks[:, good], axis=1)
        ranks = np.take_along_axis(self.ranks[:, good], order, axis=1)
        counts = (1.0 / -np.expm1(self.missed[good]))[order]
        sums = (counts * (1.0 + np.cumsum(counts, axis=1) - counts) / ranks).sum(axis=1)
        if sums.any():
            self.weight = sums / sums.sum()


def _part_in_ap(ranks: FloatArray, deepest: int) -> FloatArray:
    """1 + 1/r + 1/(r + 1) + … + 1/n for each rank r, and 0 for documents that a run does not retrieve."""
    inverse = 1.0 / np.arange(1, deepest + 1)
    by_rank = np.append(1.0 + np.cumsum(inverse[::-1])[::-1], 0.0)
    return np.asarray(by_rank[np.minimum(ranks - 1, deepest).astype(np.int64)])


def _firsts(draws: IndexArray, before: IndexArray) -> tuple[IndexArray, IndexArray]:
    """The documents that are drawn for the first time, in the order of the draws, and the places of those draws."""
    documents, places = np.unique(draws, return_index=True)
    new = ~np.isin(documents, before)
    order = np.argsort(places[new])
    return documents[new][order], places[new][order]


LI_KANOULAS = Yardstick(
    name="li-kanoulas",
    title="Active sampling of Li & Kanoulas: with replacement, more from runs that do well so far",
    reference="Li & Kanoulas, Active sampling for large-scale information retrieval evaluation, CIKM 2017",
    standings=standings,
).register()
