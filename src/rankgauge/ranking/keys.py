"""Scores and grades as integers of 32 bits, which sort four times as fast as scores with their documents.

The upper bits of a key are those of the score in single precision, the lowest four are the code of the grade. So sorted
keys are the grades in rank order, and nothing has to be looked up. Scores that differ only in the bits that were left
out, and tied documents of different grades, are neighbours whose upper bits are equal: lists in which such a pair
matters are known, and are looked at again.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import BoolArray, IndexArray
from rankgauge.policies import NegativeGrade, Ties
from rankgauge.ranking.hits import apply_negative
from rankgauge.ranking.lists import UNJUDGED
from rankgauge.records import entity

KeyArray: TypeAlias = npt.NDArray[np.int32]
"""Keys or codes (lists × documents)."""

UNGRADED = 15
"""The code of a document that nobody judged."""

TOP = 14
"""The highest grade with a code; that of grade g is TOP − g, so that better documents sort first."""

ABSENT = 0x7FFFFFFF
"""The key of a document that is not in the list, and of padding: it sorts last."""

WHOLE = 400
"""Longer lists are not sorted whole if only their first documents are needed."""


def grade_codes(grades: npt.NDArray[Any], negative: NegativeGrade, highest: float = TOP) -> KeyArray | None:
    """The codes of the grades after the policy on negative ones; None if one is no whole number from 0 to `highest`."""
    codes = np.empty(grades.shape, dtype=np.int32)
    with np.errstate(invalid="ignore"):
        np.copyto(codes, grades, casting="unsafe")
    highest = min(highest, TOP)
    if (
        not np.count_nonzero(codes != grades)
        and np.maximum.reduce(codes.view(np.uint32), axis=None, initial=0) <= highest
    ):
        return np.subtract(TOP, codes, out=codes)
    if np.isinf(grades).any():
        return None
    policed = apply_negative(np.asarray(grades, dtype=np.float64), negative)
    unjudged = ~(policed > UNJUDGED)
    known = np.where(unjudged, 0.0, policed)
    if known.min(initial=0.0) < 0 or known.max(initial=0.0) > highest or (known != np.trunc(known)).any():
        return None
    return np.where(unjudged, UNGRADED, TOP - known).astype(np.int32)


def score_keys(scores: npt.NDArray[np.floating[Any]]) -> tuple[KeyArray, BoolArray | None]:
    """Return the keys of the scores, without codes: rising as the scores fall; and where there is none, if anywhere."""
    single = np.empty(scores.shape, dtype=np.float32)
    with np.errstate(over="ignore"):
        np.copyto(single, scores, casting="same_kind")
    np.subtract(np.float32(0), single, out=single)  # one zero for 0 and -0
    absent = np.isnan(single)
    keys = single.view(np.int32)
    flipped = keys >> 31
    flipped &= ABSENT
    keys ^= flipped  # the bits of negative numbers rise as these fall
    keys &= ~UNGRADED
    if not np.count_nonzero(absent):
        return keys, None
    keys[absent] = ABSENT
    return keys, absent


def first_keys(keys: KeyArray, count: int) -> KeyArray:
    """Return the smallest `count` keys of each list in order (keys × lists); the keys themselves are moved."""
    width = keys.shape[1]
    if width > WHOLE and 4 * count < width:
        keys.partition(count - 1, axis=1)
        keys = np.sort(keys[:, :count], axis=1)
    else:
        keys.sort(axis=1)
    return np.ascontiguousarray(keys[:, :count].T)


def doubtful(first: KeyArray, depth: int) -> BoolArray:
    """Return the lists whose first `depth` grades may depend on ties; `first` has one key more, if there is one."""
    apart = (first[1:] ^ first[:-1]).view(np.uint32)  # of neighbours with equal upper bits, what their codes differ by
    inner = apart[: depth - 1] - np.uint32(1) < UNGRADED  # with equal codes, their order does not matter
    doubtful = np.logical_or.reduce(inner, axis=0)
    if len(first) > depth:  # who else is equal to the last one?
        doubtful |= (apart[depth - 1] <= UNGRADED) & (first[depth - 1] != ABSENT)
    return np.asarray(doubtful)


@entity
class TiedKeys:
    """The sorted keys of lists with ties, and the tie groups of their first documents.

    `sure` (lists) says whether keys are equal only where scores are. `start` and `end` (lists × first documents) are
    where the group of each document begins, and where it has ended.
    """

    keys: KeyArray
    sure: BoolArray
    start: IndexArray
    end: IndexArray

    @classmethod
    def of(cls, keys: KeyArray, scores: npt.NDArray[np.floating[Any]], depth: int) -> TiedKeys:
        """Return the groups of the first `depth` documents; the keys are sorted here, of scores in any order."""
        keys.sort(axis=1)
        equal = ((keys[:, 1:] ^ keys[:, :-1]).view(np.uint32) <= UNGRADED) & (keys[:, 1:] != ABSENT)
        falling = np.subtract(0, scores)
        falling.sort(axis=1)
        rows, width = keys.shape
        closes = np.ones((rows, width), dtype=bool)
        np.logical_not(equal, out=closes[:, :-1])
        opens = np.ones((rows, depth), dtype=bool)
        opens[:, 1:] = closes[:, : depth - 1]
        columns = np.arange(depth)
        end = np.where(closes[:, :depth], columns + 1, width)
        end[:, -1] = depth + np.argmax(closes[:, depth - 1 :], axis=1)  # the last group may go on
        return cls(
            keys=keys,
            sure=((falling[:, 1:] == falling[:, :-1]) == equal).all(axis=1),
            start=np.maximum.accumulate(np.where(opens, columns, 0), axis=1),
            end=np.minimum.accumulate(end[:, ::-1], axis=1)[:, ::-1],
        )

    @property
    def codes(self) -> KeyArray:
        """The codes in the order of the keys, down to the end of the last group (lists × documents)."""
        return self.keys[:, : int(self.end.max(initial=0))] & UNGRADED


def settled_codes(keys: KeyArray, ties: Ties, depth: int) -> KeyArray:
    """The codes of the first documents (documents × lists), ties in the order of a policy; keys as they were given."""
    match ties:
        case Ties.BEST:  # the best document has the lowest code
            return first_keys(keys, depth) & UNGRADED
        case Ties.WORST:
            return ~first_keys(keys ^ UNGRADED, depth) & UNGRADED
        case Ties.INPUT:
            wide = keys.astype(np.int64)
            columns = np.arange(keys.shape[1]) << 4
            placed = ((wide & ~UNGRADED) << 28) | columns | (wide & UNGRADED)
            placed.sort(axis=1)
            return np.asarray((placed[:, :depth] & UNGRADED).T, dtype=np.int32)
    raise NotImplementedError(f"ties: {ties}")
