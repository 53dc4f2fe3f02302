"""Number formats: the digits that tools print."""

from __future__ import annotations

import pytest

from rankgauge.measures.output import FULL, fixed, java_rounded, significant


@pytest.mark.parametrize(
    ("format_", "value", "text"),
    [
        (fixed(4), 2 / 3, "0.6667"),
        (fixed(4), 1.0, "1.0000"),
        (significant(15), 2 / 3, "0.666666666666667"),
        (significant(15), 0.5, "0.5"),
        (significant(15), 1.0, "1"),
        (significant(15), 1 / 30000, "3.33333333333333e-05"),
        (java_rounded(4), 2 / 3, "0.6667"),
        (java_rounded(4), 1.0, "1.0"),
        (java_rounded(4), 0.00005, "1.0E-4"),
        (java_rounded(4), 0.00125, "0.0013"),
        (java_rounded(4), -0.00021, "-2.0E-4"),
        (java_rounded(4), 12345678.9, "1.23456789E7"),
        (java_rounded(4), 0.0, "0.0"),
        (FULL, 0.1 + 0.2, "0.30000000000000004"),
    ],
)
def test_digits(format_: object, value: float, text: str) -> None:
    """Each format writes a number as its language does."""
    assert callable(format_)
    assert format_(value) == text
