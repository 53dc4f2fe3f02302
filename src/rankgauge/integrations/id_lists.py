"""One measure on lists of ids, as frameworks for RAG hand them over: what is expected, and what was retrieved."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from rankgauge.dialects import Dialect, get
from rankgauge.errors import ParameterError
from rankgauge.evaluation.evaluation import evaluate
from rankgauge.input_notes import collecting_notes
from rankgauge.measures import Measure, parse
from rankgauge.statistics.intervals import mean_interval

Expected = Iterable[Any] | Mapping[Any, float]
"""The documents that are relevant, with their grades where these differ."""

ALONE, NOTHING = "\0", "\0nothing"
"""A query that is always answered, so that all other lists may be empty; a document that no list has."""


class ListValues:
    """A measure of a dialect, which turns lists of ids into values."""

    def __init__(self, measure: str | Measure, dialect: str | Dialect = "standard", **overrides: Any) -> None:
        """`overrides` replace single choices of the dialect, such as `duplicates="count-once"`."""
        self.measure, self.dialect = parse(measure), get(dialect, **overrides)

    @classmethod
    def one_by_one(cls, measure: str | Measure, dialect: str | Dialect = "standard", **overrides: Any) -> Self:
        """Return the measure for a framework that hands over a list at a time: the top of the scale has to be said."""
        refuse_open_top(measure, dialect, **overrides)
        return cls(measure, dialect, **overrides)

    @property
    def name(self) -> str:
        """The measure's name with letters, digits and underscores alone, as frameworks want it: ndcg_at_10."""
        words = str(self.measure).lower().replace("@", "_at_")
        return "".join(letter if letter.isalnum() else "_" for letter in words).strip("_")

    def values(self, pairs: Iterable[tuple[Expected, Sequence[Any]]]) -> list[float]:
        """Return the value of each pair of what is expected and retrieved; NaN where the dialect leaves it out."""
        listed = list(pairs)
        judgments = {str(n): grades(expected) or {NOTHING: 0.0} for n, (expected, _) in enumerate(listed)}
        run = {str(n): [str(one) for one in retrieved] for n, (_, retrieved) in enumerate(listed) if len(retrieved)}
        with collecting_notes():
            judged, answered = {**judgments, ALONE: {ALONE: 1.0}}, {**run, ALONE: [ALONE]}
            values = evaluate(judged, answered, (self.measure,), dialect=self.dialect).by_query
        return [values.get(str(n), {}).get(str(self.measure), math.nan) for n in range(len(listed))]

    def value(self, expected: Expected, retrieved: Sequence[Any]) -> float:
        """Return the value of one list."""
        return self.values([(expected, retrieved)])[0]

    def mean(self, values: Sequence[float]) -> dict[str, float]:
        """Return the mean of the values that count, with its interval of 95 %."""
        known = np.array([value for value in values if not math.isnan(value)])
        if not len(known):
            return {"mean": math.nan, "low": math.nan, "high": math.nan}
        low, high = np.ravel(mean_interval(known[:, None], "t", seed=0)).tolist()
        return {"mean": float(known.mean()), "low": low, "high": high}


def refuse_open_top(measure: str | Measure, dialect: str | Dialect, **overrides: Any) -> None:
    """Raise an error if values depend on the highest grade of all judgments, of which only a part is ever seen."""
    wanted = parse(measure)
    if wanted.needs_top and get(dialect, **overrides).provider(wanted).max_grade is None:
        name = type(wanted).__name__
        words = f"said where lists come one by one or in batches, as in {name}(max_grade=3)"
        raise ParameterError(name, "max_grade", words, None)


def grades(expected: Expected) -> dict[str, float]:
    """Return the grades of the documents that are expected, 1 where nothing else is said."""
    if isinstance(expected, Mapping):
        return {str(document): float(grade) for document, grade in expected.items()}
    return dict.fromkeys(map(str, expected), 1.0)
