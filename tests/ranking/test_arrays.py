"""Arrays of grades and scores give the values that tables of the same lists give."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import rankgauge as rg
from rankgauge.errors import InputError, ParameterError
from rankgauge.evaluation.arrays import ArrayMean, score_arrays
from rankgauge.measures import MEASURES, TieRule
from rankgauge.policies import JudgmentKind, Ties
from rankgauge.ranking import Ranking
from rankgauge.ranking.arrays import rank_arrays
from tests.examples import examples

CELL = float("nan")


def by_tables(grades: np.ndarray, scores: np.ndarray, measure: str, **choices: object) -> np.ndarray:
    """The values of the rows by way of tables: a document for each column, a query for each row with a grade."""
    row, column = np.nonzero(~np.isnan(grades) | ~np.isnan(scores))
    cells = pl.DataFrame(
        {
            "query": [f"{n:03d}" for n in row.tolist()],
            "document": [f"d{n:03d}" for n in column.tolist()],
            "grade": grades[row, column],
            "score": scores[row, column],
        }
    )
    judgments = cells.select("query", "document", "grade").filter(pl.col("grade").is_not_nan())
    run = cells.select("query", "document", "score").filter(pl.col("score").is_not_nan())
    result = rg.evaluate(judgments, run, [measure], **choices)
    values = np.full(len(grades), np.nan)
    values[[int(query) for query in result.queries]] = result.matrix[:, 0]
    return values


def lists(rows: int, columns: int) -> st.SearchStrategy[tuple[np.ndarray, np.ndarray]]:
    """Grades and scores; few distinct scores, so that most rows have ties, and NaN in both."""
    grade, score = (
        st.sampled_from([0.0, 1.0, 2.0, 3.0, -1.0, CELL]),
        st.sampled_from([-1.5, 0.0, -0.0, 0.25, 3.0, np.nextafter(3.0, 4.0), CELL]),
    )
    strict = st.floats(-100, 100, width=32)
    return st.tuples(
        arrays.arrays(float, (rows, columns), elements=grade),
        arrays.arrays(float, (rows, columns), elements=st.one_of(score, strict)),
    )


MEASURED = ["nDCG@3", "nDCG", "DCG@4", "AP", "AP@2", "P@5", "RR@4", "ERR@3", "R@2", "nDCG(dcg='exp-log2')@1"]


@settings(max_examples=examples(150), deadline=None)
@given(
    pair=st.integers(1, 9).flatmap(lambda columns: lists(4 if columns > 1 else 1, columns)),
    measure=st.sampled_from(MEASURED),
    ties=st.sampled_from(["expected", "input", "best", "worst"]),
    negative=st.sampled_from(["zero", "unjudged"]),
)
def test_arrays_give_what_tables_give(
    pair: tuple[np.ndarray, np.ndarray], measure: str, ties: str, negative: str
) -> None:
    """Ties, missing grades, missing scores and cutoffs: a row's value is that of the same list in tables."""
    grades, scores = pair
    judged = ~np.isnan(grades).all(axis=1)
    assume((judged & ~np.isnan(scores).all(axis=1)).any())  # a run without a judged query is refused
    values = score_arrays(grades, scores, measure, unscored=True, ties=ties, negative=negative)
    expected = by_tables(grades, scores, measure, ties=ties, negative=negative)
    np.testing.assert_allclose(values[judged], expected[judged], rtol=1e-12, atol=1e-12)


EXACT = [kind for kind in MEASURES.values() if kind.facts.ties is not TieRule.SAMPLED]


@pytest.mark.parametrize("kind", [kind for kind in EXACT if kind.facts.judgments is JudgmentKind.GRADES])
def test_every_measure_takes_arrays(kind: type) -> None:
    """The shortcut for cutoffs is good for every measure: none looks past its cutoff unnoticed."""
    measure = kind.facts.examples[0].measure
    rng = np.random.default_rng(5)
    grades = rng.integers(0, 4, (30, 20)).astype(float)
    grades[rng.random(grades.shape) < 0.1] = np.nan
    scores = rng.standard_normal((30, 20))
    scores[:10] = scores[:10].round(1)
    np.testing.assert_allclose(
        score_arrays(grades, scores, measure), by_tables(grades, scores, measure), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("choices", [{"depth": 3}, {"unjudged": "skip"}, {"single_precision": True}])
def test_policies_on_whole_lists_hold_for_arrays(choices: dict[str, object]) -> None:
    """Depth, skipped unjudged documents and single precision act on arrays as they act on tables."""
    rng = np.random.default_rng(6)
    grades = np.where(rng.random((20, 8)) < 0.3, np.nan, rng.integers(0, 3, (20, 8)))
    scores = 1.0 + rng.integers(0, 40, (20, 8)) * 2.0**-26
    for measure in ("nDCG@5", "AP"):
        values = score_arrays(grades, scores, measure, **choices)
        np.testing.assert_allclose(values, by_tables(grades, scores, measure, **choices), rtol=1e-12)


def test_values_stand_in_the_order_of_the_rows() -> None:
    """A worked example: the second row's list is ideal, the first has its one relevant document last."""
    values = score_arrays([[0, 0, 1], [2, 1, CELL]], [[3, 2, 1], [0.5, 0.1, CELL]], "nDCG")
    assert values.tolist() == pytest.approx([(1 / np.log2(4)) / (1 / np.log2(2)), 1.0])


@pytest.mark.parametrize("form", ["group", "qid", "qid in disorder"])
def test_flat_lists_give_what_rows_give(form: str) -> None:
    """Sizes of lists, or the query of each document, stand for rows of different lengths."""
    rng = np.random.default_rng(7)
    sizes = rng.integers(1, 60, 40)
    grades, scores = rng.integers(0, 5, sizes.sum()).astype(float), rng.integers(0, 30, sizes.sum()).astype(float)
    mask = np.arange(60) < sizes[:, np.newaxis]
    rows = [np.full(mask.shape, np.nan) for _ in range(2)]
    for padded, flat in zip(rows, (grades, scores), strict=True):
        padded[mask] = flat
    qid = np.repeat(np.arange(40)[::-1] + 100, sizes)
    expected = score_arrays(*rows, "nDCG@5")
    if form == "group":
        values = score_arrays(grades, scores, "nDCG@5", group=sizes)
    elif form == "qid":
        values = score_arrays(grades, scores, "nDCG@5", qid=qid)
    else:
        order = np.argsort(np.arange(len(qid)) % 7, kind="stable")
        values = score_arrays(grades[order], scores[order], "nDCG@5", qid=qid[order])
        _, first = np.unique(qid[order], return_index=True)
        expected = expected[[139 - query for query in qid[order][np.sort(first)]]]
    np.testing.assert_allclose(values, expected, rtol=1e-12)


@pytest.mark.parametrize("ties", ["expected", "input", "best", "worst", "selection"])
@pytest.mark.parametrize(
    ("rows", "columns", "distinct"), [(1, 7, 3), (300, 100, 60), (40, 700, 150), (3, 5_000, 4_000)]
)
def test_lists_of_every_length_have_the_values_of_tables(ties: str, rows: int, columns: int, distinct: int) -> None:
    """One list and many, short and long, most of them with ties that reach the cutoff."""
    rng = np.random.default_rng(9)
    grades = rng.choice(5, (rows, columns), p=[0.5, 0.2, 0.15, 0.1, 0.05]).astype(float)
    scores = rng.integers(0, distinct, (rows, columns)) / 7
    for measure in ("nDCG@10", "nDCG"):
        expected = by_tables(grades, scores, measure, ties=ties)
        np.testing.assert_allclose(score_arrays(grades, scores, measure, ties=ties), expected, rtol=1e-12)


def test_single_precision_is_kept_apart_from_double() -> None:
    """Scores that only double precision tells apart are no ties; those of 32 bits, and as the dialect has it, are."""
    rng = np.random.default_rng(10)
    grades = rng.integers(0, 5, (50, 30)).astype(float)
    scores = 1.0 + rng.permuted(np.tile(np.arange(30.0), (50, 1)), axis=1) * 2.0**-40
    apart = by_tables(grades, scores, "nDCG@10")
    np.testing.assert_allclose(score_arrays(grades, scores, "nDCG@10"), apart, rtol=1e-12)
    tied = by_tables(grades, np.ones_like(scores), "nDCG@10")
    np.testing.assert_allclose(score_arrays(grades, scores.astype(np.float32), "nDCG@10"), tied, rtol=1e-12)
    np.testing.assert_allclose(score_arrays(grades, scores, "nDCG@10", single_precision=True), tied, rtol=1e-12)
    assert np.abs(apart - tied).max() > 0.1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_without_bounds_are_ranked_like_any(dtype: type) -> None:
    """Infinite and very large scores are in their places, of opposite signs; NaN is no document of the list."""
    rng = np.random.default_rng(11)
    grades = rng.integers(0, 4, (200, 12)).astype(float)
    ranked = rng.integers(-5, 6, grades.shape).astype(float)
    scores = ranked.astype(dtype)
    huge = 3e38 if dtype is np.float32 else 1e300
    for plain, extreme in ((5, np.inf), (-5, -np.inf), (4, huge), (-4, -huge)):
        scores[ranked == plain] = extreme
    ranked[::3, 4] = scores[::3, 4] = np.nan
    np.testing.assert_allclose(
        score_arrays(grades, scores, "nDCG@5", unscored=True),
        by_tables(grades, ranked, "nDCG@5"),
        rtol=1e-12,
        atol=1e-15,
    )


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32, bool])
def test_grades_of_any_type_and_size(kind: type) -> None:
    """Whole grades of every type, fractions and grades above 14: the values are those of tables."""
    rng = np.random.default_rng(12)
    grades = rng.integers(0, 2 if kind is bool else 5, (20, 15))
    scores = rng.standard_normal((20, 15))
    expected = by_tables(grades.astype(float), scores, "nDCG@5")
    np.testing.assert_allclose(score_arrays(grades.astype(kind), scores, "nDCG@5"), expected, rtol=1e-12)
    for odd in (grades + 0.5 * (grades == 2), grades * 9.0):
        np.testing.assert_allclose(score_arrays(odd, scores, "nDCG@5"), by_tables(odd, scores, "nDCG@5"), rtol=1e-12)


def test_a_list_has_the_same_value_alone_and_among_others() -> None:
    """To the last bit, whatever the number of lists."""
    rng = np.random.default_rng(13)
    grades, scores = rng.integers(0, 5, (900, 100)).astype(float), rng.standard_normal((900, 100))
    together = score_arrays(grades, scores, "nDCG@10")
    for n in (1, 2, 3, 17):
        assert score_arrays(grades[:n], scores[:n], "nDCG@10").tolist() == together[:n].tolist()


def test_a_mean_knows_data_again_by_its_content() -> None:
    """Data that is kept between calls is not taken for other data: grades that change, other lists, more data sets."""
    rng = np.random.default_rng(14)
    mean, sizes = ArrayMean("nDCG@5", "standard"), rng.integers(1, 30, 50)
    sets = [rng.integers(0, 5, sizes.sum()).astype(np.float32) for _ in range(6)]
    for round_ in range(3):
        for grades in sets:
            scores = rng.integers(0, 9, sizes.sum()).astype(float)
            expected = score_arrays(grades, scores, "nDCG@5", group=sizes).mean()
            assert mean(grades, scores, group=sizes) == pytest.approx(expected, abs=1e-12)
            backwards = score_arrays(grades, scores, "nDCG@5", group=sizes[::-1]).mean()
            assert mean(grades, scores, group=sizes[::-1]) == pytest.approx(backwards, abs=1e-12)
            grades[:] = rng.permutation(grades)  # in place
        assert round_ or not np.allclose(expected, backwards)
    with pytest.raises(InputError, match="add up"):
        mean(sets[0], scores[:-1], group=sizes)


def test_blocks_cover_every_row_once() -> None:
    """More rows than a block holds, some of them tied: each is in one block."""
    rng = np.random.default_rng(8)
    scores = rng.standard_normal((9_000, 6))
    scores[::7, 2] = scores[::7, 4]
    blocks = list(rank_arrays(np.ones_like(scores), scores, Ranking(), cutoff=6))
    assert len(blocks) > 3
    assert sorted(np.concatenate([block.index for block in blocks]).tolist()) == list(range(9_000))


def test_a_query_without_relevant_documents_is_left_out_where_the_dialect_says_so() -> None:
    """`empty` decides what an undefined value becomes: 0, another number, or nothing."""
    grades, scores = [[0.0, 0.0], [1.0, 0.0]], [[1.0, 2.0], [1.0, 2.0]]
    one = 1 / np.log2(3)
    assert score_arrays(grades, scores, "nDCG").tolist() == pytest.approx([0.0, one])
    assert score_arrays(grades, scores, "nDCG", empty=1.0).tolist() == pytest.approx([1.0, one])
    assert np.isnan(score_arrays(grades, scores, "nDCG", empty="leave-out")).tolist() == [True, False]


def test_what_does_not_fit_is_refused() -> None:
    """Shapes that differ, sizes that do not add up, ties by ids that are not there, and negative grades: an error."""
    with pytest.raises(InputError, match="same shape"):
        score_arrays([[1, 2]], [[1, 2, 3]], "nDCG")
    with pytest.raises(InputError, match="add up"):
        score_arrays([1, 2, 3], [1, 2, 3], "nDCG", group=[1, 1])
    with pytest.raises(ParameterError, match="no ids"):
        score_arrays([[1, 2]], [[1, 2]], "nDCG", ties=Ties.DOCID)
    with pytest.raises(InputError, match="row 0, column 1"):
        score_arrays([[1, -2]], [[1, 2]], "nDCG", negative="refuse")


@pytest.mark.parametrize("dialect", ["standard", "lightgbm", "catboost", "xgboost", "yahoo"])
def test_scores_that_are_no_numbers_are_refused(dialect: str) -> None:
    """A model that diverged has no value: it had a perfect one where a dialect gives 1 to empty lists."""
    for scores in ([CELL, CELL, CELL], [1.0, CELL, 2.0]):
        with pytest.raises(InputError, match=r"of 3 scores are NaN"):
            score_arrays([2, 1, 0], scores, "nDCG@5", group=[3], dialect=dialect)
        with pytest.raises(InputError, match=r"of 3 scores are NaN"):
            score_arrays([[2, 1, 0]], [scores], "nDCG@5", dialect=dialect)
        with pytest.raises(InputError, match=r"of 3 scores are NaN"):
            ArrayMean("nDCG@5", dialect)([2, 1, 0], scores, qid=[1, 1, 1])


@pytest.mark.filterwarnings("error")
def test_grades_too_large_for_their_gain_are_refused() -> None:
    """2^1200 is no number, and infinite grades are none."""
    for dialect in ("papers", "lightgbm", "yahoo", "ranklib"):
        with pytest.raises(InputError, match=r"a grade of 1200 is too large for the gain 2\^g - 1"):
            score_arrays([[1200, 3]], [[1, 2]], "nDCG@10", dialect=dialect)
        for infinite in (np.inf, -np.inf):
            with pytest.raises(InputError, match="infinite"):
                score_arrays([[infinite, 3]], [[1, 2]], "nDCG@10", dialect=dialect)
    with pytest.raises(InputError, match="a grade of 1200"):
        rg.evaluate([("q", "a", 1200), ("q", "b", 3)], {"q": {"a": 1, "b": 2}}, "nDCG@10", dialect="papers")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("grades", "lists", "words"),
    [
        ([1, 0, 2], {"group": [4, -1]}, "group has -1"),
        ([1, 0, 2], {"group": [1.5, 1.5]}, "group has 1.5"),
        ([1, 0, 2], {"group": ["a"]}, "group of type"),
        ([1, 0, 2], {"group": [[3]]}, "shape"),
        ([1, 0, 2], {"group": [3], "qid": [1, 1, 1]}, "both group and qid"),
        ([1, 0, 2], {"qid": [1, CELL, 1]}, "qid has NaN"),
        ([1, 0, 2], {"qid": [["a", "a", "a"]]}, "qid of shape"),
        ([1, 0, 2], {"qid": ["a", "a"]}, "3 grades, 3 scores"),
        ([1, 0, 2], {"qid": ["a", None, 1]}, "qid mixes"),
        (["x", 0, 2], {"group": [3]}, "have to be numbers"),
        ([[1, 2], [1]], {}, "different lengths"),
        (np.ma.array([1, 0, 2], mask=[True, False, False]), {"group": [3]}, "masked"),
        ([1, 0, 2], {}, "qid=the query"),
    ],
)
def test_lists_that_are_none_are_refused(grades: object, lists: dict[str, object], words: str) -> None:
    """Sizes, queries and shapes that make no lists: an error that says what is wrong."""
    with pytest.raises(InputError) as refused:
        score_arrays(grades, [0.1, 0.2, 0.3], "nDCG", **lists)  # type: ignore[arg-type]
    assert words in str(refused.value)
