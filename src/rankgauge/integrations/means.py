"""The mean of a measure over flat arrays, as every library hands them over."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.arrays import score_arrays
from rankgauge.dialects import Dialect
from rankgauge.measures import Measure

__all__ = ["mean", "title"]


def mean(
    grades: npt.ArrayLike, scores: npt.ArrayLike, measure: str | Measure, dialect: str | Dialect, **lists: Any
) -> float:
    """The mean over the queries that count; `lists` says which document belongs to which: `group` or `qid`."""
    values = score_arrays(grades, scores, measure, dialect=dialect, **lists)
    return float(np.nanmean(values)) if np.isfinite(values).any() else float("nan")


def title(measure: str | Measure, dialect: str | Dialect) -> str:
    """What the number is called: the measure, and the dialect where it is not the standard one."""
    spoken = dialect if isinstance(dialect, str) else dialect.name
    return str(measure) if spoken == "standard" else f"{measure} ({spoken})"
