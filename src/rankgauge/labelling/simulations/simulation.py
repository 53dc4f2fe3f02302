"""Simulation: methods are tried many times on a pool whose grades are all known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError, ParameterError
from rankgauge.labelling import methods
from rankgauge.labelling.methods import Method, Repetitions
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.simulations.study import ErrorCurve, Study
from rankgauge.labelling.target import Target
from rankgauge.numeric import FloatArray

Watch = Callable[[str, float], None]


def repetitions(
    method: str | Method, pool: Pool, target: Target, grades: npt.ArrayLike, *, budget: float, count: int, rng: int = 0
) -> Repetitions:
    """The estimates of `count` repetitions of a method; repetition r has the seed rng + r."""
    if count < 1:
        raise ParameterError("a simulation", "count", "a whole number, 1 or more", count)
    known = _known(pool, target, grades)
    return methods.get(method).repeat(pool, target, known, budget=budget, seeds=rng + np.arange(count))


def simulate(
    pool: Pool,
    target: Target,
    grades: npt.ArrayLike,
    *,
    methods_: Sequence[str | Method],
    budgets: Sequence[float],
    count: int,
    rng: int = 0,
    watch: Watch | None = None,
) -> Study:
    """The error, bias, coverage and cost of methods at each budget, and what each saves against the others."""
    known = _known(pool, target, grades)
    truth = float(target.values(pool, known).mean())
    curves = {}
    for method in methods_:
        found = {}
        for budget in budgets:
            found[float(budget)] = repetitions(method, pool, target, known, budget=budget, count=count, rng=rng)
            if watch is not None:
                watch(str(method), float(budget))
        curves[str(method)] = ErrorCurve.of(str(method), found, truth)
    measure = str(target.measure)
    return Study(title=measure, measure=measure, truth=truth, curves=curves, facts={"rng": rng, "repetitions": count})


def _known(pool: Pool, target: Target, grades: npt.ArrayLike) -> FloatArray:
    known = np.asarray(grades, dtype=np.float64)
    if known.shape != (len(pool.documents),):
        raise InputError(f"a simulation needs the grades of all {len(pool.documents)} documents, got {known.shape}")
    lacking = np.flatnonzero(np.isnan(known) & target.needed(pool))
    if len(lacking):
        query = pool.queries[int(pool.query[lacking[0]])]
        raise InputError(f"document {pool.documents[int(lacking[0])]} of query {query} has no grade")
    return known
