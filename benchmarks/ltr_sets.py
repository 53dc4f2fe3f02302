"""The sets that rankers are measured on: LETOR's folds where they lie, else a generated set like MQ2008."""

from __future__ import annotations

import numpy as np

from rankgauge.demo.folds import Fold, folds_of
from rankgauge.demo.learning import generate_learning, learning_parts

SETS = {"MQ2008": "mq2008", "OHSUMED": "ohsumed/QueryLevelNorm"}
"""The folder of each set in that of the data."""


def generated(queries: int) -> tuple[Fold, ...]:
    """The folds of a generated set."""
    return folds_of(learning_parts(generate_learning(rng=np.random.default_rng(0), like="mq2008", queries=queries)))
