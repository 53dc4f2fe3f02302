"""Engines: what a run is worth does not depend on where it is computed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rankgauge as rg
from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.result import Result
from rankgauge.measures import MEASURES, Example, Measure, parse
from rankgauge.policies import JudgmentKind, Ties
from rankgauge.ranking import RankedLists
from rankgauge.ranking.hits import apply_negative
from tests.backends.collections import collection
from tests.engines import Evaluate
from tests.measures.test_examples import ARITHMETIC

NEAR = 1e-12
_EACH = [(kind.facts.judgments, example) for kind in MEASURES.values() for example in kind.facts.examples]
EXAMPLES = [example for kind, example in _EACH if kind is JudgmentKind.GRADES]
BY_SUBTOPIC = [example for kind, example in _EACH if kind is JudgmentKind.SUBTOPICS]
MEASURES = list(dict.fromkeys(parse(example.measure) for example in EXAMPLES))
J = {"query": pl.String, "document": pl.String, "grade": pl.Float64}
R = {"query": pl.String, "document": pl.String, "score": pl.Float64}


def same(one: Result, other: Result) -> None:
    """Both have the same queries in the same order, and the same numbers to 1e-12: values, errors, summary."""
    assert one.queries.to_list() == other.queries.to_list()
    assert sorted(one.hits.strangers) == sorted(other.hits.strangers)
    for name in ("matrix", "raw", "errors", "answered", "unlisted"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=NEAR, atol=NEAR, err_msg=name)
    # A geometric mean of values near 0 is a quotient of logarithms: as near as its parts are.
    assert_frame_equal(one.summary, other.summary, rel_tol=1e-10, abs_tol=NEAR)


def takes(measure: Measure, grades: Iterable[float]) -> bool:
    """Whether the measure takes every one of the grades."""
    try:
        for grade in grades:
            measure.score(RankedLists.of([grade]))
    except InputError:
        return False
    return True


def taken(spoken: Dialect, judgments: pl.DataFrame) -> list[Measure]:
    """The measures that take the collection's grades in that dialect."""
    grades = apply_negative(judgments["grade"].unique().to_numpy(), spoken.negative).tolist()
    return [measure for measure in MEASURES if takes(spoken.read(measure), grades)]


def listed(example: Example, query: str) -> tuple[list[tuple[str, str, float]], list[tuple[str, str, float]]]:
    """A worked example as judgments and lines of a run."""
    grades = [*enumerate(example.grades), *((f"missed{n}", grade) for n, grade in enumerate(example.missed))]
    judged = [(query, f"d{d}", max(float(grade), -1.0)) for d, grade in grades if grade is not None]
    return judged, [(query, f"d{d}", -float(d)) for d in range(len(example.grades))]


@cache
def reach(measure: Measure) -> float:
    """The highest grade that the measure takes, or that of its examples if it takes the top of the scale from them:
    only examples of one scale can be judged together."""
    if measure.needs_top:
        return float(max(g for e in EXAMPLES if parse(e.measure) == measure for g in (*e.grades, *e.missed) if g))
    return max((grade for grade in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0) if takes(measure, [0.0, grade])), default=1.0)


REACHES = sorted({reach(measure) for measure in MEASURES})


@pytest.mark.parametrize("top", REACHES)
def test_worked_examples_of_every_measure(top: float, evaluate: Evaluate) -> None:
    """Every measure has the value that its examples say, all of one scale computed in one job."""
    examples = [e for e in EXAMPLES if reach(parse(e.measure)) == top]
    parts = [listed(example, f"e{n}") for n, example in enumerate(examples)]
    known = [n for n, (judged, lines) in enumerate(parts) if judged and lines]
    judgments = pl.DataFrame([row for n in known for row in parts[n][0]], schema=J, orient="row")
    run = pl.DataFrame([row for n in known for row in parts[n][1]], schema=R, orient="row")
    wanted = list(dict.fromkeys(parse(example.measure) for example in examples))
    result = evaluate(judgments, run, wanted, negative="unjudged")
    place = {query: row for row, query in enumerate(result.hits.queries)}
    for n in known:
        column = result.measures.index(parse(examples[n].measure))
        expected = eval(examples[n].value, ARITHMETIC)
        got = result.raw[place[f"e{n}"], column]
        assert got == pytest.approx(expected, abs=NEAR, nan_ok=True), examples[n]


def test_worked_examples_by_subtopic(evaluate: Evaluate) -> None:
    """Measures of diversity have the values that their examples say, all computed in one job from a table."""
    judged: list[tuple[str, str, str, float]] = []
    lines: list[tuple[str, str, float]] = []
    for n, example in enumerate(BY_SUBTOPIC):
        grades = [*enumerate(example.grades), *((f"missed{m}", grade) for m, grade in enumerate(example.missed))]
        each = [(d, grade) for d, grade in grades if isinstance(grade, tuple)]
        judged += [(f"e{n}", f"d{d}", f"s{i}", float(g)) for d, grade in each for i, g in enumerate(grade)]
        lines += [(f"e{n}", f"d{d}", -float(d)) for d in range(len(example.grades))]
    judgments = pl.DataFrame(judged, schema=["query", "document", "subtopic", "grade"], orient="row")
    wanted = list(dict.fromkeys(parse(example.measure) for example in BY_SUBTOPIC))
    result = evaluate(judgments, pl.DataFrame(lines, schema=R, orient="row"), wanted)
    place = {query: row for row, query in enumerate(result.hits.queries)}
    for n, example in enumerate(BY_SUBTOPIC):
        got = result.raw[place[f"e{n}"], result.measures.index(parse(example.measure))]
        assert got == pytest.approx(eval(example.value, ARITHMETIC), abs=NEAR), example


OTHERWISE = ("standard", "trec_eval", "gdeval", "ranklib", "letor3", "yahoo", "ndeval")
"""Dialects that between them choose otherwise in each matter: order, depth, gain, empty and missing queries."""


@pytest.mark.parametrize(
    "name", [name if name in OTHERWISE else pytest.param(name, marks=pytest.mark.study) for name in dialects.DIALECTS]
)
def test_every_dialect_and_measure_is_the_same_on_spark(name: str, on_spark: Evaluate) -> None:
    """Under each dialect every measure has the same values, errors and summary on both engines."""
    spoken = dialects.get(name)
    made = collection(spoken)
    measures = taken(spoken, made.judgments)
    assert len(measures) > 0.8 * len(MEASURES)
    here = rg.evaluate(made.judgments, made.run, measures, dialect=spoken)
    same(on_spark(made.judgments, made.run, measures, dialect=spoken), here)


@pytest.mark.parametrize("ties", list(Ties))
def test_ties_are_the_same_on_spark(ties: Ties, on_spark: Evaluate) -> None:
    """Each policy on ties, beside others that act on whole lists, gives the same; ties of 32 bits too."""
    choices = {"ties": ties, "unjudged": "skip", "depth": 15, "single_precision": True, "missing": "skip"}
    spoken = dialects.get("standard")
    made = collection(spoken, seed=9)
    measures = taken(spoken, made.judgments)
    run = made.run.with_columns(pl.col("score") + pl.Series(np.arange(len(made.run)) % 3 * 1e-12))
    same(on_spark(made.judgments, run, measures, **choices), rg.evaluate(made.judgments, run, measures, **choices))
