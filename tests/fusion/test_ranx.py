"""ranx 0.3: the same fused scores in 1,000 random cases of every method, and where ranx does something else.

Each query is a case. Scores are compared, not orders: ranx sorts ties by an unstable sort.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankgauge.fusion import METHODS, NORMALISATIONS, fuse

pytestmark = [
    pytest.mark.filterwarnings("ignore:the judgments were not used"),  # every method gets them
    pytest.mark.skipif(find_spec("ranx") is None, reason="ranx is not installed"),
    pytest.mark.xdist_group("fusion"),  # they share what ranx has computed
]

CASES = 1_000
LONG = 20
"""Each so many-th case has lists of up to sixty documents, beyond several segments of methods that cut lists."""

WEIGHTS = [0.5, 0.2, 0.3]
THEIR_NAMES = {"segments": "n_segments", "window": "w"}
"""What ranx calls parameters that have another name here."""

ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ("combsum", "min-max", {}),
    ("combmnz", "max", {}),
    ("combanz", "sum", {}),
    ("combmin", "z-score", {}),
    ("combmax", "rank", {}),
    ("combmed", "borda", {}),
    ("combgmnz", "min-max-inverted", {"gamma": 0.5}),
    ("weighted-sum", "min-max", {"weights": WEIGHTS}),
    ("weighted-sum", "none", {"weights": WEIGHTS}),
    ("weighted-mnz", "z-score", {"weights": WEIGHTS}),
    ("mixed", "sum", {"weights": WEIGHTS}),
    ("rrf", "none", {}),
    ("rbc", "none", {"phi": 0.8}),
    ("isr", "none", {}),
    ("log-isr", "none", {}),
    ("logn-isr", "none", {"sigma": 0.01}),
    ("borda", "none", {}),
    ("weighted-borda", "none", {"weights": WEIGHTS}),
    ("condorcet", "none", {}),
    ("weighted-condorcet", "none", {"weights": WEIGHTS}),
    ("bayesfuse", "none", {}),
    ("mapfuse", "none", {}),
    ("posfuse", "none", {}),
    ("probfuse", "none", {"segments": 3}),
    ("segfuse", "min-max", {}),
    ("slidefuse", "none", {"window": 2}),
]
"""The methods, each with a normalisation and its parameters."""

MAJORITIES = ("condorcet", "weighted-condorcet")
"""Methods whose order is open where majorities run in circles or are even."""


def _cases() -> tuple[list[dict[str, dict[str, float]]], dict[str, dict[str, int]]]:
    """Three runs without ties over the same queries, and judgments of some documents.

    A third of the scores is below 0; only the first of a list never is, as `max` refuses such lists here.
    """
    rng = np.random.default_rng(20_262)
    runs: list[dict[str, dict[str, float]]] = [{}, {}, {}]
    judgments: dict[str, dict[str, int]] = {}
    for number in range(CASES):
        known, longest = (80, 60) if number % LONG == 0 else (8, 5)
        for run in runs:
            listed = rng.choice(known, size=rng.integers(1, longest + 1), replace=False)
            scores = (rng.choice(150, len(listed), replace=False) - 49.0) / 8
            scores[0] = 13
            run[f"{number}"] = {f"d{d}": float(s) for d, s in zip(listed, scores, strict=True)}
        judged = rng.choice(known, size=5 * known // 8, replace=False)
        # ranx leaves a query out of its lessons where nothing is relevant, so something is.
        grades = [1, *rng.integers(0, 3, len(judged) - 1)]
        judgments[f"{number}"] = {f"d{d}": int(g) for d, g in zip(judged, grades, strict=True)}
    return runs, judgments


def _complete() -> list[dict[str, dict[str, float]]]:
    """Three runs that list the same five documents, where majorities run in no circle."""
    rng, found = np.random.default_rng(5), []
    while len(found) < CASES:
        orders = [rng.permutation(5) for _ in range(3)]
        beats = np.array([[sum(o[a] < o[b] for o in orders) > 1 for b in range(5)] for a in range(5)])
        if sorted(beats.sum(axis=1)) == list(range(5)):
            found.append(orders)
    return [
        {f"{n}": {f"d{d}": 10.0 - place for d, place in enumerate(orders[run])} for n, orders in enumerate(found)}
        for run in range(3)
    ]


RUNS, JUDGMENTS = _cases()
COMPLETE = _complete()


def _asked(method: str, norm: str, settings: dict[str, Any]) -> list[Any]:
    """The same in ranx's words."""
    params = {THEIR_NAMES.get(name, name): value for name, value in settings.items()}
    params |= {"k": 60} if method == "rrf" else {}
    return [METHODS[method].ranx, NORMALISATIONS[norm].ranx, params]


SCORED = [one for one in ASKED if one[0] not in MAJORITIES]
EVEN = [0.4, 0.3, 0.3]
"""Weights of which none outvotes the two others: the majorities are those without weights."""


@pytest.fixture(scope="module")
def answers() -> list[list[dict[str, dict[str, float]]]]:
    """What ranx makes of all runs: of the random ones, the complete ones, and two with negative scores."""
    majorities = [_asked("condorcet", "none", {}), _asked("weighted-condorcet", "none", {"weights": EVEN})]
    negative = [{"q": {"a": -1.0, "b": -2.0}}] * 2
    jobs = [
        {"runs": RUNS, "qrels": JUDGMENTS, "asked": [_asked(*one) for one in SCORED]},
        {"runs": COMPLETE, "qrels": JUDGMENTS, "asked": majorities},
        {"runs": negative, "qrels": {"q": {"a": 1}}, "asked": [["sum", "max", {}]]},
    ]
    program = [sys.executable, str(Path(__file__).with_name("ranx_program.py"))]
    done = subprocess.run(program, input=json.dumps(jobs), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[list[dict[str, dict[str, float]]]] = json.loads(done.stdout)
    return found


def test_all_methods_are_asked() -> None:
    """Every method and every normalisation that ranx has is compared."""
    assert {method for method, _, _ in ASKED} == {name for name, kind in METHODS.items() if kind.ranx}
    assert {norm for _, norm, _ in ASKED} == set(NORMALISATIONS)


@pytest.mark.parametrize("number", range(len(SCORED)), ids=[one[0] for one in SCORED])
def test_scores(answers: Any, number: int) -> None:
    """In every case each document has ranx's score, to eleven digits."""
    (method, norm, settings), peer = SCORED[number], answers[0][number]
    ours = fuse(RUNS, method, norm=norm, judgments=JUDGMENTS, **settings).to_dict()
    assert ours.keys() == peer.keys()
    assert len(ours) == CASES
    flat = [(score, peer[query].pop(document)) for query, lists in ours.items() for document, score in lists.items()]
    np.testing.assert_allclose(*np.array(flat).T, rtol=2e-11, atol=1e-13)
    assert not any(peer.values()), "ranx has no document that is not here"


def test_majorities(answers: Any) -> None:
    """Where majorities order all documents, both give that order; the order of the rest depends on Python's hashes."""
    plain, weighted = answers[1]
    assert fuse(COMPLETE, "condorcet").to_dict() == plain
    assert fuse(COMPLETE, "weighted-condorcet", weights=EVEN).to_dict() == weighted == plain


def test_no_document_loses_to_the_next() -> None:
    """In any case, a document is never followed by one that more runs have above it."""
    fused = fuse(RUNS, "condorcet").to_dict()
    for query, scores in fused.items():
        order = list(scores)
        for above, below in pairwise(order):
            votes = 0
            for run in RUNS:
                one, other = (run[query].get(d, -np.inf) for d in (above, below))
                votes += (one > other) - (one < other)
            assert votes >= 0, (query, above, below)


def test_negative_scores_under_max(answers: Any) -> None:
    """ranx divides by 1e-9 where a list's highest score is not above 0; here that is an error, tested elsewhere."""
    assert answers[2][0]["q"] == pytest.approx({"a": -2e9, "b": -4e9})
