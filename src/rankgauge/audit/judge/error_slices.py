"""Where a judge errs, by parts of the pairs, and where its grades moved since it was asked before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.judge.agreement import (
    FEWEST,
    FEWEST_CLUSTERS,
    Comparable,
    bootstrap_interval,
    contrast,
    contrast_means,
)
from rankgauge.audit.judge.consequences import ALPHA, JudgedRuns
from rankgauge.audit.judge.pairs import KEYS, GradedPairs
from rankgauge.errors import InputError
from rankgauge.judgments.agreement import cohen
from rankgauge.numeric import BoolArray, FloatArray
from rankgauge.render.numbers import count, share
from rankgauge.statistics.corrections.usual import adjust_holm

TOP = 10
"""The first ranks of a run that count as its top."""

BANDS = (("1–3", 1, 3), ("4–10", 4, 10), ("11–100", 11, 100), ("101 and deeper", 101, 1e18))
"""Best ranks over all runs."""

CATEGORIES = 12
"""A column of words with more different ones says nothing that a table could show."""


Part = tuple[str, str, BoolArray, BoolArray]
"""What divides the labelled pairs, the part's name, where it is, and where the pairs are that it is held against."""

BY_NATURE = "people's grade"
"""By people's own grade errors differ by nature, as the lowest grade can only be raised: nothing to test."""


def error_slices(
    compared: Comparable, lists: JudgedRuns | None = None, documents: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return a row per part: facet, part, pairs, identical, error with its interval, how far it is apart from the rest.

    Holm's correction is over the parts of a facet: `corrected`, and whether the part `stands_out`.
    """
    parts = [part for part in _parts(compared, lists, documents) if (part[2] & part[3]).any()]
    frame = pl.DataFrame([_measure_part(compared, *part) for part in parts])
    p, facet = frame["p"].to_numpy(), frame["facet"].to_numpy()
    corrected = np.full(len(p), np.nan)
    for name in np.unique(facet):
        tested = (facet == name) & ~np.isnan(p)
        corrected[tested] = adjust_holm(p[tested])
    return frame.with_columns(corrected=corrected, stands_out=np.nan_to_num(corrected, nan=1.0) < ALPHA)


def query_spread(compared: Comparable) -> float:
    """Return the standard deviation of the queries' mean errors, without what pairs within a query vary by chance."""
    errors, query = compared.errors, compared.pairs.query[compared.labelled]
    _, at, n = np.unique(query, return_inverse=True, return_counts=True)
    several = n >= 2
    if several.sum() < 2:
        return np.nan
    means = np.bincount(at, errors) / n
    within = np.bincount(at, (errors - means[at]) ** 2) / np.maximum(n - 1, 1)
    noise = float((within / n)[several].mean())
    return float(np.sqrt(max(0.0, float(means[several].var(ddof=1)) - noise)))


def _parts(compared: Comparable, lists: JudgedRuns | None, documents: pl.DataFrame | None) -> Iterator[Part]:
    labelled, pairs, every = compared.labelled, compared.pairs, np.ones(len(compared.labelled), dtype=bool)
    for place, grade in enumerate(compared.levels):
        yield BY_NATURE, f"{grade:g}", compared.people == place, every
    if lists is not None:
        best = lists.best_ranks(len(pairs.people))[labelled]
        for name, first, last in BANDS:
            yield "best rank", name, (best >= first) & (best <= last), every
        yield "best rank", "in no run", np.isinf(best), every
    if documents is not None:
        yield from _columns(compared, documents, every)
    if lists is not None and len(lists.runs) > 1:
        tops = [np.isin(labelled, top) for top in lists.tops(TOP)]
        for run, inside in zip(lists.runs, tops, strict=True):
            yield f"run's top {TOP}", run, inside, np.any(tops, axis=0)
    for number in np.unique(pairs.query[labelled]):
        yield "query", pairs.queries[number], pairs.query[labelled] == number, every


def _measure_part(compared: Comparable, facet: str, name: str, inside: BoolArray, among: BoolArray) -> dict[str, Any]:
    """Measure a judge's mean error in a part, against the rest."""
    errors, weights, inside = compared.errors, compared.pairs.weights[compared.labelled], inside & among
    if facet == "query":  # its pairs are taken as independent
        n, rest = int(inside.sum()), weights[~inside]
        mean = float(weights[inside] @ errors[inside] / weights[inside].sum())
        other = float(rest @ errors[~inside] / rest.sum()) if len(rest) else np.nan
        error = float(errors[inside].std(ddof=1) / np.sqrt(n)) if n >= FEWEST_CLUSTERS else np.nan
        seen = contrast_means(mean, error, other, error, n)
    else:
        query = compared.pairs.query[compared.labelled][among]
        seen = contrast(errors[among], weights[among], query, inside[among].astype(np.float64))
    return {
        "facet": facet,
        "part": name,
        "pairs": int(inside.sum()),
        "identical": float(weights[inside] @ (errors[inside] == 0) / weights[inside].sum()),
        **dict(zip(("error", "low", "high", "apart", "p"), seen, strict=True)),
        **({"p": np.nan} if facet == BY_NATURE else {}),
    }


def _columns(compared: Comparable, documents: pl.DataFrame, every: BoolArray) -> Iterator[Part]:
    """Yield the parts by each column of a table: numbers in quarters, few different words one by one."""
    keys = [key for key in KEYS if key in documents.columns]
    if "document" not in keys:
        raise InputError("the table of documents has no column 'document'", hint="Its other columns divide the pairs.")
    rows = compared.pairs.frame()[compared.labelled]
    table = documents.with_columns(pl.col(keys).cast(pl.String)).unique(keys, keep="first", maintain_order=True)
    joined = rows.join(table, on=keys, how="left", maintain_order="left")
    for name in (name for name in documents.columns if name not in KEYS):
        column = joined[name]
        numbers = column.cast(pl.Float64, strict=False)
        if numbers.null_count() == column.null_count() and numbers.n_unique() > 4:
            values = numbers.fill_null(np.nan).to_numpy()
            known = ~np.isnan(values)
            ends = np.unique(np.quantile(values[known], [0.0, 0.25, 0.5, 0.75, 1.0])) if known.any() else np.zeros(0)
            for low, high in pairwise(ends):
                last = high == ends[-1]
                inside = known & (values >= low) & ((values <= high) if last else (values < high))
                yield name, f"{low:g} to {'' if last else 'under '}{high:g}", inside, every & known
        elif column.n_unique() <= CATEGORIES:
            for word in column.drop_nulls().unique(maintain_order=True):
                yield name, str(word), (column == word).fill_null(False).to_numpy(), every


MARGIN = 0.05
"""How much kappa may fall before a judge counts as worse."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Drift:
    """How a judge's grades differ from its earlier ones, and how its agreement with people changed on the same pairs.

    `parts` has the rows of `error_slices`, with the earlier grades in people's place. `change` is that of the
    quadratic kappa with people, on `labels` labels, with its interval over queries.
    """

    pairs: int
    same: float
    parts: pl.DataFrame
    labels: int
    change: float
    low: float
    high: float

    @classmethod
    def between(cls, people: Any, before: Any, now: Any, *, rel: float, seed: int) -> Drift:
        """Compare two sessions of one judge (paths, frames, dicts or rows) on the pairs that both graded."""
        graded = GradedPairs.from_grades
        moved = Comparable.from_pairs(graded(before, {"now": now}), "now", rel=rel)
        pairs = graded(people, {"before": before, "now": now})
        both = [Comparable.from_pairs(pairs, name, rel=rel) for name in ("before", "now")]
        counts = [one.confusion() for one in both]
        flat = np.concatenate([one.reshape(len(one), -1) for one in counts], axis=1)

        def change(summed: FloatArray) -> FloatArray:
            halves = np.split(summed, [counts[0][0].size], axis=1)
            kappas = [
                cohen(half.reshape(-1, *one.shape[1:]), compared.levels, "kappa_quadratic")
                for half, one, compared in zip(halves, counts, both, strict=True)
            ]
            return np.asarray(kappas[1] - kappas[0])

        labels, low, high = len(both[0].labelled), np.nan, np.nan
        if labels >= FEWEST:
            low, high = bootstrap_interval(flat, change, rng=np.random.default_rng(seed))
        return cls(
            pairs=len(moved.labelled),
            same=float((moved.errors == 0).mean()),
            parts=error_slices(moved).with_columns(pl.col("facet").replace("people's grade", "earlier grade")),
            labels=labels,
            change=float(change(flat.sum(axis=0)[np.newaxis])[0]),
            low=low,
            high=high,
        )

    @property
    def code(self) -> int:
        """0 if the judge is as good as before, within the margin; 1 if it is worse; 3 if the labels leave it open."""
        return 0 if self.low > -MARGIN else 1 if self.high < -MARGIN else 3

    @property
    def words(self) -> str:
        """Say whether the judge is still as good as it was."""
        verdict = {0: "it is as good as before", 1: "it is worse than before"}
        told = verdict.get(self.code, "whether it is as good as before is open")
        moved = f"Of {self.pairs:,} documents {share(self.same, 1.0)} have their earlier grade"
        ends = "" if np.isnan(self.low) else f" [{self.low:+.3f}, {self.high:+.3f}]"
        change = f"kappa (quadratic) with people changed by {self.change:+.3f}{ends}, on {count(self.labels, 'label')}"
        return f"{moved}; {change}: {told} (worse is lower by {MARGIN:g}).".replace("-", "−")
