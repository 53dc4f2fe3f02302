"""Tests of measures that a session defines."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

import rankgauge as rg
from rankgauge.measures import MEASURES
from rankgauge.numeric import FloatArray

JUDGMENTS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
RUN = {"q1": {"a": 3.0, "x": 2.0, "c": 1.0}, "q2": {"z": 2.0, "a": 1.0}}
WORSE = {"q1": {"x": 3.0, "a": 2.0, "c": 1.0}, "q2": {"z": 2.0, "a": 1.0}}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test defines is gone after it: other tests look at every measure."""
    before = set(MEASURES)
    yield
    for name in set(MEASURES) - before:
        MEASURES.forget(name)


def test_a_function_of_grades_by_rank() -> None:
    """The function sees each rank's grade; an unjudged document has grade 0, and @k shows the first k ranks."""
    rg.define("Sum", lambda grades: grades.sum())
    result = rg.evaluate(JUDGMENTS, RUN, ["Sum", "Sum@2"])
    assert result["Sum"] == ((2 + 0 + 1) + (0 + 1)) / 2
    assert result["Sum@2"] == ((2 + 0) + (0 + 1)) / 2


def test_a_function_of_the_judgments_too() -> None:
    """A second argument has the grades of all judged documents, the highest first."""
    seen: list[list[float]] = []

    def reach(grades: FloatArray, judged: FloatArray) -> float:
        """The share of the judged gain that the run retrieves."""
        seen.append(judged.tolist())
        return float(grades.sum() / judged.sum())

    measure = rg.define("Reach", reach, bounds=(0.0, 1.0))
    result = rg.evaluate(JUDGMENTS, RUN, "Reach@1")
    assert result["Reach@1"] == (2 / 3 + 0 / 1) / 2
    assert [2.0, 1.0, 0.0] in seen
    assert measure.facts.title == "The share of the judged gain that the run retrieves"


def test_it_agrees_with_a_measure_that_has_a_file() -> None:
    """DCG as a function gives what DCG gives, on random lists with unjudged and missed documents."""
    rng = np.random.default_rng(3)
    documents = [f"d{n}" for n in range(30)]
    judgments = {f"q{n}": {d: int(rng.integers(0, 4)) for d in rng.permutation(documents)[:12]} for n in range(20)}
    run = {query: {d: float(rng.random()) for d in rng.permutation(documents)[:18]} for query in judgments}
    rg.define("MyDCG", lambda grades: (grades / np.log2(np.arange(2, len(grades) + 2))).sum())
    result = rg.evaluate(judgments, run, ["MyDCG", "DCG", "MyDCG@5", "DCG@5"])
    assert result["MyDCG"] == pytest.approx(result["DCG"], abs=1e-12)
    assert result["MyDCG@5"] == pytest.approx(result["DCG@5"], abs=1e-12)


def test_ties_are_averaged_over_orders() -> None:
    """A list with few orders is scored in each of them: the mean is exact."""
    rg.define("First", lambda grades: grades[0])
    assert rg.evaluate({"q": {"a": 2, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, "First")["First"] == (2 + 0) / 2


def test_compare_and_plot_know_it() -> None:
    """A comparison tests it, and a chart draws it."""
    rg.define("First", lambda grades: grades[0])
    comparison = rg.compare(JUDGMENTS, {"good": RUN, "bad": WORSE}, "First")
    assert comparison.pairs["difference"].to_list() == [((0 - 2) + (0 - 0)) / 2]
    assert rg.plot(comparison, "means") is not None


def test_defining_again_replaces() -> None:
    """A cell that is run again defines the measure again; the names of other measures are refused."""
    rg.define("Mine", lambda grades: 1.0)
    rg.define("Mine", lambda grades: 2.0)
    assert rg.evaluate(JUDGMENTS, RUN, "Mine")["Mine"] == 2.0
    for name in ("nDCG", "AP", "recip_rank", "no spaces", "2nd"):
        with pytest.raises(rg.ParameterError, match="'name' parameter of define"):
            rg.define(name, lambda grades: 1.0)


def test_undefined_values_and_wrong_functions() -> None:
    """NaN and None are undefined values; what is no function, takes too much or returns no number is an error."""
    rg.define("Never", lambda grades: None)
    assert math.isnan(rg.evaluate(JUDGMENTS, RUN, "Never", empty="leave-out")["Never"])
    with pytest.raises(rg.ParameterError, match="a function of grades by rank"):
        rg.define("Wrong", 3.0)  # type: ignore[arg-type]
    with pytest.raises(rg.ParameterError, match="one of 3 arguments"):
        rg.define("Wrong", lambda a, b, c: 0.0)
    with pytest.raises(rg.ParameterError, match="returns a number"):
        rg.define("Wrong", lambda grades: "many")
    with pytest.raises(IndexError) as raised:
        rg.define("Wrong", lambda grades: grades[7])
    assert raised.value.__notes__ == ["Wrong was called with a list of 3 documents."]


def test_unjudged_documents_may_be_seen() -> None:
    """With NaN as their grade a function tells unjudged documents from judged ones."""
    rg.define("Holes", lambda grades: np.isnan(grades).sum(), unjudged=math.nan, more_is_better=False)
    assert rg.evaluate(JUDGMENTS, RUN, "Holes")["Holes"] == (1 + 1) / 2
