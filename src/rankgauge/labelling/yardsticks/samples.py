"""Yardsticks that judge a sample, or the first of an order.

Judging in the order of a selection finds many relevant documents with few labels, but what is not judged biases values,
and nothing says by how much.

li-kanoulas is active sampling, which draws with replacement and more from the runs that do well so far. A document's
chance in a draw is Σ_s w_s p(rank in s): p falls with the rank as a document's part in AP does, and w_s is in
proportion to the run's AP as estimated so far, equal at first. It is in the sample with the chance of not being missed
by all draws, π = 1 − Π(1 − p). The published code has 1/π² where a document meets itself in AP; it is 1/π here. A
twentieth of each draw is even over the pool, so that documents which no run retrieves can be drawn at all.

xinfAP cuts the pool into strata by depth, and the deeper a stratum is, the fewer of its documents are judged. AP is the
expected precision at the rank of a random relevant document. Above that rank the share of relevant documents is
estimated in each stratum by itself:

    PC_k = (1 + Σ_s N_s (r_s + ε ρ_s)/(n_s + ε)) / k

N_s, n_s and r_s are the documents of the stratum above rank k, those of them that are judged, and those found to be
relevant; where none is judged, ρ_s, the share in all of the query's stratum, takes their place. nDCG (infNDCG) and
linear measures weigh a sampled label by the size of its stratum over its sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.labelling.board import Stream
from rankgauge.labelling.board.lists import PrecisionLists
from rankgauge.labelling.selection import SELECTIONS
from rankgauge.labelling.yardstick import JudgedBoard, Standing, Yardstick, draw_stream, expand_sample, shares
from rankgauge.numeric import FloatArray, IndexArray

LEADERBOARD = Yardstick(
    name="leaderboard",
    title="One stream of documents in the order of what a label moves on the board",
    reference="",
    standings=draw_stream(lambda judged, seed: judged.board.stream(seed)),
    intervals=True,
).register()


def adjudicate(name: str) -> Yardstick:
    """Return the yardstick that judges documents in the order of a selection; what it has not judged counts as not
    relevant."""
    selection = SELECTIONS[name]

    def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
        rng, relevant = np.random.default_rng(seed), judged.relevant.astype(np.float64)
        first = selection.order(judged.board.pool, relevant, max(labels), rng)
        for n in labels:
            known = np.zeros_like(judged.reached)
            known[first[:n]] = judged.reached[first[:n]]
            yield tuple(Standing(values=values) for values in judged.plug_in(known))

    return Yardstick(name=name, title=selection.title, reference=selection.reference, standings=standings)


DEPTH, MTF, MAXMEAN = (adjudicate(name).register() for name in ("depth", "mtf", "maxmean"))


def standings_uniform(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """Yield the values from the first documents of a random order."""
    order, size = np.random.default_rng(seed).permutation(judged.size), judged.size
    for n in labels:
        both = n * (size - 1) / (size * (n - 1)) if n > 1 else 1.0
        yield tuple(expand_sample(judged, order[:n], np.full(n, n / size), apart=both))


UNIFORM = Yardstick(
    name="uniform",
    title="A uniform sample of the pool with Horvitz–Thompson weights",
    reference="Horvitz & Thompson, A generalization of sampling without replacement from a finite universe, JASA 1952",
    standings=standings_uniform,
).register()


UNIFORM_JUDGE = Yardstick(
    name="uniform+judge",
    title="A uniform sample of the pool, with the judge's grades as beliefs",
    reference="",
    standings=draw_stream(lambda judged, seed: Stream.of(np.ones(judged.size), seed=seed)),
    intervals=True,
    judge=True,
).register()


def stratify(judged: JudgedBoard, seed: int) -> Stream:
    """Return a stream with as many of each of the judge's grades; documents without one are a stratum of their own."""
    _, stratum, sizes = np.unique(judged.said.sum(axis=1), return_inverse=True, return_counts=True)
    return Stream.of(1.0 / sizes[stratum], seed=seed)


STRATIFIED = Yardstick(
    name="stratified",
    title="A sample with as many documents of each of the judge's grades, and these grades as beliefs",
    reference="Neyman, On the two different aspects of the representative method, J. Royal Statistical Society 1934",
    standings=draw_stream(stratify),
    intervals=True,
    judge=True,
).register()


EVEN = 0.05
"""The part of a draw that is even over the pool."""

FIRST, GROWTH = 10, 0.25
"""The draws of a query's first batch, and by how much of all draws so far each batch grows."""


def standings_li_kanoulas(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """Yield the values from samples of the same share of each query's pool."""
    rng, sizes = np.random.default_rng(seed), judged.board.pool.sizes
    wanted = np.array([shares(sizes, n) for n in labels])
    samples = [_Query(judged, q, rng).samples(wanted[:, q].tolist()) for q in range(len(sizes))]
    for k in range(len(labels)):
        sample, chance = (np.concatenate(parts) for parts in zip(*(by_query[k] for by_query in samples), strict=True))
        yield tuple(expand_sample(judged, sample, chance))


class _Query:
    """The draws of one query: what was drawn, and for each document the logarithm of the chance that it was not."""

    def __init__(self, judged: JudgedBoard, query: int, rng: np.random.Generator) -> None:
        pool = judged.board.pool
        self.rng, self.start, self.size = rng, int(pool.starts[query]), int(pool.sizes[query])
        self.relevant = judged.relevant[self.start : self.start + self.size]
        self.ranks = np.full((len(pool.runs), self.size), np.inf)
        for run, (documents, ranks) in enumerate(pool.run_lists(query)):
            self.ranks[run, documents - self.start] = ranks
        # A document's part in AP: 1 + 1/r + 1/(r + 1) + … + 1/n for its rank r, and 0 where a run does not retrieve it.
        inverse = 1.0 / np.arange(1, pool.deepest + 1)
        by_rank = np.append(1.0 + np.cumsum(inverse[::-1])[::-1], 0.0)
        self.part = by_rank[np.minimum(self.ranks - 1, pool.deepest).astype(np.int64)]
        self.weight = np.full(len(pool.runs), 1.0 / len(pool.runs))
        self.missed, self.drawn = np.zeros(self.size), 0
        self.sample = np.empty(0, dtype=np.int64)

    def samples(self, labels: Sequence[int]) -> list[tuple[IndexArray, FloatArray]]:
        """Return the documents of the sample at each number of labels, and their chances."""
        samples = {0: (self.sample, np.empty(0))}
        open_ = sorted({n for n in labels if 0 < n < self.size})
        while open_:
            p = self._chances()
            batch = max(FIRST, int(GROWTH * self.drawn))
            draws = self.rng.choice(self.size, batch, p=p)
            drawn, firsts = np.unique(draws, return_index=True)
            places = np.sort(firsts[~np.isin(drawn, self.sample)])  # the draws that bring a document that is new
            before, self.sample = len(self.sample), np.concatenate([self.sample, draws[places]])
            while open_ and open_[0] <= len(self.sample):
                n = open_.pop(0)
                until = places[n - before - 1] + 1
                samples[n] = self.sample[:n], -np.expm1(self.missed + until * np.log1p(-p))[self.sample[:n]]
            self.missed += batch * np.log1p(-p)
            self.drawn += batch
            self._learn()
        samples[self.size] = np.arange(self.size), np.ones(self.size)
        return [(self.start + samples[n][0], samples[n][1]) for n in labels]

    def _chances(self) -> FloatArray:
        """Return the chance of each document in one draw."""
        weighed = self.weight @ self.part
        whole = weighed.sum()
        even = np.full(self.size, 1.0 / self.size)
        return np.asarray((1 - EVEN) * weighed / whole + EVEN * even if whole > 0 else even)

    def _learn(self) -> None:
        """Weigh the runs by their sums of precisions as the sample estimates them."""
        good = self.sample[self.relevant[self.sample]]
        if not len(good):
            return
        order = np.argsort(self.ranks[:, good], axis=1)
        ranks = np.take_along_axis(self.ranks[:, good], order, axis=1)
        counts = (1.0 / -np.expm1(self.missed[good]))[order]
        sums = (counts * (1.0 + np.cumsum(counts, axis=1) - counts) / ranks).sum(axis=1)
        if sums.any():
            self.weight = sums / sums.sum()


LI_KANOULAS = Yardstick(
    name="li-kanoulas",
    title="Active sampling of Li & Kanoulas: with replacement, more from runs that do well so far",
    reference="Li & Kanoulas, Active sampling for large-scale information retrieval evaluation, CIKM 2017",
    standings=standings_li_kanoulas,
).register()


STRATA = 5
"""Each gets the same number of labels; the first is judged throughout, and sizes grow by a constant factor."""

SMOOTHING = 1e-5
"""ε, as in trec_eval's infAP."""


def standings_xinfap(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """Yield the values from a sample of each stratum; the same random numbers serve every number of labels."""
    rng = np.random.default_rng(seed)
    by_depth, luck = np.lexsort((rng.random(judged.size), judged.board.pool.best_rank)), rng.random(judged.size)
    for n in labels:
        stratum = np.empty(judged.size, dtype=np.int64)
        stratum[by_depth] = np.searchsorted(_edges(judged.size, n), np.arange(judged.size), side="right")
        sample, chance = _draw_sample(judged, stratum, n, luck)
        yield tuple(
            _infer_precision(judged, lists, stratum, sample, chance) if isinstance(lists, PrecisionLists) else standing
            for standing, lists in zip(expand_sample(judged, sample, chance), judged.board.lists, strict=True)
        )


def _edges(size: int, labels: int) -> FloatArray:
    """Return where in the order by depth each stratum but the first begins."""
    first = labels / STRATA
    low, high = 1.0, size / first
    for _ in range(60):
        growth = (low + high) / 2
        low, high = (growth, high) if first * np.sum(growth ** np.arange(STRATA)) < size else (low, growth)
    return np.asarray(np.round(first * np.cumsum(low ** np.arange(STRATA - 1))))


def _draw_sample(
    judged: JudgedBoard, stratum: IndexArray, labels: int, luck: FloatArray
) -> tuple[IndexArray, FloatArray]:
    """A sample of each stratum, of each query in proportion to its size there, and the chances of its documents."""
    query, samples = judged.board.pool.query, []
    left = labels
    for s in range(STRATA):
        members = np.flatnonzero(stratum == s)
        sizes = np.bincount(query[members], minlength=len(judged.board.pool.queries))
        counts = shares(sizes, round(left / (STRATA - s)))
        left -= int(counts.sum())
        order = members[np.lexsort((luck[members], query[members]))]
        place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        drawn = order[place < counts[query[order]]]
        samples.append((drawn, (counts / np.maximum(sizes, 1))[query[drawn]]))
    sample, chance = (np.concatenate(parts) for parts in zip(*samples, strict=True))
    return sample, chance


def _infer_precision(
    judged: JudgedBoard, lists: PrecisionLists, stratum: IndexArray, sample: IndexArray, chance: FloatArray
) -> Standing:
    """Return the expected precision at a random relevant document."""
    pool, weight = judged.board.pool, np.zeros(judged.size)
    known = np.zeros(judged.size)
    known[sample], weight[sample] = 1.0, 1.0 / chance
    relevant = known * (judged.reached @ lists.target.steps > 0)
    weight *= relevant
    above = np.zeros(len(lists.document))
    for s in range(STRATA):
        member = (stratum == s).astype(np.float64)
        drawn, good = (np.add.reduceat(member * mask, pool.starts) for mask in (known, relevant))
        share = (good / np.maximum(drawn, 1.0))[pool.query[lists.document]]
        size, seen, relevant_above = (lists.above((member * mask)[lists.document]) for mask in (1.0, known, relevant))
        above += size * (relevant_above + SMOOTHING * share) / (seen + SMOOTHING)
    sums = lists.sums(weight[lists.document] * (1.0 + above) * lists.weight)
    counts = np.add.reduceat(judged.reached * weight[:, np.newaxis], pool.starts, axis=0)
    return Standing(values=lists.target.over_ideal(sums, counts).mean(axis=1))


XINFAP = Yardstick(
    name="xinfAP",
    title="xinfAP and infNDCG: strata by depth, the deeper the fewer labels",
    reference="Yilmaz, Kanoulas & Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008",
    standings=standings_xinfap,
).register()
