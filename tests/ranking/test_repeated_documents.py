"""Documents that a run lists more than once, and documents that are judged more than once."""

from __future__ import annotations

from itertools import permutations
from math import log2
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.errors import InputError, JudgmentsError, RepeatedError
from rankgauge.policies import Duplicates
from tests.program import rankgauge

ACCEPTING = [one for one in Duplicates if one is not Duplicates.REFUSE]
CUT_FIRST = "nDCG(ideal_depth='list')@3"
"""As MLflow computes it: the list ends at the cutoff, and so do its copies and its ideal ranking."""
MEASURES = [
    "nDCG@3",
    "nDCG@10",
    "nDCG",
    CUT_FIRST,
    "P@5",
    "P(padded=False)@5",
    "R@3",
    "R@10",
    "AP",
    "RR",
    "SetP",
    "SetR",
]

Listed = list[tuple[str | None, float]]
"""A list as it counts: for each place a document, None where it is empty, and its grade."""


def counted(listed: list[str], grades: dict[str, float], how: Duplicates) -> Listed:
    """What a list counts under a choice, found line by line."""
    if how is Duplicates.LAST:
        listed = [one for at, one in enumerate(listed) if one not in listed[at + 1 :]]
    places: Listed = []
    seen: set[str] = set()
    for document in listed:
        grade = grades.get(document, 0.0)
        if document in seen:
            if how is Duplicates.FIRST:
                continue
            hole = how in (Duplicates.FIRST_HOLE, Duplicates.COUNT_ONCE)
            grade = 0.0 if hole else max(grade, 1.0) if how is Duplicates.ROWS_RELEVANT else grade
            places.append((None if how is Duplicates.FIRST_HOLE else f"{document} again", grade))
        else:
            places.append((document, grade))
        seen.add(document)
    return places


def plainly(listed: list[str], grades: dict[str, float], how: Duplicates) -> dict[str, float]:
    """The measures of a list by plain loops."""
    places = counted(listed, grades, how)
    rows = how in (Duplicates.ROWS, Duplicates.ROWS_RELEVANT)
    gains = [grade for _, grade in places]

    def copies(k: int) -> list[float]:
        return [grade for name, grade in places[:k] if rows and name and name.endswith("again")]

    def dcg(found: list[float], k: int) -> float:
        return sum(grade / log2(rank + 1) for rank, grade in enumerate(found[:k], 1))

    def ndcg(k: int, reach: int = len(places), length: int = len(places) + len(grades)) -> float:
        ideal = dcg(sorted([*grades.values(), *copies(reach)], reverse=True), min(k, length))
        return dcg(gains, k) / ideal if ideal else 0.0

    hits = [grade >= 1 for grade in gains]
    n = sum(name is not None for name, _ in places)
    relevant = sum(grade >= 1 for grade in [*grades.values(), *copies(len(places))])
    precisions = [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]
    ranks = [rank for rank, hit in enumerate(hits, 1) if hit]
    return {
        "nDCG@3": ndcg(3),
        "nDCG@10": ndcg(10),
        "nDCG": ndcg(len(places) + len(grades)),
        CUT_FIRST: ndcg(3, 3, n),
        "P@5": sum(hits[:5]) / 5,
        "P(padded=False)@5": sum(hits[:5]) / min(5, n),
        "R@3": sum(hits[:3]) / relevant if relevant else 0.0,
        "R@10": sum(hits[:10]) / relevant if relevant else 0.0,
        "AP": sum(precisions) / relevant if relevant else 0.0,
        "RR": 1 / ranks[0] if ranks else 0.0,
        "SetP": sum(hits) / n,
        "SetR": sum(hits) / relevant if relevant else 0.0,
    }


def drawn(
    rng: np.random.Generator, queries: int, documents: int = 12
) -> tuple[dict[str, dict[str, float]], dict[str, list[str]]]:
    """Judgments and lists with many copies of few documents."""
    judgments, run = {}, {}
    for number in range(queries):
        judged = rng.choice(documents, int(rng.integers(1, 3 * documents // 4)), replace=False)
        judgments[f"q{number}"] = {f"d{one}": float(rng.integers(0, 4)) for one in judged}
        run[f"q{number}"] = [f"d{one}" for one in rng.integers(0, documents, int(rng.integers(1, 15)))]
    return judgments, run


@pytest.mark.parametrize("how", ACCEPTING)
@pytest.mark.parametrize("runs", [50, pytest.param(1_000, marks=pytest.mark.study)])
def test_every_choice_is_what_a_plain_loop_gives(how: Duplicates, runs: int) -> None:
    """Random runs with copies have the values that a loop over their lines gives, whatever copies count."""
    rng = np.random.default_rng(32)
    for _ in range(runs):
        judgments, run = drawn(rng, 8)
        result = evaluate(judgments, run, MEASURES, duplicates=how)
        expected = np.array([list(plainly(run[query], judgments[query], how).values()) for query in judgments])
        np.testing.assert_allclose(result.matrix, expected, atol=1e-12)
        if how is not Duplicates.COUNT_EACH:
            assert result.matrix.max() <= 1 + 1e-12  # neither recall nor nDCG is above 1


@pytest.mark.parametrize("ties", ["expected", "best", "worst"])
@pytest.mark.parametrize("how", [one for one in ACCEPTING if one is not Duplicates.COUNT_EACH])
def test_no_value_is_above_1_where_copies_are_tied(how: Duplicates, ties: str) -> None:
    """Copies with the score of other documents never raise recall, precision or nDCG above 1, at any depth."""
    rng = np.random.default_rng(7)
    judgments, run = drawn(rng, 200, documents=4)
    tied = [(query, one, float(rng.integers(0, 4))) for query, documents in run.items() for one in documents]
    frame = pl.DataFrame(tied, schema=["query", "document", "score"], orient="row")
    names = ["nDCG@3", "nDCG", "nDCG(judged_only=True)@3", CUT_FIRST, "R@3", "AP", "RR"]
    for depth in (None, 4):
        matrix = evaluate(judgments, frame, names, duplicates=how, ties=ties, depth=depth).matrix
        assert matrix.max() <= 1 + 1e-12


@pytest.mark.parametrize("how", [Duplicates.COUNT_EACH, Duplicates.ROWS, Duplicates.ROWS_RELEVANT])
def test_tied_copies_have_the_mean_over_all_orders(how: Duplicates) -> None:
    """Where copies are tied, also across the cutoff, the value is the mean over the orders of the tied lines."""
    grades = {"a": 3.0, "b": 1.0}
    lines = [("q", "a", 2.0)] + [("q", one, 1.0) for one in ("x", "a", "a", "b")]
    orders = [plainly(["a", *order], grades, how) for order in permutations(["x", "a", "a", "b"])]
    frame = pl.DataFrame(lines, schema=["query", "document", "score"], orient="row")
    exact = [name for name in MEASURES if name != CUT_FIRST]  # whose ideal ranking has the copies that it may reach
    result = evaluate({"q": grades}, frame, exact, duplicates=how)
    for name in exact:
        assert result[name] == pytest.approx(np.mean([order[name] for order in orders]), abs=1e-12), name


def test_a_run_without_copies_is_the_same_under_every_choice() -> None:
    """A choice about copies changes nothing where there are none, and says nothing."""
    judgments, run = {"q": {"a": 2.0, "b": 1.0}}, {"q": ["b", "x", "a"]}
    usual = evaluate(judgments, run, MEASURES)
    for how in ACCEPTING:
        result = evaluate(judgments, run, MEASURES, duplicates=how)
        assert (result.matrix == usual.matrix).all()
        assert not any("repeat" in note for note in result.notes)


def test_the_notes_count_copies() -> None:
    """A note says how many lines repeat a document, and what they count."""
    result = evaluate({"q": {"a": 1}}, {"q": ["a", "a", "b", "a"]}, "P@2", duplicates="count-once")
    assert "2 lines of the run repeat a document that its list holds already; " + Duplicates.COUNT_ONCE.words in [
        *result.notes
    ]


def test_the_refusal_names_the_option() -> None:
    """By default a copy is an error, which says how to go on."""
    with pytest.raises(RepeatedError, match="--duplicates first or count-once") as caught:
        evaluate({"q": {"a": 1}}, {"q": ["a", "a"]}, "P@2")
    assert "duplicates='first' in Python" in str(caught.value)


def test_copies_of_documents_judged_by_subtopic() -> None:
    """A copy can be credited for its subtopics, but cannot be a document of its own among them."""
    judgments = pl.DataFrame({"query": "q", "document": ["a", "b"], "subtopic": ["1", "2"], "grade": [1.0, 1.0]})
    assert evaluate(judgments, {"q": ["a", "a", "b"]}, "StRecall@2", duplicates="first")["StRecall@2"] == 1
    assert evaluate(judgments, {"q": ["a", "a", "b"]}, "StRecall@2", duplicates="count-each")["StRecall@2"] == 1 / 2
    with pytest.raises(InputError, match="--duplicates rows needs one grade"):
        evaluate(judgments, {"q": ["a", "a", "b"]}, "StRecall@2", duplicates="rows")


FILES = {
    "qrels.txt": "q 0 a 1\nq 0 b 2\nr 0 a 1\n",
    "run.txt": "q Q0 b 1 9 x\nq Q0 b 2 8 x\nq Q0 a 3 7 x\nr Q0 a 1 1 x\n",
    "twice.txt": "q 0 a 1\nq 0 b 0\nr 0 a 1\nq 0 b 2\n",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with judgments, with judgments that contradict each other, and with a run that lists b twice."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("how", ACCEPTING)
def test_the_command_is_the_function(folder: Path, how: Duplicates) -> None:
    """`--duplicates` on the command line gives what `duplicates=` gives in Python, and the page shows the copies."""
    words = ["evaluate", "qrels.txt", "run.txt", "-m", "nDCG@3", "--duplicates", how.value, "-o"]
    expected = evaluate("qrels.txt", "run.txt", "nDCG@3", duplicates=how)["nDCG@3"]
    assert f"nDCG@3\tall\t{expected!r}" in rankgauge([*words, "tsv"], folder).out
    assert rankgauge([*words, "page.html"], folder).code == 0
    assert ("b (copy 2)" in Path("page.html").read_text()) is (how not in (Duplicates.FIRST, Duplicates.LAST))


@pytest.mark.parametrize(("how", "grade"), [("max", 2.0), ("last", 2.0), ("first", 0.0), ("each", 2.0)])
def test_documents_judged_twice(folder: Path, how: str, grade: float) -> None:
    """The highest, the first or the last judgment of a document counts, in files, frames and at the command line."""
    run = {"q": ["b", "a"], "r": ["a"]}
    for judgments in (
        "twice.txt",
        pl.read_csv("twice.txt", separator=" ", new_columns=["query", "_", "document", "grade"], has_header=False),
    ):
        result = evaluate(judgments, run, ["DCG@1", "NumRel"], judged_twice=how)
        assert result.values.filter(query="q", measure="DCG@1")["value"].item() == grade
        assert result["NumRel"] == (3 if grade else 2)
        assert any("1 judgment of documents judged before" in note for note in result.notes)
    words = ["evaluate", "twice.txt", "run.txt", "-m", "DCG@1", "--duplicates", "first", "--judged-twice", how]
    assert f"DCG@1\tall\t{(grade + 1) / 2!r}" in rankgauge([*words, "-o", "tsv"], folder).out


def test_the_same_judgment_twice_is_two_documents_of_the_ideal() -> None:
    """With judged_twice=each, as in LlamaIndex, a repeated judgment is one more document to find."""
    judgments = pl.DataFrame({"query": ["q", "q"], "document": ["a", "a"], "grade": [1.0, 1.0]})
    assert evaluate(judgments, {"q": ["a"]}, "nDCG")["nDCG"] == 1
    each = evaluate(judgments, {"q": ["a"]}, ["nDCG", "R@1"], judged_twice="each")
    assert each["nDCG"] == pytest.approx(1 / (1 + 1 / log2(3)))
    assert each["R@1"] == 1 / 2


def test_contradictions_are_refused_with_the_option(folder: Path) -> None:
    """By default two grades of one document are an error at the second line, which names the option."""
    with pytest.raises(InputError, match=r"twice.txt:4: document b of query q is judged twice") as caught:
        evaluate("twice.txt", {"q": ["a"], "r": ["a"]}, "P@1")
    assert "--judged-twice max" in str(caught.value)
    assert not isinstance(caught.value, JudgmentsError | RepeatedError)
