"""The five folds of MQ2008, where the data lies beside the project."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.training import Ranker
from rankgauge.training.documents import read
from tests.ltr.small import Small
from tests.shared import shared


def folds() -> Iterator[tuple[Small, Small, Small]]:
    """Training, validation and test documents of each fold: three, one and one of the five parts."""
    parts = []
    for number in range(1, 6):
        found = read(shared(f"data/mq2008/S{number}.txt"))
        parts.append(Small(found.matrix, found.grades, found.queries))
    for first in range(5):
        turned = [*parts[first:], *parts[:first]]
        yield Small(*(np.concatenate(arrays) for arrays in zip(*turned[:3], strict=True))), turned[3], turned[4]


def mean_over_folds(ranker: Ranker, judged: Dialect | None = None) -> float:
    """The mean of the test values, each of a ranker that learned from the training part and chose by the validation.

    The test values are computed under the dialect `judged`, by default that of the training.
    """
    values, trained = [], ranker.dialect
    for train, held, test in folds():
        ranker.set_params(dialect=trained).fit(train.X, train.y, qid=train.qid, validation=tuple(held))
        values.append(ranker.set_params(dialect=judged or trained).score(test.X, test.y, qid=test.qid))
    return float(np.mean(values))
