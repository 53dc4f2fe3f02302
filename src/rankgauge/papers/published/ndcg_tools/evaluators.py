"""The paper's three readings of NDCG and its six tools, on many rankings of the same documents at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from rankgauge.papers.experiment import Number

CUTOFFS = tuple(range(1, 11))
MEASURES = tuple(f"nDCG@{k}" for k in CUTOFFS)

TITLES = {"std": "standard", "yahoo": "Yahoo", "letor": "LETOR"}
"""What the readings are called."""

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
        """Return the test sets of the folds, in their order."""
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
        """Return the share of documents that have the same score as another document of their query."""
        tied = self.judgments.select("query").with_columns(pl.Series("score", scores)).is_duplicated()
        return float(np.mean(tied.to_numpy()))

    def values(self, scores: FloatArray, dialect: Dialect) -> FloatArray:
        """Return NDCG at each cutoff (rankings × cutoffs × queries) of rankings given by scores (rankings × documents).

        All rankings are evaluated at once: each has its own copy of the queries, under other numbers.
        """
        n = len(self.fold)
        number = self.judgments["query"].cast(pl.Int64).to_numpy()
        names = (number + n * np.arange(len(scores))[:, np.newaxis]).ravel()
        repeated = pl.concat([self.judgments] * len(scores)).with_columns(pl.Series("query", names).cast(pl.String))
        run = repeated.select("query", "document").with_columns(pl.Series("score", scores.ravel()))
        result = evaluate(repeated, run, MEASURES, dialect=dialect)
        values = np.full((len(scores) * n, len(MEASURES)), np.nan)
        values[result.queries.cast(pl.Int64).to_numpy()] = result.matrix
        return np.moveaxis(values.reshape(len(scores), n, len(MEASURES)), 1, 2)


def _judgments(data: FeatureTable, start: int) -> pl.DataFrame:
    order: dict[str, int] = {query: start + place for place, query in enumerate(dict.fromkeys(data.queries))}
    return pl.DataFrame(
        {
            "query": [str(order[query]) for query in data.queries],
            "document": pl.Series(list(map(str, data.documents))),
            "grade": data.grades,
        }
    )


TOOLS: Mapping[str, Dialect] = {
    "RankLib": dialects.get("ranklib"),
    "trec_eval": dialects.get("trec_eval-8.1+ndcg", gain="exp"),
    "LETOR 3.0": dialects.get("letor3"),
    "LETOR 4.0": dialects.get("letor4"),
    "MSLR": dialects.get("mslr"),
    "Yahoo": dialects.get("yahoo"),
}
"""The tools as they are, by the paper's names; trec_eval with exponential gains, as in the paper's experiments."""

COMPARED = (
    ("trec_eval", "RankLib"),
    ("LETOR 3.0", "RankLib"),
    ("LETOR 3.0", "LETOR 4.0"),
    ("MSLR", "LETOR 4.0"),
    ("Yahoo", "RankLib"),
)


def tool_differences(tested: HeldOut, scores: FloatArray) -> Iterator[tuple[str, Number]]:
    """Yield how far tools are apart on the rankings of six models (rankings × documents).

    These are differences between two ways to compute a value from the same rankings: they have no sampling error.
    """
    values = {name: tested.values(scores, tool) for name, tool in TOOLS.items()}
    for one, other in COMPARED:
        apart = float((values[one] - values[other])[:, -1].mean())
        yield f"{one} less {other}, NDCG@10", Number(value=apart)
    short = values["LETOR 4.0"][:, -1, tested.is_short]
    yield "LETOR 4.0 on short queries, NDCG@10", Number(value=float(np.max(short, initial=0.0)))
    met = np.abs(values["Yahoo"] - values["RankLib"])[..., ~tested.is_empty]
    yield "Yahoo less RankLib, queries with a relevant document", Number(value=float(np.max(met, initial=0.0)))


def tie_effects(tested: HeldOut, rankers: Sequence[str], scores: FloatArray) -> Iterator[tuple[str, Number]]:
    """Yield how many documents of each ranking are tied, and how much the order of ties changes its NDCG@10."""
    shares = [tested.tied(ranking) for ranking in scores]
    best, worst = (tested.values(scores, READINGS["std"].changed(ties=order))[:, -1] for order in ("best", "worst"))
    moved = (best - worst).mean(axis=-1)
    yield "tied documents, mean", Number(value=float(np.mean(shares)))
    yield "best less worst order of ties, largest", Number(value=float(moved.max()))
    for ranker, share, by in zip(rankers, shares, moved, strict=True):
        yield f"tied documents, {ranker}", Number(value=share)
        yield f"best less worst order of ties, {ranker}", Number(value=float(by))
