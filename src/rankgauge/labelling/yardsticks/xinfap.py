"""xinfAP: the pool is cut into strata by depth, and the deeper a stratum is, the fewer of its documents are judged.

AP is the expected precision at the rank of a random relevant document. Above that rank the share of relevant documents
is estimated in each stratum by itself:

    PC_k = (1 + Σ_s N_s (r_s + ε ρ_s)/(n_s + ε)) / k

N_s, n_s and r_s are the documents of the stratum above rank k, those of them that are judged, and those found to be
relevant; where none is judged, ρ_s, the share in all of the query's stratum, takes their place. nDCG (infNDCG) and
linear measures weigh a sampled label by the size of its stratum over its sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from rankgauge.labelling.board.lists import PrecisionLists
from rankgauge.labelling.board.target import BoardTarget
from rankgauge.labelling.yardstick import JudgedBoard, Standing, Yardstick, expanded, shares
from rankgauge.numeric import FloatArray, IndexArray

STRATA = 5
"""Each gets the same number of labels; the first is judged throughout, and sizes grow by a constant factor."""

SMOOTHING = 1e-5
"""ε, as in trec_eval's infAP."""


def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
    """The values from a sample of each stratum; the same random numbers serve every number of labels."""
    rng = np.random.default_rng(seed)
    by_depth, luck = np.lexsort((rng.random(judged.size), judged.board.pool.best_rank)), rng.random(judged.size)
    for n in labels:
        stratum = np.empty(judged.size, dtype=np.int64)
        stratum[by_depth] = np.searchsorted(_edges(judged.size, n), np.arange(judged.size), side="right")
        sample, chance = _drawn(judged, stratum, n, luck)
        yield tuple(
            _inferred(judged, target, lists, stratum, sample, chance) if isinstance(lists, PrecisionLists) else found
            for found, (target, lists) in zip(expanded(judged, sample, chance), judged.measured(), strict=True)
        )


def _edges(size: int, labels: int) -> FloatArray:
    """Where in the order by depth each stratum but the first begins."""
    first = labels / STRATA
    low, high = 1.0, size / first
    for _ in range(60):
        growth = (low + high) / 2
        low, high = (growth, high) if first * np.sum(growth ** np.arange(STRATA)) < size else (low, growth)
    return np.asarray(np.round(first * np.cumsum(low ** np.arange(STRATA - 1))))


def _drawn(judged: JudgedBoard, stratum: IndexArray, labels: int, luck: FloatArray) -> tuple[IndexArray, FloatArray]:
    """A sample of each stratum, of each query in proportion to its size there, and the chances of its documents."""
    query, found = judged.board.pool.query, []
    left = labels
    for s in range(STRATA):
        members = np.flatnonzero(stratum == s)
        sizes = np.bincount(query[members], minlength=len(judged.board.pool.queries))
        counts = shares(sizes, round(left / (STRATA - s)))
        left -= int(counts.sum())
        order = members[np.lexsort((luck[members], query[members]))]
        place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        drawn = order[place < counts[query[order]]]
        found.append((drawn, (counts / np.maximum(sizes, 1))[query[drawn]]))
    sample, chance = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return sample, chance


def _inferred(
    judged: JudgedBoard,
    target: BoardTarget,
    lists: PrecisionLists,
    stratum: IndexArray,
    sample: IndexArray,
    chance: FloatArray,
) -> Standing:
    """The expected precision at a random relevant document."""
    pool, weight = judged.board.pool, np.zeros(judged.size)
    known = np.zeros(judged.size)
    known[sample], weight[sample] = 1.0, 1.0 / chance
    relevant = known * (judged.reached @ target.steps > 0)
    weight *= relevant
    above = np.zeros(len(lists.document))
    for s in range(STRATA):
        member = (stratum == s).astype(np.float64)
        drawn, good = (np.add.reduceat(member * mask, pool.starts) for mask in (known, relevant))
        share = (good / np.maximum(drawn, 1.0))[pool.query[lists.document]]
        size, seen, found = (lists.above((member * mask)[lists.document]) for mask in (1.0, known, relevant))
        above += size * (found + SMOOTHING * share) / (seen + SMOOTHING)
    sums = lists.sums(weight[lists.document] * (1.0 + above) * lists.weight)
    counts = np.add.reduceat(judged.reached * weight[:, np.newaxis], pool.starts, axis=0)
    return Standing(values=target.over_ideal(sums, counts).mean(axis=1))


XINFAP = Yardstick(
    name="xinfAP",
    title="xinfAP and infNDCG: strata by depth, the deeper the fewer labels",
    reference="Yilmaz, Kanoulas & Aslam, A simple and efficient sampling method for estimating AP and NDCG, SIGIR 2008",
    standings=standings,
).register()
