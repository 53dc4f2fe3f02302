"""The sign test: wins against losses."""

from __future__ import annotations

import numpy as np

from rankgauge.numeric import FloatArray
from rankgauge.statistics.paired_test import PairedTest, Tested


def _test(differences: FloatArray, rng: np.random.Generator, draws: int) -> Tested:
    from scipy.special import bdtr

    wins, losses = (differences > 0).sum(axis=0), (differences < 0).sum(axis=0)
    tail = bdtr(np.minimum(wins, losses).astype(np.float64), wins + losses, 0.5)
    p = np.asarray(np.minimum(2 * tail, 1.0))
    return Tested(p, np.zeros_like(p))


SIGN = PairedTest(
    name="sign",
    title="sign test",
    words="whether a run wins as many queries as it loses, by however much; ties are dropped",
    reference="Arbuthnot, Philosophical Transactions 1710; exact binomial, two-sided",
    kernel=_test,
).register()
