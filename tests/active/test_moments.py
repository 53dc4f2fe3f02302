"""Moments: every closed form is what enumerating all label vectors gives."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import active as benchmark
from benchmarks.costs import Cost
from rankgauge.errors import ParameterError
from rankgauge.labelling.moments import batches, moments, slopes
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.sampling.stages import QueryBlock, WorthTable
from rankgauge.labelling.target import Target
from rankgauge.measures.forms import Shape
from rankgauge.numeric import FloatArray
from tests.active.pools import enumerated, pools, values, vectors
from tests.examples import examples

LINEAR = ("DCG(gain='exp')", "DCG@3", "CG(gain='exp')@2", "P@3", "RBP(p=0.6)")
CASCADE = (
    "ERR(max_grade=3)",
    "ERR(max_grade=3)@2",
    "PFound",
    "PFound(p_break=1)",
    "RR",
    "RR(ruler='trec')@4",
    "Success@2",
)
NOTHING = {"wall": 0.0, "cpu": 0.0, "memory": 0.0, "output": ""}
MEASURES = st.sampled_from(LINEAR + CASCADE)


@settings(deadline=None, max_examples=examples(150))
@given(pool=pools(), measure=MEASURES)
def test_closed_forms_equal_enumeration(pool: Pool, measure: str) -> None:
    """Mean, variance and E[(L − R)²] are sums over all label vectors, for one list and for the difference of two."""
    target = Target.of(measure, pool)
    assert target.shape is (Shape.LINEAR if measure in LINEAR else Shape.CASCADE)
    found = moments(pool, target)
    expected = np.array([enumerated(pool, query, measure) for query in range(len(pool.queries))])
    assert found.mean == pytest.approx(expected[:, 0], abs=1e-10)
    assert found.variance == pytest.approx(expected[:, 1], abs=1e-10)
    assert found.about(0.3) == pytest.approx(expected[:, 1] + (expected[:, 0] - 0.3) ** 2, abs=1e-10)


@settings(deadline=None, max_examples=examples(100))
@given(pool=pools(most=5), measure=MEASURES, data=st.data())
def test_a_label_moves_the_expected_value_by_its_slope(pool: Pool, measure: str, data: st.DataObject) -> None:
    """M_S is the mean over the label vectors that agree with the labels seen, and one more label z moves it by exactly
    (worth − E worth) · slope."""
    target = Target.of(measure, pool)
    seen = np.array([data.draw(st.sampled_from([np.nan, *pool.grades])) for _ in pool.documents])
    found = slopes(pool, target, seen)
    for query in range(len(pool.queries)):
        assert found.value[query] == pytest.approx(_expected(pool, query, measure, seen), abs=1e-10)
    z = data.draw(st.integers(0, len(pool.documents) - 1))
    query = int(pool.query[z])
    before = np.where(np.arange(len(seen)) == z, np.nan, seen)
    mean = float(pool.beliefs[z] @ target.worth)
    slope = slopes(pool, target, before).slope[z]
    for grade, worth in zip(pool.grades, target.worth, strict=True):
        after = np.where(np.arange(len(seen)) == z, grade, seen)
        moved = slopes(pool, target, after).value[query] - slopes(pool, target, before).value[query]
        assert moved == pytest.approx((worth - mean) * slope, abs=1e-10)


def _expected(pool: Pool, query: int, measure: str, seen: FloatArray) -> float:
    """The mean of a query's value where some labels are known, whether the beliefs thought them possible or not."""
    known = seen[pool.starts[query] + np.arange(pool.sizes[query])]
    grades, _ = vectors(pool, query)
    documents = pool.starts[query] + np.arange(pool.sizes[query])
    chances = pool.beliefs[documents, np.searchsorted(pool.grades, grades)]
    chance = np.prod(np.where(np.isnan(known), chances, grades == known), axis=1)
    return float((chance * values(pool, query, grades, measure)).sum())


@settings(deadline=None, max_examples=examples(30))
@given(pool=pools(), measure=st.sampled_from(["DCG@3", "ERR"]), data=st.data())
def test_rows_may_repeat_a_query(pool: Pool, measure: str, data: st.DataObject) -> None:
    """A block's rows have labels of their own: a query that is there twice has two sets of slopes."""
    target = Target.of(measure, pool)
    query = data.draw(st.integers(0, len(pool.queries) - 1))
    block = QueryBlock(WorthTable(pool=pool, target=target), np.array([query, query]))
    known = data.draw(st.lists(st.sampled_from(list(pool.grades)), min_size=2, max_size=2))
    worth = np.where(block.there, target.worths(np.array(known))[:, np.newaxis], 0.0)
    found = block.slopes(worth, np.arange(2))
    for row, grade in enumerate(known):
        alone = slopes(pool, target, np.full(len(pool.documents), grade)).slope
        assert found[row] == pytest.approx(alone[block.documents[row]], abs=1e-9)


def _long(beliefs: list[float], *, documents: int = 1500, rankers: int = 1) -> Pool:
    """One query with long lists, the second the first turned round, and the same beliefs about every document."""
    order = np.arange(float(documents))
    scores = {"score_1": -order, "score_2": order}
    frame = pl.DataFrame(
        {
            "query": ["q"] * documents,
            "document": [f"d{i}" for i in range(documents)],
            **{name: scores[name] for name in list(scores)[:rankers]},
        }
    )
    return Pool.of(frame, grades=np.arange(len(beliefs)), beliefs=np.tile(beliefs, (documents, 1)))


@pytest.mark.parametrize("rankers", [1, 2])
@pytest.mark.parametrize("beliefs", [[0, 0, 1], [1, 0, 0], [0.01, 0.01, 0.98], [1e-300, 0, 1], [0.3, 0.3, 0.4]])
@pytest.mark.parametrize("measure", ["ERR(max_grade=2)", "DCG", "PFound", "RR(rel=2)", "Success@1500", "RBP"])
def test_long_certain_and_perfect_lists_give_numbers(measure: str, beliefs: list[float], rankers: int) -> None:
    """1,500 documents, certain grades and perfect lists give finite moments, without a warning."""
    pool = _long(beliefs, rankers=rankers)
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        found = moments(pool, Target.of(measure, pool))
        moved = slopes(pool, Target.of(measure, pool))
    assert np.isfinite(found.mean).all()
    assert np.isfinite(moved.slope).all()
    assert ((found.variance >= 0) & (found.variance < np.inf)).all()
    if sorted(beliefs) == [0, 0, 1]:
        assert found.variance[0] == 0  # certain grades leave nothing open


def test_a_list_that_stops_everyone_at_once() -> None:
    """A first document that stops every user settles RR, whatever stands below: mean 1, variance 0."""
    pool = _long([0, 1], documents=300)
    found = moments(pool, Target.of("RR", pool))
    assert (found.mean[0], found.variance[0]) == (1.0, 0.0)


def test_equal_lists_differ_by_nothing() -> None:
    """Two rankers with the same order have a difference of exactly 0, without a trace of rounding."""
    frame = pl.DataFrame({"query": ["q"] * 9, "document": list("abcdefghi"), "score_1": [*range(9)]})
    pool = Pool.of(frame.with_columns(pl.col("score_1").alias("score_2")), grades=(0, 1, 2))
    for measure in ("ERR", "DCG", "PFound"):
        found = moments(pool, Target.of(measure, pool))
        assert (found.mean[0], found.variance[0]) == (0.0, 0.0)


def test_sampled_moments_agree_with_the_closed_form() -> None:
    """Drawn label vectors give the closed form's mean and variance within their own error, from the seed alone."""
    generator = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "query": np.repeat(["a", "b", "c"], [4, 9, 2]),
            "document": [f"d{i}" for i in range(15)],
            "score_1": generator.random(15),
            "score_2": generator.random(15),
        }
    )
    pool = Pool.of(frame, grades=(0, 1, 2), beliefs=generator.dirichlet([1, 1, 1], 15))
    exact = moments(pool, Target.of("ERR(max_grade=2)", pool))
    drawn = moments(pool, _sampled("ERR(max_grade=2)", pool), samples=40_000, rng=5)
    assert np.abs(drawn.mean - exact.mean) == pytest.approx(0, abs=5 * np.sqrt(exact.variance.max() / 40_000))
    assert drawn.variance == pytest.approx(exact.variance, rel=0.05)
    again = moments(pool, _sampled("ERR(max_grade=2)", pool), samples=40_000, rng=5)
    assert np.array_equal(again.mean, drawn.mean)


def _sampled(measure: str, pool: Pool) -> Target:
    """The same target as if it had no closed form."""
    target = Target.of(measure, pool)
    return Target(measure=target.measure, dialect=target.dialect, shape=Shape.OTHER, worth=np.zeros(0), form=None)


@settings(deadline=None, max_examples=examples(15))
@given(pool=pools(most=4, scale=3), measure=st.sampled_from(["nDCG@3", "AP", "nERR(max_grade=3)", "R@2"]))
def test_any_measure_has_sampled_moments(pool: Pool, measure: str) -> None:
    """A measure without a closed form is sampled: its mean is within five standard errors of the enumerated one."""
    target = Target.of(measure, pool)
    found = moments(pool, target, samples=2000)
    for query in range(len(pool.queries)):
        mean, variance = enumerated(pool, query, measure)
        assert abs(found.mean[query] - mean) <= 6 * np.sqrt(variance / 2000) + 1e-3
        assert abs(found.variance[query] - variance) <= 0.05


def test_other_measures_have_no_slopes_and_one_sample_no_variance() -> None:
    """What makes no sense is refused by name."""
    pool = _long([0.5, 0.5], documents=3)
    with pytest.raises(ParameterError, match="linear or a cascade"):
        slopes(pool, Target.of("nDCG", pool))
    with pytest.raises(ParameterError, match="samples"):
        moments(pool, Target.of("nDCG", pool), samples=1)


def test_the_benchmark_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On tiny pools the benchmark prints what q* takes, what it was to take, and how time grows."""
    tiny = benchmark.Case(measure=benchmark.ERR, rankers=2, queries=500, documents=4)
    monkeypatch.setattr(benchmark, "MSLR", {tiny: 60.0})
    monkeypatch.setattr(benchmark, "GROWTH", {"grades": (tiny, "grades", (2, 4))})
    monkeypatch.setattr(benchmark, "_child", lambda case, repeat: (benchmark._run(case, repeat), Cost(**NOTHING)))
    assert benchmark.main(["--quick", "--repeat=1"]) == 0
    page = capsys.readouterr().out
    assert "5 × 4 × 5 | ΔERR" in page
    assert "under 60 s: met; under 2 GB: met" in page
    assert "| grades | ΔDCG | 2, 4 |" in page


@given(sizes=st.lists(st.integers(0, 40), min_size=1, max_size=60), cells=st.integers(1, 200))
def test_batches_hold_each_query_once(sizes: list[int], cells: int) -> None:
    """Every query with documents is in one batch, and padding at most doubles a batch of long lists."""
    counts = np.array(sizes)
    found = list(batches(counts, cells))
    assert sorted(np.concatenate([*found, np.zeros(0, dtype=int)])) == list(np.flatnonzero(counts))
    for rows in found:
        assert len(rows) == 1 or len(rows) * counts[rows].max() <= cells
        assert counts[rows].max() <= 2 * max(counts[rows].min(), 8)
