"""Beliefs: uniform ones, those of models, and mixtures."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling.beliefs import belief_column, mixture, predict, scale_of, uniform
from rankgauge.labelling.pool import Pool

ROWS = pl.DataFrame({"query": ["b", "a", "b"], "document": ["x", "y", "z"], "score": [1.0, 2.0, 3.0]})


class Model:
    """A relevance model that believes what it is told."""

    def __init__(self, classes: list[float], beliefs: list[float]) -> None:
        self.classes_, self.beliefs = np.array(classes), beliefs

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return np.tile(self.beliefs, (len(X), 1))


def test_uniform_beliefs_know_nothing() -> None:
    """Every grade of the scale is as likely: 1/3 of three."""
    assert np.array_equal(uniform(2, (0, 1, 2)), [[1 / 3] * 3] * 2)
    assert np.array_equal(Pool.of(ROWS, grades=(0, 1)).beliefs, [[1 / 2] * 2] * 3)


def test_a_model_speaks_for_the_grades_it_saw() -> None:
    """A grade of the scale that the model never saw has a belief of 0."""
    found = predict(Model([0, 2], [0.25, 0.75]), np.zeros((2, 5)), (0, 1, 2))
    assert np.array_equal(found, [[0.25, 0, 0.75]] * 2)


def test_a_model_must_keep_to_the_scale() -> None:
    """A model that knows a grade outside the scale is refused."""
    with pytest.raises(InputError, match="a grade of 3"):
        predict(Model([0, 3], [0.5, 0.5]), np.zeros((1, 1)), (0, 1, 2))


def test_a_mixture_is_the_mean() -> None:
    """Two models' beliefs count the same, unless shares weigh them."""
    one, other = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    assert np.array_equal(mixture(one, other), [[0.5, 0.5]])
    assert np.array_equal(mixture(one, other, shares=(3, 1)), [[0.75, 0.25]])
    assert np.array_equal(scale_of([Model([0, 2], []), Model([0, 1], [])]), [0, 1, 2])


def test_mixtures_of_nothing_are_refused() -> None:
    """Beliefs of different shapes, and shares that weigh nothing, make no mixture."""
    with pytest.raises(InputError, match="shapes"):
        mixture(np.ones((1, 2)), np.ones((2, 2)))
    with pytest.raises(ParameterError, match="shares"):
        mixture(np.ones((1, 2)), shares=(0,))


def test_columns_say_their_grades() -> None:
    """p_0, p_0.5, p_2 are the beliefs in 0, 0.5 and 2, wherever they stand."""
    frame = ROWS.with_columns(p_2=pl.lit(0.5), p_0=pl.lit(0.3), **{"p_0.5": pl.lit(0.2)})
    pool = Pool.of(frame)
    assert list(pool.grades) == [0, 0.5, 2]
    assert np.array_equal(pool.beliefs[0], [0.3, 0.2, 0.5])
    assert [belief_column(grade) for grade in (0.0, 0.5, 1 / 3)] == ["p_0", "p_0.5", f"p_{1 / 3!r}"]


def test_arrays_follow_the_rows_of_the_table() -> None:
    """Beliefs in an array belong to the table's rows, also where the pool has them in another order."""
    pool = Pool.of(ROWS, grades=(0, 1), beliefs=[[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]])
    assert list(pool.documents) == ["x", "z", "y"]
    assert list(pool.beliefs[:, 0]) == [0.1, 0.3, 0.2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "grades of the scale are not known"),
        ({"grades": (0, 1), "beliefs": [[0.5, 0.5]]}, r"shape \(3, 2\)"),
        ({"beliefs": [[0.5, 0.5]] * 3}, "Name the scale"),
        ({"grades": (0, 1), "beliefs": "none"}, "'uniform' or an array"),
        ({"grades": (0, 1), "beliefs": [[0.5, 0.4]] * 3}, "add up to 1"),
        ({"grades": (0, 1), "beliefs": [[1.5, -0.5]] * 3}, "none below 0"),
        ({"grades": (0, 1), "beliefs": [[np.nan, 1]] * 3}, "document x of query b"),
        ({"grades": (1, 0)}, "ascending grades"),
    ],
)
def test_beliefs_that_are_none_are_refused(options: dict[str, object], words: str) -> None:
    """Beliefs are probabilities of the scale's grades, for every row; an error says which are not."""
    with pytest.raises((InputError, ParameterError), match=words):
        Pool.of(ROWS, **options)


def test_columns_must_be_the_scale() -> None:
    """Columns for other grades than those named are refused."""
    with pytest.raises(InputError, match="a column for each grade"):
        Pool.of(ROWS.with_columns(p_0=pl.lit(1.0)), grades=(0, 1))


def test_single_precision_is_near_enough() -> None:
    """Beliefs of a model in single precision add up to 1 within the tolerance."""
    beliefs = np.random.default_rng(1).dirichlet(np.ones(5), 3).astype(np.float32)
    assert Pool.of(ROWS, grades=range(5), beliefs=beliefs).beliefs.dtype == np.float64


def test_rounded_columns_add_up_again() -> None:
    """A text file with three digits is no reason to refuse beliefs; what is further off is a mistake."""
    rows = {"query": ["q", "q"], "document": ["a", "b"], "score": [2.0, 1.0]}
    pool = Pool.of(pl.DataFrame({**rows, "p_0": [0.333, 0.5], "p_1": [0.333, 0.5], "p_2": [0.333, 0.0]}))
    assert np.allclose(pool.beliefs[0], 1 / 3, rtol=0, atol=1e-15)
    assert pool.beliefs[1].tolist() == [0.5, 0.5, 0.0]
    with pytest.raises(InputError, match=r"0\.4, 0\.4, 0\.1"):
        Pool.of(pl.DataFrame({**rows, "p_0": [0.4, 0.5], "p_1": [0.4, 0.5], "p_2": [0.1, 0.0]}))
