"""Ranks that contradict scores: scores decide, so a table of distances is read backwards unless somebody says so."""

from __future__ import annotations

import polars as pl


def rank_conflict(run: pl.DataFrame, column: str) -> str | None:
    """What to know of a run whose ranks and scores order it differently; None where they agree, or it has no ranks.

    `column` is what the file calls its ranks.
    """
    if "rank" not in run.columns or "score" not in run.columns:
        return None
    # Equal ranks, as in a file that has 0 on every line, contradict nothing.
    ordered = run.drop_nulls("rank").sort("query", "rank", "score", descending=[False, False, True])
    steps = ordered.select(
        "query", step=pl.col("score").diff().over("query"), apart=pl.col("rank").diff().over("query")
    )
    moves = steps.filter((pl.col("step") != 0) & (pl.col("apart") != 0))
    rising = moves.filter(pl.col("step") > 0)
    if rising.is_empty():
        return None
    ranks = f"--columns rank={column} orders it by its ranks"
    if len(rising) == len(moves):
        return f"its scores rise from rank to rank, as distances do, and the highest score comes first; {ranks}"
    queries, total = rising["query"].n_unique(), run["query"].n_unique()
    return f"in {queries} of {total} queries the ranks contradict the scores, which order the run; {ranks}"
