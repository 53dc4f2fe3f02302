"""Every fusion method and normalisation on two lists that can be added up by hand."""

from __future__ import annotations

from math import log, sqrt

import pytest

from rankgauge.fusion import METHODS, NORMALISATIONS, fuse

pytestmark = pytest.mark.filterwarnings("ignore:the judgments were not used")  # every method gets them

FIRST = {"q": {"a": 8.0, "b": 6.0, "c": 0.0}}
SECOND = {"q": {"c": 3.0, "a": 2.0}}
JUDGMENTS = {"q": {"a": 1, "c": 0, "z": 1}}
"""Of two relevant documents the first run has one at rank 1, the second at rank 2."""

SCORES = {
    "combsum": {"a": 8 + 2, "b": 6, "c": 0 + 3},
    "combmnz": {"a": 2 * (8 + 2), "b": 1 * 6, "c": 2 * (0 + 3)},
    "combanz": {"a": (8 + 2) / 2, "b": 6 / 1, "c": (0 + 3) / 2},
    "combmin": {"a": 2, "b": 6, "c": 0},
    "combmax": {"a": 8, "b": 6, "c": 3},
    "combmed": {"a": (8 + 2) / 2, "b": 6, "c": (0 + 3) / 2},
    "combgmnz": {"a": sqrt(2) * (8 + 2), "b": 6, "c": sqrt(2) * (0 + 3)},
    "weighted-sum": {"a": 3 * 8 + 1 * 2, "b": 3 * 6, "c": 3 * 0 + 1 * 3},
    "weighted-mnz": {"a": (3 + 1) * (8 + 2), "b": 3 * 6, "c": (3 + 1) * (0 + 3)},
    "mixed": {"a": sqrt(2) * (3 * 8 + 1 * 2), "b": sqrt(1) * 3 * 6, "c": sqrt(2) * (3 * 0 + 1 * 3)},
    "rrf": {"a": 1 / 61 + 1 / 62, "b": 1 / 62, "c": 1 / 63 + 1 / 61},
    "rbc": {"a": 0.5 + 0.5 * 0.5, "b": 0.5 * 0.5, "c": 0.5 * 0.5**2 + 0.5},
    "isr": {"a": 2 * (1 + 1 / 4), "b": 1 / 4, "c": 2 * (1 / 9 + 1)},
    "log-isr": {"a": log(2) * (1 + 1 / 4), "b": 0, "c": log(2) * (1 / 9 + 1)},
    "logn-isr": {"a": log(2.01) * (1 + 1 / 4), "b": log(1.01) / 4, "c": log(2.01) * (1 / 9 + 1)},
    # Three documents: the first of a list has 3 points; what the second run does not list has (3 − 2 + 1) / 2.
    "borda": {"a": 3 + 2, "b": 2 + 1, "c": 1 + 3},
    "weighted-borda": {"a": 3 * 3 + 1 * 2, "b": 3 * 2 + 1 * 1, "c": 3 * 1 + 1 * 3},
    # One run is for a over c, the other for c over a: Borda's count decides. Both are for a over b; b and c are even.
    "condorcet": {"a": 3, "b": 1, "c": 2},
    # The first run outvotes the second.
    "weighted-condorcet": {"a": 3, "b": 2, "c": 1},
    # AP is (1 / 1) / 2 for the first run, (1 / 2) / 2 for the second.
    "mapfuse": {"a": 1 / 2 + 1 / 4 / 2, "b": 1 / 2 / 2, "c": 1 / 2 / 3 + 1 / 4},
    "posfuse": {"a": 1 + 1, "b": 0, "c": 0 + 0},
    # A window of one rank to each side, as far as the list goes.
    "slidefuse": {"a": (1 + 0) / 2 + (0 + 1) / 2, "b": (1 + 0 + 0) / 3, "c": (0 + 0) / 2 + (0 + 1) / 2},
    # Two segments: of the first run two documents and one, of the second one each.
    "probfuse": {"a": 1 / 2 + 1 / 2, "b": 1 / 2, "c": 0 / 2 + 0},
    # The first segment has five places, one of them relevant in either run.
    "segfuse": {"a": 1 / 5 * (8 + 1) + 1 / 5 * (2 + 1), "b": 1 / 5 * (6 + 1), "c": 1 / 5 * (0 + 1) + 1 / 5 * (3 + 1)},
    "bayesfuse": {"a": 2 * log(0.2 / 0.8), "b": log(0.2 / 0.8) + log(0.001 / 0.999), "c": 2 * log(0.2 / 0.8)},
}
"""The fused scores, with weights 3 and 1, k = 60, phi = 0.5, gamma = 0.5, two segments, and a window of 1."""

SETTINGS = {
    "combgmnz": {"gamma": 0.5},
    "rbc": {"phi": 0.5},
    "slidefuse": {"window": 1},
    "probfuse": {"segments": 2},
    **{name: {"weights": [3, 1]} for name in METHODS if name.startswith("weighted") or name == "mixed"},
}

NORMS = {
    "none": ({"a": 8, "b": 6, "c": 0}, {"c": 3, "a": 2}),
    "min-max": ({"a": 1, "b": 6 / 8, "c": 0}, {"c": 1, "a": 0}),
    "min-max-inverted": ({"a": 0, "b": (8 - 6) / 8, "c": 1}, {"c": 0, "a": 1}),
    "max": ({"a": 1, "b": 6 / 8, "c": 0}, {"c": 1, "a": 2 / 3}),
    "sum": ({"a": 8 / 14, "b": 6 / 14, "c": 0}, {"c": 1, "a": 0}),
    "z-score": (
        {d: (s - 14 / 3) / sqrt((64 + 36) / 3 - (14 / 3) ** 2) for d, s in FIRST["q"].items()},
        {"c": (3 - 2.5) / 0.5, "a": (2 - 2.5) / 0.5},
    ),
    "rank": ({"a": 1, "b": 1 - 1 / 3, "c": 1 - 2 / 3}, {"c": 1, "a": 1 - 1 / 2}),
    "borda": ({"a": 1, "b": 1 - 1 / 3, "c": 1 - 2 / 3}, {"c": 1, "a": 1 - 1 / 3, "b": 0.5 - (2 - 1) / (2 * 3)}),
}
"""The normalised scores of both lists."""


def test_every_method_has_an_example() -> None:
    """No method and no normalisation is without an example."""
    assert set(SCORES) == set(METHODS)
    assert set(NORMS) == set(NORMALISATIONS)


@pytest.mark.parametrize("name", SCORES)
def test_method(name: str) -> None:
    """The fused scores are those of the formula."""
    found = fuse([FIRST, SECOND], name, norm="none", judgments=JUDGMENTS, **SETTINGS.get(name, {}))
    assert found.to_dict()["q"] == pytest.approx(SCORES[name], rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", NORMS)
def test_normalisation(name: str) -> None:
    """A sum with the weight of one run alone shows the normalised scores of each run."""
    for number, expected in enumerate(NORMS[name]):
        alone = fuse([FIRST, SECOND], "weighted-sum", norm=name, weights=[number == 0, number == 1]).to_dict()["q"]
        listed = {document: score for document, score in alone.items() if document in expected}
        assert listed == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", METHODS)
def test_the_formula_is_told(name: str) -> None:
    """Each method says what it is, its formula and where it comes from."""
    kind = METHODS[name]
    assert kind.__doc__
    assert kind.formula
    assert kind.reference[-4:].isdecimal()
