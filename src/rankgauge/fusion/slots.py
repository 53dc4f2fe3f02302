"""Which entries of several lists are the same document: by hashes that are sorted query by query.

The number of an entry is kept in the lowest bits of its hash, so that one sort finds the entries of each document, the
first one first. What has the same hash is compared word by word, so a hash never decides.
"""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import BoolArray, IndexArray
from rankgauge.ranking.scan.ids import Words, hashed

_MIX = np.uint64(0xC2B2AE3D27D4EB4F)


def find_slots(documents: Words, lengths: IndexArray) -> tuple[IndexArray, IndexArray, BoolArray]:
    """The slot of each entry, the entries sorted by slot, and which of these are the first of theirs."""
    ends = np.cumsum(lengths)
    begins = ends - lengths
    bits = int(lengths.max(initial=1)).bit_length()
    low = np.uint64((1 << bits) - 1)
    offset = np.repeat(begins, lengths)
    keys = hashed(documents)
    keys *= _MIX
    keys &= ~low
    numbers = np.arange(int(lengths.max(initial=0)), dtype=np.uint64)
    keys |= np.concatenate([numbers[:n] for n in lengths.tolist()] or [numbers])
    for start, end in zip(begins.tolist(), ends.tolist(), strict=True):
        keys[start:end].sort()
    place = (keys & low).astype(np.int64)
    place += offset
    keys &= ~low
    opens = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=opens[1:])
    opens[begins[lengths > 0]] = True
    if not _is_exact(documents, place, ~opens[1:]):
        place, opens = _compared(documents, lengths)
    found, slot = np.cumsum(opens), np.empty(len(place), dtype=np.int64)
    found -= 1
    slot[place] = found
    return slot, place, opens


def _is_exact(documents: Words, place: IndexArray, goes_on: BoolArray) -> bool:
    """Whether neighbours with the same hash are the same document."""
    for column in range(documents.shape[1]):
        words = documents[:, column].take(place)
        if bool(((words[1:] != words[:-1]) & goes_on).any()):
            return False
    return True


def _compared(documents: Words, lengths: IndexArray) -> tuple[IndexArray, BoolArray]:
    """The same by the documents themselves, for the rare case of two with one hash."""
    query = np.repeat(np.arange(len(lengths)), lengths)
    columns = [documents[:, column] for column in range(documents.shape[1])]
    place = np.lexsort((*columns, query))
    opens = np.ones(len(place), dtype=bool)
    opens[1:] = np.any([column.take(place)[1:] != column.take(place)[:-1] for column in (*columns, query)], axis=0)
    return place, opens
