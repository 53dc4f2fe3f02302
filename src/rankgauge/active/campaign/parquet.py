"""Pools and beliefs as bytes: Parquet, which keeps every double as it is."""

from __future__ import annotations

import io

import numpy as np
import polars as pl

from rankgauge.active.pool import Pool
from rankgauge.numeric import FloatArray


def pack(pool: Pool) -> bytes:
    """The pool without its texts, which are read document by document."""
    columns = {
        "query": pool.queries.gather(pool.query),
        "document": pool.documents,
        **{f"rank_{ranker}": pool.ranks[:, ranker] for ranker in range(pool.rankers)},
        **_columns(pool.beliefs),
        "cost": pool.costs,
        "overhead": pool.overhead[pool.query],
    }
    return _bytes(pl.DataFrame(columns))


def unpack(content: bytes, grades: tuple[float, ...]) -> Pool:
    """The pool again, on that scale."""
    frame = pl.read_parquet(io.BytesIO(content))
    runs = frame["query"].rle().struct.unnest()
    sizes = runs["len"].cast(pl.Int64).to_numpy()
    starts = np.cumsum(sizes) - sizes
    ranks = [name for name in frame.columns if name.startswith("rank_")]
    return Pool(
        queries=runs["value"].alias("query"),
        documents=frame["document"],
        sizes=sizes,
        ranks=_matrix(frame.select(ranks)),
        beliefs=_matrix(frame.select(pl.col("^p_.*$"))),
        grades=np.asarray(grades, dtype=np.float64),
        costs=np.array(frame["cost"].to_numpy()),
        overhead=frame["overhead"].to_numpy()[starts],
    )


def pack_beliefs(beliefs: FloatArray) -> bytes:
    """Beliefs about every document of a pool."""
    return _bytes(pl.DataFrame(_columns(beliefs)))


def unpack_beliefs(content: bytes) -> FloatArray:
    """The beliefs again."""
    return _matrix(pl.read_parquet(io.BytesIO(content)))


def _columns(beliefs: FloatArray) -> dict[str, FloatArray]:
    return {f"p_{place}": beliefs[:, place] for place in range(beliefs.shape[1])}


def _matrix(frame: pl.DataFrame) -> FloatArray:
    return np.ascontiguousarray(frame.to_numpy(), dtype=np.float64)


def _bytes(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()
