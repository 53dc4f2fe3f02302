"""Several assessors made one: each rule as arithmetic."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.judgments import RULES, binarise, combine, counts
from tests.examples import examples

JUDGED = pl.DataFrame(
    [
        ("q2", "d1", 3, "ann"),
        ("q1", "d9", 0, "ann"),
        ("q2", "d1", 1, "bob"),
        ("q1", "d9", 0, "bob"),
        ("q2", "d1", 1, "cid"),
        ("q1", "d9", 2, "cid"),
        ("q1", "d9", 2, "dan"),
        ("q1", "d3", 2, "bob"),
    ],
    schema=["query", "document", "grade", "assessor"],
    orient="row",
)
EXPECTED = {
    "mean": [(3 + 1 + 1) / 3, (0 + 0 + 2 + 2) / 4, 2],
    "median": [1, (0 + 2) / 2, 2],
    "min": [1, 0, 2],
    "max": [3, 2, 2],
    "majority": [1, 0, 2],
    "majority-high": [1, 2, 2],
    "majority-mean": [1, (0 + 2) / 2, 2],
    "and@1": [1, 0, 1],
    "and@2": [0, 0, 1],
    "or@2": [1, 1, 1],
    "or@3": [1, 0, 0],
    "mean@2": [1 / 3, 2 / 4, 1],
    "majority@2": [0, 0, 1],
    "majority-high@2": [0, 1, 1],
    "dawid-skene": [1, 0, 2],  # bob is alone with a 2 for d3: where he says 0, two against two, it is rather 0
}
opinions = st.dictionaries(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from("123")), st.integers(0, 3), min_size=1
)


@pytest.mark.parametrize("rule", EXPECTED)
def test_rule(rule: str) -> None:
    """A rule gives one grade per item, in order of first appearance; items may have fewer assessors."""
    combined = combine(JUDGED, rule)
    assert combined.select("query", "document").rows() == [("q2", "d1"), ("q1", "d9"), ("q1", "d3")]
    assert combined["grade"].to_list() == pytest.approx(EXPECTED[rule])
    assert combined.schema == {"query": pl.String, "document": pl.String, "grade": pl.Float64}


def test_every_rule_is_tested_and_explained() -> None:
    """No rule is in the registry without words and a worked example."""
    assert {name.partition("@")[0] for name in EXPECTED} == set(RULES)
    assert all(rule.words for rule in RULES.values())


@settings(max_examples=examples(50), deadline=None)
@given(given=opinions)
def test_and_or_bound_every_vote(given: dict[tuple[str, str, str], int]) -> None:
    """and ≤ majority ≤ or on binary grades; min ≤ mean, median, majority ≤ max on graded ones."""
    judged = pl.DataFrame(
        [(*key, grade) for key, grade in given.items()],
        schema=["query", "document", "assessor", "grade"],
        orient="row",
    )
    low, high = combine(judged, "min")["grade"], combine(judged, "max")["grade"]
    for rule in ("mean", "median", "majority", "majority-high", "majority-mean"):
        middle = combine(judged, rule)["grade"]
        assert (low <= middle + 1e-12).all()
        assert (middle <= high + 1e-12).all()
    assert combine(judged, "and", at=2)["grade"].equals((low >= 2).cast(pl.Float64))
    assert combine(judged, "or", at=2)["grade"].equals((high >= 2).cast(pl.Float64))


def test_counts_tell_how_many_judged() -> None:
    """Each item with the number of its assessors."""
    assert counts(JUDGED).rows() == [("q2", "d1", 3), ("q1", "d9", 4), ("q1", "d3", 1)]


def test_judgments_without_assessors_stay_as_they_are() -> None:
    """One grade per item is its own mean, median and majority; `and` and `or` make it binary."""
    plain = pl.DataFrame({"query": ["q", "q"], "document": ["a", "b"], "grade": [2.0, 1.0]})
    for rule in ("mean", "median", "min", "max", "majority"):
        assert combine(plain, rule).equals(plain)
    assert combine(plain, "and@2")["grade"].to_list() == [1.0, 0.0]


def test_repeated_judgments_are_refused() -> None:
    """Two grades for one item need two assessors; the error names the item."""
    with pytest.raises(InputError, match="document d1 of query q2 is judged twice"):
        combine(JUDGED.drop("assessor"))
    with pytest.raises(InputError, match="document d9 of query q1 is judged twice by dan"):
        combine(pl.concat([JUDGED, JUDGED[6:7]]))


@pytest.mark.parametrize("column", ["query", "document", "grade"])
def test_empty_cells_are_refused(column: str) -> None:
    """A row without a query, document or grade is an error that names the row."""
    holed = JUDGED.with_columns(pl.when(pl.int_range(pl.len()) != 4).then(column).alias(column))
    with pytest.raises(InputError, match=f"row 5: there is no {column}"):
        combine(holed)


def test_labels_are_no_grades() -> None:
    """Textual grades have to pass their scale first."""
    with pytest.raises(InputError, match="the grade 'VITAL' is not a finite number"):
        combine(JUDGED.with_columns(grade=pl.lit("VITAL")))


def test_levels_and_names_are_checked() -> None:
    """`and` and `or` need a level, one way or the other, and a level is a number."""
    with pytest.raises(ParameterError, match="the lowest grade that counts as relevant"):
        combine(JUDGED, "or")
    with pytest.raises(ParameterError, match="omitted"):
        combine(JUDGED, "or@1", at=1)
    with pytest.raises(ParameterError, match="as in or@1"):
        combine(JUDGED, "or@vital")
    with pytest.raises(UnknownNameError, match="Did you mean mean"):
        combine(JUDGED, "meen")


def test_binarise_keeps_rows_and_assessors() -> None:
    """Grades of at least the level become 1, the others 0."""
    binary = binarise(JUDGED, 2)
    assert binary["grade"].to_list() == [1, 0, 0, 0, 0, 1, 1, 1]
    assert binary.drop("grade").equals(JUDGED.drop("grade"))
    assert binarise(JUDGED)["grade"].to_list() == [1, 0, 1, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(("negative", "first"), [("zero", 0.0), ("unjudged", -1.0), ("keep", -1.0)])
def test_binarise_says_what_a_negative_grade_means(negative: str, first: float) -> None:
    """A document that was in the pool but not judged does not become a judged one unless asked."""
    pooled = pl.DataFrame({"query": ["q"] * 3, "document": list("abc"), "grade": [-1.0, 0.0, 2.0]})
    assert binarise(pooled, negative=negative)["grade"].to_list() == [first, 0.0, 1.0]
    with pytest.raises(InputError, match="query 'q', document 'a' has the grade -1"):
        binarise(pooled, negative="refuse")
