"""Generated sets to learn ranking from: their shares, sizes and files, and that there is something to learn."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge

from rankgauge.demo import LIKENESSES, generate_learning, learning_parts, write_learning, write_parts
from rankgauge.errors import UnknownNameError
from rankgauge.evaluation.arrays import score_arrays
from rankgauge.files.formats.letor import FeatureTable, read_features
from rankgauge.files.source import Source
from tests.shared import shared


@cache
def made(like: str, queries: int | None = None) -> FeatureTable:
    """The set of seed 0."""
    return generate_learning(rng=np.random.default_rng(0), like=like, queries=queries)


def sizes(data: FeatureTable) -> np.ndarray:
    """The number of documents of each query."""
    return np.unique(data.queries.astype(str), return_counts=True)[1]


def empty(data: FeatureTable) -> float:
    """The share of queries without a relevant document."""
    _, query = np.unique(data.queries.astype(str), return_inverse=True)
    return float((np.bincount(query, data.grades) == 0).mean())


@pytest.mark.parametrize(("like", "queries"), [("mq2008", None), ("mslr", 300)])
def test_grades_have_the_stated_shares(like: str, queries: int | None) -> None:
    """The share of each grade is the real set's to a third of a percent."""
    found = np.bincount(made(like, queries).grades.astype(int)) / len(made(like, queries).grades)
    np.testing.assert_allclose(found, LIKENESSES[like].shares, atol=0.0033)


def test_mq2008_has_the_real_shape() -> None:
    """784 queries, 28.06 % of them empty; 43 % of the lists have exactly 8 documents; features go from 0 to 1."""
    data = made("mq2008")
    assert len(sizes(data)) == 784
    assert empty(data) == 220 / 784
    assert (sizes(data) == 8).mean() == pytest.approx(0.432, abs=0.01)
    assert (sizes(data) < 9).mean() == pytest.approx(0.514, abs=0.01)
    assert sizes(data).max() <= 121
    assert (data.matrix.min(), data.matrix.max()) == (0.0, 1.0)
    assert (np.ptp(data.matrix, axis=0) == 0).sum() == 6


def test_the_stated_shares_are_those_of_the_files() -> None:
    """The generator's figures for MQ2008 are those of its five files."""
    parts = [read_features(Source.of(shared(f"data/mq2008/S{part}.txt"))) for part in range(1, 6)]
    grades = np.concatenate([part.grades for part in parts]).astype(int)
    np.testing.assert_allclose(np.bincount(grades) / len(grades), LIKENESSES["mq2008"].shares, atol=1e-4)
    assert [len(sizes(part)) for part in parts] == [len(sizes(part)) for part in learning_parts(made("mq2008"))]


def test_mslr_has_the_real_shape() -> None:
    """About 120 documents a query with a spread, 136 features, and lengths of some hundred words."""
    data = made("mslr", 300)
    assert data.matrix.shape[1] == 136
    assert sizes(data).mean() == pytest.approx(120, abs=12)
    assert np.percentile(sizes(data), 5) < 60 < 200 < np.percentile(sizes(data), 97)
    words = data.matrix[:, LIKENESSES["mslr"].length - 1]
    assert words.min() >= 3
    assert np.median(words) == pytest.approx(446, rel=0.1)  # e^6.1


def test_same_seed_same_set() -> None:
    """A seed decides every number, another seed gives other ones."""
    one, same, other = (
        generate_learning(rng=np.random.default_rng(seed), like="mq2008", queries=30) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one.matrix, same.matrix)
    np.testing.assert_array_equal(one.grades, same.grades)
    assert one.matrix.shape != other.matrix.shape or (one.matrix != other.matrix).any()


def test_files_read_back_to_the_same_set(tmp_path: Path) -> None:
    """Writing and reading gives the same grades, queries, documents and features."""
    data = made("mslr", 12)
    read = read_features(Source.of(write_learning(data, tmp_path / "all.txt")))
    for one, two in zip(data, read, strict=True):
        np.testing.assert_array_equal(one, two)


def test_parts_are_cut_between_queries(tmp_path: Path) -> None:
    """Five files hold every document once, and no query is in two."""
    data = made("mq2008")
    paths = write_parts(data, tmp_path)
    assert [path.name for path in paths] == ["S1.txt", "S2.txt", "S3.txt", "S4.txt", "S5.txt"]
    parts = [set(part.queries) for part in learning_parts(data)]
    assert sum(map(len, parts)) == len(set().union(*parts)) == 784
    assert sum(len(part.grades) for part in learning_parts(data)) == len(data.grades)


def test_a_model_learns_more_than_one_feature_tells() -> None:
    """On unseen queries a linear model beats random order by far, and trees beat the linear model."""
    data = made("mslr", 300)
    seen = data.queries.astype(int) <= 150
    spread = data.matrix[seen].std(axis=0)
    linear = Ridge().fit(data.matrix[seen] / spread, data.grades[seen])
    trees = HistGradientBoostingRegressor(max_iter=60, random_state=0).fit(data.matrix[seen], data.grades[seen])
    scores = {
        "random": np.random.default_rng(0).random((~seen).sum()),
        "linear": linear.predict(data.matrix[~seen] / spread),
        "trees": trees.predict(data.matrix[~seen]),
    }
    value = {
        name: np.nanmean(score_arrays(data.grades[~seen], score, "nDCG@10", qid=data.queries[~seen]))
        for name, score in scores.items()
    }
    assert value["random"] + 0.15 < value["linear"] < value["trees"]


def test_it_is_quick() -> None:
    """A third of a hundred thousand documents are made in less than two seconds of CPU."""
    start = time.process_time()
    assert len(generate_learning(rng=np.random.default_rng(0), queries=280).grades) > 30_000
    assert time.process_time() - start < 2.0


def test_an_unknown_likeness_is_named() -> None:
    """A likeness that is not there is answered with those that are."""
    with pytest.raises(UnknownNameError, match="mq2008"):
        generate_learning(rng=np.random.default_rng(0), like="mq2009")
