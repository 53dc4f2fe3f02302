"""Where a line's document is in the pool, and whether a chunk lists one twice: tables of hashes, not sorts.

A (query, document) has a key of 64 bits. The keys of judged documents are sorted, and a table says where those with the
same leading bits begin, so a line looks at one place, seldom at two. What has the same key is compared byte by byte, so
a hash never decides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import IndexArray
from rankgauge.ranking.scan.chunks import IrregularFileError
from rankgauge.ranking.scan.ids import Words, hashed, keyed, same

ROOM = 2
"""A table has at least 2² times as many slots as there are keys, so that few share one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedLookup:
    """Judged documents by their keys: `places` are theirs in the pool, `begins` where the keys of each slot begin."""

    keys: Words
    places: IndexArray
    documents: Words
    begins: npt.NDArray[np.int32]
    bits: int

    @classmethod
    def of(cls, documents: Words, queries: IndexArray, places: IndexArray) -> JudgedLookup:
        """The lookup of these documents; one that is judged twice for a query is left to the general path."""
        keys = keyed(hashed(documents), queries)
        order = _order(keys)
        keys = keys.take(order)
        if bool((keys[1:] == keys[:-1]).any()):
            raise IrregularFileError
        bits = len(keys).bit_length() + ROOM
        begins = np.zeros((1 << bits) + 1, dtype=np.int32)
        np.cumsum(np.bincount((keys >> np.uint64(64 - bits)).astype(np.int64), minlength=1 << bits), out=begins[1:])
        return cls(
            keys=keys,
            places=places.take(order),
            documents=documents.take(order, axis=0),
            begins=begins,
            bits=bits,
        )

    def find(self, documents: Words, queries: IndexArray) -> IndexArray:
        """For each line its place in the pool, or -1; a document listed twice is left to the general path."""
        keys = keyed(hashed(documents), queries)
        if _is_twice(keys):
            raise IrregularFileError
        slot = (keys >> np.uint64(64 - self.bits)).astype(np.int64)
        at, end = self.begins.take(slot), self.begins.take(slot + 1)
        found = np.full(len(keys), -1)
        lines = np.flatnonzero(at < end)
        at, end = at[lines], end[lines]
        while len(lines):
            hit = np.flatnonzero(self.keys.take(at) == keys[lines])
            line, judged = lines[hit], at[hit]
            equal = same(documents.take(line, axis=0), self.documents.take(judged, axis=0))
            found[line[equal]] = self.places[judged[equal]]
            at = at + 1
            more = np.flatnonzero(at < end)
            lines, at, end = lines[more], at[more], end[more]
        return found


def _order(keys: Words) -> IndexArray:
    """The order of the keys, whose last bits are their numbers meanwhile: a sort takes less time than an `argsort`."""
    bits = np.uint64(len(keys).bit_length())
    packed = (keys >> bits << bits) | np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    leading = packed >> bits
    if bool((leading[1:] == leading[:-1]).any()):  # the last bits decide
        return np.argsort(keys)
    return (packed & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)


def _is_twice(keys: Words) -> bool:
    """Whether two keys are equal; of different documents they are so once in millions of files.

    Every line writes its number into its slot and reads it again: those that read another's compare their keys, and
    try again among themselves, as there may be a third one.
    """
    bits = max(len(keys).bit_length() + ROOM, 1)
    slots = (keys >> np.uint64(64 - bits)).astype(np.int64)
    owners = np.empty(1 << bits, dtype=np.int32)
    rest = np.arange(len(keys), dtype=np.int32)
    while len(rest):
        owners[slots] = rest
        found = owners.take(slots)
        shared = np.flatnonzero(found != rest)
        if bool((keys[rest[shared]] == keys[found[shared]]).any()):
            return True
        rest, slots = rest[shared], slots[shared]
    return False
