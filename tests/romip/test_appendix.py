"""The examples of the appendix and of its ambiguities, as arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import log2

import polars as pl
import pytest

from rankgauge import evaluate, romip
from rankgauge.files.scales import SCALES
from rankgauge.romip import Decisions, TrackResult, derive


def one(grades: list[float | None], missed: list[float] = []) -> TrackResult:  # noqa: B006 - never changed
    """The search track on one query: grades in rank order, None for a document that nobody judged."""
    names = [f"d{place}" for place in range(len(grades))]
    judged = {d: g for d, g in zip(names, grades, strict=True) if g is not None}
    judged |= {f"m{place}": grade for place, grade in enumerate(missed)}
    tables = derive(
        pl.DataFrame({"query": "q", "document": list(judged), "grade": [float(g) for g in judged.values()]})
    )
    run = {"q": {name: -float(place) for place, name in enumerate(names)}}
    return romip.search(tables, {"run": run}, cutoffs=(5,))


def test_eleven_points() -> None:
    """Relevant at ranks 1, 2, 4 and 15: 1 for recall 0 to .5, .75 for .6 and .7, 4/15 from .8 on."""
    found = one([1, 1, 0, 1, *[0] * 10, 1])
    for curve in ("11-point matrix (TREC)", "11-point matrix (ROMIP)"):
        points = found.curves.filter(pl.col("table") == "relevant-minus", pl.col("curve") == curve)["precision"]
        assert points.to_list() == pytest.approx([1.0] * 6 + [3 / 4] * 2 + [4 / 15] * 3)


def test_least_n_is_a_ceiling_in_exact_arithmetic() -> None:
    """0.7 of 10 relevant documents are 7, not 8: with 7 found the level is reached."""
    found = one([1] * 7, missed=[1] * 3).curves.filter(pl.col("table") == "relevant-minus")
    trec = found.filter(pl.col("curve") == "11-point matrix (TREC)")["precision"].to_list()
    reached = found.filter(pl.col("curve") == "11-point matrix (ROMIP)")
    assert trec == [1.0] * 8 + [0.0] * 3
    assert reached["n"].to_list() == [1] * 8 + [0] * 3


def test_bpref() -> None:
    """R = 4, N = 2: .6875 where ROMIP divides by R, .375 where trec_eval divides by min(R, N); bpref-10 .911."""
    found = one([1, 0, 1, 0, 1, 1])
    assert found.value("relevant-minus", "bpref", "run") == pytest.approx((1 + (1 - 1 / 4) + 2 * (1 - 2 / 4)) / 4)
    assert found.value("relevant-minus", "bpref", "run") == pytest.approx(0.6875)
    expected = (1 + (1 - 1 / 14) + 2 * (1 - 2 / 14)) / 4
    assert found.value("relevant-minus", "bpref-10", "run") == pytest.approx(expected)
    assert expected == pytest.approx(0.911, abs=5e-4)
    judged = {"q": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 1, "f": 1}}
    run = {"q": dict(zip("abcdef", range(6, 0, -1), strict=True))}
    assert evaluate(judged, run, "Bpref", dialect="trec_eval")["Bpref"] == pytest.approx(0.375)


def test_bpref_is_clipped() -> None:
    """Of the non-relevant documents only the first R count, so that no document is worth less than 0."""
    assert one([0, 0, 0, 1]).value("relevant-minus", "bpref", "run") == 0.0
    assert one([0, 0, 0, 1]).value("relevant-minus", "bpref-10", "run") == pytest.approx(1 - 3 / 11)


def test_bpref_of_few_relevant_documents_is_coarse() -> None:
    """Section 3.4: with one relevant document bpref is 0 or 1; bpref-10 tells 0 to 11 others above apart."""
    results = [one([0] * above + [1]) for above in range(14)]
    found, finer = ([r.value("relevant-minus", name, "run") for r in results] for name in ("bpref", "bpref-10"))
    assert found == [1.0] + [0.0] * 13
    assert finer == pytest.approx([1 - min(above, 11) / 11 for above in range(14)])


def test_bpref_sees_judged_documents_only() -> None:
    """Section 3.4: bpref is made for judgments of a part of the documents: the others change nothing."""
    judged: list[float | None] = [1, 0, 1, 0, 1, 1]
    between: list[float | None] = [None, 1, None, None, 0, 1, None, 0, 1, 1, None]
    for name in ("bpref", "bpref-10"):
        assert one(judged).value("relevant-minus", name, "run") == one(between).value("relevant-minus", name, "run")


@pytest.mark.parametrize(("mark", "shift", "rounded"), [("", 2, 0.802), (" 1+p", 1, 0.661)])
def test_ndcg_both_ways(mark: str, shift: int, rounded: float) -> None:
    """Grades 0, 3, 1, 2, 0: .802 with log2(2 + p) as printed, .661 with log2(1 + p)."""
    gained = 7 / log2(shift + 2) + 1 / log2(shift + 3) + 3 / log2(shift + 4)
    ideal = 7 / log2(shift + 1) + 3 / log2(shift + 2) + 1 / log2(shift + 3)
    found = one([0, 3, 1, 2, 0])
    assert found.value("graded", f"Graded_DCG@5{mark}", "run") == pytest.approx(gained)
    assert found.value("graded", f"Graded_NDCG@5{mark}", "run") == pytest.approx(gained / ideal)
    assert gained / ideal == pytest.approx(rounded, abs=5e-4)
    dialect = "romip-1+p" if mark else "romip"
    run = {"q": {"a": 5, "b": 4, "c": 3, "d": 2, "e": 1}}
    alone = evaluate({"q": {"a": 0, "b": 3, "c": 1, "d": 2, "e": 0}}, run, "nDCG@5", dialect=dialect)
    assert alone["nDCG@5"] == pytest.approx(gained / ideal)


def test_pfound() -> None:
    """PRel is .5, .125, 0, .25, .25 for the grades 3, 1, 0, 2, 2; PLook falls by .85 and by what was found."""
    look, found = 1.0, 0.0
    for p in (0.5, 0.125, 0.0, 0.25, 0.25):
        found += look * p
        look *= (1 - p) * (1 - 0.15)
    assert one([3, 1, 0, 2, 2]).value("graded", "PFound", "run") == pytest.approx(found)


def test_graded_reciprocal_rank() -> None:
    """A document of grade g stops the user with (2^g − 1) / 2^3."""
    expected = 1 / 8 + (7 / 8) * (7 / 8) / 3
    assert one([1, None, 3]).value("graded", "Graded Mean Reciprocal Rank", "run") == pytest.approx(expected)


@pytest.mark.parametrize("metric", ["Graded Mean Reciprocal Rank", "PFound"])
def test_tenth_document(metric: str) -> None:
    """A tenth document changes little after nine relevant ones, and much after nine that are not (section 5.2)."""
    values = {
        (before, tenth): one([before] * 9 + [tenth], missed=[3]).value("graded", metric, "run")
        for before, tenth in product((0, 3), (0, 3))
    }
    after_relevant, after_others = (values[before, 3] - values[before, 0] for before in (3, 0))
    assert 0 < after_relevant < after_others / 100


def test_documents_that_cannot_be_judged() -> None:
    """CANTBEJUDGED has the grade 0: such a document counts as one that was judged not relevant, in bpref too.

    Two relevant documents, one of them behind two others, of which nobody could judge the first.
    """
    scale = SCALES["romip"]
    grades = [scale.grade(label) for label in ("CANTBEJUDGED", "VITAL", "NOTRELEVANT", "VITAL")]
    result = one(grades)
    assert result.value("vital", "bpref", "run") == pytest.approx(((1 - 1 / 2) + (1 - 2 / 2)) / 2)
    assert result.value("vital", "accuracy", "run") == pytest.approx(2 / 4)


@pytest.mark.parametrize(
    ("rank", "trec", "own"),
    [(1, 1, 1), (2, 0.5, 0.9), (3, 0.33, 0.8), (4, 0.2, 0.7), (5, 0.1, 0.6), (6, 0, 0.5), (10, 0, 0.1), (11, 0, 0)],
)
def test_rulers(rank: int, trec: float, own: float) -> None:
    """The scale that the appendix calls TREC's gives 1, .5, .33, .2, .1; ROMIP's 1, .9, … .1; both 0 beyond."""
    judged = pl.DataFrame({"query": ["q"], "document": ["right"], "grade": [3.0]})
    run = {"q": {**{f"wrong{place}": 100.0 - place for place in range(1, rank)}, "right": 1.0}}
    found = romip.qa(derive(judged), {"run": run})
    assert found.value("vital", "TrecReciprocalRank", "run") == trec
    assert found.value("vital", "RomipReciprocalRank", "run") == pytest.approx(own)
    assert found.value("vital", "precision", "run") == 1 / rank


def test_the_square() -> None:
    """a = 2, b = 1, c = 3, d = 4, and F is 0 where nothing was found."""
    square = Decisions(found=2, wrong=1, missed=3, rejected=4)
    assert (square.recall, square.precision) == (2 / 5, 2 / 3)
    assert (square.accuracy, square.error) == (6 / 10, 4 / 10)
    assert pytest.approx(2 / (5 / 2 + 3 / 2)) == square.F
    assert Decisions(found=0, wrong=1, missed=1, rejected=0).F == 0.0


def test_properties_of_f() -> None:
    """Section 1.5: F is between 0 and 1, 0 if r or p is, both if they are equal, from the smaller to their mean."""
    for a, b, c in product(range(5), repeat=3):
        square = Decisions(found=a, wrong=b, missed=c, rejected=0)
        r, p, f = square.recall, square.precision, square.F
        assert min(r, p) - 1e-12 <= f <= (r + p) / 2 + 1e-12
        assert 0 <= f <= 1
        assert f == 0 if r == 0 or p == 0 else f > 0
        assert b != c or f == pytest.approx(r) == pytest.approx(p)


def test_more_documents_change_the_scale_of_errors() -> None:
    """Section 1.3: documents rightly not assigned divide the error by a factor, the same for every system."""
    for a, b, c, d in product(range(5), repeat=4):
        if a + b + c + d:
            few, many = (Decisions(found=a, wrong=b, missed=c, rejected=d + more) for more in (0, 90))
            assert many.error == pytest.approx(few.error * (a + b + c + d) / (a + b + c + d + 90))
            assert many.accuracy == pytest.approx(1 - many.error)


def values(lists: Mapping[str, tuple[Sequence[int], int]], *measures: str) -> dict[str, list[float]]:
    """The measures of each list under the dialect romip, from its grades in rank order and how many it missed."""
    judged = {
        name: {**{f"d{place}": grade for place, grade in enumerate(grades)}, **{f"m{n}": 1 for n in range(missed)}}
        for name, (grades, missed) in lists.items()
    }
    runs = {name: {f"d{place}": -float(place) for place in range(len(grades))} for name, (grades, _) in lists.items()}
    found = evaluate(judged, runs, list(measures), dialect="romip")
    return {query: found.matrix[row].tolist() for row, query in enumerate(found.queries)}


def test_properties_of_average_precision() -> None:
    """Section 3.3: at most recall; recall, if relevant documents come first; the tail after the last one is ignored."""
    patterns = [grades + tail for grades in product((0, 1), repeat=5) if any(grades) for tail in ((), (0, 0))]
    lists = {f"{n} missed, {''.join(map(str, grades))}": (grades, n) for grades in patterns for n in range(3)}
    found = values(lists, "AP", "SetR")
    for name, (grades, _) in lists.items():
        precision, recall = found[name]
        first = list(grades) == sorted(grades, reverse=True)
        assert precision == pytest.approx(recall) if first else precision < recall
        assert len(grades) > 5 or found[f"{name}00"] == pytest.approx([precision, recall])


def test_evenly_spread_documents() -> None:
    """Section 3.3: with every fourth document relevant, average precision is precision · recall."""
    (ap, precision, recall) = values({"q": ([0, 0, 0, 1] * 25, 5)}, "AP", "SetP", "SetR")["q"]
    assert ap == pytest.approx(precision * recall)


def test_precision_of_an_ideal_system() -> None:
    """Section 3.1: only relevant documents, 20 or 30 of them, make precision(100) 0.2 or 0.3."""
    found = values({"20": ([1] * 20, 0), "30": ([1] * 30, 0)}, "P@100")
    assert found == {"20": [20 / 100], "30": [30 / 100]}


def test_precision_of_few_documents() -> None:
    """Section 3.1: where fewer than n documents are returned, precision(n) is at most precision, with more it may be
    more."""
    lists = {"".join(map(str, grades)): (grades, 1) for n in range(1, 7) for grades in product((0, 1), repeat=n)}
    found = values(lists, "P@5", "SetP")
    assert all(short <= whole for name, (short, whole) in found.items() if len(name) < 5)
    assert found["100000"][0] > found["100000"][1]


def test_ndcg_sees_only_the_first_documents() -> None:
    """Section 5.1: NDCG@5 is 1 although the documents after the fifth are not ranked by their grades."""
    found = values({"sorted": ([3, 2, 2, 1, 1, 0, 1], 0), "unsorted": ([2, 3, 2, 1, 1, 0, 1], 0)}, "nDCG@5", "nDCG")
    assert found["sorted"][0] == pytest.approx(1)
    assert found["sorted"][1] < 1
    assert found["unsorted"][0] < 1


def test_the_mean_of_assessors_is_a_grade() -> None:
    """Grades of 1 and 0 make 0.5: a query with no more is left out of and_…, not of or_… nor of the graded table."""
    ratings = pl.DataFrame({"query": "q", "document": "d", "grade": [1.0, 0.0], "assessor": ["a", "b"]})
    tables = derive(ratings)
    outcome = romip.search(tables, {"run": {"q": {"d": 1.0}}}, cutoffs=(1,))
    used = {table: (used, left) for table, used, left in outcome.used.iter_rows()}
    assert used["and_relevant-minus"] == (0, 1)
    assert used["or_relevant-minus"] == used["graded"] == (1, 0)
    assert outcome.value("graded", "Graded_DCG@1", "run") == pytest.approx((2**0.5 - 1) / log2(3))
    assert outcome.value("graded", "PFound", "run") == pytest.approx(0.5 * 2 ** (0.5 - 3))


def test_official_names() -> None:
    """CSV and JSON have the names that the appendix gives its metrics."""
    names = set(one([3, 1]).figures["metric"])
    assert {"average precision", "precision(5)", "bpref", "bpref-10", "R-precision", "recall", "precision"} <= names
    assert {"Graded_NDCG@5", "Graded_DCG@5", "Graded Mean Reciprocal Rank", "PFound"} <= names
