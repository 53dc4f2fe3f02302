"""Measures of diversity: what they are for one subtopic, and their ideal orders."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from rankgauge import evaluate
from rankgauge.errors import InputError, ParameterError
from rankgauge.measures import parse
from rankgauge.ranking import RankedLists
from tests.measures.bench import stacked

SEED = 7
APART = [(1.0, 1.0, 1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0, 1.0, 1.0), (0.0, 1.0, 1.0, 1.0, 1.0, 0.0)]
"""The greedy order begins with the third, which repeats the other two, and these repeat nothing."""

Documents = list[tuple[float, ...]]


def drawn(rng: np.random.Generator, documents: int, subtopics: int) -> Documents:
    """Documents, each relevant to some of the subtopics."""
    return [tuple(map(float, rng.random(subtopics) < 0.45)) for _ in range(documents)]


@pytest.mark.parametrize(
    ("diverse", "plain"),
    [
        ("AP_IA", "AP"),
        ("AP_IA(rel=2)@3", "AP(rel=2)@3"),
        ("P_IA@4", "P@4"),
        ("StRecall@2", "Success@2"),
        ("I_rec@2", "Success@2"),
        ("alpha_nDCG(alpha=0)@4", "nDCG(gains={1: 1, 2: 1, 3: 1})@4"),
        ("nERR_IA@4", "nERR(max_grade=1, stop='formula')@4"),
        ("D_nDCG(gain='exp')@4", "nDCG(gain='exp')@4"),
    ],
)
def test_one_subtopic_is_the_plain_measure(diverse: str, plain: str) -> None:
    """With one subtopic, and no loss by repetition where there could be one, the value is that of the plain measure."""
    top, rng = 1 if diverse.startswith("nERR") else 3, np.random.default_rng(SEED)
    for _ in range(30):
        grades = [None if g < 0 else float(g) for g in rng.integers(-1, top + 1, 7)]
        missed = [float(g) for g in rng.integers(0, top + 1, 3)]
        one = RankedLists.of([None if g is None else (g,) for g in grades], missed=[(g,) for g in missed])
        expected = parse(plain).score(RankedLists.of(grades, missed=missed))
        assert parse(diverse).score(one) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", ["alpha_nDCG(ideal_order='exact')@4", "alpha_nDCG(alpha=1, ideal_order='exact')@2"])
def test_exact_ideal_is_the_best_of_all_orders(name: str) -> None:
    """The exact ideal order has the greatest value, 1; the greedy one may have less, and never more."""
    exact, greedy = parse(name), parse(name.replace("ideal_order='exact'", "ideal_order='greedy'"))
    above, rng = [], np.random.default_rng(SEED)
    for more in (1, 1, 2, 2, 3, 3):
        documents = [*APART, *drawn(rng, more, 6)]
        orders = [
            RankedLists.of([documents[i] for i in order], missed=[documents[i] for i in others - set(order)])
            for others in [set(range(len(documents)))]
            for order in itertools.permutations(others, exact.depth)
        ]
        assert exact.score(stacked(orders)).max() == pytest.approx(1.0, abs=1e-12)
        above.append(greedy.score(stacked(orders)).max())
    assert min(above) >= 1 - 1e-12
    assert max(above) > 1 or exact == parse("alpha_nDCG(ideal_order='exact')@4")


def test_exact_ideal_knows_its_limits() -> None:
    """Where the best order takes too long to find, the error names the query and says what to do."""
    documents = drawn(np.random.default_rng(SEED), 60, 14)
    cells = [(str(d), str(s), grade) for d, row in enumerate(documents) for s, grade in enumerate(row)]
    rows = [{"query": "hard", "document": d, "subtopic": s, "grade": grade} for d, s, grade in cells]
    rows += [{"query": "easy", "document": "0", "subtopic": "0", "grade": 1}]
    run = {"hard": ["0", "1"], "easy": ["0"]}
    with pytest.raises(InputError, match=r"of query hard takes more than 20000 steps(.|\n)* before rank 9, .*greedy"):
        evaluate(rows, run, "alpha_nDCG(ideal_order='exact')@9")
    assert 0 < evaluate(rows, run, "alpha_nDCG@9").by_query["hard"]["alpha_nDCG@9"] <= 1


def test_exact_ideal_of_many_documents() -> None:
    """A document waits for those that serve the same subtopics and more, so that the search stays short."""
    rng = np.random.default_rng(SEED)
    lists = RankedLists.of([one for one in drawn(rng, 120, 5) if any(one)])
    exact, greedy = (parse(f"alpha_nDCG(ideal_order='{order}')@20") for order in ("exact", "greedy"))
    assert 0 < exact.score(lists) <= greedy.score(lists) + 1e-12


def as_ndeval(documents: Documents, alpha: float, beta: float, depth: int) -> tuple[float, float]:
    """ERR-IA and NRBP as ndeval's loops add them up, where every subtopic has a relevant document."""
    subtopics = range(len(documents[0]))
    worth, most, decay, full = [1.0 for _ in subtopics], 0.0, 1.0, float(len(subtopics))
    err = nrbp = 0.0
    for rank in range(max(depth, len(documents))):
        score = 0.0
        for one in subtopics:
            if rank < len(documents) and documents[rank][one]:
                score += worth[one]
                worth[one] *= 1.0 - alpha
        nrbp += score * decay
        decay *= beta
        if rank < depth:
            err += score / (rank + 1)
            most += full / (rank + 1)
            full *= 1.0 - alpha
    return err / most, nrbp * ((1 - (1 - alpha) * beta) / len(subtopics))


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.5), (0.7, 0.5), (0.2, 0.9), (0.9, 0.6), (0.0, 0.3)])
def test_novelty_is_added_up_as_ndeval_does(alpha: float, beta: float) -> None:
    """To the last bit: a value halfway between two printed ones, and the difference of two runs, depend on it."""
    rng = np.random.default_rng(SEED)
    names = [f"ERR_IA(alpha={alpha})@5", f"NRBP(alpha={alpha}, beta={beta})"]
    err, nrbp, nerr, nnrbp = (parse(name) for name in (*names, *(f"n{name}" for name in names)))
    for _ in range(40):
        first, best = drawn(rng, 8, 4), (1.0,) * 4
        lists, found = RankedLists.of(first, missed=[best]), as_ndeval(first, alpha, beta, 5)
        assert (err.score(lists), nrbp.score(lists)) == found
        left, ideal, worth = [best, *first], Documents(), np.ones(4)
        while left:
            ideal.append(max(left, key=lambda one: sum(np.where(one, worth, 0.0).tolist())))
            left.remove(ideal[-1])
            worth = np.where(ideal[-1], worth * (1.0 - alpha), worth)
        whole = as_ndeval(ideal, alpha, beta, 5)
        assert (nerr.score(lists), nnrbp.score(lists)) == (found[0] / whole[0], found[1] / whole[1])


def test_a_list_without_ties_is_worth_the_same_among_tied_ones() -> None:
    """The ideal order has no ties, so that the best list has 1 and nothing next to it."""
    lists = RankedLists.of([(1.0, 1.0, 1.0), (1.0, 0.0, 1.0), (0.0, 1.0, 1.0)])
    alone = replace(lists, first=lists.ranks, size=np.ones(3))
    for alpha in (0.1, 0.3, 0.7):
        assert parse(f"alpha_nDCG(alpha={alpha})@3").score(alone) == 1


def test_probabilities_weigh_the_subtopics() -> None:
    """A subtopic that is three times as likely counts three times as much, in the list and in the ideal order."""
    lists = RankedLists.of([(0, 1), (1, 0)])
    assert lists.facets is not None
    likely = replace(lists, facets=replace(lists.facets, weights=np.array([0.75, 0.25])))
    first = 1 / np.log2(3)
    assert parse("alpha_nDCG@2").score(likely) == pytest.approx((0.25 + 0.75 * first) / (0.75 + 0.25 * first))
    assert parse("StRecall@1").score(likely) == pytest.approx(0.25)
    assert parse("P_IA@1").score(likely) == pytest.approx(0.25)
    assert parse("I_rec@1").score(likely) == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["alpha_nDCG(alpha=1.5)@5", "NRBP(beta=-0.1)", "Dsharp_nDCG(gamma=2)@5"])
def test_shares_are_from_0_to_1(name: str) -> None:
    """A parameter that is a share is refused elsewhere."""
    with pytest.raises(ParameterError, match="from 0 to 1"):
        parse(name)
