"""The search for the best parameters: all combinations where they are few, otherwise one weight at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from rankgauge.fusion.method import FusionMethod, WeightedMethod

STEPS = {2: 20, 3: 10, 4: 6}
"""Into how many steps the weight of one is cut, by the number of runs: all ways to deal them out are tried."""

FACTORS = (0.0, 0.25, 0.5, 2.0, 4.0)
"""By what a weight is multiplied where runs are many."""

ROUNDS = 10
"""How often all weights are gone through at most."""

Worth = Callable[[FusionMethod], float]
"""What a method is worth on the queries to learn from."""


def best_of(method: FusionMethod, runs: int, worth: Worth, *, fixed: Collection[str] = ()) -> FusionMethod:
    """The method with the best parameters; of equally good ones the first that was tried, its own before all.

    Parameters that are `fixed` keep their values.
    """
    if not isinstance(method, WeightedMethod):
        return _first_best([method, *_combinations(method, fixed)], worth)
    begun = replace(method, weights=tuple(method.weighing(runs).tolist()))
    if runs in STEPS:
        return _first_best([begun, *(replace(method, weights=one) for one in dealt(runs, STEPS[runs]))], worth)
    alone = [replace(method, weights=tuple(row)) for row in np.eye(runs).tolist()]
    return _climbed(_first_best([begun, *alone], worth), worth)


def dealt(runs: int, steps: int) -> Iterator[tuple[float, ...]]:
    """All weights that are multiples of 1 / steps and add up to 1."""
    for rest in product(range(steps + 1), repeat=runs - 1):
        if sum(rest) <= steps:
            yield tuple(part / steps for part in (*rest, steps - sum(rest)))


def _combinations(method: FusionMethod, fixed: Collection[str]) -> Iterator[FusionMethod]:
    tries = {name: values for name, values in method.tries().items() if name not in fixed}
    for values in product(*tries.values()):
        yield replace(method, **dict(zip(tries, values, strict=True)))


def _first_best(methods: list[FusionMethod], worth: Worth) -> FusionMethod:
    return max(methods, key=worth)  # of equals, max gives the first


def _climbed(method: FusionMethod, worth: Worth) -> FusionMethod:
    """The method after its weights were changed one at a time, as long as that helps."""
    assert isinstance(method, WeightedMethod)
    best, reached = method, worth(method)
    for _ in range(ROUNDS):
        before = reached
        for run in range(len(best.weights)):
            for tried in list(_moved(best, run)):
                if (found := worth(tried)) > reached:
                    best, reached = tried, found
        if not reached > before:
            break
    return best


def _moved(method: WeightedMethod, run: int) -> Iterator[WeightedMethod]:
    """The method with other weights of one run; they add up to 1."""
    weights = np.array(method.weights)
    others = np.delete(weights, run)
    begun = weights[run] or float(others[others > 0].mean())
    for factor in FACTORS if weights[run] else (1.0, *FACTORS[1:]):
        weights[run] = begun * factor
        if weights.sum() > 0:
            yield replace(method, weights=tuple((weights / weights.sum()).round(6).tolist()))
