"""Stages of a plan: how queries are judged under the beliefs of the moment, and what they give."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Luck:
    """The random numbers of a plan: a uniform one for each query and each document of the pool."""

    query: FloatArray
    document: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class StageOutcome:
    """What the visited queries of a stage gave, an entry for each; `expected` has an entry for each of the pool's.

    `variance` is an unbiased estimate of the change's variance over the luck; `documents` are all that were judged.
    """

    expected: FloatArray
    change: FloatArray
    variance: FloatArray
    cost: FloatArray
    labels: FloatArray
    documents: IndexArray

    @property
    def queries(self) -> int:
        """How many queries have judged documents."""
        return int(np.sum(self.labels > 0))


class Stage(ABC):
    """How the queries of a stage are judged."""

    name: str
    rest: IndexArray
    """The queries that the stage begins with."""
    whole: bool = False
    """Whether queries are judged whole or not at all."""

    def prepare(self, grades: FloatArray) -> None:  # noqa: B027 - a stage may have nothing to prepare
        """Computes under known grades, once, what many repetitions need."""

    @abstractmethod
    def asks(self, query: int, luck: Luck, grades: FloatArray) -> IndexArray:
        """The documents of the query whose grades are needed next."""

    @abstractmethod
    def run(self, queries: IndexArray, luck: Luck, grades: FloatArray) -> StageOutcome:
        """What the queries give under the grades; those of documents that are not asked for may be NaN."""

    @abstractmethod
    def true_variance(self, queries: IndexArray, grades: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The variance of each query's change over the luck, and its mean cost, if all its grades are known."""

    @abstractmethod
    def predicted_variance(self) -> float:
        """The variance of the sum over the rest of the queries if the beliefs are right."""

    @abstractmethod
    def doubt(self) -> float:
        """The mean variance of the value of a query of the rest, under the beliefs."""
