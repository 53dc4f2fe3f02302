"""Active evaluation over a pool of any size: moments in the tasks, and the chances that follow from them by SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError
from rankgauge.files import find
from rankgauge.files.reading import whole_queries
from rankgauge.labelling import Pool, Target
from rankgauge.labelling.defaults import DIALECT
from rankgauge.labelling.methods.paper import draws_for
from rankgauge.labelling.moments import moments
from rankgauge.measures import Measure
from rankgauge.spark.rows import ROWS, Task, frames, map_rows, pack, texts
from rankgauge.spark.session import F

MOMENTS: Mapping[str, str] = {"query": "string", "mean": "double", "variance": "double", "cost": "double"}

IDS = ("query", "document")


def sampling_distribution(
    pool: Any,
    *,
    measure: str | Measure,
    budget: float,
    dialect: str | Dialect = DIALECT,
    mixed: float = 0.0,
    **options: Any,
) -> tuple[Any, Any]:
    """Return the chances to draw each query with, and the moments of its value under the beliefs, as two Spark frames.

    `pool` is a Spark frame with a row for each query and document; its columns and the options are those of `Pool.of`.
    The first frame is (query, cost, chance, judged): `chance` is q* of Sawade et al. 2012 with a share `mixed` of
    uniform chances, `judged` the probability that the query is drawn at all before the budget is spent. The second is
    (query, mean, variance, cost). Sums over the pool are needed, so this runs the job; the moments are kept (cached).
    """
    if not 0 <= mixed <= 1 or budget <= 0:
        raise ParameterError("sampling_distribution", "budget", "above 0, and mixed from 0 to 1", (budget, mixed))
    columns = {name: name if name in pool.columns else find(pool.columns, name) for name in IDS}
    if None in columns.values():
        raise InputError(
            f"no column for query and document among {', '.join(pool.columns)}",
            hint="A pool has the columns query, document and score (or score_1 and score_2).",
        )
    ids = {name: texts(pool, str(column)) for name, column in columns.items()}
    rows = pool.withColumns({**ids, "order": F.monotonically_increasing_id()})
    placed = rows.repartition("query").sortWithinPartitions("query", "order").drop("order")
    by_query = map_rows(placed, _task(measure, dialect, dict(options)), MOMENTS).cache()
    queries, expected = by_query.agg(F.count("*"), F.avg("mean")).first()
    if not queries:
        raise InputError("no pool found: there are no rows")
    spread = F.col("variance") + (F.col("mean") - F.lit(expected)) ** 2
    root = F.sqrt(spread / F.greatest(F.col("cost"), F.lit(float(np.finfo(float).tiny))))
    (total,) = by_query.agg(F.sum(root)).first()
    share = root / F.lit(total) if total > 0 else F.lit(1 / queries)
    chances = by_query.select("query", "cost", (F.lit(1 - mixed) * share + F.lit(mixed / queries)).alias("chance"))
    drawn = chances.select("chance", "cost").toArrow()  # two numbers for each query
    draws = draws_for(drawn["chance"].to_numpy(), drawn["cost"].to_numpy(), budget)
    judged = -F.expm1(F.lit(draws) * F.log1p(-F.col("chance")))
    return chances.withColumn("judged", judged), by_query


def _task(measure: str | Measure, dialect: str | Dialect, options: dict[str, Any]) -> Task:
    def task(batches: Iterator[Any]) -> Iterator[Any]:
        for frame in whole_queries(frames(batches), rows=ROWS, name="the partition"):
            pool = Pool.of(frame, **options)
            target = Target.of(measure, pool, dialect)
            expected = moments(pool, target)
            columns = {"mean": expected.mean, "variance": expected.variance, "cost": target.query_costs(pool)}
            yield from pack(pl.DataFrame({"query": pool.queries, **columns}), MOMENTS)

    return task
