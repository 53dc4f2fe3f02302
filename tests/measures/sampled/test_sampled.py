"""Measures of a sample: against sample_eval.pl, against the whole pool, and on average over samples."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.errors import InputError
from rankgauge.measures import parse
from rankgauge.ranking import UNJUDGED, RankedLists

GOLDEN = Path(__file__).parents[2] / "golden" / "sample_eval"
STATAP = Path(__file__).parents[2] / "golden" / "statap"
NOT = float("nan")


def collection(rng: np.random.Generator, *, rate: float) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Thirty queries of 40 documents in three strata, of which a share is judged, and a run."""
    rows, run = [], {}
    for q in range(30):
        for d in range(40):
            grade = float(rng.choice([0, 0, 0, 1, 2])) if rng.random() < rate else -1.0
            rows.append({"query": f"q{q}", "document": f"d{d}", "stratum": str(d % 3), "grade": grade})
        run[f"q{q}"] = [f"d{d}" for d in rng.permutation(50)[:30]]
    return pl.DataFrame(rows), run


def test_sample_eval_to_its_last_digit() -> None:
    """40 queries with strata sampled at rates from a tenth to all: infAP and infNDCG are those of sample_eval.pl."""
    found = evaluate(GOLDEN / "sampled_qrels.txt", GOLDEN / "run.txt", ["xinfAP", "xinfNDCG@1000"], empty=0).by_query
    lines = [line.split() for line in (GOLDEN / "expected.txt").read_text().splitlines()[1:]]
    assert len(lines) == len(found) == 40
    for query, ap, ndcg in lines:
        assert found[query]["xinfAP"] == pytest.approx(float(ap), abs=1e-12)
        assert found[query]["xinfNDCG@1000"] == pytest.approx(float(ndcg), abs=1e-12)


def test_all_judged_is_the_measure_itself() -> None:
    """Where everything is judged there is nothing to infer: AP and nDCG, up to what keeps shares from 0/0."""
    judgments, run = collection(np.random.default_rng(0), rate=1.0)
    names = ["xinfAP", "statAP", "xinfNDCG@10", "xinfNDCG"]
    sampled = evaluate(judgments, run, names, empty=0).matrix
    whole = evaluate(judgments.drop("stratum"), run, ["AP", "AP", "nDCG@10", "nDCG"][1:], empty=0).matrix
    assert sampled[:, 0] == pytest.approx(whole[:, 0], abs=1e-4)
    assert sampled[:, 1:] == pytest.approx(whole, abs=1e-12)


def test_one_stratum_is_infap() -> None:
    """With one stratum, and something judged above each relevant document, xinfAP is infAP."""
    grades = (0, UNJUDGED, 1, None, 2, UNJUDGED, 0, 1)
    lists = RankedLists.of([None if grade is None else (grade,) for grade in grades], missed=[(1,), (UNJUDGED,)])
    one = parse("xinfAP").score(lists)
    plain = parse("infAP").score(RankedLists.of(grades, missed=[1]))
    assert float(one) == pytest.approx(float(plain), abs=1e-4)


def test_strata_of_one_rate_are_one() -> None:
    """How strata are called changes nothing, and statAP does not ask for strata that are sampled alike."""
    judgments, run = collection(np.random.default_rng(1), rate=0.5)
    called = judgments.with_columns(pl.col("stratum").replace({"0": "top", "1": "a", "2": "b"}))
    one, other = (evaluate(table, run, ["xinfAP", "statAP", "xinfNDCG"]).matrix for table in (judgments, called))
    assert one == pytest.approx(other, nan_ok=True)


def test_sums_are_right_on_average() -> None:
    """Over all samples of three of six documents, the estimated number of relevant ones is the number there is, and
    statAP's sum of precisions is AP's where no two documents of the sample are needed."""
    relevant, totals = (1, 0, 1, 1, 0, 0), []
    from rankgauge.measures.strata import Strata

    for sample in itertools.combinations(range(6), 3):
        grades = [(float(relevant[d]) if d in sample else UNJUDGED,) for d in range(6)]
        totals.append(float(Strata.of(RankedLists.of(grades)).total_relevant(1.0)))
    assert np.mean(totals) == pytest.approx(sum(relevant))


def test_statap_to_its_last_digit() -> None:
    """75 queries of prels with every method, grades of -999 and chances of NA: as statAP_MQ_eval.pl computes them. The
    script leaves out queries without a relevant document, without a list, and without a sample."""
    found = evaluate(STATAP / "prels.txt", STATAP / "run.txt", ["statAP"], missing="skip", empty="leave-out")
    *lines, mean = [line.split() for line in (STATAP / "expected.txt").read_text().splitlines()]
    expected = {query: float(value) for query, value in lines if value not in ("NA", "UMASS")}
    values = {query: one["statAP"] for query, one in found.by_query.items() if one}
    assert values == pytest.approx(expected, abs=1e-11)
    assert (len(expected), found["statAP"]) == (int(mean[1]), pytest.approx(float(mean[2]), abs=1e-11))
    assert any("3 queries were judged by method 0 alone" in note for note in found.notes)
    assert any("lines with the grade -999 or the probability NA" in note for note in found.notes)


def test_prels_have_chances(tmp_path: Path) -> None:
    """A document that was drawn with a chance of 1/4 stands for four; one that was chosen otherwise for itself."""
    (tmp_path / "prels").write_text("7 a 1 1 0.25\n7 b 0 1 0.5\n7 c 1 2 1.0\n7 d 1 0 0.0\n")
    run = {"7": ["a", "b", "d", "c", "x"]}
    found = evaluate(tmp_path / "prels", run, ["statAP"]).matrix[0, 0]
    assert found == pytest.approx((4 * 1 / 1 + 1 * (1 + 4) / 3 + 1 * (1 + 4 + 1) / 4) / (4 + 1 + 1))
    (tmp_path / "odd").write_text("7 a 1 1 0.25\n7 b 0 1 0.5\n" + "7 c 1 2 1.0\n" * 0 + "7 d 1 1 0.5\n")
    assert evaluate(tmp_path / "odd", run, ["statAP"]).matrix[0, 0] > 0


def test_a_table_names_strata(tmp_path: Path) -> None:
    """A CSV with a column stratum is a sample for those who ask; AP beside them is told to take what was judged."""
    judgments, run = collection(np.random.default_rng(2), rate=0.4)
    judgments.write_csv(tmp_path / "sample.csv")
    found = evaluate(tmp_path / "sample.csv", run, ["xinfAP", "AP"])
    assert found.matrix[:, 0] == pytest.approx(evaluate(judgments, run, ["xinfAP"]).matrix[:, 0])
    assert any("documents were sampled: AP" in note for note in found.hits.notes)
    plain = evaluate(tmp_path / "sample.csv", run, ["AP"]).matrix[:, 0]
    assert plain == pytest.approx(evaluate(judgments.drop("stratum"), run, ["AP"]).matrix[:, 0])


def test_judgments_without_a_sample_are_refused() -> None:
    """The error says what is asked for, and which files have it; two kinds of judgments do not go together."""
    with pytest.raises(InputError, match="xinfAP asks for judgments of a sample"):
        evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["xinfAP"])


def test_other_measures_see_what_they_see_alone() -> None:
    """Beside a measure of a sample, and without one, a measure of grades has the same value: of what was drawn."""
    judgments, run = collection(np.random.default_rng(3), rate=0.5)
    names = ["AP", "nDCG@10", "Bpref", "Judged@10", "Unjudged@10", "infAP", "RBPResidual"]
    alone = evaluate(judgments, run, names)
    beside = evaluate(judgments, run, [*names, "xinfAP"])
    drawn = evaluate(judgments.filter(pl.col("grade") >= 0).drop("stratum"), run, names)
    assert alone.matrix == pytest.approx(beside.matrix[:, :-1], nan_ok=True)
    assert alone.matrix == pytest.approx(drawn.matrix, nan_ok=True)
    assert any("xinfAP, xinfNDCG and statAP estimate the whole" in note for note in alone.notes)


def test_chances_do_not_count_twice() -> None:
    """Where documents that were not drawn are listed, the share that was drawn is the chance, whatever else is said."""
    judgments, run = collection(np.random.default_rng(4), rate=0.5)
    names = ["xinfAP", "statAP", "xinfNDCG"]
    plain = evaluate(judgments, run, names).matrix
    assert evaluate(judgments.with_columns(probability=pl.lit(0.5)), run, names).matrix == pytest.approx(plain)


def test_infap_says_how_it_reads_grades_below_zero() -> None:
    """In the standard dialect they count as judged, which is told; pooled, they are documents that were not judged."""
    judgments, run = {"q": {"a": 0, "b": -1, "c": 1}}, {"q": ["a", "b", "c"]}
    counted = evaluate(judgments, run, "infAP")
    assert counted["infAP"] == pytest.approx(1 / 3, abs=1e-4)
    assert any("with --negative pooled it means not judged" in note for note in counted.notes)
    pooled = evaluate(judgments, run, "infAP", negative="pooled")
    assert pooled["infAP"] < counted["infAP"] + 0.2
    assert pooled.notes == ()
    assert pooled["infAP"] == pytest.approx(1 / 3 + 2 / 3 * 1e-5 / (1 + 2e-5), abs=1e-9)


def test_more_is_better() -> None:
    """Estimates of AP and nDCG order runs as AP and nDCG do, and so do sets of documents."""
    for name in ("xinfAP", "xinfNDCG", "statAP", "infAP", "SetP", "SetF", "SetAP", "Q"):
        assert parse(name).facts.more_is_better, name
    for name in ("Unjudged@10", "NumRet", "FallOut", "SetError", "RBPResidual"):
        assert not parse(name).facts.more_is_better, name


def test_a_blank_grade_is_a_document_that_was_not_drawn(tmp_path: Path) -> None:
    """In a table with strata; elsewhere a row without a grade says nothing."""
    judgments, run = collection(np.random.default_rng(5), rate=0.5)
    blank = judgments.with_columns(grade=pl.when(pl.col("grade") >= 0).then("grade"))
    blank.write_csv(tmp_path / "blank.csv")
    names = ["xinfAP", "statAP", "xinfNDCG"]
    expected = evaluate(judgments, run, names).matrix
    assert evaluate(tmp_path / "blank.csv", run, names).matrix == pytest.approx(expected)
    assert evaluate(blank, run, names).matrix == pytest.approx(expected)
