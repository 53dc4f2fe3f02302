"""Measures of a notebook: `define` makes one of a function, in a line."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.measures.measure import MEASURES, Example, Facts, Measure, TieRule
from rankgauge.measures.names import ours
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists

SHOWN = (2.0, None, 1.0)
"""The grades of the list that stands for a worked example."""


def define(
    name: str,
    function: Callable[..., float],
    *,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    more_is_better: bool = True,
    unjudged: float = 0.0,
) -> Measure:
    """Make a function a measure of this session, known by its name to evaluate, compare and plot.

    The function is called once for each query. It gets the grades of the run's documents by rank as an array, and if
    it takes a second argument, the grades of all judged documents, the highest first. It returns a number, or NaN or
    None where the measure is not defined. `name@k` shows it the first k ranks only.

    An `unjudged` document has that grade: 0, or NaN for a function that looks for them. `bounds` are the least and the
    most that a value can be; intervals end there.

    What it lacks beside a measure with a file of its own: tied documents are averaged over sampled orders, not exactly;
    it has no formula, so labels of active evaluation are sampled too; it sees no ids of documents; other processes
    (Spark, the command line) do not know it; and a call for each query is slower than a kernel for all of them.
    """
    _check_name(name)
    pair = isinstance(bounds, tuple | list) and len(bounds) == 2 and all(isinstance(end, Real) for end in bounds)
    if not pair or not bounds[0] < bounds[1]:
        raise ParameterError("define", "bounds", "two numbers, the least and the most that a value can be", bounds)
    arguments = _count_arguments(name, function)
    example = np.array([unjudged if grade is None else grade for grade in SHOWN])

    class Defined(Measure):
        __doc__ = inspect.getdoc(function) if inspect.isfunction(function) else None
        __doc__ = __doc__ or f"{name}, as this session defines it."
        facts = Facts(
            title=(__doc__.partition("\n")[0]).rstrip("."),
            formula=r"\text{a function of this session}",
            reference="defined by rankgauge.define",
            name=name,
            bounds=bounds,
            ties=TieRule.SAMPLED,
            graded=True,
            improves=False,
            better=more_is_better,
            counts_unjudged=True,
            examples=(Example(name, SHOWN, value=str(_call(name, function, example, arguments))),),
        )
        defined_by = staticmethod(function)
        cutoff: int | None = None

        def values(self, lists: RankedLists) -> FloatArray:
            """Call the function for each list."""
            shape, judged = lists.retrieved.shape, lists.ideal.shape[-1]
            cutoff = np.inf if self.cutoff is None else self.cutoff
            lengths = np.minimum(lists.retrieved, cutoff).astype(np.intp).reshape(-1)
            ideal = np.broadcast_to(lists.ideal, (*shape, judged)).reshape(-1, judged)
            hits = lists.ranks.reshape(-1, lists.ranks.shape[-1]), lists.grades.reshape(-1, lists.ranks.shape[-1])
            called = [
                _call(name, function, _by_rank(ranks, grades, length, unjudged), arguments, best[~np.isnan(best)])
                for ranks, grades, length, best in zip(*hits, lengths.tolist(), ideal, strict=True)
            ]
            return np.array(called, dtype=np.float64).reshape(shape)

    Defined.__name__ = Defined.__qualname__ = name
    return Defined()


def _by_rank(ranks: FloatArray, grades: FloatArray, length: int, unjudged: float) -> FloatArray:
    by_rank = np.full(length, unjudged)
    shown = (ranks <= length) & np.isfinite(grades)
    by_rank[ranks[shown].astype(np.intp) - 1] = grades[shown]
    return by_rank


def _call(
    name: str, function: Callable[..., Any], by_rank: FloatArray, arguments: int, judged: FloatArray | None = None
) -> float:
    """Call the function and check that it returns a number."""
    judged = np.sort(by_rank)[::-1] if judged is None else judged
    try:
        value = function(*(by_rank, judged)[:arguments])
    except Exception as error:
        error.add_note(f"{name} was called with a list of {len(by_rank)} documents.")
        raise
    try:
        return math.nan if value is None else float(value)
    except (TypeError, ValueError):
        raise ParameterError("define", "function", f"a function that returns a number ({name})", value) from None


def _count_arguments(name: str, function: Callable[..., Any]) -> int:
    """Return how many arguments to call the function with: the grades, or the grades and those of the judgments."""
    if not callable(function):
        raise ParameterError("define", "function", f"a function of grades by rank ({name})", function)
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # some built-in functions do not say
        return 1
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [each for each in parameters if each.kind in kinds and each.default is inspect.Parameter.empty]
    if len(needed) not in (1, 2):
        wanted = f"a function of grades by rank, or of these and the grades of the judgments ({name})"
        raise ParameterError("define", "function", wanted, f"one of {len(needed)} arguments")
    return len(needed)


def _check_name(name: str) -> None:
    """Forget an earlier definition of the name; refuse the name of another measure."""
    if not re.fullmatch(r"[^\W\d]\w*", name):
        raise ParameterError("define", "name", "letters, digits and underscores, a letter first", name)
    known = MEASURES.get(name)
    if hasattr(known, "defined_by"):
        MEASURES.forget(name)
    elif known is not None or ours(name) is not None:
        raise ParameterError("define", "name", "one that no other measure has", name)
