"""Runs read some whole queries at a time."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankgauge import files
from rankgauge.errors import InputError
from tests.examples import examples


def run_of(sizes: list[int]) -> pl.DataFrame:
    """A run whose queries have those numbers of documents."""
    rows = [(f"q{q}", f"d{d}", float(-d)) for q, size in enumerate(sizes) for d in range(size)]
    schema = {"query": pl.String, "document": pl.String, "score": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.lists(st.integers(1, 20), min_size=1, max_size=12),
    rows=st.integers(1, 40),
    suffix=st.sampled_from([".run", ".csv", ".jsonl", ".parquet", ".arrow"]),
)
def test_batches_are_the_run_cut_between_queries(tmp_path: Path, sizes: list[int], rows: int, suffix: str) -> None:
    """Put together the batches are the run; no query is in two of them."""
    run, path = run_of(sizes), tmp_path / f"r{suffix}"
    files.write_run(run, path)
    batches = list(files.stream_run(path, rows=rows))
    assert pl.concat(batches).equals(run)
    seen = [query for batch in batches for query in batch["query"].unique()]
    assert len(seen) == len(set(seen)) == len(sizes)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_packed_runs_with_comments_are_streamed(tmp_path: Path, pack: object) -> None:
    """Comments, blank lines and packing change nothing."""
    run = run_of([500, 300, 700])
    lines = [f"{q} Q0 {d} 0 {s} t" for q, d, s in run.rows()]
    text = "\n\n# a comment of six fields, like a line\n".join(lines).encode()
    path = tmp_path / "run.packed"
    path.write_bytes(pack(text))  # type: ignore[operator]
    assert pl.concat(list(files.stream_run(path, rows=100))).equals(run)


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_a_query_that_comes_back_is_refused(tmp_path: Path, rows: int) -> None:
    """A query in two places would be judged twice, as two short lists."""
    path = tmp_path / "run.txt"
    path.write_text("a Q0 d 1 3 t\nb Q0 d 1 2 t\nb Q0 e 2 1 t\na Q0 e 2 1 t\n")
    with pytest.raises(InputError, match="query a comes back after it ended"):
        list(files.stream_run(path, rows=rows))


def test_a_bad_line_is_named_also_in_a_stream(tmp_path: Path) -> None:
    """The number of the line is counted over the whole file."""
    path = tmp_path / "run.txt"
    path.write_text("# c\n" + "".join(f"q{n} Q0 d 1 1 t\n" for n in range(50)) + "q Q0 d 1 x t\n")
    with pytest.raises(InputError, match="the score 'x' is not a number") as caught:
        list(files.stream_run(path, rows=10))
    assert caught.value.line == 52
