"""What a result comes down to, one record for each query: enough to put results of many tasks together into one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.evaluation.judged_share import judged_within
from rankgauge.evaluation.result import Result
from rankgauge.evaluation.scoring import settle
from rankgauge.numeric import FloatArray
from rankgauge.policies import Ties
from rankgauge.ranking import Hits
from rankgauge.spark.job import EvaluationJob

MATRICES = ("raw", "errors", "worst", "best", "judged")

DIGEST: Mapping[str, str] = {
    "query": "string",
    "place": "long",
    "retrieved": "double",
    "answered": "boolean",
    "top": "double",
    "hits": "long",
    "pool": "long",
    "tied": "boolean",
    **dict.fromkeys(MATRICES, "array<double>"),
}
"""The columns of a record, in Spark's types; a query that nobody judged has a place, and nothing else."""


def digest(result: Result, places: pl.DataFrame) -> pl.DataFrame:
    """The records of a result's queries, and of those that nobody judged.

    `places` (query, place) says where the queries first appear: among the judgments, or else in the run.
    """
    hits, n = result.hits, len(result.hits.queries)
    top = np.full(n, -np.inf)
    np.maximum.at(top, hits.pool_query, hits.pool_grade)
    tied = hits.size > 1
    ordered = [result.reordered(ties) if tied.any() else result.raw for ties in (Ties.WORST, Ties.BEST)]
    records = pl.DataFrame(
        {
            "query": hits.queries,
            "retrieved": hits.retrieved,
            "answered": hits.is_answered,
            "top": top,
            "hits": np.bincount(hits.query, minlength=n),
            "pool": np.bincount(hits.pool_query, minlength=n),
            "tied": np.bincount(hits.query[tied], minlength=n) > 0,
            **{
                name: pl.Series(list(matrix), dtype=pl.List(pl.Float64))
                for name, matrix in zip(MATRICES, (result.raw, result.errors, *ordered, _judged(result)), strict=True)
            },
        }
    )
    return places.join(records, on="query", how="left").select(list(DIGEST))


def restored(records: pl.DataFrame, job: EvaluationJob) -> Result:
    """The result that the records were made of; of its hits only what the records tell is there."""
    judged = records.filter(pl.col("raw").is_not_null()).sort("place")
    if not len(judged):
        raise InputError("no judgments found: there are no rows")
    strangers = records.filter(pl.col("raw").is_null()).sort("place")["query"]
    if not (judged["answered"].any() or len(strangers)):
        raise InputError("no run found: there are no rows")
    shape = (len(judged), len(job.measures))

    def matrix(name: str) -> FloatArray:
        return judged[name].explode(empty_as_null=False).to_numpy().reshape(shape)

    hits = _hits(judged, tuple(strangers), single=job.dialect.single_arithmetic).matched()
    return Result(
        dialect=job.dialect,
        measures=job.measures,
        hits=hits,
        raw=matrix("raw"),
        matrix=settle(matrix("raw"), hits, job.measures, job.dialect),
        errors=matrix("errors"),
        bounds={Ties.WORST: matrix("worst"), Ties.BEST: matrix("best")},
        judged_counts=matrix("judged").astype(np.int64),
    )


def _judged(result: Result) -> FloatArray:
    """Count the judged documents that each measure looks at (judged queries × measures)."""
    found = [judged_within(result.hits, measure.depth) for measure in result.measures]
    return np.asarray(np.stack(found, axis=1), dtype=np.float64)


def _hits(judged: pl.DataFrame, strangers: tuple[str, ...], *, single: bool) -> Hits:
    """As many hits as there were, without their ranks, and for all of a query its best grade; the first hit of a query
    says whether some were tied."""
    counts, pool = judged["hits"].to_numpy(), judged["pool"].to_numpy()
    query = np.repeat(np.arange(len(judged)), counts)
    size = np.ones(len(query))
    size[(np.cumsum(counts) - counts)[judged["tied"].to_numpy()]] = 2.0
    unknown = np.broadcast_to(np.nan, query.shape)
    return Hits(
        names=judged["query"].to_list(),
        query=query,
        rank=unknown,
        grade=unknown,
        first=unknown,
        size=size,
        retrieved=judged["retrieved"].to_numpy(),
        pool_query=np.repeat(np.arange(len(judged)), pool),
        pool_grade=np.repeat(judged["top"].to_numpy(), pool),
        answered=judged["answered"].to_numpy(),
        strangers=strangers,
        single=single,
    )
