"""The contract of a normalisation, and the registry of them: what makes the scores of different runs comparable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from rankgauge.fusion.stack import Stack
from rankgauge.numeric import FloatArray
from rankgauge.registry import Registered, Registry

NORMALISATIONS: Registry[Normalisation] = Registry("normalisation", "rankgauge.fusion.normalisations", lenient=True)

Number = TypeVar("Number", np.float64, np.bool_)

NONE = "none"
"""The name of leaving scores as they are."""


class UnfitListError(Exception):
    """A list that cannot be computed with: its number in the stack, for who knows its run and query, and why not."""

    def __init__(self, number: int, problem: str, hint: str) -> None:
        self.number, self.problem, self.hint = number, problem, hint
        super().__init__(problem)


@dataclass(frozen=True, kw_only=True)
class Normalisation(Registered):
    """A normalisation: `apply` gives a stack with other scores, list by list."""

    registry = NORMALISATIONS

    name: str
    title: str
    formula: str
    apply: Callable[[Stack], Stack]
    ranx: str | None = None
    """What ranx calls it."""
    by_rank: bool = False
    """Whether it looks at ranks in place of scores."""
    inverts: bool = False
    """Whether the least score is the best, as of distances; runs are turned over before anything else."""


def safe(denominator: FloatArray) -> FloatArray:
    """The denominator, or 1 where it is 0: the scores of such a list are all equal, and so their numerators are 0."""
    return np.where(denominator > 0, denominator, 1.0)


def each(stack: Stack, values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The value of each entry's list."""
    return np.repeat(values, stack.sizes)


def best(stack: Stack) -> FloatArray:
    """The highest score of each list, which is the first."""
    return np.asarray(stack.score[stack.starts])


def worst(stack: Stack) -> FloatArray:
    """The lowest score of each list, which is the last."""
    return np.asarray(stack.score[stack.starts + stack.sizes - 1])


def total(stack: Stack, values: FloatArray) -> FloatArray:
    """The sum of the values of each list."""
    return np.asarray(np.add.reduceat(values, stack.starts)) if len(values) else np.zeros(0)
