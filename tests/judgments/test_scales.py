"""Scales: labels ↔ grades."""

from __future__ import annotations

import polars as pl
import pytest

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.judgments import SCALES, Scale, scale


@pytest.mark.parametrize("name", SCALES)
def test_labels_and_grades_are_inverse(name: str) -> None:
    """A label's grade has a label of the same grade, and a grade's label has that grade."""
    for label, grade in scale(name).levels:
        assert scale(name).grade(label) == grade
        assert scale(name).grade(scale(name).label(grade)) == grade
        assert scale(name).grade(str(grade)) == grade


@pytest.mark.parametrize(
    ("label", "grade"),
    [
        ("VITAL", 3),
        ("relevant-plus", 2),
        ("Relevant_Minus", 1),
        ("relevant", 1),
        ("not relevant", 0),
        ("cantbejudged", 0),
        ("2", 2),
    ],
)
def test_romip_labels_in_any_spelling(label: str, grade: float) -> None:
    """Case, hyphens, underscores and blanks do not matter; a document that cannot be judged is worth 0."""
    assert scale("romip").grade(label) == grade
    assert scale("romip").label(0.0) == "NOTRELEVANT"


def test_a_minus_sign_is_no_hyphen() -> None:
    """On a scale with -2 and 2 the sign tells the levels apart."""
    assert (scale("trec-web").grade("-2"), scale("trec-web").grade("2")) == (-2, 2)
    assert scale("trec-web").label(-2) == "Junk"


def test_apply_puts_grades_in_place_of_labels() -> None:
    """Every row keeps its place and its other columns."""
    judged = pl.DataFrame(
        {"query": ["1", "1", "2"], "document": ["a", "b", "a"], "grade": ["vital", "NOTRELEVANT", "vital"]}
    )
    assert scale("romip").apply(judged)["grade"].to_list() == [3.0, 0.0, 3.0]
    assert scale("romip").apply(judged).drop("grade").equals(judged.drop("grade"))
    numbers = judged.with_columns(grade=pl.Series([3, 0, 2]))
    assert scale("romip").apply(numbers)["grade"].to_list() == [3.0, 0.0, 2.0]


def test_unknown_labels_grades_and_scales_name_the_nearest() -> None:
    """What is not on the scale is an error that names what is."""
    with pytest.raises(UnknownNameError, match="Did you mean VITAL"):
        scale("romip").apply(pl.DataFrame({"grade": ["vitall"]}))
    with pytest.raises(UnknownNameError, match=r"level of the scale romip called '1\.5'"):
        scale("romip").label(1.5)
    with pytest.raises(UnknownNameError, match="no scale called 'rompi'"):
        scale("rompi")
    with pytest.raises(InputError, match="without a grade"):
        scale("romip").apply(pl.DataFrame({"grade": ["vital", None]}))
    with pytest.raises(InputError, match="need a column grade; found label"):
        scale("romip").apply(pl.DataFrame({"label": ["vital"]}))


def test_own_scales_are_spelled_out() -> None:
    """`label=grade, label=grade` is a scale."""
    own = scale("very good=2, so-so=0.5, bad=0")
    assert own.levels == (("very good", 2.0), ("so-so", 0.5), ("bad", 0.0))
    assert (own.grade("Very-Good"), own.label(0.5), own.max_grade) == (2.0, "so-so", 2.0)
    assert scale(own) is own


@pytest.mark.parametrize("text", ["good=2, bad", "good=two, bad=0", "bad=0, BAD=1", "="])
def test_own_scales_that_make_no_sense_are_refused(text: str) -> None:
    """A level without a grade, or a label twice, is an error."""
    with pytest.raises(ParameterError):
        scale(text)


def test_a_scale_has_levels() -> None:
    """A scale without levels is an error."""
    with pytest.raises(ParameterError, match="one or more different labels"):
        Scale(name="none", levels=())
