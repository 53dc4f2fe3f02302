"""Campaigns by the posterior of the grades: chosen for shallow pools, always with an answer, nobody kept waiting."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling.board import BoardPool, Goal
from rankgauge.labelling.campaign import BoardCampaign
from rankgauge.labelling.posterior import GradePosterior, PosteriorEstimate
from rankgauge.labelling.posterior.plan import is_reached
from rankgauge.labelling.reports.board import BoardReport
from rankgauge.labelling.reports.board_words import standing_words, value_words
from rankgauge.labelling.reports.plan import BoardPlanReport
from rankgauge.labelling.standings import Standings
from rankgauge.render.format import Report
from tests.active.board.collection import noisy_judge, tables
from tests.active.campaigns import Truth

SCALE = (0, 1, 2, 3)


@cache
def pool(depth: int = 8) -> BoardPool:
    """The first documents of the collection's runs."""
    return BoardPool.from_runs(tables()[1], depth=depth)


@cache
def truth() -> Truth:
    """The grade of each document."""
    rows = tables()[0].select("query", "document", "grade").iter_rows()
    return {(query, document): grade for query, document, grade in rows}


def create(location: str | Path, budget: float = 60, **settings: object) -> BoardCampaign:
    """A campaign for nDCG@5."""
    return BoardCampaign.create(location, pool(), ["nDCG@5"], grades=SCALE, budget=budget, **settings)


def judge(campaign: BoardCampaign, count: int) -> list[tuple[str, str]]:
    """Has some documents judged; says which."""
    tasks = campaign.lease(count)
    campaign.record([(task.query, task.document, truth()[task.query, task.document]) for task in tasks])
    return [(task.query, task.document) for task in tasks]


def shown(report: Report) -> str:
    """A report as a terminal shows it."""
    stream = StringIO()
    report.show(stream)
    return stream.getvalue()


@pytest.mark.parametrize("method", ["posterior", "leaderboard"])
def test_no_interval_is_expected_beyond_the_measure(tmp_path: Path, method: str) -> None:
    """Of two queries little is known: ± is at most half of what the measure can be, and a stream has none yet."""
    runs = {name: run.filter(pl.col("query").is_in(["q0", "q1"])) for name, run in tables()[1].items()}
    few = BoardPool.from_runs(runs, depth=5)
    measures = ["P@5", "RR", "nDCG@5"]
    with BoardCampaign.create(tmp_path / "c.rg", few, measures, grades=SCALE, budget=6, method=method) as campaign:
        widths = campaign.plan.expect([1, 2, 4, 6])
    assert not (widths > 0.5).any()
    assert np.isnan(widths).all() == (method == "leaderboard")


def test_the_best_run_is_the_first_of_the_table() -> None:
    """A run with wide draws may be the likeliest best and not the highest: it is named after the highest, and nothing
    is settled."""
    rng = np.random.default_rng(0)
    target = GradePosterior.of(pool(), ["nDCG@5"], grades=SCALE).targets[0]
    steady, wide = np.full(1000, 0.5), np.where(rng.random(1000) < 0.97, 0.51, 0.01)
    values = np.stack([wide, steady], axis=1)[:, :, np.newaxis] + np.zeros(2)
    estimate = PosteriorEstimate.of(target, ("wide", "steady"), values, labels=9, seed=0, learnt=np.ones((3, 2)))
    assert estimate.best_chances()[0] > 0.95
    two = BoardPool.from_runs(dict(list(tables()[1].items())[:2]), depth=8)
    standings = Standings(estimate=estimate, pool=two, level=0.95, judged=np.zeros(len(two.documents), bool))
    assert [standings.runs[run] for run in standings.candidates] == ["steady", "wide"]
    assert not standings.is_settled
    assert not is_reached(estimate, Goal.parse("best"))


def test_shallow_pools_have_the_posterior(tmp_path: Path) -> None:
    """Few runs and lists to rank 20, or 10 for a share of all relevant documents; any method can be named. Documents
    that were judged before may be of any rank."""
    known = BoardPool.from_runs(tables()[1], depth=8, also=tables()[0].filter(pl.col("document").str.ends_with("7")))
    assert known.best_rank[~np.isnan(known.known)].max() > 20
    wide = BoardPool.from_runs({f"{name} {n}": run for n in range(2) for name, run in tables()[1].items()}, depth=5)
    cases = [
        (pool(8), "nDCG@5", {}, "posterior"),
        (pool(20), "nDCG@5", {}, "posterior"),
        (known, "nDCG@5", {}, "posterior"),
        (pool(8), "AP", {}, "posterior"),
        (pool(20), "AP", {}, "leaderboard"),
        (wide, "nDCG@5", {}, "leaderboard"),
        (pool(8), "nDCG@5", {"method": "leaderboard"}, "leaderboard"),
        (wide, "nDCG@5", {"method": "posterior"}, "posterior"),
    ]
    for number, (documents, measure, settings, method) in enumerate(cases):
        location = tmp_path / f"{number}.rg"
        with BoardCampaign.create(location, documents, [measure], grades=SCALE, budget=50, **settings) as campaign:
            assert campaign.settings.method == method
    with pytest.raises(ParameterError, match="auto, leaderboard or posterior"):
        create(tmp_path / "x.rg", method="document")


def test_whole_way(database: str) -> None:
    """It spends its budget on single documents, none twice, and says what the posterior of all labels says."""
    with create(database, seed=4) as campaign:
        assert campaign.estimates() == ()
        first = judge(campaign, 10)
        (early,) = campaign.estimates()
        seen = [*first, *judge(campaign, 20), *judge(campaign, 15), *judge(campaign, 15), *judge(campaign, 15)]
        progress, (found,) = campaign.progress(), campaign.estimates()
    assert (progress.spent, progress.judged, progress.out, len(set(seen))) == (60, 60, 0, 60)
    assert progress.stages > 1
    assert isinstance(early, PosteriorEstimate)
    labels = np.full(len(pool().documents), np.nan)
    for query, document in seen:
        labels[pool().positions[query][document]] = truth()[query, document]
    posterior = GradePosterior.of(pool(), ["nDCG@5"], grades=SCALE)
    (direct,) = posterior.estimate(labels, seed=4)
    assert (found.values == direct.values).all()
    assert found.half_widths().mean() < early.half_widths().mean()  # type: ignore[union-attr]


def test_resumed(tmp_path: Path) -> None:
    """A campaign that is closed after every call hands out the same documents; a label that is corrected changes no
    order that was begun."""
    with create(tmp_path / "whole.rg", seed=3) as campaign:
        whole = [place for _ in range(4) for place in judge(campaign, 13)]
    create(tmp_path / "parts.rg", seed=3).close()
    parts = []
    for _ in range(4):
        with BoardCampaign.open(tmp_path / "parts.rg") as campaign:
            parts += judge(campaign, 13)
    assert parts == whole
    with BoardCampaign.open(tmp_path / "parts.rg") as campaign:
        before = campaign.estimates()[0].values
        query, document = parts[0]
        campaign.record([(query, document, 3 - truth()[query, document])], replace=True)
    with BoardCampaign.open(tmp_path / "parts.rg") as campaign:
        assert (campaign.estimates()[0].values != before).any()
        assert judge(campaign, 5)


def test_nobody_waits(tmp_path: Path) -> None:
    """Documents are handed out whether those before are judged or not, and one that was given back comes again."""
    with create(tmp_path / "c.rg", budget=90) as campaign:
        judge(campaign, 30)
        slow, fast = campaign.lease(30, "ann"), campaign.lease(25, "bob")
        assert (len(slow), len(fast)) == (30, 25)
        record = [(task.query, task.document, truth()[task.query, task.document]) for task in fast]
        campaign.record(record, assessor="bob")
        campaign.release(slow[:2])
        again = {(task.query, task.document) for task in campaign.lease(5, "bob")}
        assert {(task.query, task.document) for task in slow[:2]} <= again
        assert campaign.progress().stages > 1
        assert campaign.progress().spent <= 90


def test_labels_that_nobody_asked_for_do_not_count(tmp_path: Path) -> None:
    """Whoever looks for relevant documents and sends them in would bias what is estimated."""
    with create(tmp_path / "c.rg") as campaign:
        judge(campaign, 20)
        before = campaign.estimates()[0].values
        places = [n for n in range(len(pool().documents)) if np.isnan(campaign._state.ledger.grades[n])][-3:]
        campaign.record([(pool().query_of(n), str(pool().documents[n]), 3) for n in places])
        assert (campaign.estimates()[0].values == before).all()


def test_the_best_run_stops_it(tmp_path: Path) -> None:
    """With the goal best it ends once a run is the best with a chance of 0.95, or with the budget."""
    with create(tmp_path / "c.rg", budget=150, goal="best") as campaign:
        while judge(campaign, 10):
            pass
        (found,) = campaign.estimates()
        assert isinstance(found, PosteriorEstimate)
        assert campaign.settled == (found.best_chances().max() >= 0.95)
        assert campaign.settled or campaign.progress().spent >= min(150, len(pool().documents))


def test_reports(tmp_path: Path) -> None:
    """The plan names the method and what to expect; the board has differences, what they rest on, and what is next."""
    runs = tables()[1]
    judged = BoardPool.from_runs(runs, depth=8, judges={"model": noisy_judge()})
    settings = {"grades": SCALE, "budget": 60}
    with BoardCampaign.create(tmp_path / "c.rg", judged, ["nDCG@5", "P@5"], **settings) as campaign:
        plan = shown(BoardPlanReport(campaign=campaign))
        assert "posterior: a model of the grades" in plan
        assert "not yet" not in plan
        judge(campaign, 30)
        report = BoardReport.of(campaign, level=0.95)
        board = shown(report)
        assert "to the first" in board
        assert "is best of 5 runs" in report.headline()
        assert "of the pool" in board
        assert "outlook" in board
        assert "By model's grades alone" in report.paragraph()
        assert "drawn from the posterior" in report.paragraph()
        assert len(report.matter) == 10
        assert report.frame().height == 10
        with pytest.raises(InputError, match="leaderboard"):
            campaign.later("new", runs["run 0"])


def test_no_interval_is_shown_beyond_the_measure(tmp_path: Path) -> None:
    """A value near a bound has the ends of its interval instead of ±, in every format; the rest keep ±."""
    with create(tmp_path / "c.rg") as campaign:
        judge(campaign, 20)
        report = BoardReport.of(campaign, level=0.95)
    (one,) = report.standings
    high = replace(one.estimate, by_query=one.estimate.by_query + 0.99 - one.values.max())
    first = replace(one, estimate=high)
    assert value_words(first, first.first) == f"0.99 ({first.ends[0][first.first]:.2f} to 1)"
    assert re.fullmatch(r"0\.\d\d ± 0\.\d\d", value_words(one, one.first))
    rows = replace(report, standings=(first,)).frame()
    assert rows["high"][0] == 1.0
    assert (rows["low"] < rows["value"]).all()


def test_a_pool_that_is_judged_throughout(tmp_path: Path) -> None:
    """Nothing is left to judge, and so the best run is settled by no label: a plan, and no warning."""
    judgments, runs, _ = tables()
    pool = BoardPool.from_runs(dict(list(runs.items())[:3]), depth=5, also=judgments)
    with BoardCampaign.create(tmp_path / "c.rg", pool, ["nDCG@5"], grades=SCALE, budget=20) as campaign:
        assert "settled by 0 labels" in " ".join(shown(BoardPlanReport(campaign=campaign)).split())


def test_one_more_run_is_named(tmp_path: Path) -> None:
    """Five runs that may be the best are named, not four and "one of 1 more"."""
    _, runs, _ = tables()
    many = {f"{name} {n}": run for n in range(2) for name, run in runs.items()}
    pool = BoardPool.from_runs(dict(list(many.items())[:5]), depth=5)
    with BoardCampaign.create(tmp_path / "c.rg", pool, ["nDCG@5"], grades=SCALE, budget=20, method="posterior") as made:
        judge(made, 3)
        (one,) = BoardReport.of(made, level=0.95).standings
    for count, words in ((5, " or "), (6, "one of 2 more")):
        named = replace(one)
        vars(named)["candidates"] = [n % 5 for n in range(count)]
        said = standing_words(named, labels=3)
        assert words in said
        assert "one of 1 more" not in said


def test_what_is_expected_comes_true(tmp_path: Path) -> None:
    """The width that the plan foretells is about that of the board with as many labels."""
    with create(tmp_path / "c.rg", budget=60, seed=2) as campaign:
        foretold = float(campaign.plan.expect([60])[0, 0])
        while judge(campaign, 15):
            pass
        (found,) = campaign.estimates()
        assert found.half_widths().mean() == pytest.approx(foretold, rel=0.35)  # type: ignore[union-attr]
