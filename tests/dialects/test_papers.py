"""papers: the formulas that the papers on graded relevance print, worked out beside what it computes."""

from __future__ import annotations

from math import log2

import pytest

from rankgauge import dialects, evaluate

GRADES = (1, 0, 3, 3, 2, 0, 1, 4)
"""The list A to H of Scheel, Lommatzsch & Albayrak (2011), whose NDCG is printed as 0.55."""

JUDGMENTS = {"q": {f"d{place}": grade for place, grade in enumerate(GRADES)}}
RUN = {"q": {f"d{place}": -place for place in range(len(GRADES))}}


def dcg(grades: tuple[int, ...]) -> float:
    """Gains of 2^g − 1 over log2(1 + rank)."""
    return sum((2**grade - 1) / log2(1 + rank) for rank, grade in enumerate(grades, start=1))


def value(measure: str, dialect: str) -> float:
    """The list's value."""
    return evaluate(JUDGMENTS, RUN, measure, dialect=dialect)[measure]


def test_gain_and_discount() -> None:
    """DCG as Sawade et al. define it (equation 1), and NDCG of Scheel et al. (equation 3, Table 2: 0.55)."""
    best = tuple(sorted(GRADES, reverse=True))
    assert value("DCG", "papers") == pytest.approx(dcg(GRADES))
    assert value("nDCG", "papers") == pytest.approx(dcg(GRADES) / dcg(best))
    assert f"{value('nDCG', 'papers'):.2f}" == "0.55"


def test_the_name_alone_has_linear_gains() -> None:
    """By its name nDCG has the grade as gain, as in trec_eval: 0.685 for the same list, in both dialects."""
    best = sorted(GRADES, reverse=True)
    linear = [sum(g / log2(1 + rank) for rank, g in enumerate(order, start=1)) for order in (GRADES, best)]
    assert value("nDCG", "standard") == value("nDCG", "trec_eval") == pytest.approx(linear[0] / linear[1])
    assert f"{value('nDCG', 'standard'):.3f}" == "0.685"


def test_top_of_the_scale() -> None:
    """ERR of Sawade et al. (equation 2): the highest grade, here 4, satisfies with (2^4 − 1) / 2^4."""
    passed, expected = 1.0, 0.0
    for rank, grade in enumerate(GRADES, start=1):
        stop = (2**grade - 1) / 2**4
        expected, passed = expected + passed * stop / rank, passed * (1 - stop)
    assert value("ERR", "papers") == pytest.approx(expected)


def test_ties_are_averaged() -> None:
    """Two documents of the same score, one of them relevant: the mean over both orders."""
    found = evaluate({"q": {"a": 2, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, "DCG", dialect="papers")["DCG"]
    assert found == pytest.approx(3 * (1 / log2(2) + 1 / log2(3)) / 2)


def test_only_one_dialect_speaks_for_the_papers() -> None:
    """`papers` differs from `standard` in the gain, and no other dialect calls itself the papers' definition."""
    papers, standard = dialects.get("papers"), dialects.get("standard")
    assert papers == standard.changed(gain="exp", name="papers", title=papers.title, reference=papers.reference)
    speaking = [name for name, known in dialects.DIALECTS.items() if "papers" in known.title]
    assert speaking == ["papers"]
