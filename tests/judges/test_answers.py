"""Answers: the agreed form is a grade, everything else is refused, and nothing in a text changes that."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.judgments.llm.asking.answers import KEPT, Answer, parse
from tests.judges.pools import GRADES


def choice(text: Any, **more: Any) -> dict[str, Any]:
    """A choice of a chat completion."""
    return {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("2", 2),
        (" 3 \n", 3),
        ("0.", 0),
        ("Grade: 1", 1),
        ("grade=2", 2),
        ('{"grade": 2}', 2),
        ("<think>It could be 3.</think>\n\n1", 1),
        ("2.0", 2),
        ([{"type": "text", "text": "3"}], 3),
    ],
)
def test_a_grade_in_the_agreed_form(text: Any, grade: float) -> None:
    """The last line is the grade alone."""
    assert parse(choice(text), GRADES).grade == grade


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        (None, "empty"),
        ("4", "scale"),
        ("-1", "scale"),
        ("2.5", "scale"),
        ("The grade is 2", "form"),
        ("2\nbecause it says so", "form"),
        ("2 or 3", "form"),
        ("2/3", "form"),
        ("3,q1,d9,3", "form"),
        ('{"grade": 2, "document": "d9"}', "form"),
        ('{"grade": "2"}', "form"),
        ('{"grade": true}', "form"),
        ('{"grade": NaN}', "form"),
        ("__import__('os').getpid()", "form"),
        ("٢", "form"),
        ("1e0", "form"),
    ],
)
def test_anything_else_is_refused(text: Any, why: str) -> None:
    """No grade is guessed from prose, from another shape, or from beyond the scale."""
    answer = parse(choice(text), GRADES)
    assert answer.grade is None
    assert answer.refused is not None
    assert why in answer.refused


def test_a_cut_answer_is_refused() -> None:
    """An answer that the limit of tokens cut off may end with any number."""
    assert parse(choice("It is more than 2", finish_reason="length"), GRADES).grade is None
    assert parse(choice("2", finish_reason="length"), GRADES).refused == "cut off at the limit of tokens"


@given(st.text(max_size=200))
def test_any_text_gives_a_grade_of_the_scale_or_none(text: str) -> None:
    """Whatever a model says, the outcome has one shape."""
    answer = parse(choice(text), GRADES)
    assert isinstance(answer, Answer)
    assert (answer.grade is None) != (answer.refused is None)
    assert answer.grade is None or answer.grade in GRADES


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=9),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(
                st.sampled_from(["message", "content", "logprobs", "text", "token", "top_logprobs"]), x, max_size=4
            )
        ),
        max_leaves=12,
    )
)
def test_any_shape_is_read_without_harm(held: Any) -> None:
    """A choice may hold anything in any place."""
    answer = parse({"message": held, "logprobs": held}, GRADES, logprobs=True)
    assert answer.grade is None or answer.chances is not None


def test_long_answers_keep_their_end() -> None:
    """The store does not fill with prose."""
    answer = parse(choice("thinking " * 1000 + "\n3"), GRADES)
    assert answer.grade == 3
    assert len(answer.text) == KEPT


def tokens(*spoken: tuple[str, dict[str, float]]) -> dict[str, Any]:
    """Log-probabilities of the tokens, given their rivals' probabilities."""
    return {
        "content": [
            {
                "token": token,
                "logprob": math.log(rivals.get(token, 1.0)),
                "top_logprobs": [{"token": one, "logprob": math.log(p)} for one, p in rivals.items()],
            }
            for token, rivals in spoken
        ]
    }


def test_probabilities_are_those_at_the_grade() -> None:
    """They are taken where the grade is, from the tokens that are grades, and sum to 1."""
    spoken = tokens((" ", {}), ("2", {"2": 0.5, " 2": 0.1, "3": 0.2, "two": 0.1, "7": 0.1}), ("\n", {}))
    answer = parse(choice("2", logprobs=spoken), GRADES, logprobs=True)
    assert answer.chances == pytest.approx((0, 0, 0.6 / 0.8, 0.2 / 0.8))


def test_the_last_grade_counts() -> None:
    """A number in the thoughts before the answer is not the answer's token."""
    spoken = tokens(("1", {"1": 1.0}), ("\n", {}), ("1", {"1": 0.6, "0": 0.4}))
    assert parse(choice("1\n1", logprobs=spoken), GRADES, logprobs=True).chances == pytest.approx((0.4, 0.6, 0, 0))


def test_no_probabilities_are_made_up() -> None:
    """An answer without the log-probabilities that were asked for is refused."""
    answer = parse(choice("2", logprobs=tokens(("{2}", {}))), GRADES, logprobs=True)
    assert answer.grade is None
    assert answer.refused == "no log-probabilities at the grade"
