"""Compatibility beside ir-measures, whose code is the authors' own, and beside every ideal ranking."""

from __future__ import annotations

import itertools

import ir_measures
import numpy as np
import pytest

from rankgauge import evaluate
from rankgauge.measures import parse
from rankgauge.ranking import RankedLists
from tests.peers.cases import CASES, cases


@pytest.mark.filterwarnings("ignore")  # ir-measures warns of its own dependencies
@pytest.mark.parametrize("name", ["Compat", "Compat(p=0.8)", "Compat(p=0.9, normalize=False)"])
def test_ir_measures(name: str) -> None:
    """The values agree in every random case without ties. Scores are above 0: ir-measures takes 0 for not retrieved."""
    case = cases(ties=False, lowest=-1)
    run = {query: {document: score + 1 for document, score in found.items()} for query, found in case.run.items()}
    result = evaluate(case.judgments, run, [name])
    peer = ir_measures.parse_measure(name)
    theirs = {found.query_id: found.value for found in ir_measures.iter_calc([peer], case.judgments, run)}
    wanted = [theirs[query] for query in result.queries]
    assert len(wanted) == CASES
    np.testing.assert_allclose(result.matrix[:, 0], wanted, rtol=0, atol=1e-12)


def overlap(listed: list[int], ideal: list[int], p: float) -> float:
    """Rank-biased overlap of two lists to the depth of the longer one."""
    depth = max(len(listed), len(ideal))
    return sum(p**d * len({*listed[: d + 1]} & {*ideal[: d + 1]}) / (d + 1) for d in range(depth))


def test_no_ideal_ranking_is_nearer() -> None:
    """The value is the highest over every ideal ranking, tried one by one."""
    rng = np.random.default_rng(5)
    measure, p = parse("Compat(p=0.8)"), 0.8
    for _ in range(60):
        grades = rng.integers(0, 3, 7)
        listed = rng.permutation(7)[: rng.integers(1, 8)].tolist()
        missed = [float(grades[d]) for d in range(7) if d not in listed]
        levels = [[d for d in range(7) if grades[d] == g] for g in (2, 1)]
        orders = itertools.product(*(itertools.permutations(level) for level in levels))
        ideals = [[d for level in order for d in level] for order in orders]
        if ideals[0]:
            depth = max(len(listed), len(ideals[0]))
            full = sum(p**d * min(d + 1, len(ideals[0])) / (d + 1) for d in range(depth))
            best = max(overlap(listed, ideal, p) for ideal in ideals) / full
            value = measure.score(RankedLists.of([float(grades[d]) for d in listed], missed=missed))
            assert float(value) == pytest.approx(best)
