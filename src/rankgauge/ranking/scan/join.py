"""Which lines of a chunk are judged: one sort finds the judged documents and the ones that stand twice.

Lines and judgments get 64-bit keys from their (query, document): hash above, their own number below. Sorted together,
equal documents are neighbours. Neighbours are compared byte by byte, so a hash never decides.
"""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import IndexArray
from rankgauge.ranking.scan.ids import Words, hashed, keyed, same
from rankgauge.ranking.scan.lines import IrregularFileError
from rankgauge.ranking.scan.pool import JudgedPool, spans

__all__ = ["join"]

SALTS = range(4)


def join(documents: Words, codes: IndexArray, counts: IndexArray, pool: JudgedPool) -> IndexArray:
    """For each line, its place in the pool, or -1.

    The lines are those of the queries `codes`, `counts` of each. A document that stands twice is left to the general
    path, which names it.
    """
    places = spans(pool.starts[codes], pool.counts[codes])
    judged = pool.documents.take(places, axis=0)
    query = np.concatenate([np.repeat(codes, counts), np.repeat(codes, pool.counts[codes])])
    hashes = np.concatenate([hashed(documents), hashed(judged)])
    found = np.full(len(documents), -1)
    for salt in SALTS:
        one, other = _neighbours(keyed(hashes, query, salt))
        if _is_matching(one, other, len(documents)):
            line, place = one, other - len(documents)
            equal = same(documents.take(line, axis=0), judged.take(place, axis=0))
            found[line[equal]] = places[place[equal]]
            return found
        if _is_twice(one, other, documents, judged, query):
            break
    raise IrregularFileError


def _neighbours(keys: Words) -> tuple[IndexArray, IndexArray]:
    """The numbers of neighbours with equal hashes, the smaller first."""
    bits = np.uint64(len(keys).bit_length())
    keys = (keys >> bits << bits) | np.arange(len(keys), dtype=np.uint64)
    keys.sort()
    upper = keys >> bits
    at = np.flatnonzero(upper[1:] == upper[:-1])
    number = (np.uint64(1) << bits) - np.uint64(1)
    return (keys[at] & number).astype(np.int64), (keys[at + 1] & number).astype(np.int64)


def _is_matching(one: IndexArray, other: IndexArray, lines: int) -> bool:
    """Whether every pair is a line and a judgment, and none has a third of the same hash."""
    return bool((one < lines).all() and (other >= lines).all())


def _is_twice(one: IndexArray, other: IndexArray, documents: Words, judged: Words, query: IndexArray) -> bool:
    """Whether two lines, or two judgments, are of the same query and document."""
    lines = len(documents)
    for rows, chosen, first in ((documents, other < lines, 0), (judged, one >= lines, lines)):
        a, b = one[chosen], other[chosen]
        if bool((same(rows[a - first], rows[b - first]) & (query[a] == query[b])).any()):
            return True
    return False
