"""The paper's three readings of NDCG, and those of every tool, on many rankings of the same documents at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import starmap

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.demo.folds import Fold
from rankgauge.dialects import Dialect
from rankgauge.evaluation.evaluation import evaluate
from rankgauge.files.formats.letor import FeatureTable
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

CUTOFFS = tuple(range(1, 11))
MEASURES = tuple(f"nDCG@{k}" for k in CUTOFFS)

_PAPERS = dialects.get("papers")

READINGS: Mapping[str, Dialect] = {
    "std": _PAPERS,
    "yahoo": _PAPERS.changed(empty=1.0),
    "letor": _PAPERS.changed(short="zero"),
}
"""The three evaluators of the paper's experiments, one for each of its groups of tools. All have gains of 2^g − 1 and
discount by log2(r + 1). A query without relevant documents counts 0 for RankLib and trec_eval, 1 for Yahoo; a list
shorter than k counts 0 for LETOR (equation 4 of the paper). All average over tied documents, so they differ in one rule
only."""


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldOut:
    """The test documents of all folds, query by query."""

    judgments: pl.DataFrame
    """A row per document: query (its number as a text), document, grade."""
    fold: IndexArray
    """The fold of each query."""

    @classmethod
    def of(cls, folds: tuple[Fold, ...]) -> HeldOut:
        """The test sets of the folds, in their order."""
        sets = [fold.test for fold in folds]
        counts = [len(dict.fromkeys(data.queries)) for data in sets]
        starts = np.cumsum([0, *counts[:-1]])
        return cls(
            judgments=pl.concat(starmap(_judgments, zip(sets, starts, strict=True))),
            fold=np.repeat(np.arange(len(sets)), counts),
        )

    @property
    def sizes(self) -> IndexArray:
        """How many documents each query has."""
        return np.bincount(self.judgments["query"].cast(pl.Int64).to_numpy(), minlength=len(self.fold))

    @property
    def is_short(self) -> BoolArray:
        """Which queries have fewer documents than the last cutoff."""
        return np.asarray(self.sizes < CUTOFFS[-1])

    @property
    def is_empty(self) -> BoolArray:
        """Which queries have no relevant document."""
        graded = self.judgments.filter(pl.col("grade") > 0)["query"].cast(pl.Int64).to_numpy()
        return np.asarray(np.bincount(graded, minlength=len(self.fold)) == 0)

    def tied(self, scores: FloatArray) -> float:
        """The share of documents that have the same score as another document of their query."""
        found = self.judgments.select("query").with_columns(pl.Series("score", scores)).is_duplicated()
        return float(np.mean(found.to_numpy()))

    def values(self, scores: FloatArray, dialect: Dialect) -> FloatArray:
        """NDCG at each cutoff (rankings × cutoffs × queries) of rankings given by scores (rankings × documents).

        All rankings are evaluated at once: each has its own copy of the queries, under other numbers.
        """
        n = len(self.fold)
        number = self.judgments["query"].cast(pl.Int64).to_numpy()
        names = (number + n * np.arange(len(scores))[:, np.newaxis]).ravel()
        repeated = pl.concat([self.judgments] * len(scores)).with_columns(pl.Series("query", names).cast(pl.String))
        run = repeated.select("query", "document").with_columns(pl.Series("score", scores.ravel()))
        result = evaluate(repeated, run, MEASURES, dialect=dialect)
        found = np.full((len(scores) * n, len(MEASURES)), np.nan)
        found[result.queries.cast(pl.Int64).to_numpy()] = result.matrix
        return np.moveaxis(found.reshape(len(scores), n, len(MEASURES)), 1, 2)


def _judgments(data: FeatureTable, start: int) -> pl.DataFrame:
    order: dict[str, int] = {query: start + place for place, query in enumerate(dict.fromkeys(data.queries))}
    return pl.DataFrame(
        {
            "query": [str(order[query]) for query in data.queries],
            "document": pl.Series(list(map(str, data.documents))),
            "grade": data.grades,
        }
    )
