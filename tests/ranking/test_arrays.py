"""Arrays of grades and scores give the values that tables of the same lists give."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import rankgauge as rg
from rankgauge.arrays import score_arrays
from rankgauge.errors import InputError, ParameterError
from rankgauge.measures import MEASURES, TieRule
from rankgauge.policies import Ties
from rankgauge.ranking import Ranking
from rankgauge.ranking.arrays import rank_arrays

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
        st.sampled_from([-1.5, 0.0, -0.0, 0.25, 3.0, CELL]),
    )
    strict = st.floats(-100, 100, width=32)
    return st.tuples(
        arrays.arrays(float, (rows, columns), elements=grade),
        arrays.arrays(float, (rows, columns), elements=st.one_of(score, strict)),
    )


@settings(max_examples=150, deadline=None)
@given(
    pair=st.integers(1, 9).flatmap(lambda columns: lists(4, columns)),
    measure=st.sampled_from(["nDCG@3", "nDCG", "AP", "AP@2", "P@5", "RR@4", "ERR@3", "R@2", "nDCG(dcg='exp-log2')@1"]),
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
    values = score_arrays(grades, scores, measure, ties=ties, negative=negative)
    expected = by_tables(grades, scores, measure, ties=ties, negative=negative)
    np.testing.assert_allclose(values[judged], expected[judged], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", [kind for kind in MEASURES.values() if kind.facts.ties is not TieRule.SAMPLED])
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
