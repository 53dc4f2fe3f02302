"""trec_eval's preferences: its own tests line by line, what its comments say, and preferences that make no sense."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.errors import InputError
from rankgauge.evaluation.topic_lines import lines
from rankgauge.measures import resolve
from tests.shared import shared

OWN = {
    "prefs.test": ("prefs.results.test", "all_prefs", "out.test.prefs"),
    "prefs.comment.test": ("prefs.results.test", "all_prefs", "out.test.prefs"),
    "qrels.test": ("results.test", "all_prefs", "out.test.qrels_prefs"),
    "qrels.123": ("results.test", "qrels_jg", "out.test.qrels_jg"),
    "qrels.comments.123": ("results.test", "qrels_jg", "out.test.qrels_jg"),
}
"""trec_eval's own tests of preferences and of groups: the run, -m, and what trec_eval 10 prints."""


@pytest.mark.parametrize("judged", OWN)
def test_own_output(judged: str) -> None:
    """Line by line what trec_eval prints for prefs, for qrels read as preferences, and for groups of judgments."""
    run, names, output = OWN[judged]
    folder = shared("data/trec_eval_test")
    wanted = (folder / output).read_text(encoding="utf-8").splitlines()
    result = evaluate(folder / judged, folder / run, names, dialect="trec_eval-10")
    assert [str(line) for line in lines(result, resolve([names]), per_query=True, tag="STANDARD")] == wanted


COMMENT = """
qid1  ujg1  sub1  docno1  3.0
qid1  ujg1  sub1  docno2  2.0
qid1  ujg1  sub1  docno3  1.0
qid1  ujg1  sub2  docno2  5.0
qid1  ujg1  sub2  docno4  4.0
"""
"""The example of get_prefs.c: 1>2, 1>3, 2>3, 2>4 and, by transitivity, 1>4."""


def written(folder: Path, preferences: str, *documents: str) -> tuple[Path, Path]:
    """A file of preferences, and a run of these documents."""
    prefs, run = folder / "prefs.txt", folder / "run.txt"
    prefs.write_text(preferences.lstrip(), encoding="utf-8")
    rows = [f"qid1 Q0 {document} {rank} {-rank} tag" for rank, document in enumerate(documents, start=1)]
    run.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return prefs, run


def test_preferences_follow_from_others(tmp_path: Path) -> None:
    """Within a group preferences are transitive."""
    result = evaluate(*written(tmp_path, COMMENT, "docno4", "docno1"), ["NumPrefs", "NumPrefsFul", "Prefs"])
    assert result["NumPrefs"] == 5
    assert result["NumPrefsFul"] == 2  # 1>2 and 1>3 are implied; 4 is above 1; of 2>3 and 2>4 the list has 4 at most
    assert result["Prefs"] == pytest.approx(2 / 5)


def test_groups_may_disagree(tmp_path: Path) -> None:
    """Of two groups that contradict each other one is fulfilled, whatever the list."""
    both = "qid1 ann s d1 2\nqid1 ann s d2 1\nqid1 bob s d1 1\nqid1 bob s d2 2\n"
    result = evaluate(*written(tmp_path, both, "d1", "d2"), ["Prefs", "Prefs(over='pairs')", "Prefs(over='groups')"])
    assert list(result.matrix[0]) == [1 / 2, 1 / 2, 1 / 2]


def test_tied_documents_fulfil_half(tmp_path: Path) -> None:
    """A tied pair is in either order; by default that is the mean over orders."""
    prefs, run = written(tmp_path, COMMENT, "docno1", "docno2")
    run.write_text("qid1 Q0 docno1 1 7 tag\nqid1 Q0 docno2 2 7 tag\n", encoding="utf-8")
    assert evaluate(prefs, run, ["Prefs(among='retrieved')"]).matrix[0, 0] == 1 / 2


RUN_BELOW = "1 Q0 c 1 4 t\n1 Q0 a 2 3 t\n1 Q0 b 3 2 t\n1 Q0 d 4 1 t\n"

BELOW = {
    "1 0 a 1\n1 0 b 0\n1 0 c -1\n1 0 d -2\n": (
        *(6, 4, 4),
        *("0.6667", "0.6667", "0.6667", "0.5714"),
        *("0.6667", "0.6667", "0.6667", "0.5714"),
        *("0.6667", "0.6667", "0.6667"),
    ),
    "1 ann x a 1\n1 ann x b 0\n1 ann x c -1\n1 ann y c -1\n1 ann y d -3\n1 bob x d -1\n1 bob x a -2\n": (
        *(7, 4, 4),
        *("0.5714", "0.5833", "0.3333", "0.0000"),
        *("0.5714", "0.5833", "0.3333", "0.0000"),
        *("0.5714", "0.5833", "0.3333"),
    ),
}
"""Qrels and prefs with levels below 0, and what trec_eval 10.0 prints for -m all_prefs after runid and num_q."""


@pytest.mark.parametrize("judged", BELOW)
@pytest.mark.parametrize("unjudged", ["not-relevant", "skip"])
def test_levels_below_zero_are_levels(tmp_path: Path, judged: str, unjudged: str) -> None:
    """A document of level −1 is preferred to one of level −2, as in trec_eval, which knows no unjudged ones here."""
    prefs, run = tmp_path / "prefs.txt", tmp_path / "run.txt"
    prefs.write_text(judged, encoding="utf-8")
    run.write_text(RUN_BELOW, encoding="utf-8")
    result = evaluate(prefs, run, "all_prefs", dialect="trec_eval-10", unjudged=unjudged)
    printed = [str(line).split("\t")[-1] for line in lines(result, resolve(["all_prefs"]), per_query=False, tag="t")]
    assert printed[2:] == [str(value) for value in BELOW[judged]]
    assert evaluate(prefs, run, ["NumPrefs"])["NumPrefs"] == BELOW[judged][0]
    known = evaluate(prefs, run, ["NumPrefsFul(judged_only=True)"], dialect="trec_eval-10")
    assert known.matrix[0, 0] == BELOW[judged][1]


def test_few_documents_of_the_lowest_level(tmp_path: Path) -> None:
    """Where fewer than R documents have the lowest level, trec_eval reads past their end. Here these are all: what is
    asked for are 4 preferences between levels 1 and 0, and every document above the last, which is not above itself."""
    prefs, run = written(
        tmp_path, "".join(f"qid1 0 {d} {level}\n" for d, level in zip("abcde", (1, 1, 0, 0, -1), strict=True)), *"abcde"
    )
    names = ["prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"]
    assert list(evaluate(prefs, run, names, dialect="trec_eval-10").matrix[0]) == [(4 + 4) / (4 + 5)] * 2
    page = (Path(__file__).parents[2] / "docs" / "kinds-of-judgments.md").read_text(encoding="utf-8")
    assert "read past the end of an array" in page


def test_other_measures_read_negative_grades_as_ever(tmp_path: Path) -> None:
    """Beside a measure of preferences, nDCG has the value that it has alone."""
    judged, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    judged.write_text(next(iter(BELOW)), encoding="utf-8")
    run.write_text(RUN_BELOW, encoding="utf-8")
    below = "nDCG", {}, 1 / math.log2(3)
    without = ("nDCG", {"unjudged": "skip"}, 1.0), ("nDCG(judged_only=True)", {}, 1.0)
    for dialect, cases in {"standard": (below,), "trec_eval": (below, *without)}.items():
        for name, choices, value in cases:
            for names in ([name], ["Prefs", name]):
                result = evaluate(judged, run, names, dialect=dialect, **choices)
                assert result.matrix[0, -1] == pytest.approx(value), (dialect, names)


@pytest.mark.parametrize(("ties", "value"), [("best", 1.0), ("worst", 0.0), ("expected", 1 / 2)])
def test_ties_below_zero(ties: str, value: float) -> None:
    """The best order of tied documents has those of higher levels first, the worst has them last."""
    levels = {"a": 1.0, "b": 0.0, "c": -1.0, "d": -2.0}
    rows = [("q", "group", document, level) for document, level in levels.items()]
    judged = pl.DataFrame(rows, schema=["query", "subtopic", "document", "grade"], orient="row")
    run = {"q": dict.fromkeys("cadb", 1.0)}
    assert evaluate(judged, run, ["Prefs"], ties=ties)["Prefs"] == pytest.approx(value)


def test_a_group_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    """One group cannot prefer each of two documents to the other."""
    both = "qid1 ann s1 d1 2\nqid1 ann s1 d2 1\nqid1 ann s2 d1 1\nqid1 ann s2 d2 2\n"
    with pytest.raises(InputError, match="contradict each other"):
        evaluate(*written(tmp_path, both, "d1", "d2"), ["Prefs"])


def test_other_measures_do_not_read_preferences(tmp_path: Path) -> None:
    """nDCG needs grades, and preferences need groups."""
    prefs, run = written(tmp_path, COMMENT, "docno1")
    with pytest.raises(InputError, match="only measures of preferences"):
        evaluate(prefs, run, ["nDCG"])
    with pytest.raises(InputError, match="asks for judgments by group"):
        evaluate({"qid1": {"docno1": 1}}, {"qid1": {"docno1": 1.0}}, ["Prefs"])
