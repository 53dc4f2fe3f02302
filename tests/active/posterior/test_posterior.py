"""The posterior of a pool: its estimates keep to what is judged, to the measure's bounds and to the seed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

import rankgauge
from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.posterior import GradePosterior, PosteriorEstimate
from rankgauge.labelling.posterior.choice import label_order, label_scores
from rankgauge.labelling.reports.board_words import best_words
from rankgauge.labelling.standings import Standings
from rankgauge.measures import MEASURES, Aggregate, parse
from rankgauge.measures.measure import DEFAULTS
from rankgauge.policies import JudgmentKind
from tests.active.board.collection import noisy_judge, tables
from tests.active.posterior.small import SCALE, labels, shallow


def scorable() -> list[str]:
    """Every registered measure of whole documents that is a mean over all queries, with a cutoff where it takes one."""
    names = []
    for name in MEASURES:
        for text in (name, f"{name}@5"):
            try:
                measure = parse(text).bound(DEFAULTS)
            except rankgauge.RankGaugeError:
                continue
            facts = measure.facts
            plain = facts.judgments is JudgmentKind.GRADES and facts.aggregate is Aggregate.MEAN
            names += [text] * (plain and not measure.left_out)
    return names


@pytest.mark.parametrize("dialect", ["papers", "trec_eval"])
def test_all_judged_is_what_an_evaluation_gives(dialect: str) -> None:
    """Every measure of the registry on the drawn gradings of a pool that is judged throughout: exact, with ± 0."""
    judgments, runs, _ = tables()
    pool, grades = shallow(runs=3, depth=20, also=judgments)
    measures = [name for name in scorable() if _has_values(name, pool, dialect)]
    assert {"nDCG@5", "AP", "ERR", "RBP", "RR", "Bpref"} <= set(measures)
    posterior = GradePosterior.of(pool, measures, grades=SCALE, dialect=dialect, missing="zero", ties="input")
    for name, estimate in zip(measures, posterior.estimate(grades, seed=1), strict=True):
        for value, run in zip(estimate.values, list(runs.values())[:3], strict=True):
            result = rankgauge.evaluate(judgments, run, name, dialect=dialect, missing="zero", ties="input")
            assert value == pytest.approx(result[name], abs=1e-9), name
        assert estimate.half_widths().max() < 1e-9, name


def _has_values(name: str, pool: BoardPool, dialect: str) -> bool:
    try:
        GradePosterior.of(pool, [name], grades=SCALE, dialect=dialect)
    except rankgauge.RankGaugeError:
        return False
    return True


def test_documents_outside_the_pool_keep_their_ranks() -> None:
    """A value is that of the whole list with what is outside the pool as not relevant, its ideal that of the pool."""
    judgments, runs, _ = tables()
    pool, grades = shallow(runs=2, depth=3)
    inside = judgments.join(pool.ids, on=["query", "document"], how="semi")
    posterior = GradePosterior.of(pool, ["nDCG@10", "AP"], grades=SCALE, dialect="standard")
    for estimate in posterior.estimate(grades, seed=0):
        for value, run in zip(estimate.values, runs.values(), strict=False):
            result = rankgauge.evaluate(inside, run, estimate.target.name, ties="input")
            assert value == pytest.approx(result[estimate.target.name], abs=1e-12)


def test_draws_keep_labels() -> None:
    """In every grading a judged document has its label, whether it came now or before."""
    judgments, _, _ = tables()
    pool, grades = shallow(also=judgments.head(7))
    posterior = GradePosterior.of(pool, ["nDCG@5"], grades=SCALE)
    known = labels(grades, posterior.order(2), 12)
    drawn = posterior.draw(known, seed=4).grades
    judged = ~np.isnan(known)
    assert (drawn[:, judged] == grades[judged]).all()
    before = ~np.isnan(pool.known)
    assert (drawn[:, before] == pool.known[before]).all()
    assert len(drawn) >= 400


def test_prefixes_of_the_order_are_samples() -> None:
    """Documents come once each, in rounds over the queries; those judged before do not come."""
    judgments, _, _ = tables()
    pool, _ = shallow(also=judgments.head(3))
    order = label_order(pool, 7)
    assert sorted(order) == np.flatnonzero(np.isnan(pool.known)).tolist()
    assert len(set(pool.query[order[:10]])) == 10
    assert len(set(pool.query[order[10:20]])) == 10
    assert (label_order(pool, 7) == order).all()
    assert (label_order(pool, 8) != order).any()
    assert label_scores(pool).min() > 0


def test_what_moves_values_comes_sooner() -> None:
    """The first document of a query is drawn in proportion to its score."""
    pool, _ = shallow()
    here = np.flatnonzero(pool.query == 0)
    first = [next(z for z in label_order(pool, seed) if z in set(here.tolist())) for seed in range(2000)]
    share = np.bincount(first, minlength=len(pool.documents))[here] / 2000
    score = label_scores(pool)[here]
    assert share == pytest.approx(score / score.sum(), abs=0.04)


def test_seeds_reproduce() -> None:
    """The same labels and seed give the same estimate; another seed one that differs by little."""
    pool, grades = shallow()
    posterior = GradePosterior.of(pool, ["nDCG@5"], grades=SCALE)
    known = labels(grades, posterior.order(1), 40)
    (first,), (again,), (other,) = (posterior.estimate(known, seed=seed) for seed in (1, 1, 2))
    assert (first.values == again.values).all()
    assert (first.half_widths() == again.half_widths()).all()
    assert 0 < np.abs(first.values - other.values).max() < 0.3 * first.half_widths().max()


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_there_is_an_answer_from_ten_labels_on(runs: int) -> None:
    """Values, intervals and what is settled: within the bounds of the measure, for any number of runs."""
    pool, grades = shallow(runs=runs)
    posterior = GradePosterior.of(pool, ["nDCG@5", "P@5", "RR", "ERR@5", "AP", "RBP"], grades=SCALE)
    for estimate in posterior.estimate(labels(grades, posterior.order(3), 10), seed=3):
        assert estimate.labels == 10
        for low, high in (estimate.ends(), estimate.joint_ends()):
            assert (low >= 0).all()
            assert (high <= 1).all()
            assert (low < estimate.values).all()
            assert (estimate.values < high).all()
        assert (estimate.joint_half_widths() >= estimate.half_widths()).all()
        assert (estimate.like_half_widths() > estimate.half_widths()).all()
        assert estimate.best_chances().sum() == pytest.approx(1.0)
        assert (estimate.verdicts().ranges[:, 0] >= 1).all()
        assert (estimate.pair_half_widths() >= estimate.gap_half_widths() - 1e-12).all()


def test_labels_narrow_intervals_and_intervals_cover() -> None:
    """From 20 to 60 labels, and over several pools' worth of orders the truth is inside."""
    pool, grades = shallow(depth=10)
    posterior = GradePosterior.of(pool, ["nDCG@10"], grades=SCALE)
    (truth,) = posterior.estimate(grades, seed=0)
    few, more, inside = list[float](), list[float](), list[bool]()
    for seed in range(6):
        order = posterior.order(seed)
        for count, widths in ((20, few), (60, more)):
            (found,) = posterior.estimate(labels(grades, order, count), seed=seed)
            widths.append(float(found.half_widths().mean()))
            inside += (np.abs(found.values - truth.values) <= found.half_widths()).tolist()
    assert np.mean(more) < 0.8 * np.mean(few)
    assert np.mean(inside) > 0.85


def test_equal_runs_are_never_told_apart() -> None:
    """Two runs of one list differ by 0 in every draw: their difference is 0 ± 0, and nothing is claimed."""
    _, runs, _ = tables()
    one = runs["run 0"]
    pool = BoardPool.from_runs({"a": one, "b": one, "c": runs["run 4"]}, depth=5)
    posterior = GradePosterior.of(pool, ["nDCG@5"], grades=SCALE)
    (found,) = posterior.estimate(labels(pool.grades(tables()[0]), posterior.order(1), 30), seed=1)
    assert found.gap_half_widths()[0, 1] == 0
    assert not found.verdicts().above[:2, :2].any()
    assert found.best_chances()[0] == found.best_chances()[1]


def test_runs_that_tie_in_a_draw_share_it() -> None:
    """A draw in which two runs are equal is half a win of each, however far apart the runs are on average."""
    posterior = GradePosterior.of(shallow(runs=2)[0], ["Success@5"], grades=SCALE)
    values = np.ones((100, 2, 2))
    values[:10, 1] = 0.5
    kept = {"labels": 10, "seed": 1, "learnt": np.ones((3, 2))}
    found = PosteriorEstimate.of(posterior.targets[0], posterior.pool.runs, values, **kept)
    assert found.best_chances().tolist() == pytest.approx([0.10 + 0.90 / 2, 0.90 / 2])


def test_a_judge_narrows_intervals() -> None:
    """Its grades are features, and never labels; with holes it is of use too."""
    _, runs, _ = tables()
    judge = noisy_judge()
    plain, helped, holed = (
        GradePosterior.of(BoardPool.from_runs(runs, depth=10, judges=judges), ["nDCG@10"], grades=SCALE)
        for judges in ({}, {"model": judge}, {"model": judge[::2]})
    )
    grades = plain.pool.grades(tables()[0])
    known = labels(grades, plain.order(1), 60)
    errors = [one.estimate(known, seed=1)[0].half_widths().mean() for one in (plain, helped, holed)]
    assert errors[1] < errors[0]
    assert errors[2] < 1.05 * errors[0]


def test_many_runs_have_few_directions() -> None:
    """More than eight runs share twelve directions, so that the model stays small."""
    _, runs, _ = tables()
    many = {f"{name} {n}": run for n in range(3) for name, run in runs.items()}
    pool = BoardPool.from_runs(many, depth=5)
    posterior = GradePosterior.of(pool, ["nDCG@5"], grades=SCALE)
    assert posterior.model.w.shape[1] == 2 + 12
    (found,) = posterior.estimate(labels(pool.grades(tables()[0]), posterior.order(1), 30), seed=1)
    assert (found.half_widths() > 0).all()


def test_labels_off_the_scale_are_refused() -> None:
    """And so is a scale that does not rise."""
    pool, _ = shallow()
    posterior = GradePosterior.of(pool, ["nDCG@5"], grades=SCALE)
    with pytest.raises(InputError, match=r"1\.5 is not on the scale"):
        posterior.estimate(np.full(len(pool.documents), 1.5), seed=0)
    with pytest.raises(ParameterError, match="ascending"):
        GradePosterior.of(pool, ["nDCG@5"], grades=(1, 0))


@pytest.mark.parametrize("measure", ["DCG@5", "CG@3", "ERR@5", "RBP@5", "P@5", "RR@3"])
def test_no_end_is_beyond_the_best_list(measure: str) -> None:
    """The upper end of no interval is above a list with the top grade at every rank, though the measure's own bound may
    be 1 or none; and that list itself is within."""
    pool, _ = shallow(runs=3, depth=5)
    posterior = GradePosterior.of(pool, [measure], grades=SCALE)
    best = np.full(len(pool.documents), SCALE[-1])
    most = posterior.scorers[0].values(best[np.newaxis]).max()
    seen = labels(best, posterior.order(seed=1), 8)
    (estimate,) = posterior.estimate(seen, seed=1)
    low, high = estimate.ends()
    assert low.min() >= 0
    assert most == pytest.approx(high.max())
    assert estimate.target.bounds[1] >= most - 1e-12


@pytest.mark.parametrize(
    ("half", "ends"), [(0.02, "by 0.03 ± 0.02"), (0.04, "± 0.04 (the chance is one-sided, the interval two-sided)")]
)
def test_a_run_that_is_settled_by_its_chance_may_be_ahead_by_less_than_its_interval(half: float, ends: str) -> None:
    """A chance of 95 % has one side, a 95 % interval two: where it holds 0, the words say why that is no error."""
    runs, chances = ("a", "b"), np.array([0.96, 0.04])
    found = SimpleNamespace(runs=runs, is_settled=True, candidates=[0], order=[0, 1], decimals=2, chances=chances)
    found.lead = lambda run, other: (0.03, half)
    words = best_words(cast(Standings, found))
    assert words.startswith("a (96 %), ahead of b by 0.03")
    assert words.endswith(ends)
