"""Compatibility beside ir-measures, beside the authors' definition, and beside every ideal ranking."""

from __future__ import annotations

import itertools

import ir_measures
import numpy as np
import pytest

from rankgauge import dialects, evaluate
from rankgauge.measures import parse
from rankgauge.ranking import RankedLists
from tests.peers.cases import CASES, cases


@pytest.mark.filterwarnings("ignore")  # ir-measures warns of its own dependencies
@pytest.mark.parametrize("name", ["Compat", "Compat(p=0.8)", "Compat(p=0.9, normalize=False)"])
def test_ir_measures(name: str) -> None:
    """In its dialect the values agree in every random case without ties.

    Scores are above 0; below, ir-measures differs, as the dialect says.
    """
    case = cases(ties=False, lowest=-1)
    run = {query: {document: score + 1 for document, score in found.items()} for query, found in case.run.items()}
    result = evaluate(case.judgments, run, [name], dialect="ir-measures")
    peer = ir_measures.parse_measure(name)
    theirs = {found.query_id: found.value for found in ir_measures.iter_calc([peer], case.judgments, run)}
    wanted = [theirs[query] for query in result.queries]
    assert len(wanted) == CASES
    np.testing.assert_allclose(result.matrix[:, 0], wanted, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_scores_below_zero() -> None:
    """ir-measures puts documents that the run lacks above those with scores below 0; the dialect says that it does not
    do so, and give what it gives for the same order with scores above 0."""
    judgments, run = {"q": {"d1": 1, "d2": 1}}, {"q": {"d2": -1.0, "d3": -2.0}}
    above = {"q": {"d2": 2.0, "d3": 1.0}}
    peer = ir_measures.parse_measure("Compat(p=0.8)")
    lower, higher = (next(iter(ir_measures.iter_calc([peer], judgments, one))).value for one in (run, above))
    assert lower == pytest.approx(0.8 * (1 / 2) / (1 + 0.8))
    assert higher == pytest.approx((1 + 0.8 * (1 / 2)) / (1 + 0.8))
    assert evaluate(judgments, run, "Compat(p=0.8)", dialect="ir-measures")["Compat(p=0.8)"] == pytest.approx(higher)
    assert any("scores below 0" in words for words in dialects.get("ir-measures").differs)


def overlap(listed: list[int], ideal: list[int], p: float, depth: int) -> float:
    """Rank-biased overlap of two lists to a depth."""
    return sum(p**d * len({*listed[: d + 1]} & {*ideal[: d + 1]}) / (d + 1) for d in range(depth))


@pytest.mark.parametrize("name", ["Compat(p=0.8)", "Compat(p=0.8, until='longer')"])
def test_no_ideal_ranking_is_nearer(name: str) -> None:
    """The value is the highest over every ideal ranking, tried one by one, at the authors' depth of 1,000 ranks or at
    the end of the longer list."""
    rng = np.random.default_rng(5)
    measure, p = parse(name), 0.8
    for _ in range(60):
        grades = rng.integers(0, 3, 7)
        listed = rng.permutation(7)[: rng.integers(1, 8)].tolist()
        missed = [float(grades[d]) for d in range(7) if d not in listed]
        levels = [[d for d in range(7) if grades[d] == g] for g in (2, 1)]
        orders = itertools.product(*(itertools.permutations(level) for level in levels))
        ideals = [[d for level in order for d in level] for order in orders]
        if ideals[0]:
            # After 200 ranks, 0.8 to that power adds nothing to a double.
            depth = max(len(listed), len(ideals[0])) if "longer" in name else 200
            full = overlap(ideals[0], ideals[0], p, depth)
            best = max(overlap(listed, ideal, p, depth) for ideal in ideals) / full
            value = measure.score(RankedLists.of([float(grades[d]) for d in listed], missed=missed))
            assert float(value) == pytest.approx(best)


def test_documents_that_nobody_judged_change_nothing_below() -> None:
    """However many unjudged documents follow a short list, its value is the same."""
    values = [
        float(parse("Compat").score(RankedLists.of([2.0, 1.0] + [None] * n, missed=[1.0]))) for n in (0, 5, 2_000)
    ]
    assert len(set(values)) == 1


@pytest.mark.parametrize("name", ["Compat(p=0.999)", "Compat(p=0.999, normalize=False)"])
def test_rank_1000_is_the_last(name: str) -> None:
    """A document past rank 1,000 is as good as missed, and an ideal ranking has 1,000 documents at most."""
    listed, missed = [1.0] * 1_000, [1.0] * 200
    inside = parse(name).score(RankedLists.of(listed, missed=missed))
    assert float(parse(name).score(RankedLists.of(listed + missed))) == float(inside) == pytest.approx(1.0)
    late = RankedLists.of([None] * 999 + [1.0], missed=[1.0])
    later = RankedLists.of([None] * 1_000 + [1.0], missed=[1.0])
    assert float(parse(name).score(late)) > float(parse(name).score(later)) == 0.0
