"""What rankers optimise is what `score_arrays` gives, for every dialect."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge import dialects, score_arrays
from rankgauge.errors import InputError
from rankgauge.policies import Ties
from rankgauge.training import Documents, Objective
from rankgauge.training.objective import Discounted
from rankgauge.training.rankers.coordinate_ascent import STEPS, LineSearch, SortedSearch, line_search
from tests.examples import examples

MEASURES = ("nDCG@10", "nDCG@3", "nDCG", "DCG@2", "P@2", "RBP", "CG@3", "AP", "ERR@10", "RR")
NUMBERS = st.sampled_from([-1.5, -1.0, 0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 1e-9])


@st.composite
def collections(draw: st.DrawFn, least: int = 2) -> tuple[Documents, np.ndarray]:
    """Some short lists with grades of 0 to 2, and scores among which there are ties."""
    sizes = draw(st.lists(st.integers(least, 6), min_size=1, max_size=4))
    n = sum(sizes)
    grades = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    scores = draw(st.lists(NUMBERS, min_size=n, max_size=n))
    documents = Documents.of(np.zeros((n, 1)), grades, np.repeat(np.arange(len(sizes)), sizes))
    return documents, np.array(scores)


def spoken(name: str) -> dialects.Dialect:
    """The dialect; documents in arrays have no ids, so ties are averaged where they would decide."""
    found = dialects.get(name)
    return found.changed(ties="expected") if found.ties in (Ties.DOCID, Ties.ASCENDING) else found


@pytest.mark.parametrize("dialect", dialects.DIALECTS)
@settings(max_examples=examples(8), deadline=None)
@given(collection=collections(), measure=st.sampled_from(MEASURES))
def test_values_under_a_dialect(dialect: str, collection: tuple[Documents, np.ndarray], measure: str) -> None:
    """The value of each query is that of `score_arrays` under the dialect, for one ranking and for many."""
    documents, scores = collection
    objective = Objective.of(documents, measure, dialect)
    how = {"group": documents.sizes, "dialect": spoken(dialect)}
    expected = score_arrays(documents.grades, scores, measure, **how)
    np.testing.assert_allclose(objective.values(scores), expected, rtol=0, atol=1e-12)
    averaged = score_arrays(documents.grades, scores, measure, ties="expected", **how)
    np.testing.assert_allclose(
        objective.table(scores[:, np.newaxis], Ties.EXPECTED), averaged[np.newaxis], rtol=0, atol=1e-12
    )


@settings(max_examples=examples(80), deadline=None)
@given(
    collection=collections(least=1),
    measure=st.sampled_from(MEASURES[:7]),
    short=st.sampled_from(["cut", "zero"]),
    empty=st.sampled_from([0.0, 1.0, 0.5, "leave-out"]),
    ties=st.sampled_from(["input", "expected", "best", "worst"]),
)
def test_values_under_changed_rules(
    collection: tuple[Documents, np.ndarray], measure: str, short: str, empty: float | str, ties: str
) -> None:
    """Rules for short and empty queries and for ties count as they do in `score_arrays`, in any combination."""
    documents, scores = collection
    dialect = dialects.get("ranklib").changed(short=short, empty=empty, ties=ties, single_precision=False)
    expected = score_arrays(documents.grades, scores, measure, group=documents.sizes, dialect=dialect)
    objective = Objective.of(documents, measure, dialect)
    np.testing.assert_allclose(objective.values(scores), expected, rtol=0, atol=1e-12)
    counted = expected[~np.isnan(expected)]
    np.testing.assert_allclose(objective.mean(scores), counted.mean() if len(counted) else np.nan, rtol=0, atol=1e-12)
    fixed = ~objective.live
    np.testing.assert_array_equal(objective.values(-scores)[fixed], objective.values(scores)[fixed])


def test_ways() -> None:
    """Sums of gains by rank are sorted and added; other measures, and lists that are cut, take the general way."""
    documents = Documents.of(np.zeros((3, 1)), [0, 1, 2], [7, 7, 7])
    assert isinstance(Objective.of(documents, "nDCG@10", "letor4"), Discounted)
    assert isinstance(Objective.of(documents, "P@5"), Discounted)
    assert type(Objective.of(documents, "AP")) is Objective
    assert type(Objective.of(documents, "nDCG", dialects.get("standard").changed(depth=2))) is Objective


def test_scores_that_are_no_numbers() -> None:
    """A document whose score is NaN is not retrieved; infinite scores order as numbers do."""
    documents = Documents.of(np.zeros((3, 1)), [1, 0, 2], [1, 1, 1])
    objective = Objective.of(documents, "DCG(gain='linear')@3")
    assert objective.values(np.array([np.nan, 1.0, 0.0])) == pytest.approx([2 / np.log2(3)])
    assert objective.values(np.array([-np.inf, 1.0, 0.0])) == pytest.approx([2 / np.log2(3) + 1 / np.log2(4)])
    assert objective.table(np.array([[np.nan], [1.0], [0.0]]), Ties.EXPECTED) == pytest.approx(
        np.array([[2 / np.log2(3)]])
    )


def test_refusals() -> None:
    """What a dialect refuses, an objective under it refuses."""
    documents = Documents.of(np.zeros((2, 1)), [0.5, 1.0], [1, 1])
    with pytest.raises(InputError, match="does not accept the grade"):
        Objective.of(documents, "nDCG@10", "yahoo").values(np.zeros(2))


@settings(max_examples=examples(100), deadline=None)
@given(
    collection=collections(),
    measure=st.sampled_from([*MEASURES, "AP@3", "R@2", "Success@2", "nERR@3", "PFound"]),
    ties=st.sampled_from(["input", "expected", "best", "worst"]),
    seed=st.integers(0, 1000),
)
def test_line_search(collection: tuple[Documents, np.ndarray], measure: str, ties: str, seed: int) -> None:
    """Sorted lists find the value after each step that an evaluation of each step finds.

    Among the documents are some with the same features, and so with the same score: these stay tied.
    """
    documents, _ = collection
    n = len(documents.grades)
    rng = np.random.default_rng(seed)
    columns = np.where(rng.random((2, n)) < 0.3, 0.0, rng.normal(size=(2, n)))
    scores = rng.normal(size=n)
    copied, of = rng.random(n) < 0.4, rng.integers(0, n, size=n)
    columns[:, copied], scores[copied] = columns[:, of[copied]], scores[of[copied]]
    objective = Objective.of(documents, measure, dialects.get("standard").changed(ties=ties))
    quick, plain = line_search(objective, columns), LineSearch(objective, columns)
    assert isinstance(quick, SortedSearch)
    quick.start(scores)
    plain.start(scores)
    counted = max((~np.isnan(objective.values(scores))).sum(), 1)
    for feature in range(2):
        # Queries that no order can change add a constant.
        apart = np.nan_to_num(plain.along(feature)) - quick.along(feature) / counted
        assert np.ptp(apart) < 1e-9


def test_searches() -> None:
    """Measures that state their form are sorted; where lists are cut, or for any other measure, steps are evaluated."""
    documents = Documents.of(np.zeros((3, 1)), [0, 1, 2], [7, 7, 7])
    columns = np.array([[0.0, 1.0, 2.0]])
    cut = dialects.get("standard").changed(depth=2)
    for measure, dialect, kind in (
        ("nDCG@10", "letor4", SortedSearch),
        ("AP", "trec_eval", SortedSearch),
        ("AP", cut, LineSearch),
        ("Rprec", "standard", LineSearch),
    ):
        assert type(line_search(Objective.of(documents, measure, dialect), columns)) is kind


def test_ties_are_no_aim() -> None:
    """A step after which documents are tied by chance is not taken for the order of the input, which is the best."""
    documents = Documents.of(np.array([[0.0], [1.0], [2.0]]), [2, 0, 0], [1, 1, 1])
    objective = Objective.of(documents, "nDCG", dialects.get("standard").changed(ties="input"))
    search = line_search(objective, documents.matrix.T.copy())
    search.start(documents.matrix[:, 0])
    assert search.best(0) == -1.5  # −1 would leave no weight at all


def test_lists_of_many_lengths() -> None:
    """Lists of 1 to 60 documents go into blocks by their lengths; each has the value that an evaluation finds."""
    rng = np.random.default_rng(0)
    sizes = rng.permutation(np.arange(1, 61))
    qid, n = np.repeat(np.arange(60), sizes), int(sizes.sum())
    documents = Documents.of(rng.normal(size=(n, 2)), rng.integers(0, 3, size=n), qid)
    for measure in ("nDCG@10", "AP", "ERR", "GMAP"):
        objective = Objective.of(documents, measure)
        objective = objective.of_queries(objective.live)
        columns = np.ascontiguousarray(objective.documents.matrix.T)
        quick, plain = SortedSearch(objective, columns), LineSearch(objective, columns)
        for search in (quick, plain):
            search.start(columns[0])
        lists = 1 if measure == "GMAP" else objective.live.sum()
        np.testing.assert_allclose(quick.along(1) / lists, plain.along(1), rtol=0, atol=1e-12)
        assert quick.best(1) == plain.best(1) != 0.0


def test_steps() -> None:
    """Steps rise by half of a doubling, from the shortest on, and go both ways."""
    sizes = STEPS[STEPS > 0]
    np.testing.assert_array_equal(sizes[:5] * 512, [1.0, 1.5, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(STEPS, np.concatenate([-sizes[::-1], sizes]))


def test_best_step() -> None:
    """The step taken is the shortest of those that raise the value most, and none is taken where none does."""
    documents = Documents.of(np.zeros((2, 1)), [0, 1], [1, 1])
    for kind in (SortedSearch, LineSearch):
        search = kind(Objective.of(documents, "nDCG"), np.array([[0.0, 1.0], [0.0, -1.0]]))
        search.start(np.array([5 / 512, 0.0]))
        assert search.best(0) == 6 / 512  # 4/512 leaves the bad document above
        assert search.value == 1.0
        assert search.best(1) == 0.0
