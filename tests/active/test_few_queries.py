"""Few queries: intervals cover even where most queries are alike and few are not, or there is none yet."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankgauge.labelling import methods
from rankgauge.labelling.campaign import Campaign
from rankgauge.labelling.campaign.campaign import lacking_labels
from rankgauge.labelling.intervals import FEWEST, Basis, ends, unseen
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.reports.campaign import CampaignReport
from rankgauge.labelling.simulations.study import repetitions
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray
from tests.active.campaigns import grades, judged, pool, spend, truth
from tests.active.graded import graded_pool
from tests.active.test_old_campaigns import GOLDEN

QUERIES, DOCUMENTS, ODD = 30, 4, 3
NDCG = f"nDCG@{DOCUMENTS}"
QUICK = ("passive", "passive-iid", "paper", "paper+defensive", "greg")


@cache
def skewed() -> tuple[Pool, FloatArray]:
    """A pool in which nearly all lists are perfect, and three have their only relevant document at the end."""
    rng = np.random.default_rng(5)
    rank = np.tile(np.arange(DOCUMENTS), QUERIES)
    query = np.repeat(np.arange(QUERIES), DOCUMENTS)
    first = np.where(rank == 0, 2.0, np.where(rank == 1, rng.integers(0, 2, len(rank)), 0.0))
    grades = np.where(query < ODD, np.where(rank == DOCUMENTS - 1, 2.0, 0.0), first)
    beliefs = np.where(rank[:, np.newaxis] == 0, [0.1, 0.2, 0.7], [0.6, 0.3, 0.1])
    frame = pl.DataFrame({"query": query, "document": rank, "score": -rank.astype(float)})
    return Pool.of(frame, grades=[0, 1, 2], beliefs=beliefs), grades


@pytest.mark.parametrize(("name", "count"), [*((name, 400) for name in QUICK), ("auto", 50)])
@pytest.mark.parametrize("queries", [6, 27])
def test_rare_queries_are_reckoned_with(name: str, count: int, queries: int) -> None:
    """Intervals shown hold the truth in 93 % or more of the repetitions, less two standard errors; few show none."""
    found_pool, grades = skewed()
    target = Target.of(NDCG, found_pool)
    value = float(target.values(found_pool, grades).mean())
    found = repetitions(name, found_pool, target, grades, budget=float(queries * DOCUMENTS), count=count)
    shown = np.isfinite(found.high - found.low)
    held = (found.low <= value + 1e-9) & (value <= found.high + 1e-9)
    assert shown.mean() > 0.5
    assert held[shown].mean() >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / shown.sum())
    assert (found.low[shown] >= 0).all()
    assert (found.high[shown] <= 1).all()


@pytest.mark.parametrize("measure", ["nDCG@5", "P(rel=1)@5"])
def test_a_pilot_that_takes_the_budget(measure: str) -> None:
    """With little left after the pilot the estimate rests on it: it covers, is not certain, and is within bounds."""
    found_pool, grades = graded_pool(queries=30)
    target = Target.of(measure, found_pool)
    budget = 5.5 * float(target.query_costs(found_pool).mean())
    found = repetitions("auto", found_pool, target, grades, budget=budget, count=50)
    value, shown = target.values(found_pool, grades).mean(), np.isfinite(found.high - found.low)
    assert ((found.value >= 0) & (found.value <= 1)).all()
    assert (found.error > 0).all()
    assert np.abs(found.value - value).max() < 0.5
    assert ((found.low <= value) & (value <= found.high))[shown].mean() >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / shown.sum())


@pytest.mark.parametrize("name", [*QUICK, "auto"])
def test_four_queries_give_no_interval(name: str) -> None:
    """There is none before five different queries are judged; then there is one."""
    found_pool, grades = graded_pool(queries=30)
    plan = methods.get(name).plan(found_pool, Target.of("nDCG@5", found_pool), budget=200.0)
    counts = [len({plan.query(j) for j in range(n)}) for n in range(1, 12)]
    four, five = (counts.index(wanted) + 1 for wanted in (FEWEST - 1, FEWEST))
    few, enough = plan.estimate(four, grades), plan.estimate(five, grades)
    assert (few.shown, few.queries, str(few)) == (False, 4, f"not yet ({few.cost:g} spent, {name})")
    assert np.isnan(few.to_json()["value"])
    assert (enough.shown, enough.to_json()["queries"]) == (True, 5)


def test_the_freedom_of_a_pilot() -> None:
    """The error of five random queries has four degrees of freedom."""
    found_pool, grades = graded_pool(queries=30)
    plan = methods.get("auto").plan(found_pool, Target.of("nDCG@5", found_pool), budget=200.0)
    assert plan.estimate(5, grades).freedom == pytest.approx(5 - 1)


def test_unseen_exceptions() -> None:
    """Of 43 queries 40 miss one exception with probability 3/43 and two with 3/43 · 2/42, which is below 2.5 %."""
    assert 3 / 43 * 2 / 42 < 0.025 < 3 / 43
    np.testing.assert_array_equal(unseen([0, 40, 43], 43, 0.95), [43, 1, 0])
    assert unseen(10, 1000, 0.95) == max(x for x in range(1000) if np.prod(1 - 10 / (1000 - np.arange(x))) >= 0.025)


def test_ends() -> None:
    """Ends reach as far as exceptions at the bounds could move the mean, and no further than the bounds.

    There are none around a value out of bounds, from four queries, or where nothing would be ruled out.
    """
    basis = Basis(queries=40, size=43, bounds=(0.0, 1.0))
    low, high = ends([0.9, 0.9, 0.99, 1.2], [0.0, 0.05, 0.03, 0.3], basis=basis, level=0.95)
    np.testing.assert_allclose(low, [0.9 - 0.9 / 43, 0.85, 0.96, -np.inf])
    np.testing.assert_allclose(high, [0.9 + 0.1 / 43, 0.95, 1.0, np.inf])
    documents = Basis(queries=40, size=43, bounds=(0.0, 1.0), whole=0.0)
    np.testing.assert_allclose(ends(0.9, 0.01, basis=documents, level=0.95), [0.89, 0.91])
    assert np.isfinite(ends(0.5, 0.49, basis=basis, level=0.95)).all()
    assert np.isinf(ends(0.5, 0.5, basis=basis, level=0.95)).all()
    low, high = ends(0.5, 0.1, basis=Basis(queries=[4, 5], size=43, bounds=(0.0, 1.0)), level=0.95)
    assert (np.isfinite(low) == np.isfinite(high)).all()
    assert np.isfinite(low).tolist() == [False, True]


@pytest.mark.parametrize(("measure", "rankers"), [("DCG@3", 1), ("DCG@3", 2), ("ERR", 2)])
def test_extent(measure: str, rankers: int) -> None:
    """A measure without a bound ends where every document has the highest grade; a difference is as wide either way."""
    found_pool, _ = graded_pool(queries=5, rankers=rankers)
    most = sum(2 / np.log2(1 + rank) for rank in (1, 2, 3)) if measure.startswith("DCG") else 1.0
    low, high = Target.of(measure, found_pool).extent(found_pool)
    assert (low, high) == pytest.approx((0.0, most) if rankers == 1 else (-most, most))


def told(campaign: Campaign, interval: str = "t") -> tuple[str, dict[str, str]]:
    """The headline of the campaign's report, and its notes."""
    report = CampaignReport.of(campaign, level=0.95, interval=interval)
    return report.headline(), dict(report.notes())


def test_words_of_a_campaign(tmp_path: Path) -> None:
    """A report says how many labels an interval still needs, then how few queries it rests on."""
    with Campaign.create(tmp_path / "few.rg", pool(), NDCG, budget=60, method="passive") as campaign:
        assert told(campaign)[0] == f"{NDCG}: not yet: about {FEWEST * DOCUMENTS} more labels"
        spend(campaign, truth(), n=DOCUMENTS, rounds=3)
        headline, notes = told(campaign)
        told_value = rf"{re.escape(NDCG)} 0\.\d\d \(0 to 1\): labels are too few, about {(FEWEST - 3) * DOCUMENTS} more"
        assert re.match(told_value, headline), "a value, all that it can be, and what is lacking"
        assert notes["few"] == "3 queries are too few for an interval"
        assert campaign.curve()["value"].is_nan().all()
        spend(campaign, truth(), n=DOCUMENTS, rounds=3)
        headline, notes = told(campaign)
        assert headline.startswith(f"{NDCG} 0.")
        assert notes["few"] == "6 queries are too few for an interval to say much"
        left = len(truth()) - 6 * DOCUMENTS  # a sequence would need more draws than this pool has
        assert told(campaign, "sequence")[0].endswith(f"about {left} more labels before it has an interval")
        campaign.record(judged(campaign.lease(24), truth()))
        assert "few" not in told(campaign)[1]


def test_draws_that_do_not_count_yet(tmp_path: Path) -> None:
    """A part of the plan counts from its third query on: until then the report says which draws do not count."""
    found, known, seen = pool(queries=8), truth(queries=8), {}
    with Campaign.create(tmp_path / "few.rg", found, "ERR@4", budget=32, method="auto") as campaign:
        while spend(campaign, known, n=1, rounds=1):
            estimate, complete = campaign.estimate(), campaign.progress().complete
            if estimate is None or complete in seen:
                continue
            seen[complete] = (estimate.value, campaign.waiting(), told(campaign)[1]["draws"])
    waits = {n: waiting for n, (_, waiting, _) in seen.items() if waiting}
    assert sorted(waits.values()) == [1, 2]
    for n, waiting in waits.items():
        assert seen[n][0] == seen[n - waiting][0], "the value is that without them"
        assert f"all but the last{'' if waiting == 1 else ' 2'}, which begin" in seen[n][2]
    assert "the estimate rests on these" in seen[min(waits) - 1][2]


@pytest.mark.parametrize(("queries", "interval"), [(24, "sequence"), (2, "t"), (1, "t")])
def test_a_pool_that_is_judged_whole(queries: int, interval: str, tmp_path: Path) -> None:
    """With every document judged the value is exact, however few draws the pool has."""
    found, known = pool(queries=queries), truth(queries=queries)
    with Campaign.create(tmp_path / "whole.rg", found, NDCG, budget=queries * DOCUMENTS, method="passive") as campaign:
        spend(campaign, known)
        exact = campaign.estimate(interval=interval)
        assert exact is not None
        value = Target.of(NDCG, found).values(found, grades(found, known)).mean()
        assert (exact.low, exact.value, exact.high, exact.error) == (
            exact.value,
            pytest.approx(value),
            exact.value,
            0.0,
        )
        assert exact.labels == queries * DOCUMENTS
        assert "± 0.0000" in told(campaign, interval)[0]


def test_a_budget_beyond_the_pool(tmp_path: Path) -> None:
    """What a budget has beyond the cost of the pool plans nothing: the estimate and its curve end at the value."""
    found, known = pool(queries=20), truth(queries=20)
    with Campaign.create(tmp_path / "whole.rg", found, NDCG, budget=5 * len(known)) as campaign:
        assert campaign.plans[0].budget == len(known)
        spend(campaign, known)
        exact = campaign.estimate()
        assert exact is not None
        value = Target.of(NDCG, found).values(found, grades(found, known)).mean()
        assert (exact.value, exact.error) == (pytest.approx(value), 0.0)
        assert campaign.curve()["value"][-1] == pytest.approx(value)


def test_words_for_noise(tmp_path: Path) -> None:
    """Where queries are enough and there is still no interval, the report says that the labels say too little."""
    with Campaign.create(tmp_path / "noise.rg", pool(), NDCG, budget=60, method="passive") as campaign:
        spend(campaign, truth())
        report = CampaignReport.of(campaign, level=0.95, interval="t")
        assert report.estimate is not None
        none = replace(report, estimate=replace(report.estimate, low=-np.inf, high=np.inf))
        assert f"about {len(truth()) - 60} more labels before" in none.headline()
        assert dict(none.notes())["noise"] == "what the labels say so far is too uncertain to be shown"


def test_words_of_an_old_campaign(tmp_path: Path) -> None:
    """A campaign that version 0.1 began keeps its interval, and its report says that queries are too few for it."""
    path = tmp_path / "old.rg"
    path.write_bytes(gzip.decompress((GOLDEN / "auto.rg.gz").read_bytes()))
    with Campaign.open(path) as campaign:
        headline, notes = told(campaign)
    assert "±" in headline
    assert notes["interval"].endswith("too narrow where queries are few")
    assert notes["few"] == "7 queries are too few for an interval to say much"


def test_as_much_again() -> None:
    """Where queries are enough and the value is still out of bounds, an interval needs about as many labels again."""
    found_pool, grades = graded_pool(queries=30)
    plan = methods.get("passive").plan(found_pool, Target.of("nDCG@5", found_pool), budget=200.0)
    found = plan.estimate(6, grades)
    assert lacking_labels(found, labels=40, each=7.0, queries=30) == 40
    assert lacking_labels(None, labels=3, each=7.0, queries=30) == FEWEST * 7 - 3
