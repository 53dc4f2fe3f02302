"""Worked examples: every measure's own, as arithmetic."""

from __future__ import annotations

import math

import pytest

from rankgauge.measures import MEASURES, Example, parse
from rankgauge.ranking import RankedLists

EXAMPLES = [example for kind in MEASURES.values() for example in kind.facts.examples]
ARITHMETIC = {
    "log2": math.log2,
    "log": math.log,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "nan": math.nan,
    "range": range,
    "sum": sum,
    "__builtins__": {},
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.measure} {e.grades}")
def test_example(example: Example) -> None:
    """A worked example's arithmetic is what the kernel gives."""
    value = parse(example.measure).score(RankedLists.of(example.grades, missed=example.missed))
    assert value == pytest.approx(eval(example.value, ARITHMETIC), abs=1e-12, nan_ok=True)
