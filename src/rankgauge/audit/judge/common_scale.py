"""A judge's grades on people's scale, where the judge uses another one: points from 0 to 100, or chances."""

from __future__ import annotations

import numpy as np

from rankgauge.judgments.llm.machine_judge import is_stretched, placed
from rankgauge.numeric import FloatArray

HIGHEST = 5.0
"""Whole grades from 0 up to this are taken as grades of relevance, whatever the highest of them; others are points."""


def people_scale(seen: FloatArray, highest: float = 1.0) -> FloatArray:
    """The scale of grades that people gave: every whole one up to the highest of theirs, or to another that is higher;
    no more than 0 and 1 if they used no other.
    """
    if not np.array_equal(seen, np.round(seen)):
        return np.unique(np.append(seen, [0.0, 1.0]))
    top = float(seen.max(initial=1.0))
    return np.arange(0.0, (top if top <= 1 else max(top, highest)) + 1)


def on_scale(given: FloatArray, own: FloatArray, people: FloatArray, *, few: bool) -> FloatArray:
    """A judge's grades on people's scale; as they are, but for negative ones, if they are on it already.

    `own` are the grades of the judge's scale, `people` those that people gave. In few labels the highest grade may be
    missing, and where people only say relevant or not a judge of whole grades is cut, not stretched.
    """
    whole = np.array_equal(own, np.round(own)) and own.max() <= HIGHEST
    alike = few and whole and own.min() <= 0
    scale = people_scale(people, float(own.max()) if alike else 1.0)
    if not is_stretched(own, scale) or (whole and scale[-1] <= 1):
        return np.maximum(given, 0.0)
    return np.asarray(scale[placed(given, own, scale)])


def binary(grades: FloatArray) -> bool:
    """Whether no other grades are used than 0 and 1."""
    known = grades[~np.isnan(grades)]
    return bool(np.isin(known, (0.0, 1.0)).all())
