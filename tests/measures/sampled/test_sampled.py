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


def test_prels_have_chances(tmp_path: Path) -> None:
    """A document that was drawn with a chance of 1/4 stands for four; one with a chance of 0 was not drawn."""
    (tmp_path / "prels").write_text("7 a 1 1 0.25\n7 b 0 1 0.5\n7 c 1 2 1.0\n7 d 1 0 0.0\n")
    run = {"7": ["a", "b", "d", "c", "x"]}
    found = evaluate(tmp_path / "prels", run, ["statAP"]).matrix[0, 0]
    assert found == pytest.approx((4 * 1 / 1 + 1 * (1 + 4) / 4) / (4 + 1))
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
