"""Verdicts and goals: what a board claims is settled, and where the next labels go."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.labelling.board import Board, Goal, Outlook, Verdicts
from rankgauge.labelling.board.covariance import Covariance
from rankgauge.numeric import FloatArray
from tests.active.board.collection import pooled

RUNS = ("a", "b", "c", "d")


def verdicts(values: list[float], error: float, *, level: float = 0.95) -> Verdicts:
    """The verdicts on runs with independent errors of that size, known with many degrees of freedom."""
    n = len(values)
    many = np.full((n, n), 1e6)
    covariance = Covariance(
        matrix=np.eye(n) * error**2,
        freedom=many[0],
        joint_freedom=many[0],
        pair_freedom=many,
        shown=np.full(n, error**2),
    )
    return Verdicts(runs=RUNS[:n], values=np.array(values), covariance=covariance, level=level)


def test_what_is_far_apart_is_settled() -> None:
    """Runs many standard errors apart are in order; equal ones are open, and share their range of ranks."""
    found = verdicts([0.9, 0.5, 0.5, 0.1], 0.01)
    assert found.range_texts == ["1", "2–3", "2–3", "4"]
    assert found.best.tolist() == [True, False, False, False]
    assert found.settled == pytest.approx(5 / 6)
    assert found.top(1).tolist() == [True, False, False, False]
    assert found.top(2) is None
    assert found.top(3).tolist() == [True, True, True, False]
    assert found.against("b").tolist() == [1, 0, 0, -1]


def test_nothing_is_settled_by_noise() -> None:
    """Runs within their errors are all candidates, of any rank."""
    found = verdicts([0.52, 0.51, 0.50, 0.49], 0.05)
    assert found.best.all()
    assert set(found.range_texts) == {"1–4"}
    assert found.top(1) is None
    assert not found.against("a").any()


def test_rounding_settles_nothing() -> None:
    """Two runs of one value that were judged throughout are equal, whatever the last digit says."""
    found = verdicts([0.5, 0.5 + 1e-16, 0.4], 0.0)
    assert found.range_texts == ["1–2", "1–2", "3"]
    assert found.best.tolist() == [True, True, False]


def test_the_same_run_twice_widens_nothing() -> None:
    """What rounding leaves between two copies of a run is no difference that the widths of other pairs allow for."""
    parts = np.random.default_rng(0).normal(size=(100, 100)) + 3
    parts[1] = parts[0]
    many = np.full((100, 100), 1e6)
    widths = []
    for rounding in (0.0, 1e-15):
        matrix = parts @ parts.T
        matrix[[0, 1], [0, 1]] *= 1.0 + rounding
        found = Covariance(
            matrix=(matrix + matrix.T) / 2,
            freedom=many[0],
            joint_freedom=many[0],
            pair_freedom=many,
            shown=np.diag(matrix),
        )
        assert found.pair_error[0, 1] == 0
        widths.append(found.joint_pair_half_widths(0.95, np.random.default_rng(0)))
    assert widths[0] == pytest.approx(widths[1], rel=1e-6)


def test_claims_hold_their_error() -> None:
    """Of equal runs the best, a pair and a winner against the baseline are claimed wrongly in about 5 % of draws."""
    rng, n = np.random.default_rng(4), 400
    values = rng.normal(size=(n, 4)) * 0.05
    lost, paired, beaten = np.zeros((3, n), dtype=bool)
    base = verdicts([0.0] * 4, 0.05)
    leads = base.covariance.lead_half_widths(0.95, np.random.default_rng(0))
    for i, row in enumerate(values):
        found = Verdicts(runs=RUNS, values=row, covariance=base.covariance)
        gaps = np.subtract.outer(row, row)
        lost[i] = (gaps[:, 0] > leads[:, 0]).any()  # any of the equal runs may be called the best
        paired[i], beaten[i] = found.above.any(), found.against("a").any()
    for claimed in (lost, paired, beaten):
        assert 0.02 < claimed.mean() < 0.085


def test_looks_share_the_error() -> None:
    """With more planned looks each claims less, and never more than one look would."""
    board, grades = _board("best"), pooled()[1]
    stream = board.stream(3)
    estimate = board.estimate(board.read(stream, stream.exactly(120), grades, budget=120))[0]
    one, ten = estimate.verdicts(), estimate.verdicts(looks=10)
    assert ten.level == pytest.approx(0.995)
    assert (one.above | ~ten.above).all()
    assert (ten.best | ~one.best).all()
    with pytest.raises(ParameterError, match="looks"):
        estimate.verdicts(looks=0)


def test_no_verdict_without_an_interval() -> None:
    """While there is no interval nothing is settled; who is in the race is known nevertheless."""
    board, grades = _board("best"), pooled()[1]
    stream = board.stream(3)
    estimate = board.estimate(board.read(stream, stream.exactly(10), grades, budget=10))[0]
    assert estimate.reason is not None
    assert estimate.verdicts() is None
    assert estimate.race().race(board.goal).sum() == pytest.approx(1.0)


def _board(goal: str) -> Board:
    return Board.of(pooled()[0], ["nDCG@5"], grades=(0, 1, 2, 3), goal=goal, dialect="papers")


def test_goals_parse() -> None:
    """A goal's text parses back to an equal goal; what is no goal is refused."""
    for text in ("values", "rank", "best", "best 3", "beats run 2"):
        assert str(Goal.parse(text)) == text
    assert Goal.parse("beats run 2").baseline == "run 2"
    for text in ("beats", "best x", "rank 2", "best 0"):
        with pytest.raises(ParameterError, match="goal"):
            Goal.parse(text)
    with pytest.raises(UnknownNameError):
        Goal.parse("win")
    with pytest.raises(UnknownNameError, match="run 9"):
        _board("beats run 9")
    with pytest.raises(ParameterError, match="fewer than the 5 runs"):
        _board("best 5")


def test_attention_goes_to_the_race() -> None:
    """Half of the attention is the leader's or the baseline's; runs that are out get none, and the rest share."""
    found = verdicts([0.9, 0.89, 0.5, 0.1], 0.01)
    assert found.race(Goal.parse("best")) == pytest.approx([1 / 2, 1 / 2, 0, 0])
    assert found.race(Goal.parse("beats d")) == pytest.approx([1 / 4] * 4)  # all is settled: back to all runs
    close = verdicts([0.9, 0.5, 0.49, 0.48], 0.01)
    assert close.race(Goal.parse("best 2")) == pytest.approx([0, 1 / 2, 1 / 4, 1 / 4])
    assert close.race(Goal.parse("beats c")) == pytest.approx([0, 1 / 4, 1 / 2, 1 / 4])
    assert close.race(Goal.parse("rank")) == pytest.approx([1 / 4] * 4)


def test_goals_are_reached() -> None:
    """A goal is reached once what it asks for is settled; values never are."""
    found = verdicts([0.9, 0.5, 0.5, 0.1], 0.01)
    assert found.is_reached(Goal.parse("best"))
    assert found.is_reached(Goal.parse("beats d"))
    for text in ("best 2", "beats b", "rank", "values"):
        assert not found.is_reached(Goal.parse(text))


def test_the_goal_moves_the_scores() -> None:
    """Documents of the runs in the race are worth more to that goal; one run's documents nothing to others' race."""
    pool, grades = pooled()
    first = _board("best")
    stream = first.stream(1)
    sample = stream.exactly(100)
    estimates = first.estimate(first.read(stream, sample, grades, budget=100))
    labels = np.where(np.isin(np.arange(400), sample), grades, np.nan)
    aimed, even = first.refit(labels, estimates), first.refit(labels)
    shares: FloatArray = aimed.shares[0]
    assert shares.sum() == pytest.approx(1.0)
    assert shares.max() == pytest.approx(0.5)
    out = np.flatnonzero(shares == 0)
    lonely = np.bincount(pool.document, np.isin(pool.run, out), 400) == np.bincount(pool.document, minlength=400)
    lonely &= np.bincount(pool.document[pool.rank <= 5], minlength=400) > 0
    lonely &= np.isnan(labels)
    if lonely.any():
        ratio = (aimed.scores / aimed.scores.sum()) / (even.scores / even.scores.sum()).clip(1e-12)
        assert np.median(ratio[lonely]) < 1
    assert not np.allclose(_board("values").scores, _board("rank").scores)


def test_the_outlook() -> None:
    """The documents that matter most are open; more labels narrow intervals, and about by as much as was expected."""
    board, grades = _board("rank"), pooled()[1]
    stream = board.stream(2)

    def at(labels: int) -> Outlook:
        readings = board.read(stream, stream.exactly(labels), grades, budget=labels)
        return Outlook.of(board, stream, readings, board.estimate(readings))

    now = at(100)
    following = now.next(5)
    assert not now.readings.judged[following].any()
    assert (np.diff(now.worth[following]) <= 0).all()
    assert len(now.next(1000)) == 300
    expected, width = now.half_widths(60)[0], now.estimates[0].half_widths()
    assert (expected < width).all()
    assert np.mean(at(160).estimates[0].half_widths()) == pytest.approx(np.mean(expected), rel=0.25)
    assert now.half_widths(300)[0] == pytest.approx(np.zeros(5))
    with pytest.raises(ParameterError, match="more"):
        now.shrinkage(0)
