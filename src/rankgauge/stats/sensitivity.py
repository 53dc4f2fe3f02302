"""How well a measure tells runs apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankgauge.errors import ParameterError

__all__ = ["separated_share"]


def separated_share(p: npt.ArrayLike, *, alpha: float = 0.05) -> float:
    """The share of pairs of runs that a test separates at the level: a measure's discriminative power.

    NaN without pairs. It says how steady a measure is over queries, not whether it measures the right thing. Sakai,
    Evaluating evaluation metrics based on the bootstrap, SIGIR 2006.
    """
    if not 0 < alpha < 1:
        raise ParameterError("separated_share", "alpha", "between 0 and 1", alpha)
    values = np.asarray(p, dtype=np.float64)
    return float((values < alpha).mean()) if values.size else float("nan")
