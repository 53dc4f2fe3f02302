"""Targets: what a measure says of its shape is what its own kernel computes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.evaluation.evaluation import evaluate
from rankgauge.labelling.moments import slopes
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target
from rankgauge.measures import MEASURES, parse
from rankgauge.measures.forms import Shape
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import FloatArray
from tests.active.graded import graded_pool
from tests.active.pools import pools
from tests.examples import examples

SHAPES = {
    "DCG@3": Shape.LINEAR,
    "DCG(gain='exp', discount='letor')": Shape.LINEAR,
    "CG": Shape.LINEAR,
    "P@2": Shape.LINEAR,
    "RBP": Shape.LINEAR,
    "ERR@2": Shape.CASCADE,
    "PFound": Shape.CASCADE,
    "RR": Shape.CASCADE,
    "Success@1": Shape.CASCADE,
    "P(padded=False)@3": Shape.OTHER,
    "nDCG@3": Shape.OTHER,
    "nERR": Shape.OTHER,
    "AP": Shape.OTHER,
    "gRBP": Shape.OTHER,
}
EXAMPLES = sorted({example.measure for kind in MEASURES.values() for example in kind.facts.examples})
FORMED = [name for name in EXAMPLES if parse(name).bound(DEFAULTS).form() is not None]


def _tables(pool: Pool, grades: FloatArray) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """The judgments and the runs that the pool stands for, and one query more."""
    ids = pool.to_frame().select("query", "document")
    judgments = ids.with_columns(pl.Series("grade", grades))
    scores = [ids.with_columns(pl.Series("score", -pool.ranks[:, r])) for r in range(pool.rankers)]
    # For rankers that list no document of the pool: a run has to have something in it.
    another = pl.DataFrame({"query": ["another"], "document": ["d"], "score": [0.0]})
    judged = pl.concat([judgments, another.rename({"score": "grade"})])
    return judged, [pl.concat([run.filter(pl.col("score").is_not_nan()), another]) for run in scores]


def _evaluated(pool: Pool, grades: FloatArray, measure: str, dialect: Dialect) -> FloatArray:
    """The value of each query by the evaluation of runs, with the queries in the pool's order."""
    judgments, runs = _tables(pool, grades)
    lists = []
    for run in runs:
        found = evaluate(
            judgments, run, measure, dialect=dialect, missing="zero", query_order="appearance", ties="input"
        )
        assert list(found.queries) == [*pool.queries, "another"]
        lists.append(found.matrix[:-1, 0])
    return lists[0] if len(lists) == 1 else lists[0] - lists[1]


@settings(deadline=None, max_examples=examples(120))
@given(
    pool=pools(),
    measure=st.sampled_from(list(SHAPES)),
    dialect=st.sampled_from(["standard", "trec_eval", "ranklib", "yahoo", "letor4", "sklearn"]),
    data=st.data(),
)
def test_values_equal_evaluation(pool: Pool, measure: str, dialect: str, data: st.DataObject) -> None:
    """The values of a target are those of `evaluate` under the same dialect; of two rankers, their difference."""
    grades = np.array([data.draw(st.sampled_from(list(pool.grades))) for _ in pool.documents])
    # The pool knows the scale even where none of its documents reaches the top.
    spoken = dialects.get(dialect).changed(fewest=1).topped(float(pool.grades.max()))
    found = Target.of(measure, pool, spoken).values(pool, grades)
    assert found == pytest.approx(_evaluated(pool, grades, measure, spoken), abs=1e-12)


@settings(deadline=None, max_examples=examples(150))
@given(
    pool=pools(),
    measure=st.sampled_from(FORMED),
    changes=st.sampled_from([{}, {"short": "zero"}, {"depth": 2}, {"gain": "exp"}, {"negative": "unjudged"}]),
    data=st.data(),
)
def test_worths_and_weights_make_the_value(
    pool: Pool, measure: str, changes: dict[str, object], data: st.DataObject
) -> None:
    """Whatever shape a registered measure declares, its worths and weights alone give the value of its kernel."""
    try:
        target = Target.of(measure, pool, **changes)
    except InputError:
        return  # the example is about another scale: ERR(max_grade=2) refuses a grade of 3
    if target.shape is Shape.OTHER:
        return
    grades = np.array([data.draw(st.sampled_from(list(pool.grades))) for _ in pool.documents])
    assert slopes(pool, target, grades).value == pytest.approx(target.values(pool, grades), abs=1e-12)


def test_shapes_are_the_measures_own_word() -> None:
    """A measure says itself whether it is linear or a cascade; whatever says nothing is neither."""
    pool = Pool.of(pl.DataFrame({"query": ["q"], "document": ["d"], "score": [1.0]}), grades=(0, 1, 2))
    assert {name: Target.of(name, pool).shape for name in SHAPES} == SHAPES


def _two() -> Pool:
    """Two rankers: a, b, c in one list, c, d in the other."""
    frame = pl.DataFrame(
        {
            "query": ["q"] * 4,
            "document": list("abcd"),
            "score_1": [3.0, 2.0, 1.0, None],
            "score_2": [None, None, 9.0, 8.0],
        }
    )
    return Pool.of(frame, grades=(0, 1, 2))


def test_worked_difference() -> None:
    """DCG of grades 2, 0, 1 minus DCG of 1, 1: documents of one list count in that list only."""
    pool = _two()
    target = Target.of("DCG", pool, "standard")
    expected = (2 / np.log2(2) + 1 / np.log2(4)) - (1 / np.log2(2) + 1 / np.log2(3))
    assert target.values(pool, [2, 0, 1, 1]) == pytest.approx([expected])
    assert list(target.worth) == [0, 1, 2]
    assert target.weights(pool)[2] == pytest.approx([1 / np.log2(4), 1 / np.log2(2)])


def test_worked_cascade() -> None:
    """ERR of grades 2, 0, 1 on the scale to 2 is 3/4 + 1/4 · 1/4 / 3."""
    pool = _two()
    target = Target.of("ERR(max_grade=2)", pool)
    first = 3 / 4 + (1 / 4) * (1 / 4) / 3
    second = 1 / 4 + (3 / 4) * (1 / 4) / 2
    assert target.values(pool, [2, 0, 1, 1]) == pytest.approx([first - second])
    assert list(target.worth) == [0, 1 / 4, 3 / 4]


def test_a_value_waits_for_the_grades_it_depends_on() -> None:
    """A missing grade makes the value NaN, unless the document stands past the last rank that counts."""
    pool = _two()
    shallow, whole = Target.of("DCG@1", pool, "standard"), Target.of("nDCG@1", pool)
    assert list(shallow.needed_documents(pool)) == [True, False, True, False]
    assert shallow.values(pool, [2, np.nan, 1, np.nan]) == pytest.approx([2 - 1])
    assert np.isnan(shallow.values(pool, [np.nan, 0, 1, 1])).all()
    assert np.isnan(whole.values(pool, [2, np.nan, 1, 1])).all()  # the ideal order needs them all
    assert (shallow.last(pool), Target.of("RR(ruler='trec')", pool).last(pool)) == (1, 3)


def test_dialects_reach_the_target() -> None:
    """Gain, discount, and lists too short for the cutoff are the dialect's word."""
    pool = _two()
    assert list(Target.of("DCG", pool, "ranklib").worth) == [0, 1, 3]
    zeroed = Target.of("DCG@3", pool, "standard", short="zero")
    assert list(zeroed.weights(pool)[:, 1]) == [0, 0, 0, 0]  # the second list has two documents
    assert zeroed.values(pool, [2, 0, 1, 1]) == pytest.approx([2 / np.log2(2) + 1 / np.log2(4)])


def test_grades_below_zero_are_worth_what_the_dialect_says() -> None:
    """A grade of −1 is worth nothing under `zero` and `unjudged`; a list that drops unjudged documents depends on which
    they are, so that it has no closed form."""
    frame = pl.DataFrame({"query": ["q"] * 2, "document": list("ab"), "score": [2.0, 1.0]})
    pool = Pool.of(frame, grades=(-1, 0, 1))
    assert list(Target.of("DCG", pool).worth) == [0, 0, 1]
    assert list(Target.of("DCG", pool, "trec_eval").worth) == [0, 0, 1]
    assert list(Target.of("DCG", pool, "standard", negative="keep").worth) == [-1, 0, 1]
    dropped = Target.of("DCG(judged_only=True)", pool, "trec_eval")
    assert dropped.shape is Shape.OTHER
    assert list(dropped.values(pool, [-1, 1])) == [1 / np.log2(2)]  # the second document moves up


def test_chances_above_one_are_no_cascade() -> None:
    """Where a dialect's chance to stop is above 1, the closed forms do not hold and labels are sampled."""
    pool = Pool.of(pl.DataFrame({"query": ["q"], "document": ["d"], "score": [1.0]}), grades=(0, 5))
    assert Target.of("ERR(stop='formula', max_grade=4)", pool).shape is Shape.OTHER
    assert Target.of("ERR(stop='formula', max_grade=5)", pool).shape is Shape.CASCADE


@pytest.mark.parametrize(
    ("measure", "choices", "error", "words"),
    [
        ("NumRet", {}, ParameterError, "averaged over queries"),
        ("GMAP", {}, ParameterError, "averaged over queries"),
        ("nDCG", {"empty": "leave-out"}, ParameterError, "every query of the pool counts"),
        ("ERR(max_grade=1)", {}, InputError, "max_grade"),
        ("DGC", {}, UnknownNameError, "DCG"),
    ],
)
def test_nonsense_is_refused(measure: str, choices: dict[str, str], error: type[Exception], words: str) -> None:
    """What has no mean over the pool, or no worth on its scale, is named."""
    with pytest.raises(error, match=words):
        Target.of(measure, _two(), **choices)


def test_no_measure_inherits_its_form() -> None:
    """A subclass that changes its parent's formula says itself what shape it has."""
    formed = {type(parse(name)) for name in FORMED}
    assert [kind.facts.name for kind in formed if "form" not in vars(kind)] == []


@pytest.mark.parametrize(
    ("measure", "dialect", "worth"),
    [
        ("ERR", "papers", [0, 1 / 4, 3 / 4]),  # equation 2 of Sawade et al.
        ("ERR", "standard", [0, 1 / 4, 3 / 4]),
        ("ERR", "ranklib", [0, 1 / 16, 3 / 16]),
        ("ERR(max_grade=3)", "papers", [0, 1 / 8, 3 / 8]),
        ("DCG", "papers", [0, 1, 3]),  # equation 1
        ("DCG", "standard", [0, 1, 2]),
    ],
)
def test_worth_of_a_pools_grades(measure: str, dialect: str, worth: list[float]) -> None:
    """Beliefs about the grades 0, 1, 2 make a scale that ends at 2, unless the measure or a tool says otherwise."""
    pool, _ = graded_pool(queries=2)
    assert Target.of(measure, pool, dialect).worth == pytest.approx(worth)


def test_the_default_is_that_of_an_evaluation() -> None:
    """Who names no dialect gets the one that `evaluate` has."""
    pool, _ = graded_pool(queries=2)
    assert Target.of("DCG", pool).dialect.name == "standard"


def test_values_are_remembered_of_what_cannot_change() -> None:
    """Of an array that may change they are computed each time; of a frozen one once, and they are the same."""
    pool, grades = graded_pool()
    target = Target.of("ERR@2", pool)
    grades, frozen = grades.copy(), grades.copy()
    frozen.flags.writeable = False
    assert target.values(pool, frozen) is target.values(pool, frozen)
    assert target.values(pool, frozen).tolist() == target.values(pool, grades).tolist()
    grades[:] = 0.0
    assert target.values(pool, grades).tolist() == [0.0] * len(pool.sizes)
    view = grades[:]
    view.flags.writeable = False
    assert target.values(pool, view).tolist() == [0.0] * len(pool.sizes)
    grades[:] = pool.grades.max()
    assert min(target.values(pool, view)) > 0
