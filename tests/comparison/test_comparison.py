"""Comparisons of runs: pairs, verdicts, the queries that part them, and ranx as a peer."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats as peer

from rankgauge import compare, evaluate
from rankgauge.comparison import Comparison, ComparisonSettings
from rankgauge.comparison.page import cutoff_curves, recall_curves
from rankgauge.errors import ParameterError, UnknownNameError
from tests.shared import shared

Table = dict[str, dict[str, float]]


def collection(*, queries: int = 30, documents: int = 25, seed: int = 3) -> tuple[Table, dict[str, Table]]:
    """Judgments, and four runs whose scores follow the grades more or less closely; `same` equals `fair`."""
    rng = np.random.default_rng(seed)
    judgments: Table = {}
    runs: dict[str, Table] = {"poor": {}, "fair": {}, "good": {}, "same": {}}
    for q in range(queries):
        grades = rng.integers(0, 4, size=documents) * (rng.random(documents) < 0.4)
        grades[0] = 1  # something relevant in every query
        judgments[f"q{q:02}"] = {f"d{d}": int(grade) for d, grade in enumerate(grades)}
        noise = rng.normal(size=documents)
        for name, weight in (("poor", 0.1), ("fair", 0.6), ("good", 1.4), ("same", 0.6)):
            scores = weight * grades + (noise if name in ("fair", "same") else rng.normal(size=documents))
            runs[name][f"q{q:02}"] = {f"d{d}": float(score) for d, score in enumerate(scores)}
    return judgments, runs


JUDGMENTS, RUNS = collection()


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """All pairs of the four runs by two measures."""
    return compare(JUDGMENTS, RUNS, ["nDCG@10", "AP"])


def row(comparison: Comparison, run: str, other: str, measure: str = "nDCG@10") -> dict[str, object]:
    """What is said of a pair."""
    wanted = (pl.col("run") == run) & (pl.col("other") == other) & (pl.col("measure") == measure)
    return comparison.pairs.filter(wanted).row(0, named=True)


def values(run: str, measure: str = "nDCG@10") -> np.ndarray:
    """A run's values, query by query."""
    return evaluate(JUDGMENTS, RUNS[run], [measure]).matrix[:, 0]


def test_every_pair_once(comparison: Comparison) -> None:
    """Four runs make six pairs for each measure; the later run is held against the earlier one."""
    pairs = comparison.pairs.filter(pl.col("measure") == "AP").select("run", "other").rows()
    assert pairs == [
        ("fair", "poor"),
        ("good", "poor"),
        ("good", "fair"),
        ("same", "poor"),
        ("same", "fair"),
        ("same", "good"),
    ]


def test_a_pair_by_other_means(comparison: Comparison) -> None:
    """Difference, interval, p-value, effect and outcomes of a pair are SciPy's and NumPy's."""
    found, difference = row(comparison, "good", "poor"), values("good") - values("poor")
    test = peer.ttest_rel(values("good"), values("poor"))
    assert found["difference"] == pytest.approx(difference.mean())
    assert (found["low"], found["high"]) == pytest.approx(tuple(test.confidence_interval()))
    assert found["p"] == pytest.approx(test.pvalue)
    assert found["effect"] == pytest.approx(difference.mean() / difference.std(ddof=1))
    assert (found["wins"], found["losses"]) == ((difference > 1e-12).sum(), (difference < -1e-12).sum())
    assert found["verdict"] == "better"


def test_equal_runs(comparison: Comparison) -> None:
    """Runs with the same scores are equal on every query: no difference, no evidence, endless queries needed."""
    found = row(comparison, "same", "fair")
    assert (found["difference"], found["p"], found["verdict"], found["ties"]) == (0.0, 1.0, "equal", 30)
    assert found["needed"] == float("inf")


def test_runs_without_a_common_query_are_not_equal() -> None:
    """Where a dialect leaves out what a run does not answer, runs may share no query: nothing says they are equal."""
    judgments = {query: {"a": 1, "b": 0} for query in "pqrs"}
    good, poor = ({query: {"a": a, "b": 1.0} for query in part} for part, a in (("pq", 2.0), ("rs", 0.5)))
    comparison = compare(judgments, {"good": good, "poor": poor}, "RR", dialect="trec_eval")
    found = row(comparison, "poor", "good", "RR")
    assert (found["queries"], found["verdict"]) == (0, "open")
    assert "equal" not in comparison.table()


def test_baseline() -> None:
    """With a baseline there is a pair for every other run, and fewer tests to correct for."""
    found = compare(JUDGMENTS, RUNS, "nDCG@10", baseline="fair")
    assert found.pairs.select("run", "other").rows() == [("poor", "fair"), ("good", "fair"), ("same", "fair")]
    p, corrected = found.pairs["p"].to_list(), found.pairs["corrected"].to_list()
    assert min(corrected) == pytest.approx(min(3 * min(p), 1.0))
    assert row(found, "poor", "fair")["verdict"] in ("worse", "open")


def test_means_are_those_of_evaluate(comparison: Comparison) -> None:
    """The means are what `evaluate` gives each run by itself."""
    for run in RUNS:
        expected = evaluate(JUDGMENTS, RUNS[run], ["nDCG@10", "AP"]).summary
        found = comparison.means.filter(pl.col("run") == run)
        for column in ("mean", "low", "high"):
            assert found[column].to_list() == pytest.approx(expected[column].to_list())
    assert comparison.ordered(comparison.measures[0])[0] == "good"


def test_queries_that_differ_most(comparison: Comparison) -> None:
    """The first query named is the one with the largest difference between any two runs."""
    table = np.column_stack([values(run) for run in RUNS])
    found = comparison.movers.row(0, named=True)
    assert abs(found["difference"]) == pytest.approx((table.max(axis=1) - table.min(axis=1)).max())
    assert found["value"] - found["other_value"] == pytest.approx(found["difference"])


def test_measures_agree(comparison: Comparison) -> None:
    """The agreement of two measures is Kendall's tau of the runs' means; the sensitivity counts separated pairs."""
    by_measure = [comparison.means.filter(pl.col("measure") == m)["mean"].to_numpy() for m in ("nDCG@10", "AP")]
    assert comparison.agreement["tau_b"][0] == pytest.approx(peer.kendalltau(*by_measure).statistic)
    found = comparison.sensitivity.row(0, named=True)
    corrected = comparison.pairs.filter(pl.col("measure") == "nDCG@10")["corrected"]
    assert found["pairs"] == 6
    assert found["separated"] == (corrected < 0.05).sum()
    assert found["share"] == pytest.approx(found["separated"] / 6)


def test_queries_that_a_run_lacks() -> None:
    """Where a dialect leaves missing queries out, a pair rests on the queries that both runs have."""
    short = {query: ranked for query, ranked in RUNS["good"].items() if query >= "q05"}
    found = compare(JUDGMENTS, {"fair": RUNS["fair"], "good": short}, "AP", missing="skip")
    assert found.pairs["queries"].to_list() == [25]
    one, other = (values(run, "AP")[5:] for run in ("good", "fair"))
    assert found.pairs["p"][0] == pytest.approx(peer.ttest_rel(one, other).pvalue)


THEIRS = {"t": "student", "randomisation": "fisher"}
"""What ranx calls our tests."""


def test_ranx() -> None:
    """ranx gives the same p-values: Student's to the digit, Fisher's within the error of random signs."""
    runs, names = {name: RUNS[name] for name in ("poor", "fair", "good")}, {"ndcg@10": "nDCG@10", "map": "AP"}
    asked = {"qrels": JUDGMENTS, "runs": runs, "measures": list(names), "draws": 5_000, "tests": list(THEIRS.values())}
    program = [sys.executable, str(Path(__file__).with_name("ranx_program.py"))]
    done = subprocess.run(program, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for test, theirs in THEIRS.items():
        found = compare(JUDGMENTS, runs, list(names.values()), settings=ComparisonSettings(test=test, draws=5_000))
        for run, other, measure, expected in json.loads(done.stdout)[theirs]:
            pair = row(found, *sorted((run, other), key=["good", "fair", "poor"].index), names[measure])
            assert pair["p"] == pytest.approx(expected, abs=1e-9 + 5 * float(pair["p_error"]) * 2**0.5 + 1e-4)
            if test == "t":
                assert pair["p"] == pytest.approx(expected)


def test_draws_grow_with_the_pairs() -> None:
    """A corrected p-value can fall below the level however many pairs there are, unless it is not multiplied."""
    for pairs in (1, 45, 666):
        assert pairs / (ComparisonSettings(test="randomisation").draws_for(pairs) + 1) < 0.05 / 4
    assert ComparisonSettings(correction="tukey").draws_for(666) == ComparisonSettings().draws_for(1) == 10_000
    assert ComparisonSettings(draws=7).draws_for(666) == 7


def test_seeded() -> None:
    """The same seed gives the same p-values, and a measure's do not depend on the measures beside it."""
    sampled = ComparisonSettings(test="randomisation", correction="tukey", draws=500)
    both = compare(JUDGMENTS, RUNS, ["nDCG@10", "AP"], settings=sampled).pairs.filter(pl.col("measure") == "AP")
    alone = compare(JUDGMENTS, RUNS, "AP", settings=sampled).pairs
    for column in ("p", "corrected"):
        assert both[column].to_list() == alone[column].to_list()


def test_curves(comparison: Comparison) -> None:
    """A curve's points are the means of the measure at that cutoff or level of recall."""
    curve = cutoff_curves(comparison.results)
    assert (curve.measure, curve.x.tolist()) == ("nDCG", list(range(1, 11)))
    assert curve.y["good"][4] == pytest.approx(evaluate(JUDGMENTS, RUNS["good"], ["nDCG@5"])["nDCG@5"])
    recall = recall_curves(comparison.results)
    assert recall.y["fair"][3] == pytest.approx(evaluate(JUDGMENTS, RUNS["fair"], ["IPrec@0.3"])["IPrec@0.3"])


def test_higher_is_not_better_for_every_measure() -> None:
    """Of a measure that does not say how good a run is, a run is higher or lower, not better or worse."""
    few = {query: dict(list(ranked.items())[:5]) for query, ranked in RUNS["fair"].items()}
    found = compare(JUDGMENTS, {"few": few, "fair": RUNS["fair"]}, "NumRet")
    assert found.pairs["verdict"].to_list() == ["higher"]


def test_wrong_choices() -> None:
    """One run, an unknown baseline or test, a geometric mean: each says what was expected."""
    with pytest.raises(ParameterError, match="at least two"):
        compare(JUDGMENTS, {"fair": RUNS["fair"]}, "AP")
    with pytest.raises(UnknownNameError, match="Did you mean good"):
        compare(JUDGMENTS, RUNS, "AP", baseline="god")
    with pytest.raises(ParameterError, match="means"):
        compare(JUDGMENTS, RUNS, "GMAP")
    with pytest.raises(UnknownNameError, match="wilcoxon"):
        ComparisonSettings(test="wilcox")
    with pytest.raises(ParameterError, match="alpha"):
        ComparisonSettings(alpha=2)
    with pytest.raises(ParameterError, match="draws"):
        ComparisonSettings(draws=0)
    with pytest.raises(UnknownNameError, match="interval"):
        ComparisonSettings(interval="z")


def test_all_pairs_of_a_track() -> None:
    """All 666 pairs of a TREC track's 37 runs take seconds, and the best run's mean is the published one."""
    path = shared("data/trec_dl19_passage/runs_order_top100.txt.xz")
    runs: dict[str, Table] = {}
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            run, topic, ranked = line.rstrip("\n").split("\t")
            scores = {document: 1000.0 - place for place, document in enumerate(ranked.split())}
            runs.setdefault(run, {})[topic] = scores
    sampled = ComparisonSettings(test="randomisation")
    found = compare(shared("data/trec_dl19_passage/qrels.txt"), runs, "nDCG@10", settings=sampled)
    started = time.process_time()
    assert len(found.pairs) == 37 * 36 / 2
    assert time.process_time() - started < 15
    assert found.means["mean"].max() == pytest.approx(0.7645, abs=5e-5)
    assert 0.3 < found.sensitivity["share"][0] < 0.6


@pytest.mark.parametrize(
    ("dialect", "measure", "highest"),
    [("ranx", "RBP", 9), ("standard", "RBP(graded=True)", 9), ("quepid", "ERR@10", 9)],
)
@pytest.mark.parametrize("interval", ["t", "bca"])
def test_intervals_reach_as_far_as_values_do(dialect: str, measure: str, highest: int, interval: str) -> None:
    """Where a tool's values leave a measure's bounds, intervals are not cut there: they ended at the mean itself."""
    judgments = {f"q{q}": {"a": highest, "b": q % 3, "c": 0} for q in range(6)}
    run = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in judgments}
    other = {query: {"a": 1.0 + int(query[1:]), "b": 3.5, "c": 2.0} for query in judgments}
    comparison = compare(
        judgments,
        {"run": run, "other": other},
        measure,
        dialect=dialect,
        settings=ComparisonSettings(interval=interval),
    )
    assert np.nanmax(comparison.values[0]) > 1
    values, (row, _) = comparison.values[0][:, 0], comparison.means.to_dicts()
    if interval == "t":
        assert row["high"] == pytest.approx(peer.t.interval(0.95, 5, values.mean(), peer.sem(values))[1])
    summary = evaluate(judgments, run, measure, dialect=dialect).summarise(interval=interval).to_dicts()[0]
    assert row["high"] > row["mean"] == summary["mean"]
    assert summary["high"] == pytest.approx(row["high"])


def test_intervals_end_where_the_measure_does() -> None:
    """A value that is above a bound by rounding alone does not lift it."""
    from rankgauge.statistics.intervals import limits

    assert limits((0.0, 1.0), [0.2, 1.0 + 1e-9, np.nan]) == (0.0, 1.0)
    assert limits((0.0, 1.0), [-0.1, 0.5]) == (-np.inf, 1.0)
    assert limits((0.0, 1.0), []) == (0.0, 1.0)
