"""Arrays → ranked lists, for scores and grades in memory, as learned rankers have them.

Queries are rows, documents columns; shorter lists are padded with NaN. If a measure looks at the first k ranks only, no
list is sorted whole: the lowest bits of each score are replaced by its column, so the k largest of a row say which
documents they are, and neighbours that are otherwise equal are ties. Rows in which a tie reaches the first k ranks, and
rows with unjudged documents, are ranked as hits are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rankgauge.errors import InputError, ParameterError
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
from rankgauge.policies import IdealPool, NegativeGrade, Ties, Unjudged
from rankgauge.ranking.hits import Block, Hits, Ranking, apply_negative, arrange, comparable_scores, tie_groups
from rankgauge.ranking.lists import UNJUDGED, RankedLists
from rankgauge.ranking.sorts import SORTS
from rankgauge.records import entity
from rankgauge.threads import keep_freed_memory, spread

ROWS, CELLS = 4096, 1 << 16
"""How many rows make a block, and how many cells are sorted at a time: what a core's own cache holds."""


def rank_arrays(grades: FloatArray, scores: FloatArray, how: Ranking, *, cutoff: int | None = None) -> Iterator[Block]:
    """Yield the rows as blocks of ranked lists, good for every measure that looks at no rank past `cutoff`.

    A document without a score is judged and not retrieved; one without a grade is retrieved and not judged.
    """
    _check(grades, how)
    keep_freed_memory()
    if how.depth is not None or how.unjudged is Unjudged.SKIP or how.single_precision:
        yield from _by_hits(np.arange(len(grades)), grades, scores, how)
        return
    starts = range(0, len(grades), ROWS)
    tops = spread(lambda at: _Tops.of(grades[at : at + ROWS], scores[at : at + ROWS], how, cutoff), starts)
    for start, top in zip(starts, tops, strict=True):
        if not top.hard.all():
            yield Block(index=start + np.flatnonzero(~top.hard), lists=top.lists())
        others = start + np.flatnonzero(top.hard)
        yield from _by_hits(others, grades[others], scores[others], how)


def rank_rows(grades: FloatArray, scores: FloatArray, how: Ranking) -> Hits:
    """Return the judged hits of every row; a query is named by the number of its row."""
    grades, scores = apply_negative(grades, how.negative), comparable_scores(scores, how)
    counts = (~np.isnan(scores)).sum(axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")
    if how.ties in SORTS:
        for row, n in enumerate(counts):
            listed = np.flatnonzero(~np.isnan(scores[row]))
            order[row, :n] = listed[SORTS[how.ties](scores[row, listed])]
    kept = np.arange(scores.shape[1]) < counts[:, np.newaxis]
    query = np.nonzero(kept)[0].astype(np.int64)
    rank = np.broadcast_to(np.arange(1.0, scores.shape[1] + 1), kept.shape)[kept]
    score, grade = (np.take_along_axis(values, order, axis=1)[kept] for values in (scores, grades))
    first, size = tie_groups(query, score, rank)
    hit = ~np.isnan(grade)
    ideal = -np.sort(-np.where(grades > UNJUDGED, grades, np.nan), axis=1)
    judged = ~np.isnan(ideal)
    hits = Hits(
        names=range(len(grades)),
        query=query[hit],
        rank=rank[hit],
        grade=grade[hit],
        first=first[hit],
        size=size[hit],
        retrieved=counts.astype(np.float64),
        pool_query=np.nonzero(judged)[0],
        pool_grade=ideal[judged],
    )
    return arrange(hits, how)


def pad_groups(sizes: IndexArray, *values: FloatArray) -> Iterator[tuple[IndexArray, list[FloatArray]]]:
    """Flat values of consecutive lists as padded rows, lists of like length together, with the lists' numbers."""
    order = np.argsort(sizes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    while len(order):
        # Past twice the length of a block's first list a new block begins: padding at most doubles the cells.
        rows = order[: int(np.searchsorted(sizes[order], 2 * max(int(sizes[order[0]]), 8), side="right"))]
        columns = np.arange(int(sizes[rows[-1]]))
        filled = columns < sizes[rows][:, np.newaxis]
        source = np.where(filled, starts[rows][:, np.newaxis] + columns, 0)
        yield rows, [np.where(filled, flat[source], np.nan) for flat in values]
        order = order[len(rows) :]


def refuse_ids(how: Ranking) -> None:
    """Raise an error if ids order tied documents."""
    if how.ties in (Ties.DOCID, Ties.ASCENDING):
        expected = "'input', 'expected', 'best' or 'worst', as in ties='expected': documents in arrays have no ids"
        raise ParameterError("arrays", "ties", expected, str(how.ties))


def _check(grades: FloatArray, how: Ranking) -> None:
    refuse_ids(how)
    if how.negative is NegativeGrade.REFUSE and bool((grades < 0).any()):
        row, column = np.argwhere(grades < 0)[0]
        raise InputError(
            f"negative grade {grades[row, column]:g} in row {row}, column {column}",
            hint="Choose what negative grades mean: unjudged, zero or keep.",
        )


def _by_hits(rows: IndexArray, grades: FloatArray, scores: FloatArray, how: Ranking) -> Iterator[Block]:
    if len(rows):
        hits = replace(rank_rows(grades, scores, how), names=rows.tolist())
        for block in hits.blocks(expected=how.ties is Ties.EXPECTED, ideal=how.ideal):
            yield replace(block, index=rows[block.index])


@entity
class _Tops:
    """The tops of some rows: the grades of the first ranks, and the rows that cannot be ranked this way."""

    grades: FloatArray
    ideal: FloatArray
    """The best grades first and in order, the others after them in any order."""
    retrieved: FloatArray
    hard: BoolArray

    @classmethod
    def of(cls, grades: FloatArray, scores: FloatArray, how: Ranking, cutoff: int | None) -> _Tops:
        rows, columns = grades.shape
        width = columns if cutoff is None else min(int(cutoff), columns)
        made = cls(
            grades=np.empty((rows, width)),
            ideal=np.empty((rows, columns)),
            retrieved=np.full(rows, float(columns)),
            hard=np.zeros(rows, dtype=bool),
        )
        step = max(1, CELLS // max(columns, 1))
        for start in range(0, rows, step):
            made._fill(slice(start, start + step), grades[start : start + step], scores[start : start + step], how)
        return made

    def _fill(self, rows: slice, grades: FloatArray, scores: FloatArray, how: Ranking) -> None:
        width = self.grades.shape[1]
        grades = apply_negative(grades, how.negative)
        if not (np.isfinite(scores).all() and np.isfinite(grades).all()):
            ungraded, unscored = np.isnan(grades), np.isnan(scores)
            self.retrieved[rows] -= unscored.sum(axis=1)
            odd = np.isinf(scores) | (ungraded & ~unscored)
            if how.ideal is IdealPool.RETRIEVED:
                odd |= unscored & ~ungraded
            self.hard[rows] = odd.any(axis=1)
        listed = np.arange(1, width + 1) <= self.retrieved[rows, np.newaxis]
        column, tied = _largest(scores, width)
        self.hard[rows] |= (tied & listed).any(axis=1)
        top = grades.ravel().take(column + grades.shape[1] * np.arange(len(grades))[:, np.newaxis])
        self.grades[rows] = top if listed.all() else np.where(listed, top, np.nan)
        _put_best_first(grades, self.ideal[rows], width)

    def lists(self) -> RankedLists:
        """Return the rows that are not hard, as ranked lists."""
        easy = slice(None) if not self.hard.any() else ~self.hard
        grades = self.grades[easy]
        ranks = np.broadcast_to(np.arange(1.0, grades.shape[1] + 1), grades.shape)
        return RankedLists(
            ranks=np.where(np.isnan(grades), np.nan, ranks),
            grades=grades,
            ideal=self.ideal[easy],
            retrieved=self.retrieved[easy],
        )


def _largest(scores: FloatArray, width: int) -> tuple[IndexArray, BoolArray]:
    """Return the columns of the largest scores, falling, and where one may be equal to the next."""
    columns = scores.shape[1]
    low = max(columns - 1, 1).bit_length()
    keys = 0.0 - scores  # falling, NaN last, and one zero for 0 and -0
    bits = keys.view(np.int64)
    bits &= -1 << low
    bits |= np.arange(columns)
    if width + 1 < columns:
        keys.partition(width, axis=1)
        keys = keys[:, : width + 1]
    bits = np.sort(keys, axis=1).view(np.int64)
    upper = bits >> low
    tied = np.zeros((len(keys), width), dtype=bool)
    tied[:, : bits.shape[1] - 1] = upper[:, 1:] == upper[:, :-1]
    return bits[:, :width] & ((1 << low) - 1), tied


def _put_best_first(grades: FloatArray, out: FloatArray, width: int) -> None:
    """Fill `out` with the grades, the best ones first and in order; NaN last, also for unjudged ones."""
    np.negative(grades, out=out)
    if out.size and not np.isfinite(out.max()):
        out[out == -UNJUDGED] = np.nan
    if width < grades.shape[1]:
        out.partition(width - 1, axis=1)
    out[:, :width].sort(axis=1)
    np.negative(out, out=out)
