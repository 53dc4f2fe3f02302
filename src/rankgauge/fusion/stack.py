"""Which entries of several lists are the same document: by hashes that are sorted query by query.

The number of an entry is kept in the lowest bits of its hash, so that one sort finds the entries of each document, the
first one first. What has the same hash is compared word by word, so a hash never decides.

Fused scores that differ only by the order of their sums are equal, and their ties are settled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.ranking.scan.lines import Words
from rankgauge.ranking.scan.run import hash_ids

_MIX = np.uint64(0xC2B2AE3D27D4EB4F)


def find_slots(documents: Words, lengths: IndexArray) -> tuple[IndexArray, IndexArray, BoolArray]:
    """Return the slot of each entry, the entries sorted by slot, and which of these are the first of theirs."""
    ends = np.cumsum(lengths)
    begins = ends - lengths
    bits = int(lengths.max(initial=1)).bit_length()
    low = np.uint64((1 << bits) - 1)
    offset = np.repeat(begins, lengths)
    keys = hash_ids(documents)
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
    for column in range(documents.shape[1]):  # are neighbours with the same hash the same document?
        words = documents[:, column].take(place)
        if ((words[1:] != words[:-1]) & ~opens[1:]).any():
            place, opens = _compare_documents(documents, lengths)
            break
    number, slot = np.cumsum(opens), np.empty(len(place), dtype=np.int64)
    number -= 1
    slot[place] = number
    return slot, place, opens


def _compare_documents(documents: Words, lengths: IndexArray) -> tuple[IndexArray, BoolArray]:
    """Compare by the documents themselves, for the rare case of two with one hash."""
    query = np.repeat(np.arange(len(lengths)), lengths)
    columns = [documents[:, column] for column in range(documents.shape[1])]
    place = np.lexsort((*columns, query))
    opens = np.ones(len(place), dtype=bool)
    opens[1:] = np.any([column.take(place)[1:] != column.take(place)[:-1] for column in (*columns, query)], axis=0)
    return place, opens


LONG = 50
"""From this mean length on, lists are worth a copy each."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Stack:
    """The lists of some queries from all runs, and the documents in them.

    `sizes` counts the entries of each list, `list_run` and `list_query` say whose it is; empty lists are not there.
    `slot` is the document of each entry, `place` the entries sorted by it, and `heads` the first entry of each slot.
    `slot_query` is the query of each slot. `averages` says whether tied entries share what their ranks are worth.
    """

    runs: int
    queries: int
    sizes: IndexArray
    list_run: IndexArray
    list_query: IndexArray
    documents: Words
    score: FloatArray
    run: IndexArray
    slot: IndexArray
    place: IndexArray
    heads: IndexArray
    slot_query: IndexArray
    repeat: int | None = None
    """An entry of a document that a run lists twice, if there is one."""
    averages: bool = True
    ranked: bool = True
    """Whether entries have ranks; where a normalisation lists every document in every run, they have none."""

    @classmethod
    def of(
        cls,
        documents: Words,
        score: FloatArray,
        sizes: IndexArray,
        list_run: IndexArray,
        list_query: IndexArray,
        *,
        runs: int,
        queries: int,
        averages: bool = True,
    ) -> Stack:
        """Return the stack of these lists, which are sorted by query and run, and each by falling score."""
        run = np.repeat(list_run, sizes)
        lengths = np.bincount(list_query, weights=sizes, minlength=queries).astype(np.int64)
        slot, place, opens = find_slots(documents, lengths)
        heads, sorted_run = place[opens], run.take(place)
        twice = (sorted_run[1:] == sorted_run[:-1]) & ~opens[1:]
        return cls(
            runs=runs,
            queries=queries,
            sizes=sizes,
            list_run=list_run,
            list_query=list_query,
            documents=documents,
            score=score,
            run=run,
            slot=slot,
            place=place,
            heads=heads,
            slot_query=np.repeat(np.arange(queries), lengths)[heads],
            repeat=int(place[int(np.argmax(twice))]) if twice.any() else None,
            averages=averages,
        )

    @property
    def slots(self) -> int:
        """How many documents there are."""
        return len(self.heads)

    @cached_property
    def starts(self) -> IndexArray:
        """Where each list begins."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    @cached_property
    def rank(self) -> IndexArray:
        """The rank of each entry in its list, from 1."""
        if not self.ranked:
            expected = "another one: with borda every run lists every document, and this method needs ranks"
            raise ParameterError("fuse", "norm", expected, "borda")
        return np.asarray(np.arange(1, len(self.slot) + 1) - np.repeat(self.starts, self.sizes))

    @property
    def ranks(self) -> FloatArray:
        """Every rank of the longest list, from 1."""
        return np.arange(1.0, self.sizes.max(initial=0) + 1)

    @cached_property
    def length(self) -> IndexArray:
        """The length of each entry's list."""
        return np.repeat(self.sizes, self.sizes)

    @cached_property
    def listed(self) -> FloatArray:
        """How many runs list each document."""
        return np.bincount(self.slot, minlength=self.slots).astype(np.float64)

    @cached_property
    def pooled(self) -> IndexArray:
        """How many documents each query has."""
        return np.bincount(self.slot_query, minlength=self.queries)

    @cached_property
    def firsts(self) -> IndexArray:
        """Where the entries of each slot begin in `place`."""
        counts = self.listed.astype(np.int64)
        return np.asarray(np.cumsum(counts) - counts)

    def sum(self, values: FloatArray) -> FloatArray:
        """Return the sum of each document's values, added in the order of the runs."""
        return np.asarray(np.bincount(self.slot, weights=values, minlength=self.slots), dtype=np.float64)

    def least(self, values: FloatArray) -> FloatArray:
        """Return the least of each document's values."""
        return np.asarray(np.minimum.reduceat(values.take(self.place), self.firsts))

    def most(self, values: FloatArray) -> FloatArray:
        """Return the largest of each document's values."""
        return np.asarray(np.maximum.reduceat(values.take(self.place), self.firsts))

    def spread(self, values: FloatArray, fill: float) -> FloatArray:
        """Return the values as a table (documents × runs); `fill` where a run does not list a document."""
        table = np.full((self.slots, self.runs), fill)
        table[self.slot, self.run] = values
        return table

    def by_rank(self, worth: FloatArray) -> FloatArray:
        """Return what each entry's rank is worth by a table of all ranks, from 1; ranks past its end are worth 0."""
        longest = int(self.sizes.max(initial=0))
        if len(worth) < longest:
            worth = np.concatenate([worth, np.zeros(longest - len(worth))])
        if len(self.slot) < LONG * len(self.sizes):
            return self.average_ties(worth.take(self.rank - 1))
        # Every list begins at rank 1: copies of the table's beginning are quicker than a look-up of each rank.
        return self.average_ties(np.concatenate([worth[:size] for size in self.sizes.tolist()]))

    def average_ties(self, values: FloatArray) -> FloatArray:
        """Return the values that entries owe to their ranks; tied entries of a list have the mean of theirs."""
        if self._ties is None:
            return values
        counts = np.diff(self._ties, append=len(values))
        return np.repeat(np.add.reduceat(values, self._ties) / counts, counts)

    @cached_property
    def _ties(self) -> IndexArray | None:
        """Where groups of tied entries begin, None if there are no ties that count."""
        if not self.averages:
            return None
        opens = np.ones(len(self.score), dtype=bool)
        np.not_equal(self.score[1:], self.score[:-1], out=opens[1:])
        opens[self.starts] = True
        return None if opens.all() else np.flatnonzero(opens)

    @property
    def tie_groups(self) -> IndexArray:
        """Where groups of tied entries begin; every entry is one of its own where ties do not count."""
        return np.arange(len(self.slot)) if self._ties is None else self._ties

    def with_scores(self, score: FloatArray) -> Stack:
        """Return the stack with other scores; ties and ranks stay as they are."""
        made = replace(self, score=score)
        if self.ranked:
            made.__dict__["_ties"] = self._ties
        return made

    def complete(self, score: FloatArray, missing: FloatArray) -> Stack:
        """Return the stack in which every run lists all of a query's documents: with its score, or that in `missing`.

        `missing` is a table (queries × runs).
        """
        table = missing[self.slot_query]
        table[self.slot, self.run] = score
        everywhere = np.arange(table.size)
        return replace(
            self,
            score=table.ravel(),
            run=np.tile(np.arange(self.runs), self.slots),
            slot=everywhere // self.runs,
            place=everywhere,
            ranked=False,
        )

    def order(self, scores: FloatArray) -> tuple[IndexArray, FloatArray]:
        """Return the documents by query and falling fused score, and these scores.

        Documents with equal scores are in the order in which the runs list them first: those of the first run by rank,
        then those that only later runs have.
        """
        lengths = np.bincount(self.list_query, weights=self.sizes, minlength=self.queries).astype(np.int64)
        settled = round_scores(scores)
        order = falling(settled, self.heads, counts=self.pooled, spans=lengths)
        return order, settled.take(order)


SPARE = 16
"""How many of the lowest bits of a score's 52 are rounded away; see `rounded`."""

_FREED = (1 << SPARE) - 1


def round_scores(scores: FloatArray) -> FloatArray:
    """Round scores to eleven digits: sums of the same numbers in another order are equal, and their documents tied."""
    bits = (scores + 0.0).view(np.int64)
    bits += 1 << (SPARE - 1)
    bits &= ~_FREED
    return bits.view(np.float64)


def falling(settled: FloatArray, ties: IndexArray, *, counts: IndexArray, spans: IndexArray) -> IndexArray:
    """Return the places of rounded scores, falling within groups that are together; ties by their numbers in `ties`.

    Each group has `counts` of them, and its numbers are the next `spans` ones. They are kept in the bits that rounding
    freed, so that a group is sorted in one go; groups that are too large for that take another sort.
    """
    ends, offset = np.cumsum(counts), np.repeat(np.cumsum(spans) - spans, counts)
    if int(spans.max(initial=0)) > _FREED:
        return np.lexsort((ties, -settled, offset))
    bits = settled.view(np.int64)
    keys = bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF)
    np.invert(keys, out=keys)
    keys &= ~_FREED
    keys |= ties - offset
    for start, end in zip((ends - counts).tolist(), ends.tolist(), strict=True):
        keys[start:end].sort()
    keys &= _FREED
    keys += offset
    place = np.empty(int(spans.sum()), dtype=np.int64)
    place[ties] = np.arange(len(ties))
    return place.take(keys)
