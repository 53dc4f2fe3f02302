"""The small collection that the demo and the docs use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import files
from rankgauge.demo import FILES, DemoCollection, generate, write


@pytest.fixture(scope="module")
def collection() -> DemoCollection:
    """The collection of seed 0."""
    return generate(rng=np.random.default_rng(0))


def test_same_seed_same_files(tmp_path: Path) -> None:
    """A seed decides every byte; another seed gives other data."""
    folders = {name: tmp_path / name for name in ("one", "same", "other")}
    for (name, folder), seed in zip(folders.items(), (0, 0, 1), strict=True):
        assert len(write(generate(rng=np.random.default_rng(seed)), folder)) == len(FILES), name
    for file in FILES:
        one, same, other = ((folder / file).read_bytes() for folder in folders.values())
        assert one == same != other


def test_it_has_what_real_data_has(collection: DemoCollection) -> None:
    """There are an empty query, ties, unjudged documents, a missing query, a short list and a query nobody judged."""
    judged = collection.judgments
    totals = judged.group_by("query").agg(pl.col("grade").sum())
    assert (totals["grade"] == 0).any()
    assert set(judged["grade"].unique()) == {0.0, 1.0, 2.0, 3.0}
    bm25, dense = collection.runs["bm25"], collection.runs["dense"]
    assert bm25.select("query", "score").is_duplicated().any()
    assert len(bm25.join(judged, on=["query", "document"], how="anti"))
    assert set(judged["query"]) - set(bm25["query"])
    assert set(dense["query"]) - set(judged["query"])
    assert dense.group_by("query").len()["len"].min() == 4


def test_assessors_disagree_in_their_own_ways(collection: DemoCollection) -> None:
    """Everyone grades everything; eve is more generous than ann, and bob is stricter."""
    means = dict(collection.ratings.group_by("assessor").agg(pl.col("grade").mean()).iter_rows())
    assert means["bob"] < means["ann"] < means["eve"]
    assert len(collection.ratings) == 3 * len(collection.judgments)


def test_files_hold_the_collection(collection: DemoCollection, tmp_path: Path) -> None:
    """What is written is what is read back."""
    write(collection, tmp_path)
    judgments, run = files.read_pair(tmp_path / "qrels.txt", tmp_path / "dense.txt.gz")
    keys = ["query", "document"]
    assert judgments.select(*keys, "grade").sort(keys).equals(collection.judgments.sort(keys))
    assert run.select(*keys, "score").sort(keys).equals(collection.runs["dense"].sort(keys))
    assert len(files.read_judgments(tmp_path / "ratings.csv")) == len(collection.ratings)
    letor, scored = files.read_pair(tmp_path / "test.txt", tmp_path / "scores.txt")
    assert len(letor) == len(scored) > 0


def test_too_small(collection: DemoCollection) -> None:
    """Fewer queries than special ones cannot be made."""
    with pytest.raises(ValueError, match="at least 4"):
        generate(rng=np.random.default_rng(0), queries=3)
