"""What people would say of the documents that they have not seen: a judge's errors, learnt from few labels.

The model is that of a board's beliefs: the chance to reach each threshold of people's scale, from the judge's grade in
steps, the query's own effects, and the ranks. Labels say how far the judge is to be trusted; what they leave unknown is
drawn, not ignored, so that few labels give wide answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from rankgauge.audit.judge.agreement import Comparable, Contrast, contrast
from rankgauge.audit.judge.judged_runs import JudgeBoard, JudgedRuns
from rankgauge.audit.judge.pairs import KEYS
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.labelling.board.beliefs import EffectsPosterior
from rankgauge.labelling.board.features import Features
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.statistics.correction import CORRECTIONS, Family

RUN_PRECISION = 5.0
"""How firmly a single run's effect is held to none: looser than on a board, where an estimate must not follow a few
labels. Here it is the differences between runs that are foretold."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ErrorModel:
    """What people's labels say of a judge's errors."""

    board: JudgeBoard
    posterior: EffectsPosterior

    @classmethod
    def fit(cls, board: JudgeBoard) -> ErrorModel:
        """The model, fitted to people's labels."""
        known = board.known
        labelled = np.flatnonzero(~np.isnan(known))
        reached = (known[labelled, np.newaxis] >= board.scale[1:]).astype(np.float64)
        features = Features.of(board.pool, len(board.scale) - 1, board.columns)
        runs = np.arange(len(features.precision)) >= len(features.precision) - len(board.pool.runs)
        features = replace(features, precision=np.where(runs, RUN_PRECISION, features.precision))
        return cls(board=board, posterior=EffectsPosterior.of(features, labelled, reached))

    def draws(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Sets of judgments that people may give (draws × pairs): their labels, and the rest as the model draws it."""
        known, place = self.board.known, self.board.place
        found = np.zeros((count, len(self.board.pairs.people)))
        for row, chances in zip(found, self.posterior.chances(rng, count), strict=True):
            levels = (rng.random((len(chances), 1)) < chances).sum(axis=1)
            row[place] = np.where(np.isnan(known), self.board.scale[levels], known)
        return found


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


FEWEST = 6
"""A line and its spread need this many other runs."""


def circularity(runs: Sequence[str], judge: FloatArray, people: FloatArray, suspects: Sequence[str]) -> pl.DataFrame:
    """A row per run: suspected, bias, expected bias, excess, t, p (one-sided), and its rank among all excesses.

    `judge` (runs) and `people` (draws × runs) are values. The line is that of the runs that nobody suspects.
    """
    for name in suspects:
        if name not in runs:
            raise UnknownNameError("run", name, list(runs))
    suspected = np.isin(list(runs), list(suspects))
    if (~suspected).sum() < FEWEST:
        known = int((~suspected).sum())
        raise InputError(
            f"the test of --made-by-judge needs {FEWEST} other runs or more; there are {known}",
            hint="Give more runs that no judge had a part in, or leave --made-by-judge out.",
        )
    rows = [_test_run(place, judge, people, ~suspected) for place in range(len(runs))]
    frame = pl.DataFrame(rows, schema=["bias", "expected", "excess", "t", "p"], orient="row")
    return pl.concat([pl.DataFrame({"run": list(runs), "suspected": suspected}), frame], how="horizontal")


def _test_run(place: int, judge: FloatArray, people: FloatArray, trusted: BoolArray) -> tuple[float, ...]:
    """A run against the line through the trusted others."""
    from scipy.special import stdtr

    others = trusted.copy()
    others[place] = False
    value, bias = people.mean(axis=0), judge - people.mean(axis=0)
    n, x = int(others.sum()), value[others]
    middle, spread = float(x.mean()), float(((x - x.mean()) ** 2).sum())
    slope = float(((x - middle) * bias[others]).sum() / spread) if spread > 0 else 0.0
    level = float(bias[others].mean())
    left = bias[others] - level - slope * (x - middle)
    variance = float((left**2).sum() / (n - 2))
    distance = (value[place] - middle) ** 2 / spread if spread > 0 else 0.0
    expected = level + slope * (value[place] - middle)
    # What people have not judged may move the run and the line: so much of it as differs from draw to draw.
    apart = (judge - people)[:, place] - (judge - people)[:, others].mean(axis=1)
    unknown = float(apart.var(ddof=1)) if len(people) > 1 else 0.0
    error = np.sqrt(variance * (1 + 1 / n + distance) + unknown)
    t = float((bias[place] - expected) / error) if error > 0 else 0.0
    return float(bias[place]), float(expected), float(bias[place] - expected), t, float(stdtr(n - 2, -t))
