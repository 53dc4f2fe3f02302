"""The stream: nested samples with known chances, the same from the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from rankgauge.errors import ParameterError
from rankgauge.labelling.board import Stream

SCORES = np.random.default_rng(5).gamma(0.5, size=300)


def test_chances_add_up_to_the_budget() -> None:
    """Chances add up to the number of labels, are at most 1, and never below a tenth of an even share."""
    stream = Stream.of(SCORES, seed=1)
    for budget in (3, 40, 150, 290):
        chance = stream.chances(budget)
        assert chance.sum() == pytest.approx(budget)
        assert chance.max() <= 1
        assert chance.min() >= 0.1 * budget / len(SCORES)


def test_samples_are_nested() -> None:
    """A document is in the sample if its random number is below its chance, and it stays in larger samples."""
    stream, before = Stream.of(SCORES, seed=2), np.zeros(0, dtype=int)
    for budget in (5, 20.5, 80, 200, 299):
        sample = stream.sample(budget)
        assert (sample == np.flatnonzero(stream.uniform < stream.chances(budget))).all()
        assert np.isin(before, sample).all()
        assert set(stream.order[: len(sample)]) == set(sample)
        before = sample


def test_all_come_in_the_end() -> None:
    """A budget for every document hands out every document, and every chance is 1."""
    stream = Stream.of(SCORES, seed=3)
    assert (stream.chances(len(SCORES)) == 1).all()
    assert sorted(stream.order) == list(range(len(SCORES)))
    assert len(stream.exactly(len(SCORES))) == len(SCORES)


def test_exactly_so_many() -> None:
    """The first of the order are exactly the number of labels, with chances that are nearly those of the stream."""
    scores, repetitions = SCORES[:30], 500
    found = np.zeros(30)
    for seed in range(repetitions):
        sample = Stream.of(scores, seed=seed).exactly(8)
        assert len(sample) == 8
        found[sample] += 1
    chance = Stream.of(scores, seed=0).chances(8)
    error = np.sqrt(chance * (1 - chance) / repetitions)
    assert np.abs(found / repetitions - chance).max() < 0.02 + 4 * error.max()


def test_a_campaign_is_a_sample() -> None:
    """Each further label adds the next document of the order, so that a campaign at any moment is a sample."""
    stream = Stream.of(SCORES, seed=9)
    for labels in (1, 17, 120, 300):
        assert set(stream.exactly(labels)) == set(stream.order[:labels])


def test_a_seed_fixes_the_stream() -> None:
    """The same seed gives the same order and folds, another seed another order."""
    one, again, other = (Stream.of(SCORES, seed=seed) for seed in (7, 7, 8))
    assert (one.order == again.order).all()
    assert (one.fold == again.fold).all()
    assert (one.order != other.order).any()


def test_known_documents_are_certain() -> None:
    """Documents that were judged before are in every sample with a chance of 1, and are never handed out."""
    known = np.arange(300) % 3 == 0
    stream = Stream.of(SCORES, seed=4, known=known)
    assert (stream.chances(20)[known] == 1).all()
    assert stream.chances(20)[~known].sum() == pytest.approx(20)
    assert np.isin(np.flatnonzero(known), stream.sample(20)).all()
    assert len(stream.exactly(20)) == 120
    assert not known[stream.order].any()


def test_a_later_stage_draws_anew() -> None:
    """With more labels known the same seed gives other numbers: those left over from a stage are all large."""
    first = Stream.of(SCORES, seed=6)
    known = np.isin(np.arange(300), first.exactly(100))
    later = Stream.of(SCORES, seed=6, known=known)
    assert (later.uniform != first.uniform).all()


def test_a_budget_is_positive() -> None:
    """No labels are no sample."""
    with pytest.raises(ParameterError, match="budget"):
        Stream.of(SCORES, seed=1).chances(0)
