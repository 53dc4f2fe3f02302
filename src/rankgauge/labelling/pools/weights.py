"""The weight of ranks: how much each rank of a list can add to a measure's value."""

from __future__ import annotations

import numpy as np

from rankgauge import dialects
from rankgauge.errors import ParameterError
from rankgauge.measures import parse
from rankgauge.measures.measure import DEFAULTS
from rankgauge.numeric import FloatArray


def rank_weights(measure: str, deepest: int, *, dialect: str = "standard") -> FloatArray:
    """The weights of the ranks 1, 2, … up to the deepest, 0 past the cutoff.

    They are those of the measure's own formula: 1 / log2(1 + rank) for nDCG, 1 / rank for AP and ERR, 1 for precision
    and recall, p^(rank − 1) for RBP.
    """
    read = dialects.get(dialect).read(parse(measure)).bound(DEFAULTS)
    form = read.numerator() or read.form()
    if form is None:
        expected = "one whose ranks have weights of their own, such as nDCG@10, AP, P@10, RBP or ERR@10"
        raise ParameterError("a pool", "measure", expected, measure)
    ranks = np.arange(1.0, deepest + 1)
    return np.where(ranks <= (np.inf if form.cutoff is None else form.cutoff), form.weight(ranks), 0.0)
