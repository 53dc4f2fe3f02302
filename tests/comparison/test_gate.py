"""The gate of a comparison: its rule, how often it is wrong, and what it refuses."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

from rankgauge import ParameterError, compare, evaluate
from rankgauge.comparison import Comparison, ComparisonSettings
from rankgauge.comparison.gate import Gate, GateRule, GateVerdict, decide, fewest, widen_intervals
from rankgauge.comparison.gate_report import headline
from rankgauge.comparison.judging import JudgedRule, MissingJudgments
from rankgauge.measures import parse
from rankgauge.statistics.intervals import largest_share, t_interval

PASS, WORSE, UNDECIDED = GateVerdict.PASS, GateVerdict.WORSE, GateVerdict.UNDECIDED


@pytest.mark.parametrize(
    ("difference", "low", "high", "tolerance", "verdict"),
    [
        (-0.05, -0.08, -0.02, 0.0, WORSE),
        (-0.05, -0.11, 0.01, 0.0, UNDECIDED),
        (0.0, -0.1, 0.1, 0.0, PASS),
        (-0.05, -0.08, -0.02, 0.01, WORSE),
        (-0.05, -0.08, -0.02, 0.03, UNDECIDED),  # a loss for certain, but perhaps a tolerated one
        (-0.05, -0.08, -0.02, 0.1, PASS),
        (0.05, -0.02, 0.12, 0.01, UNDECIDED),  # higher, but a loss beyond the tolerance is not ruled out
        (0.0, 0.0, 0.0, 0.01, PASS),
        (math.nan, math.nan, math.nan, 0.01, UNDECIDED),
    ],
)
def test_the_rule(difference: float, low: float, high: float, tolerance: float, verdict: GateVerdict) -> None:
    """Worse below the tolerance, pass above it; without one a mean that is not lower passes."""
    assert decide(difference, low, high, tolerance=tolerance) is verdict


def test_exit_codes() -> None:
    """A pipeline can tell the three verdicts apart."""
    assert [verdict.exit_code for verdict in (PASS, WORSE, UNDECIDED)] == [0, 1, 3]


def simulated(*, loss: float, tolerance: float = 0.0, share: float = 1.0, queries: int = 50) -> dict[str, float]:
    """How often each verdict is given, over 4,000 sets of queries of which a share differs."""
    rng, sets = np.random.default_rng(0), 4000
    moved = rng.random((queries, sets)) < share
    found = np.where(moved, rng.normal(-loss / share, 0.2, moved.shape), 0.0)
    ends = widen_intervals(t_interval(found), found, 0.05)
    told = Counter(
        decide(mean, low, high, tolerance=tolerance).value
        for mean, low, high in zip(found.mean(axis=0), *ends, strict=True)
    )
    return {verdict.value: told[verdict.value] / sets for verdict in GateVerdict}


@pytest.mark.parametrize("share", [1.0, 0.3, 0.1, 0.04])
def test_no_loss_seldom_fails(share: float) -> None:
    """A run that is as good as the baseline is called worse in 2.5 % of cases, less often where few queries differ."""
    assert simulated(loss=0, share=share)["worse"] < 0.025 + 3 * 0.0025


def test_a_loss_beyond_the_tolerance_seldom_passes() -> None:
    """At the edge of the tolerance either verdict is wrong in 2.5 % of cases; beyond it a pass is rarer still."""
    edge = simulated(loss=0.02, tolerance=0.02)
    assert edge["pass"] == pytest.approx(0.025, abs=3 * 0.0025)
    assert edge["worse"] == pytest.approx(0.025, abs=3 * 0.0025)
    assert simulated(loss=0.06, tolerance=0.02)["pass"] < 0.002


def test_few_changed_queries_widen_the_interval() -> None:
    """Five of five queries that differ may all be losses by luck; six are not, and none leave a point."""
    assert fewest(0.05) == 6
    columns = np.zeros((40, 3))
    columns[:5, 0] = columns[:6, 1] = -0.3
    ends = widen_intervals(t_interval(columns), columns, 0.05)
    assert ends.low[0] == pytest.approx(-0.3 * largest_share(5, 40))
    assert ends.high.tolist()[0] > 0 > ends.high.tolist()[1]
    assert (ends.low[2], ends.high[2]) == (0, 0)


@pytest.mark.parametrize(("seen", "n"), [(0, 24), (3, 24), (5, 500), (5, 6)])
def test_largest_share_is_clopper_and_pearsons(seen: int, n: int) -> None:
    """The upper limit of a share is the quantile of a beta distribution."""
    assert largest_share(seen, n) == pytest.approx(beta.ppf(0.975, seen + 1, n - seen), abs=1e-12)
    assert largest_share(n, n) == 1


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Three runs on 40 queries: the baseline, one that is a little worse, one that is much worse."""
    rng = np.random.default_rng(3)
    judgments = {f"q{i}": {f"d{j}": int(rng.integers(3)) for j in range(8)} for i in range(40)}
    noises = {"main": 0.5, "little": 0.6, "much": 5.0}
    runs = {
        run: {q: {d: grade + noise * rng.normal() for d, grade in ds.items()} for q, ds in judgments.items()}
        for run, noise in noises.items()
    }
    return compare(judgments, runs, ["nDCG@5", "AP"], baseline="main")


def test_a_gate_of_a_comparison(comparison: Comparison) -> None:
    """The worst verdict is the gate's; the interval is corrected for all measures and runs that it looks at."""
    gate = comparison.gate("nDCG@5", "AP:0.01")
    assert gate.verdict is WORSE
    assert gate.alpha == 0.05 / 4
    row = next(row for row in gate.rows.named() if (row["measure"], row["run"]) == ("nDCG@5", "much"))
    column = comparison.differences[0][:, 1]
    ends = t_interval(column, 1 - 0.05 / 4)
    assert (row["difference"], row["low"], row["high"]) == pytest.approx((column.mean(), ends.low, ends.high))
    assert gate.table.height == 4
    single = Comparison(results=comparison.results, baseline="main", settings=ComparisonSettings(correction="none"))
    assert single.gate("nDCG@5", "AP").alpha == 0.05


def test_queries_that_would_settle_it(comparison: Comparison) -> None:
    """More than there are, and the more the closer the difference is to the tolerance."""
    results = {name: comparison.results[name] for name in ("main", "little")}
    pair = Comparison(results=results, baseline="main")
    difference = float(pair.pairs["difference"][0])
    near, far = (pair.gate(f"nDCG@5:{max(gap - difference, 0.0001)}").rows for gap in (0.002, 0.01))
    assert near["verdict"][0] == far["verdict"][0] == "undecided"
    assert near["needed"][0] > far["needed"][0] > 40


def test_what_a_gate_refuses(comparison: Comparison) -> None:
    """A measure that is not compared, a tolerance that is none, no baseline, no rule."""
    for rules in (["RR"], ["nDCG@5:-1"], ["nDCG@5:x"], []):
        with pytest.raises(ParameterError):
            comparison.gate(*rules)
    with pytest.raises(ParameterError, match="baseline"):
        Comparison(results=comparison.results).gate("AP")
    assert GateRule.of("nDCG@10") == GateRule(measure="nDCG@10", tolerance=0.0)


@pytest.mark.parametrize(
    ("rule", "limits", "words"),
    [
        ("AP:5", {}, "a loss below 1, the range of AP (AP:0.05 for 5 points of 100)"),
        ("AP", {"floors": {"AP": 78}}, "from 0 to 1, the range of AP (AP:0.78 for 78 points of 100)"),
        ("AP", {"floors": {"AP": -0.1}}, "from 0 to 1, the range of AP"),
    ],
)
def test_what_no_run_can_have(comparison: Comparison, rule: str, limits: dict[str, Any], words: str) -> None:
    """A loss as large as the measure's range, or a floor outside it, is a slip: points of 100 are told from shares."""
    with pytest.raises(ParameterError, match=re.escape(words)):
        comparison.gate(rule, **limits)


def test_the_page_on_missing_judgments_needs_data() -> None:
    """Without collections nothing is tried, and no claim is decided."""
    from rankgauge.papers.experiment import PAPERS, Setting

    assert not PAPERS.find("gate").run(Setting(trials=2)).numbers


def of_searches(failed: int, *, queries: int = 30, other: bool = True) -> Gate:
    """A gate on a run that differs a little from the baseline, or not, and some of whose searches failed."""
    judgments = {f"q{n:02}": {"a": 3, "b": 1, "c": 0} for n in range(queries)}
    kept = {query: grades for query, grades in judgments.items() if int(query[1:]) >= failed}
    old, new = {"a": 3.0, "b": 2.0, "c": 1.0}, {"a": 3.0, "c": 2.0, "b": 1.0}
    results = {
        "old": evaluate(judgments, dict.fromkeys(judgments, old), "nDCG@10"),
        "new": evaluate(kept, dict.fromkeys(kept, new if other else old), "nDCG@10"),
    }
    return Comparison(results=results, baseline="old").gate("nDCG@10:0.5", floors={"nDCG@10": 0.5})


@pytest.mark.parametrize(
    ("gate", "verdict", "words"),
    [
        (of_searches(1), PASS, "pass against old"),
        (of_searches(2), UNDECIDED, "2 of 30 searches of new failed (q00, q01). Search again"),
        (of_searches(29), UNDECIDED, "29 of 30 searches of new failed (q00, q01, q02, …)"),
        (of_searches(0, queries=5), PASS, "pass against old"),
        (of_searches(0, queries=4), UNDECIDED, "but 4 queries can be compared, and a verdict needs 5"),
        (of_searches(0, queries=1), UNDECIDED, "but 1 query can be compared"),
        (of_searches(0, queries=1, other=False), PASS, "pass against old"),
        (of_searches(1, queries=2, other=False), UNDECIDED, "but 1 query can be compared"),
    ],
)
def test_failed_searches_and_few_queries(gate: Gate, verdict: GateVerdict, words: str) -> None:
    """Several failed searches, or a few queries that differ, are no ground for a verdict, nor for a floor's."""
    assert gate.verdict is verdict
    assert words in headline(gate)
    failed = gate.rows["reason"][0] == "failed searches"
    assert gate.floor_rows["verdict"] == ("undecided" if failed else "pass",)


def of_unanswered(*, asked: int = 10, judged: int = 100, tolerance: float = 0.1, **limits: Any) -> Gate:
    """A gate on a run that loses about 0.2 of nDCG@10 on each query that was searched for, of those that are judged."""
    judgments = {f"q{n:03}": {"a": 3, "b": 1 + n % 2, "c": 0} for n in range(judged)}
    old, new = {"a": 3.0, "b": 2.0, "c": 1.0}, {"c": 3.0, "a": 2.0, "b": 1.0}
    runs = {"old": dict.fromkeys([*judgments][:asked], old), "new": dict.fromkeys([*judgments][:asked], new)}
    return compare(judgments, runs, "nDCG@10", baseline="old", **limits).gate(f"nDCG@10:{tolerance}")


@pytest.mark.parametrize(
    ("gate", "verdict", "words"),
    [
        (of_unanswered(), UNDECIDED, "neither run answers 90 of 100 judged queries (q010, q011, q012, …)"),
        (of_unanswered(asked=2), UNDECIDED, "neither run answers 98 of 100 judged queries"),
        (of_unanswered(missing="skip"), WORSE, "worse than old by more than luck"),
        (of_unanswered(unjudged="not-relevant"), PASS, "pass against old"),
        (of_unanswered(asked=96), WORSE, "worse than old by more than luck"),
        (of_unanswered(tolerance=0.6), PASS, "pass against old"),
    ],
)
def test_queries_that_neither_run_answers_carry_no_verdict(gate: Gate, verdict: GateVerdict, words: str) -> None:
    """Their differences of 0 hid any loss on the queries that were searched for."""
    assert gate.verdict is verdict
    assert words in headline(gate)
    if verdict is UNDECIDED:
        assert gate.rows["reason"] == ("not answered",)
        row = next(iter(of_unanswered(asked=gate.rows["changed"][0], missing="skip").rows.named()))
        assert f"over the others it is −{-row['difference']:.4f}" in headline(gate)


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "R@3", "P@3", "ERR@3"])
def test_bounds_hold_whatever_the_grades(measure: str) -> None:
    """No grades of the unjudged documents that two runs show give a difference beyond its bounds.

    What only one run shows may raise the ideal of the other. Without a document that both show, bounds are reached.
    """
    judged = {"a": 1, "c": 2, "missed": 1}
    for old, is_tight in (("yzc", True), ("yxa", False)):
        runs = {"new": {"q": list("axc")}, "old": {"q": list(old)}}
        results = evaluate({"q": judged}, runs, measure, max_grade=2)
        missing = MissingJudgments(results=results, queries=["q"], rule=JudgedRule())
        least, most = missing.bounds(parse(measure), "new", "old")
        differences = []
        for grades in product((0, 1, 2), repeat=3):
            graded = {"q": judged | dict(zip("xyz", grades, strict=True))}
            both = evaluate(graded, runs, measure, max_grade=2)
            differences.append(both["new"][measure] - both["old"][measure])
        assert least[0] <= min(differences) + 1e-9
        assert most[0] >= max(differences) - 1e-9
        if is_tight:
            assert (least[0], most[0]) == pytest.approx((min(differences), max(differences)), abs=1e-9)


def of_ties(unjudged: int, *, ties: str = "expected") -> Comparison:
    """Compare a run in order with one that lists the same judged documents first, then others, all with one score."""
    grades = [3, 2, 1, 1, 0, 0, 0, 0, 0, 0]
    judgments = {f"q{n:02}": {f"d{n}-{rank}": grade for rank, grade in enumerate(grades)} for n in range(30)}
    more = [f"x{number}" for number in range(unjudged)]
    tied = {query: dict.fromkeys([*judged, *more], 1.0) for query, judged in judgments.items()}
    runs = {"old": {query: list(judged) for query, judged in judgments.items()}, "new": tied}
    return compare(judgments, runs, "nDCG@10", baseline="old", ties=ties)


@pytest.mark.parametrize("unjudged", [3, 5, 90])
def test_no_verdict_on_an_order_that_only_a_file_has(unjudged: int) -> None:
    """Of tied documents as many are judged in the top 10 as are to be expected there, wherever their lines are."""
    comparison = of_ties(unjudged)
    share = comparison.results["new"].judged["nDCG@10"]
    assert share.share == pytest.approx(10 / (10 + unjudged))
    assert share.unjudged == math.ceil(300 - 300 * 10 / (10 + unjudged))
    # Of 13 documents in any order the best ones are too far down; 5 others at the top of the scale could turn it.
    assert comparison.gate("nDCG@10:0.3").verdict is (UNDECIDED if unjudged > 3 else WORSE)
    assert of_ties(unjudged, ties="input").results["new"].judged["nDCG@10"].share == 1


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "P@3"])
def test_bounds_of_ties_hold(measure: str) -> None:
    """Where ties are averaged, a difference that the drawn order of lines alone would exclude is within its bounds."""
    judged, new = {"a": 1, "c": 2}, {"q": dict.fromkeys("acxyz", 1.0)}
    results = evaluate({"q": judged}, {"new": new, "old": {"q": list("ca")}}, measure, max_grade=2)
    missing = MissingJudgments(results=results, queries=["q"], rule=JudgedRule())
    least, most = missing.bounds(parse(measure), "new", "old")
    assert least[0] <= results["new"][measure] - results["old"][measure] <= most[0]
    moved = missing.as_good(parse(measure), "new", "old")[0]
    assert results["new"][measure] - results["old"][measure] - 0.05 <= moved <= most[0] + 0.05


@pytest.mark.parametrize(("floor", "verdict"), [(0.5, UNDECIDED), (0.95, GateVerdict.WORSE)])
def test_a_floor_is_not_missed_for_lack_of_judgments(floor: float, verdict: GateVerdict) -> None:
    """A run that is judged much less than the baseline is below a floor only if it would be with judgments as well."""
    queries = [f"q{n:02}" for n in range(30)]
    judgments = {query: dict(zip("abcde", (2, 1, 0, 2, 0), strict=True)) for query in queries}
    old, new = ["a", "b", "c", "d", "e"], ["n5", "c", "n1", "n2", "n3", "n4", "a"]
    runs = {"old": dict.fromkeys(queries, old), "new": dict.fromkeys(queries, new)}
    gate = Comparison(results=evaluate(judgments, runs, "nDCG@10"), baseline="old").gate(
        "nDCG@10:0.9", floors={"nDCG@10": floor}
    )
    assert gate.floor_rows["mean"][0] < floor
    assert gate.floor_rows["verdict"] == (verdict.value,)
    assert gate.verdict is verdict
    told = "71 % of the top 10 of new is unjudged, more than of the baseline"
    assert (told in headline(gate)) is (verdict is UNDECIDED)
