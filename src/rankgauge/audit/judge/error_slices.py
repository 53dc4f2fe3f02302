"""Where a judge errs: its grade less people's, by grade, query, rank, run and any column of a table of documents."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from rankgauge.audit.judge.agreement import Comparable
from rankgauge.audit.judge.clusters import Contrast, contrast
from rankgauge.audit.judge.judged_runs import JudgedRuns
from rankgauge.audit.judge.pairs import KEYS
from rankgauge.errors import InputError
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.statistics.correction import CORRECTIONS, Family

TOP = 10
"""The first ranks of a run that count as its top."""

BANDS = (("1–3", 1, 3), ("4–10", 4, 10), ("11–100", 11, 100), ("101 and deeper", 101, 1e18))
"""Best ranks over all runs."""

CATEGORIES = 12
"""A column of words with more different ones says nothing that a table could show."""

ALPHA = 0.05


class ErrorSlice(NamedTuple):
    """A part of the labelled pairs: what divides them, its name, where it is, and what it is held against.

    `tested` says whether it makes sense to ask if the part differs from the rest.
    """

    facet: str
    name: str
    inside: BoolArray
    among: BoolArray
    tested: bool = True


def error_slices(
    found: Comparable, lists: JudgedRuns | None = None, documents: pl.DataFrame | None = None
) -> pl.DataFrame:
    """A row per part: facet, part, pairs, identical, error, low, high, apart (from the rest), p, corrected, stands_out.

    Holm's correction is over the parts of a facet.
    """
    rows = [_row(found, part) for part in _parts(found, lists, documents)]
    frame = pl.DataFrame(rows, schema=_SCHEMA, orient="row").filter(pl.col("pairs") > 0)
    p, facet = frame["p"].to_numpy(), frame["facet"].to_numpy()
    corrected = np.full(len(p), np.nan)
    for name in np.unique(facet):
        tested = (facet == name) & ~np.isnan(p)
        corrected[tested] = _holm(p[tested])
    return frame.with_columns(corrected=corrected, stands_out=np.nan_to_num(corrected, nan=1.0) < ALPHA)


def _holm(p: FloatArray) -> FloatArray:
    none = np.zeros(0, dtype=np.int64)
    return CORRECTIONS["holm"].adjust(
        Family(p=p, values=np.zeros((0, 0)), first=none, second=none, rng=np.random.default_rng(0), draws=0)
    )


_SCHEMA = {
    "facet": pl.String,
    "part": pl.String,
    "pairs": pl.Int64,
    "identical": pl.Float64,
    "error": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "apart": pl.Float64,
    "p": pl.Float64,
}


def query_spread(found: Comparable) -> float:
    """The standard deviation of the queries' mean errors, without what pairs within a query vary by chance."""
    errors, query = found.errors, found.pairs.query[found.labelled]
    _, at, n = np.unique(query, return_inverse=True, return_counts=True)
    several = n >= 2
    if several.sum() < 2:
        return np.nan
    means = np.bincount(at, errors) / n
    within = np.bincount(at, (errors - means[at]) ** 2) / np.maximum(n - 1, 1)
    noise = float((within / n)[several].mean())
    return float(np.sqrt(max(0.0, float(means[several].var(ddof=1)) - noise)))


def _parts(found: Comparable, lists: JudgedRuns | None, documents: pl.DataFrame | None) -> Iterator[ErrorSlice]:
    every = np.ones(len(found.labelled), dtype=bool)
    for place, grade in enumerate(found.levels):
        # By people's own grade errors differ by nature: the lowest grade can only be raised.
        yield ErrorSlice("people's grade", f"{grade:g}", found.people == place, every, tested=False)
    if lists is not None:
        best = lists.best_ranks(len(found.pairs.people))[found.labelled]
        for name, first, last in BANDS:
            yield ErrorSlice("best rank", name, (best >= first) & (best <= last), every)
        yield ErrorSlice("best rank", "in no run", np.isinf(best), every)
    if documents is not None:
        yield from _columns(found, documents, every)
    if lists is not None and len(lists.runs) > 1:
        tops = [np.isin(found.labelled, top) for top in lists.tops(TOP)]
        among = np.any(tops, axis=0)
        for run, inside in zip(lists.runs, tops, strict=True):
            yield ErrorSlice(f"run's top {TOP}", run, inside, among)
    query = found.pairs.query[found.labelled]
    for number in np.unique(query):
        yield ErrorSlice("query", found.pairs.queries[number], query == number, every)


def _row(found: Comparable, part: ErrorSlice) -> tuple[object, ...]:
    errors, weights = found.errors, found.pairs.weights[found.labelled]
    query, inside = found.pairs.query[found.labelled], part.inside & part.among
    if not inside.any():
        return (part.facet, part.name, 0, *[np.nan] * 6)
    if part.facet == "query":
        seen = _one_query(errors, weights, inside)
    else:
        among = part.among
        seen = contrast(errors[among], weights[among], query[among], inside[among].astype(np.float64))
    same = float(weights[inside] @ (errors[inside] == 0) / weights[inside].sum())
    p = seen.p if part.tested else np.nan
    return (part.facet, part.name, int(inside.sum()), same, seen.mean, seen.low, seen.high, seen.apart, p)


def _one_query(errors: FloatArray, weights: FloatArray, inside: BoolArray) -> Contrast:
    """The mean error of one query, whose pairs are taken as independent, held against that of all others."""
    from scipy.special import stdtr, stdtrit

    own, n, rest = errors[inside], int(inside.sum()), weights[~inside]
    mean = float(weights[inside] @ own / weights[inside].sum())
    other = float(rest @ errors[~inside] / rest.sum()) if len(rest) else np.nan
    error = float(own.std(ddof=1) / np.sqrt(n)) if n >= 5 else np.nan
    half = float(stdtrit(max(n - 1, 1), 0.975)) * error
    p = float(2 * stdtr(max(n - 1, 1), -abs(mean - other) / error)) if error > 0 else np.nan
    return Contrast(mean, mean - half, mean + half, mean - other, p)


def _columns(found: Comparable, documents: pl.DataFrame, every: BoolArray) -> Iterator[ErrorSlice]:
    """The parts by each column of a table: numbers in quarters, few different words one by one."""
    keys = [key for key in KEYS if key in documents.columns]
    if "document" not in keys:
        raise InputError("the table of documents has no column 'document'", hint="Its other columns divide the pairs.")
    rows = found.pairs.frame()[found.labelled]
    table = documents.with_columns(pl.col(keys).cast(pl.String)).unique(keys, keep="first", maintain_order=True)
    joined = rows.join(table, on=keys, how="left", maintain_order="left")
    for name in (name for name in documents.columns if name not in KEYS):
        column = joined[name]
        numbers = column.cast(pl.Float64, strict=False)
        if numbers.null_count() == column.null_count() and numbers.n_unique() > 4:
            yield from _quarters(name, numbers.fill_null(np.nan).to_numpy(), every)
        elif column.n_unique() <= CATEGORIES:
            for word in column.drop_nulls().unique(maintain_order=True):
                yield ErrorSlice(name, str(word), (column == word).fill_null(False).to_numpy(), every)


def _quarters(name: str, values: FloatArray, every: BoolArray) -> Iterator[ErrorSlice]:
    known = ~np.isnan(values)
    if not known.any():
        return
    ends = np.unique(np.quantile(values[known], [0.0, 0.25, 0.5, 0.75, 1.0]))
    for low, high in pairwise(ends):
        last = high == ends[-1]
        inside = known & (values >= low) & ((values <= high) if last else (values < high))
        yield ErrorSlice(name, f"{low:g} to {'' if last else 'under '}{high:g}", inside, every & known)
