"""The order of a chunk's lines: what is sorted is not sorted again, and ties are ordered only where it matters."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import Ties
from rankgauge.ranking.hits import Found
from rankgauge.ranking.scan.ids import Words, descending
from rankgauge.ranking.scan.pool import JudgedPool, spans

__all__ = ["ordered"]


def ordered(
    score: FloatArray,
    documents: Words,
    place: IndexArray,
    codes: IndexArray,
    counts: IndexArray,
    *,
    pool: JudgedPool,
    ties: Ties,
) -> Found:
    """The judged lines (whose `place` in the pool is not -1) with their ranks and tie groups."""
    starts = np.cumsum(counts) - counts
    opens = np.zeros(len(score), dtype=bool)
    opens[starts] = True
    order = _falling(score, opens, starts, counts)
    if order is not None:
        score, place = score[order], place[order]
    opens[1:] |= score[1:] != score[:-1]
    groups = np.flatnonzero(opens)
    sizes = np.diff(groups, append=len(score))
    group = np.repeat(np.arange(len(groups)), sizes)
    if ties is Ties.DOCID and len(groups) < len(score):
        tied = np.flatnonzero((np.bincount(group[place >= 0], minlength=len(groups)) > 0) & (sizes > 1))
        place = _by_id(place, documents if order is None else documents[order], groups[tied], sizes[tied])
    at = np.flatnonzero(place >= 0)
    query, group = np.repeat(np.arange(len(counts)), counts)[at], group[at]
    return Found(
        listed=codes,
        retrieved=counts.astype(np.float64),
        query=codes[query],
        rank=at - starts[query] + 1.0,
        grade=pool.grades[place[at]],
        first=groups[group] - starts[query] + 1.0,
        size=sizes[group].astype(np.float64),
    )


def _falling(score: FloatArray, opens: BoolArray, starts: IndexArray, counts: IndexArray) -> IndexArray | None:
    """The lines by query and falling score, those of equal score as they stood; None where they are so already."""
    rises = np.zeros(len(score), dtype=bool)
    np.greater(score[1:], score[:-1], out=rises[1:])
    rises &= ~opens
    if not bool(rises.any()):
        return None
    chosen = np.logical_or.reduceat(rises, starts)
    lines = spans(starts[chosen], counts[chosen])
    query = np.repeat(np.arange(len(counts))[chosen], counts[chosen])
    order = np.arange(len(score))
    order[lines] = lines[np.lexsort((-score[lines], query))]
    return order


def _by_id(place: IndexArray, documents: Words, groups: IndexArray, sizes: IndexArray) -> IndexArray:
    """The places after the documents of these tie groups were put in falling order of their ids."""
    lines = spans(groups, sizes)
    place = place.copy()
    place[lines] = place[lines[np.lexsort((*descending(documents[lines]), np.repeat(groups, sizes)))]]
    return place
