"""What a judge's errors do to runs: values, verdicts, forecasts from few labels, circularity, documents to show."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rankgauge import evaluate
from rankgauge.audit.judge import audit_judges
from rankgauge.audit.judge.consequences import JudgedRuns, circularity
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.audit.judge.report import JudgeAuditReport
from rankgauge.comparison import compare
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.labelling.posterior.plan import expected_half_widths
from rankgauge.measures import parse
from tests.judge_audit.collection import audited, board, constant
from tests.shared import shared

MEASURE = parse("nDCG@10")


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "P@5", "ERR@10"])
def test_values_are_those_of_evaluate(measure: str) -> None:
    """Grades put in after ranking give what an evaluation gives, ties and all."""
    people, runs, judge = board()
    tied = {name: run.with_columns(pl.col("score").round(0)) for name, run in list(runs.items())[:2]}
    lists = JudgedRuns.from_runs(GradedPairs.from_grades(people, {"judge": judge}), tied)
    wanted = parse(measure)
    for depth in (0, wanted.depth):
        values = lists.top(depth).values(GradedPairs.from_grades(people, {"judge": judge}).people, wanted)
        for place, run in enumerate(tied.values()):
            whole = evaluate(people, run, measure)
            assert values[:, place].mean() == pytest.approx(whole[measure])


def test_verdicts_are_those_of_compare() -> None:
    """The verdict of each pair is that of the paired t test with Holm's correction."""
    people, runs, judge = board()
    for grades, column in ((judge, "significant"), (people, "kept")):
        told = compare(grades, runs, "nDCG@10").pairs
        sure = {frozenset((row["run"], row["other"])) for row in told.iter_rows(named=True) if row["verdict"] != "open"}
        seen = audited(judge=grades).differences.filter(pl.col(column).cast(pl.Float64) > 0.5)
        assert {frozenset(pair) for pair in seen.select("run", "other").iter_rows()} == sure
    assert 3 <= len(sure) < 28


def test_a_perfect_judge_changes_nothing() -> None:
    """No bias, τ of 1, no flip, the same winner."""
    audit = audited(judge=board()[0])
    assert audit.values["bias"].abs().max() == 0.0
    order = audit.orders.row(0, named=True)
    assert order["tau"] == order["tau_ap"] == 1.0
    assert order["lost"] == order["found"] == order["reversed"] == 0
    assert order["winner_judge"] == order["winner_people"]


def test_outcomes_add_up() -> None:
    """Each pair has one outcome; the chances of a sample's outcomes add up to one."""
    audit = audited()
    names = ["kept", "lost", "found", "reversed", "open"]
    assert audit.differences.select(pl.sum_horizontal(names)).to_series().to_list() == [1.0] * 28
    assert audit.sampled is False
    assert (audit.values["bias"] > 0).all() or (audit.values["bias"] < 0).any()


def sample(labels: int, seed: int = 0) -> pl.DataFrame:
    """Some of people's labels."""
    return board()[0].sample(labels, seed=seed)


def test_few_labels_foretell_the_board() -> None:
    """From 150 of 1,200 labels, most verdicts that change are foretold, and intervals hold most true values."""
    whole, few = audited(), audited(sample(150))
    assert few.sampled
    true = whole.differences.with_columns(flip=pl.col("flips") > 0.5)["flip"].to_numpy()
    told = few.differences["flips"].to_numpy()
    assert np.mean((told - true) ** 2) < np.mean((true.mean() - true) ** 2) + 0.05
    values = few.values.join(whole.values.select("run", truth="people"), on="run")
    inside = (values["people_low"] <= values["truth"]) & (values["truth"] <= values["people_high"])
    assert inside.sum() >= 7
    assert few.differences.select(
        pl.sum_horizontal("kept", "lost", "found", "reversed", "open")
    ).to_series().to_list() == (pytest.approx([1.0] * 28))


def test_a_perfect_judge_is_believed_from_few_labels() -> None:
    """Where judge and people always agree, few verdicts are expected to change."""
    audit = audited(sample(200), board()[0])
    assert audit.differences["flips"].mean() < 0.25  # type: ignore[operator]


def test_documents_to_show_first_are_not_judged_yet() -> None:
    """They are open, worth something, and in falling order; runs under suspicion move them."""
    few = sample(100)
    audit = audited(few)
    assert audit.plan is not None
    first = audit.plan.first(20)
    assert len(first.join(few, on=["query", "document"], how="semi")) == 0
    assert first["worth"].is_sorted(descending=True)
    assert first["worth"][-1] > 0
    watched = audited(few, suspects=["run0"])
    assert watched.plan is not None
    ranks = board()[1]["run0"]
    found = [
        len(plan.first(40).join(ranks, on=["query", "document"], how="semi")) for plan in (audit.plan, watched.plan)
    ]
    assert found[1] >= found[0]


def test_narrower_intervals_need_more_labels() -> None:
    """The forecast falls with the width that is asked for."""
    audit = audited(sample(100))
    assert audit.plan is not None
    wide, narrow = audit.plan.labels_needed(0.06), audit.plan.labels_needed(0.03)
    assert wide is not None
    assert narrow is not None
    assert 0 < wide < narrow < 1100


def test_the_labels_needed_are_those_of_the_plan_that_is_proposed() -> None:
    """A few runs on a shallow pool are planned by the posterior, so its widths say how many labels it takes."""
    plan = audited(sample(100)).plan
    assert plan is not None
    assert plan.posterior is not None
    assert not plan.is_bound
    needed = plan.labels_needed(0.05)
    assert needed is not None
    ((width,),) = expected_half_widths(plan.posterior, [needed], seed=0).tolist()
    assert width == pytest.approx(0.05, rel=0.15)


def test_a_run_that_the_judge_made_is_found() -> None:
    """A run that is sorted by the judge's grades is above the others' line; no other run is."""
    people, runs, judge = board()
    joined = runs["run3"].join(judge, on=["query", "document"], how="left").fill_null(0.0)
    made = joined.select("query", "document", score=pl.col("grade") * 100 + pl.col("score"))
    audit = audit_judges(people, {"judge": judge}, {**runs, "made": made}, suspects=["made"])
    rows = {row["run"]: row for row in audit.circularity.iter_rows(named=True)}
    assert rows["made"]["excess"] > 0
    assert rows["made"]["p"] < 0.05
    assert sum(row["p"] < 0.05 for name, row in rows.items() if name != "made") <= 1


def test_circularity_is_wrong_as_often_as_it_says() -> None:
    """Runs that nobody made are above the line at 5 % in about 5 % of tries."""
    rng = np.random.default_rng(4)
    people = rng.normal(0.5, 0.1, size=(400, 12))
    judge = 0.2 + 0.8 * people + rng.normal(0, 0.02, size=people.shape)
    names = [f"r{n}" for n in range(12)]
    low = [circularity(names, j, p[np.newaxis], ["r0"])["p"][0] < 0.05 for j, p in zip(judge, people, strict=True)]
    assert 0.02 <= np.mean(low) <= 0.08
    with pytest.raises(UnknownNameError):
        circularity(names, judge[0], people[:1], ["nobody"])
    with pytest.raises(InputError, match="needs 6 other runs or more; there are 3"):
        circularity(names[:4], judge[0][:4], people[:1, :4], ["r0"])


def test_parts_of_the_pairs() -> None:
    """Errors by grade, rank, run, query and a column; a planted error stands out."""
    people, runs, judge = board()
    table = people.select("document").unique().with_columns(length=pl.col("document").str.slice(1).cast(pl.Float64))
    worse = judge.with_columns(
        grade=pl.when(pl.col("document") < "d10").then(3.0).otherwise(pl.col("grade")),
    )
    errors = audit_judges(people, {"judge": worse}, runs, documents=table).errors
    assert errors["facet"].unique(maintain_order=True).to_list() == [
        "people's grade",
        "best rank",
        "length",
        "run's top 10",
        "query",
    ]
    by_length = errors.filter(pl.col("facet") == "length")
    assert len(by_length) == 4
    assert by_length["stands_out"][0]
    assert by_length["apart"][0] > 1
    assert errors.filter(pl.col("facet") == "people's grade")["p"].is_nan().all()


def test_several_judges_are_combined() -> None:
    """The mean of two fair judges is better than a fair one and a constant one is no help."""
    people, runs, judge = board()
    rng = np.random.default_rng(9)
    other = judge.with_columns(grade=np.clip(judge["grade"].to_numpy() + rng.integers(-1, 2, size=len(judge)), 0, 3))
    audit = audit_judges(people, {"fair": judge, "poor": other, "same": constant()}, runs)
    rows = {row["judge"]: row for row in audit.combined.iter_rows(named=True)}
    assert list(rows) == ["fair", "poor", "same", "majority", "mean", "fitted"]
    assert rows["same"]["auc"] == pytest.approx(0.5)
    assert rows["fair"]["best"]
    assert rows["fitted"]["auc"] > rows["poor"]["auc"]
    assert rows["mean"]["difference"] == pytest.approx(rows["mean"]["auc"] - rows["fair"]["auc"])


def test_what_a_useless_judge_does_not_say() -> None:
    """A judge that finds all documents alike has no winner; a perfect one rates runs neither too high nor too low."""
    alike = audited(judge=constant(1.0))
    (order,) = alike.orders.rows(named=True)
    assert order["winner_judge"] == f"{len(alike.runs)} runs tied"
    assert order["winner_people"] in alike.runs
    assert "rates runs as people do" in JudgeAuditReport(audit=audited(judge=board()[0])).headline()


def test_forecasts_end_where_the_measure_does() -> None:
    """What people would say of runs is foretold within the bounds of the measure."""
    people, runs, _ = board()
    ideal = people.rename({"grade": "score"})
    values = audited(people=sample(40), judge=people, runs={"ideal": ideal, "other": runs["run0"]}).values
    assert values["people_high"].max() <= 1.0
    assert values["people_low"].min() >= 0.0


def test_a_judges_grades_below_zero_are_told() -> None:
    """Grades below 0, which many files have for answers that could not be read, count as 0, and a note says so."""
    people = board()[0]
    judge = people.with_columns(grade=pl.when(pl.int_range(pl.len()) < 7).then(-1.0).otherwise("grade"))
    (told,) = audited(judge=judge).comparable.values()
    assert told.words == f"7 of its {len(people):,} grades are below 0 and count as 0; AUC is of its own"


def test_one_run_one_query() -> None:
    """A board of one run, or of one query, has no order and no interval, and says nothing that it cannot."""
    people, runs, judge = board()
    one = audit_judges(people, {"judge": judge}, {"run0": runs["run0"]})
    assert np.isnan(one.orders["tau"][0])
    assert len(one.differences) == 0
    alone = people.filter(pl.col("query") == "q00")
    single = audit_judges(alone, {"judge": judge.filter(pl.col("query") == "q00")}, runs)
    assert np.isnan(single.agreement["low"].to_numpy()).all()
    assert np.isnan(single.values["low"].to_numpy()).all()
    assert single.orders["lost"][0] == single.orders["found"][0] == 0


def test_a_judge_below_the_threshold() -> None:
    """A judge that says relevant or not has no grade that a threshold of 2 counts: refused, as it would agree never."""
    judge = board()[2].with_columns(grade=(pl.col("grade") >= 1).cast(pl.Float64))
    with pytest.raises(InputError, match="no grade of the judge judge is 2 or higher: its highest is 1"):
        audited(judge=judge, rel=2)


def test_dl19() -> None:
    """The fair judge of DL19: its AUC, its bias, and the verdicts it gets wrong."""
    from rankgauge.papers.trec import dl19_runs

    folder = shared("data/trec_dl19_passage")
    judge = {"llama": folder / "llm" / "llama-70b-four-prompts.qrels"}
    audit = audit_judges(folder / "qrels.txt", judge, dl19_runs(folder), rel=2)
    values = dict(audit.agreement.select("coefficient", "value").iter_rows())
    assert values["auc"] == pytest.approx(0.813, abs=0.001)
    assert values["kappa"] == pytest.approx(0.167, abs=0.001)
    order = audit.orders.row(0, named=True)
    assert [order[name] for name in ("kept", "lost", "found", "reversed")] == [222, 48, 47, 0]
    assert audit.values["bias"].mean() == pytest.approx(0.185, abs=0.001)
