"""Pools and beliefs as bytes: Parquet, which keeps every double as it is; a board's pool is some tables in a zip."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

import numpy as np
import polars as pl

from rankgauge.files.compression import HARMLESS, RATIO, refuse_bomb
from rankgauge.judgments.llm.machine_judge import chances
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.board.features import PooledJudge
from rankgauge.labelling.pool import Pool
from rankgauge.numeric import FloatArray, IndexArray

JUDGE, EFFECTS = "judge/", "effects/"
"""What the names of the tables of a judge begin with."""


def pack(pool: Pool) -> bytes:
    """Return the pool without its texts, which are read document by document."""
    columns = {
        **{f"rank_{ranker}": pool.ranks[:, ranker] for ranker in range(pool.rankers)},
        **_columns(pool.beliefs),
        "cost": pool.costs,
        "overhead": pool.overhead[pool.query],
    }
    return _bytes(pool.ids.with_columns(**columns))


def unpack(content: bytes, grades: tuple[float, ...]) -> Pool:
    """Return the pool again, on that scale."""
    frame = _read(content)
    queries, sizes, starts = _queries(frame)
    ranks = [name for name in frame.columns if name.startswith("rank_")]
    return Pool(
        queries=queries,
        documents=frame["document"],
        sizes=sizes,
        ranks=_matrix(frame.select(ranks)),
        beliefs=_matrix(frame.select(pl.col("^p_.*$"))),
        grades=np.asarray(grades, dtype=np.float64),
        costs=np.array(frame["cost"].to_numpy()),
        overhead=frame["overhead"].to_numpy()[starts],
    )


def pack_board(pool: BoardPool) -> bytes:
    """Return the pool of a board without its texts: its documents, its hits, and the length of every list."""
    documents = {"known": pool.known, "cost": pool.costs, "overhead": pool.overhead[pool.query]}
    tables = {
        "documents": pool.ids.with_columns(**documents),
        "facts": pl.DataFrame() if pool.facts is None else pool.facts,
        "hits": pl.DataFrame({"run": pool.run, "document": pool.document, "rank": pool.rank}),
        "lengths": pl.DataFrame(dict(zip(pool.runs, pool.lengths, strict=True))),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, table in {**tables, **dict(_judge_tables(pool))}.items():
            packed.writestr(f"{name}.parquet", _bytes(table))
    return buffer.getvalue()


def unpack_board(content: bytes) -> BoardPool:
    """Return the pool of a board again."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = ("documents", "facts", "hits", "lengths")
        frame, facts, hits, lengths = (_table(packed, name) for name in names)
        judges = tuple(_judges(packed))
    queries, sizes, starts = _queries(frame)
    return BoardPool(
        runs=tuple(lengths.columns),
        queries=queries,
        documents=frame["document"],
        sizes=sizes,
        run=hits["run"].to_numpy(),
        document=hits["document"].to_numpy(),
        rank=hits["rank"].to_numpy(),
        lengths=np.ascontiguousarray(lengths.to_numpy().T),
        known=np.array(frame["known"].to_numpy()),
        facts=facts if facts.width else None,
        judges=judges,
        costs=np.array(frame["cost"].to_numpy()),
        overhead=frame["overhead"].to_numpy()[starts],
    )


def _judge_tables(pool: BoardPool) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield what each judge said, and what it was worth elsewhere if that is known."""
    for judge in pool.judges:
        yield f"{JUDGE}{judge.name}", judge.said
        if judge.effects is not None:
            levels = range(judge.effects.shape[1] - 1) if judge.levels is None else judge.levels.tolist()
            names = ["intercept", *(repr(level) for level in levels)]
            yield f"{EFFECTS}{judge.name}", pl.DataFrame(judge.effects, schema=names)


def _judges(packed: zipfile.ZipFile) -> Iterator[PooledJudge]:
    held = {name.removesuffix(".parquet") for name in packed.namelist()}
    for name in (one.removesuffix(".parquet") for one in packed.namelist() if one.startswith(JUDGE)):
        judge = name.removeprefix(JUDGE)
        said, learnt = _table(packed, name), None
        if f"{EFFECTS}{judge}" in held:
            learnt = _table(packed, f"{EFFECTS}{judge}")
        levels = None if learnt is None or chances(said) else np.array([float(column) for column in learnt.columns[1:]])
        effects = None if learnt is None else _matrix(learnt)
        yield PooledJudge(name=judge, said=said, effects=effects, levels=levels)


def _table(packed: zipfile.ZipFile, name: str) -> pl.DataFrame:
    about = packed.getinfo(f"{name}.parquet")
    if about.file_size > max(HARMLESS, RATIO * about.compress_size):
        raise ValueError(f"{name} unpacks to far more than its size")
    return _read(packed.read(about))


def _queries(frame: pl.DataFrame) -> tuple[pl.Series, IndexArray, IndexArray]:
    """Return the queries of a table whose rows are grouped by query, how many rows each has, and where they begin."""
    runs = frame["query"].rle().struct.unnest()
    sizes = runs["len"].cast(pl.Int64).to_numpy()
    return runs["value"].alias("query"), sizes, np.cumsum(sizes) - sizes


def pack_beliefs(beliefs: FloatArray) -> bytes:
    """Return beliefs about every document of a pool."""
    return _bytes(pl.DataFrame(_columns(beliefs)))


def unpack_beliefs(content: bytes) -> FloatArray:
    """Return the beliefs again."""
    return _matrix(_read(content))


def _read(content: bytes) -> pl.DataFrame:
    return refuse_bomb(pl.scan_parquet(io.BytesIO(content)), len(content)).collect()


def _columns(beliefs: FloatArray) -> dict[str, FloatArray]:
    return {f"p_{place}": beliefs[:, place] for place in range(beliefs.shape[1])}


def _matrix(frame: pl.DataFrame) -> FloatArray:
    return np.ascontiguousarray(frame.to_numpy(), dtype=np.float64)


def _bytes(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()
